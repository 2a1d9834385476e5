// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/io.h>
#include <linux/kasan-checks.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "helpers.h"

void *ub_helper_kmalloc(size_t size, bool account)
{
	return kmalloc(size, account ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_kmalloc, "uburma,ubsoft,ubagg");

int ub_helper_mm_users(const struct mm_struct *mm)
{
	return atomic_read(&mm->mm_users);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_mm_users, "uburma,ubsoft,ubagg");

s64 ub_helper_mm_pinned_add(struct mm_struct *mm, s64 pages)
{
	return atomic64_add_return(pages, &mm->pinned_vm);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_mm_pinned_add, "uburma,ubsoft,ubagg");

unsigned long ub_helper_rlimit_memlock(void)
{
	return rlimit(RLIMIT_MEMLOCK);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_rlimit_memlock, "uburma,ubsoft,ubagg");

/*
 * Counts pages as pinned in the address space of the caller, which is grabbed;
 * tells whether that is within the limit.
 */
struct mm_struct *ub_helper_pin_charge(s64 pages, bool *within)
{
	struct mm_struct *mm = current->mm;
	s64 total;

	if (!mm)
		return NULL;
	mmgrab(mm);
	total = atomic64_add_return(pages, &mm->pinned_vm);
	*within = total >= 0 && total <= rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	return mm;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_pin_charge, "uburma,ubsoft,ubagg");

/* How many of the pages, at least one, follow each other, and from where on. */
size_t ub_helper_page_run(struct page *const *pages, size_t n, void **address)
{
	size_t i = 1;

	*address = page_address(pages[0]);
	if (IS_ENABLED(CONFIG_SPARSEMEM) && !IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP)) {
		while (i < n && page_to_pfn(pages[i]) ==
				page_to_pfn(pages[0]) + i)
			i++;
	} else {
		while (i < n && pages[i] == pages[0] + i)
			i++;
	}
	return i;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_page_run, "uburma,ubsoft,ubagg");

void ub_helper_unpin_pages(void *address, size_t n, bool dirty)
{
	unpin_user_page_range_dirty_lock(virt_to_page(address), n, dirty);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_unpin_pages, "uburma,ubsoft,ubagg");

/* Turns pointers to pages into the addresses of the pages, in place. */
void ub_helper_page_addresses(unsigned long *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		slots[i] = (unsigned long)page_address((struct page *)slots[i]);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_page_addresses, "uburma,ubsoft,ubagg");

/* Unpins single pages by their addresses. */
void ub_helper_unpin_addresses(const unsigned long *addresses, size_t n,
			       bool dirty)
{
	struct page *pages[32];

	while (n) {
		size_t some = min(n, ARRAY_SIZE(pages));

		for (size_t i = 0; i < some; i++)
			pages[i] = virt_to_page((void *)addresses[i]);
		unpin_user_pages_dirty_lock(pages, some, dirty);
		addresses += some;
		n -= some;
	}
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_unpin_addresses, "uburma,ubsoft,ubagg");

void ub_helper_pages_at(void *address, struct page **pages, size_t n)
{
	bool is_virtual = is_vmalloc_addr(address);

	for (size_t i = 0; i < n; i++, address += PAGE_SIZE)
		pages[i] = is_virtual ? vmalloc_to_page(address) :
					virt_to_page(address);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_pages_at, "uburma,ubsoft,ubagg");

struct mm_struct *ub_helper_current_mm(void)
{
	return current->mm;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_current_mm, "uburma,ubsoft,ubagg");

/* Does for assembler what the compiler does for C code. */
void ub_helper_check_access(const void *address, size_t len, bool write)
{
#ifdef CONFIG_KASAN
	if (write)
		__kasan_check_write(address, len);
	else
		__kasan_check_read(address, len);
#endif
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_check_access, "uburma,ubsoft,ubagg");

/* Memory that the kernel maps: all pages of it, no address of a user or device. */
bool ub_helper_is_kernel_range(const void *start, size_t len)
{
	const void *page = (const void *)((unsigned long)start & PAGE_MASK);

	for (; page < start + len; page += PAGE_SIZE) {
		if (is_vmalloc_or_module_addr(page) ? !vmalloc_to_page(page) :
						      !virt_addr_valid(page))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_is_kernel_range, "uburma,ubsoft,ubagg");

phys_addr_t ub_helper_virt_to_phys(void *address)
{
	return virt_to_phys(address);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_virt_to_phys, "uburma,ubsoft,ubagg");

/* Maps a page of the direct map where a fault happened. */
vm_fault_t ub_helper_insert_page(struct vm_fault *vmf, void *page)
{
	return vmf_insert_pfn(vmf->vma, vmf->address,
			      page_to_pfn(virt_to_page(page)));
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_insert_page, "uburma,ubsoft,ubagg");
