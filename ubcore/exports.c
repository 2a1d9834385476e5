// SPDX-License-Identifier: GPL-2.0
/*
 * What the core offers to other modules. The functions are in Rust, in c_api/,
 * so their exports cannot follow them.
 */
#include <linux/export.h>

#include <ub/urma/ubcore_api.h>
#include <ub/urma/ubcore_uapi.h>

#define EXPORT EXPORT_SYMBOL_GPL

/* For drivers. */
EXPORT(ubcore_register_device);
EXPORT(ubcore_unregister_device);
EXPORT(ubcore_stop_requests);
EXPORT(ubcore_dispatch_async_event);
EXPORT(ubcore_dispatch_mgmt_event);
EXPORT(ubcore_umem_get);
EXPORT(ubcore_umem_release);
EXPORT(ubcore_umem_find_best_page_size);
EXPORT(ubcore_get_mtu);
EXPORT(ubcore_create_doorbell);
EXPORT(ubcore_publish_doorbell);
EXPORT(ubcore_revoke_doorbell);

/* For clients. */
EXPORT(ubcore_register_client);
EXPORT(ubcore_unregister_client);
EXPORT(ubcore_set_client_ctx_data);
EXPORT(ubcore_get_client_ctx_data);
EXPORT(ubcore_register_event_handler);
EXPORT(ubcore_unregister_event_handler);
EXPORT(ubcore_get_device_by_eid);
EXPORT(ubcore_put_device);
EXPORT(ubcore_query_device_attr);
EXPORT(ubcore_query_device_status);
EXPORT(ubcore_config_device);
EXPORT(ubcore_get_eid_list);
EXPORT(ubcore_has_eid);
EXPORT(ubcore_free_eid_list);
EXPORT(ubcore_alloc_ucontext);
EXPORT(ubcore_free_ucontext);
EXPORT(ubcore_alloc_token_id);
EXPORT(ubcore_free_token_id);
EXPORT(ubcore_register_seg);
EXPORT(ubcore_unregister_seg);
EXPORT(ubcore_import_seg);
EXPORT(ubcore_unimport_seg);
EXPORT(ubcore_create_jfc);
EXPORT(ubcore_modify_jfc);
EXPORT(ubcore_delete_jfc);
EXPORT(ubcore_alloc_jfc);
EXPORT(ubcore_set_jfc_opt);
EXPORT(ubcore_active_jfc);
EXPORT(ubcore_get_jfc_opt);
EXPORT(ubcore_get_jfc_opt_by_id);
EXPORT(ubcore_deactive_jfc);
EXPORT(ubcore_free_jfc);
EXPORT(ubcore_find_get_jfc);
EXPORT(ubcore_put_jfc);
EXPORT(ubcore_delete_jfc_batch);
EXPORT(ubcore_rearm_jfc);
EXPORT(ubcore_poll_jfc);
EXPORT(ubcore_create_jfs);
EXPORT(ubcore_modify_jfs);
EXPORT(ubcore_query_jfs);
EXPORT(ubcore_flush_jfs);
EXPORT(ubcore_delete_jfs);
EXPORT(ubcore_alloc_jfs);
EXPORT(ubcore_set_jfs_opt);
EXPORT(ubcore_active_jfs);
EXPORT(ubcore_get_jfs_opt);
EXPORT(ubcore_get_jfs_opt_by_id);
EXPORT(ubcore_deactive_jfs);
EXPORT(ubcore_free_jfs);
EXPORT(ubcore_find_get_jfs);
EXPORT(ubcore_put_jfs);
EXPORT(ubcore_delete_jfs_batch);
EXPORT(ubcore_create_jfr);
EXPORT(ubcore_modify_jfr);
EXPORT(ubcore_query_jfr);
EXPORT(ubcore_delete_jfr);
EXPORT(ubcore_alloc_jfr);
EXPORT(ubcore_set_jfr_opt);
EXPORT(ubcore_active_jfr);
EXPORT(ubcore_get_jfr_opt);
EXPORT(ubcore_get_jfr_opt_by_id);
EXPORT(ubcore_deactive_jfr);
EXPORT(ubcore_free_jfr);
EXPORT(ubcore_find_get_jfr);
EXPORT(ubcore_put_jfr);
EXPORT(ubcore_delete_jfr_batch);
EXPORT(ubcore_create_jetty);
EXPORT(ubcore_modify_jetty);
EXPORT(ubcore_query_jetty);
EXPORT(ubcore_flush_jetty);
EXPORT(ubcore_delete_jetty);
EXPORT(ubcore_alloc_jetty);
EXPORT(ubcore_set_jetty_opt);
EXPORT(ubcore_active_jetty);
EXPORT(ubcore_get_jetty_opt);
EXPORT(ubcore_get_jetty_opt_by_id);
EXPORT(ubcore_deactive_jetty);
EXPORT(ubcore_free_jetty);
EXPORT(ubcore_find_get_jetty);
EXPORT(ubcore_put_jetty);
EXPORT(ubcore_delete_jetty_batch);
EXPORT(ubcore_create_jetty_grp);
EXPORT(ubcore_delete_jetty_grp);
EXPORT(ubcore_import_jfr);
EXPORT(ubcore_import_jfr_ex);
EXPORT(ubcore_unimport_jfr);
EXPORT(ubcore_import_jetty);
EXPORT(ubcore_import_jetty_ex);
EXPORT(ubcore_unimport_jetty);
EXPORT(ubcore_import_jetty_async);
EXPORT(ubcore_unimport_jetty_async);
EXPORT(ubcore_bind_jetty_async);
EXPORT(ubcore_unbind_jetty_async);
EXPORT(ubcore_bind_jetty);
EXPORT(ubcore_bind_jetty_ex);
EXPORT(ubcore_unbind_jetty);
EXPORT(ubcore_get_tp_list);
EXPORT(ubcore_set_tp_attr);
EXPORT(ubcore_get_tp_attr);
EXPORT(ubcore_exchange_tp_info);
EXPORT(ubcore_get_eid_by_ip);
EXPORT(ubcore_get_ip_by_eid);
EXPORT(ubcore_get_smac);
EXPORT(ubcore_get_dmac);
EXPORT(ubcore_get_path_set);
EXPORT(ubcore_user_control);
EXPORT(ubcore_post_jfs_wr);
EXPORT(ubcore_post_jfr_wr);
EXPORT(ubcore_post_jetty_send_wr);
EXPORT(ubcore_post_jetty_recv_wr);
