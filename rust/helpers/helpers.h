/* SPDX-License-Identifier: GPL-2.0 */
/*
 * C helpers for the Rust code of the UB modules.
 *
 * Rust cannot call static inline functions and macros. Each helper wraps one
 * of them and holds no policy. They are linked into ubcore.ko and exported to
 * the other UB modules only.
 */
#ifndef _UB_HELPERS_H
#define _UB_HELPERS_H

#include <linux/types.h>

struct device;
struct mm_struct;
struct net;
struct ns_common;
struct page;
struct task_struct;

/* device.c */
void ub_helper_dev_set_uevent_suppress(struct device *dev, bool suppress);

/* mm.c */
void *ub_helper_kmalloc(size_t size, bool account);
int ub_helper_mm_users(const struct mm_struct *mm);
s64 ub_helper_mm_pinned_add(struct mm_struct *mm, s64 pages);
unsigned long ub_helper_rlimit_memlock(void);
struct mm_struct *ub_helper_pin_charge(s64 pages, bool *within);
size_t ub_helper_page_run(struct page *const *pages, size_t n, void **address);
void ub_helper_unpin_pages(void *address, size_t n, bool dirty);
void ub_helper_page_addresses(unsigned long *slots, size_t n);
void ub_helper_unpin_addresses(const unsigned long *addresses, size_t n,
			       bool dirty);
void ub_helper_pages_at(void *address, struct page **pages, size_t n);
struct mm_struct *ub_helper_current_mm(void);
vm_fault_t ub_helper_insert_page(struct vm_fault *vmf, void *page);
phys_addr_t ub_helper_virt_to_phys(void *address);
void ub_helper_check_access(const void *address, size_t len, bool write);
bool ub_helper_is_kernel_range(const void *start, size_t len);

/* net.c */
struct net *ub_helper_current_net(void);
struct net *ub_helper_init_net(void);
void ub_helper_get_net(struct net *net);
void ub_helper_put_net(struct net *net);
void ub_helper_net_passive_get(struct net *net);
void ub_helper_net_passive_put(struct net *net);
const struct ns_common *ub_helper_net_to_ns_common(struct net *net);

/* sched.c */
bool ub_helper_fatal_signal_pending(void);
bool ub_helper_need_resched(void);
void ub_helper_cond_resched(void);
void ub_helper_synchronize_rcu_tasks(void);
bool ub_helper_may_sleep(void);
bool ub_helper_irqs_disabled(void);
void ub_helper_local_bh_disable(void);
void ub_helper_local_bh_enable(void);
struct task_struct *ub_helper_thread_create(int (*run)(void *data), void *data,
					    const char *name);
int ub_helper_thread_stop(struct task_struct *thread);
void ub_helper_give_way(void);

/* uaccess.c */
int ub_helper_get_user(u64 *word, u64 address, size_t size);
int ub_helper_get_u32(u32 *word, u64 address);
int ub_helper_get_u64(u64 *word, u64 address);
int ub_helper_put_user(u64 address, u64 word, size_t size);
int ub_helper_put_u32(u64 address, u32 word);
int ub_helper_put_u64(u64 address, u64 word);
int ub_helper_read_words(void *words, u64 address, size_t n);
int ub_helper_write_words(u64 address, const void *words, size_t n);

#endif /* _UB_HELPERS_H */
