/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * User ABI of the uburma character devices, /dev/uburma/<device>.
 *
 * One ioctl number serves every command of a device file, another one serves
 * the event files (completion, asynchronous event and notification channel).
 * Both take a 16-byte header that points at an array of 16-byte attribute
 * records.  Command numbers and attribute ids are in <ub/uburma_cmds.h>; this
 * file holds the framing, the structures that cross as raw bytes, and all
 * enumerations and flag words.
 *
 * All integers are in host byte order unless marked big endian.  Sizes are in
 * bytes.  There is no version negotiation: attributes are matched by id and
 * unknown ones are ignored.
 */
#ifndef _UAPI_UB_UBURMA_H
#define _UAPI_UB_UBURMA_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: Error codes
 *
 * ioctl() returns 0, or -1 with errno set to
 *
 * - ENOTTY: unknown ioctl number.
 * - EINVAL: malformed header, unknown command, missing attribute or one of a
 *   wrong size, unknown handle, handle of another class of object, command
 *   that needs a context sent before UBURMA_CMD_CREATE_CTX.
 * - EFAULT: header, attribute array, or the target of an attribute cannot be
 *   read or written.
 * - EEXIST: second UBURMA_CMD_CREATE_CTX on one open file.
 * - EPERM: UBURMA_CMD_FREE_TOKEN_ID with a token id that is not the handle's.
 * - EBUSY: the object is in use, or another thread works on it exclusively.
 * - EIO: the device is gone.  Commands that destroy an object still succeed,
 *   so that user space can unwind.
 * - ENXIO: from open(): the device is going away.
 * - EAGAIN: non-blocking read of an empty completion or asynchronous event
 *   channel.  UBURMA_EVENT_CMD_WAIT_NOTIFY returns 0 with a count of 0.
 * - EINTR: a signal arrived while an event command was blocked.
 * - ENOMEM: out of memory.
 *
 * Other values are those of the device driver, passed through.
 */

/* ioctl numbers */

/**
 * struct uburma_cmd_hdr - argument of every uburma ioctl
 * @command: enum uburma_cmd on a device file, enum uburma_event_cmd on an
 *	event file
 * @args_len: length of the attribute array in bytes, a multiple of
 *	sizeof(struct uburma_cmd_attr), not 0
 * @args_addr: user address of the attribute array, not 0
 *
 * Read by the kernel, never written: all results go through the data pointers
 * of the output attributes.
 */
struct uburma_cmd_hdr {
	__u32		command;
	__u32		args_len;
	__aligned_u64	args_addr;
};

#define UBURMA_IOC_CMD_MAGIC		'U'
#define UBURMA_IOC_CMD_NR		1
#define UBURMA_IOC_EVENT_MAGIC		'E'
#define UBURMA_IOC_EVENT_NR		0

/* Commands of a device file */
#define UBURMA_IOC_CMD	\
	_IOWR(UBURMA_IOC_CMD_MAGIC, UBURMA_IOC_CMD_NR, struct uburma_cmd_hdr)
/* Commands of the three kinds of event file */
#define UBURMA_IOC_EVENT \
	_IOWR(UBURMA_IOC_EVENT_MAGIC, UBURMA_IOC_EVENT_NR, struct uburma_cmd_hdr)

/* Limits */

#define UBURMA_MAX_ATTRS		127	/* attributes of a device command */
#define UBURMA_MAX_EVENT_ATTRS		15	/* attributes of an event command */
#define UBURMA_MAX_ARGS_LEN		2032	/* bytes, UBURMA_MAX_ATTRS records */
#define UBURMA_MAX_EVENT_ARGS_LEN	240	/* bytes, UBURMA_MAX_EVENT_ATTRS records */
#define UBURMA_MAX_JFCE_EVENTS		16	/* events of one UBURMA_EVENT_CMD_WAIT_JFCE */
#define UBURMA_MAX_NOTIFY		16	/* records of one UBURMA_EVENT_CMD_WAIT_NOTIFY */
#define UBURMA_MAX_TP			128	/* transport paths of one UBURMA_CMD_GET_TP_LIST */
#define UBURMA_MAX_EID_CNT		1024	/* EIDs of one UBURMA_CMD_GET_EID_LIST */
#define UBURMA_MAX_PORT_CNT		8	/* ports reported by UBURMA_CMD_QUERY_DEV_ATTR */
#define UBURMA_MAX_PRIORITY_CNT		16	/* priorities of a device */
#define UBURMA_MAX_DEV_NAME		64	/* device name, with terminating NUL */
#define UBURMA_MAX_NAME			64	/* jetty group name, with terminating NUL */
#define UBURMA_MAX_JETTY_IN_JETTY_GRP	32	/* members of a jetty group */
#define UBURMA_MAX_BATCH		65536	/* handles of one UBURMA_CMD_DELETE_*_BATCH */
#define UBURMA_MAX_OPT_LEN		4096	/* bytes of an option value */
#define UBURMA_EID_SIZE			16	/* bytes of an EID */
#define UBURMA_MAC_SIZE			6	/* bytes of a MAC address */
#define UBURMA_TP_ATTR_SIZE		128	/* bytes of struct uburma_tp_attr_value */

/* Values with a meaning of their own */

#define UBURMA_SEG_TOKEN_ID_INVALID	0xffffffffU	/* the segment has no token id */
#define UBURMA_INVALID_TPN		0xffffffffU	/* no transport path */
#define UBURMA_NO_JFCE_FD		(-1)		/* JFC without event channel; 0 is a fd */

/* Attribute records */

/**
 * struct uburma_cmd_attr - one attribute of a command
 * @type: attribute id, input below UBURMA_ATTR_OUT_BASE, output from it on;
 *	the numbering is the command's own
 * @flag: 0, ignored by the kernel
 * @field_size: bytes per element
 * @el_info: element count and stride, see UBURMA_ATTR_EL_NUM_MASK and
 *	UBURMA_ATTR_EL_SIZE_MASK
 * @data: user address of the first element
 *
 * Three shapes occur. A scalar or flat blob, arrays included, has a count of
 * one and a stride of 0.  A strided member of an array of structures has its
 * elements at @data + i * stride (port attributes of
 * UBURMA_CMD_QUERY_DEV_ATTR).  An array of structures of variable length has a
 * stride equal to @field_size (UBURMA_CMD_GET_NETADDR_LIST).
 *
 * The records of a command may come in any order, and their @data areas may
 * overlap.
 */
struct uburma_cmd_attr {
	__u8		type;
	__u8		flag;
	__u16		field_size;
	__u32		el_info;
	__aligned_u64	data;
};

#define UBURMA_ATTR_OUT_BASE		0x80	/* first id of the output attributes */

#define UBURMA_ATTR_EL_NUM_SHIFT	0
#define UBURMA_ATTR_EL_NUM_MASK		0x00000fffU	/* number of elements */
#define UBURMA_ATTR_EL_SIZE_SHIFT	12
#define UBURMA_ATTR_EL_SIZE_MASK	0x00fff000U	/* stride in bytes, 0 for one element */
#define UBURMA_ATTR_EL_RESERVED_MASK	0xff000000U	/* zero */

/**
 * struct uburma_udata - private data of the user and kernel halves of a driver
 * @in_addr: user address of the request to the driver, 0 for none
 * @in_len: length of the request in bytes
 * @reserved0: zero
 * @out_addr: user address where the driver writes its reply, 0 for none
 * @out_len: room for the reply in bytes
 * @reserved1: zero
 *
 * Carried by the UDATA attributes, where input and output usually name the
 * same structure, and by UBURMA_USER_CTL_IN_UDATA.  The contents may be
 * garbage for commands whose driver needs none: they are never a reason to
 * refuse a command.
 */
struct uburma_udata {
	__aligned_u64	in_addr;
	__u32		in_len;
	__u32		reserved0;
	__aligned_u64	out_addr;
	__u32		out_len;
	__u32		reserved1;
};

/* Identities and addresses */

/**
 * union uburma_eid - entity id, the address of a UB entity
 * @raw: the sixteen bytes in network order
 * @in4: view of an EID made from an IPv4 address
 * @in4.reserved: zero
 * @in4.prefix: prefix, big endian
 * @in4.addr: IPv4 address, big endian
 * @in6: view of an EID in IPv6 form
 * @in6.subnet_prefix: upper half, big endian
 * @in6.interface_id: lower half, big endian
 */
union uburma_eid {
	__u8	raw[UBURMA_EID_SIZE];
	struct {
		__aligned_u64	reserved;
		__u32		prefix;
		__u32		addr;
	} in4;
	struct {
		__aligned_u64	subnet_prefix;
		__aligned_u64	interface_id;
	} in6;
};

/**
 * struct uburma_guid - globally unique id of a device
 * @raw: the sixteen bytes in network order
 */
struct uburma_guid {
	__u8	raw[UBURMA_EID_SIZE];
};

/**
 * struct uburma_eid_info - element of UBURMA_GET_EID_LIST_OUT_EID_LIST
 * @eid: the EID
 * @eid_index: its slot in the device's EID table
 * @reserved: zero
 */
struct uburma_eid_info {
	union uburma_eid	eid;
	__u32			eid_index;
	__u32			reserved;
};

/**
 * struct uburma_net_addr - IP address with its link layer properties
 * @sin_family: AF_INET or AF_INET6
 * @reserved0: zero
 * @addr: the address, big endian
 * @addr.in4: IPv4 address, for AF_INET
 * @addr.in6: IPv6 address, for AF_INET6
 * @reserved1: zero
 * @vlan: VLAN id, 0 for none
 * @mac: MAC address
 * @reserved2: zero
 * @prefix_len: prefix length in bits
 * @reserved3: zero
 *
 * Value of UBURMA_GET_EID_BY_IP_INFO_IN_NET_ADDR,
 * UBURMA_GET_IP_BY_EID_INFO_OUT_NET_ADDR, UBURMA_GET_DMAC_IN_NET_ADDR and
 * UBURMA_MODIFY_TP_IN_ATTR_PEER_NET_ADDR.
 */
