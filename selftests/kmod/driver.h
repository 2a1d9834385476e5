/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A driver of a UB device that does little, for tests: what its files share.
 *
 * It has a table of operations of its own, from which many are absent. The file
 * "fail" in debugfs takes the name of an operation, the next call of which fails
 * once; that of "null" returns NULL.
 */
#ifndef UB_TEST_DRIVER_H
#define UB_TEST_DRIVER_H

#include <linux/mm_types.h>

#include <ub/urma/ubcore_api.h>
#include <ub/urma/ubcore_opcode.h>
#include <ub/urma/ubcore_types.h>
#include <ub/urma/ubcore_uapi.h>

#define UBTD_DEPTH	128

/* Private commands of user space. */
#define UBTD_CTL_SUM	1	/* sums up the bytes of a segment, by token id */
#define UBTD_CTL_FILL	2	/* fills a segment with a byte */
#define UBTD_CTL_PAGES	3	/* best page size of a segment */

/**
 * struct ubtd_ctl - input of a private command
 * @token_id: segment
 * @value: byte to fill with
 */
struct ubtd_ctl {
	u32 token_id;
	u32 value;
};

/**
 * struct ubtd_uctx - a context
 * @uctx: what ubcore sees
 * @page: what it may map
 */
struct ubtd_uctx {
	struct ubcore_ucontext uctx;
	struct page *page;
};

/**
 * struct ubtd_seg - a registered segment
 * @tseg: what ubcore sees
 * @umem: its memory
 */
struct ubtd_seg {
	struct ubcore_target_seg tseg;
	struct ubcore_umem *umem;
};

/**
 * struct ubtd_dev - the device
 * @dev: what ubcore sees
 * @ids: numbers of objects; those of segments find them
 */
struct ubtd_dev {
	struct ubcore_device dev;
	struct xarray ids;
};

/* driver_main.c */
bool ubtd_fails(const char *op);
int ubtd_new_id(struct ubcore_device *dev, void *object, u32 *id);
void ubtd_free_id(struct ubcore_device *dev, u32 id);

/* driver_ops.c */
extern const struct ubcore_ops ubtd_ops;

#endif /* UB_TEST_DRIVER_H */
