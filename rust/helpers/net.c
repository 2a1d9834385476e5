// SPDX-License-Identifier: GPL-2.0
#include <linux/export.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <net/net_namespace.h>
#include "helpers.h"

/* NULL once an exiting task has left its namespaces. */
struct net *ub_helper_current_net(void)
{
	return current->nsproxy ? current->nsproxy->net_ns : NULL;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_current_net, "uburma,ubsoft,ubagg");

struct net *ub_helper_init_net(void)
{
	return &init_net;
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_init_net, "uburma,ubsoft,ubagg");

void ub_helper_get_net(struct net *net)
{
	get_net(net);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_get_net, "uburma,ubsoft,ubagg");

void ub_helper_put_net(struct net *net)
{
	put_net(net);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_put_net, "uburma,ubsoft,ubagg");

/* References that keep the memory of a namespace, not the namespace. */
void ub_helper_net_passive_get(struct net *net)
{
	net_passive_inc(net);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_net_passive_get, "uburma,ubsoft,ubagg");

void ub_helper_net_passive_put(struct net *net)
{
	/* net_passive_dec() is not exported; without namespaces it is NULL. */
	if (net_ns_type_operations.drop_ns)
		net_ns_type_operations.drop_ns(to_ns_common(net));
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_net_passive_put, "uburma,ubsoft,ubagg");

const struct ns_common *ub_helper_net_to_ns_common(struct net *net)
{
	return to_ns_common(net);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_net_to_ns_common, "uburma,ubsoft,ubagg");
