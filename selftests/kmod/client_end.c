// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel client of ubcore, for tests: the ends of a connection, made as
 * sockets over UB make them.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/vmalloc.h>

#include "client.h"

#define POLL_BATCH	64

static void ubt_keep(struct ubt_end *end, const struct ubcore_cr *cr, int count)
{
	unsigned long flags;
	int i;

	spin_lock_irqsave(&end->lock, flags);
	for (i = 0; i < count; i++) {
		if (end->got < UBT_MAX_CRS)
			end->cr[end->got++] = cr[i];
	}
	spin_unlock_irqrestore(&end->lock, flags);
}

/* As long as there are completions; then asks for an event. */
static void ubt_tasklet(struct tasklet_struct *tasklet)
{
	struct ubt_end *end = from_tasklet(end, tasklet, tasklet);
	void (*on_cr)(struct ubt_end *end, const struct ubcore_cr *cr);
	struct ubcore_cr cr[8];
	int count, i;

	on_cr = READ_ONCE(end->cfg.on_cr);
	if (!on_cr)
		return;
	do {
		do {
			count = ubcore_poll_jfc(end->jfc, ARRAY_SIZE(cr), cr);
			ubt_keep(end, cr, count);
			for (i = 0; i < count; i++)
				on_cr(end, &cr[i]);
		} while (count > 0);
	} while (!count && ubcore_rearm_jfc(end->jfc, false) > 0);
}

static void ubt_completed(struct ubcore_jfc *jfc)
{
	struct ubt_end *end = jfc->jfc_cfg.jfc_context;
	struct ubcore_jfs_wr *wr = end->post_in_handler, *bad;

	atomic_inc(&end->handled);
	if (wr) {
		end->post_in_handler = NULL;
		end->handler_error =
			ubcore_post_jetty_send_wr(end->jetty, wr, &bad);
	}
	if (end->cfg.on_cr)
		tasklet_schedule(&end->tasklet);
}

static struct ubcore_target_seg *ubt_register(struct ubt_dev *on, void *mem,
					      u32 len, u32 access)
{
	struct ubcore_seg_cfg cfg = {
		.va = (uintptr_t)mem,
		.len = len,
		.token_value.token = UBT_TOKEN,
	};

	cfg.flag.bs.token_policy = UBCORE_TOKEN_PLAIN_TEXT;
	cfg.flag.bs.access = access;
	return ubcore_register_seg(on->dev, &cfg, NULL);
}

static int ubt_memory(struct ubt_end *end)
{
	end->mem = vzalloc(UBT_MEM_BYTES);
	end->buf = vzalloc(UBT_BUF_BYTES);
	if (!end->mem || !end->buf)
		return -ENOMEM;
	end->mem_seg = ubt_register(end->on, end->mem, UBT_MEM_BYTES,
				    UBCORE_ACCESS_READ | UBCORE_ACCESS_WRITE |
				    UBCORE_ACCESS_ATOMIC);
	end->buf_seg = ubt_register(end->on, end->buf, UBT_BUF_BYTES,
				    UBCORE_ACCESS_LOCAL_ONLY);
	return PTR_ERR_OR_ZERO(end->mem_seg) ?: PTR_ERR_OR_ZERO(end->buf_seg);
}

static int ubt_queues(struct ubt_end *end)
{
	struct ubcore_device *dev = end->on->dev;
	bool rc = end->cfg.mode == UBCORE_TP_RC;
	struct ubcore_jfc_cfg jfc = {
		.depth = min(dev->attr.dev_cap.max_jfc_depth, UBT_JFC_DEPTH),
		.jfc_context = end,
	};
	struct ubcore_jfr_cfg jfr = {
		.depth = UBT_RECVS,
		.trans_mode = end->cfg.mode,
		.max_sge = 1,
		.min_rnr_timer = 12,
		.token_value.token = UBT_TOKEN,
	};
	struct ubcore_jetty_cfg jetty = {
		.trans_mode = end->cfg.mode,
		.jfs_depth = UBT_SENDS,
		.max_send_sge = 2,
		.max_send_rsge = 2,
		.max_inline_data = end->cfg.max_inline,
		.rnr_retry = end->cfg.rnr_retry,
		.err_timeout = 15,
	};

	end->jfc = ubcore_create_jfc(dev, &jfc, ubt_completed, NULL, NULL);
	if (IS_ERR(end->jfc))
		return PTR_ERR(end->jfc);
	jfr.jfc = end->jfc;
	jfr.flag.bs.token_policy = UBCORE_TOKEN_PLAIN_TEXT;
	jfr.flag.bs.order_type = rc ? UBCORE_OL : UBCORE_DEF_ORDER;
	end->jfr = ubcore_create_jfr(dev, &jfr, NULL, NULL);
	if (IS_ERR(end->jfr))
		return PTR_ERR(end->jfr);
	jetty.send_jfc = end->jfc;
	jetty.recv_jfc = end->jfc;
	jetty.jfr = end->jfr;
	jetty.flag.bs.share_jfr = UBCORE_SHARE_JFR;
	jetty.flag.bs.error_suspend = 1;
	jetty.flag.bs.order_type = rc ? UBCORE_OL : UBCORE_DEF_ORDER;
	end->jetty = ubcore_create_jetty(dev, &jetty, NULL, NULL);
	return PTR_ERR_OR_ZERO(end->jetty);
}

