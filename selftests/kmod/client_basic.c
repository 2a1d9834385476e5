// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel client of ubcore, for tests: the cases about devices, and about
 * what the operations do.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "client.h"

#define RC	{ .mode = UBCORE_TP_RC, .rnr_retry = 7, .max_inline = 64 }
#define RM	{ .mode = UBCORE_TP_RM, .rnr_retry = 7 }

static int ubt_devices(struct ubt_run *run)
{
	union ubcore_eid eid, none = {};
	struct ubcore_path_set *paths;
	struct ubcore_device_status status = {};
	struct ubcore_device_attr *attr;
	struct ubcore_device *dev, *found;
	int ret;

	if (!CHECK(run, run->dev[0] && run->dev[1]))
		return -ENODEV;
	dev = run->dev[0]->dev;
	eid = dev->eid_table.eid_entries[0].eid;
	attr = kzalloc_obj(*attr);
	paths = kzalloc_obj(*paths);
	if (!attr || !paths) {
		kfree(attr);
		kfree(paths);
		return -ENOMEM;
	}
	ret = ubcore_query_device_attr(dev, attr);
	CHECK(run, !ret && attr->port_cnt == dev->attr.port_cnt);
	CHECK(run, attr->dev_cap.priority_info[0].tp_type.bs.rtp);
	ret = ubcore_query_device_status(dev, &status);
	CHECK(run, !ret && status.port_status[0].state == UBCORE_PORT_ACTIVE);
	CHECK(run, status.port_status[0].active_mtu);
	found = ubcore_get_device_by_eid(&eid, UBCORE_TRANSPORT_UB);
	CHECK(run, found == dev);
	if (found)
		ubcore_put_device(found);
	CHECK(run, !ubcore_get_device_by_eid(&none, UBCORE_TRANSPORT_UB));
	ret = ubcore_get_path_set(&eid, &eid, UBCORE_RTP, false, paths);
	CHECK(run, ret == -EINVAL);
	CHECK(run, ubcore_get_client_ctx_data(dev, &ubt_client) == run->dev[0]);
	CHECK(run, ubcore_get_mtu(1500) == UBCORE_MTU_1024);
	CHECK(run, ubcore_get_mtu(9000) == UBCORE_MTU_8192);
	CHECK(run, !ubcore_get_mtu(-1));
	kfree(paths);
	kfree(attr);
	return run->why[0] ? -EINVAL : 0;
}

/* The only completion of an end: this work request, and successful. */
static bool ubt_is_sent(struct ubt_end *end, u64 user_ctx)
{
	const struct ubcore_cr *cr = &end->cr[0];

	return end->got == 1 && cr->status == UBCORE_CR_SUCCESS &&
	       cr->user_ctx == user_ctx && !cr->flag.bs.s_r &&
	       cr->flag.bs.jetty && cr->local_id == end->jetty->jetty_id.id &&
	       cr->user_data == (uintptr_t)end->jetty;
}

/* The same, of a buffer that got something from a peer. */
static bool ubt_is_received(struct ubt_end *end, struct ubt_end *from,
			    u64 user_ctx, enum ubcore_cr_opcode opcode, u32 len)
{
	const struct ubcore_cr *cr = &end->cr[0];

	return end->got == 1 && cr->status == UBCORE_CR_SUCCESS &&
	       cr->user_ctx == user_ctx && cr->flag.bs.s_r &&
	       cr->flag.bs.jetty && cr->opcode == opcode &&
	       cr->completion_len == len &&
	       cr->local_id == end->jetty->jetty_id.id &&
	       cr->user_data == (uintptr_t)end->jetty &&
	       cr->remote_id.id == from->jetty->jetty_id.id &&
	       !memcmp(&cr->remote_id.eid, &from->jetty->jetty_id.eid,
		       sizeof(cr->remote_id.eid));
}

static int ubt_send_recv(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret;

	ret = ubt_post_recv(b, 4096, 6000, 0xb0b);
	if (ret)
		return ret;
	ubt_pattern(a->buf, 5000, 1);
	ubt_wr_send(a, &w, 0, 5000);
	w.wr.user_ctx = 0xa11ce;
	ret = ubt_post(a, &w);
	/* It was copied. */
	memset(&w, 0x5a, sizeof(w));
	ret = ret ?: ubt_collect(a, 1);
	ret = ret ?: ubt_collect(b, 1);
	if (ret)
		return ret;
	CHECK(run, ubt_is_sent(a, 0xa11ce));
	CHECK(run, ubt_is_received(b, a, 0xb0b, UBCORE_CR_OPC_SEND, 5000));
	CHECK(run, !memcmp(b->buf + 4096, a->buf, 5000));
	CHECK(run, !*(u8 *)(b->buf + 4096 + 5000));
	return run->why[0] ? -EINVAL : 0;
}