struct uburma_net_addr {
	__u16		sin_family;
	__u16		reserved0;
	union {
		__u32	in4;
		__u32	in6[4];
	} addr;
	__u32		reserved1;
	__aligned_u64	vlan;
	__u8		mac[UBURMA_MAC_SIZE];
	__u16		reserved2;
	__u32		prefix_len;
	__u32		reserved3;
};

/**
 * enum uburma_cmd_net_addr_type - kind of address in struct uburma_cmd_net_addr
 * @UBURMA_CMD_NET_ADDR_TYPE_IPV4: IPv4, in the last four bytes
 * @UBURMA_CMD_NET_ADDR_TYPE_IPV6: IPv6
 */
enum uburma_cmd_net_addr_type {
	UBURMA_CMD_NET_ADDR_TYPE_IPV4	= 0,
	UBURMA_CMD_NET_ADDR_TYPE_IPV6	= 1,
};

/**
 * union uburma_cmd_net_addr_union - address of struct uburma_cmd_net_addr
 * @raw: the sixteen bytes in network order
 * @in4: view as IPv4 address
 * @in4.reserved1: zero
 * @in4.reserved2: zero
 * @in4.addr: IPv4 address, big endian
 * @in6: view as IPv6 address
 * @in6.subnet_prefix: upper half, big endian
 * @in6.interface_id: lower half, big endian
 */
union uburma_cmd_net_addr_union {
	__u8	raw[16];
	struct {
		__aligned_u64	reserved1;
		__u32		reserved2;
		__u32		addr;
	} in4;
	struct {
		__aligned_u64	subnet_prefix;
		__aligned_u64	interface_id;
	} in6;
};

/**
 * struct uburma_cmd_net_addr - network address of a device
 * @type: enum uburma_cmd_net_addr_type
 * @reserved0: zero
 * @net_addr: the address
 * @vlan: VLAN id, 0 for none
 * @mac: MAC address
 * @reserved1: zero
 * @prefix_len: prefix length in bits
 * @reserved2: zero
 *
 * Not the layout of struct uburma_net_addr, although of the same size.
 */
struct uburma_cmd_net_addr {
	__u32				type;
	__u32				reserved0;
	union uburma_cmd_net_addr_union	net_addr;
	__aligned_u64			vlan;
	__u8				mac[UBURMA_MAC_SIZE];
	__u16				reserved1;
	__u32				prefix_len;
	__u32				reserved2;
};

/**
 * struct uburma_cmd_net_addr_info - element of UBURMA_GET_NET_ADDR_LIST_OUT_NETADDR_LIST
 * @netaddr: the address
 * @index: its index in the device's table
 * @reserved: zero
 */
struct uburma_cmd_net_addr_info {
	struct uburma_cmd_net_addr	netaddr;
	__u32				index;
	__u32				reserved;
};

/* Device attributes */

/**
 * struct uburma_sl_info - element of UBURMA_QUERY_DEVICE_OUT_DEV_CAP_PRIORITY_INFO
 * @sl: service level of the priority
 * @tp_type: kinds of transport path it may use, UBURMA_TP_TYPE_CAP_* bits
 */
struct uburma_sl_info {
	__u32	sl;
	__u32	tp_type;
};

/**
 * struct uburma_port_attr - state of one port
 * @max_mtu: enum uburma_mtu, largest MTU of the port
 * @state: enum uburma_port_state
 * @active_width: enum uburma_link_width
 * @active_speed: enum uburma_speed
 * @active_mtu: enum uburma_mtu in use
 *
 * Each UBURMA_QUERY_DEVICE_OUT_PORT_ATTR_* attribute writes one member of an
 * array of UBURMA_MAX_PORT_CNT of these.
 */
struct uburma_port_attr {
	__u32	max_mtu;
	__u32	state;
	__u32	active_width;
	__u32	active_speed;
	__u32	active_mtu;
};

/* Jetty allocation */

/**
 * struct uburma_create_jetty_in - request half of struct uburma_cmd_create_jetty
 * @id: wanted jetty id, 0 to let the kernel choose
 * @jetty_flag: UBURMA_JETTY_FLAG_* bits
 * @jfs_depth: depth of the send queue in entries
 * @jfs_flag: UBURMA_JFS_FLAG_* bits
 * @trans_mode: enum uburma_transport_mode
 * @priority: priority, below UBURMA_MAX_PRIORITY_CNT
 * @max_send_sge: local scatter/gather entries of a send request
 * @max_send_rsge: remote scatter/gather entries of a send request
 * @reserved0: padding
 * @max_inline_data: inline payload of a send request in bytes
 * @rnr_retry: retries after the peer was not ready to receive
 * @err_timeout: transport error timeout, encoded
 * @reserved1: padding
 * @send_jfc_id: id of the send JFC, informational
 * @reserved2: padding
 * @send_jfc_handle: handle of the JFC for send completions
 * @jfr_depth: depth of the receive queue in entries, 0 with a shared JFR
 * @jfr_flag: UBURMA_JFR_FLAG_* bits, 0 with a shared JFR
 * @max_recv_sge: scatter/gather entries of a receive request, 0 with a shared JFR
 * @min_rnr_timer: time a sender waits after "receiver not ready", encoded
 * @reserved3: padding
 * @recv_jfc_id: id of the receive JFC, informational
 * @recv_jfc_handle: handle of the JFC for receive completions
 * @token: token value that protects the receive side
 * @jfr_id: id of the shared JFR, informational
 * @jfr_handle: handle of the shared JFR, 0 for none
 * @jetty_grp_handle: handle of the jetty group to join, 0 for none
 * @is_jetty_grp: 1 if @jetty_grp_handle is valid
 * @reserved4: padding
 * @urma_jetty: opaque user value, returned with the events of the jetty
 */
struct uburma_create_jetty_in {
	__u32		id;
	__u32		jetty_flag;
	__u32		jfs_depth;
	__u32		jfs_flag;
	__u32		trans_mode;
	__u8		priority;
	__u8		max_send_sge;
	__u8		max_send_rsge;
	__u8		reserved0;
	__u32		max_inline_data;
	__u8		rnr_retry;
	__u8		err_timeout;
	__u16		reserved1;
	__u32		send_jfc_id;
	__u32		reserved2;
	__aligned_u64	send_jfc_handle;
	__u32		jfr_depth;
	__u32		jfr_flag;
	__u8		max_recv_sge;
	__u8		min_rnr_timer;
	__u16		reserved3;
	__u32		recv_jfc_id;
	__aligned_u64	recv_jfc_handle;
	__u32		token;
	__u32		jfr_id;
	__aligned_u64	jfr_handle;
	__aligned_u64	jetty_grp_handle;
	__u8		is_jetty_grp;
	__u8		reserved4[7];
	__aligned_u64	urma_jetty;
};

/**
 * struct uburma_create_jetty_out - reply half of struct uburma_cmd_create_jetty
 * @id: jetty id, the number peers use
 * @reserved0: padding
 * @handle: handle of the jetty in this file
 * @jfs_depth: granted depth of the send queue
 * @jfr_depth: granted depth of the receive queue
 * @max_send_sge: granted local entries of a send request
 * @max_send_rsge: granted remote entries of a send request
 * @max_recv_sge: granted entries of a receive request
 * @reserved1: padding
 * @max_inline_data: granted inline payload in bytes
 */
struct uburma_create_jetty_out {
	__u32		id;
	__u32		reserved0;
	__aligned_u64	handle;
	__u32		jfs_depth;
	__u32		jfr_depth;
	__u8		max_send_sge;
	__u8		max_send_rsge;
	__u8		max_recv_sge;
	__u8		reserved1;
	__u32		max_inline_data;
};

/**
 * struct uburma_cmd_create_jetty - value of both attributes of UBURMA_CMD_ALLOC_JETTY
 * @in: request, read by the kernel
 * @out: reply, written by the kernel
 * @udata: private data of the driver
 *
 * The kernel reads the whole structure and writes it back with @out filled.
 * Padding is not checked.
 */
struct uburma_cmd_create_jetty {
	struct uburma_create_jetty_in	in;
	struct uburma_create_jetty_out	out;
	struct uburma_udata		udata;
};

/* Options of two-stage creation */

/**
 * struct uburma_jfc_opt - options of a JFC, argument of UBURMA_CMD_ACTIVE_JFC
 * @jfc_opt_mask: UBURMA_OPT_MASK_* bits of the members that are valid
 * @is_actived: user space's own note that the JFC is active
 * @reserved0: padding
 * @cqe_base_addr: user address of the completion queue
 * @id: wanted id
 * @reserved1: padding
 * @db_addr: user address of the doorbell record
 * @db_status: state of the doorbell
 * @reserved2: padding
 * @pi: producer index
 * @pi_type: kind of producer index
 * @ci: consumer index
 * @reserved: zero
 */
struct uburma_jfc_opt {
	__aligned_u64	jfc_opt_mask;
	__u8		is_actived;
	__u8		reserved0[7];
	__aligned_u64	cqe_base_addr;
	__u32		id;
	__u32		reserved1;
	__aligned_u64	db_addr;
	__u8		db_status;
	__u8		reserved2;
	__u16		pi;
	__u16		pi_type;
	__u16		ci;
	__aligned_u64	reserved[4];
};

/**
 * struct uburma_jfs_opt - options of a JFS, argument of UBURMA_CMD_ACTIVE_JFS
 * @jfs_opt_mask: UBURMA_OPT_MASK_* bits of the members that are valid
 * @is_actived: user space's own note that the JFS is active
 * @reserved0: padding
 * @sqe_base_addr: user address of the send queue
 * @id: wanted id
 * @reserved1: padding
 * @db_addr: user address of the doorbell record
 * @db_status: state of the doorbell
 * @reserved2: padding
 * @pi: producer index
 * @pi_type: kind of producer index
 * @ci: consumer index
 * @reserved: zero
 */
struct uburma_jfs_opt {
	__aligned_u64	jfs_opt_mask;
	__u8		is_actived;
	__u8		reserved0[7];
	__aligned_u64	sqe_base_addr;
	__u32		id;
	__u32		reserved1;
	__aligned_u64	db_addr;
	__u8		db_status;
	__u8		reserved2;
	__u16		pi;
	__u16		pi_type;
	__u16		ci;
	__aligned_u64	reserved[4];
};

