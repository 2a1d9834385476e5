/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Commands of the uburma character devices and their attributes.
 *
 * Framing, structures and flag words are in <ub/uburma.h>.  The documentation
 * of an attribute begins with the type of its value; an attribute of structure
 * type holds the whole structure.  "opt" marks inputs that may be missing and
 * count as zero then; all other inputs are required.  Every output may be
 * missing and is skipped then.  Outputs are written when the command has
 * succeeded, but for those of the batch commands.
 */
#ifndef _UAPI_UB_UBURMA_CMDS_H
#define _UAPI_UB_UBURMA_CMDS_H

/**
 * enum uburma_cmd - commands of a device file
 * @UBURMA_CMD_CREATE_CTX: bind the open file to an EID
 * @UBURMA_CMD_ALLOC_TOKEN_ID: allocate a token id
 * @UBURMA_CMD_FREE_TOKEN_ID: free a token id
 * @UBURMA_CMD_REGISTER_SEG: register memory as a segment
 * @UBURMA_CMD_UNREGISTER_SEG: take a segment away
 * @UBURMA_CMD_IMPORT_SEG: import a remote segment
 * @UBURMA_CMD_UNIMPORT_SEG: forget an imported segment
 * @UBURMA_CMD_CREATE_JFS: create a JFS
 * @UBURMA_CMD_MODIFY_JFS: change the state of a JFS
 * @UBURMA_CMD_QUERY_JFS: read configuration and state of a JFS
 * @UBURMA_CMD_DELETE_JFS: destroy a JFS
 * @UBURMA_CMD_CREATE_JFR: create a JFR
 * @UBURMA_CMD_MODIFY_JFR: change threshold or state of a JFR
 * @UBURMA_CMD_QUERY_JFR: read configuration and state of a JFR
 * @UBURMA_CMD_DELETE_JFR: destroy a JFR
 * @UBURMA_CMD_CREATE_JFC: create a JFC
 * @UBURMA_CMD_MODIFY_JFC: change event moderation of a JFC
 * @UBURMA_CMD_DELETE_JFC: destroy a JFC
 * @UBURMA_CMD_CREATE_JFCE: create a completion event channel
 * @UBURMA_CMD_IMPORT_JFR: import a remote JFR
 * @UBURMA_CMD_UNIMPORT_JFR: forget an imported JFR
 * @UBURMA_CMD_CREATE_JETTY: create a jetty
 * @UBURMA_CMD_MODIFY_JETTY: change threshold or state of a jetty
 * @UBURMA_CMD_QUERY_JETTY: read configuration and state of a jetty
 * @UBURMA_CMD_DELETE_JETTY: destroy a jetty
 * @UBURMA_CMD_IMPORT_JETTY: import a remote jetty
 * @UBURMA_CMD_UNIMPORT_JETTY: forget an imported jetty
 * @UBURMA_CMD_ADVISE_JFR: reserved
 * @UBURMA_CMD_UNADVISE_JFR: reserved
 * @UBURMA_CMD_ADVISE_JETTY: reserved
 * @UBURMA_CMD_UNADVISE_JETTY: reserved
 * @UBURMA_CMD_BIND_JETTY: bind an RC jetty to an imported one
 * @UBURMA_CMD_UNBIND_JETTY: unbind an RC jetty
 * @UBURMA_CMD_CREATE_JETTY_GRP: create a jetty group
 * @UBURMA_CMD_DESTROY_JETTY_GRP: destroy a jetty group
 * @UBURMA_CMD_USER_CTL: private control call of a driver
 * @UBURMA_CMD_GET_EID_LIST: list the EIDs of the device
 * @UBURMA_CMD_GET_NETADDR_LIST: list the network addresses of the device
 * @UBURMA_CMD_MODIFY_TP: change a transport path
 * @UBURMA_CMD_QUERY_DEV_ATTR: read the attributes of the device
 * @UBURMA_CMD_IMPORT_JETTY_ASYNC: import a remote jetty, result by notification
 * @UBURMA_CMD_UNIMPORT_JETTY_ASYNC: forget a jetty imported that way
 * @UBURMA_CMD_BIND_JETTY_ASYNC: bind an RC jetty, result by notification
 * @UBURMA_CMD_UNBIND_JETTY_ASYNC: unbind a jetty bound that way
 * @UBURMA_CMD_CREATE_NOTIFIER: create a notification channel
 * @UBURMA_CMD_GET_TP_LIST: list transport paths to a peer
 * @UBURMA_CMD_IMPORT_JETTY_EX: import a remote jetty over a given path
 * @UBURMA_CMD_IMPORT_JFR_EX: import a remote JFR over a given path
 * @UBURMA_CMD_BIND_JETTY_EX: bind an RC jetty over a given path
 * @UBURMA_CMD_DELETE_JFS_BATCH: destroy many JFSs
 * @UBURMA_CMD_DELETE_JFR_BATCH: destroy many JFRs
 * @UBURMA_CMD_DELETE_JFC_BATCH: destroy many JFCs
 * @UBURMA_CMD_DELETE_JETTY_BATCH: destroy many jettys
 * @UBURMA_CMD_SET_TP_ATTR: set attributes of a transport path
 * @UBURMA_CMD_GET_TP_ATTR: read attributes of a transport path
 * @UBURMA_CMD_EXCHANGE_TP_INFO: ask the peer for its side of a path
 * @UBURMA_CMD_GET_EID_BY_IP: find the EID of an IP address
 * @UBURMA_CMD_GET_IP_BY_EID: find the IP address of an EID
 * @UBURMA_CMD_GET_SMAC: read the local MAC address
 * @UBURMA_CMD_GET_DMAC: find the MAC address of a peer
 * @UBURMA_CMD_ALLOC_JFC: create a JFC, stage one
 * @UBURMA_CMD_FREE_JFC: free a JFC
 * @UBURMA_CMD_SET_JFC_OPT: set an option of a JFC
 * @UBURMA_CMD_GET_JFC_OPT: read an option of a JFC
 * @UBURMA_CMD_ACTIVE_JFC: create a JFC, stage two
 * @UBURMA_CMD_DEACTIVE_JFC: stop a JFC
 * @UBURMA_CMD_ALLOC_JFR: create a JFR, stage one
 * @UBURMA_CMD_FREE_JFR: free a JFR
 * @UBURMA_CMD_SET_JFR_OPT: set an option of a JFR
 * @UBURMA_CMD_GET_JFR_OPT: read an option of a JFR
 * @UBURMA_CMD_ACTIVE_JFR: create a JFR, stage two
 * @UBURMA_CMD_DEACTIVE_JFR: stop a JFR
 * @UBURMA_CMD_ALLOC_JFS: create a JFS, stage one
 * @UBURMA_CMD_FREE_JFS: free a JFS
 * @UBURMA_CMD_SET_JFS_OPT: set an option of a JFS
 * @UBURMA_CMD_GET_JFS_OPT: read an option of a JFS
 * @UBURMA_CMD_ACTIVE_JFS: create a JFS, stage two
 * @UBURMA_CMD_DEACTIVE_JFS: stop a JFS
 * @UBURMA_CMD_ALLOC_JETTY: create a jetty, stage one
 * @UBURMA_CMD_FREE_JETTY: free a jetty
 * @UBURMA_CMD_SET_JETTY_OPT: set an option of a jetty
 * @UBURMA_CMD_GET_JETTY_OPT: read an option of a jetty
 * @UBURMA_CMD_ACTIVE_JETTY: create a jetty, stage two
 * @UBURMA_CMD_DEACTIVE_JETTY: stop a jetty
 * @UBURMA_CMD_GET_JFCE_CNT: count event channels
 *
 * UBURMA_CMD_CREATE_CTX, UBURMA_CMD_GET_EID_LIST, UBURMA_CMD_QUERY_DEV_ATTR and
 * UBURMA_CMD_GET_JFCE_CNT can be used on a file without context, all others
 * need one.
 */
enum uburma_cmd {
	UBURMA_CMD_CREATE_CTX		= 1,
	UBURMA_CMD_ALLOC_TOKEN_ID	= 2,
	UBURMA_CMD_FREE_TOKEN_ID	= 3,
	UBURMA_CMD_REGISTER_SEG		= 4,
	UBURMA_CMD_UNREGISTER_SEG	= 5,
	UBURMA_CMD_IMPORT_SEG		= 6,
	UBURMA_CMD_UNIMPORT_SEG		= 7,
	UBURMA_CMD_CREATE_JFS		= 8,
	UBURMA_CMD_MODIFY_JFS		= 9,
	UBURMA_CMD_QUERY_JFS		= 10,
	UBURMA_CMD_DELETE_JFS		= 11,
	UBURMA_CMD_CREATE_JFR		= 12,
	UBURMA_CMD_MODIFY_JFR		= 13,
	UBURMA_CMD_QUERY_JFR		= 14,
	UBURMA_CMD_DELETE_JFR		= 15,
	UBURMA_CMD_CREATE_JFC		= 16,
	UBURMA_CMD_MODIFY_JFC		= 17,
	UBURMA_CMD_DELETE_JFC		= 18,
	UBURMA_CMD_CREATE_JFCE		= 19,
	UBURMA_CMD_IMPORT_JFR		= 20,
	UBURMA_CMD_UNIMPORT_JFR		= 21,
	UBURMA_CMD_CREATE_JETTY		= 22,
	UBURMA_CMD_MODIFY_JETTY		= 23,
	UBURMA_CMD_QUERY_JETTY		= 24,
	UBURMA_CMD_DELETE_JETTY		= 25,
	UBURMA_CMD_IMPORT_JETTY		= 26,
	UBURMA_CMD_UNIMPORT_JETTY	= 27,
	UBURMA_CMD_ADVISE_JFR		= 28,
	UBURMA_CMD_UNADVISE_JFR		= 29,
	UBURMA_CMD_ADVISE_JETTY		= 30,
	UBURMA_CMD_UNADVISE_JETTY	= 31,
	UBURMA_CMD_BIND_JETTY		= 32,
	UBURMA_CMD_UNBIND_JETTY		= 33,
	UBURMA_CMD_CREATE_JETTY_GRP	= 34,
	UBURMA_CMD_DESTROY_JETTY_GRP	= 35,
	UBURMA_CMD_USER_CTL		= 36,
	UBURMA_CMD_GET_EID_LIST		= 37,
	UBURMA_CMD_GET_NETADDR_LIST	= 38,
	UBURMA_CMD_MODIFY_TP		= 39,
	UBURMA_CMD_QUERY_DEV_ATTR	= 40,
	UBURMA_CMD_IMPORT_JETTY_ASYNC	= 41,
	UBURMA_CMD_UNIMPORT_JETTY_ASYNC	= 42,
	UBURMA_CMD_BIND_JETTY_ASYNC	= 43,
	UBURMA_CMD_UNBIND_JETTY_ASYNC	= 44,
	UBURMA_CMD_CREATE_NOTIFIER	= 45,
	UBURMA_CMD_GET_TP_LIST		= 46,
	UBURMA_CMD_IMPORT_JETTY_EX	= 47,
	UBURMA_CMD_IMPORT_JFR_EX	= 48,
	UBURMA_CMD_BIND_JETTY_EX	= 49,
	UBURMA_CMD_DELETE_JFS_BATCH	= 50,
	UBURMA_CMD_DELETE_JFR_BATCH	= 51,
	UBURMA_CMD_DELETE_JFC_BATCH	= 52,
	UBURMA_CMD_DELETE_JETTY_BATCH	= 53,
	UBURMA_CMD_SET_TP_ATTR		= 54,
	UBURMA_CMD_GET_TP_ATTR		= 55,
	UBURMA_CMD_EXCHANGE_TP_INFO	= 56,
	UBURMA_CMD_GET_EID_BY_IP	= 57,
	UBURMA_CMD_GET_IP_BY_EID	= 58,
	UBURMA_CMD_GET_SMAC		= 59,
	UBURMA_CMD_GET_DMAC		= 60,
	UBURMA_CMD_ALLOC_JFC		= 61,
	UBURMA_CMD_FREE_JFC		= 62,
	UBURMA_CMD_SET_JFC_OPT		= 63,
	UBURMA_CMD_GET_JFC_OPT		= 64,
	UBURMA_CMD_ACTIVE_JFC		= 65,
	UBURMA_CMD_DEACTIVE_JFC		= 66,
	UBURMA_CMD_ALLOC_JFR		= 67,
	UBURMA_CMD_FREE_JFR		= 68,
	UBURMA_CMD_SET_JFR_OPT		= 69,
	UBURMA_CMD_GET_JFR_OPT		= 70,
	UBURMA_CMD_ACTIVE_JFR		= 71,
	UBURMA_CMD_DEACTIVE_JFR		= 72,
	UBURMA_CMD_ALLOC_JFS		= 73,
	UBURMA_CMD_FREE_JFS		= 74,
	UBURMA_CMD_SET_JFS_OPT		= 75,
	UBURMA_CMD_GET_JFS_OPT		= 76,
	UBURMA_CMD_ACTIVE_JFS		= 77,
	UBURMA_CMD_DEACTIVE_JFS		= 78,
	UBURMA_CMD_ALLOC_JETTY		= 79,
	UBURMA_CMD_FREE_JETTY		= 80,
	UBURMA_CMD_SET_JETTY_OPT	= 81,
	UBURMA_CMD_GET_JETTY_OPT	= 82,
	UBURMA_CMD_ACTIVE_JETTY		= 83,
	UBURMA_CMD_DEACTIVE_JETTY	= 84,
	UBURMA_CMD_GET_JFCE_CNT		= 85,
};

/**
 * enum uburma_event_cmd - commands of an event file
 * @UBURMA_EVENT_CMD_WAIT_JFCE: wait for completion events, on a completion
 *	event file
 * @UBURMA_EVENT_CMD_GET_ASYNC_EVENT: take one event, on an asynchronous event
 *	file
 * @UBURMA_EVENT_CMD_WAIT_NOTIFY: take records, on a notification file
 */
enum uburma_event_cmd {
	UBURMA_EVENT_CMD_WAIT_JFCE		= 1,
	UBURMA_EVENT_CMD_GET_ASYNC_EVENT	= 2,
	UBURMA_EVENT_CMD_WAIT_NOTIFY		= 3,
};

/**
 * enum uburma_create_ctx_attr - attributes of UBURMA_CMD_CREATE_CTX
 * @UBURMA_CREATE_CTX_IN_EID: union uburma_eid, local EID the context is for
 * @UBURMA_CREATE_CTX_IN_EID_INDEX: u32, its slot in the EID table
 * @UBURMA_CREATE_CTX_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_CREATE_CTX_OUT_ASYNC_FD: s32, asynchronous event file; 0 is a valid
 *	value
 * @UBURMA_CREATE_CTX_OUT_UDATA: struct uburma_udata, driver data
 *
 * Binds the open file to one EID of the device; at most once per open file. The
 * kernel refuses an EID that is not in the given slot or not visible in the
 * caller's network namespace.
 */
enum uburma_create_ctx_attr {
	UBURMA_CREATE_CTX_IN_EID	= 0x00,
	UBURMA_CREATE_CTX_IN_EID_INDEX	= 0x01,
	UBURMA_CREATE_CTX_IN_UDATA	= 0x02,
	UBURMA_CREATE_CTX_OUT_ASYNC_FD	= 0x80,
	UBURMA_CREATE_CTX_OUT_UDATA	= 0x81,
};

/**
 * enum uburma_alloc_token_id_attr - attributes of UBURMA_CMD_ALLOC_TOKEN_ID
 * @UBURMA_ALLOC_TOKEN_ID_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ALLOC_TOKEN_ID_IN_FLAG: u32, UBURMA_TOKEN_ID_FLAG_* bits
 * @UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID: u32, token id
 * @UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE: u64, handle of the new token id
 * @UBURMA_ALLOC_TOKEN_ID_OUT_UDATA: struct uburma_udata, driver data
 *
 * Allocates a token id, the name by which peers address segments. Unlike
 * elsewhere the driver data comes first.
 */
