// SPDX-License-Identifier: GPL-2.0
#include <linux/export.h>
#include <linux/fault-inject-usercopy.h>
#include <linux/uaccess.h>
#include "helpers.h"

/* Copies of one word are subject to fault injection as others are. */

int ub_helper_get_user(u64 *word, u64 address, size_t size)
{
	const void __user *from = u64_to_user_ptr(address);

	if (should_fail_usercopy())
		return -EFAULT;
	switch (size) {
	case 1:
		return get_user(*word, (const u8 __user *)from);
	case 2:
		return get_user(*word, (const u16 __user *)from);
	case 4:
		return get_user(*word, (const u32 __user *)from);
	case 8:
		return get_user(*word, (const u64 __user *)from);
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_get_user, "uburma,ubsoft,ubagg");

int ub_helper_put_user(u64 address, u64 word, size_t size)
{
	void __user *to = u64_to_user_ptr(address);

	if (should_fail_usercopy())
		return -EFAULT;
	switch (size) {
	case 1:
		return put_user((u8)word, (u8 __user *)to);
	case 2:
		return put_user((u16)word, (u16 __user *)to);
	case 4:
		return put_user((u32)word, (u32 __user *)to);
	case 8:
		return put_user(word, (u64 __user *)to);
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_put_user, "uburma,ubsoft,ubagg");
