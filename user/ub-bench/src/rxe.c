// SPDX-License-Identifier: GPL-2.0
/*
 * What ub-bench needs of libibverbs, as functions that take and give plain values:
 * many calls of the library are inline functions of its header.
 *
 * Functions that give an int give 0 or a negative errno.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RDMA_STATIC_PROVIDERS rxe
#include <infiniband/verbs.h>
#include <rdma/rdma_netlink.h>

#define DEPTH 64
#define CQ_DEPTH 256
#define MOST_POSTED 64

/* As in rxe.rs. */
enum { OP_WRITE, OP_READ, OP_FETCH_ADD, OP_SEND };

/* One context with a QP and what belongs to it. */
struct ub_rxe_end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *sent, *received;
	struct ibv_comp_channel *channel;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
};

static struct ibv_device *device;

static void put_string(struct nlmsghdr *head, unsigned short type, const char *text)
{
	struct nlattr *attr = (void *)((char *)head + NLMSG_ALIGN(head->nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + strlen(text) + 1;
	memcpy((char *)attr + NLA_HDRLEN, text, strlen(text) + 1);
	head->nlmsg_len = NLMSG_ALIGN(head->nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

/* What "rdma link add NAME type rxe netdev NETDEV" does. */
int ub_rxe_link(const char *name, const char *netdev)
{
	union {
		struct nlmsghdr head;
		char room[1024];
	} message = { 0 };
	struct nlmsgerr *reply;
	ssize_t len;
	int fd;

	if (strlen(name) + strlen(netdev) > 128)
		return -EINVAL;
	message.head.nlmsg_len = NLMSG_HDRLEN;
	message.head.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
	message.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	put_string(&message.head, RDMA_NLDEV_ATTR_DEV_NAME, name);
	put_string(&message.head, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe");
	put_string(&message.head, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	if (fd < 0)
		return -errno;
	len = send(fd, &message, message.head.nlmsg_len, 0);
	if (len >= 0)
		len = recv(fd, &message, sizeof(message), 0);
	close(fd);
	if (len < (ssize_t)NLMSG_LENGTH(sizeof(*reply)))
		return -EIO;
	reply = NLMSG_DATA(&message.head);
	return message.head.nlmsg_type == NLMSG_ERROR ? reply->error : -EIO;
}

/* Finds the device that ub_rxe_link() has made. */
int ub_rxe_find(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list)
		return -errno;
	/* The list is kept: it holds the device. */
	device = list[0];
	return device ? 0 : -ENODEV;
}

struct ibv_context *ub_rxe_open(void)
{
	return ibv_open_device(device);
}

int ub_rxe_close(struct ibv_context *ctx)
{
	return ibv_close_device(ctx) ? -errno : 0;
}

struct ibv_pd *ub_rxe_pd(struct ibv_context *ctx)
{
	return ibv_alloc_pd(ctx);
}

int ub_rxe_cq(struct ibv_context *ctx)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, DEPTH, NULL, NULL, 0);

	return cq ? -ibv_destroy_cq(cq) : -errno;
}

static struct ibv_srq *make_srq(struct ibv_pd *pd)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 4 } };

	return ibv_create_srq(pd, &init);
}

int ub_rxe_srq(struct ibv_pd *pd)
{
	struct ibv_srq *srq = make_srq(pd);

	return srq ? -ibv_destroy_srq(srq) : -errno;
}

static struct ibv_qp *make_qp(struct ub_rxe_end *end)
{
	struct ibv_qp_init_attr init = {
		.send_cq = end->sent,
		.recv_cq = end->received,
		.srq = end->srq,
		.cap = { .max_send_wr = DEPTH, .max_send_sge = 4 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	return ibv_create_qp(end->pd, &init);
}

int ub_rxe_qp(struct ub_rxe_end *end)
{
	struct ibv_qp *qp = make_qp(end);

	return qp ? -ibv_destroy_qp(qp) : -errno;
}

static struct ibv_mr *make_mr(struct ibv_pd *pd, void *memory, size_t len)
{
	return ibv_reg_mr(pd, memory, len, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
}

int ub_rxe_mr(struct ub_rxe_end *end, void *memory, size_t len)
{
	struct ibv_mr *mr = make_mr(end->pd, memory, len);

	return mr ? -ibv_dereg_mr(mr) : -errno;
}

/* Everything but the connection; NULL and errno if it fails. The process ends with it. */
struct ub_rxe_end *ub_rxe_end(void *memory, size_t len)
{
	struct ub_rxe_end *end = calloc(1, sizeof(*end));

	if (!end)
		return NULL;
	end->ctx = ibv_open_device(device);
	end->pd = end->ctx ? ibv_alloc_pd(end->ctx) : NULL;
	if (!end->pd)
		return NULL;
	end->sent = ibv_create_cq(end->ctx, CQ_DEPTH, NULL, NULL, 0);
	end->channel = ibv_create_comp_channel(end->ctx);
	end->received = ibv_create_cq(end->ctx, CQ_DEPTH, NULL, end->channel, 0);
	end->srq = make_srq(end->pd);
	end->mr = make_mr(end->pd, memory, len);
	if (!end->sent || !end->channel || !end->received || !end->srq || !end->mr)
		return NULL;
	end->qp = make_qp(end);
	return end->qp ? end : NULL;
}

/* The index of the GID that stands for an IPv4 address, and that GID. */
static int find_gid(struct ibv_context *ctx, const char *address, union ibv_gid *gid)
{
	unsigned char wanted[16] = { [10] = 0xff, [11] = 0xff };
	int i;

	if (inet_pton(AF_INET, address, wanted + 12) != 1)
		return -EINVAL;
	for (i = 0; i < 16; i++) {
		if (!ibv_query_gid(ctx, 1, i, gid) && !memcmp(gid->raw, wanted, sizeof(wanted)))
			return i;
	}
	return -EADDRNOTAVAIL;
}

/* Connects a QP with another of the same device. */
int ub_rxe_connect(struct ub_rxe_end *end, struct ub_rxe_end *to, const char *address)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = to->qp->qp_num,
		.max_rd_atomic = 16,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = 6,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1, .grh = { .hop_limit = 64 } },
	};
	int index = find_gid(end->ctx, address, &attr.ah_attr.grh.dgid), err;

