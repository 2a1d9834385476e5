// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel client of ubcore, for tests: the cases about contexts in which
 * clients post and poll: with interrupts off, in timers and tasklets, inside
 * of their own completion handlers.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/timer.h>

#include "client.h"

#define ROUNDS	500
#define LEN	512

/**
 * struct ubt_traffic - an end that sends from softirq
 * @end: the end
 * @timer: sends a message
 * @left: messages to send
 * @received: messages received
 * @sent: messages sent
 * @failed: what went wrong
 */
struct ubt_traffic {
	struct ubt_end *end;
	struct timer_list timer;
	atomic_t left;
	atomic_t received;
	atomic_t sent;
	atomic_t failed;
};

static void ubt_send_one(struct ubt_traffic *t)
{
	struct ubt_wr w;

	if (atomic_dec_if_positive(&t->left) < 0)
		return;
	ubt_wr_send(t->end, &w, 0, LEN);
	if (ubt_post(t->end, &w))
		atomic_inc(&t->failed);
}

static void ubt_timer(struct timer_list *timer)
{
	struct ubt_traffic *t = timer_container_of(t, timer, timer);
	int i;

	if (!in_serving_softirq())
		atomic_inc(&t->failed);
	for (i = 0; i < 3; i++)
		ubt_send_one(t);
	if (atomic_read(&t->left) > 0)
		mod_timer(timer, jiffies + 1);
}

/* In the tasklet: a received message is answered, its buffer posted again. */
static void ubt_traffic_cr(struct ubt_end *end, const struct ubcore_cr *cr)
{
	struct ubt_traffic *t = end->private;
	unsigned long flags;

	if (cr->status != UBCORE_CR_SUCCESS || !in_serving_softirq()) {
		atomic_inc(&t->failed);
		return;
	}
	if (cr->user_data != (uintptr_t)end->jetty)
		atomic_inc(&t->failed);
	if (!cr->flag.bs.s_r) {
		atomic_inc(&t->sent);
		return;
	}
	atomic_inc(&t->received);
	local_irq_save(flags);
	if (ubt_post_recv(end, cr->user_ctx * LEN, LEN, cr->user_ctx))
		atomic_inc(&t->failed);
	ubt_send_one(t);
	local_irq_restore(flags);
}

static bool ubt_is_over(struct ubt_traffic *one, struct ubt_traffic *two)
{
	return atomic_read(&one->sent) >= ROUNDS &&
	       atomic_read(&two->sent) >= ROUNDS &&
	       atomic_read(&one->received) >= ROUNDS &&
	       atomic_read(&two->received) >= ROUNDS;
}

static int ubt_softirq(struct ubt_run *run)
{
	struct ubt_traffic one = { .end = &run->a }, two = { .end = &run->b };
	unsigned long end_time = jiffies + 40 * HZ;
	unsigned long flags;
	int ret = 0, i;

	run->a.private = &one;
	run->b.private = &two;
	ubt_pattern(run->a.buf + 20 * LEN, LEN, 8);
	for (i = 0; i < 20; i++) {
		local_irq_save(flags);
		ret = ret ?: ubt_post_recv(&run->a, i * LEN, LEN, i);
		ret = ret ?: ubt_post_recv(&run->b, i * LEN, LEN, i);
		local_irq_restore(flags);
	}
	if (ret)
		return ret;
	atomic_set(&one.left, ROUNDS);
	atomic_set(&two.left, ROUNDS);
	timer_setup_on_stack(&one.timer, ubt_timer, 0);
	timer_setup_on_stack(&two.timer, ubt_timer, 0);
	mod_timer(&one.timer, jiffies + 1);
	mod_timer(&two.timer, jiffies + 1);
	while (!ubt_is_over(&one, &two) && time_before(jiffies, end_time))
		msleep(20);
	timer_delete_sync(&one.timer);
	timer_delete_sync(&two.timer);
	timer_destroy_on_stack(&one.timer);
	timer_destroy_on_stack(&two.timer);
	CHECK(run, ubt_is_over(&one, &two));
	CHECK(run, !atomic_read(&one.failed) && !atomic_read(&two.failed));
	CHECK(run, atomic_read(&one.sent) == ROUNDS);
	CHECK(run, atomic_read(&two.received) == ROUNDS);
	/* The tasklets refer to what is on this stack. */
	tasklet_disable(&run->a.tasklet);
	tasklet_disable(&run->b.tasklet);
	run->a.cfg.on_cr = NULL;
	run->b.cfg.on_cr = NULL;
	tasklet_enable(&run->a.tasklet);
	tasklet_enable(&run->b.tasklet);
	tasklet_kill(&run->a.tasklet);
	tasklet_kill(&run->b.tasklet);
	return run->why[0] ? -EINVAL : 0;
}

