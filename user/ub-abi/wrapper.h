/* SPDX-License-Identifier: GPL-2.0 */
/* What bindgen reads. */
#include <ub/uburma.h>
#include <ub/uburma_cmds.h>
#include <ub/ubsoft.h>
