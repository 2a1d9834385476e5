/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ubcore offers to its clients. Process context, and may sleep, unless a
 * function says otherwise. A function that returns a pointer returns an
 * ERR_PTR() for an error, never NULL. Unless stated, a NULL argument or an
 * operation that the driver lacks gives -EINVAL.
 */
#ifndef UB_UBCORE_UAPI_H
#define UB_UBCORE_UAPI_H

#include <ub/urma/ubcore_types.h>

/**
 * ubcore_register_client() - call add() for every device, now and later
 * @client: client; valid until ubcore_unregister_client() returns
 *
 * Return: 0, or -1 for a missing name or callback.
 */
int ubcore_register_client(struct ubcore_client *client);

/**
 * ubcore_unregister_client() - call remove() for every device, and stop
 * @client: a registered client
 */
void ubcore_unregister_client(struct ubcore_client *client);

/**
 * ubcore_set_client_ctx_data() - store a client's own data of a device
 * @dev: device
 * @client: client; add() was called and remove() has not returned
 * @data: the data
 */
void ubcore_set_client_ctx_data(struct ubcore_device *dev,
				struct ubcore_client *client, void *data);

/**
 * ubcore_get_client_ctx_data() - what ubcore_set_client_ctx_data() stored
 * @dev: device
 * @client: client
 *
 * Return: the data, or NULL.
 */
void *ubcore_get_client_ctx_data(struct ubcore_device *dev,
				 struct ubcore_client *client);

/**
 * ubcore_register_event_handler() - receive the events of a device
 * @dev: device
 * @handler: handler; valid until it is unregistered
 */
int ubcore_register_event_handler(struct ubcore_device *dev,
				  struct ubcore_event_handler *handler);

/**
 * ubcore_unregister_event_handler() - undo it; no callback runs on return
 * @dev: device
 * @handler: handler
 */
void ubcore_unregister_event_handler(struct ubcore_device *dev,
				     struct ubcore_event_handler *handler);

/**
 * ubcore_get_device_by_eid() - find the device that has an EID
 * @eid: EID
 * @type: kind of fabric
 *
 * Return: a reference, to be given back by ubcore_put_device(), or NULL.
 */
struct ubcore_device *ubcore_get_device_by_eid(union ubcore_eid *eid,
					       enum ubcore_transport_type type);

/**
 * ubcore_put_device() - give a reference back
 * @dev: device; removal waits for the last reference
 */
void ubcore_put_device(struct ubcore_device *dev);

/* Each asks the driver; -EPERM is the driver's "no". */
int ubcore_query_device_attr(struct ubcore_device *dev,
			     struct ubcore_device_attr *attr);
int ubcore_query_device_status(struct ubcore_device *dev,
			       struct ubcore_device_status *status);
int ubcore_config_device(struct ubcore_device *dev,
			 struct ubcore_device_cfg *cfg);

/**
 * ubcore_get_eid_list() - the valid EIDs that the caller's namespace may use
 * @dev: device
 * @cnt: number of EIDs
 *
 * Return: an array for ubcore_free_eid_list(), NULL when there is none, or no
 * memory.
 */
struct ubcore_eid_info *ubcore_get_eid_list(struct ubcore_device *dev,
					    u32 *cnt);
void ubcore_free_eid_list(struct ubcore_eid_info *eid_list);

/**
 * ubcore_has_eid() - whether a device has an EID at an index, whoever may use it
 * @dev: device
 * @eid_index: index
 * @eid: EID
 */
bool ubcore_has_eid(struct ubcore_device *dev, u32 eid_index,
		    const union ubcore_eid *eid);

/**
 * ubcore_alloc_ucontext() - make a context for the calling user process
 * @dev: device
 * @eid_index: local EID
 * @udrv_data: what the user-space provider passed
 *
 * Charges one handle to the caller's rdma cgroup.
 *
 * Return: the context; -EINVAL for an index out of the table, -EPERM when the
 * caller's namespace may not use the device or the EID, -EAGAIN over the
 * cgroup's limit, or the driver's error.
 */