enum uburma_alloc_token_id_attr {
	UBURMA_ALLOC_TOKEN_ID_IN_UDATA		= 0x00,
	UBURMA_ALLOC_TOKEN_ID_IN_FLAG		= 0x01,
	UBURMA_ALLOC_TOKEN_ID_OUT_TOKEN_ID	= 0x80,
	UBURMA_ALLOC_TOKEN_ID_OUT_HANDLE	= 0x81,
	UBURMA_ALLOC_TOKEN_ID_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_free_token_id_attr - attributes of UBURMA_CMD_FREE_TOKEN_ID
 * @UBURMA_FREE_TOKEN_ID_IN_HANDLE: u64, handle of the token id
 * @UBURMA_FREE_TOKEN_ID_IN_TOKEN_ID: u32, token id, must be the one of the
 *	handle
 * @UBURMA_FREE_TOKEN_ID_IN_UDATA: struct uburma_udata opt, driver data
 *
 * Frees a token id; fails while a segment uses it.
 */
enum uburma_free_token_id_attr {
	UBURMA_FREE_TOKEN_ID_IN_HANDLE		= 0x00,
	UBURMA_FREE_TOKEN_ID_IN_TOKEN_ID	= 0x01,
	UBURMA_FREE_TOKEN_ID_IN_UDATA		= 0x02,
};

/**
 * enum uburma_register_seg_attr - attributes of UBURMA_CMD_REGISTER_SEG
 * @UBURMA_REGISTER_SEG_IN_VA: u64, start address
 * @UBURMA_REGISTER_SEG_IN_LEN: u64, length in bytes
 * @UBURMA_REGISTER_SEG_IN_TOKEN_ID: u32, token id, if the flag says it is valid
 * @UBURMA_REGISTER_SEG_IN_TOKEN_ID_HANDLE: u64, handle of the token id, 0 for
 *	none
 * @UBURMA_REGISTER_SEG_IN_TOKEN: u32, token value
 * @UBURMA_REGISTER_SEG_IN_FLAG: u32, UBURMA_REG_SEG_FLAG_* bits
 * @UBURMA_REGISTER_SEG_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_REGISTER_SEG_OUT_TOKEN_ID: u32, effective token id
 * @UBURMA_REGISTER_SEG_OUT_HANDLE: u64, handle of the new segment
 * @UBURMA_REGISTER_SEG_OUT_UDATA: struct uburma_udata, driver data
 *
 * Registers memory of the caller as a segment that peers can access. A token
 * id, if given, is in use until the segment is gone.
 */
enum uburma_register_seg_attr {
	UBURMA_REGISTER_SEG_IN_VA		= 0x00,
	UBURMA_REGISTER_SEG_IN_LEN		= 0x01,
	UBURMA_REGISTER_SEG_IN_TOKEN_ID		= 0x02,
	UBURMA_REGISTER_SEG_IN_TOKEN_ID_HANDLE	= 0x03,
	UBURMA_REGISTER_SEG_IN_TOKEN		= 0x04,
	UBURMA_REGISTER_SEG_IN_FLAG		= 0x05,
	UBURMA_REGISTER_SEG_IN_UDATA		= 0x06,
	UBURMA_REGISTER_SEG_OUT_TOKEN_ID	= 0x80,
	UBURMA_REGISTER_SEG_OUT_HANDLE		= 0x81,
	UBURMA_REGISTER_SEG_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_unregister_seg_attr - attributes of UBURMA_CMD_UNREGISTER_SEG
 * @UBURMA_UNREGISTER_SEG_IN_HANDLE: u64, handle of the segment
 *
 * Takes a segment away.
 */
enum uburma_unregister_seg_attr {
	UBURMA_UNREGISTER_SEG_IN_HANDLE	= 0x00,
};

/**
 * enum uburma_import_seg_attr - attributes of UBURMA_CMD_IMPORT_SEG
 * @UBURMA_IMPORT_SEG_IN_EID: union uburma_eid, EID of the owner
 * @UBURMA_IMPORT_SEG_IN_VA: u64, start address at the owner
 * @UBURMA_IMPORT_SEG_IN_LEN: u64, length in bytes
 * @UBURMA_IMPORT_SEG_IN_FLAG: u32, UBURMA_IMPORT_SEG_FLAG_* bits
 * @UBURMA_IMPORT_SEG_IN_TOKEN: u32, owner's token value, 0 for none
 * @UBURMA_IMPORT_SEG_IN_TOKEN_ID: u32, token id
 * @UBURMA_IMPORT_SEG_IN_MVA: u64, wanted local address of the mapping, else 0
 * @UBURMA_IMPORT_SEG_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_IMPORT_SEG_OUT_HANDLE: u64, handle of the imported segment
 * @UBURMA_IMPORT_SEG_OUT_UDATA: struct uburma_udata, driver data
 *
 * Makes a peer's segment known.
 */
enum uburma_import_seg_attr {
	UBURMA_IMPORT_SEG_IN_EID	= 0x00,
	UBURMA_IMPORT_SEG_IN_VA		= 0x01,
	UBURMA_IMPORT_SEG_IN_LEN	= 0x02,
	UBURMA_IMPORT_SEG_IN_FLAG	= 0x03,
	UBURMA_IMPORT_SEG_IN_TOKEN	= 0x04,
	UBURMA_IMPORT_SEG_IN_TOKEN_ID	= 0x05,
	UBURMA_IMPORT_SEG_IN_MVA	= 0x06,
	UBURMA_IMPORT_SEG_IN_UDATA	= 0x07,
	UBURMA_IMPORT_SEG_OUT_HANDLE	= 0x80,
	UBURMA_IMPORT_SEG_OUT_UDATA	= 0x81,
};

/**
 * enum uburma_unimport_seg_attr - attributes of UBURMA_CMD_UNIMPORT_SEG
 * @UBURMA_UNIMPORT_SEG_IN_HANDLE: u64, handle of the imported segment
 *
 * Forgets an imported segment.
 */
enum uburma_unimport_seg_attr {
	UBURMA_UNIMPORT_SEG_IN_HANDLE	= 0x00,
};

/**
 * enum uburma_create_jfs_attr - attributes of UBURMA_CMD_CREATE_JFS
 * @UBURMA_CREATE_JFS_IN_DEPTH: u32, depth in entries
 * @UBURMA_CREATE_JFS_IN_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_CREATE_JFS_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_CREATE_JFS_IN_PRIORITY: u8, priority
 * @UBURMA_CREATE_JFS_IN_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_CREATE_JFS_IN_MAX_RSGE: u8, remote scatter/gather entries of a
 *	request
 * @UBURMA_CREATE_JFS_IN_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes
 * @UBURMA_CREATE_JFS_IN_RETRY_CNT: u8, retries, 0 in practice
 * @UBURMA_CREATE_JFS_IN_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_CREATE_JFS_IN_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_CREATE_JFS_IN_JFC_ID: u32, id of the JFC, informational
 * @UBURMA_CREATE_JFS_IN_JFC_HANDLE: u64, handle of the JFC
 * @UBURMA_CREATE_JFS_IN_URMA_JFS: u64, opaque value returned with events
 * @UBURMA_CREATE_JFS_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_CREATE_JFS_OUT_ID: u32, id, the number peers use
 * @UBURMA_CREATE_JFS_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_CREATE_JFS_OUT_MAX_SGE: u8, local scatter/gather entries of a
 *	request, as granted
 * @UBURMA_CREATE_JFS_OUT_MAX_RSGE: u8, remote scatter/gather entries of a
 *	request, as granted
 * @UBURMA_CREATE_JFS_OUT_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes, as granted
 * @UBURMA_CREATE_JFS_OUT_HANDLE: u64, handle of the new JFS
 * @UBURMA_CREATE_JFS_OUT_UDATA: struct uburma_udata, driver data
 *
 * Creates a send queue.
 */
enum uburma_create_jfs_attr {
	UBURMA_CREATE_JFS_IN_DEPTH		= 0x00,
	UBURMA_CREATE_JFS_IN_FLAG		= 0x01,
	UBURMA_CREATE_JFS_IN_TRANS_MODE		= 0x02,
	UBURMA_CREATE_JFS_IN_PRIORITY		= 0x03,
	UBURMA_CREATE_JFS_IN_MAX_SGE		= 0x04,
	UBURMA_CREATE_JFS_IN_MAX_RSGE		= 0x05,
	UBURMA_CREATE_JFS_IN_MAX_INLINE_DATA	= 0x06,
	UBURMA_CREATE_JFS_IN_RETRY_CNT		= 0x07,
	UBURMA_CREATE_JFS_IN_RNR_RETRY		= 0x08,
	UBURMA_CREATE_JFS_IN_ERR_TIMEOUT	= 0x09,
	UBURMA_CREATE_JFS_IN_JFC_ID		= 0x0a,
	UBURMA_CREATE_JFS_IN_JFC_HANDLE		= 0x0b,
	UBURMA_CREATE_JFS_IN_URMA_JFS		= 0x0c,
	UBURMA_CREATE_JFS_IN_UDATA		= 0x0d,
	UBURMA_CREATE_JFS_OUT_ID		= 0x80,
	UBURMA_CREATE_JFS_OUT_DEPTH		= 0x81,
	UBURMA_CREATE_JFS_OUT_MAX_SGE		= 0x82,
	UBURMA_CREATE_JFS_OUT_MAX_RSGE		= 0x83,
	UBURMA_CREATE_JFS_OUT_MAX_INLINE_DATA	= 0x84,
	UBURMA_CREATE_JFS_OUT_HANDLE		= 0x85,
	UBURMA_CREATE_JFS_OUT_UDATA		= 0x86,
};

/**
 * enum uburma_modify_jfs_attr - attributes of UBURMA_CMD_MODIFY_JFS
 * @UBURMA_MODIFY_JFS_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_MODIFY_JFS_IN_MASK: u32, enum uburma_jfs_attr_mask bits
 * @UBURMA_MODIFY_JFS_IN_STATE: u32, enum uburma_jetty_state
 * @UBURMA_MODIFY_JFS_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_MODIFY_JFS_OUT_UDATA: struct uburma_udata, driver data
 *
 * Changes the state of a JFS.
 */
enum uburma_modify_jfs_attr {
	UBURMA_MODIFY_JFS_IN_HANDLE	= 0x00,
	UBURMA_MODIFY_JFS_IN_MASK	= 0x01,
	UBURMA_MODIFY_JFS_IN_STATE	= 0x02,
	UBURMA_MODIFY_JFS_IN_UDATA	= 0x03,
	UBURMA_MODIFY_JFS_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_query_jfs_attr - attributes of UBURMA_CMD_QUERY_JFS
 * @UBURMA_QUERY_JFS_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_QUERY_JFS_OUT_DEPTH: u32, depth in entries
 * @UBURMA_QUERY_JFS_OUT_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_QUERY_JFS_OUT_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_QUERY_JFS_OUT_PRIORITY: u8, priority
 * @UBURMA_QUERY_JFS_OUT_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_QUERY_JFS_OUT_MAX_RSGE: u8, remote scatter/gather entries of a
 *	request
 * @UBURMA_QUERY_JFS_OUT_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes
 * @UBURMA_QUERY_JFS_OUT_RETRY_CNT: u8, retries, 0 in practice
 * @UBURMA_QUERY_JFS_OUT_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_QUERY_JFS_OUT_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_QUERY_JFS_OUT_STATE: u32, enum uburma_jetty_state
 *
 * Reads configuration and state of a JFS.
 */
enum uburma_query_jfs_attr {
	UBURMA_QUERY_JFS_IN_HANDLE		= 0x00,
	UBURMA_QUERY_JFS_OUT_DEPTH		= 0x80,
	UBURMA_QUERY_JFS_OUT_FLAG		= 0x81,
	UBURMA_QUERY_JFS_OUT_TRANS_MODE		= 0x82,
	UBURMA_QUERY_JFS_OUT_PRIORITY		= 0x83,
	UBURMA_QUERY_JFS_OUT_MAX_SGE		= 0x84,
	UBURMA_QUERY_JFS_OUT_MAX_RSGE		= 0x85,
	UBURMA_QUERY_JFS_OUT_MAX_INLINE_DATA	= 0x86,
	UBURMA_QUERY_JFS_OUT_RETRY_CNT		= 0x87,
	UBURMA_QUERY_JFS_OUT_RNR_RETRY		= 0x88,
	UBURMA_QUERY_JFS_OUT_ERR_TIMEOUT	= 0x89,
	UBURMA_QUERY_JFS_OUT_STATE		= 0x8a,
};

/**
 * enum uburma_delete_jfs_attr - attributes of UBURMA_CMD_DELETE_JFS
 * @UBURMA_DELETE_JFS_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_DELETE_JFS_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of
 *	the object that were delivered
 *
 * Destroys a JFS. Undelivered events are dropped and not counted; user space
 * must acknowledge exactly as many events as are reported.
 */
enum uburma_delete_jfs_attr {
	UBURMA_DELETE_JFS_IN_HANDLE			= 0x00,
	UBURMA_DELETE_JFS_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
};

/**
 * enum uburma_create_jfr_attr - attributes of UBURMA_CMD_CREATE_JFR
 * @UBURMA_CREATE_JFR_IN_DEPTH: u32, depth in entries
 * @UBURMA_CREATE_JFR_IN_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_CREATE_JFR_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_CREATE_JFR_IN_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_CREATE_JFR_IN_MIN_RNR_TIMER: u8, "receiver not ready" timer, encoded
 * @UBURMA_CREATE_JFR_IN_JFC_ID: u32, id of the JFC, informational
 * @UBURMA_CREATE_JFR_IN_JFC_HANDLE: u64, handle of the JFC
 * @UBURMA_CREATE_JFR_IN_TOKEN: u32, token value that protects the JFR
 * @UBURMA_CREATE_JFR_IN_ID: u32, wanted id, 0 to let the kernel choose
 * @UBURMA_CREATE_JFR_IN_URMA_JFR: u64, opaque value returned with events
 * @UBURMA_CREATE_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_CREATE_JFR_OUT_ID: u32, id, the number peers use
 * @UBURMA_CREATE_JFR_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_CREATE_JFR_OUT_MAX_SGE: u8, local scatter/gather entries of a
 *	request, as granted
 * @UBURMA_CREATE_JFR_OUT_HANDLE: u64, handle of the new JFR
 * @UBURMA_CREATE_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Creates a receive queue. Mind the order of MAX_SGE and HANDLE, which
 * UBURMA_CMD_ALLOC_JFR and UBURMA_CMD_ACTIVE_JFR have the other way round.
 */
enum uburma_create_jfr_attr {
	UBURMA_CREATE_JFR_IN_DEPTH		= 0x00,
	UBURMA_CREATE_JFR_IN_FLAG		= 0x01,
	UBURMA_CREATE_JFR_IN_TRANS_MODE		= 0x02,
	UBURMA_CREATE_JFR_IN_MAX_SGE		= 0x03,
	UBURMA_CREATE_JFR_IN_MIN_RNR_TIMER	= 0x04,
	UBURMA_CREATE_JFR_IN_JFC_ID		= 0x05,
	UBURMA_CREATE_JFR_IN_JFC_HANDLE		= 0x06,
	UBURMA_CREATE_JFR_IN_TOKEN		= 0x07,
	UBURMA_CREATE_JFR_IN_ID			= 0x08,
	UBURMA_CREATE_JFR_IN_URMA_JFR		= 0x09,
	UBURMA_CREATE_JFR_IN_UDATA		= 0x0a,
	UBURMA_CREATE_JFR_OUT_ID		= 0x80,
	UBURMA_CREATE_JFR_OUT_DEPTH		= 0x81,
	UBURMA_CREATE_JFR_OUT_MAX_SGE		= 0x82,
	UBURMA_CREATE_JFR_OUT_HANDLE		= 0x83,
	UBURMA_CREATE_JFR_OUT_UDATA		= 0x84,
};

/**
 * enum uburma_modify_jfr_attr - attributes of UBURMA_CMD_MODIFY_JFR
 * @UBURMA_MODIFY_JFR_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_MODIFY_JFR_IN_MASK: u32, enum uburma_jfr_attr_mask bits
 * @UBURMA_MODIFY_JFR_IN_RX_THRESHOLD: u32, receive requests left at which the
 *	limit event fires
 * @UBURMA_MODIFY_JFR_IN_STATE: u32, enum uburma_jfr_state
 * @UBURMA_MODIFY_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_MODIFY_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Changes threshold or state of a JFR.
 */
enum uburma_modify_jfr_attr {
	UBURMA_MODIFY_JFR_IN_HANDLE		= 0x00,
	UBURMA_MODIFY_JFR_IN_MASK		= 0x01,
	UBURMA_MODIFY_JFR_IN_RX_THRESHOLD	= 0x02,
	UBURMA_MODIFY_JFR_IN_STATE		= 0x03,
	UBURMA_MODIFY_JFR_IN_UDATA		= 0x04,
	UBURMA_MODIFY_JFR_OUT_UDATA		= 0x80,
};

/**
 * enum uburma_query_jfr_attr - attributes of UBURMA_CMD_QUERY_JFR
 * @UBURMA_QUERY_JFR_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_QUERY_JFR_OUT_DEPTH: u32, depth in entries
 * @UBURMA_QUERY_JFR_OUT_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_QUERY_JFR_OUT_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_QUERY_JFR_OUT_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_QUERY_JFR_OUT_MIN_RNR_TIMER: u8, "receiver not ready" timer, encoded
 * @UBURMA_QUERY_JFR_OUT_TOKEN: u32, token value
 * @UBURMA_QUERY_JFR_OUT_ID: u32, id, the number peers use
 * @UBURMA_QUERY_JFR_OUT_RX_THRESHOLD: u32, receive requests left at which the
 *	limit event fires
 * @UBURMA_QUERY_JFR_OUT_STATE: u32, enum uburma_jfr_state
 *
 * Reads configuration and state of a JFR.
 */
enum uburma_query_jfr_attr {
	UBURMA_QUERY_JFR_IN_HANDLE		= 0x00,
	UBURMA_QUERY_JFR_OUT_DEPTH		= 0x80,
	UBURMA_QUERY_JFR_OUT_FLAG		= 0x81,
	UBURMA_QUERY_JFR_OUT_TRANS_MODE		= 0x82,
	UBURMA_QUERY_JFR_OUT_MAX_SGE		= 0x83,
	UBURMA_QUERY_JFR_OUT_MIN_RNR_TIMER	= 0x84,
	UBURMA_QUERY_JFR_OUT_TOKEN		= 0x85,
	UBURMA_QUERY_JFR_OUT_ID			= 0x86,
	UBURMA_QUERY_JFR_OUT_RX_THRESHOLD	= 0x87,
	UBURMA_QUERY_JFR_OUT_STATE		= 0x88,
};

/**
 * enum uburma_delete_jfr_attr - attributes of UBURMA_CMD_DELETE_JFR
 * @UBURMA_DELETE_JFR_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of
 *	the object that were delivered
 *
 * Destroys a JFR. Undelivered events are dropped and not counted; user space
 * must acknowledge exactly as many events as are reported.
 */
enum uburma_delete_jfr_attr {
	UBURMA_DELETE_JFR_IN_HANDLE			= 0x00,
	UBURMA_DELETE_JFR_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
};

/**
 * enum uburma_create_jfc_attr - attributes of UBURMA_CMD_CREATE_JFC
 * @UBURMA_CREATE_JFC_IN_DEPTH: u32, depth in entries
 * @UBURMA_CREATE_JFC_IN_FLAG: u32, UBURMA_JFC_FLAG_* bits
 * @UBURMA_CREATE_JFC_IN_JFCE_FD: s32, event channel, or UBURMA_NO_JFCE_FD
 * @UBURMA_CREATE_JFC_IN_URMA_JFC: u64, opaque value returned with events
 * @UBURMA_CREATE_JFC_IN_CEQN: u32, completion event queue
 * @UBURMA_CREATE_JFC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_CREATE_JFC_OUT_ID: u32, id
 * @UBURMA_CREATE_JFC_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_CREATE_JFC_OUT_HANDLE: u64, handle of the new JFC
 * @UBURMA_CREATE_JFC_OUT_UDATA: struct uburma_udata, driver data
 *
 * Creates a completion queue. An event channel, if given, must come from the
 * same open file.
 */
enum uburma_create_jfc_attr {
	UBURMA_CREATE_JFC_IN_DEPTH	= 0x00,
	UBURMA_CREATE_JFC_IN_FLAG	= 0x01,
	UBURMA_CREATE_JFC_IN_JFCE_FD	= 0x02,
	UBURMA_CREATE_JFC_IN_URMA_JFC	= 0x03,
	UBURMA_CREATE_JFC_IN_CEQN	= 0x04,
	UBURMA_CREATE_JFC_IN_UDATA	= 0x05,
	UBURMA_CREATE_JFC_OUT_ID	= 0x80,
	UBURMA_CREATE_JFC_OUT_DEPTH	= 0x81,
	UBURMA_CREATE_JFC_OUT_HANDLE	= 0x82,
	UBURMA_CREATE_JFC_OUT_UDATA	= 0x83,
};

/**
 * enum uburma_modify_jfc_attr - attributes of UBURMA_CMD_MODIFY_JFC
 * @UBURMA_MODIFY_JFC_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_MODIFY_JFC_IN_MASK: u32, enum uburma_jfc_attr_mask bits
 * @UBURMA_MODIFY_JFC_IN_MODERATE_COUNT: u16, completions per event, 0: any
 *	number
 * @UBURMA_MODIFY_JFC_IN_MODERATE_PERIOD: u16, longest delay of an event in
 *	microseconds, 0: any
 * @UBURMA_MODIFY_JFC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_MODIFY_JFC_OUT_UDATA: struct uburma_udata, driver data
 *
 * Changes event moderation of a JFC.
 */
enum uburma_modify_jfc_attr {
	UBURMA_MODIFY_JFC_IN_HANDLE		= 0x00,
	UBURMA_MODIFY_JFC_IN_MASK		= 0x01,
	UBURMA_MODIFY_JFC_IN_MODERATE_COUNT	= 0x02,
	UBURMA_MODIFY_JFC_IN_MODERATE_PERIOD	= 0x03,
	UBURMA_MODIFY_JFC_IN_UDATA		= 0x04,
	UBURMA_MODIFY_JFC_OUT_UDATA		= 0x80,
};

/**
 * enum uburma_delete_jfc_attr - attributes of UBURMA_CMD_DELETE_JFC
 * @UBURMA_DELETE_JFC_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_DELETE_JFC_OUT_COMP_EVENTS_REPORTED: u32, completion events of the
 *	JFC that were delivered
 * @UBURMA_DELETE_JFC_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of
 *	the object that were delivered
 *
 * Destroys a JFC; fails while a queue uses it. Undelivered events are dropped
 * and not counted; user space must acknowledge exactly as many events as are
 * reported.
 */
enum uburma_delete_jfc_attr {
	UBURMA_DELETE_JFC_IN_HANDLE			= 0x00,
	UBURMA_DELETE_JFC_OUT_COMP_EVENTS_REPORTED	= 0x80,
	UBURMA_DELETE_JFC_OUT_ASYNC_EVENTS_REPORTED	= 0x81,
};

/**
 * enum uburma_create_jfce_attr - attributes of UBURMA_CMD_CREATE_JFCE
 * @UBURMA_CREATE_JFCE_OUT_FD: s32, completion event file
 *
 * Creates a completion event channel. It has no handle; close() destroys it.
 */
enum uburma_create_jfce_attr {
	UBURMA_CREATE_JFCE_OUT_FD	= 0x80,
};

/**
 * enum uburma_import_jfr_attr - attributes of UBURMA_CMD_IMPORT_JFR
 * @UBURMA_IMPORT_JFR_IN_EID: union uburma_eid, EID of the peer
 * @UBURMA_IMPORT_JFR_IN_ID: u32, id at the peer
 * @UBURMA_IMPORT_JFR_IN_FLAG: u32, UBURMA_IMPORT_JETTY_FLAG_* bits
 * @UBURMA_IMPORT_JFR_IN_TOKEN: u32, the peer's token value
 * @UBURMA_IMPORT_JFR_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_IMPORT_JFR_IN_TP_TYPE: u32, enum uburma_tp_type
 * @UBURMA_IMPORT_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_IMPORT_JFR_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_IMPORT_JFR_OUT_HANDLE: u64, handle of the imported JFR
 * @UBURMA_IMPORT_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Makes a peer's JFR known; the kernel chooses the transport path.
 */
enum uburma_import_jfr_attr {
	UBURMA_IMPORT_JFR_IN_EID	= 0x00,
	UBURMA_IMPORT_JFR_IN_ID		= 0x01,
	UBURMA_IMPORT_JFR_IN_FLAG	= 0x02,
	UBURMA_IMPORT_JFR_IN_TOKEN	= 0x03,
	UBURMA_IMPORT_JFR_IN_TRANS_MODE	= 0x04,
	UBURMA_IMPORT_JFR_IN_TP_TYPE	= 0x05,
	UBURMA_IMPORT_JFR_IN_UDATA	= 0x06,
	UBURMA_IMPORT_JFR_OUT_TPN	= 0x80,
	UBURMA_IMPORT_JFR_OUT_HANDLE	= 0x81,
	UBURMA_IMPORT_JFR_OUT_UDATA	= 0x82,
};

/**
 * enum uburma_unimport_jfr_attr - attributes of UBURMA_CMD_UNIMPORT_JFR
 * @UBURMA_UNIMPORT_JFR_IN_HANDLE: u64, handle of the imported JFR
 *
 * Forgets an imported JFR.
 */
enum uburma_unimport_jfr_attr {
	UBURMA_UNIMPORT_JFR_IN_HANDLE	= 0x00,
};

/**
 * enum uburma_create_jetty_attr - attributes of UBURMA_CMD_CREATE_JETTY
 * @UBURMA_CREATE_JETTY_IN_ID: u32, wanted id, 0 to let the kernel choose
 * @UBURMA_CREATE_JETTY_IN_JETTY_FLAG: u32, UBURMA_JETTY_FLAG_* bits
 * @UBURMA_CREATE_JETTY_IN_JFS_DEPTH: u32, depth of the send queue in entries
 * @UBURMA_CREATE_JETTY_IN_JFS_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_CREATE_JETTY_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_CREATE_JETTY_IN_PRIORITY: u8, priority
 * @UBURMA_CREATE_JETTY_IN_MAX_SEND_SGE: u8, local entries of a send request
 * @UBURMA_CREATE_JETTY_IN_MAX_SEND_RSGE: u8, remote entries of a send request
 * @UBURMA_CREATE_JETTY_IN_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes
 * @UBURMA_CREATE_JETTY_IN_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_CREATE_JETTY_IN_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_CREATE_JETTY_IN_SEND_JFC_ID: u32, id of the send JFC, informational
 * @UBURMA_CREATE_JETTY_IN_SEND_JFC_HANDLE: u64, handle of the send JFC
 * @UBURMA_CREATE_JETTY_IN_JFR_DEPTH: u32, depth of the receive queue in entries
 * @UBURMA_CREATE_JETTY_IN_JFR_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_CREATE_JETTY_IN_MAX_RECV_SGE: u8, entries of a receive request
 * @UBURMA_CREATE_JETTY_IN_MIN_RNR_TIMER: u8, "receiver not ready" timer,
 *	encoded
 * @UBURMA_CREATE_JETTY_IN_RECV_JFC_ID: u32, id of the receive JFC,
 *	informational
 * @UBURMA_CREATE_JETTY_IN_RECV_JFC_HANDLE: u64, handle of the receive JFC
 * @UBURMA_CREATE_JETTY_IN_TOKEN: u32, token value that protects the receive
 *	side
 * @UBURMA_CREATE_JETTY_IN_JFR_ID: u32, id of the shared JFR
 * @UBURMA_CREATE_JETTY_IN_JFR_HANDLE: u64, handle of the shared JFR, 0 for none
 * @UBURMA_CREATE_JETTY_IN_JETTY_GRP_HANDLE: u64, handle of the jetty group, 0
 *	for none
 * @UBURMA_CREATE_JETTY_IN_IS_JETTY_GRP: u8, 1 if JETTY_GRP_HANDLE is valid
 * @UBURMA_CREATE_JETTY_IN_URMA_JETTY: u64, opaque value returned with events
 * @UBURMA_CREATE_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_CREATE_JETTY_OUT_ID: u32, id, the number peers use
 * @UBURMA_CREATE_JETTY_OUT_HANDLE: u64, handle of the new jetty
 * @UBURMA_CREATE_JETTY_OUT_JFS_DEPTH: u32, depth of the send queue in
 *	entries, as granted
 * @UBURMA_CREATE_JETTY_OUT_JFR_DEPTH: u32, depth of the receive queue in
 *	entries, as granted
 * @UBURMA_CREATE_JETTY_OUT_MAX_SEND_SGE: u8, local entries of a send request,
 *	as granted
 * @UBURMA_CREATE_JETTY_OUT_MAX_SEND_RSGE: u8, remote entries of a send
 *	request, as granted
 * @UBURMA_CREATE_JETTY_OUT_MAX_RECV_SGE: u8, entries of a receive request, as
 *	granted
 * @UBURMA_CREATE_JETTY_OUT_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes, as granted
 * @UBURMA_CREATE_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Creates a jetty, a send queue with a receive side. With
 * UBURMA_JETTY_FLAG_SHARE_JFR the receive side is the given JFR and the JFR
 * values are 0.
 */
enum uburma_create_jetty_attr {
	UBURMA_CREATE_JETTY_IN_ID		= 0x00,
	UBURMA_CREATE_JETTY_IN_JETTY_FLAG	= 0x01,
	UBURMA_CREATE_JETTY_IN_JFS_DEPTH	= 0x02,
	UBURMA_CREATE_JETTY_IN_JFS_FLAG		= 0x03,
	UBURMA_CREATE_JETTY_IN_TRANS_MODE	= 0x04,
	UBURMA_CREATE_JETTY_IN_PRIORITY		= 0x05,
	UBURMA_CREATE_JETTY_IN_MAX_SEND_SGE	= 0x06,
	UBURMA_CREATE_JETTY_IN_MAX_SEND_RSGE	= 0x07,
	UBURMA_CREATE_JETTY_IN_MAX_INLINE_DATA	= 0x08,
	UBURMA_CREATE_JETTY_IN_RNR_RETRY	= 0x09,
	UBURMA_CREATE_JETTY_IN_ERR_TIMEOUT	= 0x0a,
	UBURMA_CREATE_JETTY_IN_SEND_JFC_ID	= 0x0b,
	UBURMA_CREATE_JETTY_IN_SEND_JFC_HANDLE	= 0x0c,
	UBURMA_CREATE_JETTY_IN_JFR_DEPTH	= 0x0d,
	UBURMA_CREATE_JETTY_IN_JFR_FLAG		= 0x0e,
	UBURMA_CREATE_JETTY_IN_MAX_RECV_SGE	= 0x0f,
	UBURMA_CREATE_JETTY_IN_MIN_RNR_TIMER	= 0x10,
	UBURMA_CREATE_JETTY_IN_RECV_JFC_ID	= 0x11,
	UBURMA_CREATE_JETTY_IN_RECV_JFC_HANDLE	= 0x12,
	UBURMA_CREATE_JETTY_IN_TOKEN		= 0x13,
	UBURMA_CREATE_JETTY_IN_JFR_ID		= 0x14,
	UBURMA_CREATE_JETTY_IN_JFR_HANDLE	= 0x15,
	UBURMA_CREATE_JETTY_IN_JETTY_GRP_HANDLE	= 0x16,
	UBURMA_CREATE_JETTY_IN_IS_JETTY_GRP	= 0x17,
	UBURMA_CREATE_JETTY_IN_URMA_JETTY	= 0x18,
	UBURMA_CREATE_JETTY_IN_UDATA		= 0x19,
	UBURMA_CREATE_JETTY_OUT_ID		= 0x80,
	UBURMA_CREATE_JETTY_OUT_HANDLE		= 0x81,
	UBURMA_CREATE_JETTY_OUT_JFS_DEPTH	= 0x82,
	UBURMA_CREATE_JETTY_OUT_JFR_DEPTH	= 0x83,
	UBURMA_CREATE_JETTY_OUT_MAX_SEND_SGE	= 0x84,
	UBURMA_CREATE_JETTY_OUT_MAX_SEND_RSGE	= 0x85,
	UBURMA_CREATE_JETTY_OUT_MAX_RECV_SGE	= 0x86,
	UBURMA_CREATE_JETTY_OUT_MAX_INLINE_DATA	= 0x87,
	UBURMA_CREATE_JETTY_OUT_UDATA		= 0x88,
};

/**
 * enum uburma_modify_jetty_attr - attributes of UBURMA_CMD_MODIFY_JETTY
 * @UBURMA_MODIFY_JETTY_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_MODIFY_JETTY_IN_MASK: u32, enum uburma_jetty_attr_mask bits
 * @UBURMA_MODIFY_JETTY_IN_RX_THRESHOLD: u32, receive requests left at which
 *	the limit event fires
 * @UBURMA_MODIFY_JETTY_IN_STATE: u32, enum uburma_jetty_state
 * @UBURMA_MODIFY_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_MODIFY_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Changes receive threshold or state of a jetty.
 */
enum uburma_modify_jetty_attr {
	UBURMA_MODIFY_JETTY_IN_HANDLE		= 0x00,
	UBURMA_MODIFY_JETTY_IN_MASK		= 0x01,
	UBURMA_MODIFY_JETTY_IN_RX_THRESHOLD	= 0x02,
	UBURMA_MODIFY_JETTY_IN_STATE		= 0x03,
	UBURMA_MODIFY_JETTY_IN_UDATA		= 0x04,
	UBURMA_MODIFY_JETTY_OUT_UDATA		= 0x80,
};

/**
 * enum uburma_query_jetty_attr - attributes of UBURMA_CMD_QUERY_JETTY
 * @UBURMA_QUERY_JETTY_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_QUERY_JETTY_OUT_ID: u32, id, the number peers use
 * @UBURMA_QUERY_JETTY_OUT_JETTY_FLAG: u32, UBURMA_JETTY_FLAG_* bits
 * @UBURMA_QUERY_JETTY_OUT_JFS_DEPTH: u32, depth of the send queue in entries
 * @UBURMA_QUERY_JETTY_OUT_JFR_DEPTH: u32, depth of the receive queue in entries
 * @UBURMA_QUERY_JETTY_OUT_JFS_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_QUERY_JETTY_OUT_JFR_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_QUERY_JETTY_OUT_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_QUERY_JETTY_OUT_MAX_SEND_SGE: u8, local entries of a send request
 * @UBURMA_QUERY_JETTY_OUT_MAX_SEND_RSGE: u8, remote entries of a send request
 * @UBURMA_QUERY_JETTY_OUT_MAX_RECV_SGE: u8, entries of a receive request
 * @UBURMA_QUERY_JETTY_OUT_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes
 * @UBURMA_QUERY_JETTY_OUT_PRIORITY: u8, priority
 * @UBURMA_QUERY_JETTY_OUT_RETRY_CNT: u8, retries, 0 in practice
 * @UBURMA_QUERY_JETTY_OUT_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_QUERY_JETTY_OUT_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_QUERY_JETTY_OUT_MIN_RNR_TIMER: u8, "receiver not ready" timer,
 *	encoded
 * @UBURMA_QUERY_JETTY_OUT_JFR_ID: u32, id of the shared JFR
 * @UBURMA_QUERY_JETTY_OUT_TOKEN: u32, token value
 * @UBURMA_QUERY_JETTY_OUT_RX_THRESHOLD: u32, receive requests left at which
 *	the limit event fires
 * @UBURMA_QUERY_JETTY_OUT_STATE: u32, enum uburma_jetty_state
 *
 * Reads configuration and state of a jetty. The flag words are those given at
 * creation.
 */
enum uburma_query_jetty_attr {
	UBURMA_QUERY_JETTY_IN_HANDLE		= 0x00,
	UBURMA_QUERY_JETTY_OUT_ID		= 0x80,
	UBURMA_QUERY_JETTY_OUT_JETTY_FLAG	= 0x81,
	UBURMA_QUERY_JETTY_OUT_JFS_DEPTH	= 0x82,
	UBURMA_QUERY_JETTY_OUT_JFR_DEPTH	= 0x83,
	UBURMA_QUERY_JETTY_OUT_JFS_FLAG		= 0x84,
	UBURMA_QUERY_JETTY_OUT_JFR_FLAG		= 0x85,
	UBURMA_QUERY_JETTY_OUT_TRANS_MODE	= 0x86,
	UBURMA_QUERY_JETTY_OUT_MAX_SEND_SGE	= 0x87,
	UBURMA_QUERY_JETTY_OUT_MAX_SEND_RSGE	= 0x88,
	UBURMA_QUERY_JETTY_OUT_MAX_RECV_SGE	= 0x89,
	UBURMA_QUERY_JETTY_OUT_MAX_INLINE_DATA	= 0x8a,
	UBURMA_QUERY_JETTY_OUT_PRIORITY		= 0x8b,
	UBURMA_QUERY_JETTY_OUT_RETRY_CNT	= 0x8c,
	UBURMA_QUERY_JETTY_OUT_RNR_RETRY	= 0x8d,
	UBURMA_QUERY_JETTY_OUT_ERR_TIMEOUT	= 0x8e,
	UBURMA_QUERY_JETTY_OUT_MIN_RNR_TIMER	= 0x8f,
	UBURMA_QUERY_JETTY_OUT_JFR_ID		= 0x90,
	UBURMA_QUERY_JETTY_OUT_TOKEN		= 0x91,
	UBURMA_QUERY_JETTY_OUT_RX_THRESHOLD	= 0x92,
	UBURMA_QUERY_JETTY_OUT_STATE		= 0x93,
};

/**
 * enum uburma_delete_jetty_attr - attributes of UBURMA_CMD_DELETE_JETTY
 * @UBURMA_DELETE_JETTY_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_DELETE_JETTY_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of
 *	the object that were delivered
 *
 * Destroys a jetty, which is unbound first. Undelivered events are dropped and
 * not counted; user space must acknowledge exactly as many events as are
 * reported.
 */
enum uburma_delete_jetty_attr {
	UBURMA_DELETE_JETTY_IN_HANDLE			= 0x00,
	UBURMA_DELETE_JETTY_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
};

/**
 * enum uburma_import_jetty_attr - attributes of UBURMA_CMD_IMPORT_JETTY
 * @UBURMA_IMPORT_JETTY_IN_EID: union uburma_eid, EID of the peer
 * @UBURMA_IMPORT_JETTY_IN_ID: u32, id at the peer
 * @UBURMA_IMPORT_JETTY_IN_FLAG: u32, UBURMA_IMPORT_JETTY_FLAG_* bits
 * @UBURMA_IMPORT_JETTY_IN_TOKEN: u32, the peer's token value
 * @UBURMA_IMPORT_JETTY_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_IMPORT_JETTY_IN_POLICY: u32, enum uburma_jetty_grp_policy, for a
 *	group
 * @UBURMA_IMPORT_JETTY_IN_TYPE: u32, enum uburma_target_type
 * @UBURMA_IMPORT_JETTY_IN_TP_TYPE: u32, enum uburma_tp_type
 * @UBURMA_IMPORT_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_IMPORT_JETTY_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_IMPORT_JETTY_OUT_HANDLE: u64, handle of the imported jetty
 * @UBURMA_IMPORT_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Makes a peer's jetty or jetty group known; the kernel chooses the transport
 * path.
 */
enum uburma_import_jetty_attr {
	UBURMA_IMPORT_JETTY_IN_EID		= 0x00,
	UBURMA_IMPORT_JETTY_IN_ID		= 0x01,
	UBURMA_IMPORT_JETTY_IN_FLAG		= 0x02,
	UBURMA_IMPORT_JETTY_IN_TOKEN		= 0x03,
	UBURMA_IMPORT_JETTY_IN_TRANS_MODE	= 0x04,
	UBURMA_IMPORT_JETTY_IN_POLICY		= 0x05,
	UBURMA_IMPORT_JETTY_IN_TYPE		= 0x06,
	UBURMA_IMPORT_JETTY_IN_TP_TYPE		= 0x07,
	UBURMA_IMPORT_JETTY_IN_UDATA		= 0x08,
	UBURMA_IMPORT_JETTY_OUT_TPN		= 0x80,
	UBURMA_IMPORT_JETTY_OUT_HANDLE		= 0x81,
	UBURMA_IMPORT_JETTY_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_unimport_jetty_attr - attributes of UBURMA_CMD_UNIMPORT_JETTY
 * @UBURMA_UNIMPORT_JETTY_IN_HANDLE: u64, handle of the imported jetty
 *
 * Forgets an imported jetty, which is unbound first.
 */
enum uburma_unimport_jetty_attr {
	UBURMA_UNIMPORT_JETTY_IN_HANDLE	= 0x00,
};

/**
 * enum uburma_advise_jfr_attr - attributes of UBURMA_CMD_ADVISE_JFR
 * @UBURMA_ADVISE_JFR_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_ADVISE_JFR_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 * @UBURMA_ADVISE_JFR_IN_UDATA: struct uburma_udata opt, driver data
 *
 * Reserved, fails with EINVAL. The jetty is a JFS here.
 */
enum uburma_advise_jfr_attr {
	UBURMA_ADVISE_JFR_IN_JETTY_HANDLE	= 0x00,
	UBURMA_ADVISE_JFR_IN_TJETTY_HANDLE	= 0x01,
	UBURMA_ADVISE_JFR_IN_UDATA		= 0x02,
};

/**
 * enum uburma_unadvise_jfr_attr - attributes of UBURMA_CMD_UNADVISE_JFR
 * @UBURMA_UNADVISE_JFR_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_UNADVISE_JFR_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 *
 * Reserved, fails with EINVAL. The jetty is a JFS here.
 */
enum uburma_unadvise_jfr_attr {
	UBURMA_UNADVISE_JFR_IN_JETTY_HANDLE	= 0x00,
	UBURMA_UNADVISE_JFR_IN_TJETTY_HANDLE	= 0x01,
};

/**
 * enum uburma_advise_jetty_attr - attributes of UBURMA_CMD_ADVISE_JETTY
 * @UBURMA_ADVISE_JETTY_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_ADVISE_JETTY_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 * @UBURMA_ADVISE_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 *
 * Reserved, fails with EINVAL.
 */
enum uburma_advise_jetty_attr {
	UBURMA_ADVISE_JETTY_IN_JETTY_HANDLE	= 0x00,
	UBURMA_ADVISE_JETTY_IN_TJETTY_HANDLE	= 0x01,
	UBURMA_ADVISE_JETTY_IN_UDATA		= 0x02,
};

/**
 * enum uburma_unadvise_jetty_attr - attributes of UBURMA_CMD_UNADVISE_JETTY
 * @UBURMA_UNADVISE_JETTY_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_UNADVISE_JETTY_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 *
 * Reserved, fails with EINVAL.
 */
enum uburma_unadvise_jetty_attr {
	UBURMA_UNADVISE_JETTY_IN_JETTY_HANDLE	= 0x00,
	UBURMA_UNADVISE_JETTY_IN_TJETTY_HANDLE	= 0x01,
};

/**
 * enum uburma_bind_jetty_attr - attributes of UBURMA_CMD_BIND_JETTY
 * @UBURMA_BIND_JETTY_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_BIND_JETTY_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 * @UBURMA_BIND_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_BIND_JETTY_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_BIND_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Connects a jetty of mode RC to an imported one; the kernel chooses the
 * transport path.
 */
enum uburma_bind_jetty_attr {
	UBURMA_BIND_JETTY_IN_JETTY_HANDLE	= 0x00,
	UBURMA_BIND_JETTY_IN_TJETTY_HANDLE	= 0x01,
	UBURMA_BIND_JETTY_IN_UDATA		= 0x02,
	UBURMA_BIND_JETTY_OUT_TPN		= 0x80,
	UBURMA_BIND_JETTY_OUT_UDATA		= 0x81,
};

/**
 * enum uburma_unbind_jetty_attr - attributes of UBURMA_CMD_UNBIND_JETTY
 * @UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 *
 * Disconnects a jetty. The jetty handle decides.
 */
enum uburma_unbind_jetty_attr {
	UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE	= 0x00,
	UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE	= 0x01,
};

/**
 * enum uburma_create_jetty_grp_attr - attributes of UBURMA_CMD_CREATE_JETTY_GRP
 * @UBURMA_CREATE_JETTY_GRP_IN_NAME: char[64], name, NUL padded
 * @UBURMA_CREATE_JETTY_GRP_IN_TOKEN: u32, token value that protects the group
 * @UBURMA_CREATE_JETTY_GRP_IN_ID: u32, wanted id, 0 to let the kernel choose
 * @UBURMA_CREATE_JETTY_GRP_IN_POLICY: u32, enum uburma_jetty_grp_policy, for
 *	a group
 * @UBURMA_CREATE_JETTY_GRP_IN_FLAG: u32, UBURMA_JETTY_GRP_FLAG_* bits
 * @UBURMA_CREATE_JETTY_GRP_IN_URMA_JETTY_GRP: u64, opaque value returned with
 *	events
 * @UBURMA_CREATE_JETTY_GRP_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_CREATE_JETTY_GRP_OUT_ID: u32, id, the number peers use
 * @UBURMA_CREATE_JETTY_GRP_OUT_HANDLE: u64, handle of the new jetty group
 * @UBURMA_CREATE_JETTY_GRP_OUT_UDATA: struct uburma_udata, driver data
 *
 * Creates a jetty group.
 */
enum uburma_create_jetty_grp_attr {
	UBURMA_CREATE_JETTY_GRP_IN_NAME			= 0x00,
	UBURMA_CREATE_JETTY_GRP_IN_TOKEN		= 0x01,
	UBURMA_CREATE_JETTY_GRP_IN_ID			= 0x02,
	UBURMA_CREATE_JETTY_GRP_IN_POLICY		= 0x03,
	UBURMA_CREATE_JETTY_GRP_IN_FLAG			= 0x04,
	UBURMA_CREATE_JETTY_GRP_IN_URMA_JETTY_GRP	= 0x05,
	UBURMA_CREATE_JETTY_GRP_IN_UDATA		= 0x06,
	UBURMA_CREATE_JETTY_GRP_OUT_ID			= 0x80,
	UBURMA_CREATE_JETTY_GRP_OUT_HANDLE		= 0x81,
	UBURMA_CREATE_JETTY_GRP_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_destroy_jetty_grp_attr - attributes of UBURMA_CMD_DESTROY_JETTY_GRP
 * @UBURMA_DELETE_JETTY_GRP_IN_HANDLE: u64, handle of the jetty group
 * @UBURMA_DELETE_JETTY_GRP_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous
 *	events of the object that were delivered
 *
 * Destroys a jetty group; fails while it has members. Undelivered events are
 * dropped and not counted; user space must acknowledge exactly as many events
 * as are reported.
 */
enum uburma_destroy_jetty_grp_attr {
	UBURMA_DELETE_JETTY_GRP_IN_HANDLE			= 0x00,
	UBURMA_DELETE_JETTY_GRP_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
};

/**
 * enum uburma_user_ctl_attr - attributes of UBURMA_CMD_USER_CTL
 * @UBURMA_USER_CTL_IN_IN_ADDR: u64, user address of the request
 * @UBURMA_USER_CTL_IN_IN_LEN: u32, length of the request in bytes
 * @UBURMA_USER_CTL_IN_OPCODE: u32, meaning is up to the driver
 * @UBURMA_USER_CTL_IN_OUT_ADDR: u64, user address of the reply
 * @UBURMA_USER_CTL_IN_OUT_LEN: u32, room for the reply in bytes
 * @UBURMA_USER_CTL_IN_UDATA: struct uburma_udata opt, second request and
 *	reply of the driver
 *
 * Private control call of a driver. There are no output attributes: the driver
 * writes the reply itself.
 */
enum uburma_user_ctl_attr {
	UBURMA_USER_CTL_IN_IN_ADDR	= 0x00,
	UBURMA_USER_CTL_IN_IN_LEN	= 0x01,
	UBURMA_USER_CTL_IN_OPCODE	= 0x02,
	UBURMA_USER_CTL_IN_OUT_ADDR	= 0x03,
	UBURMA_USER_CTL_IN_OUT_LEN	= 0x04,
	UBURMA_USER_CTL_IN_UDATA	= 0x05,
};

/**
 * enum uburma_get_eid_list_attr - attributes of UBURMA_CMD_GET_EID_LIST
 * @UBURMA_GET_EID_LIST_IN_MAX_EID_CNT: u32, most EIDs wanted, 1 to
 *	UBURMA_MAX_EID_CNT
 * @UBURMA_GET_EID_LIST_OUT_EID_CNT: u32, EIDs written
 * @UBURMA_GET_EID_LIST_OUT_EID_LIST: struct uburma_eid_info[1024], the EIDs
 *
 * Lists the device's EIDs that are visible in the caller's network namespace.
 * Needs no context.
 */
enum uburma_get_eid_list_attr {
	UBURMA_GET_EID_LIST_IN_MAX_EID_CNT	= 0x00,
	UBURMA_GET_EID_LIST_OUT_EID_CNT		= 0x80,
	UBURMA_GET_EID_LIST_OUT_EID_LIST	= 0x81,
};

/**
 * enum uburma_get_netaddr_list_attr - attributes of UBURMA_CMD_GET_NETADDR_LIST
 * @UBURMA_GET_NET_ADDR_LIST_IN_MAX_NETADDR_CNT: u32, most addresses wanted
 * @UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_CNT: u32, addresses written
 * @UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST: struct
 *	uburma_cmd_net_addr_info[], the addresses, as many as there is room for
 *
 * Lists the network addresses of the device.
 */
enum uburma_get_netaddr_list_attr {
	UBURMA_GET_NET_ADDR_LIST_IN_MAX_NETADDR_CNT	= 0x00,
	UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_CNT	= 0x80,
	UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST	= 0x81,
};

/**
 * enum uburma_modify_tp_attr - attributes of UBURMA_CMD_MODIFY_TP
 * @UBURMA_MODIFY_TP_IN_TPN: u32, number of the transport path
 * @UBURMA_MODIFY_TP_IN_TP_CFG_FLAG: u32, UBURMA_TP_CFG_FLAG_* bits
 * @UBURMA_MODIFY_TP_IN_TP_CFG_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_MODIFY_TP_IN_TP_CFG_RETRY_NUM: u8, retries
 * @UBURMA_MODIFY_TP_IN_TP_CFG_RETRY_FACTOR: u8, factor between retries
 * @UBURMA_MODIFY_TP_IN_TP_CFG_ACK_TIMEOUT: u8, acknowledgment timeout, encoded
 * @UBURMA_MODIFY_TP_IN_TP_CFG_DSCP: u8, DSCP
 * @UBURMA_MODIFY_TP_IN_TP_CFG_OOR_CNT: u32, out of order window of the receiver
 * @UBURMA_MODIFY_TP_IN_ATTR_FLAG: u32, UBURMA_TP_MOD_FLAG_* bits
 * @UBURMA_MODIFY_TP_IN_ATTR_PEER_TPN: u32, number of the path at the peer
 * @UBURMA_MODIFY_TP_IN_ATTR_STATE: u32, enum uburma_tp_state
 * @UBURMA_MODIFY_TP_IN_ATTR_TX_PSN: u32, next sequence number sent
 * @UBURMA_MODIFY_TP_IN_ATTR_RX_PSN: u32, next sequence number received
 * @UBURMA_MODIFY_TP_IN_ATTR_MTU: u32, enum uburma_mtu
 * @UBURMA_MODIFY_TP_IN_ATTR_CC_PATTERN_IDX: u8, congestion control profile
 * @UBURMA_MODIFY_TP_IN_ATTR_OOS_CNT: u32, out of order window of the sender
 * @UBURMA_MODIFY_TP_IN_ATTR_LOCAL_NET_ADDR_IDX: u32, index of the local address
 * @UBURMA_MODIFY_TP_IN_ATTR_PEER_NET_ADDR: struct uburma_net_addr, the peer's
 *	address
 * @UBURMA_MODIFY_TP_IN_ATTR_DATA_UDP_START: u16, first UDP port of data packets
 * @UBURMA_MODIFY_TP_IN_ATTR_ACK_UDP_START: u16, first UDP port of
 *	acknowledgments
 * @UBURMA_MODIFY_TP_IN_ATTR_UDP_RANGE: u8, range of UDP ports
 * @UBURMA_MODIFY_TP_IN_ATTR_HOP_LIMIT: u8, hop limit
 * @UBURMA_MODIFY_TP_IN_ATTR_FLOW_LABEL: u32, IPv6 flow label
 * @UBURMA_MODIFY_TP_IN_ATTR_PORT_ID: u8, port of the device
 * @UBURMA_MODIFY_TP_IN_ATTR_MN: u8, network plane
 * @UBURMA_MODIFY_TP_IN_ATTR_PEER_TRANS_TYPE: u32, enum uburma_transport_type
 * @UBURMA_MODIFY_TP_IN_MASK: u32, UBURMA_TP_ATTR_MASK_* bits
 *
 * Changes a transport path, for a connection manager.
 */
enum uburma_modify_tp_attr {
	UBURMA_MODIFY_TP_IN_TPN				= 0x00,
	UBURMA_MODIFY_TP_IN_TP_CFG_FLAG			= 0x01,
	UBURMA_MODIFY_TP_IN_TP_CFG_TRANS_MODE		= 0x02,
	UBURMA_MODIFY_TP_IN_TP_CFG_RETRY_NUM		= 0x03,
	UBURMA_MODIFY_TP_IN_TP_CFG_RETRY_FACTOR		= 0x04,
	UBURMA_MODIFY_TP_IN_TP_CFG_ACK_TIMEOUT		= 0x05,
	UBURMA_MODIFY_TP_IN_TP_CFG_DSCP			= 0x06,
	UBURMA_MODIFY_TP_IN_TP_CFG_OOR_CNT		= 0x07,
	UBURMA_MODIFY_TP_IN_ATTR_FLAG			= 0x08,
	UBURMA_MODIFY_TP_IN_ATTR_PEER_TPN		= 0x09,
	UBURMA_MODIFY_TP_IN_ATTR_STATE			= 0x0a,
	UBURMA_MODIFY_TP_IN_ATTR_TX_PSN			= 0x0b,
	UBURMA_MODIFY_TP_IN_ATTR_RX_PSN			= 0x0c,
	UBURMA_MODIFY_TP_IN_ATTR_MTU			= 0x0d,
	UBURMA_MODIFY_TP_IN_ATTR_CC_PATTERN_IDX		= 0x0e,
	UBURMA_MODIFY_TP_IN_ATTR_OOS_CNT		= 0x0f,
	UBURMA_MODIFY_TP_IN_ATTR_LOCAL_NET_ADDR_IDX	= 0x10,
	UBURMA_MODIFY_TP_IN_ATTR_PEER_NET_ADDR		= 0x11,
	UBURMA_MODIFY_TP_IN_ATTR_DATA_UDP_START		= 0x12,
	UBURMA_MODIFY_TP_IN_ATTR_ACK_UDP_START		= 0x13,
	UBURMA_MODIFY_TP_IN_ATTR_UDP_RANGE		= 0x14,
	UBURMA_MODIFY_TP_IN_ATTR_HOP_LIMIT		= 0x15,
	UBURMA_MODIFY_TP_IN_ATTR_FLOW_LABEL		= 0x16,
	UBURMA_MODIFY_TP_IN_ATTR_PORT_ID		= 0x17,
	UBURMA_MODIFY_TP_IN_ATTR_MN			= 0x18,
	UBURMA_MODIFY_TP_IN_ATTR_PEER_TRANS_TYPE	= 0x19,
	UBURMA_MODIFY_TP_IN_MASK			= 0x1a,
};

/**
 * enum uburma_query_dev_attr_attr - attributes of UBURMA_CMD_QUERY_DEV_ATTR
 * @UBURMA_QUERY_DEVICE_IN_DEV_NAME: char[64], name of the device, NUL padded,
 *	must be the one behind the file
 * @UBURMA_QUERY_DEVICE_OUT_GUID: struct uburma_guid, device GUID
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_FEATURE: u32, UBURMA_DEV_FEATURE_* bits
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC: u32, most JFCs
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS: u32, most JFSs
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR: u32, most JFRs
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY: u32, most jettys
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY_GRP: u32, most jetty groups
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY_IN_JETTY_GRP: u32, most jettys
 *	in a group
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC_DEPTH: u32, largest JFC, in entries
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_DEPTH: u32, largest JFS, in entries
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR_DEPTH: u32, largest JFR, in entries
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_INLINE_LEN: u32, largest inline
 *	payload in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_SGE: u32, most local entries of a
 *	send request
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_RSGE: u32, most remote entries of
 *	a send request
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR_SGE: u32, most entries of a
 *	receive request
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_MSG_SIZE: u64, largest message in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_READ_SIZE: u32, largest read in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_WRITE_SIZE: u32, largest write in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_CAS_SIZE: u32, largest compare and
 *	swap in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_SWAP_SIZE: u32, largest swap in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_ADD_SIZE: u32, largest fetch
 *	and add in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_SUB_SIZE: u32, largest fetch
 *	and sub in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_AND_SIZE: u32, largest fetch
 *	and AND in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_OR_SIZE: u32, largest fetch
 *	and OR in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_XOR_SIZE: u32, largest fetch
 *	and XOR in bytes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_ATOMIC_FEAT: u32, UBURMA_ATOMIC_FEATURE_*
 *	bits
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TRANS_MODE: u16, enum
 *	uburma_transport_mode bits
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RESERVED: u16, 0
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CONGESTION_CTRL_ALG: u16, enum
 *	uburma_congestion_ctrl_alg bits
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CEQ_CNT: u32, completion event queues
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_TP_IN_TPG: u32, most paths in a path
 *	group
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_EID_CNT: u32, slots of the EID table
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PAGE_SIZE_CAP: u64, page sizes supported,
 *	a mask
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_OOR_CNT: u32, out of order window
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MN: u32, network planes
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_NETADDR_CNT: u32, most network addresses
 * @UBURMA_QUERY_DEVICE_OUT_PORT_CNT: u8, ports of the device
 * @UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_MAX_MTU: u32[8], strided, max_mtu of
 *	each port
 * @UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_STATE: u32[8], strided, state of each port
 * @UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_WIDTH: u32[8], strided,
 *	active_width of each port
 * @UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_SPEED: u32[8], strided,
 *	active_speed of each port
 * @UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_MTU: u32[8], strided, active_mtu
 *	of each port
 * @UBURMA_QUERY_DEVICE_OUT_RESERVED_JETTY_ID_MIN: u32, first reserved jetty id
 * @UBURMA_QUERY_DEVICE_OUT_RESERVED_JETTY_ID_MAX: u32, last reserved jetty id
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RM_ORDER_CAP: u32, UBURMA_ORDER_CAP_* bits
 *	of mode RM
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RC_ORDER_CAP: u32, UBURMA_ORDER_CAP_* bits
 *	of mode RC
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RM_TP_CAP: u32, UBURMA_TP_TYPE_CAP_* bits
 *	of mode RM
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RC_TP_CAP: u32, UBURMA_TP_TYPE_CAP_* bits
 *	of mode RC
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_UM_TP_CAP: u32, UBURMA_TP_TYPE_CAP_* bits
 *	of mode UM
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TP_FEATURE: u32, UBURMA_TP_FEATURE_* bits
 * @UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PRIORITY_INFO: struct uburma_sl_info[16],
 *	one per priority
 *
 * Reads the attributes of the device. Needs no context. User space sends the
 * attributes in another order than that of the ids.
 */
enum uburma_query_dev_attr_attr {
	UBURMA_QUERY_DEVICE_IN_DEV_NAME				= 0x00,
	UBURMA_QUERY_DEVICE_OUT_GUID				= 0x80,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_FEATURE			= 0x81,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC			= 0x82,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS			= 0x83,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR			= 0x84,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY		= 0x85,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY_GRP		= 0x86,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JETTY_IN_JETTY_GRP	= 0x87,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFC_DEPTH		= 0x88,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_DEPTH		= 0x89,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR_DEPTH		= 0x8a,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_INLINE_LEN	= 0x8b,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_SGE		= 0x8c,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFS_RSGE		= 0x8d,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_JFR_SGE		= 0x8e,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_MSG_SIZE		= 0x8f,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_READ_SIZE		= 0x90,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_WRITE_SIZE		= 0x91,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_CAS_SIZE		= 0x92,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_SWAP_SIZE		= 0x93,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_ADD_SIZE	= 0x94,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_SUB_SIZE	= 0x95,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_AND_SIZE	= 0x96,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_OR_SIZE	= 0x97,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_FETCH_AND_XOR_SIZE	= 0x98,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_ATOMIC_FEAT		= 0x99,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TRANS_MODE		= 0x9a,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RESERVED		= 0x9b,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CONGESTION_CTRL_ALG	= 0x9c,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CEQ_CNT			= 0x9d,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_TP_IN_TPG		= 0x9e,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_EID_CNT		= 0x9f,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PAGE_SIZE_CAP		= 0xa0,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_OOR_CNT		= 0xa1,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MN			= 0xa2,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_MAX_NETADDR_CNT		= 0xa3,
	UBURMA_QUERY_DEVICE_OUT_PORT_CNT			= 0xa4,
	UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_MAX_MTU		= 0xa5,
	UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_STATE			= 0xa6,
	UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_WIDTH		= 0xa7,
	UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_SPEED		= 0xa8,
	UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_ACTIVE_MTU		= 0xa9,
	UBURMA_QUERY_DEVICE_OUT_RESERVED_JETTY_ID_MIN		= 0xaa,
	UBURMA_QUERY_DEVICE_OUT_RESERVED_JETTY_ID_MAX		= 0xab,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RM_ORDER_CAP		= 0xac,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RC_ORDER_CAP		= 0xad,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RM_TP_CAP		= 0xae,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_RC_TP_CAP		= 0xaf,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_UM_TP_CAP		= 0xb0,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TP_FEATURE		= 0xb1,
	UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PRIORITY_INFO		= 0xb2,
};

/**
 * enum uburma_import_jetty_async_attr - attributes of UBURMA_CMD_IMPORT_JETTY_ASYNC
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_EID: union uburma_eid, EID of the peer
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_ID: u32, id at the peer
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_FLAG: u32, UBURMA_IMPORT_JETTY_FLAG_* bits
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_TOKEN: u32, the peer's token value
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_POLICY: u32, enum uburma_jetty_grp_policy,
 *	for a group
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_TYPE: u32, enum uburma_target_type
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_URMA_TJETTY: u64, opaque value returned with
 *	the notification
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_USER_CTX: u64, opaque value returned with the
 *	notification
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_FD: s32, notification file that gets the result
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_TIMEOUT: s32, time limit in milliseconds
 * @UBURMA_IMPORT_JETTY_ASYNC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_IMPORT_JETTY_ASYNC_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE: u64, handle of the imported jetty
 * @UBURMA_IMPORT_JETTY_ASYNC_OUT_UDATA: struct uburma_udata, driver data
 *
 * As UBURMA_CMD_IMPORT_JETTY, with the result reported to a notification file.
 */
enum uburma_import_jetty_async_attr {
	UBURMA_IMPORT_JETTY_ASYNC_IN_EID		= 0x00,
	UBURMA_IMPORT_JETTY_ASYNC_IN_ID			= 0x01,
	UBURMA_IMPORT_JETTY_ASYNC_IN_FLAG		= 0x02,
	UBURMA_IMPORT_JETTY_ASYNC_IN_TOKEN		= 0x03,
	UBURMA_IMPORT_JETTY_ASYNC_IN_TRANS_MODE		= 0x04,
	UBURMA_IMPORT_JETTY_ASYNC_IN_POLICY		= 0x05,
	UBURMA_IMPORT_JETTY_ASYNC_IN_TYPE		= 0x06,
	UBURMA_IMPORT_JETTY_ASYNC_IN_URMA_TJETTY	= 0x07,
	UBURMA_IMPORT_JETTY_ASYNC_IN_USER_CTX		= 0x08,
	UBURMA_IMPORT_JETTY_ASYNC_IN_FD			= 0x09,
	UBURMA_IMPORT_JETTY_ASYNC_IN_TIMEOUT		= 0x0a,
	UBURMA_IMPORT_JETTY_ASYNC_IN_UDATA		= 0x0b,
	UBURMA_IMPORT_JETTY_ASYNC_OUT_TPN		= 0x80,
	UBURMA_IMPORT_JETTY_ASYNC_OUT_HANDLE		= 0x81,
	UBURMA_IMPORT_JETTY_ASYNC_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_unimport_jetty_async_attr - attributes of UBURMA_CMD_UNIMPORT_JETTY_ASYNC
 * @UBURMA_UNIMPORT_JETTY_ASYNC_IN_HANDLE: u64, handle of the imported jetty
 *
 * Forgets a jetty imported by UBURMA_CMD_IMPORT_JETTY_ASYNC.
 */
enum uburma_unimport_jetty_async_attr {
	UBURMA_UNIMPORT_JETTY_ASYNC_IN_HANDLE	= 0x00,
};

/**
 * enum uburma_bind_jetty_async_attr - attributes of UBURMA_CMD_BIND_JETTY_ASYNC
 * @UBURMA_BIND_JETTY_ASYNC_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_BIND_JETTY_ASYNC_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 * @UBURMA_BIND_JETTY_ASYNC_IN_URMA_TJETTY: u64, opaque value of the imported
 *	jetty
 * @UBURMA_BIND_JETTY_ASYNC_IN_URMA_JETTY: u64, opaque value returned with the
 *	notification
 * @UBURMA_BIND_JETTY_ASYNC_IN_FD: s32, notification file that gets the result
 * @UBURMA_BIND_JETTY_ASYNC_IN_USER_CTX: u64, opaque value returned with the
 *	notification
 * @UBURMA_BIND_JETTY_ASYNC_IN_TIMEOUT: s32, time limit in milliseconds
 * @UBURMA_BIND_JETTY_ASYNC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_BIND_JETTY_ASYNC_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_BIND_JETTY_ASYNC_OUT_UDATA: struct uburma_udata, driver data
 *
 * As UBURMA_CMD_BIND_JETTY, with the result reported to a notification file.
 */
enum uburma_bind_jetty_async_attr {
	UBURMA_BIND_JETTY_ASYNC_IN_JETTY_HANDLE		= 0x00,
	UBURMA_BIND_JETTY_ASYNC_IN_TJETTY_HANDLE	= 0x01,
	UBURMA_BIND_JETTY_ASYNC_IN_URMA_TJETTY		= 0x02,
	UBURMA_BIND_JETTY_ASYNC_IN_URMA_JETTY		= 0x03,
	UBURMA_BIND_JETTY_ASYNC_IN_FD			= 0x04,
	UBURMA_BIND_JETTY_ASYNC_IN_USER_CTX		= 0x05,
	UBURMA_BIND_JETTY_ASYNC_IN_TIMEOUT		= 0x06,
	UBURMA_BIND_JETTY_ASYNC_IN_UDATA		= 0x07,
	UBURMA_BIND_JETTY_ASYNC_OUT_TPN			= 0x80,
	UBURMA_BIND_JETTY_ASYNC_OUT_UDATA		= 0x81,
};

/**
 * enum uburma_unbind_jetty_async_attr - attributes of UBURMA_CMD_UNBIND_JETTY_ASYNC
 * @UBURMA_UNBIND_JETTY_ASYNC_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_UNBIND_JETTY_ASYNC_IN_TJETTY_HANDLE: u64, handle of the imported
 *	jetty
 *
 * Disconnects a jetty bound by UBURMA_CMD_BIND_JETTY_ASYNC.
 */
enum uburma_unbind_jetty_async_attr {
	UBURMA_UNBIND_JETTY_ASYNC_IN_JETTY_HANDLE	= 0x00,
	UBURMA_UNBIND_JETTY_ASYNC_IN_TJETTY_HANDLE	= 0x01,
};

/**
 * enum uburma_create_notifier_attr - attributes of UBURMA_CMD_CREATE_NOTIFIER
 * @UBURMA_CREATE_NOTIFIER_OUT_FD: s32, notification file
 *
 * Creates a notification channel. It has no handle; close() destroys it.
 */
enum uburma_create_notifier_attr {
	UBURMA_CREATE_NOTIFIER_OUT_FD	= 0x80,
};

/**
 * enum uburma_get_tp_list_attr - attributes of UBURMA_CMD_GET_TP_LIST
 * @UBURMA_GET_TP_LIST_IN_FLAG: u32, UBURMA_GET_TP_CFG_FLAG_* bits
 * @UBURMA_GET_TP_LIST_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_GET_TP_LIST_IN_LOCAL_EID: union uburma_eid, local EID
 * @UBURMA_GET_TP_LIST_IN_PEER_EID: union uburma_eid, EID of the peer
 * @UBURMA_GET_TP_LIST_IN_TP_CNT: u32, most paths wanted, 1 to UBURMA_MAX_TP
 * @UBURMA_GET_TP_LIST_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_GET_TP_LIST_OUT_TP_CNT: u32, paths written, at most as many as wanted
 * @UBURMA_GET_TP_LIST_OUT_TP_HANDLE: u64[128], opaque handles of the paths
 * @UBURMA_GET_TP_LIST_OUT_UDATA: struct uburma_udata, driver data
 *
 * Lists the transport paths to a peer. Paths that no later command uses are
 * released when the file is closed.
 */
enum uburma_get_tp_list_attr {
	UBURMA_GET_TP_LIST_IN_FLAG		= 0x00,
	UBURMA_GET_TP_LIST_IN_TRANS_MODE	= 0x01,
	UBURMA_GET_TP_LIST_IN_LOCAL_EID		= 0x02,
	UBURMA_GET_TP_LIST_IN_PEER_EID		= 0x03,
	UBURMA_GET_TP_LIST_IN_TP_CNT		= 0x04,
	UBURMA_GET_TP_LIST_IN_UDATA		= 0x05,
	UBURMA_GET_TP_LIST_OUT_TP_CNT		= 0x80,
	UBURMA_GET_TP_LIST_OUT_TP_HANDLE	= 0x81,
	UBURMA_GET_TP_LIST_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_import_jetty_ex_attr - attributes of UBURMA_CMD_IMPORT_JETTY_EX
 * @UBURMA_IMPORT_JETTY_EX_IN_EID: union uburma_eid, EID of the peer
 * @UBURMA_IMPORT_JETTY_EX_IN_ID: u32, id at the peer
 * @UBURMA_IMPORT_JETTY_EX_IN_FLAG: u32, UBURMA_IMPORT_JETTY_FLAG_* bits
 * @UBURMA_IMPORT_JETTY_EX_IN_TOKEN: u32, the peer's token value
 * @UBURMA_IMPORT_JETTY_EX_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_IMPORT_JETTY_EX_IN_POLICY: u32, enum uburma_jetty_grp_policy, for a
 *	group
 * @UBURMA_IMPORT_JETTY_EX_IN_TYPE: u32, enum uburma_target_type
 * @UBURMA_IMPORT_JETTY_EX_IN_TP_TYPE: u32, enum uburma_tp_type
 * @UBURMA_IMPORT_JETTY_EX_IN_TP_HANDLE: u64, handle of the local transport
 *	path, 0 to let the kernel choose
 * @UBURMA_IMPORT_JETTY_EX_IN_PEER_TP_HANDLE: u64, the peer's handle of the
 *	transport path
 * @UBURMA_IMPORT_JETTY_EX_IN_TAG: u64, tag agreed with the peer
 * @UBURMA_IMPORT_JETTY_EX_IN_TX_PSN: u32, first sequence number sent
 * @UBURMA_IMPORT_JETTY_EX_IN_RX_PSN: u32, first sequence number received
 * @UBURMA_IMPORT_JETTY_EX_IN_STAG: u64 opt, source tag, 0 if absent
 * @UBURMA_IMPORT_JETTY_EX_IN_DTAG: u64 opt, destination tag, 0 if absent
 * @UBURMA_IMPORT_JETTY_EX_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_IMPORT_JETTY_EX_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_IMPORT_JETTY_EX_OUT_HANDLE: u64, handle of the imported jetty
 * @UBURMA_IMPORT_JETTY_EX_OUT_UDATA: struct uburma_udata, driver data
 *
 * As UBURMA_CMD_IMPORT_JETTY, over a given transport path. All of TP_HANDLE to
 * RX_PSN zero lets the kernel choose the path.
 */
enum uburma_import_jetty_ex_attr {
	UBURMA_IMPORT_JETTY_EX_IN_EID			= 0x00,
	UBURMA_IMPORT_JETTY_EX_IN_ID			= 0x01,
	UBURMA_IMPORT_JETTY_EX_IN_FLAG			= 0x02,
	UBURMA_IMPORT_JETTY_EX_IN_TOKEN			= 0x03,
	UBURMA_IMPORT_JETTY_EX_IN_TRANS_MODE		= 0x04,
	UBURMA_IMPORT_JETTY_EX_IN_POLICY		= 0x05,
	UBURMA_IMPORT_JETTY_EX_IN_TYPE			= 0x06,
	UBURMA_IMPORT_JETTY_EX_IN_TP_TYPE		= 0x07,
	UBURMA_IMPORT_JETTY_EX_IN_TP_HANDLE		= 0x08,
	UBURMA_IMPORT_JETTY_EX_IN_PEER_TP_HANDLE	= 0x09,
	UBURMA_IMPORT_JETTY_EX_IN_TAG			= 0x0a,
	UBURMA_IMPORT_JETTY_EX_IN_TX_PSN		= 0x0b,
	UBURMA_IMPORT_JETTY_EX_IN_RX_PSN		= 0x0c,
	UBURMA_IMPORT_JETTY_EX_IN_STAG			= 0x0d,
	UBURMA_IMPORT_JETTY_EX_IN_DTAG			= 0x0e,
	UBURMA_IMPORT_JETTY_EX_IN_UDATA			= 0x0f,
	UBURMA_IMPORT_JETTY_EX_OUT_TPN			= 0x80,
	UBURMA_IMPORT_JETTY_EX_OUT_HANDLE		= 0x81,
	UBURMA_IMPORT_JETTY_EX_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_import_jfr_ex_attr - attributes of UBURMA_CMD_IMPORT_JFR_EX
 * @UBURMA_IMPORT_JFR_EX_IN_EID: union uburma_eid, EID of the peer
 * @UBURMA_IMPORT_JFR_EX_IN_ID: u32, id at the peer
 * @UBURMA_IMPORT_JFR_EX_IN_FLAG: u32, UBURMA_IMPORT_JETTY_FLAG_* bits
 * @UBURMA_IMPORT_JFR_EX_IN_TOKEN: u32, the peer's token value
 * @UBURMA_IMPORT_JFR_EX_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_IMPORT_JFR_EX_IN_TP_TYPE: u32, enum uburma_tp_type
 * @UBURMA_IMPORT_JFR_EX_IN_TP_HANDLE: u64, handle of the local transport
 *	path, 0 to let the kernel choose
 * @UBURMA_IMPORT_JFR_EX_IN_PEER_TP_HANDLE: u64, the peer's handle of the
 *	transport path
 * @UBURMA_IMPORT_JFR_EX_IN_TAG: u64, tag agreed with the peer
 * @UBURMA_IMPORT_JFR_EX_IN_TX_PSN: u32, first sequence number sent
 * @UBURMA_IMPORT_JFR_EX_IN_RX_PSN: u32, first sequence number received
 * @UBURMA_IMPORT_JFR_EX_IN_STAG: u64 opt, source tag, 0 if absent
 * @UBURMA_IMPORT_JFR_EX_IN_DTAG: u64 opt, destination tag, 0 if absent
 * @UBURMA_IMPORT_JFR_EX_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_IMPORT_JFR_EX_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_IMPORT_JFR_EX_OUT_HANDLE: u64, handle of the imported JFR
 * @UBURMA_IMPORT_JFR_EX_OUT_UDATA: struct uburma_udata, driver data
 *
 * As UBURMA_CMD_IMPORT_JFR, over a given transport path. All of TP_HANDLE to
 * RX_PSN zero lets the kernel choose the path.
 */
enum uburma_import_jfr_ex_attr {
	UBURMA_IMPORT_JFR_EX_IN_EID		= 0x00,
	UBURMA_IMPORT_JFR_EX_IN_ID		= 0x01,
	UBURMA_IMPORT_JFR_EX_IN_FLAG		= 0x02,
	UBURMA_IMPORT_JFR_EX_IN_TOKEN		= 0x03,
	UBURMA_IMPORT_JFR_EX_IN_TRANS_MODE	= 0x04,
	UBURMA_IMPORT_JFR_EX_IN_TP_TYPE		= 0x05,
	UBURMA_IMPORT_JFR_EX_IN_TP_HANDLE	= 0x06,
	UBURMA_IMPORT_JFR_EX_IN_PEER_TP_HANDLE	= 0x07,
	UBURMA_IMPORT_JFR_EX_IN_TAG		= 0x08,
	UBURMA_IMPORT_JFR_EX_IN_TX_PSN		= 0x09,
	UBURMA_IMPORT_JFR_EX_IN_RX_PSN		= 0x0a,
	UBURMA_IMPORT_JFR_EX_IN_STAG		= 0x0b,
	UBURMA_IMPORT_JFR_EX_IN_DTAG		= 0x0c,
	UBURMA_IMPORT_JFR_EX_IN_UDATA		= 0x0d,
	UBURMA_IMPORT_JFR_EX_OUT_TPN		= 0x80,
	UBURMA_IMPORT_JFR_EX_OUT_HANDLE		= 0x81,
	UBURMA_IMPORT_JFR_EX_OUT_UDATA		= 0x82,
};

/**
 * enum uburma_bind_jetty_ex_attr - attributes of UBURMA_CMD_BIND_JETTY_EX
 * @UBURMA_BIND_JETTY_EX_IN_JETTY_HANDLE: u64, handle of the local jetty
 * @UBURMA_BIND_JETTY_EX_IN_TJETTY_HANDLE: u64, handle of the imported jetty
 * @UBURMA_BIND_JETTY_EX_IN_TP_HANDLE: u64, handle of the local transport
 *	path, 0 to let the kernel choose
 * @UBURMA_BIND_JETTY_EX_IN_PEER_TP_HANDLE: u64, the peer's handle of the
 *	transport path
 * @UBURMA_BIND_JETTY_EX_IN_TAG: u64, tag agreed with the peer
 * @UBURMA_BIND_JETTY_EX_IN_TX_PSN: u32, first sequence number sent
 * @UBURMA_BIND_JETTY_EX_IN_RX_PSN: u32, first sequence number received
 * @UBURMA_BIND_JETTY_EX_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_BIND_JETTY_EX_OUT_TPN: u32, number of the transport path, or
 *	UBURMA_INVALID_TPN
 * @UBURMA_BIND_JETTY_EX_OUT_UDATA: struct uburma_udata, driver data
 *
 * As UBURMA_CMD_BIND_JETTY, over a given transport path. All of TP_HANDLE to
 * RX_PSN zero lets the kernel choose the path.
 */
enum uburma_bind_jetty_ex_attr {
	UBURMA_BIND_JETTY_EX_IN_JETTY_HANDLE	= 0x00,
	UBURMA_BIND_JETTY_EX_IN_TJETTY_HANDLE	= 0x01,
	UBURMA_BIND_JETTY_EX_IN_TP_HANDLE	= 0x02,
	UBURMA_BIND_JETTY_EX_IN_PEER_TP_HANDLE	= 0x03,
	UBURMA_BIND_JETTY_EX_IN_TAG		= 0x04,
	UBURMA_BIND_JETTY_EX_IN_TX_PSN		= 0x05,
	UBURMA_BIND_JETTY_EX_IN_RX_PSN		= 0x06,
	UBURMA_BIND_JETTY_EX_IN_UDATA		= 0x07,
	UBURMA_BIND_JETTY_EX_OUT_TPN		= 0x80,
	UBURMA_BIND_JETTY_EX_OUT_UDATA		= 0x81,
};

/**
 * enum uburma_delete_jfs_batch_attr - attributes of UBURMA_CMD_DELETE_JFS_BATCH
 * @UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT: u32, number of handles, at most
 *	UBURMA_MAX_BATCH
 * @UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR: u64, user address of an array of u64
 *	handles
 * @UBURMA_DELETE_JFS_BATCH_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous
 *	events of the object that were delivered
 * @UBURMA_DELETE_JFS_BATCH_OUT_BAD_JFS_INDEX: u32, index of the first handle
 *	that failed; written on failure too
 *
 * Destroys JFSs in the given order, until one fails. Counters are sums over the
 * objects destroyed.
 */
enum uburma_delete_jfs_batch_attr {
	UBURMA_DELETE_JFS_BATCH_IN_JFS_COUNT			= 0x00,
	UBURMA_DELETE_JFS_BATCH_IN_JFS_PTR			= 0x01,
	UBURMA_DELETE_JFS_BATCH_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
	UBURMA_DELETE_JFS_BATCH_OUT_BAD_JFS_INDEX		= 0x81,
};

/**
 * enum uburma_delete_jfr_batch_attr - attributes of UBURMA_CMD_DELETE_JFR_BATCH
 * @UBURMA_DELETE_JFR_BATCH_IN_JFR_COUNT: u32, number of handles, at most
 *	UBURMA_MAX_BATCH
 * @UBURMA_DELETE_JFR_BATCH_IN_JFR_PTR: u64, user address of an array of u64
 *	handles
 * @UBURMA_DELETE_JFR_BATCH_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous
 *	events of the object that were delivered
 * @UBURMA_DELETE_JFR_BATCH_OUT_BAD_JFR_INDEX: u32, index of the first handle
 *	that failed; written on failure too
 *
 * Destroys JFRs in the given order, until one fails. Counters are sums over the
 * objects destroyed.
 */
enum uburma_delete_jfr_batch_attr {
	UBURMA_DELETE_JFR_BATCH_IN_JFR_COUNT			= 0x00,
	UBURMA_DELETE_JFR_BATCH_IN_JFR_PTR			= 0x01,
	UBURMA_DELETE_JFR_BATCH_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
	UBURMA_DELETE_JFR_BATCH_OUT_BAD_JFR_INDEX		= 0x81,
};

/**
 * enum uburma_delete_jfc_batch_attr - attributes of UBURMA_CMD_DELETE_JFC_BATCH
 * @UBURMA_DELETE_JFC_BATCH_IN_JFC_COUNT: u32, number of handles, at most
 *	UBURMA_MAX_BATCH
 * @UBURMA_DELETE_JFC_BATCH_IN_JFC_PTR: u64, user address of an array of u64
 *	handles
 * @UBURMA_DELETE_JFC_BATCH_OUT_COMP_EVENTS_REPORTED: u32, completion events
 *	of the JFC that were delivered
 * @UBURMA_DELETE_JFC_BATCH_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous
 *	events of the object that were delivered
 * @UBURMA_DELETE_JFC_BATCH_OUT_BAD_JFC_INDEX: u32, index of the first handle
 *	that failed; written on failure too
 *
 * Destroys JFCs in the given order, until one fails. Counters are sums over the
 * objects destroyed.
 */
enum uburma_delete_jfc_batch_attr {
	UBURMA_DELETE_JFC_BATCH_IN_JFC_COUNT			= 0x00,
	UBURMA_DELETE_JFC_BATCH_IN_JFC_PTR			= 0x01,
	UBURMA_DELETE_JFC_BATCH_OUT_COMP_EVENTS_REPORTED	= 0x80,
	UBURMA_DELETE_JFC_BATCH_OUT_ASYNC_EVENTS_REPORTED	= 0x81,
	UBURMA_DELETE_JFC_BATCH_OUT_BAD_JFC_INDEX		= 0x82,
};

/**
 * enum uburma_delete_jetty_batch_attr - attributes of UBURMA_CMD_DELETE_JETTY_BATCH
 * @UBURMA_DELETE_JETTY_BATCH_IN_JETTY_COUNT: u32, number of handles, at most
 *	UBURMA_MAX_BATCH
 * @UBURMA_DELETE_JETTY_BATCH_IN_JETTY_PTR: u64, user address of an array of
 *	u64 handles
 * @UBURMA_DELETE_JETTY_BATCH_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous
 *	events of the object that were delivered
 * @UBURMA_DELETE_JETTY_BATCH_OUT_BAD_JETTY_INDEX: u32, index of the first
 *	handle that failed; written on failure too
 *
 * Destroys jettys in the given order, until one fails. Counters are sums over
 * the objects destroyed.
 */
enum uburma_delete_jetty_batch_attr {
	UBURMA_DELETE_JETTY_BATCH_IN_JETTY_COUNT		= 0x00,
	UBURMA_DELETE_JETTY_BATCH_IN_JETTY_PTR			= 0x01,
	UBURMA_DELETE_JETTY_BATCH_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
	UBURMA_DELETE_JETTY_BATCH_OUT_BAD_JETTY_INDEX		= 0x81,
};

/**
 * enum uburma_set_tp_attr_attr - attributes of UBURMA_CMD_SET_TP_ATTR
 * @UBURMA_SET_TP_ATTR_IN_TP_HANDLE: u64, handle of the path
 * @UBURMA_SET_TP_ATTR_IN_TP_ATTR_CNT: u8, number of values meant
 * @UBURMA_SET_TP_ATTR_IN_TP_ATTR_BITMAP: u32, UBURMA_TP_ATTR_BIT_* bits
 * @UBURMA_SET_TP_ATTR_IN_TP_ATTR: struct uburma_tp_attr_value, the values
 * @UBURMA_SET_TP_ATTR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_SET_TP_ATTR_OUT_UDATA: struct uburma_udata, driver data, not written
 *
 * Sets attributes of a transport path.
 */
enum uburma_set_tp_attr_attr {
	UBURMA_SET_TP_ATTR_IN_TP_HANDLE		= 0x00,
	UBURMA_SET_TP_ATTR_IN_TP_ATTR_CNT	= 0x01,
	UBURMA_SET_TP_ATTR_IN_TP_ATTR_BITMAP	= 0x02,
	UBURMA_SET_TP_ATTR_IN_TP_ATTR		= 0x03,
	UBURMA_SET_TP_ATTR_IN_UDATA		= 0x04,
	UBURMA_SET_TP_ATTR_OUT_UDATA		= 0x80,
};

/**
 * enum uburma_get_tp_attr_attr - attributes of UBURMA_CMD_GET_TP_ATTR
 * @UBURMA_GET_TP_ATTR_IN_TP_HANDLE: u64, handle of the path
 * @UBURMA_GET_TP_ATTR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_GET_TP_ATTR_OUT_TP_ATTR_CNT: u8, number of values meant
 * @UBURMA_GET_TP_ATTR_OUT_TP_ATTR_BITMAP: u32, UBURMA_TP_ATTR_BIT_* bits
 * @UBURMA_GET_TP_ATTR_OUT_TP_ATTR: struct uburma_tp_attr_value, the values
 * @UBURMA_GET_TP_ATTR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Reads attributes of a transport path.
 */
enum uburma_get_tp_attr_attr {
	UBURMA_GET_TP_ATTR_IN_TP_HANDLE		= 0x00,
	UBURMA_GET_TP_ATTR_IN_UDATA		= 0x01,
	UBURMA_GET_TP_ATTR_OUT_TP_ATTR_CNT	= 0x80,
	UBURMA_GET_TP_ATTR_OUT_TP_ATTR_BITMAP	= 0x81,
	UBURMA_GET_TP_ATTR_OUT_TP_ATTR		= 0x82,
	UBURMA_GET_TP_ATTR_OUT_UDATA		= 0x83,
};

/**
 * enum uburma_exchange_tp_info_attr - attributes of UBURMA_CMD_EXCHANGE_TP_INFO
 * @UBURMA_EXCHANGE_TP_INFO_IN_FLAG: u32, UBURMA_GET_TP_CFG_FLAG_* bits
 * @UBURMA_EXCHANGE_TP_INFO_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_EXCHANGE_TP_INFO_IN_LOCAL_EID: union uburma_eid, local EID
 * @UBURMA_EXCHANGE_TP_INFO_IN_PEER_EID: union uburma_eid, EID of the peer
 * @UBURMA_EXCHANGE_TP_INFO_IN_TP_HANDLE: u64, handle of the local path
 * @UBURMA_EXCHANGE_TP_INFO_IN_TX_PSN: u32, first sequence number this side
 *	sends
 * @UBURMA_EXCHANGE_TP_INFO_OUT_PEER_TP_HANDLE: u64, the peer's handle of the
 *	transport path
 * @UBURMA_EXCHANGE_TP_INFO_OUT_RX_PSN: u32, first sequence number the peer
 *	sends
 *
 * Asks the peer for its side of a transport path.
 */
enum uburma_exchange_tp_info_attr {
	UBURMA_EXCHANGE_TP_INFO_IN_FLAG			= 0x00,
	UBURMA_EXCHANGE_TP_INFO_IN_TRANS_MODE		= 0x01,
	UBURMA_EXCHANGE_TP_INFO_IN_LOCAL_EID		= 0x02,
	UBURMA_EXCHANGE_TP_INFO_IN_PEER_EID		= 0x03,
	UBURMA_EXCHANGE_TP_INFO_IN_TP_HANDLE		= 0x04,
	UBURMA_EXCHANGE_TP_INFO_IN_TX_PSN		= 0x05,
	UBURMA_EXCHANGE_TP_INFO_OUT_PEER_TP_HANDLE	= 0x80,
	UBURMA_EXCHANGE_TP_INFO_OUT_RX_PSN		= 0x81,
};

/**
 * enum uburma_get_eid_by_ip_attr - attributes of UBURMA_CMD_GET_EID_BY_IP
 * @UBURMA_GET_EID_BY_IP_INFO_IN_NET_ADDR: struct uburma_net_addr, IP address
 * @UBURMA_GET_EID_BY_IP_INFO_OUT_EID: union uburma_eid, the EID
 *
 * Finds the EID of an IP address.
 */
enum uburma_get_eid_by_ip_attr {
	UBURMA_GET_EID_BY_IP_INFO_IN_NET_ADDR	= 0x00,
	UBURMA_GET_EID_BY_IP_INFO_OUT_EID	= 0x80,
};

/**
 * enum uburma_get_ip_by_eid_attr - attributes of UBURMA_CMD_GET_IP_BY_EID
 * @UBURMA_GET_IP_BY_EID_INFO_IN_EID: union uburma_eid, the EID
 * @UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR: struct uburma_net_addr, IP address
 *
 * Finds the IP address of an EID.
 */
enum uburma_get_ip_by_eid_attr {
	UBURMA_GET_IP_BY_EID_INFO_IN_EID	= 0x00,
	UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR	= 0x80,
};

/**
 * enum uburma_get_smac_attr - attributes of UBURMA_CMD_GET_SMAC
 * @UBURMA_GET_SMAC_OUT_MAC: u8[6], MAC address of the device
 *
 * Reads the MAC address of the device.
 */
enum uburma_get_smac_attr {
	UBURMA_GET_SMAC_OUT_MAC	= 0x80,
};

/**
 * enum uburma_get_dmac_attr - attributes of UBURMA_CMD_GET_DMAC
 * @UBURMA_GET_DMAC_IN_NET_ADDR: struct uburma_net_addr, IP address of the peer
 * @UBURMA_GET_DMAC_OUT_MAC: u8[6], MAC address of the peer
 *
 * Finds the MAC address of a peer.
 */
enum uburma_get_dmac_attr {
	UBURMA_GET_DMAC_IN_NET_ADDR	= 0x00,
	UBURMA_GET_DMAC_OUT_MAC		= 0x80,
};

/**
 * enum uburma_alloc_jfc_attr - attributes of UBURMA_CMD_ALLOC_JFC
 * @UBURMA_ALLOC_JFC_IN_DEPTH: u32, depth in entries
 * @UBURMA_ALLOC_JFC_IN_FLAG: u32, UBURMA_JFC_FLAG_* bits
 * @UBURMA_ALLOC_JFC_IN_JFCE_FD: s32, event channel, or UBURMA_NO_JFCE_FD
 * @UBURMA_ALLOC_JFC_IN_URMA_JFC: u64, opaque value returned with events
 * @UBURMA_ALLOC_JFC_IN_CEQN: u32, completion event queue
 * @UBURMA_ALLOC_JFC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ALLOC_JFC_OUT_ID: u32, id
 * @UBURMA_ALLOC_JFC_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_ALLOC_JFC_OUT_HANDLE: u64, handle of the new JFC
 * @UBURMA_ALLOC_JFC_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage one of creating a JFC. Reserves an id and a handle; the queue works
 * from the activation on.
 */
enum uburma_alloc_jfc_attr {
	UBURMA_ALLOC_JFC_IN_DEPTH	= 0x00,
	UBURMA_ALLOC_JFC_IN_FLAG	= 0x01,
	UBURMA_ALLOC_JFC_IN_JFCE_FD	= 0x02,
	UBURMA_ALLOC_JFC_IN_URMA_JFC	= 0x03,
	UBURMA_ALLOC_JFC_IN_CEQN	= 0x04,
	UBURMA_ALLOC_JFC_IN_UDATA	= 0x05,
	UBURMA_ALLOC_JFC_OUT_ID		= 0x80,
	UBURMA_ALLOC_JFC_OUT_DEPTH	= 0x81,
	UBURMA_ALLOC_JFC_OUT_HANDLE	= 0x82,
	UBURMA_ALLOC_JFC_OUT_UDATA	= 0x83,
};

/**
 * enum uburma_free_jfc_attr - attributes of UBURMA_CMD_FREE_JFC
 * @UBURMA_FREE_JFC_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_FREE_JFC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_FREE_JFC_OUT_COMP_EVENTS_REPORTED: u32, completion events of the
 *	JFC that were delivered
 * @UBURMA_FREE_JFC_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of the
 *	object that were delivered
 * @UBURMA_FREE_JFC_OUT_UDATA: struct uburma_udata, driver data
 *
 * Frees a JFC made by UBURMA_CMD_ALLOC_JFC, active or not. Undelivered events
 * are dropped and not counted; user space must acknowledge exactly as many
 * events as are reported.
 */
enum uburma_free_jfc_attr {
	UBURMA_FREE_JFC_IN_HANDLE			= 0x00,
	UBURMA_FREE_JFC_IN_UDATA			= 0x01,
	UBURMA_FREE_JFC_OUT_COMP_EVENTS_REPORTED	= 0x80,
	UBURMA_FREE_JFC_OUT_ASYNC_EVENTS_REPORTED	= 0x81,
	UBURMA_FREE_JFC_OUT_UDATA			= 0x82,
};

/**
 * enum uburma_set_jfc_opt_attr - attributes of UBURMA_CMD_SET_JFC_OPT
 * @UBURMA_SET_JFC_OPT_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_SET_JFC_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_SET_JFC_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_SET_JFC_OPT_IN_LEN: u32, bytes of the value, at most
 *	UBURMA_MAX_OPT_LEN
 * @UBURMA_SET_JFC_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_SET_JFC_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Sets one option of a JFC that is not active.
 */
enum uburma_set_jfc_opt_attr {
	UBURMA_SET_JFC_OPT_IN_HANDLE	= 0x00,
	UBURMA_SET_JFC_OPT_IN_OPT	= 0x01,
	UBURMA_SET_JFC_OPT_IN_BUF	= 0x02,
	UBURMA_SET_JFC_OPT_IN_LEN	= 0x03,
	UBURMA_SET_JFC_OPT_IN_UDATA	= 0x04,
	UBURMA_SET_JFC_OPT_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_get_jfc_opt_attr - attributes of UBURMA_CMD_GET_JFC_OPT
 * @UBURMA_GET_JFC_OPT_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_GET_JFC_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_GET_JFC_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_GET_JFC_OPT_IN_LEN: u32, room for the value in bytes
 * @UBURMA_GET_JFC_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_GET_JFC_OPT_OUT_BUF: u64, BUF as given
 * @UBURMA_GET_JFC_OPT_OUT_LEN: u32, bytes of the value written
 * @UBURMA_GET_JFC_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Reads one option of a JFC.
 */
enum uburma_get_jfc_opt_attr {
	UBURMA_GET_JFC_OPT_IN_HANDLE	= 0x00,
	UBURMA_GET_JFC_OPT_IN_OPT	= 0x01,
	UBURMA_GET_JFC_OPT_IN_BUF	= 0x02,
	UBURMA_GET_JFC_OPT_IN_LEN	= 0x03,
	UBURMA_GET_JFC_OPT_IN_UDATA	= 0x04,
	UBURMA_GET_JFC_OPT_OUT_BUF	= 0x80,
	UBURMA_GET_JFC_OPT_OUT_LEN	= 0x81,
	UBURMA_GET_JFC_OPT_OUT_UDATA	= 0x82,
};

/**
 * enum uburma_active_jfc_attr - attributes of UBURMA_CMD_ACTIVE_JFC
 * @UBURMA_ACTIVE_JFC_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_ACTIVE_JFC_IN_DEPTH: u32, depth in entries
 * @UBURMA_ACTIVE_JFC_IN_FLAG: u32, UBURMA_JFC_FLAG_* bits
 * @UBURMA_ACTIVE_JFC_IN_CEQN: u32, completion event queue
 * @UBURMA_ACTIVE_JFC_IN_JFC_OPT: u64, user address of a struct uburma_jfc_opt
 * @UBURMA_ACTIVE_JFC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ACTIVE_JFC_OUT_ID: u32, id
 * @UBURMA_ACTIVE_JFC_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_ACTIVE_JFC_OUT_HANDLE: u64, handle, the one given
 * @UBURMA_ACTIVE_JFC_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage two of creating a JFC. The configuration is sent again and wins over
 * that of stage one.
 */
enum uburma_active_jfc_attr {
	UBURMA_ACTIVE_JFC_IN_HANDLE	= 0x00,
	UBURMA_ACTIVE_JFC_IN_DEPTH	= 0x01,
	UBURMA_ACTIVE_JFC_IN_FLAG	= 0x02,
	UBURMA_ACTIVE_JFC_IN_CEQN	= 0x03,
	UBURMA_ACTIVE_JFC_IN_JFC_OPT	= 0x04,
	UBURMA_ACTIVE_JFC_IN_UDATA	= 0x05,
	UBURMA_ACTIVE_JFC_OUT_ID	= 0x80,
	UBURMA_ACTIVE_JFC_OUT_DEPTH	= 0x81,
	UBURMA_ACTIVE_JFC_OUT_HANDLE	= 0x82,
	UBURMA_ACTIVE_JFC_OUT_UDATA	= 0x83,
};

/**
 * enum uburma_deactive_jfc_attr - attributes of UBURMA_CMD_DEACTIVE_JFC
 * @UBURMA_DEACTIVE_JFC_IN_HANDLE: u64, handle of the JFC
 * @UBURMA_DEACTIVE_JFC_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_DEACTIVE_JFC_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stops a JFC; it can be activated again or freed.
 */
enum uburma_deactive_jfc_attr {
	UBURMA_DEACTIVE_JFC_IN_HANDLE	= 0x00,
	UBURMA_DEACTIVE_JFC_IN_UDATA	= 0x01,
	UBURMA_DEACTIVE_JFC_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_alloc_jfr_attr - attributes of UBURMA_CMD_ALLOC_JFR
 * @UBURMA_ALLOC_JFR_IN_DEPTH: u32, depth in entries
 * @UBURMA_ALLOC_JFR_IN_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_ALLOC_JFR_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_ALLOC_JFR_IN_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_ALLOC_JFR_IN_MIN_RNR_TIMER: u8, "receiver not ready" timer, encoded
 * @UBURMA_ALLOC_JFR_IN_JFC_ID: u32, id of the JFC, informational
 * @UBURMA_ALLOC_JFR_IN_JFC_HANDLE: u64, handle of the JFC
 * @UBURMA_ALLOC_JFR_IN_TOKEN: u32, token value that protects the JFR
 * @UBURMA_ALLOC_JFR_IN_ID: u32, wanted id, 0 to let the kernel choose
 * @UBURMA_ALLOC_JFR_IN_URMA_JFR: u64, opaque value returned with events
 * @UBURMA_ALLOC_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ALLOC_JFR_OUT_ID: u32, id, the number peers use
 * @UBURMA_ALLOC_JFR_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_ALLOC_JFR_OUT_HANDLE: u64, handle of the new JFR
 * @UBURMA_ALLOC_JFR_OUT_MAX_SGE: u8, local scatter/gather entries of a
 *	request, as granted
 * @UBURMA_ALLOC_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage one of creating a JFR. Reserves an id and a handle; the queue works
 * from the activation on.
 */
enum uburma_alloc_jfr_attr {
	UBURMA_ALLOC_JFR_IN_DEPTH		= 0x00,
	UBURMA_ALLOC_JFR_IN_FLAG		= 0x01,
	UBURMA_ALLOC_JFR_IN_TRANS_MODE		= 0x02,
	UBURMA_ALLOC_JFR_IN_MAX_SGE		= 0x03,
	UBURMA_ALLOC_JFR_IN_MIN_RNR_TIMER	= 0x04,
	UBURMA_ALLOC_JFR_IN_JFC_ID		= 0x05,
	UBURMA_ALLOC_JFR_IN_JFC_HANDLE		= 0x06,
	UBURMA_ALLOC_JFR_IN_TOKEN		= 0x07,
	UBURMA_ALLOC_JFR_IN_ID			= 0x08,
	UBURMA_ALLOC_JFR_IN_URMA_JFR		= 0x09,
	UBURMA_ALLOC_JFR_IN_UDATA		= 0x0a,
	UBURMA_ALLOC_JFR_OUT_ID			= 0x80,
	UBURMA_ALLOC_JFR_OUT_DEPTH		= 0x81,
	UBURMA_ALLOC_JFR_OUT_HANDLE		= 0x82,
	UBURMA_ALLOC_JFR_OUT_MAX_SGE		= 0x83,
	UBURMA_ALLOC_JFR_OUT_UDATA		= 0x84,
};

/**
 * enum uburma_free_jfr_attr - attributes of UBURMA_CMD_FREE_JFR
 * @UBURMA_FREE_JFR_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_FREE_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of the
 *	object that were delivered
 * @UBURMA_FREE_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Frees a JFR made by UBURMA_CMD_ALLOC_JFR, active or not. Undelivered events
 * are dropped and not counted; user space must acknowledge exactly as many
 * events as are reported.
 */
enum uburma_free_jfr_attr {
	UBURMA_FREE_JFR_IN_HANDLE			= 0x00,
	UBURMA_FREE_JFR_IN_UDATA			= 0x01,
	UBURMA_FREE_JFR_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
	UBURMA_FREE_JFR_OUT_UDATA			= 0x81,
};

/**
 * enum uburma_set_jfr_opt_attr - attributes of UBURMA_CMD_SET_JFR_OPT
 * @UBURMA_SET_JFR_OPT_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_SET_JFR_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_SET_JFR_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_SET_JFR_OPT_IN_LEN: u32, bytes of the value, at most
 *	UBURMA_MAX_OPT_LEN
 * @UBURMA_SET_JFR_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_SET_JFR_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Sets one option of a JFR that is not active.
 */
enum uburma_set_jfr_opt_attr {
	UBURMA_SET_JFR_OPT_IN_HANDLE	= 0x00,
	UBURMA_SET_JFR_OPT_IN_OPT	= 0x01,
	UBURMA_SET_JFR_OPT_IN_BUF	= 0x02,
	UBURMA_SET_JFR_OPT_IN_LEN	= 0x03,
	UBURMA_SET_JFR_OPT_IN_UDATA	= 0x04,
	UBURMA_SET_JFR_OPT_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_get_jfr_opt_attr - attributes of UBURMA_CMD_GET_JFR_OPT
 * @UBURMA_GET_JFR_OPT_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_GET_JFR_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_GET_JFR_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_GET_JFR_OPT_IN_LEN: u32, room for the value in bytes
 * @UBURMA_GET_JFR_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_GET_JFR_OPT_OUT_BUF: u64, BUF as given
 * @UBURMA_GET_JFR_OPT_OUT_LEN: u32, bytes of the value written
 * @UBURMA_GET_JFR_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Reads one option of a JFR.
 */
enum uburma_get_jfr_opt_attr {
	UBURMA_GET_JFR_OPT_IN_HANDLE	= 0x00,
	UBURMA_GET_JFR_OPT_IN_OPT	= 0x01,
	UBURMA_GET_JFR_OPT_IN_BUF	= 0x02,
	UBURMA_GET_JFR_OPT_IN_LEN	= 0x03,
	UBURMA_GET_JFR_OPT_IN_UDATA	= 0x04,
	UBURMA_GET_JFR_OPT_OUT_BUF	= 0x80,
	UBURMA_GET_JFR_OPT_OUT_LEN	= 0x81,
	UBURMA_GET_JFR_OPT_OUT_UDATA	= 0x82,
};

/**
 * enum uburma_active_jfr_attr - attributes of UBURMA_CMD_ACTIVE_JFR
 * @UBURMA_ACTIVE_JFR_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_ACTIVE_JFR_IN_DEPTH: u32, depth in entries
 * @UBURMA_ACTIVE_JFR_IN_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_ACTIVE_JFR_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_ACTIVE_JFR_IN_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_ACTIVE_JFR_IN_MIN_RNR_TIMER: u8, "receiver not ready" timer, encoded
 * @UBURMA_ACTIVE_JFR_IN_JFC_ID: u32, id of the JFC, informational
 * @UBURMA_ACTIVE_JFR_IN_JFC_HANDLE: u64, handle of the JFC
 * @UBURMA_ACTIVE_JFR_IN_TOKEN: u32, token value that protects the JFR
 * @UBURMA_ACTIVE_JFR_IN_JFR_OPT: u64, user address of a struct uburma_jfr_opt
 * @UBURMA_ACTIVE_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ACTIVE_JFR_OUT_ID: u32, id, the number peers use
 * @UBURMA_ACTIVE_JFR_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_ACTIVE_JFR_OUT_HANDLE: u64, handle, the one given
 * @UBURMA_ACTIVE_JFR_OUT_MAX_SGE: u8, local scatter/gather entries of a
 *	request, as granted
 * @UBURMA_ACTIVE_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage two of creating a JFR. The configuration is sent again and wins over
 * that of stage one.
 */
enum uburma_active_jfr_attr {
	UBURMA_ACTIVE_JFR_IN_HANDLE		= 0x00,
	UBURMA_ACTIVE_JFR_IN_DEPTH		= 0x01,
	UBURMA_ACTIVE_JFR_IN_FLAG		= 0x02,
	UBURMA_ACTIVE_JFR_IN_TRANS_MODE		= 0x03,
	UBURMA_ACTIVE_JFR_IN_MAX_SGE		= 0x04,
	UBURMA_ACTIVE_JFR_IN_MIN_RNR_TIMER	= 0x05,
	UBURMA_ACTIVE_JFR_IN_JFC_ID		= 0x06,
	UBURMA_ACTIVE_JFR_IN_JFC_HANDLE		= 0x07,
	UBURMA_ACTIVE_JFR_IN_TOKEN		= 0x08,
	UBURMA_ACTIVE_JFR_IN_JFR_OPT		= 0x09,
	UBURMA_ACTIVE_JFR_IN_UDATA		= 0x0a,
	UBURMA_ACTIVE_JFR_OUT_ID		= 0x80,
	UBURMA_ACTIVE_JFR_OUT_DEPTH		= 0x81,
	UBURMA_ACTIVE_JFR_OUT_HANDLE		= 0x82,
	UBURMA_ACTIVE_JFR_OUT_MAX_SGE		= 0x83,
	UBURMA_ACTIVE_JFR_OUT_UDATA		= 0x84,
};

/**
 * enum uburma_deactive_jfr_attr - attributes of UBURMA_CMD_DEACTIVE_JFR
 * @UBURMA_DEACTIVE_JFR_IN_HANDLE: u64, handle of the JFR
 * @UBURMA_DEACTIVE_JFR_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_DEACTIVE_JFR_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stops a JFR; it can be activated again or freed.
 */
enum uburma_deactive_jfr_attr {
	UBURMA_DEACTIVE_JFR_IN_HANDLE	= 0x00,
	UBURMA_DEACTIVE_JFR_IN_UDATA	= 0x01,
	UBURMA_DEACTIVE_JFR_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_alloc_jfs_attr - attributes of UBURMA_CMD_ALLOC_JFS
 * @UBURMA_ALLOC_JFS_IN_DEPTH: u32, depth in entries
 * @UBURMA_ALLOC_JFS_IN_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_ALLOC_JFS_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_ALLOC_JFS_IN_PRIORITY: u8, priority
 * @UBURMA_ALLOC_JFS_IN_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_ALLOC_JFS_IN_MAX_RSGE: u8, remote scatter/gather entries of a request
 * @UBURMA_ALLOC_JFS_IN_MAX_INLINE_DATA: u32, inline payload of a send request
 *	in bytes
 * @UBURMA_ALLOC_JFS_IN_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_ALLOC_JFS_IN_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_ALLOC_JFS_IN_JFC_ID: u32, id of the JFC, informational
 * @UBURMA_ALLOC_JFS_IN_JFC_HANDLE: u64, handle of the JFC
 * @UBURMA_ALLOC_JFS_IN_URMA_JFS: u64, opaque value returned with events
 * @UBURMA_ALLOC_JFS_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ALLOC_JFS_OUT_ID: u32, id, the number peers use
 * @UBURMA_ALLOC_JFS_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_ALLOC_JFS_OUT_MAX_SGE: u8, local scatter/gather entries of a
 *	request, as granted
 * @UBURMA_ALLOC_JFS_OUT_MAX_RSGE: u8, remote scatter/gather entries of a
 *	request, as granted
 * @UBURMA_ALLOC_JFS_OUT_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes, as granted
 * @UBURMA_ALLOC_JFS_OUT_HANDLE: u64, handle of the new JFS
 * @UBURMA_ALLOC_JFS_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage one of creating a JFS. Reserves an id and a handle; the queue works
 * from the activation on.
 */
enum uburma_alloc_jfs_attr {
	UBURMA_ALLOC_JFS_IN_DEPTH		= 0x00,
	UBURMA_ALLOC_JFS_IN_FLAG		= 0x01,
	UBURMA_ALLOC_JFS_IN_TRANS_MODE		= 0x02,
	UBURMA_ALLOC_JFS_IN_PRIORITY		= 0x03,
	UBURMA_ALLOC_JFS_IN_MAX_SGE		= 0x04,
	UBURMA_ALLOC_JFS_IN_MAX_RSGE		= 0x05,
	UBURMA_ALLOC_JFS_IN_MAX_INLINE_DATA	= 0x06,
	UBURMA_ALLOC_JFS_IN_RNR_RETRY		= 0x07,
	UBURMA_ALLOC_JFS_IN_ERR_TIMEOUT		= 0x08,
	UBURMA_ALLOC_JFS_IN_JFC_ID		= 0x09,
	UBURMA_ALLOC_JFS_IN_JFC_HANDLE		= 0x0a,
	UBURMA_ALLOC_JFS_IN_URMA_JFS		= 0x0b,
	UBURMA_ALLOC_JFS_IN_UDATA		= 0x0c,
	UBURMA_ALLOC_JFS_OUT_ID			= 0x80,
	UBURMA_ALLOC_JFS_OUT_DEPTH		= 0x81,
	UBURMA_ALLOC_JFS_OUT_MAX_SGE		= 0x82,
	UBURMA_ALLOC_JFS_OUT_MAX_RSGE		= 0x83,
	UBURMA_ALLOC_JFS_OUT_MAX_INLINE_DATA	= 0x84,
	UBURMA_ALLOC_JFS_OUT_HANDLE		= 0x85,
	UBURMA_ALLOC_JFS_OUT_UDATA		= 0x86,
};

/**
 * enum uburma_free_jfs_attr - attributes of UBURMA_CMD_FREE_JFS
 * @UBURMA_FREE_JFS_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_FREE_JFS_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_FREE_JFS_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of the
 *	object that were delivered
 * @UBURMA_FREE_JFS_OUT_UDATA: struct uburma_udata, driver data
 *
 * Frees a JFS made by UBURMA_CMD_ALLOC_JFS, active or not. Undelivered events
 * are dropped and not counted; user space must acknowledge exactly as many
 * events as are reported.
 */
enum uburma_free_jfs_attr {
	UBURMA_FREE_JFS_IN_HANDLE			= 0x00,
	UBURMA_FREE_JFS_IN_UDATA			= 0x01,
	UBURMA_FREE_JFS_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
	UBURMA_FREE_JFS_OUT_UDATA			= 0x81,
};

/**
 * enum uburma_set_jfs_opt_attr - attributes of UBURMA_CMD_SET_JFS_OPT
 * @UBURMA_SET_JFS_OPT_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_SET_JFS_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_SET_JFS_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_SET_JFS_OPT_IN_LEN: u32, bytes of the value, at most
 *	UBURMA_MAX_OPT_LEN
 * @UBURMA_SET_JFS_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_SET_JFS_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Sets one option of a JFS that is not active.
 */
enum uburma_set_jfs_opt_attr {
	UBURMA_SET_JFS_OPT_IN_HANDLE	= 0x00,
	UBURMA_SET_JFS_OPT_IN_OPT	= 0x01,
	UBURMA_SET_JFS_OPT_IN_BUF	= 0x02,
	UBURMA_SET_JFS_OPT_IN_LEN	= 0x03,
	UBURMA_SET_JFS_OPT_IN_UDATA	= 0x04,
	UBURMA_SET_JFS_OPT_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_get_jfs_opt_attr - attributes of UBURMA_CMD_GET_JFS_OPT
 * @UBURMA_GET_JFS_OPT_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_GET_JFS_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_GET_JFS_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_GET_JFS_OPT_IN_LEN: u32, room for the value in bytes
 * @UBURMA_GET_JFS_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_GET_JFS_OPT_OUT_BUF: u64, BUF as given
 * @UBURMA_GET_JFS_OPT_OUT_LEN: u32, bytes of the value written
 * @UBURMA_GET_JFS_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Reads one option of a JFS.
 */
enum uburma_get_jfs_opt_attr {
	UBURMA_GET_JFS_OPT_IN_HANDLE	= 0x00,
	UBURMA_GET_JFS_OPT_IN_OPT	= 0x01,
	UBURMA_GET_JFS_OPT_IN_BUF	= 0x02,
	UBURMA_GET_JFS_OPT_IN_LEN	= 0x03,
	UBURMA_GET_JFS_OPT_IN_UDATA	= 0x04,
	UBURMA_GET_JFS_OPT_OUT_BUF	= 0x80,
	UBURMA_GET_JFS_OPT_OUT_LEN	= 0x81,
	UBURMA_GET_JFS_OPT_OUT_UDATA	= 0x82,
};

/**
 * enum uburma_active_jfs_attr - attributes of UBURMA_CMD_ACTIVE_JFS
 * @UBURMA_ACTIVE_JFS_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_ACTIVE_JFS_IN_DEPTH: u32, depth in entries
 * @UBURMA_ACTIVE_JFS_IN_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_ACTIVE_JFS_IN_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_ACTIVE_JFS_IN_PRIORITY: u32, priority
 * @UBURMA_ACTIVE_JFS_IN_MAX_SGE: u8, local scatter/gather entries of a request
 * @UBURMA_ACTIVE_JFS_IN_MAX_RSGE: u8, remote scatter/gather entries of a
 *	request
 * @UBURMA_ACTIVE_JFS_IN_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes
 * @UBURMA_ACTIVE_JFS_IN_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_ACTIVE_JFS_IN_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_ACTIVE_JFS_IN_JFC_ID: u32, id of the JFC, informational
 * @UBURMA_ACTIVE_JFS_IN_JFC_HANDLE: u64, handle of the JFC
 * @UBURMA_ACTIVE_JFS_IN_JFS_OPT: u64, user address of a struct uburma_jfs_opt
 * @UBURMA_ACTIVE_JFS_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ACTIVE_JFS_OUT_ID: u32, id, the number peers use
 * @UBURMA_ACTIVE_JFS_OUT_DEPTH: u32, depth in entries, as granted
 * @UBURMA_ACTIVE_JFS_OUT_MAX_SGE: u8, local scatter/gather entries of a
 *	request, as granted
 * @UBURMA_ACTIVE_JFS_OUT_MAX_RSGE: u8, remote scatter/gather entries of a
 *	request, as granted
 * @UBURMA_ACTIVE_JFS_OUT_MAX_INLINE_DATA: u32, inline payload of a send
 *	request in bytes, as granted
 * @UBURMA_ACTIVE_JFS_OUT_HANDLE: u64, handle, the one given
 * @UBURMA_ACTIVE_JFS_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage two of creating a JFS. The configuration is sent again and wins over
 * that of stage one. The priority has four bytes here.
 */
enum uburma_active_jfs_attr {
	UBURMA_ACTIVE_JFS_IN_HANDLE		= 0x00,
	UBURMA_ACTIVE_JFS_IN_DEPTH		= 0x01,
	UBURMA_ACTIVE_JFS_IN_FLAG		= 0x02,
	UBURMA_ACTIVE_JFS_IN_TRANS_MODE		= 0x03,
	UBURMA_ACTIVE_JFS_IN_PRIORITY		= 0x04,
	UBURMA_ACTIVE_JFS_IN_MAX_SGE		= 0x05,
	UBURMA_ACTIVE_JFS_IN_MAX_RSGE		= 0x06,
	UBURMA_ACTIVE_JFS_IN_MAX_INLINE_DATA	= 0x07,
	UBURMA_ACTIVE_JFS_IN_RNR_RETRY		= 0x08,
	UBURMA_ACTIVE_JFS_IN_ERR_TIMEOUT	= 0x09,
	UBURMA_ACTIVE_JFS_IN_JFC_ID		= 0x0a,
	UBURMA_ACTIVE_JFS_IN_JFC_HANDLE		= 0x0b,
	UBURMA_ACTIVE_JFS_IN_JFS_OPT		= 0x0c,
	UBURMA_ACTIVE_JFS_IN_UDATA		= 0x0d,
	UBURMA_ACTIVE_JFS_OUT_ID		= 0x80,
	UBURMA_ACTIVE_JFS_OUT_DEPTH		= 0x81,
	UBURMA_ACTIVE_JFS_OUT_MAX_SGE		= 0x82,
	UBURMA_ACTIVE_JFS_OUT_MAX_RSGE		= 0x83,
	UBURMA_ACTIVE_JFS_OUT_MAX_INLINE_DATA	= 0x84,
	UBURMA_ACTIVE_JFS_OUT_HANDLE		= 0x85,
	UBURMA_ACTIVE_JFS_OUT_UDATA		= 0x86,
};

/**
 * enum uburma_deactive_jfs_attr - attributes of UBURMA_CMD_DEACTIVE_JFS
 * @UBURMA_DEACTIVE_JFS_IN_HANDLE: u64, handle of the JFS
 * @UBURMA_DEACTIVE_JFS_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_DEACTIVE_JFS_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stops a JFS; it can be activated again or freed.
 */
enum uburma_deactive_jfs_attr {
	UBURMA_DEACTIVE_JFS_IN_HANDLE	= 0x00,
	UBURMA_DEACTIVE_JFS_IN_UDATA	= 0x01,
	UBURMA_DEACTIVE_JFS_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_alloc_jetty_attr - attributes of UBURMA_CMD_ALLOC_JETTY
 * @UBURMA_ALLOC_JETTY_IN_CFG: struct uburma_cmd_create_jetty, request
 * @UBURMA_ALLOC_JETTY_OUT_CFG: struct uburma_cmd_create_jetty, the same
 *	structure with the reply in it
 *
 * Stage one of creating a jetty. One structure crosses, in both directions.
 */
enum uburma_alloc_jetty_attr {
	UBURMA_ALLOC_JETTY_IN_CFG	= 0x00,
	UBURMA_ALLOC_JETTY_OUT_CFG	= 0x80,
};

/**
 * enum uburma_free_jetty_attr - attributes of UBURMA_CMD_FREE_JETTY
 * @UBURMA_FREE_JETTY_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_FREE_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_FREE_JETTY_OUT_ASYNC_EVENTS_REPORTED: u32, asynchronous events of
 *	the object that were delivered
 * @UBURMA_FREE_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Frees a jetty made by UBURMA_CMD_ALLOC_JETTY, active or not. Undelivered
 * events are dropped and not counted; user space must acknowledge exactly as
 * many events as are reported.
 */
enum uburma_free_jetty_attr {
	UBURMA_FREE_JETTY_IN_HANDLE			= 0x00,
	UBURMA_FREE_JETTY_IN_UDATA			= 0x01,
	UBURMA_FREE_JETTY_OUT_ASYNC_EVENTS_REPORTED	= 0x80,
	UBURMA_FREE_JETTY_OUT_UDATA			= 0x81,
};

/**
 * enum uburma_set_jetty_opt_attr - attributes of UBURMA_CMD_SET_JETTY_OPT
 * @UBURMA_SET_JETTY_OPT_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_SET_JETTY_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_SET_JETTY_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_SET_JETTY_OPT_IN_LEN: u32, bytes of the value, at most
 *	UBURMA_MAX_OPT_LEN
 * @UBURMA_SET_JETTY_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_SET_JETTY_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Sets one option of a jetty that is not active.
 */
enum uburma_set_jetty_opt_attr {
	UBURMA_SET_JETTY_OPT_IN_HANDLE	= 0x00,
	UBURMA_SET_JETTY_OPT_IN_OPT	= 0x01,
	UBURMA_SET_JETTY_OPT_IN_BUF	= 0x02,
	UBURMA_SET_JETTY_OPT_IN_LEN	= 0x03,
	UBURMA_SET_JETTY_OPT_IN_UDATA	= 0x04,
	UBURMA_SET_JETTY_OPT_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_get_jetty_opt_attr - attributes of UBURMA_CMD_GET_JETTY_OPT
 * @UBURMA_GET_JETTY_OPT_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_GET_JETTY_OPT_IN_OPT: u64, enum uburma_opt
 * @UBURMA_GET_JETTY_OPT_IN_BUF: u64, user address of the value
 * @UBURMA_GET_JETTY_OPT_IN_LEN: u32, room for the value in bytes
 * @UBURMA_GET_JETTY_OPT_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_GET_JETTY_OPT_OUT_BUF: u64, BUF as given
 * @UBURMA_GET_JETTY_OPT_OUT_LEN: u32, bytes of the value written
 * @UBURMA_GET_JETTY_OPT_OUT_UDATA: struct uburma_udata, driver data
 *
 * Reads one option of a jetty.
 */
enum uburma_get_jetty_opt_attr {
	UBURMA_GET_JETTY_OPT_IN_HANDLE	= 0x00,
	UBURMA_GET_JETTY_OPT_IN_OPT	= 0x01,
	UBURMA_GET_JETTY_OPT_IN_BUF	= 0x02,
	UBURMA_GET_JETTY_OPT_IN_LEN	= 0x03,
	UBURMA_GET_JETTY_OPT_IN_UDATA	= 0x04,
	UBURMA_GET_JETTY_OPT_OUT_BUF	= 0x80,
	UBURMA_GET_JETTY_OPT_OUT_LEN	= 0x81,
	UBURMA_GET_JETTY_OPT_OUT_UDATA	= 0x82,
};

/**
 * enum uburma_active_jetty_attr - attributes of UBURMA_CMD_ACTIVE_JETTY
 * @UBURMA_ACTIVE_JETTY_IN_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_ACTIVE_JETTY_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_ACTIVE_JETTY_IN_SEND_JFC_HANDLE: u64, handle of the send JFC
 * @UBURMA_ACTIVE_JETTY_IN_RECV_JFC_HANDLE: u64, handle of the receive JFC
 * @UBURMA_ACTIVE_JETTY_IN_URMA_JETTY: u64, ignored, 0
 * @UBURMA_ACTIVE_JETTY_IN_JETTY_OPT: u64, user address of a struct
 *	uburma_jetty_opt
 * @UBURMA_ACTIVE_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_ACTIVE_JETTY_OUT_JETTY_ID: u32, jetty id
 * @UBURMA_ACTIVE_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stage two of creating a jetty. The flag word is that of the send side.
 */
enum uburma_active_jetty_attr {
	UBURMA_ACTIVE_JETTY_IN_FLAG		= 0x00,
	UBURMA_ACTIVE_JETTY_IN_HANDLE		= 0x01,
	UBURMA_ACTIVE_JETTY_IN_SEND_JFC_HANDLE	= 0x02,
	UBURMA_ACTIVE_JETTY_IN_RECV_JFC_HANDLE	= 0x03,
	UBURMA_ACTIVE_JETTY_IN_URMA_JETTY	= 0x04,
	UBURMA_ACTIVE_JETTY_IN_JETTY_OPT	= 0x05,
	UBURMA_ACTIVE_JETTY_IN_UDATA		= 0x06,
	UBURMA_ACTIVE_JETTY_OUT_JETTY_ID	= 0x80,
	UBURMA_ACTIVE_JETTY_OUT_UDATA		= 0x81,
};

/**
 * enum uburma_deactive_jetty_attr - attributes of UBURMA_CMD_DEACTIVE_JETTY
 * @UBURMA_DEACTIVE_JETTY_IN_HANDLE: u64, handle of the jetty
 * @UBURMA_DEACTIVE_JETTY_IN_UDATA: struct uburma_udata opt, driver data
 * @UBURMA_DEACTIVE_JETTY_OUT_UDATA: struct uburma_udata, driver data
 *
 * Stops a jetty; it can be activated again or freed.
 */
enum uburma_deactive_jetty_attr {
	UBURMA_DEACTIVE_JETTY_IN_HANDLE	= 0x00,
	UBURMA_DEACTIVE_JETTY_IN_UDATA	= 0x01,
	UBURMA_DEACTIVE_JETTY_OUT_UDATA	= 0x80,
};

/**
 * enum uburma_get_jfce_cnt_attr - attributes of UBURMA_CMD_GET_JFCE_CNT
 * @UBURMA_GET_JFCE_CNT_IN_THRESHOLD: u32, channels per context
 * @UBURMA_GET_JFCE_CNT_OUT_JFCE_TOTAL_CNT: u64, event channels on the device
 * @UBURMA_GET_JFCE_CNT_OUT_JFCE_THRESH_CNT: u64, contexts with more channels
 *	than the threshold
 *
 * Counts completion event channels. Needs no context.
 */
enum uburma_get_jfce_cnt_attr {
	UBURMA_GET_JFCE_CNT_IN_THRESHOLD	= 0x00,
	UBURMA_GET_JFCE_CNT_OUT_JFCE_TOTAL_CNT	= 0x80,
	UBURMA_GET_JFCE_CNT_OUT_JFCE_THRESH_CNT	= 0x81,
};

/**
 * enum uburma_wait_jfce_attr - attributes of UBURMA_EVENT_CMD_WAIT_JFCE
 * @UBURMA_JFCE_WAIT_IN_MAX_EVENT_CNT: u32, most events wanted; more than
 *	UBURMA_MAX_JFCE_EVENTS counts as that
 * @UBURMA_JFCE_WAIT_IN_TIME_OUT: s32, milliseconds to wait, 0 not at all,
 *	negative without limit
 * @UBURMA_JFCE_WAIT_OUT_EVENT_CNT: u32, events written
 * @UBURMA_JFCE_WAIT_OUT_EVENT_DATA: u64[16], URMA_JFC value of each event
 *
 * Waits for completion events on a completion event file. At the end of the
 * time limit the command succeeds without writing anything.
 */
enum uburma_wait_jfce_attr {
	UBURMA_JFCE_WAIT_IN_MAX_EVENT_CNT	= 0x00,
	UBURMA_JFCE_WAIT_IN_TIME_OUT		= 0x01,
	UBURMA_JFCE_WAIT_OUT_EVENT_CNT		= 0x80,
	UBURMA_JFCE_WAIT_OUT_EVENT_DATA		= 0x81,
};

/**
 * enum uburma_get_async_event_attr - attributes of UBURMA_EVENT_CMD_GET_ASYNC_EVENT
 * @UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE: u32, enum uburma_async_event_type
 * @UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA: u64, object, port or EID index, by
 *	type
 *
 * Takes one event from an asynchronous event file; blocks unless the file is
 * O_NONBLOCK.
 */
enum uburma_get_async_event_attr {
	UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE	= 0x80,
	UBURMA_GET_ASYNC_EVENT_OUT_EVENT_DATA	= 0x81,
};

/**
 * enum uburma_wait_notify_attr - attributes of UBURMA_EVENT_CMD_WAIT_NOTIFY
 * @UBURMA_WAIT_NOTIFY_IN_CNT: u32, most records wanted; more than
 *	UBURMA_MAX_NOTIFY counts as that
 * @UBURMA_WAIT_NOTIFY_IN_TIMEOUT: s32, milliseconds to wait, 0 not at all,
 *	negative without limit
 * @UBURMA_WAIT_NOTIFY_OUT_CNT: u32, records written
 * @UBURMA_WAIT_NOTIFY_OUT_NOTIFY: struct uburma_cmd_notify[16], the records
 *
 * Takes records from a notification file.
 */
enum uburma_wait_notify_attr {
	UBURMA_WAIT_NOTIFY_IN_CNT	= 0x00,
	UBURMA_WAIT_NOTIFY_IN_TIMEOUT	= 0x01,
	UBURMA_WAIT_NOTIFY_OUT_CNT	= 0x80,
	UBURMA_WAIT_NOTIFY_OUT_NOTIFY	= 0x81,
};

#endif /* _UAPI_UB_UBURMA_CMDS_H */