/* All buffers at once with interrupts off; the queue has an end. */
static int ubt_recv_irqs_off(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	unsigned long flags;
	struct ubt_wr w;
	int ret = 0, i, posted = 0;

	local_irq_save(flags);
	for (i = 0; i < 2 * UBT_RECVS && !ret; i++) {
		ret = ubt_post_recv(b, (i % 100) * 100, 100, i);
		posted += !ret;
	}
	local_irq_restore(flags);
	CHECK(run, ret == -ENOSPC);
	CHECK(run, posted >= UBT_RECVS && posted < 2 * UBT_RECVS);
	for (i = 0; i < 3; i++) {
		ubt_wr_send(a, &w, 0, 100);
		local_irq_save(flags);
		ret = ubt_post(a, &w);
		local_irq_restore(flags);
		if (ret)
			return ret;
	}
	ret = ubt_collect(a, 3) ?: ubt_collect(b, 3);
	if (ret)
		return ret;
	for (i = 0; i < 3; i++)
		CHECK(run, b->cr[i].user_ctx == i);
	/* There is room again. */
	CHECK(run, !ubt_post_recv(b, 0, 100, 9));
	return run->why[0] ? -EINVAL : 0;
}

static int ubt_poll_irqs_off(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubcore_cr cr[2];
	unsigned long flags;
	struct ubt_wr w;
	int ret, i, count;

	for (i = 0; i < 3; i++) {
		ret = ubt_post_recv(b, 0, 100, i);
		ubt_wr_send(a, &w, 0, 100);
		w.wr.user_ctx = i;
		ret = ret ?: ubt_post(a, &w);
		if (ret)
			return ret;
	}
	ret = ubt_collect(b, 3);
	if (ret)
		return ret;
	/* Those of the sender are there when those of the receiver are, or soon. */
	msleep(100);
	local_irq_save(flags);
	count = ubcore_poll_jfc(a->jfc, 0, cr);
	CHECK(run, !count);
	count = ubcore_poll_jfc(a->jfc, 2, cr);
	CHECK(run, count == 2 && !cr[0].user_ctx && cr[1].user_ctx == 1);
	CHECK(run, ubcore_rearm_jfc(a->jfc, false) > 0);
	count = ubcore_poll_jfc(a->jfc, 2, cr);
	CHECK(run, count == 1 && cr[0].user_ctx == 2);
	CHECK(run, !ubcore_rearm_jfc(a->jfc, false));
	CHECK(run, !ubcore_poll_jfc(a->jfc, 2, cr));
	local_irq_restore(flags);
	return run->why[0] ? -EINVAL : 0;
}

/* One event for each time that it was asked for. */
static int ubt_rearm(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret = 0, i;

	for (i = 0; i < 6; i++)
		ret = ret ?: ubt_post_recv(b, 0, 100, i);
	ubt_wr_send(a, &w, 0, 100);
	ret = ret ?: ubt_post(a, &w);
	ret = ret ?: ubt_post(a, &w);
	ret = ret ?: ubt_collect(b, 2);
	if (ret)
		return ret;
	CHECK(run, atomic_read(&b->handled) == 1);
	CHECK(run, !ubcore_rearm_jfc(b->jfc, true));
	ret = ubt_post(a, &w) ?: ubt_collect(b, 3);
	if (ret)
		return ret;
	CHECK(run, atomic_read(&b->handled) == 1);
	w.wr.flag.bs.solicited_enable = 1;
	ret = ubt_post(a, &w) ?: ubt_collect(b, 4);
	if (ret)
		return ret;
	/* The event comes after the completion can be polled. */
	for (i = 0; i < 100 && atomic_read(&b->handled) != 2; i++)
		msleep(20);
	CHECK(run, atomic_read(&b->handled) == 2);
	return run->why[0] ? -EINVAL : 0;
}