struct ubcore_ucontext *ubcore_alloc_ucontext(struct ubcore_device *dev,
					      u32 eid_index,
					      struct ubcore_udrv_priv *udrv_data);
void ubcore_free_ucontext(struct ubcore_device *dev,
			  struct ubcore_ucontext *uctx);

struct ubcore_token_id *ubcore_alloc_token_id(struct ubcore_device *dev,
					      union ubcore_token_id_flag flag,
					      struct ubcore_udata *udata);
/* -EBUSY while a segment uses it. */
int ubcore_free_token_id(struct ubcore_token_id *token_id);

/**
 * ubcore_register_seg() - register local memory
 * @dev: device
 * @cfg: the memory
 * @udata: user, or NULL
 *
 * A kernel client that gives no token id gets one of its own.
 *
 * Return: the segment; -EINVAL for access rights that contradict each other, a
 * bad EID index, an empty or wrapping range or a foreign token id; or the
 * driver's error.
 */
struct ubcore_target_seg *ubcore_register_seg(struct ubcore_device *dev,
					      struct ubcore_seg_cfg *cfg,
					      struct ubcore_udata *udata);
int ubcore_unregister_seg(struct ubcore_target_seg *tseg);
struct ubcore_target_seg *ubcore_import_seg(struct ubcore_device *dev,
					    struct ubcore_target_seg_cfg *cfg,
					    struct ubcore_udata *udata);
int ubcore_unimport_seg(struct ubcore_target_seg *tseg);

struct ubcore_jfc *ubcore_create_jfc(struct ubcore_device *dev,
				     struct ubcore_jfc_cfg *cfg,
				     ubcore_comp_callback_t jfce_handler,
				     ubcore_event_callback_t jfae_handler,
				     struct ubcore_udata *udata);
int ubcore_modify_jfc(struct ubcore_jfc *jfc, struct ubcore_jfc_attr *attr,
		      struct ubcore_udata *udata);
/* -EBUSY while a queue reports to it. A failed delete changes nothing. */
int ubcore_delete_jfc(struct ubcore_jfc *jfc);
/* All are checked before any is deleted; *@bad_jfc_index: the first that is left. */
int ubcore_delete_jfc_batch(struct ubcore_jfc **jfc_arr, int jfc_num,
			    int *bad_jfc_index);
/* Any context. */
int ubcore_rearm_jfc(struct ubcore_jfc *jfc, bool solicited_only);
/* Any context. Number of completions, or an error. */
int ubcore_poll_jfc(struct ubcore_jfc *jfc, int cr_cnt, struct ubcore_cr *cr);

/*
 * Staged creation: alloc, any number of set_opt, active; then the object is as
 * after a create. deactive goes back; free ends it. -EPERM to set an option of
 * an active object, -EINVAL to free or activate it, or for an option with a
 * wrong length; -EBUSY to deactivate or free what others use, and while another
 * call changes the object.
 *
 * alloc counts the uses of what the configuration names and checks nothing
 * else; active checks the rest, and that all of it is active. A failed call
 * changes nothing. The value of a BIND option is a pointer to the object, which
 * must have the same owner; its use is counted from then on, that of the one
 * before no more. get_opt takes as much room as the value needs, or more, up to
 * 4096 bytes, and must not run together with set_opt on the same object. Nobody
 * keeps USER_CTX. delete, modify, query, bind and work requests are for active
 * objects.
 */
int ubcore_alloc_jfc(struct ubcore_device *dev, struct ubcore_jfc_cfg *cfg,
		     ubcore_comp_callback_t jfce_handler,
		     ubcore_event_callback_t jfae_handler,
		     struct ubcore_jfc **jfc, struct ubcore_udata *udata);
