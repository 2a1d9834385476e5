/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel client of ubcore, for tests: what its files share.
 *
 * Each case is a file in debugfs. Reading it runs the case between two devices
 * and gives "ok", or "not ok" with the reason.
 */
#ifndef UB_TEST_CLIENT_H
#define UB_TEST_CLIENT_H

#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include <ub/urma/ubcore_api.h>
#include <ub/urma/ubcore_opcode.h>
#include <ub/urma/ubcore_types.h>
#include <ub/urma/ubcore_uapi.h>

#define UBT_MEM_BYTES	(512 << 10)	/* what peers may access */
#define UBT_BUF_BYTES	12240		/* what only its owner may access */
#define UBT_RECVS	255
#define UBT_SENDS	765
#define UBT_JFC_DEPTH	4096
#define UBT_MAX_CRS	1100
#define UBT_TOKEN	0x5eed1234

/**
 * struct ubt_dev - a device that the client was told of
 * @node: in the list of all
 * @dev: the device
 * @handler: wants its events
 * @events: events so far
 * @users: cases that use it; its removal waits for them
 */
struct ubt_dev {
	struct list_head node;
	struct ubcore_device *dev;
	struct ubcore_event_handler handler;
	atomic_t events;
	atomic_t users;
};

struct ubt_end;

/**
 * struct ubt_cfg - how an end is made
 * @mode: service
 * @rnr_retry: tries when the peer has no buffer
 * @max_inline: inline data in bytes
 * @on_cr: called for each completion, in softirq; without it they are polled
 */
struct ubt_cfg {
	enum ubcore_transport_mode mode;
	u8 rnr_retry;
	u32 max_inline;
	void (*on_cr)(struct ubt_end *end, const struct ubcore_cr *cr);
};

/**
 * struct ubt_end - one end of a connection
 * @on: device
 * @cfg: how it was made
 * @jfc: completions of both sides
 * @jfr: receive queue
 * @jetty: jetty
 * @peer: import of the other end
 * @mem: memory that peers may access
 * @buf: memory that they may not
 * @mem_seg: segment of @mem
 * @buf_seg: segment of @buf
 * @peer_seg: import of the peer's @mem_seg
 * @tasklet: polls when there are completions
 * @handled: calls of the completion handler
 * @post_in_handler: a work request that the completion handler posts once
 * @handler_error: what that gave
 * @lock: protects what follows
 * @got: entries of @cr
 * @cr: completions in their order
 * @private: of the case
 */
struct ubt_end {
	struct ubt_dev *on;
	struct ubt_cfg cfg;
	struct ubcore_jfc *jfc;
	struct ubcore_jfr *jfr;
	struct ubcore_jetty *jetty;
	struct ubcore_tjetty *peer;
	void *mem;
	void *buf;
	struct ubcore_target_seg *mem_seg;
	struct ubcore_target_seg *buf_seg;
	struct ubcore_target_seg *peer_seg;
	struct tasklet_struct tasklet;
	atomic_t handled;
	struct ubcore_jfs_wr *post_in_handler;
	int handler_error;
	/* Protects the completions. */
	spinlock_t lock;
	unsigned int got;
	struct ubcore_cr cr[UBT_MAX_CRS];
	void *private;
};

/**
 * struct ubt_run - a case that runs
 * @a: one end
 * @b: the other end
 * @dev: two devices; NULL for those that there are not
 * @why: why it failed
 */
struct ubt_run {
	struct ubt_end a;
	struct ubt_end b;
	struct ubt_dev *dev[2];
	char why[200];
};

enum ubt_setup {
	UBT_NONE,	/* no ends */
	UBT_UNBOUND,	/* both ends, imported */
	UBT_BOUND,	/* both ends, bound to each other */
};

/**
 * struct ubt_case - a case
 * @name: name of its file
 * @run: does it; returns 0 or an error
 * @setup: what it needs
 * @cfg: how its ends are made
 */
struct ubt_case {
	const char *name;
	int (*run)(struct ubt_run *run);
	enum ubt_setup setup;
	struct ubt_cfg cfg;
};

/* Ends with an entry without a name. */
extern const struct ubt_case ubt_basic_cases[];
extern const struct ubt_case ubt_context_cases[];
extern const struct ubt_case ubt_error_cases[];

/**
 * struct ubt_wr - a work request with its ranges
 * @wr: work request
 * @src: local ranges
 * @dst: remote ranges
 */
struct ubt_wr {
	struct ubcore_jfs_wr wr;
	struct ubcore_sge src[3];
	struct ubcore_sge dst[2];
};

/* client_main.c */
struct ubt_dev *ubt_dev_get(unsigned int index, const char *name);
void ubt_dev_put(struct ubt_dev *on);
extern struct ubcore_client ubt_client;
bool ubt_check(struct ubt_run *run, bool good, const char *what, int line);

#define CHECK(run, condition) \
	ubt_check(run, condition, #condition, __LINE__)

/* client_end.c */
int ubt_end_create(struct ubt_end *end, struct ubt_dev *on,
		   const struct ubt_cfg *cfg);
int ubt_end_import(struct ubt_end *end, const struct ubt_end *peer);
int ubt_end_destroy(struct ubt_end *end);
int ubt_end_error(struct ubt_end *end);
void ubt_wr_write(struct ubt_end *end, struct ubt_wr *w,
		  enum ubcore_opcode opcode, u32 from, u32 to, u32 len);
void ubt_wr_send(struct ubt_end *end, struct ubt_wr *w, u32 from, u32 len);
int ubt_post(struct ubt_end *end, struct ubt_wr *w);
int ubt_post_recv(struct ubt_end *end, u32 offset, u32 len, u64 user_ctx);
int ubt_collect(struct ubt_end *end, unsigned int wanted);
void ubt_pattern(void *to, u32 len, u8 seed);

/* client_echo.c */
void ubt_echo_files(struct dentry *dir);
void ubt_echo_stop(struct ubt_dev *on);

#endif /* UB_TEST_CLIENT_H */