static int ubt_moderate(struct ubt_end *end, u16 count, u16 period)
{
	struct ubcore_jfc_attr attr = {
		.mask = UBCORE_JFC_MODERATE_COUNT | UBCORE_JFC_MODERATE_PERIOD,
		.moderate_count = count,
		.moderate_period = period,
	};

	return ubcore_modify_jfc(end->jfc, &attr, NULL);
}

/* Whether the handler is called until it has been so often. */
static bool ubt_is_handled(struct ubt_end *end, int times)
{
	int i;

	for (i = 0; i < 100 && atomic_read(&end->handled) != times; i++)
		msleep(20);
	return atomic_read(&end->handled) == times;
}

/* Events are put off, by count and by time; the last one for ever. */
static int ubt_moderation(struct ubt_run *run)
{
	struct ubcore_jfc_attr attr = { .mask = 4 };
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w;
	int ret = 0, i;

	for (i = 0; i < 10; i++)
		ret = ret ?: ubt_post_recv(b, 0, 100, i);
	ubt_wr_send(a, &w, 0, 100);
	CHECK(run, ubcore_modify_jfc(b->jfc, &attr, NULL) == -EINVAL);
	ret = ret ?: ubt_moderate(b, 3, 0);
	ret = ret ?: ubt_post(a, &w) ?: ubt_post(a, &w) ?: ubt_collect(b, 2);
	if (ret)
		return ret;
	CHECK(run, !atomic_read(&b->handled));
	ret = ubt_post(a, &w) ?: ubt_collect(b, 3);
	if (ret)
		return ret;
	CHECK(run, ubt_is_handled(b, 1));
	/* What has been polled in time is not told. */
	ret = ubt_moderate(b, 0, 65000);
	CHECK(run, !ubcore_rearm_jfc(b->jfc, false));
	ret = ret ?: ubt_post(a, &w) ?: ubt_collect(b, 4);
	msleep(200);
	CHECK(run, atomic_read(&b->handled) == 1);
	/* What has not is, although nobody asks again. */
	ret = ret ?: ubt_post(a, &w);
	CHECK(run, ubt_is_handled(b, 2));
	/* Also what was there when it was asked for. */
	CHECK(run, ubcore_rearm_jfc(b->jfc, false) > 0);
	CHECK(run, ubt_is_handled(b, 3));
	ret = ret ?: ubt_collect(b, 5);
	/* The time is not over when the queue goes. */
	CHECK(run, !ubcore_rearm_jfc(b->jfc, false));
	ret = ret ?: ubt_post(a, &w) ?: ubt_collect(a, 6);
	return ret ?: run->why[0] ? -EINVAL : 0;
}

/* Both ends sleep until enough has come, or the time is over. */
static int ubt_softirq_moderated(struct ubt_run *run)
{
	return ubt_moderate(&run->a, 8, 500) ?: ubt_moderate(&run->b, 0, 50) ?:
	       ubt_softirq(run);
}

/* The handler of each end posts, which runs into the other's, and its own. */
static int ubt_post_in_handler(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr first, answer, again;
	int ret = 0, i;

	for (i = 0; i < 3; i++) {
		ret = ret ?: ubt_post_recv(a, 0, 100, i);
		ret = ret ?: ubt_post_recv(b, 0, 100, i);
	}
	ubt_wr_send(b, &answer, 0, 100);
	ubt_wr_send(a, &again, 0, 100);
	b->post_in_handler = &answer.wr;
	a->post_in_handler = &again.wr;
	ubt_wr_send(a, &first, 0, 100);
	ret = ret ?: ubt_post(a, &first);
	/* Each has two sends or one, and what the other sent. */
	ret = ret ?: ubt_collect(a, 3);
	ret = ret ?: ubt_collect(b, 3);
	if (ret)
		return ret;
	CHECK(run, !a->handler_error && !b->handler_error);
	CHECK(run, !a->post_in_handler && !b->post_in_handler);
	for (i = 0; i < 3; i++) {
		CHECK(run, a->cr[i].status == UBCORE_CR_SUCCESS);
		CHECK(run, b->cr[i].status == UBCORE_CR_SUCCESS);
	}
	return run->why[0] ? -EINVAL : 0;
}

