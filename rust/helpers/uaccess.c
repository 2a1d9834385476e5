// SPDX-License-Identifier: GPL-2.0
#include <linux/export.h>
#include <linux/fault-inject-usercopy.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
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
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_get_user, "uburma,ubsoft,ubagg");

int ub_helper_get_u32(u32 *word, u64 address)
{
	const u32 __user *from = u64_to_user_ptr(address);
	u32 value;

	if (should_fail_usercopy())
		return -EFAULT;
	might_fault();
	if (!user_read_access_begin(from, sizeof(*from)))
		return -EFAULT;
	unsafe_get_user(value, from, fault);
	user_read_access_end();
	*word = value;
	return 0;

fault:
	user_read_access_end();
	return -EFAULT;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_get_u32, "uburma,ubsoft,ubagg");

int ub_helper_get_u64(u64 *word, u64 address)
{
	const u64 __user *from = u64_to_user_ptr(address);
	u64 value;

	if (should_fail_usercopy())
		return -EFAULT;
	might_fault();
	if (!user_read_access_begin(from, sizeof(*from)))
		return -EFAULT;
	unsafe_get_user(value, from, fault);
	user_read_access_end();
	*word = value;
	return 0;

fault:
	user_read_access_end();
	return -EFAULT;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_get_u64, "uburma,ubsoft,ubagg");

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
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_put_user, "uburma,ubsoft,ubagg");

int ub_helper_put_u32(u64 address, u32 word)
{
	u32 __user *to = u64_to_user_ptr(address);

	if (should_fail_usercopy())
		return -EFAULT;
	might_fault();
	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(word, to, fault);
	user_write_access_end();
	return 0;

fault:
	user_write_access_end();
	return -EFAULT;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_put_u32, "uburma,ubsoft,ubagg");

int ub_helper_put_u64(u64 address, u64 word)
{
	u64 __user *to = u64_to_user_ptr(address);

	if (should_fail_usercopy())
		return -EFAULT;
	might_fault();
	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(word, to, fault);
	user_write_access_end();
	return 0;

fault:
	user_write_access_end();
	return -EFAULT;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_put_u64, "uburma,ubsoft,ubagg");

/*
 * Copies of a few words, without the set-up of a copy of any length. The
 * kernel's side may lie anywhere.
 */

int ub_helper_read_words(void *words, u64 address, size_t n)
{
	const u64 __user *from = u64_to_user_ptr(address);
	size_t i;

	if (should_fail_usercopy())
		return -EFAULT;
	might_fault();
	if (!user_read_access_begin(from, n * sizeof(u64)))
		return -EFAULT;
	/* Mostly pairs, and many of them. */
	for (i = 0; i + 3 < n; i += 4) {
		u64 a, b, c, d;

		unsafe_get_user(a, &from[i], fault);
		unsafe_get_user(b, &from[i + 1], fault);
		unsafe_get_user(c, &from[i + 2], fault);
		unsafe_get_user(d, &from[i + 3], fault);
		put_unaligned(a, (u64 *)words + i);
		put_unaligned(b, (u64 *)words + i + 1);
		put_unaligned(c, (u64 *)words + i + 2);
		put_unaligned(d, (u64 *)words + i + 3);
	}
	for (; i < n; i++) {
		u64 word;

		unsafe_get_user(word, &from[i], fault);
		put_unaligned(word, (u64 *)words + i);
	}
	user_read_access_end();
	return 0;

fault:
	user_read_access_end();
	return -EFAULT;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_read_words, "uburma,ubsoft,ubagg");

int ub_helper_write_words(u64 address, const void *words, size_t n)
{
	u64 __user *to = u64_to_user_ptr(address);
	size_t i;

	if (should_fail_usercopy())
		return -EFAULT;
	might_fault();
	if (!user_write_access_begin(to, n * sizeof(u64)))
		return -EFAULT;
	for (i = 0; i < n; i++)
		unsafe_put_user(get_unaligned((const u64 *)words + i), &to[i],
				fault);
	user_write_access_end();
	return 0;

fault:
	user_write_access_end();
	return -EFAULT;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_write_words, "uburma,ubsoft,ubagg");
