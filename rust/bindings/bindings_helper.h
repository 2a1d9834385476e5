/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header that bindgen reads: the interfaces of the UB modules, and the
 * kernel headers whose functions Kbuild lists in ub-kernel-*.
 */
#include <linux/anon_inodes.h>
#include <linux/cgroup_rdma.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>

#include <ub/urma/ubcore_api.h>
#include <ub/urma/ubcore_opcode.h>
#include <ub/urma/ubcore_types.h>
#include <ub/urma/ubcore_uapi.h>
#include <uapi/ub/ubsoft.h>
#include <uapi/ub/uburma.h>
#include <uapi/ub/uburma_cmds.h>

#include "../helpers/helpers.h"
