// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel client of ubcore, for tests: the devices that it knows, and the
 * files that run its cases.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "client.h"

/* One case runs at a time. */
static DEFINE_MUTEX(ubt_cases_lock);
/* Protects the list; innermost. */
static DEFINE_MUTEX(ubt_devices_lock);
static LIST_HEAD(ubt_devices);
static DECLARE_WAIT_QUEUE_HEAD(ubt_devices_wait);
static struct dentry *ubt_dir;

static const struct ubt_case *const ubt_cases[] = {
	ubt_basic_cases,
	ubt_context_cases,
	ubt_error_cases,
};

/**
 * ubt_dev_get() - keep a device from being removed
 * @index: which, in the order in which they came
 * @name: NULL, or count only that of this name
 *
 * Return: the device, or NULL.
 */
struct ubt_dev *ubt_dev_get(unsigned int index, const char *name)
{
	struct ubt_dev *on, *found = NULL;

	mutex_lock(&ubt_devices_lock);
	list_for_each_entry(on, &ubt_devices, node) {
		if (name && strcmp(on->dev->dev_name, name))
			continue;
		if (!index--) {
			atomic_inc(&on->users);
			found = on;
			break;
		}
	}
	mutex_unlock(&ubt_devices_lock);
	return found;
}

/**
 * ubt_dev_put() - let a device go
 * @on: device, or NULL
 */
void ubt_dev_put(struct ubt_dev *on)
{
	if (on && atomic_dec_and_test(&on->users))
		wake_up_all(&ubt_devices_wait);
}

/**
 * ubt_check() - note what is wrong with a case
 * @run: the case
 * @good: nothing
 * @what: what should be so
 * @line: where
 *
 * Return: @good.
 */
bool ubt_check(struct ubt_run *run, bool good, const char *what, int line)
{
	if (!good && !run->why[0])
		snprintf(run->why, sizeof(run->why), "line %d: %s", line, what);
	return good;
}

static int ubt_set_up(struct ubt_run *run, const struct ubt_case *test)
{
	int ret;

	if (test->setup == UBT_NONE)
		return 0;
	if (!run->dev[0] || !run->dev[1])
		return -ENODEV;
	ret = ubt_end_create(&run->a, run->dev[0], &test->cfg);
	ret = ret ?: ubt_end_create(&run->b, run->dev[1], &test->cfg);
	ret = ret ?: ubt_end_import(&run->a, &run->b);
	ret = ret ?: ubt_end_import(&run->b, &run->a);
	if (ret || test->setup != UBT_BOUND || test->cfg.mode != UBCORE_TP_RC)
		return ret;
	ret = ubcore_bind_jetty(run->a.jetty, run->a.peer, NULL);
	return ret ?: ubcore_bind_jetty(run->b.jetty, run->b.peer, NULL);
}

static int ubt_case_show(struct seq_file *file, void *unused)
{
	const struct ubt_case *test = file->private;
	struct ubt_run *run;
	int ret, gone;

	run = kvzalloc_obj(*run);
	if (!run)
		return -ENOMEM;
	mutex_lock(&ubt_cases_lock);
	run->dev[0] = ubt_dev_get(0, NULL);
	run->dev[1] = ubt_dev_get(1, NULL);
	ret = ubt_set_up(run, test);
	if (ret)
		strscpy(run->why, "the ends cannot be made");
	else
		ret = test->run(run);
	gone = ubt_end_destroy(&run->a);
	gone = ubt_end_destroy(&run->b) ?: gone;
	ubt_dev_put(run->dev[0]);
	ubt_dev_put(run->dev[1]);
	mutex_unlock(&ubt_cases_lock);
	if (!ret && !gone)
		seq_puts(file, "ok\n");
	else
		seq_printf(file, "not ok: %s (%d; end of it: %d)\n", run->why,
			   ret, gone);
	kvfree(run);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ubt_case);

/* How many devices there are: tests wait for those that come. */
static int ubt_count_show(struct seq_file *file, void *unused)
{
	mutex_lock(&ubt_devices_lock);
	seq_printf(file, "%zu\n", list_count_nodes(&ubt_devices));
	mutex_unlock(&ubt_devices_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ubt_count);

static void ubt_event(struct ubcore_event *event,
		      struct ubcore_event_handler *handler)
{
	struct ubt_dev *on = container_of(handler, struct ubt_dev, handler);

	atomic_inc(&on->events);
}

static int ubt_add(struct ubcore_device *dev);
static void ubt_remove(struct ubcore_device *dev, void *data);

struct ubcore_client ubt_client = {
	.list_node = LIST_HEAD_INIT(ubt_client.list_node),
	.client_name = "ub_test_client",
	.add = ubt_add,
	.remove = ubt_remove,
};

static int ubt_add(struct ubcore_device *dev)
{
	struct ubt_dev *on;
	int ret;

	if (dev->transport_type != UBCORE_TRANSPORT_UB || !dev->ops->post_jetty_send_wr)
		return -ENODEV;
	on = kzalloc_obj(*on);
	if (!on)
		return -ENOMEM;
	on->dev = dev;
	INIT_LIST_HEAD(&on->handler.node);
	on->handler.event_callback = ubt_event;
	ret = ubcore_register_event_handler(dev, &on->handler);
	if (ret) {
		kfree(on);
		return ret;
	}
	ubcore_set_client_ctx_data(dev, &ubt_client, on);
	mutex_lock(&ubt_devices_lock);
	list_add_tail(&on->node, &ubt_devices);
	mutex_unlock(&ubt_devices_lock);
	return 0;
}

static void ubt_remove(struct ubcore_device *dev, void *data)
{
	struct ubt_dev *on = data;

	WARN_ON(on->dev != dev);
	mutex_lock(&ubt_devices_lock);
	list_del(&on->node);
	mutex_unlock(&ubt_devices_lock);
	wait_event(ubt_devices_wait, !atomic_read(&on->users));
	ubt_echo_stop(on);
	ubcore_unregister_event_handler(dev, &on->handler);
	kfree(on);
}

static int __init ubt_init(void)
{
	const struct ubt_case *test;
	unsigned int i;
	int ret;

	ret = ubcore_register_client(&ubt_client);
	if (ret)
		return ret < -1 ? ret : -EINVAL;
	ubt_dir = debugfs_create_dir("ub_test_client", NULL);
	for (i = 0; i < ARRAY_SIZE(ubt_cases); i++) {
		for (test = ubt_cases[i]; test->name; test++)
			debugfs_create_file(test->name, 0400, ubt_dir,
					    (void *)test, &ubt_case_fops);
	}
	debugfs_create_file("devices", 0400, ubt_dir, NULL, &ubt_count_fops);
	ubt_echo_files(ubt_dir);
	return 0;
}
module_init(ubt_init);

static void __exit ubt_exit(void)
{
	debugfs_remove_recursive(ubt_dir);
	ubcore_unregister_client(&ubt_client);
}
module_exit(ubt_exit);

MODULE_AUTHOR("The UB for Linux authors");
MODULE_DESCRIPTION("Kernel client of UB devices, for tests");
MODULE_LICENSE("GPL");