/* A sender waits for a buffer, which is posted with interrupts off. */
static int ubt_late_buffer(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	unsigned long flags;
	struct ubt_wr w;
	int ret;

	ubt_wr_send(a, &w, 0, 100);
	ret = ubt_post(a, &w);
	msleep(30);
	local_irq_save(flags);
	ret = ret ?: ubt_post_recv(b, 0, 100, 4);
	local_irq_restore(flags);
	ret = ret ?: ubt_collect(a, 1);
	ret = ret ?: ubt_collect(b, 1);
	if (ret)
		return ret;
	CHECK(run, a->cr[0].status == UBCORE_CR_SUCCESS);
	CHECK(run, b->cr[0].status == UBCORE_CR_SUCCESS);
	CHECK(run, b->cr[0].user_ctx == 4);
	return run->why[0] ? -EINVAL : 0;
}

/* More than is carried out at once, while interrupts are off. */
static int ubt_large(struct ubt_run *run)
{
	struct ubt_end *a = &run->a, *b = &run->b;
	struct ubt_wr w[3];
	unsigned long flags;
	int ret = 0, i;

	/* From what peers may access too: it is the larger one. */
	ubt_pattern(a->mem, UBT_MEM_BYTES, 6);
	for (i = 0; i < 3; i++) {
		ubt_wr_write(a, &w[i], UBCORE_OPC_WRITE, 0, 0, UBT_MEM_BYTES);
		w[i].src[0].addr = (uintptr_t)a->mem;
		w[i].src[0].tseg = a->mem_seg;
		local_irq_save(flags);
		ret = ret ?: ubt_post(a, &w[i]);
		local_irq_restore(flags);
	}
	ret = ret ?: ubt_collect(a, 3);
	if (ret)
		return ret;
	for (i = 0; i < 3; i++)
		CHECK(run, a->cr[i].status == UBCORE_CR_SUCCESS);
	CHECK(run, !memcmp(a->mem, b->mem, UBT_MEM_BYTES));
	return run->why[0] ? -EINVAL : 0;
}

#define RC	{ .mode = UBCORE_TP_RC, .rnr_retry = 7 }
#define RC_TASKLET \
	{ .mode = UBCORE_TP_RC, .rnr_retry = 7, .on_cr = ubt_traffic_cr }
#define RM_TASKLET \
	{ .mode = UBCORE_TP_RM, .rnr_retry = 7, .on_cr = ubt_traffic_cr }

const struct ubt_case ubt_context_cases[] = {
	{ "traffic_from_softirq", ubt_softirq, UBT_BOUND, RC_TASKLET },
	{ "traffic_from_softirq_rm", ubt_softirq, UBT_BOUND, RM_TASKLET },
	{ "post_recv_with_interrupts_off", ubt_recv_irqs_off, UBT_BOUND, RC },
	{ "poll_with_interrupts_off", ubt_poll_irqs_off, UBT_BOUND, RC },
	{ "rearm", ubt_rearm, UBT_BOUND, RC },
	{ "moderation", ubt_moderation, UBT_BOUND, RC },
	{ "moderated_in_softirq", ubt_softirq_moderated, UBT_BOUND,
	  RM_TASKLET },
	{ "post_in_handler", ubt_post_in_handler, UBT_BOUND, RC },
	{ "buffer_comes_late", ubt_late_buffer, UBT_BOUND, RC },
	{ "large_writes_with_interrupts_off", ubt_large, UBT_BOUND, RC },
	{ }
};