static int ubt_send_imm(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret;

	ret = ubt_post_recv(b, 0, 100, 1);
	ubt_pattern(a->buf, 60, 9);
	ubt_wr_send(a, &w, 0, 60);
	w.wr.opcode = UBCORE_OPC_SEND_IMM;
	w.wr.send.imm_data = 0x1122334455667788;
	/* From memory that is in no segment. */
	w.wr.flag.bs.inline_flag = 1;
	w.src[0].tseg = NULL;
	ret = ret ?: ubt_post(a, &w);
	memset(a->buf, 0, 60);
	ret = ret ?: ubt_collect(b, 1);
	if (ret)
		return ret;
	ubt_pattern(a->buf, 60, 9);
	CHECK(run, ubt_is_received(b, a, 1, UBCORE_CR_OPC_SEND_WITH_IMM, 60));
	CHECK(run, b->cr[0].imm_data == 0x1122334455667788);
	CHECK(run, !memcmp(b->buf, a->buf, 60));
	return run->why[0] ? -EINVAL : 0;
}

/* What sockets over UB do: data without completion, then a notice of it. */
static int ubt_write_chain(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubcore_jfs_wr *bad = NULL;
	struct ubt_wr data, notice;
	int ret;

	ret = ubt_post_recv(b, 0, 16, 5);
	ubt_pattern(a->buf, 9000, 3);
	ubt_wr_write(a, &data, UBCORE_OPC_WRITE, 0, 100000, 8000);
	data.wr.flag.bs.complete_enable = 0;
	ubt_wr_write(a, &notice, UBCORE_OPC_WRITE_IMM, 8000, 200001, 700);
	notice.src[1] = notice.src[0];
	notice.src[1].addr += 700;
	notice.src[1].len = 300;
	notice.wr.rw.src.num_sge = 2;
	notice.wr.rw.notify_data = 0xfeedbeef;
	notice.wr.user_ctx = 6;
	data.wr.next = &notice.wr;
	ret = ret ?: ubcore_post_jetty_send_wr(a->jetty, &data.wr, &bad);
	ret = ret ?: ubt_collect(a, 1);
	ret = ret ?: ubt_collect(b, 1);
	if (ret)
		return ret;
	CHECK(run, ubt_is_sent(a, 6));
	CHECK(run, ubt_is_received(b, a, 5, UBCORE_CR_OPC_WRITE_WITH_IMM, 1000));
	CHECK(run, b->cr[0].imm_data == 0xfeedbeef);
	CHECK(run, !memcmp(b->mem + 100000, a->buf, 8000));
	CHECK(run, !memcmp(b->mem + 200001, a->buf + 8000, 1000));
	return run->why[0] ? -EINVAL : 0;
}

static int ubt_read(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret;

	ubt_pattern(b->mem + 77, 12000, 4);
	ubt_wr_write(a, &w, UBCORE_OPC_READ, 77, 200, 12000);
	w.wr.user_ctx = 7;
	ret = ubt_post(a, &w);
	ret = ret ?: ubt_collect(a, 1);
	if (ret)
		return ret;
	CHECK(run, ubt_is_sent(a, 7) && a->cr[0].completion_len == 12000);
	CHECK(run, !memcmp(a->buf + 200, b->mem + 77, 12000));
	return run->why[0] ? -EINVAL : 0;
}