/**
 * struct uburma_jfr_opt - options of a JFR, argument of UBURMA_CMD_ACTIVE_JFR
 * @jfr_opt_mask: UBURMA_OPT_MASK_* bits of the members that are valid
 * @is_actived: user space's own note that the JFR is active
 * @reserved0: padding
 * @rqe_base_addr: user address of the receive queue
 * @id: wanted id
 * @reserved1: padding
 * @db_addr: user address of the doorbell record
 * @db_status: state of the doorbell
 * @reserved2: padding
 * @pi: producer index
 * @pi_type: kind of producer index
 * @ci: consumer index
 * @reserved: zero
 */
struct uburma_jfr_opt {
	__aligned_u64	jfr_opt_mask;
	__u8		is_actived;
	__u8		reserved0[7];
	__aligned_u64	rqe_base_addr;
	__u32		id;
	__u32		reserved1;
	__aligned_u64	db_addr;
	__u8		db_status;
	__u8		reserved2;
	__u16		pi;
	__u16		pi_type;
	__u16		ci;
	__aligned_u64	reserved[4];
};

/**
 * struct uburma_jetty_opt - options of a jetty, argument of UBURMA_CMD_ACTIVE_JETTY
 * @is_actived: user space's own note that the jetty is active
 * @reserved0: padding
 * @jfs_opt: options of the jetty's send side
 * @reserved: zero
 */
struct uburma_jetty_opt {
	__u8			is_actived;
	__u8			reserved0[7];
	struct uburma_jfs_opt	jfs_opt;
	__aligned_u64		reserved[4];
};

/*
 * Validity bits of jfc_opt_mask, jfs_opt_mask and jfr_opt_mask, as user space
 * sets them.  Its own headers name the bits in another order that is not used.
 */
#define UBURMA_OPT_MASK_BASE_ADDR	(1U << 0)
#define UBURMA_OPT_MASK_ID		(1U << 1)
#define UBURMA_OPT_MASK_DB_ADDR		(1U << 2)
#define UBURMA_OPT_MASK_DB_STATUS	(1U << 3)
#define UBURMA_OPT_MASK_PI		(1U << 4)
#define UBURMA_OPT_MASK_PI_TYPE		(1U << 5)
#define UBURMA_OPT_MASK_CI		(1U << 6)

/**
 * enum uburma_opt - option ids of UBURMA_CMD_SET_*_OPT and UBURMA_CMD_GET_*_OPT
 * @UBURMA_OPT_JFS_DEPTH: u32, depth in entries
 * @UBURMA_OPT_JFS_FLAG: u32, UBURMA_JFS_FLAG_* bits
 * @UBURMA_OPT_JFS_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_OPT_JFS_PRIORITY: u8, priority
 * @UBURMA_OPT_JFS_MAX_SGE: u8, local scatter/gather entries
 * @UBURMA_OPT_JFS_MAX_RSGE: u8, remote scatter/gather entries
 * @UBURMA_OPT_JFS_MAX_INLINE_DATA: u32, bytes
 * @UBURMA_OPT_JFS_RNR_RETRY: u8, retries after "receiver not ready"
 * @UBURMA_OPT_JFS_ERR_TIMEOUT: u8, error timeout, encoded
 * @UBURMA_OPT_JFS_BIND_JFC: u64, handle of the JFC
 * @UBURMA_OPT_JFS_USER_CTX: u64, opaque to the kernel
 * @UBURMA_OPT_JFS_SQE_BASE_ADDR: u64, user address of the send queue
 * @UBURMA_OPT_JFS_ID: u32, wanted id
 * @UBURMA_OPT_JFS_DB_ADDR: u64, user address of the doorbell record
 * @UBURMA_OPT_JFS_DB_STATUS: u8, state of the doorbell
 * @UBURMA_OPT_JFS_PI: u16, producer index
 * @UBURMA_OPT_JFS_PI_TYPE: u16, kind of producer index
 * @UBURMA_OPT_JFS_CI: u16, consumer index
 * @UBURMA_OPT_JFS_FULL_CTX: driver's queue context, at most 256 bytes
 * @UBURMA_OPT_JFR_DEPTH: u32, depth in entries
 * @UBURMA_OPT_JFR_FLAG: u32, UBURMA_JFR_FLAG_* bits
 * @UBURMA_OPT_JFR_TRANS_MODE: u32, enum uburma_transport_mode
 * @UBURMA_OPT_JFR_MAX_SGE: u8, scatter/gather entries
 * @UBURMA_OPT_JFR_MIN_RNR_TIMER: u8, "receiver not ready" timer, encoded
 * @UBURMA_OPT_JFR_BIND_JFC: u64, handle of the JFC
 * @UBURMA_OPT_JFR_TOKEN_VALUE: u32, token value
 * @UBURMA_OPT_JFR_USER_CTX: u64, opaque to the kernel
 * @UBURMA_OPT_JFR_RQE_BASE_ADDR: u64, user address of the receive queue
 * @UBURMA_OPT_JFR_ID: u32, wanted id
 * @UBURMA_OPT_JFR_DB_ADDR: u64, user address of the doorbell record
 * @UBURMA_OPT_JFR_DB_STATUS: u8, state of the doorbell
 * @UBURMA_OPT_JFR_PI: u16, producer index
 * @UBURMA_OPT_JFR_PI_TYPE: u16, kind of producer index
 * @UBURMA_OPT_JFR_CI: u16, consumer index
 * @UBURMA_OPT_JFR_FULL_CTX: driver's queue context, at most 64 bytes
 * @UBURMA_OPT_JFC_DEPTH: u32, depth in entries
 * @UBURMA_OPT_JFC_CEQN: u32, completion event queue
 * @UBURMA_OPT_JFC_FLAG: u32, UBURMA_JFC_FLAG_* bits
 * @UBURMA_OPT_JFC_BIND_JFCE: u64, event channel
 * @UBURMA_OPT_JFC_USER_CTX: u64, opaque to the kernel
 * @UBURMA_OPT_JFC_CQE_BASE_ADDR: u64, user address of the completion queue
 * @UBURMA_OPT_JFC_ID: u32, wanted id
 * @UBURMA_OPT_JFC_DB_ADDR: u64, user address of the doorbell record
 * @UBURMA_OPT_JFC_DB_STATUS: u8, state of the doorbell
 * @UBURMA_OPT_JFC_PI: u16, producer index
 * @UBURMA_OPT_JFC_PI_TYPE: u16, kind of producer index
 * @UBURMA_OPT_JFC_CI: u16, consumer index
 * @UBURMA_OPT_JFC_FULL_CTX: driver's queue context, at most 128 bytes
 * @UBURMA_OPT_JETTY_ID: u32, wanted id
 * @UBURMA_OPT_JETTY_FLAG: u32, UBURMA_JETTY_FLAG_* bits
 * @UBURMA_OPT_JETTY_BIND_JFR: u64, handle of the shared JFR
 * @UBURMA_OPT_JETTY_BIND_RX_JFC: u64, handle of the receive JFC
 * @UBURMA_OPT_JETTY_BIND_JTG: u64, handle of the jetty group
 * @UBURMA_OPT_JETTY_USER_CTX: u64, opaque to the kernel
 * @UBURMA_OPT_JETTY_FULL_CTX: driver's jetty context, at most 256 bytes
 *
 * The value lies in user memory at the BUF attribute and has the size given
 * here.  A jetty takes the UBURMA_OPT_JFS_* options too.
 */
enum uburma_opt {
	UBURMA_OPT_JFS_DEPTH		= 0x0001,
	UBURMA_OPT_JFS_FLAG		= 0x0002,
	UBURMA_OPT_JFS_TRANS_MODE	= 0x0003,
	UBURMA_OPT_JFS_PRIORITY		= 0x0004,
	UBURMA_OPT_JFS_MAX_SGE		= 0x0005,
	UBURMA_OPT_JFS_MAX_RSGE		= 0x0006,
	UBURMA_OPT_JFS_MAX_INLINE_DATA	= 0x0007,
	UBURMA_OPT_JFS_RNR_RETRY	= 0x0008,
	UBURMA_OPT_JFS_ERR_TIMEOUT	= 0x0009,
	UBURMA_OPT_JFS_BIND_JFC		= 0x000a,
	UBURMA_OPT_JFS_USER_CTX		= 0x000b,
	UBURMA_OPT_JFS_SQE_BASE_ADDR	= 0x000c,
	UBURMA_OPT_JFS_ID		= 0x000d,
	UBURMA_OPT_JFS_DB_ADDR		= 0x000e,
	UBURMA_OPT_JFS_DB_STATUS	= 0x000f,
	UBURMA_OPT_JFS_PI		= 0x0010,
	UBURMA_OPT_JFS_PI_TYPE		= 0x0011,
	UBURMA_OPT_JFS_CI		= 0x0012,
	UBURMA_OPT_JFS_FULL_CTX		= 0x0013,

	UBURMA_OPT_JFR_DEPTH		= 0x1001,
	UBURMA_OPT_JFR_FLAG		= 0x1002,
	UBURMA_OPT_JFR_TRANS_MODE	= 0x1003,
	UBURMA_OPT_JFR_MAX_SGE		= 0x1004,
	UBURMA_OPT_JFR_MIN_RNR_TIMER	= 0x1005,
	UBURMA_OPT_JFR_BIND_JFC		= 0x1006,
	UBURMA_OPT_JFR_TOKEN_VALUE	= 0x1007,
	UBURMA_OPT_JFR_USER_CTX		= 0x1008,
	UBURMA_OPT_JFR_RQE_BASE_ADDR	= 0x1009,
	UBURMA_OPT_JFR_ID		= 0x100a,
	UBURMA_OPT_JFR_DB_ADDR		= 0x100b,
	UBURMA_OPT_JFR_DB_STATUS	= 0x100c,
	UBURMA_OPT_JFR_PI		= 0x100d,
	UBURMA_OPT_JFR_PI_TYPE		= 0x100e,
	UBURMA_OPT_JFR_CI		= 0x100f,
	UBURMA_OPT_JFR_FULL_CTX		= 0x1010,

