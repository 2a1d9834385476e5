// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel client of ubcore, for tests: the cases about what is refused, what
 * fails, and what is left when a jetty goes.
 */
#include <linux/delay.h>

#include "client.h"

/* Of a chain, those before the bad one are carried out. */
static int ubt_bad_wr(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubcore_jfs_wr *bad = NULL;
	struct ubt_wr w[3];
	int ret, i;

	ubt_pattern(a->buf, 64, 2);
	for (i = 0; i < 3; i++) {
		ubt_wr_write(a, &w[i], UBCORE_OPC_WRITE, 0, i * 100, 64);
		w[i].wr.user_ctx = i;
		w[i].wr.next = i < 2 ? &w[i + 1].wr : NULL;
	}
	/* More ranges than the jetty was made for. */
	w[1].src[1] = w[1].src[0];
	w[1].src[2] = w[1].src[0];
	w[1].wr.rw.src.num_sge = 3;
	ret = ubcore_post_jetty_send_wr(a->jetty, &w[0].wr, &bad);
	CHECK(run, ret == -EINVAL && bad == &w[1].wr);
	/* A range in no segment, and a remote one that is a local one. */
	w[1].wr.rw.src.num_sge = 1;
	w[1].src[0].tseg = NULL;
	CHECK(run, ubt_post(a, &w[1]) == -EINVAL);
	w[1].src[0].tseg = b->buf_seg;
	CHECK(run, ubt_post(a, &w[1]) == -EINVAL);
	w[1].src[0].tseg = a->buf_seg;
	w[1].dst[0].tseg = a->mem_seg;
	CHECK(run, ubt_post(a, &w[1]) == -EINVAL);
	w[1].dst[0].tseg = a->peer_seg;
	w[1].wr.rw.dst.num_sge = 0;
	CHECK(run, ubt_post(a, &w[1]) == -EINVAL);
	ret = ubcore_post_jetty_send_wr(a->jetty, NULL, &bad);
	CHECK(run, ret == -EINVAL);
	ret = ubt_collect(a, 1);
	if (ret)
		return ret;
	msleep(50);
	CHECK(run, !ubcore_poll_jfc(a->jfc, 1, &a->cr[1]));
	CHECK(run, a->got == 1 && !a->cr[0].user_ctx);
	CHECK(run, a->cr[0].status == UBCORE_CR_SUCCESS);
	CHECK(run, !memcmp(b->mem, a->buf, 64) && !*(u8 *)(b->mem + 200));
	return run->why[0] ? -EINVAL : 0;
}

/* Posts what must fail with a status, and suspends the jetty; resumes it. */
static int ubt_expect(struct ubt_run *run, struct ubt_wr *w,
		      enum ubcore_cr_status status)
{
	struct ubcore_jetty_attr attr = {
		.mask = UBCORE_JETTY_STATE,
		.state = UBCORE_JETTY_STATE_READY,
	};
	struct ubt_end *a = &run->a;
	unsigned int before = a->got;
	int ret;

	ret = ubt_post(a, w);
	ret = ret ?: ubt_collect(a, before + 2);
	if (ret)
		return ret;
	CHECK(run, a->cr[before].status == status);
	CHECK(run, a->cr[before + 1].status == UBCORE_CR_WR_SUSPEND_DONE);
	CHECK(run, a->cr[before + 1].flag.bs.suspend_done);
	return ubcore_modify_jetty(a->jetty, &attr, NULL);
}