	if (index < 0)
		return index;
	attr.ah_attr.grh.sgid_index = index;
	err = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS);
	if (err)
		return -err;
	attr.qp_state = IBV_QPS_RTR;
	err = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER);
	if (err)
		return -err;
	attr.qp_state = IBV_QPS_RTS;
	err = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return -err;
}

/* Takes a connected QP back to where it began, and connects it again. */
int ub_rxe_reconnect(struct ub_rxe_end *end, struct ub_rxe_end *to, const char *address)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	int err = ibv_modify_qp(end->qp, &attr, IBV_QP_STATE);

	return err ? -err : ub_rxe_connect(end, to, address);
}

/* Waits for so many good completions. The kernel needs the CPU to make them. */
static int reap(struct ibv_cq *cq, int count)
{
	struct timespec start, now;
	struct ibv_wc wc[MOST_POSTED];
	int got, i;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (count > 0) {
		got = ibv_poll_cq(cq, count < MOST_POSTED ? count : MOST_POSTED, wc);
		if (got < 0)
			return -EIO;
		for (i = 0; i < got; i++) {
			if (wc[i].status != IBV_WC_SUCCESS)
				return -(EREMOTEIO + 1000 * wc[i].status);
		}
		count -= got;
		if (got)
			continue;
		sched_yield();
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec > 10)
			return -ETIMEDOUT;
	}
	return 0;
}

/* Posts `count` equal requests at once. */
static int post(struct ub_rxe_end *end, struct ub_rxe_end *to, int op, size_t len, int count)
{
	static const enum ibv_wr_opcode opcodes[] = {
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[OP_SEND] = IBV_WR_SEND,
	};
	struct ibv_sge sge = { (uintptr_t)end->mr->addr, len, end->mr->lkey };
	struct ibv_send_wr wr[MOST_POSTED] = { 0 }, *bad;
	int i, err;

	if (count < 1 || count > MOST_POSTED)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		wr[i].next = i + 1 < count ? &wr[i + 1] : NULL;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].opcode = opcodes[op];
		wr[i].send_flags = IBV_SEND_SIGNALED;
		if (op == OP_FETCH_ADD) {
			wr[i].wr.atomic.remote_addr = (uintptr_t)to->mr->addr;
			wr[i].wr.atomic.rkey = to->mr->rkey;
			wr[i].wr.atomic.compare_add = 1;
		} else {
			wr[i].wr.rdma.remote_addr = (uintptr_t)to->mr->addr;
			wr[i].wr.rdma.rkey = to->mr->rkey;
		}
	}
	err = ibv_post_send(end->qp, wr, &bad);
	return -err;
}

/* Posts `count` equal requests at once and waits until all are complete. */
int ub_rxe_send(struct ub_rxe_end *end, struct ub_rxe_end *to, int op, size_t len, int count)
{
	int err = post(end, to, op, len, count);

	return err ? err : reap(end->sent, count);
}

/* Posts a WRITE at each of some ends, and waits until all are complete. */
int ub_rxe_write_by(struct ub_rxe_end **ends, struct ub_rxe_end **to, size_t len, int count)
{
	int i, err = 0;

	for (i = 0; i < count && !err; i++)
		err = post(ends[i], to[i], OP_WRITE, len, 1);
	for (i = 0; i < count && !err; i++)
		err = reap(ends[i]->sent, 1);
	return err;
}

static int post_receives(struct ub_rxe_end *end, int count)
{
	struct ibv_sge sge = { (uintptr_t)end->mr->addr, 4096, end->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int i, err = 0;

	for (i = 0; i < count && !err; i++)
		err = ibv_post_srq_recv(end->srq, &wr, &bad);
	return -err;
}

/* SENDs, posted at once, with the receives that they need, until all are complete. */
int ub_rxe_send_recv(struct ub_rxe_end *end, struct ub_rxe_end *to, size_t len, int count)
{
	int err = post_receives(to, count);

	if (!err)
		err = ub_rxe_send(end, to, OP_SEND, len, count);
	return err ? err : reap(to->received, count);
}

/* A SEND of which the receiver is told by an event. */
int ub_rxe_send_event(struct ub_rxe_end *end, struct ub_rxe_end *to, size_t len)
{
	struct ibv_cq *cq;
	void *context;
	int err = post_receives(to, 1);

	if (!err)
		err = -ibv_req_notify_cq(to->received, 0);
	if (!err)
		err = post(end, to, OP_SEND, len, 1);
	if (err)
		return err;
	if (ibv_get_cq_event(to->channel, &cq, &context))
		return -errno;
	ibv_ack_cq_events(cq, 1);
	err = reap(end->sent, 1);
	return err ? err : reap(to->received, 1);
}