	UBURMA_OPT_JFC_DEPTH		= 0x2001,
	UBURMA_OPT_JFC_CEQN		= 0x2002,
	UBURMA_OPT_JFC_FLAG		= 0x2003,
	UBURMA_OPT_JFC_BIND_JFCE	= 0x2004,
	UBURMA_OPT_JFC_USER_CTX		= 0x2005,
	UBURMA_OPT_JFC_CQE_BASE_ADDR	= 0x2006,
	UBURMA_OPT_JFC_ID		= 0x2007,
	UBURMA_OPT_JFC_DB_ADDR		= 0x2008,
	UBURMA_OPT_JFC_DB_STATUS	= 0x2009,
	UBURMA_OPT_JFC_PI		= 0x200a,
	UBURMA_OPT_JFC_PI_TYPE		= 0x200b,
	UBURMA_OPT_JFC_CI		= 0x200c,
	UBURMA_OPT_JFC_FULL_CTX		= 0x200d,

	UBURMA_OPT_JETTY_ID		= 0x3001,
	UBURMA_OPT_JETTY_FLAG		= 0x3002,
	UBURMA_OPT_JETTY_BIND_JFR	= 0x3003,
	UBURMA_OPT_JETTY_BIND_RX_JFC	= 0x3004,
	UBURMA_OPT_JETTY_BIND_JTG	= 0x3005,
	UBURMA_OPT_JETTY_USER_CTX	= 0x3006,
	UBURMA_OPT_JETTY_FULL_CTX	= 0x3007,
};

/* Transport path attributes */

/**
 * struct uburma_tp_attr_value - value of the TP_ATTR attributes
 * @retry_at: UBURMA_TP_ATTR_RETRY_TIMES_INIT_MASK and UBURMA_TP_ATTR_AT_MASK
 * @sip: source IP address, network order
 * @dip: destination IP address, network order
 * @sma: source MAC address
 * @dma: destination MAC address
 * @vlan_dscp: 24-bit little endian word: VLAN id in bits 0-11, VLAN enable in
 *	bit 12, DSCP in bits 13-18, acknowledge timer multiplier in bits 19-23
 * @sl: UBURMA_TP_ATTR_SL_MASK
 * @ttl: time to live, hops
 * @ack_udp_srcport: UDP source port of acknowledgments
 * @data_udp_srcport: UDP source port of data packets
 * @udp_flags: UBURMA_TP_ATTR_UDP_SRCPORT_RANGE_MASK, UBURMA_TP_ATTR_SPRAY_EN
 *	and UBURMA_TP_ATTR_UDP_GLOBAL_EN
 * @sl_bitmap: 16-bit little endian word, service levels allowed
 * @dscp_config: UBURMA_TP_ATTR_DSCP_CONFIG_MODE
 * @reserved: zero
 */
struct uburma_tp_attr_value {
	__u8	retry_at;
	__u8	sip[16];
	__u8	dip[16];
	__u8	sma[UBURMA_MAC_SIZE];
	__u8	dma[UBURMA_MAC_SIZE];
	__u8	vlan_dscp[3];
	__u8	sl;
	__u8	ttl;
	__u16	ack_udp_srcport;
	__u16	data_udp_srcport;
	__u8	udp_flags;
	__u8	sl_bitmap[2];
	__u8	dscp_config;
	__u8	reserved[70];
};

/* retry_at: retry limit, and timeout exponent (4.096 us << at) */
#define UBURMA_TP_ATTR_RETRY_TIMES_INIT_SHIFT	0
#define UBURMA_TP_ATTR_RETRY_TIMES_INIT_MASK	0x07U
#define UBURMA_TP_ATTR_AT_SHIFT			3
#define UBURMA_TP_ATTR_AT_MASK			0xf8U
/* vlan_dscp */
#define UBURMA_TP_ATTR_VLAN_ID_SHIFT		0
#define UBURMA_TP_ATTR_VLAN_ID_MASK		0x000fffU
#define UBURMA_TP_ATTR_VLAN_EN			0x001000U
#define UBURMA_TP_ATTR_DSCP_SHIFT		13
#define UBURMA_TP_ATTR_DSCP_MASK		0x07e000U
#define UBURMA_TP_ATTR_AT_TIMES_SHIFT		19
#define UBURMA_TP_ATTR_AT_TIMES_MASK		0xf80000U
/* sl */
#define UBURMA_TP_ATTR_SL_SHIFT			0
#define UBURMA_TP_ATTR_SL_MASK			0x0fU
/* udp_flags */
#define UBURMA_TP_ATTR_UDP_SRCPORT_RANGE_SHIFT	0
#define UBURMA_TP_ATTR_UDP_SRCPORT_RANGE_MASK	0x0fU
#define UBURMA_TP_ATTR_SPRAY_EN			0x10U
#define UBURMA_TP_ATTR_UDP_GLOBAL_EN		0x20U
/* dscp_config */
#define UBURMA_TP_ATTR_DSCP_CONFIG_MODE		0x01U

/* Bits of the TP_ATTR_BITMAP attributes: which members are meant */
#define UBURMA_TP_ATTR_BIT_RETRY_TIMES_INIT	(1U << 0)
#define UBURMA_TP_ATTR_BIT_AT			(1U << 1)
#define UBURMA_TP_ATTR_BIT_SIP			(1U << 2)
#define UBURMA_TP_ATTR_BIT_DIP			(1U << 3)
#define UBURMA_TP_ATTR_BIT_SMA			(1U << 4)
#define UBURMA_TP_ATTR_BIT_DMA			(1U << 5)
#define UBURMA_TP_ATTR_BIT_VLAN_ID		(1U << 6)
#define UBURMA_TP_ATTR_BIT_VLAN_EN		(1U << 7)
#define UBURMA_TP_ATTR_BIT_DSCP			(1U << 8)
#define UBURMA_TP_ATTR_BIT_AT_TIMES		(1U << 9)
#define UBURMA_TP_ATTR_BIT_SL			(1U << 10)
#define UBURMA_TP_ATTR_BIT_TTL			(1U << 11)

/* Events */

/**
 * enum uburma_async_event_type - value of UBURMA_GET_ASYNC_EVENT_OUT_EVENT_TYPE
 * @UBURMA_EVENT_JFC_ERR: a JFC failed; data is its urma_jfc value
 * @UBURMA_EVENT_JFS_ERR: a JFS failed; data is its urma_jfs value
 * @UBURMA_EVENT_JFR_ERR: a JFR failed; data is its urma_jfr value
 * @UBURMA_EVENT_JFR_LIMIT: a JFR fell to its threshold; data is its urma_jfr value
 * @UBURMA_EVENT_JETTY_ERR: a jetty failed; data is its urma_jetty value
 * @UBURMA_EVENT_JETTY_LIMIT: a jetty fell to its receive threshold; data is its
 *	urma_jetty value
 * @UBURMA_EVENT_JETTY_GRP_ERR: a jetty group failed; data is its urma_jetty_grp value
 * @UBURMA_EVENT_PORT_ACTIVE: a port came up; data is the port number
 * @UBURMA_EVENT_PORT_DOWN: a port went down; data is the port number
 * @UBURMA_EVENT_DEV_FATAL: the device is gone; no data
 * @UBURMA_EVENT_EID_CHANGE: the EID table changed; data is the EID index
 * @UBURMA_EVENT_ELR_ERR: entity reset failed; not delivered to user space
 * @UBURMA_EVENT_ELR_DONE: entity reset done; not delivered to user space
 *
 * The urma_* values are those user space gave when it created the object; the
 * kernel does not interpret them.
 */
enum uburma_async_event_type {
	UBURMA_EVENT_JFC_ERR		= 0,
	UBURMA_EVENT_JFS_ERR		= 1,
	UBURMA_EVENT_JFR_ERR		= 2,
	UBURMA_EVENT_JFR_LIMIT		= 3,
	UBURMA_EVENT_JETTY_ERR		= 4,
	UBURMA_EVENT_JETTY_LIMIT	= 5,
	UBURMA_EVENT_JETTY_GRP_ERR	= 6,
	UBURMA_EVENT_PORT_ACTIVE	= 7,
	UBURMA_EVENT_PORT_DOWN		= 8,
	UBURMA_EVENT_DEV_FATAL		= 9,
	UBURMA_EVENT_EID_CHANGE		= 10,
	UBURMA_EVENT_ELR_ERR		= 11,
	UBURMA_EVENT_ELR_DONE		= 12,
};

/**
 * enum uburma_notify_type - what a notification reports
 * @UBURMA_NOTIFY_IMPORT_JETTY: end of UBURMA_CMD_IMPORT_JETTY_ASYNC
 * @UBURMA_NOTIFY_BIND_JETTY: end of UBURMA_CMD_BIND_JETTY_ASYNC
 */
enum uburma_notify_type {
	UBURMA_NOTIFY_IMPORT_JETTY	= 0,
	UBURMA_NOTIFY_BIND_JETTY	= 1,
};

/**
 * enum uburma_status - outcome carried by a notification
 * @UBURMA_STATUS_SUCCESS: done
 * @UBURMA_STATUS_ENOPERM: not permitted
 * @UBURMA_STATUS_EAGAIN: try again
 * @UBURMA_STATUS_ENOMEM: out of memory
 * @UBURMA_STATUS_EEXIST: exists already
 * @UBURMA_STATUS_EINVAL: invalid argument
 * @UBURMA_STATUS_ETIMEOUT: timed out
 * @UBURMA_STATUS_EINPROGRESS: not finished
 * @UBURMA_STATUS_FAIL: any other failure
 */
enum uburma_status {
	UBURMA_STATUS_SUCCESS		= 0,
	UBURMA_STATUS_ENOPERM		= 1,
	UBURMA_STATUS_EAGAIN		= 11,
	UBURMA_STATUS_ENOMEM		= 12,
	UBURMA_STATUS_EEXIST		= 17,
	UBURMA_STATUS_EINVAL		= 22,
	UBURMA_STATUS_ETIMEOUT		= 110,
	UBURMA_STATUS_EINPROGRESS	= 115,
	UBURMA_STATUS_FAIL		= 0x1000,
};