static int ubt_access(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubcore_target_seg_cfg seg = {
		.seg.ubva = b->mem_seg->seg.ubva,
		.seg.token_id = b->mem_seg->seg.token_id,
		.token_value.token = UBT_TOKEN + 1,
	};
	struct ubcore_target_seg *wrong;
	struct ubt_wr w;
	int ret;

	/* Outside of the remote memory, and of the local one. */
	ubt_wr_write(a, &w, UBCORE_OPC_WRITE, 0, UBT_MEM_BYTES - 63, 64);
	ret = ubt_expect(run, &w, UBCORE_CR_REM_ACCESS_ABORT_ERR);
	ubt_wr_write(a, &w, UBCORE_OPC_WRITE, UBT_BUF_BYTES - 63, 0, 64);
	ret = ret ?: ubt_expect(run, &w, UBCORE_CR_LOC_ACCESS_ERR);
	/* With the wrong token. */
	wrong = ubcore_import_seg(a->on->dev, &seg, NULL);
	if (IS_ERR(wrong))
		return ret ?: PTR_ERR(wrong);
	ubt_wr_write(a, &w, UBCORE_OPC_WRITE, 0, 0, 64);
	w.dst[0].tseg = wrong;
	ret = ret ?: ubt_expect(run, &w, UBCORE_CR_REM_ACCESS_ABORT_ERR);
	ret = ubcore_unimport_seg(wrong) ?: ret;
	/* Memory that its owner keeps for itself. */
	seg.seg.ubva = b->buf_seg->seg.ubva;
	seg.seg.token_id = b->buf_seg->seg.token_id;
	seg.token_value.token = UBT_TOKEN;
	wrong = ubcore_import_seg(a->on->dev, &seg, NULL);
	if (IS_ERR(wrong))
		return ret ?: PTR_ERR(wrong);
	ubt_wr_write(a, &w, UBCORE_OPC_WRITE, 0, 0, 64);
	w.dst[0].tseg = wrong;
	w.dst[0].addr = (uintptr_t)b->buf;
	ret = ret ?: ubt_expect(run, &w, UBCORE_CR_REM_ACCESS_ABORT_ERR);
	ret = ubcore_unimport_seg(wrong) ?: ret;
	return run->why[0] ? -EINVAL : ret;
}

/* Memory that no client may register. */
static int ubt_bad_memory(struct ubt_run *run)
{
	struct ubcore_seg_cfg cfg = { .len = PAGE_SIZE };
	struct ubcore_device *dev = run->a.on->dev;
	u64 bad[] = { 0x1000, TASK_SIZE - PAGE_SIZE, -PAGE_SIZE / 2 };
	struct ubcore_target_seg *seg;
	int i;

	cfg.flag.bs.access = UBCORE_ACCESS_LOCAL_ONLY;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		cfg.va = bad[i];
		seg = ubcore_register_seg(dev, &cfg, NULL);
		if (!CHECK(run, IS_ERR(seg))) {
			ubcore_unregister_seg(seg);
			return -EINVAL;
		}
	}
	return 0;
}

static int ubt_no_buffer(struct ubt_run *run)
{
	struct ubt_wr w;
	int ret;

	ubt_wr_send(&run->a, &w, 0, 100);
	ret = ubt_expect(run, &w, UBCORE_CR_RNR_RETRY_CNT_EXC_ERR);
	return run->why[0] ? -EINVAL : ret;
}

/* A jetty in the error state gives everything back. */
static int ubt_flush(struct ubt_run *run)
{
	struct ubt_end *a = &run->a;
	unsigned int sends = 0, recvs = 0, markers = 0, i;
	struct ubt_wr w;
	int ret = 0;

	for (i = 0; i < UBT_RECVS; i++)
		ret = ret ?: ubt_post_recv(a, 0, 16, i);
	ret = ret ?: ubt_end_error(a);
	ret = ret ?: ubt_collect(a, UBT_RECVS + 1);
	/* And what is posted later. */
	ret = ret ?: ubt_post_recv(a, 0, 16, UBT_RECVS);
	ubt_wr_send(a, &w, 0, 100);
	w.wr.flag.bs.complete_enable = 0;
	ret = ret ?: ubt_post(a, &w);
	ret = ret ?: ubt_collect(a, UBT_RECVS + 3);
	if (ret)
		return ret;
	for (i = 0; i < a->got; i++) {
		const struct ubcore_cr *cr = &a->cr[i];

		CHECK(run, cr->user_data == (uintptr_t)a->jetty);
		CHECK(run, cr->local_id == a->jetty->jetty_id.id);
		if (cr->status == UBCORE_CR_WR_FLUSH_ERR_DONE) {
			CHECK(run, cr->flag.bs.flush_err_done);
			markers++;
		} else if (!CHECK(run, cr->status == UBCORE_CR_FLUSH_ERR)) {
			break;
		} else if (cr->flag.bs.s_r) {
			CHECK(run, cr->user_ctx == recvs);
			recvs++;
		} else {
			sends++;
		}
	}
	CHECK(run, recvs == UBT_RECVS + 1 && sends == 1 && markers == 1);
	return run->why[0] ? -EINVAL : 0;
}

