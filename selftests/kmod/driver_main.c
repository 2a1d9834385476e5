// SPDX-License-Identifier: GPL-2.0
/*
 * A driver of a UB device that does little, for tests: its device.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "driver.h"

static struct ubtd_dev *ubtd;
static struct dentry *ubtd_dir;
/* Protects the name of the operation that is to fail. */
static DEFINE_SPINLOCK(ubtd_fail_lock);
static char ubtd_fail[32];

/**
 * ubtd_fails() - whether an operation is to fail this time
 * @op: its name
 */
bool ubtd_fails(const char *op)
{
	bool fails;

	spin_lock(&ubtd_fail_lock);
	fails = !strcmp(ubtd_fail, op);
	if (fails)
		ubtd_fail[0] = 0;
	spin_unlock(&ubtd_fail_lock);
	return fails;
}

static ssize_t ubtd_fail_write(struct file *file, const char __user *from,
			       size_t len, loff_t *pos)
{
	char name[sizeof(ubtd_fail)] = {};

	if (len >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, from, len))
		return -EFAULT;
	spin_lock(&ubtd_fail_lock);
	strscpy(ubtd_fail, strim(name));
	spin_unlock(&ubtd_fail_lock);
	return len;
}

/* What is still to fail: empty when it has failed. */
static ssize_t ubtd_fail_read(struct file *file, char __user *to, size_t len,
			      loff_t *pos)
{
	char name[sizeof(ubtd_fail)];

	spin_lock(&ubtd_fail_lock);
	strscpy(name, ubtd_fail);
	spin_unlock(&ubtd_fail_lock);
	return simple_read_from_buffer(to, len, pos, name, strlen(name));
}

static const struct file_operations ubtd_fail_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = ubtd_fail_read,
	.write = ubtd_fail_write,
};

/**
 * ubtd_new_id() - give an object a number
 * @dev: device
 * @object: the object
 * @id: its number
 *
 * Return: 0 or an error.
 */
int ubtd_new_id(struct ubcore_device *dev, void *object, u32 *id)
{
	struct ubtd_dev *own = container_of(dev, struct ubtd_dev, dev);

	return xa_alloc(&own->ids, id, object, XA_LIMIT(1, 1 << 20), GFP_KERNEL);
}

/**
 * ubtd_free_id() - a number is free again
 * @dev: device
 * @id: the number
 */
void ubtd_free_id(struct ubcore_device *dev, u32 id)
{
	struct ubtd_dev *own = container_of(dev, struct ubtd_dev, dev);

	xa_erase(&own->ids, id);
}

static int ubtd_add_eid(struct ubcore_device *dev)
{
	struct ubcore_eid_info info = {
		.eid.raw = { 0xfd, 'u', 'b', 't', 'd', [15] = 1 },
	};
	struct ubcore_mgmt_event event = {
		.ub_dev = dev,
		.element.eid_info = &info,
		.event_type = UBCORE_MGMT_EVENT_EID_ADD,
	};

	return ubcore_dispatch_mgmt_event(&event);
}

static int __init ubtd_init(void)
{
	int ret;

	ubtd = kzalloc_obj(*ubtd);
	if (!ubtd)
		return -ENOMEM;
	xa_init_flags(&ubtd->ids, XA_FLAGS_ALLOC1);
	strscpy(ubtd->dev.dev_name, "ubtestdrv");
	ubtd->dev.ops = &ubtd_ops;
	ubtd->dev.transport_type = UBCORE_TRANSPORT_UB;
	ret = ubcore_register_device(&ubtd->dev);
	if (ret) {
		kfree(ubtd);
		return ret;
	}
	ret = ubtd_add_eid(&ubtd->dev);
	if (ret) {
		ubcore_unregister_device(&ubtd->dev);
		kfree(ubtd);
		return ret;
	}
	ubtd_dir = debugfs_create_dir("ub_test_driver", NULL);
	debugfs_create_file("fail", 0600, ubtd_dir, NULL, &ubtd_fail_fops);
	return 0;
}
module_init(ubtd_init);

static void __exit ubtd_exit(void)
{
	debugfs_remove_recursive(ubtd_dir);
	ubcore_unregister_device(&ubtd->dev);
	/* All objects are gone: ubcore has seen to that. */
	WARN_ON(!xa_empty(&ubtd->ids));
	xa_destroy(&ubtd->ids);
	kfree(ubtd);
}
module_exit(ubtd_exit);

MODULE_AUTHOR("The UB for Linux authors");
MODULE_DESCRIPTION("Driver of a UB device that does little, for tests");
MODULE_LICENSE("GPL");