/**
 * struct uburma_cmd_notify - element of UBURMA_WAIT_NOTIFY_OUT_NOTIFY
 * @type: enum uburma_notify_type
 * @status: enum uburma_status
 * @user_ctx: USER_CTX of the command that started the operation
 * @urma_jetty: URMA_TJETTY of an import, URMA_JETTY of a bind
 * @vtpn: number of the transport path, or UBURMA_INVALID_TPN
 * @reserved: zero
 */
struct uburma_cmd_notify {
	__u32		type;
	__u32		status;
	__aligned_u64	user_ctx;
	__aligned_u64	urma_jetty;
	__u32		vtpn;
	__u32		reserved;
};

/* Enumerations */

/**
 * enum uburma_transport_mode - service of a JFS, JFR or jetty
 * @UBURMA_TM_RM: reliable message, one queue to many peers
 * @UBURMA_TM_RC: reliable connection, one queue to one peer
 * @UBURMA_TM_UM: unreliable message
 *
 * Distinct bits: UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TRANS_MODE is a mask of them.
 */
enum uburma_transport_mode {
	UBURMA_TM_RM	= 1,
	UBURMA_TM_RC	= 2,
	UBURMA_TM_UM	= 4,
};

/**
 * enum uburma_transport_type - kind of device
 * @UBURMA_TRANSPORT_INVALID: none
 * @UBURMA_TRANSPORT_UB: UB, the only kind in use
 * @UBURMA_TRANSPORT_IB: InfiniBand
 * @UBURMA_TRANSPORT_IP: IP
 * @UBURMA_TRANSPORT_SOFTUB: software UB over Ethernet
 * @UBURMA_TRANSPORT_HNS_UB: UB over an Ethernet function
 */
enum uburma_transport_type {
	UBURMA_TRANSPORT_INVALID	= -1,
	UBURMA_TRANSPORT_UB		= 0,
	UBURMA_TRANSPORT_IB		= 1,
	UBURMA_TRANSPORT_IP		= 2,
	UBURMA_TRANSPORT_SOFTUB		= 3,
	UBURMA_TRANSPORT_HNS_UB		= 5,
};

/**
 * enum uburma_tp_type - kind of transport path
 * @UBURMA_TP_TYPE_RTP: reliable
 * @UBURMA_TP_TYPE_CTP: compact
 * @UBURMA_TP_TYPE_UTP: unreliable
 */
enum uburma_tp_type {
	UBURMA_TP_TYPE_RTP	= 0,
	UBURMA_TP_TYPE_CTP	= 1,
	UBURMA_TP_TYPE_UTP	= 2,
};

/**
 * enum uburma_order_type - ordering between the messages of a queue
 * @UBURMA_ORDER_DEFAULT: what fits the transport mode: OI for RM, OL for RC, NO for UM
 * @UBURMA_ORDER_OT: ordered by the target
 * @UBURMA_ORDER_OI: ordered by the initiator
 * @UBURMA_ORDER_OL: ordered by the lower layer
 * @UBURMA_ORDER_NO: no ordering
 */
enum uburma_order_type {
	UBURMA_ORDER_DEFAULT	= 0,
	UBURMA_ORDER_OT		= 1,
	UBURMA_ORDER_OI		= 2,
	UBURMA_ORDER_OL		= 3,
	UBURMA_ORDER_NO		= 4,
};

/**
 * enum uburma_target_type - kind of imported object
 * @UBURMA_TARGET_JFR: a JFR
 * @UBURMA_TARGET_JETTY: a jetty
 * @UBURMA_TARGET_JETTY_GROUP: a jetty group
 */
enum uburma_target_type {
	UBURMA_TARGET_JFR		= 0,
	UBURMA_TARGET_JETTY		= 1,
	UBURMA_TARGET_JETTY_GROUP	= 2,
};

/**
 * enum uburma_jetty_grp_policy - choice of the member that gets a message
 * @UBURMA_JETTY_GRP_POLICY_RR: round robin
 * @UBURMA_JETTY_GRP_POLICY_HASH_HINT: by the hint in the request
 */
enum uburma_jetty_grp_policy {
	UBURMA_JETTY_GRP_POLICY_RR		= 0,
	UBURMA_JETTY_GRP_POLICY_HASH_HINT	= 1,
};

/**
 * enum uburma_token_policy - use of a token value, in the TOKEN_POLICY field of flag words
 * @UBURMA_TOKEN_NONE: not used
 * @UBURMA_TOKEN_PLAIN_TEXT: sent with the request and compared
 * @UBURMA_TOKEN_SIGNED: used to sign the request
 * @UBURMA_TOKEN_ALL_ENCRYPTED: used to encrypt the request
 * @UBURMA_TOKEN_RESERVED: reserved
 */
enum uburma_token_policy {
	UBURMA_TOKEN_NONE		= 0,
	UBURMA_TOKEN_PLAIN_TEXT		= 1,
	UBURMA_TOKEN_SIGNED		= 2,
	UBURMA_TOKEN_ALL_ENCRYPTED	= 3,
	UBURMA_TOKEN_RESERVED		= 4,
};

/**
 * enum uburma_jetty_state - state of a jetty or JFS
 * @UBURMA_JETTY_STATE_RESET: not working yet
 * @UBURMA_JETTY_STATE_READY: working
 * @UBURMA_JETTY_STATE_SUSPENDED: stopped after an error, may be resumed
 * @UBURMA_JETTY_STATE_ERROR: failed, requests are flushed
 */
enum uburma_jetty_state {
	UBURMA_JETTY_STATE_RESET	= 0,
	UBURMA_JETTY_STATE_READY	= 1,
	UBURMA_JETTY_STATE_SUSPENDED	= 2,
	UBURMA_JETTY_STATE_ERROR	= 3,
};

/**
 * enum uburma_jfr_state - state of a JFR
 * @UBURMA_JFR_STATE_RESET: not working yet
 * @UBURMA_JFR_STATE_READY: working
 * @UBURMA_JFR_STATE_ERROR: failed
 */
enum uburma_jfr_state {
	UBURMA_JFR_STATE_RESET	= 0,
	UBURMA_JFR_STATE_READY	= 1,
	UBURMA_JFR_STATE_ERROR	= 2,
};

/**
 * enum uburma_jfc_state - state of a JFC
 * @UBURMA_JFC_STATE_INVALID: not working
 * @UBURMA_JFC_STATE_VALID: working
 * @UBURMA_JFC_STATE_ERROR: failed
 */
enum uburma_jfc_state {
	UBURMA_JFC_STATE_INVALID	= 0,
	UBURMA_JFC_STATE_VALID		= 1,
	UBURMA_JFC_STATE_ERROR		= 2,
};

/**
 * enum uburma_tp_state - state of a transport path
 * @UBURMA_TP_STATE_RESET: not working yet
 * @UBURMA_TP_STATE_PASSIVE: receives only
 * @UBURMA_TP_STATE_ACTIVE: working
 * @UBURMA_TP_STATE_BRAKE: draining
 * @UBURMA_TP_STATE_ERROR: failed
 */
enum uburma_tp_state {
	UBURMA_TP_STATE_RESET	= 0,
	UBURMA_TP_STATE_PASSIVE	= 1,
	UBURMA_TP_STATE_ACTIVE	= 2,
	UBURMA_TP_STATE_BRAKE	= 3,
	UBURMA_TP_STATE_ERROR	= 4,
};

/**
 * enum uburma_mtu - path MTU
 * @UBURMA_MTU_256: 256 bytes
 * @UBURMA_MTU_512: 512 bytes
 * @UBURMA_MTU_1024: 1024 bytes
 * @UBURMA_MTU_2048: 2048 bytes
 * @UBURMA_MTU_4096: 4096 bytes
 * @UBURMA_MTU_8192: 8192 bytes
 */
enum uburma_mtu {
	UBURMA_MTU_256	= 1,
	UBURMA_MTU_512	= 2,
	UBURMA_MTU_1024	= 3,
	UBURMA_MTU_2048	= 4,
	UBURMA_MTU_4096	= 5,
	UBURMA_MTU_8192	= 6,
};

/**
 * enum uburma_port_state - state of a port
 * @UBURMA_PORT_NOP: unchanged or unknown
 * @UBURMA_PORT_DOWN: down
 * @UBURMA_PORT_INIT: link up, not configured
 * @UBURMA_PORT_ARMED: configured, not carrying data
 * @UBURMA_PORT_ACTIVE: up
 * @UBURMA_PORT_ACTIVE_DEFER: up, short of a recent link failure
 */
enum uburma_port_state {
	UBURMA_PORT_NOP			= 0,
	UBURMA_PORT_DOWN		= 1,
	UBURMA_PORT_INIT		= 2,
	UBURMA_PORT_ARMED		= 3,
	UBURMA_PORT_ACTIVE		= 4,
	UBURMA_PORT_ACTIVE_DEFER	= 5,
};

/**
 * enum uburma_link_width - lanes of a port
 * @UBURMA_LINK_X1: 1 lane
 * @UBURMA_LINK_X2: 2 lanes
 * @UBURMA_LINK_X4: 4 lanes
 * @UBURMA_LINK_X8: 8 lanes
 * @UBURMA_LINK_X16: 16 lanes
 * @UBURMA_LINK_X32: 32 lanes
 */
enum uburma_link_width {
	UBURMA_LINK_X1	= 1,
	UBURMA_LINK_X2	= 2,
	UBURMA_LINK_X4	= 4,
	UBURMA_LINK_X8	= 8,
	UBURMA_LINK_X16	= 16,
	UBURMA_LINK_X32	= 32,
};