/**
 * ubt_end_create() - make an end
 * @end: zeros; to be destroyed also when this fails
 * @on: device
 * @cfg: how
 *
 * Return: 0 or an error.
 */
int ubt_end_create(struct ubt_end *end, struct ubt_dev *on,
		   const struct ubt_cfg *cfg)
{
	int ret;

	end->on = on;
	end->cfg = *cfg;
	spin_lock_init(&end->lock);
	tasklet_setup(&end->tasklet, ubt_tasklet);
	ret = ubt_memory(end);
	ret = ret ?: ubt_queues(end);
	if (ret)
		return ret;
	ret = ubcore_rearm_jfc(end->jfc, false);
	return ret < 0 ? ret : 0;
}

/**
 * ubt_end_import() - import the jetty and the memory of the other end
 * @end: an end
 * @peer: the other end
 *
 * Return: 0 or an error.
 */
int ubt_end_import(struct ubt_end *end, const struct ubt_end *peer)
{
	bool rc = end->cfg.mode == UBCORE_TP_RC;
	struct ubcore_tjetty_cfg jetty = {
		.id = peer->jetty->jetty_id,
		.trans_mode = end->cfg.mode,
		.type = UBCORE_JETTY,
		.tp_type = UBCORE_RTP,
		.token_value.token = UBT_TOKEN,
	};
	struct ubcore_target_seg_cfg seg = {
		.seg.ubva = peer->mem_seg->seg.ubva,
		.seg.attr = peer->mem_seg->seg.attr,
		.seg.token_id = peer->mem_seg->seg.token_id,
		.token_value.token = UBT_TOKEN,
	};

	jetty.flag.bs.token_policy = UBCORE_TOKEN_PLAIN_TEXT;
	jetty.flag.bs.order_type = rc ? UBCORE_OL : UBCORE_DEF_ORDER;
	end->peer = ubcore_import_jetty(end->on->dev, &jetty, NULL);
	if (IS_ERR(end->peer))
		return PTR_ERR(end->peer);
	seg.flag.bs.access = UBCORE_ACCESS_READ | UBCORE_ACCESS_WRITE |
			     UBCORE_ACCESS_ATOMIC;
	end->peer_seg = ubcore_import_seg(end->on->dev, &seg, NULL);
	return PTR_ERR_OR_ZERO(end->peer_seg);
}

/**
 * ubt_end_error() - take the jetty of an end out of service
 * @end: an end
 *
 * Return: 0 or an error.
 */
int ubt_end_error(struct ubt_end *end)
{
	struct ubcore_jetty_attr attr = {
		.mask = UBCORE_JETTY_STATE,
		.state = UBCORE_JETTY_STATE_ERROR,
	};

	return ubcore_modify_jetty(end->jetty, &attr, NULL);
}

/* Notes the first error. */
static void ubt_note(int *first, int ret)
{
	if (!*first)
		*first = ret;
}

/**
 * ubt_end_destroy() - destroy what there is of an end
 * @end: an end
 *
 * Return: 0 or the first error; all is tried.
 */
int ubt_end_destroy(struct ubt_end *end)
{
	int ret = 0;

	if (!end->on)
		return 0;
	if (!IS_ERR_OR_NULL(end->jetty)) {
		ubt_note(&ret, ubt_end_error(end));
		if (end->jetty->remote_jetty)
			ubt_note(&ret, ubcore_unbind_jetty(end->jetty));
	}
	if (!IS_ERR_OR_NULL(end->peer))
		ubt_note(&ret, ubcore_unimport_jetty(end->peer));
	if (!IS_ERR_OR_NULL(end->jetty))
		ubt_note(&ret, ubcore_delete_jetty(end->jetty));
	if (!IS_ERR_OR_NULL(end->jfr))
		ubt_note(&ret, ubcore_delete_jfr(end->jfr));
	if (!IS_ERR_OR_NULL(end->jfc)) {
		/* Nothing completes any more, so the handler is not called. */
		tasklet_kill(&end->tasklet);
		ubt_note(&ret, ubcore_delete_jfc(end->jfc));
	}
	if (!IS_ERR_OR_NULL(end->peer_seg))
		ubt_note(&ret, ubcore_unimport_seg(end->peer_seg));
	if (!IS_ERR_OR_NULL(end->mem_seg))
		ubt_note(&ret, ubcore_unregister_seg(end->mem_seg));
	if (!IS_ERR_OR_NULL(end->buf_seg))
		ubt_note(&ret, ubcore_unregister_seg(end->buf_seg));
	vfree(end->mem);
	vfree(end->buf);
	memset(end, 0, sizeof(*end));
	return ret;
}

