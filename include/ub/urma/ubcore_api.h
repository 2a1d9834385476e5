/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ubcore offers to device drivers. Process context, and may sleep, unless
 * a function says otherwise.
 */
#ifndef UB_UBCORE_API_H
#define UB_UBCORE_API_H

#include <ub/urma/ubcore_types.h>

/**
 * ubcore_register_device() - make a device known
 * @dev: device, with the driver's fields filled
 *
 * Calls the driver's query_device_attr() and config_device(), creates the
 * sysfs entry and calls add() of every client.
 *
 * Return: 0; -EINVAL for a bad name or capability, -EEXIST when the name is
 * taken, -EPERM when the driver refuses its configuration, -ENOMEM.
 */
int ubcore_register_device(struct ubcore_device *dev);

/**
 * ubcore_unregister_device() - take a device away
 * @dev: a registered device
 *
 * Users are not waited for: their contexts are disassociated. Returns when
 * nobody uses @dev any more; the driver may then free it.
 */
void ubcore_unregister_device(struct ubcore_device *dev);

/**
 * ubcore_stop_requests() - tell clients to stop posting
 * @dev: a registered device that is about to be reset or removed
 */
void ubcore_stop_requests(struct ubcore_device *dev);

/**
 * ubcore_dispatch_async_event() - report an event of the device
 * @event: the event; copied
 *
 * Any context but NMI. Handlers run later, in process context, in order.
 * Events of objects (JFC, JFS, JFR, jetty) go to the jfae_handler of the
 * object instead.
 */
void ubcore_dispatch_async_event(struct ubcore_event *event);

/**
 * ubcore_dispatch_mgmt_event() - report a change of the EID table
 * @event: the change
 *
 * Return: 0; -EINVAL for an index out of the table or an empty EID, -EEXIST
 * for an EID that the table has already, -ENOENT for an empty entry.
 */
int ubcore_dispatch_mgmt_event(struct ubcore_mgmt_event *event);

/**
 * ubcore_umem_get() - pin memory of the calling process
 * @dev: device that will use it
 * @va: user address
 * @len: bytes
 * @flag: how
 *
 * The pages count against RLIMIT_MEMLOCK of the caller.
 *
 * Return: the memory, for ubcore_umem_release(); -EINVAL for an empty or
 * wrapping range or without a user, -EPERM for one who may not lock memory,
 * -ENOMEM over the limit, -EFAULT for an address that is not mapped so.
 */
struct ubcore_umem *ubcore_umem_get(struct ubcore_device *dev, u64 va, u64 len,
				    union ubcore_umem_flag flag);
/* Any process context, also of another process. NULL and ERR_PTR() are allowed. */
void ubcore_umem_release(struct ubcore_umem *umem);

/**
 * ubcore_umem_find_best_page_size() - largest page size that fits pinned memory
 * @umem: memory
 * @page_size_bitmap: sizes that the device has, or-ed; PAGE_SIZE among them
 * @va: address at which the device will see it
 *
 * Return: the size, 0 when none fits.
 */
u64 ubcore_umem_find_best_page_size(struct ubcore_umem *umem,
				    u64 page_size_bitmap, u64 va);

/**
 * ubcore_get_mtu() - largest UB MTU that fits a network device's
 * @netdev_mtu: bytes
 *
 * A packet has 172 bytes beside its payload: IPv6 40, UDP 8, transport and
 * transaction 120, checksum 4.
 *
 * Return: the MTU, 0 when none fits.
 */
enum ubcore_mtu ubcore_get_mtu(int netdev_mtu);

struct ubcore_doorbell;

/**
 * struct ubcore_doorbell_ops - what a driver does when a user rings
 * @ring: @cmd is the ioctl number, @arg its 64-bit argument. Called in the
 *	context of the user, may sleep
 */
struct ubcore_doorbell_ops {
	long (*ring)(void *priv, unsigned int cmd, u64 arg);
};

/**
 * ubcore_create_doorbell() - make a file by which a user rings
 * @ops: what to do; valid until ubcore_revoke_doorbell() returns
 * @priv: handed to @ops
 * @fd: the file descriptor that it will have in the calling process
 *
 * The file belongs to ubcore: it does not keep the driver's module. Its ioctl
 * takes a 64-bit value as argument, from a 32-bit process a pointer to one.
 * Nobody can use the file before ubcore_publish_doorbell().
 *
 * Return: the doorbell or an ERR_PTR().
 */
struct ubcore_doorbell *ubcore_create_doorbell(const struct ubcore_doorbell_ops *ops,
					       void *priv, int *fd);

/**
 * ubcore_publish_doorbell() - let the calling process use a doorbell
 * @doorbell: as created, by the same process
 *
 * Cannot fail, and cannot be undone but by ubcore_revoke_doorbell().
 */
void ubcore_publish_doorbell(struct ubcore_doorbell *doorbell);

/**
 * ubcore_revoke_doorbell() - no ring after this
 * @doorbell: created, published or not
 *
 * Waits for rings in progress, and drops @doorbell. A later ring gives -EIO.
 */
void ubcore_revoke_doorbell(struct ubcore_doorbell *doorbell);

#endif /* UB_UBCORE_API_H */