/**
 * enum uburma_speed - rate of a port
 * @UBURMA_SP_10M: 10 Mbit/s
 * @UBURMA_SP_100M: 100 Mbit/s
 * @UBURMA_SP_1G: 1 Gbit/s
 * @UBURMA_SP_2_5G: 2.5 Gbit/s
 * @UBURMA_SP_5G: 5 Gbit/s
 * @UBURMA_SP_10G: 10 Gbit/s
 * @UBURMA_SP_14G: 14 Gbit/s
 * @UBURMA_SP_25G: 25 Gbit/s
 * @UBURMA_SP_40G: 40 Gbit/s
 * @UBURMA_SP_50G: 50 Gbit/s
 * @UBURMA_SP_100G: 100 Gbit/s
 * @UBURMA_SP_200G: 200 Gbit/s
 * @UBURMA_SP_400G: 400 Gbit/s
 * @UBURMA_SP_800G: 800 Gbit/s
 */
enum uburma_speed {
	UBURMA_SP_10M	= 0,
	UBURMA_SP_100M	= 1,
	UBURMA_SP_1G	= 2,
	UBURMA_SP_2_5G	= 3,
	UBURMA_SP_5G	= 4,
	UBURMA_SP_10G	= 5,
	UBURMA_SP_14G	= 6,
	UBURMA_SP_25G	= 7,
	UBURMA_SP_40G	= 8,
	UBURMA_SP_50G	= 9,
	UBURMA_SP_100G	= 10,
	UBURMA_SP_200G	= 11,
	UBURMA_SP_400G	= 12,
	UBURMA_SP_800G	= 13,
};

/**
 * enum uburma_congestion_ctrl_alg - congestion control algorithms a device has
 * @UBURMA_CC_NONE: none
 * @UBURMA_CC_DCQCN: DCQCN
 * @UBURMA_CC_CAQM: CAQM
 * @UBURMA_CC_LDCP: LDCP
 * @UBURMA_CC_LDCP_L2_HEADER: LDCP, carried in the link layer header
 * @UBURMA_CC_LDCP_TP_HEADER: LDCP, carried in the transport header
 * @UBURMA_CC_DIP: DIP
 * @UBURMA_CC_ACC: ACC
 * @UBURMA_CC_CUSTOM_1: first algorithm of the vendor's own
 * @UBURMA_CC_CUSTOM_2: second algorithm of the vendor's own
 *
 * Bits of UBURMA_QUERY_DEVICE_OUT_DEV_CAP_CONGESTION_CTRL_ALG.
 */
enum uburma_congestion_ctrl_alg {
	UBURMA_CC_NONE			= 1,
	UBURMA_CC_DCQCN			= 2,
	UBURMA_CC_CAQM			= 4,
	UBURMA_CC_LDCP			= 8,
	UBURMA_CC_LDCP_L2_HEADER	= 16,
	UBURMA_CC_LDCP_TP_HEADER	= 32,
	UBURMA_CC_DIP			= 64,
	UBURMA_CC_ACC			= 128,
	UBURMA_CC_CUSTOM_1		= 256,
	UBURMA_CC_CUSTOM_2		= 512,
};

/**
 * enum uburma_tp_cc_alg - congestion control algorithm of a transport path
 * @UBURMA_TP_CC_NONE: none
 * @UBURMA_TP_CC_DCQCN: DCQCN
 * @UBURMA_TP_CC_CAQM: CAQM
 * @UBURMA_TP_CC_LDCP: LDCP
 * @UBURMA_TP_CC_LDCP_L2_HEADER: LDCP, carried in the link layer header
 * @UBURMA_TP_CC_LDCP_TP_HEADER: LDCP, carried in the transport header
 * @UBURMA_TP_CC_DIP: DIP
 * @UBURMA_TP_CC_ACC: ACC
 * @UBURMA_TP_CC_CUSTOM_1: first algorithm of the vendor's own
 * @UBURMA_TP_CC_CUSTOM_2: second algorithm of the vendor's own
 *
 * Value of the CC_ALG field of the UBURMA_TP_MOD_FLAG_* word.
 */
enum uburma_tp_cc_alg {
	UBURMA_TP_CC_NONE		= 0,
	UBURMA_TP_CC_DCQCN		= 1,
	UBURMA_TP_CC_CAQM		= 2,
	UBURMA_TP_CC_LDCP		= 3,
	UBURMA_TP_CC_LDCP_L2_HEADER	= 4,
	UBURMA_TP_CC_LDCP_TP_HEADER	= 5,
	UBURMA_TP_CC_DIP		= 6,
	UBURMA_TP_CC_ACC		= 7,
	UBURMA_TP_CC_CUSTOM_1		= 8,
	UBURMA_TP_CC_CUSTOM_2		= 9,
};

/* Masks of the modify commands: which values are meant */

/**
 * enum uburma_jfc_attr_mask - bits of UBURMA_MODIFY_JFC_IN_MASK
 * @UBURMA_JFC_ATTR_MODERATE_COUNT: moderation count
 * @UBURMA_JFC_ATTR_MODERATE_PERIOD: moderation period
 */
enum uburma_jfc_attr_mask {
	UBURMA_JFC_ATTR_MODERATE_COUNT	= 1,
	UBURMA_JFC_ATTR_MODERATE_PERIOD	= 2,
};

/**
 * enum uburma_jfs_attr_mask - bits of UBURMA_MODIFY_JFS_IN_MASK
 * @UBURMA_JFS_ATTR_STATE: state
 */
enum uburma_jfs_attr_mask {
	UBURMA_JFS_ATTR_STATE	= 1,
};

/**
 * enum uburma_jfr_attr_mask - bits of UBURMA_MODIFY_JFR_IN_MASK
 * @UBURMA_JFR_ATTR_RX_THRESHOLD: receive threshold, arms UBURMA_EVENT_JFR_LIMIT
 * @UBURMA_JFR_ATTR_STATE: state
 */
enum uburma_jfr_attr_mask {
	UBURMA_JFR_ATTR_RX_THRESHOLD	= 1,
	UBURMA_JFR_ATTR_STATE		= 2,
};

/**
 * enum uburma_jetty_attr_mask - bits of UBURMA_MODIFY_JETTY_IN_MASK
 * @UBURMA_JETTY_ATTR_RX_THRESHOLD: receive threshold, arms UBURMA_EVENT_JETTY_LIMIT
 * @UBURMA_JETTY_ATTR_STATE: state
 */
enum uburma_jetty_attr_mask {
	UBURMA_JETTY_ATTR_RX_THRESHOLD	= 1,
	UBURMA_JETTY_ATTR_STATE		= 2,
};

/*
 * Flag words, all of 32 bits.  A field of several bits has a _SHIFT and an
 * in-place _MASK.  Bits that are not named are reserved.
 */

/* Access rights, in the ACCESS field of segment flag words */
#define UBURMA_ACCESS_LOCAL_ONLY		(1U << 0)
#define UBURMA_ACCESS_READ			(1U << 1)
#define UBURMA_ACCESS_WRITE			(1U << 2)
#define UBURMA_ACCESS_ATOMIC			(1U << 3)

/* Atomic operations of a device, UBURMA_QUERY_DEVICE_OUT_DEV_CAP_ATOMIC_FEAT */
#define UBURMA_ATOMIC_FEATURE_CAS		(1U << 0)
#define UBURMA_ATOMIC_FEATURE_SWAP		(1U << 1)
#define UBURMA_ATOMIC_FEATURE_FETCH_AND_ADD	(1U << 2)
#define UBURMA_ATOMIC_FEATURE_FETCH_AND_SUB	(1U << 3)
#define UBURMA_ATOMIC_FEATURE_FETCH_AND_AND	(1U << 4)
#define UBURMA_ATOMIC_FEATURE_FETCH_AND_OR	(1U << 5)
#define UBURMA_ATOMIC_FEATURE_FETCH_AND_XOR	(1U << 6)

/* Features of a device, UBURMA_QUERY_DEVICE_OUT_DEV_CAP_FEATURE */
#define UBURMA_DEV_FEATURE_OOR			(1U << 0)	/* out of order receive */
#define UBURMA_DEV_FEATURE_JFC_PER_WR		(1U << 1)	/* JFC chosen per request */
#define UBURMA_DEV_FEATURE_STRIDE_OP		(1U << 2)	/* strided operations */
#define UBURMA_DEV_FEATURE_LOAD_STORE_OP	(1U << 3)	/* load and store */
#define UBURMA_DEV_FEATURE_NON_PIN		(1U << 4)	/* segments need not be pinned */
#define UBURMA_DEV_FEATURE_PMEM			(1U << 5)	/* persistent memory */
#define UBURMA_DEV_FEATURE_JFC_INLINE		(1U << 6)	/* payload in completions */
#define UBURMA_DEV_FEATURE_SPRAY_EN		(1U << 7)	/* packet spraying */
#define UBURMA_DEV_FEATURE_SELECTIVE_RETRANS	(1U << 8)	/* selective retransmission */
#define UBURMA_DEV_FEATURE_LIVE_MIGRATE		(1U << 9)	/* live migration */
#define UBURMA_DEV_FEATURE_DCA			(1U << 10)	/* dynamic context attachment */
#define UBURMA_DEV_FEATURE_JETTY_GRP		(1U << 11)	/* jetty groups */
#define UBURMA_DEV_FEATURE_ERROR_SUSPEND	(1U << 12)	/* suspend on error */
#define UBURMA_DEV_FEATURE_OUTORDER_COMP	(1U << 13)	/* out of order completion */
#define UBURMA_DEV_FEATURE_MN			(1U << 14)	/* multiple network planes */
#define UBURMA_DEV_FEATURE_CLAN			(1U << 15)	/* CLAN network */
#define UBURMA_DEV_FEATURE_MULTI_SEG_PER_TOKEN_ID (1U << 16)	/* token id over many segments */
#define UBURMA_DEV_FEATURE_IPOURMA_EN		(1U << 17)	/* IP over URMA */
#define UBURMA_DEV_FEATURE_CTP_EN		(1U << 18)	/* compact transport paths */
#define UBURMA_DEV_FEATURE_UBOE			(1U << 19)	/* UB over Ethernet */

/* Ordering a device offers for a mode, UBURMA_QUERY_DEVICE_OUT_DEV_CAP_*_ORDER_CAP */
#define UBURMA_ORDER_CAP_OT			(1U << 0)
#define UBURMA_ORDER_CAP_OI			(1U << 1)
#define UBURMA_ORDER_CAP_OL			(1U << 2)
#define UBURMA_ORDER_CAP_NO			(1U << 3)