/* Buffers of another jetty with the same receive queue stay. */
static int ubt_flush_shared(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubcore_jetty *own = b->jetty, *other;
	struct ubcore_jetty_cfg cfg = b->jetty->jetty_cfg;
	struct ubcore_jetty_attr attr = {
		.mask = UBCORE_JETTY_STATE,
		.state = UBCORE_JETTY_STATE_ERROR,
	};
	struct ubt_wr w;
	int ret = 0, i;

	other = ubcore_create_jetty(b->on->dev, &cfg, NULL, NULL);
	if (IS_ERR(other))
		return PTR_ERR(other);
	for (i = 0; i < 100; i++) {
		b->jetty = i % 2 ? other : own;
		ret = ret ?: ubt_post_recv(b, 0, 100, i);
	}
	b->jetty = own;
	ret = ret ?: ubcore_modify_jetty(other, &attr, NULL);
	ret = ret ?: ubt_collect(b, 51);
	for (i = 0; i < 50 && !ret; i++) {
		if (b->cr[i].status == UBCORE_CR_FLUSH_ERR)
			CHECK(run, b->cr[i].user_data == (uintptr_t)other);
		ubt_wr_send(a, &w, 0, 100);
		ret = ubt_post(a, &w);
	}
	ret = ret ?: ubt_collect(b, 101);
	for (i = 51; i < 101 && !ret; i++) {
		CHECK(run, b->cr[i].status == UBCORE_CR_SUCCESS);
		CHECK(run, !(b->cr[i].user_ctx % 2));
	}
	ret = ubcore_delete_jetty(other) ?: ret;
	return run->why[0] ? -EINVAL : ret;
}

/* Nothing of a jetty that was deleted is found any more. */
static int ubt_purge(struct ubt_run *run)
{
	struct ubt_end *a = &run->a;
	struct ubcore_cr cr;
	int ret = 0, i;

	for (i = 0; i < 100; i++)
		ret = ret ?: ubt_post_recv(a, 0, 16, i);
	ret = ret ?: ubt_end_error(a);
	ret = ret ?: ubcore_unimport_jetty(a->peer);
	if (ret)
		return ret;
	a->peer = NULL;
	CHECK(run, ubcore_rearm_jfc(a->jfc, false) > 0);
	ret = ubcore_delete_jetty(a->jetty);
	if (ret)
		return ret;
	a->jetty = NULL;
	CHECK(run, !ubcore_rearm_jfc(a->jfc, false));
	CHECK(run, !ubcore_poll_jfc(a->jfc, 1, &cr));
	return run->why[0] ? -EINVAL : 0;
}

/* The other end goes while messages are under way. */
static int ubt_peer_goes(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret = 0, i;

	for (i = 0; i < 50; i++)
		ret = ret ?: ubt_post_recv(b, 0, 4000, i);
	ubt_wr_send(a, &w, 0, 4000);
	w.wr.flag.bs.complete_enable = 0;
	for (i = 0; i < 100; i++)
		ret = ret ?: ubt_post(a, &w);
	ret = ret ?: ubt_end_destroy(b);
	if (ret)
		return ret;
	/* One fails, and the jetty is suspended. */
	ret = ubt_collect(a, 2);
	if (ret)
		return ret;
	if (a->cr[0].status != UBCORE_CR_RNR_RETRY_CNT_EXC_ERR)
		CHECK(run, a->cr[0].status == UBCORE_CR_REM_OPERATION_ERR);
	CHECK(run, a->cr[1].status == UBCORE_CR_WR_SUSPEND_DONE);
	return run->why[0] ? -EINVAL : 0;
}

#define RC	{ .mode = UBCORE_TP_RC, .rnr_retry = 6 }
#define RM	{ .mode = UBCORE_TP_RM, .rnr_retry = 6 }

const struct ubt_case ubt_error_cases[] = {
	{ "bad_work_requests", ubt_bad_wr, UBT_BOUND, RC },
	{ "access_is_refused", ubt_access, UBT_BOUND, RC },
	{ "memory_is_refused", ubt_bad_memory, UBT_BOUND, RC },
	{ "no_buffer", ubt_no_buffer, UBT_BOUND, RC },
	{ "flush_at_error", ubt_flush, UBT_BOUND, RC },
	{ "flush_of_a_shared_queue", ubt_flush_shared, UBT_UNBOUND, RM },
	{ "purge_at_delete", ubt_purge, UBT_UNBOUND, RC },
	{ "peer_goes", ubt_peer_goes, UBT_BOUND, RC },
	{ }
};
