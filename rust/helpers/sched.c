// SPDX-License-Identifier: GPL-2.0
#include <linux/bottom_half.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "helpers.h"

bool ub_helper_fatal_signal_pending(void)
{
	return fatal_signal_pending(current);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_fatal_signal_pending,
			  "uburma,ubsoft,ubagg");

bool ub_helper_need_resched(void)
{
	return need_resched();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_need_resched, "uburma,ubsoft,ubagg");

void ub_helper_cond_resched(void)
{
	cond_resched();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_cond_resched, "uburma,ubsoft,ubagg");

/* Waits for tasks that were preempted inside of a function. */
void ub_helper_synchronize_rcu_tasks(void)
{
	synchronize_rcu_tasks();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_synchronize_rcu_tasks,
			  "uburma,ubsoft,ubagg");

bool ub_helper_may_sleep(void)
{
	return preemptible() && !rcu_preempt_depth();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_may_sleep, "uburma,ubsoft,ubagg");

bool ub_helper_irqs_disabled(void)
{
	return irqs_disabled();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_irqs_disabled, "uburma,ubsoft,ubagg");

void ub_helper_local_bh_disable(void)
{
	local_bh_disable();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_local_bh_disable, "uburma,ubsoft,ubagg");

void ub_helper_local_bh_enable(void)
{
	local_bh_enable();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_local_bh_enable, "uburma,ubsoft,ubagg");

/* A thread with the nice value and the processors of the caller. */
struct task_struct *ub_helper_thread_create(int (*run)(void *data), void *data,
					    const char *name)
{
	struct task_struct *thread = kthread_create(run, data, "%s", name);
	int err;

	if (IS_ERR(thread))
		return thread;
	set_user_nice(thread, task_nice(current));
	/* Otherwise it sets itself free from them when it begins. */
	err = kthread_affine_preferred(thread, current->cpus_ptr);
	if (err) {
		kthread_stop(thread);
		return ERR_PTR(err);
	}
	get_task_struct(thread);
	wake_up_process(thread);
	return thread;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_thread_create, "uburma,ubsoft,ubagg");

int ub_helper_thread_stop(struct task_struct *thread)
{
	return kthread_stop_put(thread);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_thread_stop, "uburma,ubsoft,ubagg");

void ub_helper_give_way(void)
{
	cond_resched_tasks_rcu_qs();
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_give_way, "uburma,ubsoft,ubagg");