/* Paths a device offers, UBURMA_QUERY_DEVICE_OUT_DEV_CAP_*_TP_CAP and struct uburma_sl_info */
#define UBURMA_TP_TYPE_CAP_RTP			(1U << 0)
#define UBURMA_TP_TYPE_CAP_CTP			(1U << 1)
#define UBURMA_TP_TYPE_CAP_UTP			(1U << 2)

/* UBURMA_QUERY_DEVICE_OUT_DEV_CAP_TP_FEATURE */
#define UBURMA_TP_FEATURE_RM_MULTI_PATH		(1U << 0)
#define UBURMA_TP_FEATURE_RC_MULTI_PATH		(1U << 1)

/* UBURMA_ALLOC_TOKEN_ID_IN_FLAG */
#define UBURMA_TOKEN_ID_FLAG_MULTI_SEG		(1U << 0)	/* may cover several segments */

/* UBURMA_REGISTER_SEG_IN_FLAG */
#define UBURMA_REG_SEG_FLAG_TOKEN_POLICY_SHIFT	0
#define UBURMA_REG_SEG_FLAG_TOKEN_POLICY_MASK	0x00000007U	/* enum uburma_token_policy */
#define UBURMA_REG_SEG_FLAG_CACHEABLE		(1U << 3)
#define UBURMA_REG_SEG_FLAG_DSVA		(1U << 4)	/* distributed virtual address */
#define UBURMA_REG_SEG_FLAG_ACCESS_SHIFT	5
#define UBURMA_REG_SEG_FLAG_ACCESS_MASK		0x000007e0U	/* UBURMA_ACCESS_* */
#define UBURMA_REG_SEG_FLAG_NON_PIN		(1U << 11)	/* do not pin the memory */
#define UBURMA_REG_SEG_FLAG_USER_IOVA		(1U << 12)	/* address chosen by the user */
#define UBURMA_REG_SEG_FLAG_TOKEN_ID_VALID	(1U << 13)	/* TOKEN_ID_HANDLE is given */

/* Attribute word of a segment, exchanged between peers; not part of a command */
#define UBURMA_SEG_ATTR_TOKEN_POLICY_SHIFT	0
#define UBURMA_SEG_ATTR_TOKEN_POLICY_MASK	0x00000007U	/* enum uburma_token_policy */
#define UBURMA_SEG_ATTR_CACHEABLE		(1U << 3)
#define UBURMA_SEG_ATTR_DSVA			(1U << 4)
#define UBURMA_SEG_ATTR_ACCESS_SHIFT		5
#define UBURMA_SEG_ATTR_ACCESS_MASK		0x000007e0U	/* UBURMA_ACCESS_* */
#define UBURMA_SEG_ATTR_NON_PIN			(1U << 11)
#define UBURMA_SEG_ATTR_USER_IOVA		(1U << 12)
#define UBURMA_SEG_ATTR_USER_TOKEN_ID		(1U << 13)
#define UBURMA_SEG_ATTR_HAS_USER_INFO		(1U << 14)

/* UBURMA_IMPORT_SEG_IN_FLAG */
#define UBURMA_IMPORT_SEG_FLAG_CACHEABLE	(1U << 0)
#define UBURMA_IMPORT_SEG_FLAG_ACCESS_SHIFT	1
#define UBURMA_IMPORT_SEG_FLAG_ACCESS_MASK	0x0000007eU	/* UBURMA_ACCESS_* */
#define UBURMA_IMPORT_SEG_FLAG_MAPPING		(1U << 7)	/* map at MVA */

/*
 * JFS flags; also UBURMA_ACTIVE_JETTY_IN_FLAG.  NON_BLOCKING and HAS_DRV_EXT,
 * here and in the other words, are for the user library alone: stored and
 * returned by queries, otherwise without effect.
 */
#define UBURMA_JFS_FLAG_LOCK_FREE		(1U << 0)	/* user serializes access */
#define UBURMA_JFS_FLAG_ERROR_SUSPEND		(1U << 1)	/* suspend instead of error */
#define UBURMA_JFS_FLAG_OUTORDER_COMP		(1U << 2)	/* completions out of order */
#define UBURMA_JFS_FLAG_ORDER_TYPE_SHIFT	3
#define UBURMA_JFS_FLAG_ORDER_TYPE_MASK		0x000007f8U	/* enum uburma_order_type */
#define UBURMA_JFS_FLAG_MULTI_PATH		(1U << 11)	/* spread over paths */
#define UBURMA_JFS_FLAG_CTP_RC_MUL_PATH_MODE	(1U << 12)	/* multi path of RC over CTP */
#define UBURMA_JFS_FLAG_NON_BLOCKING		(1U << 13)
#define UBURMA_JFS_FLAG_HAS_DRV_EXT		(1U << 14)

/* JFR flags */
#define UBURMA_JFR_FLAG_TOKEN_POLICY_SHIFT	0
#define UBURMA_JFR_FLAG_TOKEN_POLICY_MASK	0x00000007U	/* enum uburma_token_policy */
#define UBURMA_JFR_FLAG_TAG_MATCHING		(1U << 3)
#define UBURMA_JFR_FLAG_LOCK_FREE		(1U << 4)	/* user serializes access */
#define UBURMA_JFR_FLAG_ORDER_TYPE_SHIFT	5
#define UBURMA_JFR_FLAG_ORDER_TYPE_MASK		0x00001fe0U	/* enum uburma_order_type */
#define UBURMA_JFR_FLAG_HAS_DRV_EXT		(1U << 13)
#define UBURMA_JFR_FLAG_NON_BLOCKING		(1U << 14)

/* JFC flags */
#define UBURMA_JFC_FLAG_LOCK_FREE		(1U << 0)	/* user serializes access */
#define UBURMA_JFC_FLAG_JFC_INLINE		(1U << 1)	/* payload in completions */
#define UBURMA_JFC_FLAG_NON_BLOCKING		(1U << 2)
#define UBURMA_JFC_FLAG_HAS_DRV_EXT		(1U << 3)

/* Jetty flags */
#define UBURMA_JETTY_FLAG_SHARE_JFR		(1U << 0)	/* receives through a shared JFR */
#define UBURMA_JETTY_FLAG_NON_BLOCKING		(1U << 1)
#define UBURMA_JETTY_FLAG_HAS_DRV_EXT		(1U << 2)
#define UBURMA_JETTY_FLAG_HAS_USER_INFO		(1U << 3)

/* Jetty group flags */
#define UBURMA_JETTY_GRP_FLAG_TOKEN_POLICY_SHIFT 0
#define UBURMA_JETTY_GRP_FLAG_TOKEN_POLICY_MASK	0x00000007U	/* enum uburma_token_policy */

/* Flags of the import commands for jettys and JFRs */
#define UBURMA_IMPORT_JETTY_FLAG_TOKEN_POLICY_SHIFT 0
#define UBURMA_IMPORT_JETTY_FLAG_TOKEN_POLICY_MASK 0x00000007U	/* enum uburma_token_policy */
#define UBURMA_IMPORT_JETTY_FLAG_ORDER_TYPE_SHIFT 3
#define UBURMA_IMPORT_JETTY_FLAG_ORDER_TYPE_MASK 0x000007f8U	/* enum uburma_order_type */
#define UBURMA_IMPORT_JETTY_FLAG_SHARE_TP	(1U << 11)	/* share the transport path */
#define UBURMA_IMPORT_JETTY_FLAG_HAS_DRV_EXT	(1U << 12)
#define UBURMA_IMPORT_JETTY_FLAG_HAS_USER_INFO	(1U << 13)

/* UBURMA_GET_TP_LIST_IN_FLAG, UBURMA_EXCHANGE_TP_INFO_IN_FLAG: the paths wanted */
#define UBURMA_GET_TP_CFG_FLAG_CTP		(1U << 0)
#define UBURMA_GET_TP_CFG_FLAG_RTP		(1U << 1)
#define UBURMA_GET_TP_CFG_FLAG_UTP		(1U << 2)
#define UBURMA_GET_TP_CFG_FLAG_UBOE		(1U << 3)
#define UBURMA_GET_TP_CFG_FLAG_PRE_DEFINED	(1U << 4)
#define UBURMA_GET_TP_CFG_FLAG_DYNAMIC_DEFINED	(1U << 5)
#define UBURMA_GET_TP_CFG_FLAG_UDP_SHIFT	6
#define UBURMA_GET_TP_CFG_FLAG_UDP_MASK		0x000007c0U
#define UBURMA_GET_TP_CFG_FLAG_GROUP_ID_SHIFT	11
#define UBURMA_GET_TP_CFG_FLAG_GROUP_ID_MASK	0x03fff800U

/* UBURMA_MODIFY_TP_IN_TP_CFG_FLAG */
#define UBURMA_TP_CFG_FLAG_TARGET		(1U << 0)
#define UBURMA_TP_CFG_FLAG_LOOPBACK		(1U << 1)
#define UBURMA_TP_CFG_FLAG_DCA_ENABLE		(1U << 2)
#define UBURMA_TP_CFG_FLAG_BONDING		(1U << 3)

/* UBURMA_MODIFY_TP_IN_ATTR_FLAG */
#define UBURMA_TP_MOD_FLAG_OOR_EN		(1U << 0)
#define UBURMA_TP_MOD_FLAG_SR_EN		(1U << 1)
#define UBURMA_TP_MOD_FLAG_CC_EN		(1U << 2)
#define UBURMA_TP_MOD_FLAG_CC_ALG_SHIFT		3
#define UBURMA_TP_MOD_FLAG_CC_ALG_MASK		0x00000078U	/* enum uburma_tp_cc_alg */
#define UBURMA_TP_MOD_FLAG_SPRAY_EN		(1U << 7)
#define UBURMA_TP_MOD_FLAG_CLAN			(1U << 8)