int ubcore_set_jfc_opt(struct ubcore_jfc *jfc, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_active_jfc(struct ubcore_jfc *jfc, struct ubcore_udata *udata);
int ubcore_get_jfc_opt(struct ubcore_jfc *jfc, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_get_jfc_opt_by_id(struct ubcore_device *dev, u32 jfc_id, u64 opt,
			     void *buf, u32 len);
int ubcore_deactive_jfc(struct ubcore_jfc *jfc, struct ubcore_udata *udata);
int ubcore_free_jfc(struct ubcore_jfc *jfc, struct ubcore_udata *udata);

struct ubcore_jfs *ubcore_create_jfs(struct ubcore_device *dev,
				     struct ubcore_jfs_cfg *cfg,
				     ubcore_event_callback_t jfae_handler,
				     struct ubcore_udata *udata);
int ubcore_modify_jfs(struct ubcore_jfs *jfs, struct ubcore_jfs_attr *attr,
		      struct ubcore_udata *udata);
int ubcore_query_jfs(struct ubcore_jfs *jfs, struct ubcore_jfs_cfg *cfg,
		     struct ubcore_jfs_attr *attr);
int ubcore_flush_jfs(struct ubcore_jfs *jfs, int cr_cnt, struct ubcore_cr *cr);
int ubcore_delete_jfs(struct ubcore_jfs *jfs);
/* All are checked before any is deleted; *@bad_jfs_index: the first that is left. */
int ubcore_delete_jfs_batch(struct ubcore_jfs **jfs_arr, int jfs_num,
			    int *bad_jfs_index);

/*
 * Staged creation, as for completion queues.
 */
int ubcore_alloc_jfs(struct ubcore_device *dev, struct ubcore_jfs_cfg *cfg,
		     ubcore_event_callback_t jfae_handler,
		     struct ubcore_jfs **jfs, struct ubcore_udata *udata);
int ubcore_set_jfs_opt(struct ubcore_jfs *jfs, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_active_jfs(struct ubcore_jfs *jfs, struct ubcore_udata *udata);
int ubcore_get_jfs_opt(struct ubcore_jfs *jfs, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_get_jfs_opt_by_id(struct ubcore_device *dev, u32 jfs_id, u64 opt,
			     void *buf, u32 len);
int ubcore_deactive_jfs(struct ubcore_jfs *jfs, struct ubcore_udata *udata);
int ubcore_free_jfs(struct ubcore_jfs *jfs, struct ubcore_udata *udata);

struct ubcore_jfr *ubcore_create_jfr(struct ubcore_device *dev,
				     struct ubcore_jfr_cfg *cfg,
				     ubcore_event_callback_t jfae_handler,
				     struct ubcore_udata *udata);
int ubcore_modify_jfr(struct ubcore_jfr *jfr, struct ubcore_jfr_attr *attr,
		      struct ubcore_udata *udata);
int ubcore_query_jfr(struct ubcore_jfr *jfr, struct ubcore_jfr_cfg *cfg,
		     struct ubcore_jfr_attr *attr);
/* -EBUSY while a jetty receives from it. */
int ubcore_delete_jfr(struct ubcore_jfr *jfr);
/* All are checked before any is deleted; *@bad_jfr_index: the first that is left. */
int ubcore_delete_jfr_batch(struct ubcore_jfr **jfr_arr, int jfr_num,
			    int *bad_jfr_index);

/*
 * Staged creation, as for completion queues.
 */
int ubcore_alloc_jfr(struct ubcore_device *dev, struct ubcore_jfr_cfg *cfg,
		     ubcore_event_callback_t jfae_handler,
		     struct ubcore_jfr **jfr, struct ubcore_udata *udata);
int ubcore_set_jfr_opt(struct ubcore_jfr *jfr, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_active_jfr(struct ubcore_jfr *jfr, struct ubcore_udata *udata);
int ubcore_get_jfr_opt(struct ubcore_jfr *jfr, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_get_jfr_opt_by_id(struct ubcore_device *dev, u32 jfr_id, u64 opt,
			     void *buf, u32 len);
int ubcore_deactive_jfr(struct ubcore_jfr *jfr, struct ubcore_udata *udata);
int ubcore_free_jfr(struct ubcore_jfr *jfr, struct ubcore_udata *udata);

struct ubcore_jetty *ubcore_create_jetty(struct ubcore_device *dev,
					 struct ubcore_jetty_cfg *cfg,
					 ubcore_event_callback_t jfae_handler,
					 struct ubcore_udata *udata);
int ubcore_modify_jetty(struct ubcore_jetty *jetty,
			struct ubcore_jetty_attr *attr,
			struct ubcore_udata *udata);
int ubcore_query_jetty(struct ubcore_jetty *jetty,
		       struct ubcore_jetty_cfg *cfg,
		       struct ubcore_jetty_attr *attr);
int ubcore_flush_jetty(struct ubcore_jetty *jetty, int cr_cnt,
		       struct ubcore_cr *cr);
/* -EINVAL while it is bound. */
int ubcore_delete_jetty(struct ubcore_jetty *jetty);
/* All are checked before any is deleted; *@bad_jetty_index: the first that is left. */
int ubcore_delete_jetty_batch(struct ubcore_jetty **jetty_arr, int jetty_num,
			    int *bad_jetty_index);

/*
 * Staged creation, as for completion queues.
 */
int ubcore_alloc_jetty(struct ubcore_device *dev, struct ubcore_jetty_cfg *cfg,
		     ubcore_event_callback_t jfae_handler,
		     struct ubcore_jetty **jetty, struct ubcore_udata *udata);
int ubcore_set_jetty_opt(struct ubcore_jetty *jetty, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_active_jetty(struct ubcore_jetty *jetty, struct ubcore_udata *udata);
int ubcore_get_jetty_opt(struct ubcore_jetty *jetty, u64 opt, void *buf, u32 len,
		       struct ubcore_udata *udata);
int ubcore_get_jetty_opt_by_id(struct ubcore_device *dev, u32 jetty_id, u64 opt,
			     void *buf, u32 len);
int ubcore_deactive_jetty(struct ubcore_jetty *jetty, struct ubcore_udata *udata);
int ubcore_free_jetty(struct ubcore_jetty *jetty, struct ubcore_udata *udata);

struct ubcore_jetty_group *ubcore_create_jetty_grp(struct ubcore_device *dev,
						   struct ubcore_jetty_grp_cfg *cfg,
						   ubcore_event_callback_t jfae_handler,
						   struct ubcore_udata *udata);
/* -EBUSY while it has members. */
int ubcore_delete_jetty_grp(struct ubcore_jetty_group *jetty_grp);

/*
 * A reference to an active object by its number, or NULL. A delete, or a
 * deactive, waits until it is given back.
 */
struct ubcore_jfc *ubcore_find_get_jfc(struct ubcore_device *dev, u32 jfc_id);
struct ubcore_jfs *ubcore_find_get_jfs(struct ubcore_device *dev, u32 jfs_id);
struct ubcore_jfr *ubcore_find_get_jfr(struct ubcore_device *dev, u32 jfr_id);
struct ubcore_jetty *ubcore_find_get_jetty(struct ubcore_device *dev,
					   u32 jetty_id);
void ubcore_put_jfc(struct ubcore_jfc *jfc);
void ubcore_put_jfs(struct ubcore_jfs *jfs);
void ubcore_put_jfr(struct ubcore_jfr *jfr);
void ubcore_put_jetty(struct ubcore_jetty *jetty);

/**
 * ubcore_import_jfr() - import a remote receive queue
 * @dev: device
 * @cfg: the queue
 * @udata: user, or NULL
 *
 * A driver without this operation gets a transport path that the core chooses:
 * one for all imports of the same peer and kind.
 *
 * Return: the import; -EINVAL for a mode other than RM and UM or a bad
 * configuration, -ENOSPC when the driver has no path, or the driver's error.
 */
struct ubcore_tjetty *ubcore_import_jfr(struct ubcore_device *dev,
					struct ubcore_tjetty_cfg *cfg,
					struct ubcore_udata *udata);
/* All-zero handles in @active_tp_cfg: the core chooses, as above. */
struct ubcore_tjetty *ubcore_import_jfr_ex(struct ubcore_device *dev,
					   struct ubcore_tjetty_cfg *cfg,
					   struct ubcore_active_tp_cfg *active_tp_cfg,
					   struct ubcore_udata *udata);
int ubcore_unimport_jfr(struct ubcore_tjetty *tjfr);
struct ubcore_tjetty *ubcore_import_jetty(struct ubcore_device *dev,
					  struct ubcore_tjetty_cfg *cfg,
					  struct ubcore_udata *udata);
struct ubcore_tjetty *ubcore_import_jetty_ex(struct ubcore_device *dev,
					     struct ubcore_tjetty_cfg *cfg,
					     struct ubcore_active_tp_cfg *active_tp_cfg,
					     struct ubcore_udata *udata);
/* -EBUSY while a jetty is bound to it. */
int ubcore_unimport_jetty(struct ubcore_tjetty *tjetty);
int ubcore_bind_jetty(struct ubcore_jetty *jetty, struct ubcore_tjetty *tjetty,
		      struct ubcore_udata *udata);
int ubcore_bind_jetty_ex(struct ubcore_jetty *jetty,
			 struct ubcore_tjetty *tjetty,
			 struct ubcore_active_tp_cfg *active_tp_cfg,
			 struct ubcore_udata *udata);
int ubcore_unbind_jetty(struct ubcore_jetty *jetty);

/**
 * ubcore_import_jetty_async() - start importing a remote jetty
 * @dev: device
 * @cfg: the jetty
 * @timeout: milliseconds until it fails with -ETIMEDOUT; 0: the core's own
 * @cb: what to call at the end
 * @udata: user, or NULL
 *
 * The private data of @udata is used during the call. The transport path is set
 * up after it, unless the driver chooses paths itself or lacks @connect_tjetty
 * of struct ubcore_ops. Until @cb is called the import is in use: what would
 * change it gives -EBUSY. @cb is called once, with -EIO if the device goes away
 * first; removal of the device and ubcore_unregister_client() wait for that.
 *
 * Return: the import, usable once @cb has been called with status 0; an
 * ERR_PTR(): @cb is not called and still the caller's. To be undone by
 * ubcore_unimport_jetty_async() or ubcore_unimport_jetty() in either case.
 */
struct ubcore_tjetty *ubcore_import_jetty_async(struct ubcore_device *dev,
						struct ubcore_tjetty_cfg *cfg,
						int timeout,
						struct ubcore_import_cb *cb,
						struct ubcore_udata *udata);
/*
 * These three as well: an error says that @cb is not called; until it is called
 * the objects are in use. The driver gets no private data for the binding.
 */
int ubcore_unimport_jetty_async(struct ubcore_tjetty *tjetty, int timeout,
				struct ubcore_unimport_cb *cb);
int ubcore_bind_jetty_async(struct ubcore_jetty *jetty,
			    struct ubcore_tjetty *tjetty, int timeout,
			    struct ubcore_bind_cb *cb,
			    struct ubcore_udata *udata);
int ubcore_unbind_jetty_async(struct ubcore_jetty *jetty, int timeout,
			      struct ubcore_unbind_cb *cb);

/**
 * ubcore_get_tp_list() - transport paths to a peer
 * @dev: device
 * @cfg: what is wanted
 * @tp_cnt: room in @tp_list on entry, paths on return
 * @tp_list: the paths
 * @udata: user, or NULL
 */
int ubcore_get_tp_list(struct ubcore_device *dev, struct ubcore_get_tp_cfg *cfg,
		       u32 *tp_cnt, struct ubcore_tp_info *tp_list,
		       struct ubcore_udata *udata);

/* @tp_attr_bitmap says which members of @tp_attr are meant, @tp_attr_cnt how many. */
int ubcore_set_tp_attr(struct ubcore_device *dev, u64 tp_handle, u8 tp_attr_cnt,
		       u32 tp_attr_bitmap, struct ubcore_tp_attr_value *tp_attr,
		       struct ubcore_udata *udata);
int ubcore_get_tp_attr(struct ubcore_device *dev, u64 tp_handle,
		       u8 *tp_attr_cnt, u32 *tp_attr_bitmap,
		       struct ubcore_tp_attr_value *tp_attr,
		       struct ubcore_udata *udata);

/**
 * ubcore_exchange_tp_info() - tell the peer about a transport path, and learn
 *	about its own
 * @dev: device
 * @cfg: the path wanted
 * @active_tp_cfg: local handle and first sequence number; the peer's are filled
 * @tjetty_cfg: what the path is for, or NULL
 * @udata: user, or NULL
 *
 * Return: 0; -ENOENT for a handle that is not of this device and pair of EIDs,
 * -EHOSTUNREACH when no device of this host has the peer's EID, -ENOSPC when
 * the peer has no path left.
 */
int ubcore_exchange_tp_info(struct ubcore_device *dev,
			    struct ubcore_get_tp_cfg *cfg,
			    struct ubcore_active_tp_cfg *active_tp_cfg,
			    struct ubcore_tjetty_cfg *tjetty_cfg,
			    struct ubcore_udata *udata);

/*
 * Each asks the driver. When it has no such operation the answer is -EINVAL,
 * but -EOPNOTSUPP of ubcore_get_dmac().
 */
int ubcore_get_eid_by_ip(struct ubcore_device *dev,
			 struct ubcore_net_addr *net_addr,
			 union ubcore_eid *eid);
int ubcore_get_ip_by_eid(struct ubcore_device *dev, union ubcore_eid *eid,
			 struct ubcore_net_addr *net_addr);
int ubcore_get_smac(struct ubcore_device *dev, u8 *mac);
int ubcore_get_dmac(struct ubcore_device *dev, struct ubcore_net_addr *net_addr,
		    u8 *mac);

/**
 * ubcore_get_path_set() - the physical paths between two bonding devices
 * @src_bonding_eid: EID of the local one
 * @dst_bonding_eid: EID of the remote one
 * @tp_type: kind of transport path
 * @iodie_level: paths between dies rather than between ports
 * @path_set: the paths
 *
 * Return: 0, or -EINVAL when no topology is known.
 */
int ubcore_get_path_set(union ubcore_eid *src_bonding_eid,
			union ubcore_eid *dst_bonding_eid,
			enum ubcore_tp_type tp_type, bool iodie_level,
			struct ubcore_path_set *path_set);

/* A command of the driver's own; its result is returned unchanged. */
int ubcore_user_control(struct ubcore_device *dev,
			struct ubcore_user_ctl *k_user_ctl);

/*
 * Any context. On an error *@bad_wr is the first work request that was not
 * accepted; those before it were.
 */
int ubcore_post_jfs_wr(struct ubcore_jfs *jfs, struct ubcore_jfs_wr *wr,
		       struct ubcore_jfs_wr **bad_wr);
int ubcore_post_jfr_wr(struct ubcore_jfr *jfr, struct ubcore_jfr_wr *wr,
		       struct ubcore_jfr_wr **bad_wr);
int ubcore_post_jetty_send_wr(struct ubcore_jetty *jetty,
			      struct ubcore_jfs_wr *wr,
			      struct ubcore_jfs_wr **bad_wr);
int ubcore_post_jetty_recv_wr(struct ubcore_jetty *jetty,
			      struct ubcore_jfr_wr *wr,
			      struct ubcore_jfr_wr **bad_wr);

#endif /* UB_UBCORE_UAPI_H */
