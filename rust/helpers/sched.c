// SPDX-License-Identifier: GPL-2.0
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
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
