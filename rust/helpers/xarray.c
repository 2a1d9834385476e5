// SPDX-License-Identifier: GPL-2.0
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/xarray.h>
#include "helpers.h"

/* xa_init_flags() with a lock class of the caller's own. */
void ub_helper_xa_init(struct xarray *xa, gfp_t flags, const char *name,
		       struct lock_class_key *key)
{
	xa_init_flags(xa, flags);
	lockdep_set_class_and_name(&xa->xa_lock, key, name);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_xa_init, "uburma,ubsoft,ubagg");