static int ubt_atomics(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	u64 *word = b->mem + 64, *old = a->buf;
	struct ubt_wr w;
	int ret;

	*word = 1000;
	ubt_wr_write(a, &w, UBCORE_OPC_FADD, 0, 64, 8);
	memset(&w.wr.rw, 0, sizeof(w.wr.rw));
	w.wr.faa.dst = w.dst;
	w.wr.faa.src = w.src;
	w.wr.faa.operand = 23;
	ret = ubt_post(a, &w);
	ret = ret ?: ubt_collect(a, 1);
	if (ret)
		return ret;
	CHECK(run, *word == 1023 && *old == 1000);
	w.wr.opcode = UBCORE_OPC_CAS;
	w.wr.cas.cmp_data = 1023;
	w.wr.cas.swap_data = 7;
	ret = ubt_post(a, &w);
	ret = ret ?: ubt_collect(a, 2);
	if (ret)
		return ret;
	CHECK(run, *word == 7 && *old == 1023);
	w.wr.opcode = UBCORE_OPC_SWAP;
	w.wr.cas.swap_data = 8;
	ret = ubt_post(a, &w);
	ret = ret ?: ubt_collect(a, 3);
	if (ret)
		return ret;
	CHECK(run, *word == 8 && *old == 7);
	CHECK(run, a->cr[2].status == UBCORE_CR_SUCCESS);
	return run->why[0] ? -EINVAL : 0;
}

static int ubt_write_notify(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret;

	ubt_pattern(a->buf, 100, 5);
	ubt_wr_write(a, &w, UBCORE_OPC_WRITE_NOTIFY, 0, 0, 100);
	w.dst[1] = w.dst[0];
	w.dst[1].addr += 4096;
	w.wr.rw.dst.num_sge = 2;
	w.wr.rw.notify_data = 0x0102030405060708;
	ret = ubt_post(a, &w);
	ret = ret ?: ubt_collect(a, 1);
	if (ret)
		return ret;
	CHECK(run, a->cr[0].status == UBCORE_CR_SUCCESS);
	CHECK(run, !memcmp(b->mem, a->buf, 100));
	CHECK(run, *(u64 *)(b->mem + 4096) == 0x0102030405060708);
	return run->why[0] ? -EINVAL : 0;
}

/* Either end may be the first to bind, and sends before the other has. */
static int ubt_bind_order(struct ubt_run *run)
{
	struct ubt_end *first = &run->a, *second = &run->b;
	struct ubt_wr w;
	int ret, round;

	for (round = 1; round <= 2; round++) {
		ret = ubcore_bind_jetty(first->jetty, first->peer, NULL);
		ret = ret ?: ubt_post_recv(second, 0, 64, round);
		ubt_wr_send(first, &w, 0, 64);
		ret = ret ?: ubt_post(first, &w);
		ret = ret ?: ubt_collect(second, first->got + 1);
		ret = ret ?: ubcore_bind_jetty(second->jetty, second->peer, NULL);
		ret = ret ?: ubt_post_recv(first, 0, 64, round);
		ubt_wr_send(second, &w, 0, 64);
		ret = ret ?: ubt_post(second, &w);
		ret = ret ?: ubt_collect(first, 2 * round);
		ret = ret ?: ubt_collect(second, 2 * round);
		if (ret)
			return ret;
		CHECK(run, first->jetty->remote_jetty == first->peer);
		CHECK(run, first->jetty->remote_jetty->cfg.id.id ==
			   second->jetty->jetty_id.id);
		ret = ubcore_unbind_jetty(first->jetty);
		ret = ret ?: ubcore_unbind_jetty(second->jetty);
		if (ret)
			return ret;
		swap(first, second);
	}
	for (round = 0; round < 4; round++) {
		CHECK(run, first->cr[round].status == UBCORE_CR_SUCCESS);
		CHECK(run, second->cr[round].status == UBCORE_CR_SUCCESS);
	}
	return run->why[0] ? -EINVAL : 0;
}

const struct ubt_case ubt_basic_cases[] = {
	{ "devices_and_queries", ubt_devices, UBT_NONE },
	{ "send_and_receive", ubt_send_recv, UBT_BOUND, RC },
	{ "send_and_receive_rm", ubt_send_recv, UBT_BOUND, RM },
	{ "send_inline_with_imm", ubt_send_imm, UBT_BOUND, RC },
	{ "write_then_write_imm", ubt_write_chain, UBT_BOUND, RC },
	{ "write_then_write_imm_rm", ubt_write_chain, UBT_BOUND, RM },
	{ "read", ubt_read, UBT_BOUND, RC },
	{ "atomics", ubt_atomics, UBT_BOUND, RC },
	{ "write_notify", ubt_write_notify, UBT_BOUND, RC },
	{ "bind_in_either_order", ubt_bind_order, UBT_UNBOUND, RC },
	{ }
};