/**
 * ubt_wr_write() - describe a transfer from or to the memory of the peer
 * @end: an end
 * @w: work request
 * @opcode: a write or read
 * @from: offset in the memory that is read, for a write that of the buffer
 * @to: offset in the memory that is written, for a read that of the buffer
 * @len: bytes
 */
void ubt_wr_write(struct ubt_end *end, struct ubt_wr *w,
		  enum ubcore_opcode opcode, u32 from, u32 to, u32 len)
{
	bool read = opcode == UBCORE_OPC_READ;

	memset(w, 0, sizeof(*w));
	w->src[0].addr = (uintptr_t)end->buf + (read ? to : from);
	w->src[0].len = len;
	w->src[0].tseg = end->buf_seg;
	w->dst[0].addr = end->peer_seg->seg.ubva.va + (read ? from : to);
	w->dst[0].len = len;
	w->dst[0].tseg = end->peer_seg;
	w->wr.opcode = opcode;
	w->wr.flag.bs.complete_enable = 1;
	w->wr.tjetty = end->peer;
	w->wr.rw.src.sge = read ? w->dst : w->src;
	w->wr.rw.src.num_sge = 1;
	w->wr.rw.dst.sge = read ? w->src : w->dst;
	w->wr.rw.dst.num_sge = 1;
}

/**
 * ubt_wr_send() - describe a message
 * @end: an end
 * @w: work request
 * @from: offset in the buffer
 * @len: bytes
 */
void ubt_wr_send(struct ubt_end *end, struct ubt_wr *w, u32 from, u32 len)
{
	memset(w, 0, sizeof(*w));
	w->src[0].addr = (uintptr_t)end->buf + from;
	w->src[0].len = len;
	w->src[0].tseg = end->buf_seg;
	w->wr.opcode = UBCORE_OPC_SEND;
	w->wr.flag.bs.complete_enable = 1;
	w->wr.tjetty = end->peer;
	w->wr.send.src.sge = w->src;
	w->wr.send.src.num_sge = 1;
}

/**
 * ubt_post() - post one work request
 * @end: an end
 * @w: work request
 *
 * Return: 0 or an error; -EBADMSG when the wrong one is blamed.
 */
int ubt_post(struct ubt_end *end, struct ubt_wr *w)
{
	struct ubcore_jfs_wr *bad = NULL;
	int ret = ubcore_post_jetty_send_wr(end->jetty, &w->wr, &bad);

	return ret && bad != &w->wr ? -EBADMSG : ret;
}

/**
 * ubt_post_recv() - post a receive buffer
 * @end: an end
 * @offset: offset in the buffer of the end
 * @len: bytes
 * @user_ctx: comes back in the completion
 *
 * The work request is overwritten afterwards: nobody may look at it again.
 *
 * Return: 0 or an error; -EBADMSG when the wrong one is blamed.
 */
int ubt_post_recv(struct ubt_end *end, u32 offset, u32 len, u64 user_ctx)
{
	struct ubcore_sge sge = {
		.addr = (uintptr_t)end->buf + offset,
		.len = len,
		.tseg = end->buf_seg,
	};
	struct ubcore_jfr_wr wr = {
		.src.sge = &sge,
		.src.num_sge = 1,
		.user_ctx = user_ctx,
	};
	struct ubcore_jfr_wr *bad = NULL;
	int ret = ubcore_post_jetty_recv_wr(end->jetty, &wr, &bad);

	if (ret && bad != &wr)
		ret = -EBADMSG;
	memset(&sge, 0x5a, sizeof(sge));
	memset(&wr, 0x5a, sizeof(wr));
	return ret;
}

/**
 * ubt_collect() - wait until an end has had so many completions in all
 * @end: an end
 * @wanted: how many
 *
 * Return: 0, -ETIMEDOUT, or what polling fails with.
 */
int ubt_collect(struct ubt_end *end, unsigned int wanted)
{
	unsigned long end_time = jiffies + 20 * HZ;
	struct ubcore_cr *cr;
	int count;

	cr = kvmalloc_array(POLL_BATCH, sizeof(*cr), GFP_KERNEL);
	if (!cr)
		return -ENOMEM;
	while (READ_ONCE(end->got) < wanted) {
		count = 0;
		if (!end->cfg.on_cr)
			count = ubcore_poll_jfc(end->jfc, POLL_BATCH, cr);
		if (count < 0 || time_after(jiffies, end_time)) {
			kvfree(cr);
			return count < 0 ? count : -ETIMEDOUT;
		}
		ubt_keep(end, cr, count);
		if (!count)
			usleep_range(200, 1000);
	}
	kvfree(cr);
	return 0;
}

/**
 * ubt_pattern() - bytes that differ
 * @to: where
 * @len: how many
 * @seed: which
 */
void ubt_pattern(void *to, u32 len, u8 seed)
{
	u8 *byte = to;
	u32 i;

	for (i = 0; i < len; i++)
		byte[i] = i * 7 + i / 251 + seed;
}