/* UBURMA_MODIFY_TP_IN_MASK: which UBURMA_MODIFY_TP_IN_ATTR_* values are meant */
#define UBURMA_TP_ATTR_MASK_FLAG		(1U << 0)
#define UBURMA_TP_ATTR_MASK_PEER_TPN		(1U << 1)
#define UBURMA_TP_ATTR_MASK_STATE		(1U << 2)
#define UBURMA_TP_ATTR_MASK_TX_PSN		(1U << 3)
#define UBURMA_TP_ATTR_MASK_RX_PSN		(1U << 4)
#define UBURMA_TP_ATTR_MASK_MTU			(1U << 5)
#define UBURMA_TP_ATTR_MASK_CC_PATTERN_IDX	(1U << 6)
#define UBURMA_TP_ATTR_MASK_OOS_CNT		(1U << 7)
#define UBURMA_TP_ATTR_MASK_LOCAL_NET_ADDR_IDX	(1U << 8)
#define UBURMA_TP_ATTR_MASK_PEER_NET_ADDR	(1U << 9)
#define UBURMA_TP_ATTR_MASK_DATA_UDP_START	(1U << 10)
#define UBURMA_TP_ATTR_MASK_ACK_UDP_START	(1U << 11)
#define UBURMA_TP_ATTR_MASK_UDP_RANGE		(1U << 12)
#define UBURMA_TP_ATTR_MASK_HOP_LIMIT		(1U << 13)
#define UBURMA_TP_ATTR_MASK_FLOW_LABEL		(1U << 14)
#define UBURMA_TP_ATTR_MASK_PORT_ID		(1U << 15)
#define UBURMA_TP_ATTR_MASK_MN			(1U << 16)
#define UBURMA_TP_ATTR_MASK_PEER_TRANS_TYPE	(1U << 17)

/*
 * Data path.  None of this crosses in a command: the rings that user space and
 * a driver share carry these values.
 */

/**
 * enum uburma_opcode - operation of a send request
 * @UBURMA_OPC_WRITE: write to remote memory
 * @UBURMA_OPC_WRITE_IMM: write, and consume a receive request with immediate data
 * @UBURMA_OPC_WRITE_NOTIFY: write, then write a notification word
 * @UBURMA_OPC_READ: read remote memory
 * @UBURMA_OPC_CAS: compare and swap
 * @UBURMA_OPC_SWAP: swap
 * @UBURMA_OPC_FADD: fetch and add
 * @UBURMA_OPC_FSUB: fetch and subtract
 * @UBURMA_OPC_FAND: fetch and AND
 * @UBURMA_OPC_FOR: fetch and OR
 * @UBURMA_OPC_FXOR: fetch and XOR
 * @UBURMA_OPC_SEND: message to a receive request
 * @UBURMA_OPC_SEND_IMM: message with immediate data
 * @UBURMA_OPC_SEND_INVALIDATE: message that invalidates a remote token
 * @UBURMA_OPC_NOP: nothing, completes
 * @UBURMA_OPC_WRITE_ATOMIC: write that becomes visible at once
 * @UBURMA_OPC_FLUSH_DMA: flush earlier writes
 * @UBURMA_OPC_LAST: first value that is not an operation
 */
enum uburma_opcode {
	UBURMA_OPC_WRITE		= 0x00,
	UBURMA_OPC_WRITE_IMM		= 0x01,
	UBURMA_OPC_WRITE_NOTIFY		= 0x02,
	UBURMA_OPC_READ			= 0x10,
	UBURMA_OPC_CAS			= 0x20,
	UBURMA_OPC_SWAP			= 0x21,
	UBURMA_OPC_FADD			= 0x22,
	UBURMA_OPC_FSUB			= 0x23,
	UBURMA_OPC_FAND			= 0x24,
	UBURMA_OPC_FOR			= 0x25,
	UBURMA_OPC_FXOR			= 0x26,
	UBURMA_OPC_SEND			= 0x40,
	UBURMA_OPC_SEND_IMM		= 0x41,
	UBURMA_OPC_SEND_INVALIDATE	= 0x42,
	UBURMA_OPC_NOP			= 0x51,
	UBURMA_OPC_WRITE_ATOMIC		= 0x60,
	UBURMA_OPC_FLUSH_DMA		= 0x80,
	UBURMA_OPC_LAST			= 0x81,
};

/**
 * enum uburma_place_order - order of a request against earlier ones
 * @UBURMA_PLACE_ORDER_NONE: none
 * @UBURMA_PLACE_ORDER_RELAX: relaxed order
 * @UBURMA_PLACE_ORDER_STRONG: strong order
 */
enum uburma_place_order {
	UBURMA_PLACE_ORDER_NONE		= 0,
	UBURMA_PLACE_ORDER_RELAX	= 1,
	UBURMA_PLACE_ORDER_STRONG	= 2,
};

/* Flags of a send request */
#define UBURMA_JFS_WR_FLAG_PLACE_ORDER_SHIFT	0
#define UBURMA_JFS_WR_FLAG_PLACE_ORDER_MASK	0x00000003U	/* enum uburma_place_order */
#define UBURMA_JFS_WR_FLAG_COMP_ORDER		(1U << 2)	/* completes in order */
#define UBURMA_JFS_WR_FLAG_FENCE		(1U << 3)	/* waits for earlier requests */
#define UBURMA_JFS_WR_FLAG_SOLICITED_ENABLE	(1U << 4)	/* event for a solicited arm */
#define UBURMA_JFS_WR_FLAG_COMPLETE_ENABLE	(1U << 5)	/* completion on success */
#define UBURMA_JFS_WR_FLAG_INLINE_FLAG		(1U << 6)	/* payload in the request */
#define UBURMA_JFS_WR_FLAG_DB_BYPASS		(1U << 7)
#define UBURMA_JFS_WR_FLAG_UDF			(1U << 8)
#define UBURMA_JFS_WR_FLAG_HAS_DRV_EXT		(1U << 9)

/* Flags of a receive request */
#define UBURMA_JFR_WR_FLAG_COMPLETE_TYPE	(1U << 0)

/**
 * enum uburma_cr_status - status of a completion record
 * @UBURMA_CR_SUCCESS: done
 * @UBURMA_CR_UNSUPPORTED_OPCODE_ERR: operation not supported
 * @UBURMA_CR_LOC_LEN_ERR: local length error
 * @UBURMA_CR_LOC_OPERATION_ERR: local operation error
 * @UBURMA_CR_LOC_ACCESS_ERR: local memory access refused
 * @UBURMA_CR_REM_RESP_LEN_ERR: length error at the peer
 * @UBURMA_CR_REM_UNSUPPORTED_REQ_ERR: request not supported by the peer
 * @UBURMA_CR_REM_OPERATION_ERR: operation error at the peer
 * @UBURMA_CR_REM_ACCESS_ABORT_ERR: memory access refused by the peer
 * @UBURMA_CR_ACK_TIMEOUT_ERR: no acknowledgment after all retries
 * @UBURMA_CR_RNR_RETRY_CNT_EXC_ERR: peer not ready to receive after all retries
 * @UBURMA_CR_WR_FLUSH_ERR: flushed, the queue is in error
 * @UBURMA_CR_WR_SUSPEND_DONE: last record before the queue is suspended
 * @UBURMA_CR_WR_FLUSH_ERR_DONE: last record of a flush
 * @UBURMA_CR_WR_UNHANDLED: the request was never processed
 * @UBURMA_CR_LOC_DATA_POISON: poisoned data in local memory
 * @UBURMA_CR_REM_DATA_POISON: poisoned data in the peer's memory
 */
enum uburma_cr_status {
	UBURMA_CR_SUCCESS			= 0,
	UBURMA_CR_UNSUPPORTED_OPCODE_ERR	= 1,
	UBURMA_CR_LOC_LEN_ERR			= 2,
	UBURMA_CR_LOC_OPERATION_ERR		= 3,
	UBURMA_CR_LOC_ACCESS_ERR		= 4,
	UBURMA_CR_REM_RESP_LEN_ERR		= 5,
	UBURMA_CR_REM_UNSUPPORTED_REQ_ERR	= 6,
	UBURMA_CR_REM_OPERATION_ERR		= 7,
	UBURMA_CR_REM_ACCESS_ABORT_ERR		= 8,
	UBURMA_CR_ACK_TIMEOUT_ERR		= 9,
	UBURMA_CR_RNR_RETRY_CNT_EXC_ERR		= 10,
	UBURMA_CR_WR_FLUSH_ERR			= 11,
	UBURMA_CR_WR_SUSPEND_DONE		= 12,
	UBURMA_CR_WR_FLUSH_ERR_DONE		= 13,
	UBURMA_CR_WR_UNHANDLED			= 14,
	UBURMA_CR_LOC_DATA_POISON		= 15,
	UBURMA_CR_REM_DATA_POISON		= 16,
};

/**
 * enum uburma_cr_opcode - what a receive side completion reports
 * @UBURMA_CR_OPC_SEND: a message
 * @UBURMA_CR_OPC_SEND_WITH_IMM: a message with immediate data
 * @UBURMA_CR_OPC_SEND_WITH_INV: a message that invalidated a token
 * @UBURMA_CR_OPC_WRITE_WITH_IMM: a write with immediate data
 * @UBURMA_CR_OPC_FLUSH_WRITE: a write that was flushed to memory
 */
enum uburma_cr_opcode {
	UBURMA_CR_OPC_SEND		= 0,
	UBURMA_CR_OPC_SEND_WITH_IMM	= 1,
	UBURMA_CR_OPC_SEND_WITH_INV	= 2,
	UBURMA_CR_OPC_WRITE_WITH_IMM	= 3,
	UBURMA_CR_OPC_FLUSH_WRITE	= 4,
};

/* Flags of a completion record, 8 bits */
#define UBURMA_CR_FLAG_S_R			(1U << 0)	/* receive side */
#define UBURMA_CR_FLAG_JETTY			(1U << 1)	/* local_id is a jetty's */
#define UBURMA_CR_FLAG_SUSPEND_DONE		(1U << 2)
#define UBURMA_CR_FLAG_FLUSH_ERR_DONE		(1U << 3)

#endif /* _UAPI_UB_UBURMA_H */
