// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/export.h>
#include "helpers.h"

void ub_helper_dev_set_uevent_suppress(struct device *dev, bool suppress)
{
	dev_set_uevent_suppress(dev, suppress);
}
EXPORT_SYMBOL_FOR_MODULES(ub_helper_dev_set_uevent_suppress,
			  "uburma,ubsoft,ubagg");
