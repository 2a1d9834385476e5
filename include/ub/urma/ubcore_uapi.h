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
/* Any context. */
int ubcore_rearm_jfc(struct ubcore_jfc *jfc, bool solicited_only);
/* Any context. Number of completions, or an error. */
int ubcore_poll_jfc(struct ubcore_jfc *jfc, int cr_cnt, struct ubcore_cr *cr);

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
