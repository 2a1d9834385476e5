/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the kernel interface of ubcore: what device drivers implement and
 * what kernel clients use. A driver or client is built against this header;
 * there is no binary compatibility across versions of it.
 */
#ifndef UB_UBCORE_TYPES_H
#define UB_UBCORE_TYPES_H

#include <linux/atomic.h>
#include <linux/cgroup_rdma.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/types.h>

#include <ub/urma/ubcore_opcode.h>

struct net;
struct net_device;
struct vm_area_struct;
struct vm_fault;

#define UBCORE_GET_VERSION(a, b)	(((a) << 16) + ((b) > 65535 ? 65535 : (b)))
#define UBCORE_API_VERSION		((0 << 16) + 9)

#define UBCORE_MAX_PORT_CNT		16
#define UBCORE_MAX_PRIORITY_CNT		16
#define UBCORE_MAX_UE_CNT		1024
#define UBCORE_MAX_DEV_NAME		64
#define UBCORE_MAX_DRIVER_NAME		64
#define UBCORE_MAX_ATTR_GROUP		3
#define UBCORE_MAX_EID_CNT		1024
#define UBCORE_MAX_JETTY_IN_JETTY_GRP	32
#define UBCORE_JETTY_GRP_MAX_NAME	64
#define UBCORE_MAX_TP_CNT_IN_GRP	32
#define UBCORE_EID_SIZE			16
#define UBCORE_EID_STR_LEN		39
#define UBCORE_GUID_SIZE		16
#define UBCORE_MAC_BYTES		6
#define UBCORE_MAX_PATH_NUM		16
#define UBCORE_NET_ADDR_BYTES		16
#define UBCORE_IP_ADDR_BYTES		16
#define UBCORE_OWN_UE_IDX		0xffff
#define UBCORE_OPT_REVERVED_SIZE	4

/* Jetty ids that a driver never chooses by itself. */
#define UBCORE_RESERVED_JETTY_ID_MIN	0
#define UBCORE_RESERVED_JETTY_ID_MAX	1023

/**
 * enum ubcore_transport_type - kind of fabric a device is attached to
 * @UBCORE_TRANSPORT_INVALID: none
 * @UBCORE_TRANSPORT_UB: Unified Bus
 * @UBCORE_TRANSPORT_MAX: end of the numbers
 */
enum ubcore_transport_type {
	UBCORE_TRANSPORT_INVALID = -1,
	UBCORE_TRANSPORT_UB = 0,
	UBCORE_TRANSPORT_MAX = 1,
};

/**
 * enum ubcore_transport_mode - service that a jetty offers; the values are bits
 * @UBCORE_TP_RM: reliable message: any jetty to any imported jetty
 * @UBCORE_TP_RC: reliable connection: one jetty bound to one imported jetty
 * @UBCORE_TP_UM: unreliable message
 */
enum ubcore_transport_mode {
	UBCORE_TP_RM = 1,
	UBCORE_TP_RC = 2,
	UBCORE_TP_UM = 4,
};

/**
 * enum ubcore_order_type - who keeps the order of work requests
 * @UBCORE_DEF_ORDER: chosen by the core: OI for RM, OL for RC, NO for UM
 * @UBCORE_OT: the target
 * @UBCORE_OI: the initiator
 * @UBCORE_OL: the low layer
 * @UBCORE_NO: nobody, and delivery is unreliable
 */
enum ubcore_order_type {
	UBCORE_DEF_ORDER = 0,
	UBCORE_OT = 1,
	UBCORE_OI = 2,
	UBCORE_OL = 3,
	UBCORE_NO = 4,
};

/**
 * enum ubcore_tp_type - kind of transport path
 * @UBCORE_RTP: reliable
 * @UBCORE_CTP: compact: reliable by the link layer
 * @UBCORE_UTP: unreliable
 */
enum ubcore_tp_type {
	UBCORE_RTP = 0,
	UBCORE_CTP = 1,
	UBCORE_UTP = 2,
};

/**
 * enum ubcore_target_type - what an imported target is
 * @UBCORE_JFR: a receive queue
 * @UBCORE_JETTY: a jetty
 * @UBCORE_JETTY_GROUP: a group of jettys
 */
enum ubcore_target_type {
	UBCORE_JFR = 0,
	UBCORE_JETTY = 1,
	UBCORE_JETTY_GROUP = 2,
};

/**
 * enum ubcore_jetty_grp_policy - how a group chooses the receiving jetty
 * @UBCORE_JETTY_GRP_POLICY_RR: in turn
 * @UBCORE_JETTY_GRP_POLICY_HASH_HINT: by a hash of the sender's hint
 */
enum ubcore_jetty_grp_policy {
	UBCORE_JETTY_GRP_POLICY_RR = 0,
	UBCORE_JETTY_GRP_POLICY_HASH_HINT = 1,
};

/**
 * enum ubcore_jfc_state - state of a completion queue
 * @UBCORE_JFC_STATE_INVALID: not usable yet
 * @UBCORE_JFC_STATE_VALID: usable
 * @UBCORE_JFC_STATE_ERROR: overflowed
 */
enum ubcore_jfc_state {
	UBCORE_JFC_STATE_INVALID = 0,
	UBCORE_JFC_STATE_VALID = 1,
	UBCORE_JFC_STATE_ERROR = 2,
};

/**
 * enum ubcore_jetty_state - state of a jetty or of a send queue
 * @UBCORE_JETTY_STATE_RESET: accepts nothing
 * @UBCORE_JETTY_STATE_READY: works
 * @UBCORE_JETTY_STATE_SUSPENDED: stopped after an error, can be resumed
 * @UBCORE_JETTY_STATE_ERROR: every work request ends with FLUSH_ERR
 */
enum ubcore_jetty_state {
	UBCORE_JETTY_STATE_RESET = 0,
	UBCORE_JETTY_STATE_READY = 1,
	UBCORE_JETTY_STATE_SUSPENDED = 2,
	UBCORE_JETTY_STATE_ERROR = 3,
};

/**
 * enum ubcore_jfr_state - state of a receive queue
 * @UBCORE_JFR_STATE_RESET: accepts nothing
 * @UBCORE_JFR_STATE_READY: works
 * @UBCORE_JFR_STATE_ERROR: receives nothing any more
 */
enum ubcore_jfr_state {
	UBCORE_JFR_STATE_RESET = 0,
	UBCORE_JFR_STATE_READY = 1,
	UBCORE_JFR_STATE_ERROR = 2,
};

/* Which fields of struct ubcore_{jfc,jfs,jfr,jetty}_attr are meant. */
enum ubcore_jfc_attr_mask {
	UBCORE_JFC_MODERATE_COUNT = 1,
	UBCORE_JFC_MODERATE_PERIOD = 2,
};

enum ubcore_jfs_attr_mask {
	UBCORE_JFS_STATE = 1,
};

enum ubcore_jfr_attr_mask {
	UBCORE_JFR_RX_THRESHOLD = 1,
	UBCORE_JFR_STATE = 2,
};

enum ubcore_jetty_attr_mask {
	UBCORE_JETTY_RX_THRESHOLD = 1,
	UBCORE_JETTY_STATE = 2,
};

/**
 * enum ubcore_event_type - asynchronous events
 * @UBCORE_EVENT_JFC_ERR: a completion queue overflowed
 * @UBCORE_EVENT_JFS_ERR: a send queue went to the error state
 * @UBCORE_EVENT_JFR_ERR: a receive queue went to the error state
 * @UBCORE_EVENT_JFR_LIMIT_REACHED: a receive queue fell below its threshold
 * @UBCORE_EVENT_JETTY_ERR: a jetty went to the error state
 * @UBCORE_EVENT_JETTY_LIMIT_REACHED: a jetty's receive side fell below its
 *	threshold
 * @UBCORE_EVENT_JETTY_GRP_ERR: a jetty group failed
 * @UBCORE_EVENT_PORT_ACTIVE: a port came up
 * @UBCORE_EVENT_PORT_DOWN: a port went down
 * @UBCORE_EVENT_DEV_FATAL: the device is not usable any more
 * @UBCORE_EVENT_EID_CHANGE: an entry of the EID table changed
 * @UBCORE_EVENT_TP_ERR: a transport path failed
 * @UBCORE_EVENT_TP_SUSPEND: a transport path is suspended
 * @UBCORE_EVENT_TP_FLUSH_DONE: a transport path is flushed
 * @UBCORE_EVENT_ELR_ERR: entity level reset failed
 * @UBCORE_EVENT_ELR_DONE: entity level reset is done
 * @UBCORE_EVENT_MIGRATE_VTP_SWITCH: live migration, not used
 * @UBCORE_EVENT_MIGRATE_VTP_ROLLBACK: live migration, not used
 */
enum ubcore_event_type {
	UBCORE_EVENT_JFC_ERR = 0,
	UBCORE_EVENT_JFS_ERR = 1,
	UBCORE_EVENT_JFR_ERR = 2,
	UBCORE_EVENT_JFR_LIMIT_REACHED = 3,
	UBCORE_EVENT_JETTY_ERR = 4,
	UBCORE_EVENT_JETTY_LIMIT_REACHED = 5,
	UBCORE_EVENT_JETTY_GRP_ERR = 6,
	UBCORE_EVENT_PORT_ACTIVE = 7,
	UBCORE_EVENT_PORT_DOWN = 8,
	UBCORE_EVENT_DEV_FATAL = 9,
	UBCORE_EVENT_EID_CHANGE = 10,
	UBCORE_EVENT_TP_ERR = 11,
	UBCORE_EVENT_TP_SUSPEND = 12,
	UBCORE_EVENT_TP_FLUSH_DONE = 13,
	UBCORE_EVENT_ELR_ERR = 14,
	UBCORE_EVENT_ELR_DONE = 15,
	UBCORE_EVENT_MIGRATE_VTP_SWITCH = 16,
	UBCORE_EVENT_MIGRATE_VTP_ROLLBACK = 17,
};

/**
 * enum ubcore_mgmt_event_type - changes of the EID table that a driver reports
 * @UBCORE_MGMT_EVENT_EID_ADD: an EID was given to the device
 * @UBCORE_MGMT_EVENT_EID_RMV: an EID was taken away
 */
enum ubcore_mgmt_event_type {
	UBCORE_MGMT_EVENT_EID_ADD = 0,
	UBCORE_MGMT_EVENT_EID_RMV = 1,
};

/* Codes of a port's properties; an MTU code v means 1 << (v + 7) bytes. */
enum ubcore_mtu {
	UBCORE_MTU_256 = 1,
	UBCORE_MTU_512 = 2,
	UBCORE_MTU_1024 = 3,
	UBCORE_MTU_2048 = 4,
	UBCORE_MTU_4096 = 5,
	UBCORE_MTU_8192 = 6,
};

enum ubcore_port_state {
	UBCORE_PORT_NOP = 0,
	UBCORE_PORT_DOWN = 1,
	UBCORE_PORT_INIT = 2,
	UBCORE_PORT_ARMED = 3,
	UBCORE_PORT_ACTIVE = 4,
	UBCORE_PORT_ACTIVE_DEFER = 5,
};

enum ubcore_link_width {
	UBCORE_LINK_X1 = 1,
	UBCORE_LINK_X2 = 2,
	UBCORE_LINK_X4 = 4,
	UBCORE_LINK_X8 = 8,
	UBCORE_LINK_X16 = 16,
	UBCORE_LINK_X32 = 32,
};

enum ubcore_speed {
	UBCORE_SP_10M = 0,
	UBCORE_SP_100M = 1,
	UBCORE_SP_1G = 2,
	UBCORE_SP_2_5G = 3,
	UBCORE_SP_5G = 4,
	UBCORE_SP_10G = 5,
	UBCORE_SP_14G = 6,
	UBCORE_SP_25G = 7,
	UBCORE_SP_40G = 8,
	UBCORE_SP_50G = 9,
	UBCORE_SP_100G = 10,
	UBCORE_SP_200G = 11,
	UBCORE_SP_400G = 12,
	UBCORE_SP_800G = 13,
};

enum ubcore_pattern {
	UBCORE_PATTERN_1 = 0,
	UBCORE_PATTERN_3 = 1,
};

/* Flag words: bit-fields by name, or the whole word. */
union ubcore_jfc_flag {
	struct {
		u32 lock_free : 1;
		u32 jfc_inline : 1;
		u32 reserved : 30;
	} bs;
	u32 value;
};

union ubcore_jfs_flag {
	struct {
		u32 lock_free : 1;
		u32 error_suspend : 1;
		u32 outorder_comp : 1;
		u32 order_type : 8;
		u32 multi_path : 1;
		u32 ctp_rc_mul_path_mode : 1;
		u32 reserved : 19;
	} bs;
	u32 value;
};

union ubcore_jfr_flag {
	struct {
		u32 token_policy : 3;
		u32 tag_matching : 1;
		u32 lock_free : 1;
		u32 order_type : 8;
		u32 reserved : 19;
	} bs;
	u32 value;
};

union ubcore_jetty_flag {
	struct {
		u32 share_jfr : 1;
		u32 lock_free : 1;
		u32 error_suspend : 1;
		u32 outorder_comp : 1;
		u32 order_type : 8;
		u32 multi_path : 1;
		u32 ctp_rc_mul_path_mode : 1;
		u32 reserved : 18;
	} bs;
	u32 value;
};

union ubcore_import_jetty_flag {
	struct {
		u32 token_policy : 3;
		u32 order_type : 8;
		u32 share_tp : 1;
		u32 has_drv_ext : 1;
		u32 has_user_info : 1;
		u32 reserved : 18;
	} bs;
	u32 value;
};

union ubcore_jetty_grp_flag {
	struct {
		u32 token_policy : 3;
		u32 reserved : 29;
	} bs;
	u32 value;
};

union ubcore_import_seg_flag {
	struct {
		u32 cacheable : 1;
		u32 access : 6;
		u32 mapping : 1;
		u32 reserved : 24;
	} bs;
	u32 value;
};

union ubcore_reg_seg_flag {
	struct {
		u32 token_policy : 3;
		u32 cacheable : 1;
		u32 dsva : 1;
		u32 access : 6;
		u32 non_pin : 1;
		u32 user_iova : 1;
		u32 token_id_valid : 1;
		u32 pa : 1;
		u32 reserved : 17;
	} bs;
	u32 value;
};

union ubcore_seg_attr {
	struct {
		u32 token_policy : 3;
		u32 cacheable : 1;
		u32 dsva : 1;
		u32 access : 6;
		u32 non_pin : 1;
		u32 user_iova : 1;
		u32 user_token_id : 1;
		u32 pa : 1;
		u32 reserved : 17;
	} bs;
	u32 value;
};

union ubcore_token_id_flag {
	struct {
		u32 pa : 1;
		u32 multi_seg : 1;
		u32 reserved : 30;
	} bs;
	u32 value;
};

union ubcore_device_feat {
	struct {
		u32 oor : 1;
		u32 jfc_per_wr : 1;
		u32 stride_op : 1;
		u32 load_store_op : 1;
		u32 non_pin : 1;
		u32 pmem : 1;
		u32 jfc_inline : 1;
		u32 spray_en : 1;
		u32 selective_retrans : 1;
		u32 live_migrate : 1;
		u32 dca : 1;
		u32 jetty_grp : 1;
		u32 err_suspend : 1;
		u32 outorder_comp : 1;
		u32 mn : 1;
		u32 clan : 1;
		u32 muti_seg_per_token_id : 1;
		u32 ipourma_en : 1;
		u32 ctp_en : 1;
		u32 uboe : 1;
		u32 reserved : 12;
	} bs;
	u32 value;
};

union ubcore_atomic_feat {
	struct {
		u32 cas : 1;
		u32 swap : 1;
		u32 fetch_and_add : 1;
		u32 fetch_and_sub : 1;
		u32 fetch_and_and : 1;
		u32 fetch_and_or : 1;
		u32 fetch_and_xor : 1;
		u32 reserved : 25;
	} bs;
	u32 value;
};

union ubcore_order_type_cap {
	struct {
		u32 ot : 1;
		u32 oi : 1;
		u32 ol : 1;
		u32 no : 1;
		u32 reserved : 28;
	} bs;
	u32 value;
};

union urma_tp_type_cap {
	struct {
		u32 rtp : 1;
		u32 ctp : 1;
		u32 utp : 1;
		u32 reserved : 29;
	} bs;
	u32 value;
};

union urma_tp_type_en {
	struct {
		u32 rtp : 1;
		u32 ctp : 1;
		u32 utp : 1;
		u32 reserved : 29;
	} bs;
	u32 value;
};

union urma_tp_feature {
	struct {
		u32 rm_multi_path : 1;
		u32 rc_multi_path : 1;
		u32 reserved : 30;
	} bs;
	u32 value;
};

union ubcore_device_cfg_mask {
	struct {
		u32 rc_cnt : 1;
		u32 rc_depth : 1;
		u32 slice : 1;
		u32 pattern : 1;
		u32 virtualization : 1;
		u32 suspend_period : 1;
		u32 suspend_cnt : 1;
		u32 min_jetty_cnt : 1;
		u32 max_jetty_cnt : 1;
		u32 min_jfr_cnt : 1;
		u32 max_jfr_cnt : 1;
		u32 reserved_jetty_id_min : 1;
		u32 reserved_jetty_id_max : 1;
		u32 reserved : 19;
	} bs;
	u32 value;
};

union ubcore_jfs_wr_flag {
	struct {
		u32 place_order : 2;
		u32 comp_order : 1;
		u32 fence : 1;
		u32 solicited_enable : 1;
		u32 complete_enable : 1;
		u32 inline_flag : 1;
		u32 db_bypass : 1;
		u32 reserved : 24;
	} bs;
	u32 value;
};

union ubcore_cr_flag {
	struct {
		u8 s_r : 1;
		u8 jetty : 1;
		u8 suspend_done : 1;
		u8 flush_err_done : 1;
		u8 reserved : 4;
	} bs;
	u8 value;
};

/* What names a transport path of a driver. */
union ubcore_tp_handle {
	struct {
		u64 tpid : 24;
		u64 tpn_start : 24;
		u64 tp_cnt : 5;
		u64 ctp : 1;
		u64 rtp : 1;
		u64 utp : 1;
		u64 uboe : 1;
		u64 pre_defined : 1;
		u64 dynamic_defined : 1;
		u64 trans_mode : 3;
		u64 reserved : 2;
	} bs;
	u64 value;
};

union ubcore_get_tp_cfg_flag {
	struct {
		u32 ctp : 1;
		u32 rtp : 1;
		u32 utp : 1;
		u32 uboe : 1;
		u32 pre_defined : 1;
		u32 dynamic_defined : 1;
		u32 udp : 5;
		u32 group_id : 15;
		u32 reserved : 6;
	} bs;
	u32 value;
};

/**
 * union ubcore_eid - entity id: the address of a UB entity on the fabric
 * @raw: its bytes, in network order
 * @in4: an IPv4 address in an IPv6 mapping
 * @in4.reserved: 0
 * @in4.prefix: htonl(0x0000ffff)
 * @in4.addr: the address, big endian
 * @in6: read as an IPv6 address
 * @in6.subnet_prefix: upper half, big endian
 * @in6.interface_id: lower half, big endian
 */
union ubcore_eid {
	u8 raw[UBCORE_EID_SIZE];
	struct {
		u64 reserved;
		u32 prefix;
		u32 addr;
	} in4;
	struct {
		u64 subnet_prefix;
		u64 interface_id;
	} in6;
};

/**
 * struct ubcore_eid_info - an EID and its place in the table
 * @eid: the EID
 * @eid_index: its index in the table of its device
 */
struct ubcore_eid_info {
	union ubcore_eid eid;
	u32 eid_index;
};

/**
 * struct ubcore_jetty_id - what names a jetty, JFS or JFR on the fabric
 * @eid: EID of the entity that has it
 * @id: its number there
 */
struct ubcore_jetty_id {
	union ubcore_eid eid;
	u32 id;
};

/**
 * struct ubcore_ubva - UB virtual address
 * @eid: EID of the entity that has the memory
 * @va: virtual address there
 */
struct ubcore_ubva {
	union ubcore_eid eid;
	u64 va;
} __packed;

/**
 * struct ubcore_udrv_priv - data that a user-space provider and its driver
 *	exchange; the layout is that of struct uburma_udata
 * @in_addr: user address of the input, 0 for none
 * @in_len: bytes of input
 * @out_addr: user address for the reply, 0 for none
 * @out_len: bytes there
 */
struct ubcore_udrv_priv {
	u64 in_addr;
	u32 in_len;
	u64 out_addr;
	u32 out_len;
};

struct ubcore_device;

/**
 * struct ubcore_cg_device - a device as the rdma cgroup knows it
 * @dev: entry of the controller
 */
struct ubcore_cg_device {
#ifdef CONFIG_CGROUP_RDMA
	struct rdmacg_device dev;
#endif
};

/**
 * struct ubcore_cg_object - who pays for an object
 * @cg: group that was charged
 */
struct ubcore_cg_object {
#ifdef CONFIG_CGROUP_RDMA
	struct rdma_cgroup *cg;
#endif
};

/**
 * struct ubcore_ucontext - what a user process has of a device
 * @ub_dev: device; set by the core
 * @eid: local EID; set by the core
 * @eid_index: its index; set by the core
 * @jfae: the client's own
 * @cg_obj: who pays; set by the core
 * @use_cnt: objects of this context; kept by the core
 *
 * Allocated by the driver in alloc_ucontext(), freed by it in free_ucontext().
 */
struct ubcore_ucontext {
	struct ubcore_device *ub_dev;
	union ubcore_eid eid;
	u32 eid_index;
	void *jfae;
	struct ubcore_cg_object cg_obj;
	atomic_t use_cnt;
};

/**
 * struct ubcore_udata - for whom a call is made
 * @uctx: context of the user
 * @udrv_data: what the user-space provider passed
 *
 * A NULL pointer to it means a kernel client.
 */
struct ubcore_udata {
	struct ubcore_ucontext *uctx;
	struct ubcore_udrv_priv *udrv_data;
};

/**
 * struct ubcore_token - secret that a peer must show
 * @token: its value; never logged
 */
struct ubcore_token {
	u32 token;
};

/**
 * struct ubcore_token_id - name of a token: what a peer gives to find a segment
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @token_id: the name; filled by the driver
 * @flag: as asked for; set by the core
 * @use_cnt: segments that use it; kept by the core
 */
struct ubcore_token_id {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	u32 token_id;
	union ubcore_token_id_flag flag;
	atomic_t use_cnt;
};

/**
 * struct ubcore_seg_cfg - a local segment to be registered
 * @va: first byte; a user address if the caller is a user
 * @len: bytes
 * @eid_index: local EID under which it is known
 * @token_id: name of its token, or NULL
 * @token_value: its token
 * @flag: access rights (UBCORE_ACCESS_*), token policy and more
 * @user_ctx: the caller's own
 * @iova: address that peers use when @flag.bs.user_iova is set
 */
struct ubcore_seg_cfg {
	u64 va;
	u64 len;
	u32 eid_index;
	struct ubcore_token_id *token_id;
	struct ubcore_token token_value;
	union ubcore_reg_seg_flag flag;
	u64 user_ctx;
	u64 iova;
};

/**
 * struct ubcore_seg - a segment as peers know it
 * @ubva: where it is
 * @len: bytes
 * @attr: how it was registered
 * @token_id: name of its token
 */
struct ubcore_seg {
	struct ubcore_ubva ubva;
	u64 len;
	union ubcore_seg_attr attr;
	u32 token_id;
};

/**
 * struct ubcore_target_seg_cfg - a remote segment to be imported
 * @seg: the segment, as its owner told
 * @flag: what is wanted of it
 * @mva: local address wanted when @flag.bs.mapping is set
 * @token_value: token to show
 */
struct ubcore_target_seg_cfg {
	struct ubcore_seg seg;
	union ubcore_import_seg_flag flag;
	u64 mva;
	struct ubcore_token token_value;
};

/**
 * struct ubcore_target_seg - a registered or imported segment
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @seg: what it is; @seg.token_id is filled by the driver
 * @mva: address of a mapping, filled by the driver
 * @token_id: name of the token of a registered segment
 * @use_cnt: users; kept by the core
 */
struct ubcore_target_seg {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_seg seg;
	u64 mva;
	struct ubcore_token_id *token_id;
	atomic_t use_cnt;
};

/**
 * struct ubcore_port_status - what a port does now; codes
 * @state: enum ubcore_port_state
 * @active_speed: enum ubcore_speed
 * @active_width: enum ubcore_link_width
 * @active_mtu: enum ubcore_mtu
 */
struct ubcore_port_status {
	enum ubcore_port_state state;
	enum ubcore_speed active_speed;
	enum ubcore_link_width active_width;
	enum ubcore_mtu active_mtu;
};

/**
 * struct ubcore_device_status - status of all ports
 * @port_status: by port number
 */
struct ubcore_device_status {
	struct ubcore_port_status port_status[UBCORE_MAX_PORT_CNT];
};

/**
 * struct ubcore_port_attr - what a port can do
 * @max_mtu: largest MTU
 */
struct ubcore_port_attr {
	enum ubcore_mtu max_mtu;
};

/**
 * struct ubcore_sl_info - what a priority stands for
 * @SL: service level
 * @tp_type: kinds of transport path it is meant for
 */
struct ubcore_sl_info {
	u32 SL;
	union urma_tp_type_en tp_type;
};

/**
 * struct ubcore_guid - globally unique id
 * @raw: its bytes
 */
struct ubcore_guid {
	u8 raw[UBCORE_GUID_SIZE];
};

/**
 * struct ubcore_device_cap - what a device can do; counts, and sizes in bytes
 * @feature: functions
 * @max_jfc: completion queues
 * @max_jfs: send queues
 * @max_jfr: receive queues
 * @max_jetty: jettys
 * @max_tp_cnt: transport paths
 * @max_tpg_cnt: groups of transport paths
 * @max_vtp_cnt_per_ue: not used
 * @max_jetty_grp: jetty groups
 * @max_jetty_in_jetty_grp: jettys in a group
 * @max_rc: reliable connections
 * @max_jfc_depth: entries of a completion queue
 * @max_jfs_depth: entries of a send queue
 * @max_jfr_depth: entries of a receive queue
 * @max_rc_depth: entries of a reliable connection
 * @max_jfs_inline_size: bytes of inline data
 * @max_jfs_sge: local ranges of a send work request
 * @max_jfs_rsge: remote ranges of a send work request
 * @max_jfr_sge: ranges of a receive work request
 * @max_msg_size: bytes of a message
 * @max_read_size: bytes of a read
 * @max_write_size: bytes of a write
 * @max_cas_size: bytes of a compare and swap
 * @max_swap_size: bytes of a swap
 * @max_fetch_and_add_size: bytes of a fetch and add
 * @max_fetch_and_sub_size: bytes of a fetch and subtract
 * @max_fetch_and_and_size: bytes of a fetch-and-and
 * @max_fetch_and_or_size: bytes of a fetch and or
 * @max_fetch_and_xor_size: bytes of a fetch and exclusive or
 * @max_rc_outstd_cnt: outstanding requests of reliable connections
 * @max_sip_cnt_per_ue: not used
 * @max_dip_cnt_per_ue: not used
 * @max_seid_cnt_per_ue: not used
 * @trans_mode: enum ubcore_transport_mode, or-ed
 * @congestion_ctrl_alg: algorithms, bit by number
 * @ceq_cnt: completion event queues
 * @max_tp_in_tpg: transport paths in a group
 * @max_utp_cnt: unreliable transport paths
 * @max_oor_cnt: window of out-of-order reception
 * @mn: multi-path number
 * @min_slice: smallest slice
 * @max_slice: largest slice
 * @atomic_feat: atomic operations
 * @max_eid_cnt: entries of the EID table, 1 to UBCORE_MAX_EID_CNT
 * @max_upi_cnt: user partition ids
 * @max_netaddr_cnt: network addresses
 * @max_ue_cnt: entities
 * @page_size_cap: page sizes, one bit each
 * @rm_order_cap: order types of reliable message
 * @rc_order_cap: order types of reliable connection
 * @rm_tp_cap: kinds of transport path of reliable message
 * @rc_tp_cap: kinds of transport path of reliable connection
 * @um_tp_cap: kinds of transport path of unreliable message
 * @tp_feature: functions of transport paths
 * @priority_info: by priority
 */
struct ubcore_device_cap {
	union ubcore_device_feat feature;
	u32 max_jfc;
	u32 max_jfs;
	u32 max_jfr;
	u32 max_jetty;
	u32 max_tp_cnt;
	u32 max_tpg_cnt;
	u32 max_vtp_cnt_per_ue;
	u32 max_jetty_grp;
	u32 max_jetty_in_jetty_grp;
	u32 max_rc;
	u32 max_jfc_depth;
	u32 max_jfs_depth;
	u32 max_jfr_depth;
	u32 max_rc_depth;
	u32 max_jfs_inline_size;
	u32 max_jfs_sge;
	u32 max_jfs_rsge;
	u32 max_jfr_sge;
	u64 max_msg_size;
	u32 max_read_size;
	u32 max_write_size;
	u32 max_cas_size;
	u32 max_swap_size;
	u32 max_fetch_and_add_size;
	u32 max_fetch_and_sub_size;
	u32 max_fetch_and_and_size;
	u32 max_fetch_and_or_size;
	u32 max_fetch_and_xor_size;
	u64 max_rc_outstd_cnt;
	u32 max_sip_cnt_per_ue;
	u32 max_dip_cnt_per_ue;
	u32 max_seid_cnt_per_ue;
	u16 trans_mode;
	u16 congestion_ctrl_alg;
	u16 ceq_cnt;
	u32 max_tp_in_tpg;
	u32 max_utp_cnt;
	u32 max_oor_cnt;
	u32 mn;
	u32 min_slice;
	u32 max_slice;
	union ubcore_atomic_feat atomic_feat;
	u32 max_eid_cnt;
	u32 max_upi_cnt;
	u32 max_netaddr_cnt;
	u16 max_ue_cnt;
	u64 page_size_cap;
	union ubcore_order_type_cap rm_order_cap;
	union ubcore_order_type_cap rc_order_cap;
	union urma_tp_type_cap rm_tp_cap;
	union urma_tp_type_cap rc_tp_cap;
	union urma_tp_type_cap um_tp_cap;
	union urma_tp_feature tp_feature;
	struct ubcore_sl_info priority_info[UBCORE_MAX_PRIORITY_CNT];
};

/**
 * struct ubcore_device_attr - what a device is
 * @guid: globally unique id
 * @ue_idx: index of the entity
 * @dev_cap: what it can do
 * @reserved_jetty_id_min: first jetty id that is only given on request
 * @reserved_jetty_id_max: last such id
 * @port_attr: by port number
 * @port_cnt: ports
 * @virtualization: virtualised
 * @tp_maintainer: manages the transport paths of other entities
 * @pattern: use of user partition ids
 */
struct ubcore_device_attr {
	struct ubcore_guid guid;
	u16 ue_idx;
	struct ubcore_device_cap dev_cap;
	u32 reserved_jetty_id_min;
	u32 reserved_jetty_id_max;
	struct ubcore_port_attr port_attr[UBCORE_MAX_PORT_CNT];
	u8 port_cnt;
	bool virtualization;
	bool tp_maintainer;
	enum ubcore_pattern pattern;
};

/**
 * struct ubcore_rc_cfg - reliable connections that a device should provide for
 * @rc_cnt: how many
 * @depth: entries of each
 */
struct ubcore_rc_cfg {
	u32 rc_cnt;
	u32 depth;
};

/**
 * struct ubcore_device_cfg - what a driver is told to configure
 * @ue_idx: entity that is meant
 * @mask: fields that are meant
 * @rc_cfg: reliable connections
 * @slice: slice in bytes
 * @pattern: use of user partition ids
 * @virtualization: virtualised
 * @suspend_period: in microseconds
 * @suspend_cnt: suspensions
 * @min_jetty_cnt: jettys at least
 * @max_jetty_cnt: jettys at most
 * @min_jfr_cnt: receive queues at least
 * @max_jfr_cnt: receive queues at most
 * @reserved_jetty_id_min: first jetty id never chosen by the driver
 * @reserved_jetty_id_max: last such id
 */
struct ubcore_device_cfg {
	u16 ue_idx;
	union ubcore_device_cfg_mask mask;
	struct ubcore_rc_cfg rc_cfg;
	u32 slice;
	u8 pattern;
	bool virtualization;
	u32 suspend_period;
	u32 suspend_cnt;
	u32 min_jetty_cnt;
	u32 max_jetty_cnt;
	u32 min_jfr_cnt;
	u32 max_jfr_cnt;
	u32 reserved_jetty_id_min;
	u32 reserved_jetty_id_max;
};

/**
 * struct ubcore_user_ctl_in - input of a provider's own command
 * @addr: user address
 * @len: bytes
 * @opcode: the command, a number of the driver's
 */
struct ubcore_user_ctl_in {
	u64 addr;
	u32 len;
	u32 opcode;
};

/**
 * struct ubcore_user_ctl_out - where its output goes
 * @addr: user address
 * @len: bytes there
 * @reserved: 0
 */
struct ubcore_user_ctl_out {
	u64 addr;
	u32 len;
	u32 reserved;
};

/**
 * struct ubcore_user_ctl - a provider's own command
 * @uctx: context, NULL for a kernel client
 * @in: input
 * @out: output
 * @udrv_data: more of the provider's data
 */
struct ubcore_user_ctl {
	struct ubcore_ucontext *uctx;
	struct ubcore_user_ctl_in in;
	struct ubcore_user_ctl_out out;
	struct ubcore_udrv_priv udrv_data;
};

struct ubcore_jfc;
struct ubcore_jfs;
struct ubcore_jfr;
struct ubcore_jetty;
struct ubcore_jetty_group;
struct ubcore_tjetty;
struct ubcore_event;

/* Called by a driver in any context but NMI. */
typedef void (*ubcore_comp_callback_t)(struct ubcore_jfc *jfc);
typedef void (*ubcore_event_callback_t)(struct ubcore_event *event,
					struct ubcore_ucontext *ctx);

/**
 * struct ubcore_jfc_attr - what can be changed of a completion queue
 * @mask: enum ubcore_jfc_attr_mask, or-ed
 * @moderate_count: completions per event; 0: any number
 * @moderate_period: microseconds from the first of them until an event in any
 *	case; 0: any time. With both 0 each event comes with the first completion.
 *	Events for failures, and those that are asked for solicited completions
 *	only, do not wait.
 */
struct ubcore_jfc_attr {
	u32 mask;
	u16 moderate_count;
	u16 moderate_period;
};

/**
 * struct ubcore_jfs_attr - what can be changed of a send queue
 * @mask: enum ubcore_jfs_attr_mask, or-ed
 * @state: new state
 */
struct ubcore_jfs_attr {
	u32 mask;
	enum ubcore_jetty_state state;
};

/**
 * struct ubcore_jfr_attr - what can be changed of a receive queue
 * @mask: enum ubcore_jfr_attr_mask, or-ed
 * @rx_threshold: fewer receive buffers than this raise JFR_LIMIT_REACHED once
 * @state: new state
 */
struct ubcore_jfr_attr {
	u32 mask;
	u32 rx_threshold;
	enum ubcore_jfr_state state;
};

/**
 * struct ubcore_jetty_attr - what can be changed of a jetty
 * @mask: enum ubcore_jetty_attr_mask, or-ed
 * @rx_threshold: as in struct ubcore_jfr_attr
 * @state: new state
 */
struct ubcore_jetty_attr {
	u32 mask;
	u32 rx_threshold;
	enum ubcore_jetty_state state;
};

/**
 * enum ubcore_opt - options of staged creation
 *
 * The number without its low twelve bits names the kind of object. The values
 * are as long as the fields that they set; 8 bytes for what is bound, 4 for
 * depth, flag, trans_mode and ids, FULL_CTX as the driver has it.
 */
enum ubcore_opt {
	UBCORE_JFS_DEPTH = 0x0001,
	UBCORE_JFS_FLAG = 0x0002,
	UBCORE_JFS_TRANS_MODE = 0x0003,
	UBCORE_JFS_PRIORITY = 0x0004,
	UBCORE_JFS_MAX_SGE = 0x0005,
	UBCORE_JFS_MAX_RSGE = 0x0006,
	UBCORE_JFS_MAX_INLINE_DATA = 0x0007,
	UBCORE_JFS_RNR_RETRY = 0x0008,
	UBCORE_JFS_ERR_TIMEOUT = 0x0009,
	UBCORE_JFS_BIND_JFC = 0x000a,
	UBCORE_JFS_USER_CTX = 0x000b,
	UBCORE_JFS_SQE_BASE_ADDR = 0x000c,
	UBCORE_JFS_ID = 0x000d,
	UBCORE_JFS_DB_ADDR = 0x000e,
	UBCORE_JFS_DB_STATUS = 0x000f,
	UBCORE_JFS_PI = 0x0010,
	UBCORE_JFS_PI_TYPE = 0x0011,
	UBCORE_JFS_CI = 0x0012,
	UBCORE_JFS_FULL_CTX = 0x0013,
	UBCORE_JFR_DEPTH = 0x1001,
	UBCORE_JFR_FLAG = 0x1002,
	UBCORE_JFR_TRANS_MODE = 0x1003,
	UBCORE_JFR_MAX_SGE = 0x1004,
	UBCORE_JFR_MIN_RNR_TIMER = 0x1005,
	UBCORE_JFR_BIND_JFC = 0x1006,
	UBCORE_JFR_TOKEN_VALUE = 0x1007,
	UBCORE_JFR_USER_CTX = 0x1008,
	UBCORE_JFR_RQE_BASE_ADDR = 0x1009,
	UBCORE_JFR_ID = 0x100a,
	UBCORE_JFR_DB_ADDR = 0x100b,
	UBCORE_JFR_DB_STATUS = 0x100c,
	UBCORE_JFR_PI = 0x100d,
	UBCORE_JFR_PI_TYPE = 0x100e,
	UBCORE_JFR_CI = 0x100f,
	UBCORE_JFR_FULL_CTX = 0x1010,
	UBCORE_JFC_DEPTH = 0x2001,
	UBCORE_JFC_CEQN = 0x2002,
	UBCORE_JFC_FLAG = 0x2003,
	UBCORE_JFC_BIND_JFCE = 0x2004,
	UBCORE_JFC_USER_CTX = 0x2005,
	UBCORE_JFC_CQE_BASE_ADDR = 0x2006,
	UBCORE_JFC_ID = 0x2007,
	UBCORE_JFC_DB_ADDR = 0x2008,
	UBCORE_JFC_DB_STATUS = 0x2009,
	UBCORE_JFC_PI = 0x200a,
	UBCORE_JFC_PI_TYPE = 0x200b,
	UBCORE_JFC_CI = 0x200c,
	UBCORE_JFC_FULL_CTX = 0x200d,
	UBCORE_JETTY_ID = 0x3001,
	UBCORE_JETTY_FLAG = 0x3002,
	UBCORE_JETTY_BIND_JFR = 0x3003,
	UBCORE_JETTY_BIND_RX_JFC = 0x3004,
	UBCORE_JETTY_BIND_JTG = 0x3005,
	UBCORE_JETTY_USER_CTX = 0x3006,
	UBCORE_JETTY_FULL_CTX = 0x3007,
};

/**
 * struct ubcore_jfc_cfg - a completion queue to be created
 * @depth: entries at least
 * @flag: flags
 * @ceqn: completion event queue
 * @jfc_context: the caller's own
 */
struct ubcore_jfc_cfg {
	u32 depth;
	union ubcore_jfc_flag flag;
	u32 ceqn;
	void *jfc_context;
};

/**
 * union ubcore_jfc_opt_mask - which options of staged creation were set
 * @bs: one bit for each
 * @value: all of them
 */
union ubcore_jfc_opt_mask {
	struct {
		u64 urma_jfc_cqe_base_addr : 1;
		u64 urma_jfc_id : 1;
		u64 urma_jfc_db_addr : 1;
		u64 urma_jfc_db_status : 1;
		u64 urma_jfc_pi : 1;
		u64 urma_jfc_pi_type : 1;
		u64 urma_jfc_ci : 1;
		u64 reserved : 57;
	} bs;
	u64 value;
};

/**
 * struct ubcore_jfc_opt - options of a completion queue, kept by the core
 * @jfc_opt_mask: which of them were set
 * @is_actived: the queue works: made in one step, or activated
 * @urma_jfc_cqe_base_addr: user address of the ring, for drivers whose rings
 *	are user memory
 * @urma_jfc_id: number wanted
 * @urma_jfc_db_addr: user address of the doorbell
 * @urma_jfc_db_status: state of the doorbell
 * @urma_jfc_pi: producer index
 * @urma_jfc_pi_type: what kind of index that is
 * @urma_jfc_ci: consumer index
 * @reserved: 0
 */
struct ubcore_jfc_opt {
	union ubcore_jfc_opt_mask jfc_opt_mask;
	bool is_actived;
	u64 urma_jfc_cqe_base_addr;
	u32 urma_jfc_id;
	u64 urma_jfc_db_addr;
	u8 urma_jfc_db_status;
	u16 urma_jfc_pi;
	u16 urma_jfc_pi_type;
	u16 urma_jfc_ci;
	u64 reserved[4];
};

/**
 * struct ubcore_jfc - completion queue (jetty for completion)
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @jfc_cfg: as granted; the driver fills the depth, the core the rest
 * @id: number on the device, filled by the driver
 * @jfce_handler: called by the driver for a completion event
 * @jfae_handler: called by the driver for an asynchronous event
 * @urma_jfc: the user's name for it
 * @hnode: the core's own
 * @use_cnt: queues that report to it; kept by the core
 * @ref_cnt: references by number; kept by the core
 * @comp: completed when the last of them is gone
 * @jfc_opt: options of staged creation; kept by the core
 */
struct ubcore_jfc {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_jfc_cfg jfc_cfg;
	u32 id;
	ubcore_comp_callback_t jfce_handler;
	ubcore_event_callback_t jfae_handler;
	u64 urma_jfc;
	struct hlist_node hnode;
	atomic_t use_cnt;
	struct kref ref_cnt;
	struct completion comp;
	struct ubcore_jfc_opt jfc_opt;
};

/**
 * struct ubcore_jfs_cfg - a send queue to be created
 * @depth: entries at least
 * @flag: flags
 * @trans_mode: service
 * @eid_index: local EID
 * @priority: 0 to 15
 * @max_sge: local ranges of a work request
 * @max_rsge: remote ranges of a work request
 * @max_inline_data: bytes of inline data
 * @rnr_retry: how often to retry while the target has no receive buffer; 7:
 *	for ever
 * @err_timeout: code of the time until a lost packet is sent again
 * @jfs_context: the caller's own
 * @jfc: where completions go
 */
struct ubcore_jfs_cfg {
	u32 depth;
	union ubcore_jfs_flag flag;
	enum ubcore_transport_mode trans_mode;
	u32 eid_index;
	u8 priority;
	u8 max_sge;
	u8 max_rsge;
	u32 max_inline_data;
	u8 rnr_retry;
	u8 err_timeout;
	void *jfs_context;
	struct ubcore_jfc *jfc;
};

/**
 * union ubcore_jfs_opt_mask - which options of staged creation were set
 * @bs: one bit for each
 * @value: all of them
 */
union ubcore_jfs_opt_mask {
	struct {
		u64 urma_jfs_sqe_base_addr : 1;
		u64 urma_jfs_id : 1;
		u64 urma_jfs_db_addr : 1;
		u64 urma_jfs_db_status : 1;
		u64 urma_jfs_pi : 1;
		u64 urma_jfs_pi_type : 1;
		u64 urma_jfs_ci : 1;
		u64 reserved : 57;
	} bs;
	u64 value;
};

/**
 * struct ubcore_jfs_opt - options of a send queue, kept by the core
 * @jfs_opt_mask: which of them were set
 * @is_actived: the queue works: made in one step, or activated
 * @urma_jfs_sqe_base_addr: user address of the ring, for drivers whose rings
 *	are user memory
 * @urma_jfs_id: number wanted
 * @urma_jfs_db_addr: user address of the doorbell
 * @urma_jfs_db_status: state of the doorbell
 * @urma_jfs_pi: producer index
 * @urma_jfs_pi_type: what kind of index that is
 * @urma_jfs_ci: consumer index
 * @reserved: 0
 */
struct ubcore_jfs_opt {
	union ubcore_jfs_opt_mask jfs_opt_mask;
	bool is_actived;
	u64 urma_jfs_sqe_base_addr;
	u32 urma_jfs_id;
	u64 urma_jfs_db_addr;
	u8 urma_jfs_db_status;
	u16 urma_jfs_pi;
	u16 urma_jfs_pi_type;
	u16 urma_jfs_ci;
	u64 reserved[4];
};

/**
 * struct ubcore_jfs - send queue (jetty for sending)
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @jfs_cfg: as granted; the driver fills depth, sge, rsge and inline
 * @jfs_id: its name; the driver fills the number
 * @jfae_handler: called by the driver for an asynchronous event
 * @urma_jfs: the user's name for it
 * @hnode: the core's own
 * @use_cnt: users; kept by the core
 * @ref_cnt: references by number; kept by the core
 * @comp: completed when the last of them is gone
 * @jfs_opt: options of staged creation; kept by the core
 */
struct ubcore_jfs {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_jfs_cfg jfs_cfg;
	struct ubcore_jetty_id jfs_id;
	ubcore_event_callback_t jfae_handler;
	u64 urma_jfs;
	struct hlist_node hnode;
	atomic_t use_cnt;
	struct kref ref_cnt;
	struct completion comp;
	struct ubcore_jfs_opt jfs_opt;
};

/**
 * struct ubcore_jfr_cfg - a receive queue to be created
 * @id: number wanted, 0: the driver chooses
 * @depth: entries at least
 * @flag: flags
 * @trans_mode: service
 * @eid_index: local EID
 * @max_sge: ranges of a receive buffer
 * @min_rnr_timer: code of the time that senders shall wait for a buffer
 * @token_value: token that senders must show
 * @jfc: where completions go
 * @jfr_context: the caller's own
 */
struct ubcore_jfr_cfg {
	u32 id;
	u32 depth;
	union ubcore_jfr_flag flag;
	enum ubcore_transport_mode trans_mode;
	u32 eid_index;
	u8 max_sge;
	u8 min_rnr_timer;
	struct ubcore_token token_value;
	struct ubcore_jfc *jfc;
	void *jfr_context;
};

/**
 * union ubcore_jfr_opt_mask - which options of staged creation were set
 * @bs: one bit for each
 * @value: all of them
 */
union ubcore_jfr_opt_mask {
	struct {
		u64 urma_jfr_rqe_base_addr : 1;
		u64 urma_jfr_id : 1;
		u64 urma_jfr_db_addr : 1;
		u64 urma_jfr_db_status : 1;
		u64 urma_jfr_pi : 1;
		u64 urma_jfr_pi_type : 1;
		u64 urma_jfr_ci : 1;
		u64 reserved : 57;
	} bs;
	u64 value;
};

/**
 * struct ubcore_jfr_opt - options of a receive queue, kept by the core
 * @jfr_opt_mask: which of them were set
 * @is_actived: the queue works: made in one step, or activated
 * @urma_jfr_rqe_base_addr: user address of the ring, for drivers whose rings
 *	are user memory
 * @urma_jfr_id: number wanted
 * @urma_jfr_db_addr: user address of the doorbell
 * @urma_jfr_db_status: state of the doorbell
 * @urma_jfr_pi: producer index
 * @urma_jfr_pi_type: what kind of index that is
 * @urma_jfr_ci: consumer index
 * @reserved: 0
 */
struct ubcore_jfr_opt {
	union ubcore_jfr_opt_mask jfr_opt_mask;
	bool is_actived;
	u64 urma_jfr_rqe_base_addr;
	u32 urma_jfr_id;
	u64 urma_jfr_db_addr;
	u8 urma_jfr_db_status;
	u16 urma_jfr_pi;
	u16 urma_jfr_pi_type;
	u16 urma_jfr_ci;
	u64 reserved[4];
};

/**
 * struct ubcore_jfr - receive queue (jetty for receiving)
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @jfr_cfg: as granted; the driver fills depth and sge
 * @jfr_id: its name; the driver fills the number
 * @jfae_handler: called by the driver for an asynchronous event
 * @urma_jfr: the user's name for it
 * @hnode: the core's own
 * @use_cnt: jettys that receive from it; kept by the core
 * @ref_cnt: references by number; kept by the core
 * @comp: completed when the last of them is gone
 * @jfr_opt: options of staged creation; kept by the core
 */
struct ubcore_jfr {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_jfr_cfg jfr_cfg;
	struct ubcore_jetty_id jfr_id;
	ubcore_event_callback_t jfae_handler;
	u64 urma_jfr;
	struct hlist_node hnode;
	atomic_t use_cnt;
	struct kref ref_cnt;
	struct completion comp;
	struct ubcore_jfr_opt jfr_opt;
};

/**
 * struct ubcore_jetty_cfg - a jetty to be created
 * @id: number wanted, 0: the driver chooses
 * @flag: flags; @flag.bs.share_jfr must be set on UB devices
 * @trans_mode: service
 * @eid_index: local EID
 * @jfs_depth: entries of the send side at least
 * @priority: 0 to 15
 * @max_send_sge: local ranges of a work request
 * @max_send_rsge: remote ranges of a work request
 * @max_inline_data: bytes of inline data
 * @rnr_retry: as in struct ubcore_jfs_cfg
 * @err_timeout: as in struct ubcore_jfs_cfg
 * @jfr_depth: entries of a receive side of its own, deprecated
 * @min_rnr_timer: deprecated
 * @max_recv_sge: deprecated
 * @token_value: deprecated
 * @send_jfc: where completions of the send side go
 * @recv_jfc: where completions of the receive side go
 * @jfr: the receive queue that it receives from
 * @jetty_grp: group that it joins, or NULL
 * @jetty_context: the caller's own
 */
struct ubcore_jetty_cfg {
	u32 id;
	union ubcore_jetty_flag flag;
	enum ubcore_transport_mode trans_mode;
	u32 eid_index;
	u32 jfs_depth;
	u8 priority;
	u8 max_send_sge;
	u8 max_send_rsge;
	u32 max_inline_data;
	u8 rnr_retry;
	u8 err_timeout;
	u32 jfr_depth;
	u8 min_rnr_timer;
	u8 max_recv_sge;
	struct ubcore_token token_value;
	struct ubcore_jfc *send_jfc;
	struct ubcore_jfc *recv_jfc;
	struct ubcore_jfr *jfr;
	struct ubcore_jetty_group *jetty_grp;
	void *jetty_context;
};

/**
 * struct ubcore_jetty_opt - options of a jetty, kept by the core
 * @is_actived: the jetty works: made in one step, or activated
 * @jfs_opt: options of its sending half
 * @reserved: 0
 */
struct ubcore_jetty_opt {
	bool is_actived;
	struct ubcore_jfs_opt jfs_opt;
	u64 reserved[4];
};

/**
 * struct ubcore_jetty - a send queue and the receive side that goes with it
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @jetty_cfg: as granted; the driver fills depths, sge, rsge and inline
 * @jetty_id: its name; the driver fills the number
 * @remote_jetty: what it is bound to; kept by the core
 * @jfae_handler: called by the driver for an asynchronous event
 * @urma_jetty: the user's name for it
 * @hnode: the core's own
 * @use_cnt: bindings; kept by the core
 * @ref_cnt: references by number; kept by the core
 * @comp: completed when the last of them is gone
 * @jetty_opt: options of staged creation; kept by the core
 */
struct ubcore_jetty {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_jetty_cfg jetty_cfg;
	struct ubcore_jetty_id jetty_id;
	struct ubcore_tjetty *remote_jetty;
	ubcore_event_callback_t jfae_handler;
	u64 urma_jetty;
	struct hlist_node hnode;
	atomic_t use_cnt;
	struct kref ref_cnt;
	struct completion comp;
	struct ubcore_jetty_opt jetty_opt;
};

/**
 * struct ubcore_share_tp_cfg - which imports may share a transport path
 * @stag: tag of this side
 * @dtag: tag of the other side
 * @local_import: the import is for this host
 * @tx_psn: first packet sequence number
 */
struct ubcore_share_tp_cfg {
	u64 stag;
	u64 dtag;
	int local_import;
	u32 tx_psn;
};

/**
 * struct ubcore_tjetty_cfg - a remote jetty or JFR to be imported
 * @id: its name
 * @flag: flags
 * @trans_mode: service
 * @eid_index: local EID
 * @type: what it is
 * @policy: of a jetty group
 * @token_value: token to show
 * @tp_type: kind of transport path
 * @stp_cfg: which imports may share the transport path
 */
struct ubcore_tjetty_cfg {
	struct ubcore_jetty_id id;
	union ubcore_import_jetty_flag flag;
	enum ubcore_transport_mode trans_mode;
	u32 eid_index;
	enum ubcore_target_type type;
	enum ubcore_jetty_grp_policy policy;
	struct ubcore_token token_value;
	enum ubcore_tp_type tp_type;
	struct ubcore_share_tp_cfg stp_cfg;
};

struct ubcore_tp;

/**
 * struct ubcore_vtpn - the transport path of an import or a binding
 * @vtpn: number that users see
 * @ub_dev: device
 * @trans_mode: service
 * @tp_handle: local handle, 0 for none
 * @peer_tp_handle: the peer's handle
 * @tag: tag of the path
 *
 * Owned by the core; the rest of it is private.
 */
struct ubcore_vtpn {
	u32 vtpn;
	struct ubcore_device *ub_dev;
	enum ubcore_transport_mode trans_mode;
	u64 tp_handle;
	u64 peer_tp_handle;
	u64 tag;
};

/**
 * struct ubcore_tjetty - an imported jetty or JFR (target jetty)
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @cfg: as imported; set by the core
 * @tp: not used
 * @vtpn: its transport path; set by the core
 * @use_cnt: bindings; kept by the core
 * @lock: the core's own
 */
struct ubcore_tjetty {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_tjetty_cfg cfg;
	struct ubcore_tp *tp;
	struct ubcore_vtpn *vtpn;
	atomic_t use_cnt;
	struct mutex lock;
};

/**
 * struct ubcore_jetty_grp_cfg - a jetty group to be created
 * @name: name
 * @eid_index: local EID
 * @flag: flags
 * @token_value: token that senders must show
 * @id: number wanted, 0: the driver chooses
 * @policy: how it chooses the receiver
 * @user_ctx: the caller's own
 */
struct ubcore_jetty_grp_cfg {
	char name[UBCORE_JETTY_GRP_MAX_NAME];
	u32 eid_index;
	union ubcore_jetty_grp_flag flag;
	struct ubcore_token token_value;
	u32 id;
	enum ubcore_jetty_grp_policy policy;
	u64 user_ctx;
};

/**
 * struct ubcore_jetty_group - jettys that receive under one name
 * @ub_dev: device; set by the core
 * @uctx: context, NULL for a kernel client; set by the core
 * @jetty_grp_cfg: as granted
 * @jetty_grp_id: its name; the driver fills the number
 * @jetty_cnt: members; kept by the core, which sets the top bit while it deletes
 *	the group
 * @jetty: the members; kept by the core
 * @jfae_handler: called by the driver for an asynchronous event
 * @urma_jetty_grp: the user's name for it
 * @lock: protects the members
 */
struct ubcore_jetty_group {
	struct ubcore_device *ub_dev;
	struct ubcore_ucontext *uctx;
	struct ubcore_jetty_grp_cfg jetty_grp_cfg;
	struct ubcore_jetty_id jetty_grp_id;
	u32 jetty_cnt;
	struct ubcore_jetty **jetty;
	ubcore_event_callback_t jfae_handler;
	u64 urma_jetty_grp;
	struct mutex lock;
};

/**
 * struct ubcore_import_cb - what to call when an import has ended
 * @user_arg: handed to @callback
 * @callback: @status is 0 or an error; @tjetty is valid in either case, until
 *	it is unimported. Process context
 *
 * Allocated by the caller with kmalloc(); the core frees it after the call.
 */
struct ubcore_import_cb {
	void *user_arg;
	void (*callback)(struct ubcore_tjetty *tjetty, int status,
			 void *user_arg);
};

/**
 * struct ubcore_unimport_cb - what to call when an import is undone
 * @user_arg: handed to @callback
 * @callback: as in struct ubcore_import_cb
 */
struct ubcore_unimport_cb {
	void *user_arg;
	void (*callback)(int status, void *user_arg);
};

/**
 * struct ubcore_bind_cb - what to call when a binding has ended
 * @user_arg: handed to @callback
 * @callback: as in struct ubcore_import_cb
 */
struct ubcore_bind_cb {
	void *user_arg;
	void (*callback)(struct ubcore_jetty *jetty,
			 struct ubcore_tjetty *tjetty, int status,
			 void *user_arg);
};

/**
 * struct ubcore_unbind_cb - what to call when a binding is undone
 * @user_arg: handed to @callback
 * @callback: as in struct ubcore_import_cb
 */
struct ubcore_unbind_cb {
	void *user_arg;
	void (*callback)(int status, void *user_arg);
};

/**
 * enum ubcore_net_addr_type - kind of a network address
 */
enum ubcore_net_addr_type {
	UBCORE_NET_ADDR_TYPE_IPV4 = 0,
	UBCORE_NET_ADDR_TYPE_IPV6 = 1,
};

/**
 * union ubcore_net_addr_union - a network address, network byte order
 * @raw: all of it
 * @in4: an IPv4 address, at the end
 * @in6: an IPv6 address
 */
union ubcore_net_addr_union {
	u8 raw[UBCORE_NET_ADDR_BYTES];
	struct {
		u64 reserved1;
		u32 reserved2;
		u32 addr;
	} in4;
	struct {
		u64 subnet_prefix;
		u64 interface_id;
	} in6;
};

/**
 * struct ubcore_net_addr - a network address and the link that it is on
 * @type: IPv4 or IPv6
 * @net_addr: address
 * @vlan: VLAN, 0 for none
 * @mac: MAC address, 0 when not known
 * @prefix_len: bits of the subnet
 */
struct ubcore_net_addr {
	enum ubcore_net_addr_type type;
	union ubcore_net_addr_union net_addr;
	u64 vlan;
	u8 mac[UBCORE_MAC_BYTES];
	u32 prefix_len;
};

/**
 * union ubcore_umem_flag - how to pin user memory
 * @bs.non_pin: do not pin; not supported
 * @bs.writable: the device will write to it
 * @value: all of it
 */
union ubcore_umem_flag {
	struct {
		u32 non_pin : 1;
		u32 writable : 1;
		u32 reserved : 30;
	} bs;
	u32 value;
};

/**
 * struct ubcore_umem - pinned memory of a user
 * @ub_dev: device
 * @owning_mm: address space that is charged
 * @length: bytes
 * @va: user address
 * @flag: as asked for
 * @sg_head: its pages, mapped for dma_dev of the device if there is one
 * @nmap: entries of @sg_head that are mapped
 */
struct ubcore_umem {
	struct ubcore_device *ub_dev;
	struct mm_struct *owning_mm;
	u64 length;
	u64 va;
	union ubcore_umem_flag flag;
	struct sg_table sg_head;
	u32 nmap;
};

/**
 * enum ubcore_topo_type_t - shape of a fabric
 */
enum ubcore_topo_type_t {
	UBCORE_TOPO_TYPE_FULLMESH_1D = 0,
	UBCORE_TOPO_TYPE_CLOS = 1,
};

/**
 * struct ubcore_node_id - a node of a fabric
 * @super_node_id: super node
 * @node_id: node in it
 */
struct ubcore_node_id {
	u32 super_node_id;
	u32 node_id;
};

/**
 * union ubcore_port_id - a port of a node
 * @chip_id: chip
 * @die_id: die of the chip
 * @port_idx: port of the die
 * @value: all of it
 */
union ubcore_port_id {
	struct {
		u8 chip_id;
		u8 die_id;
		u8 port_idx;
		u8 reserved;
	};
	u64 value;
};

/**
 * struct ubcore_path - a path between two ports
 * @src_port: port that it starts from
 * @dst_port: port that it leads to
 * @src_eid: EID of @src_port
 * @dst_eid: EID of @dst_port
 */
struct ubcore_path {
	union ubcore_port_id src_port;
	union ubcore_port_id dst_port;
	union ubcore_eid src_eid;
	union ubcore_eid dst_eid;
};

/**
 * struct ubcore_path_set - the paths between two nodes
 * @topo_type: shape of the fabric
 * @src_node: from
 * @dst_node: to
 * @chip_count: chips of a node
 * @die_count: dies of a chip
 * @path_count: valid elements of @paths
 * @paths: the paths
 */
struct ubcore_path_set {
	enum ubcore_topo_type_t topo_type;
	struct ubcore_node_id src_node;
	struct ubcore_node_id dst_node;
	u32 chip_count;
	u32 die_count;
	u32 path_count;
	struct ubcore_path paths[UBCORE_MAX_PATH_NUM];
};

/**
 * struct ubcore_sge - a range of memory
 * @addr: first byte
 * @len: bytes
 * @tseg: segment that it is in
 */
struct ubcore_sge {
	u64 addr;
	u32 len;
	struct ubcore_target_seg *tseg;
};

/**
 * struct ubcore_sg - ranges of memory
 * @sge: the ranges
 * @num_sge: how many
 */
struct ubcore_sg {
	struct ubcore_sge *sge;
	u32 num_sge;
};

/**
 * struct ubcore_rw_wr - operands of a read or write
 * @src: from here
 * @dst: to here
 * @target_hint: of a jetty group
 * @notify_data: immediate or notify data
 */
struct ubcore_rw_wr {
	struct ubcore_sg src;
	struct ubcore_sg dst;
	u8 target_hint;
	u64 notify_data;
};

/**
 * struct ubcore_send_wr - operands of a send
 * @src: from here
 * @target_hint: of a jetty group
 * @imm_data: immediate data
 * @tseg: segment whose token is invalidated
 */
struct ubcore_send_wr {
	struct ubcore_sg src;
	u8 target_hint;
	u64 imm_data;
	struct ubcore_target_seg *tseg;
};

/**
 * struct ubcore_cas_wr - operands of a compare and swap, or of a swap
 * @dst: remote word
 * @src: local word that receives the old value
 * @cmp_data: value compared with, up to 8 bytes
 * @cmp_addr: its address, above 8 bytes
 * @swap_data: new value, up to 8 bytes
 * @swap_addr: its address, above 8 bytes
 */
struct ubcore_cas_wr {
	struct ubcore_sge *dst;
	struct ubcore_sge *src;
	union {
		u64 cmp_data;
		u64 cmp_addr;
	};
	union {
		u64 swap_data;
		u64 swap_addr;
	};
};

/**
 * struct ubcore_faa_wr - operands of a fetch-and-operate
 * @dst: remote word
 * @src: local word that receives the old value
 * @operand: second operand, up to 8 bytes
 * @operand_addr: its address, above 8 bytes
 */
struct ubcore_faa_wr {
	struct ubcore_sge *dst;
	struct ubcore_sge *src;
	union {
		u64 operand;
		u64 operand_addr;
	};
};

/**
 * struct ubcore_jfs_wr - a send work request
 * @opcode: operation
 * @flag: flags
 * @user_ctx: comes back in the completion
 * @tjetty: target; not used by a bound jetty
 * @rw: operands of a read or write
 * @send: operands of a send
 * @cas: operands of a compare and swap, or of a swap
 * @faa: operands of a fetch-and-operate
 * @next: next of the list
 */
struct ubcore_jfs_wr {
	enum ubcore_opcode opcode;
	union ubcore_jfs_wr_flag flag;
	u64 user_ctx;
	struct ubcore_tjetty *tjetty;
	union {
		struct ubcore_rw_wr rw;
		struct ubcore_send_wr send;
		struct ubcore_cas_wr cas;
		struct ubcore_faa_wr faa;
	};
	struct ubcore_jfs_wr *next;
};

/**
 * struct ubcore_jfr_wr - a receive work request
 * @src: where a message shall be put
 * @user_ctx: comes back in the completion
 * @next: next of the list
 */
struct ubcore_jfr_wr {
	struct ubcore_sg src;
	u64 user_ctx;
	struct ubcore_jfr_wr *next;
};

/**
 * struct ubcore_cr_token - a token that a message invalidated
 * @token_id: its name
 * @token_value: its value
 */
struct ubcore_cr_token {
	u32 token_id;
	struct ubcore_token token_value;
};

/**
 * struct ubcore_cr - a completion record
 * @status: how it ended
 * @user_ctx: that of the work request
 * @opcode: what was received; not defined for the send side
 * @flag: flags
 * @completion_len: bytes
 * @local_id: number of the local queue
 * @remote_id: name of the peer's queue
 * @imm_data: immediate data
 * @invalid_token: the token that was invalidated
 * @tpn: number of the transport path
 * @user_data: the local queue
 */
struct ubcore_cr {
	enum ubcore_cr_status status;
	u64 user_ctx;
	enum ubcore_cr_opcode opcode;
	union ubcore_cr_flag flag;
	u32 completion_len;
	u32 local_id;
	struct ubcore_jetty_id remote_id;
	union {
		u64 imm_data;
		struct ubcore_cr_token invalid_token;
	};
	u32 tpn;
	uintptr_t user_data;
};

struct ubcore_vtp;

/**
 * struct ubcore_event - an asynchronous event
 * @ub_dev: device
 * @element: what it happened to, by @event_type
 * @event_type: what happened
 */
struct ubcore_event {
	struct ubcore_device *ub_dev;
	union {
		struct ubcore_jfc *jfc;
		struct ubcore_jfs *jfs;
		struct ubcore_jfr *jfr;
		struct ubcore_jetty *jetty;
		struct ubcore_jetty_group *jetty_grp;
		struct ubcore_tp *tp;
		struct ubcore_vtp *vtp;
		u32 port_id;
		u32 eid_idx;
	} element;
	enum ubcore_event_type event_type;
};

/**
 * struct ubcore_event_handler - who wants the events of a device
 * @event_callback: called in process context, events in order; must not
 *	register or unregister handlers of the same device
 * @node: the core's own
 */
struct ubcore_event_handler {
	void (*event_callback)(struct ubcore_event *event,
			       struct ubcore_event_handler *handler);
	struct list_head node;
};

/**
 * struct ubcore_client - a user of all devices
 * @list_node: the core's own
 * @client_name: 1 to 63 characters
 * @add: called for each device, may sleep; must not (un)register devices or
 *	clients. An error means that the client does not want the device
 * @remove: the device goes away, or the client does: give back all that is
 *	held of it. The device pointer is valid until this returns
 * @stop: optional: stop posting, the device is about to be reset
 */
struct ubcore_client {
	struct list_head list_node;
	char *client_name;
	int (*add)(struct ubcore_device *dev);
	void (*remove)(struct ubcore_device *dev, void *client_ctx);
	void (*stop)(struct ubcore_device *dev, void *client_ctx);
};

/**
 * struct ubcore_mgmt_event - a change that a driver reports
 * @ub_dev: device
 * @element: what changed
 * @element.eid_info: an EID and its index
 * @event_type: what happened
 */
struct ubcore_mgmt_event {
	struct ubcore_device *ub_dev;
	union {
		struct ubcore_eid_info *eid_info;
	} element;
	enum ubcore_mgmt_event_type event_type;
};

/**
 * struct ubcore_tp_attr_value - properties of a transport path; crosses the
 *	user ABI as it is
 * @retry_times_init: how often a packet is sent again
 * @at: code of the acknowledge timeout
 * @sip: source address
 * @dip: destination address
 * @sma: source MAC address
 * @dma: destination MAC address
 * @vlan_id: VLAN
 * @vlan_en: VLAN is used
 * @dscp: differentiated services code point
 * @at_times: acknowledge timeouts until the path fails
 * @sl: service level
 * @ttl: time to live
 * @ack_udp_srcport: UDP source port of acknowledgements
 * @data_udp_srcport: UDP source port of data
 * @udp_srcport_range: source ports used
 * @spray_en: packets take several ways
 * @udp_global_en: UDP settings are the device's
 * @reserve_0: 0
 * @sl_bitmap: service levels
 * @dscp_config_mode: where the code point comes from
 * @reserve_1: 0
 * @reserved: 0
 */
struct ubcore_tp_attr_value {
	u8 retry_times_init : 3;
	u8 at : 5;
	u8 sip[UBCORE_IP_ADDR_BYTES];
	u8 dip[UBCORE_IP_ADDR_BYTES];
	u8 sma[UBCORE_MAC_BYTES];
	u8 dma[UBCORE_MAC_BYTES];
	u16 vlan_id : 12;
	u8 vlan_en : 1;
	u8 dscp : 6;
	u8 at_times : 5;
	u8 sl : 4;
	u8 ttl;
	u16 ack_udp_srcport;
	u16 data_udp_srcport;
	u8 udp_srcport_range : 4;
	u8 spray_en : 1;
	u8 udp_global_en : 1;
	u8 reserve_0 : 2;
	u16 sl_bitmap;
	u8 dscp_config_mode : 1;
	u8 reserve_1 : 7;
	u8 reserved[70];
} __packed;

/**
 * struct ubcore_get_tp_cfg - which transport paths are wanted
 * @flag: kind, exactly one of ctp, rtp and utp
 * @trans_mode: service
 * @local_eid: local end
 * @peer_eid: other end
 * @stp_cfg: which imports share
 */
struct ubcore_get_tp_cfg {
	union ubcore_get_tp_cfg_flag flag;
	enum ubcore_transport_mode trans_mode;
	union ubcore_eid local_eid;
	union ubcore_eid peer_eid;
	struct ubcore_share_tp_cfg stp_cfg;
};

/**
 * struct ubcore_tp_info - a transport path
 * @tp_handle: its handle
 */
struct ubcore_tp_info {
	union ubcore_tp_handle tp_handle;
};

/**
 * struct ubcore_active_tp_attr - where the sequence numbers of a path start
 * @tx_psn: what this side sends
 * @rx_psn: what it expects
 * @reserved: 0
 */
struct ubcore_active_tp_attr {
	u32 tx_psn;
	u32 rx_psn;
	u64 reserved;
};

/**
 * struct ubcore_active_tp_cfg - a transport path to be activated
 * @tp_handle: local handle; all zero: the core chooses
 * @peer_tp_handle: the peer's handle
 * @tag: tag of the path
 * @tp_attr: sequence numbers
 * @tpid_reuse: the core's own; NULL from outside
 */
struct ubcore_active_tp_cfg {
	union ubcore_tp_handle tp_handle;
	union ubcore_tp_handle peer_tp_handle;
	u64 tag;
	struct ubcore_active_tp_attr tp_attr;
	void *tpid_reuse;
};

/**
 * struct ubcore_eid_entry - an entry of the EID table
 * @eid: EID, all zero when empty
 * @eid_index: index of the entry
 * @net: network namespace that may use it
 * @valid: in use
 */
struct ubcore_eid_entry {
	union ubcore_eid eid;
	u32 eid_index;
	struct net *net;
	bool valid;
};

/**
 * struct ubcore_eid_table - the EIDs of a device
 * @eid_cnt: entries
 * @eid_entries: the entries; an EID keeps its index while it is valid. NULL
 *	once the device is being unregistered
 * @lock: protects the entries
 */
struct ubcore_eid_table {
	u32 eid_cnt;
	struct ubcore_eid_entry *eid_entries;
	spinlock_t lock;
};

/* Of older drivers; their operations are not called. */
struct ubcore_req;
struct ubcore_req_host;
struct ubcore_resp;
struct ubcore_resp_host;
struct ubcore_res_key;
struct ubcore_res_val;
struct ubcore_stats_key;
struct ubcore_stats_val;
struct ubcore_ueid_cfg;
struct ubcore_net_addr;

/**
 * struct ubcore_ops - what a driver implements
 * @owner: module of the driver
 * @driver_name: name of the user-space provider, 1 to 63 characters
 * @abi_version: version of the provider's private ABI
 * @query_device_attr: fills the attributes; called at registration and later.
 *	Optional: then the driver has filled them before registration
 * @query_device_status: fills the status of the ports
 * @config_device: takes over a configuration; mandatory
 * @alloc_ucontext: makes a context for a user; called in that user's context
 * @free_ucontext: frees it; all its objects are gone
 * @mmap: maps device or driver memory for the user of a context
 * @fault: sees to a fault in such a mapping, as vm_operations_struct.fault.
 *	Optional: then faults end in SIGBUS. The core's own vm_ops call it, since a
 *	mapping may outlive the driver; so @mmap sets none. Runs under the lock of
 *	the address space; on removal the core waits for it
 * @alloc_token_id: makes a name for a token
 * @free_token_id: frees it
 * @register_seg: registers local memory
 * @unregister_seg: undoes it; on return no access is in flight
 * @import_seg: imports a remote segment
 * @unimport_seg: undoes it
 * @create_jfc: creates a completion queue
 * @modify_jfc: changes its moderation
 * @destroy_jfc: destroys it; on return no handler is running for it
 * @destroy_jfc_batch: the same for many; on an error the number of the first
 *	that is left is in the last argument. Absent: one by one
 * @rearm_jfc: asks for one event; may be called in softirq. A positive result
 *	says that completions are pending
 * @alloc_jfc: stage one of creation: makes the object, not yet at work
 * @set_jfc_opt: stage two: takes one option; @len was checked by the core
 * @active_jfc: stage three: puts it to work; as after a create, the driver
 *	has filled number and grants
 * @get_jfc_opt: reads one option back that the core does not keep
 * @deactive_jfc: takes it out of work, to stage two
 * @free_jfc: frees it; never called while it is at work
 * @create_jfs: creates a send queue
 * @modify_jfs: changes its state
 * @query_jfs: reads back configuration and state
 * @flush_jfs: returns work requests that were not carried out
 * @destroy_jfs: destroys it; on return no handler is running for it
 * @destroy_jfs_batch: the same for many; on an error the number of the first
 *	that is left is in the last argument. Absent: one by one
 * @alloc_jfs: stage one of creation: makes the object, not yet at work
 * @set_jfs_opt: stage two: takes one option; @len was checked by the core
 * @active_jfs: stage three: puts it to work; as after a create, the driver
 *	has filled number and grants
 * @get_jfs_opt: reads one option back that the core does not keep
 * @deactive_jfs: takes it out of work, to stage two
 * @free_jfs: frees it; never called while it is at work
 * @create_jfr: creates a receive queue
 * @modify_jfr: changes its state or threshold
 * @query_jfr: reads back configuration and state
 * @destroy_jfr: destroys it; on return no handler is running for it
 * @destroy_jfr_batch: the same for many; on an error the number of the first
 *	that is left is in the last argument. Absent: one by one
 * @import_jfr: imports a remote receive queue. Absent: the core chooses a
 *	transport path and calls @import_jfr_ex
 * @import_jfr_ex: the same over a given transport path
 * @unimport_jfr: undoes it
 * @alloc_jfr: stage one of creation: makes the object, not yet at work
 * @set_jfr_opt: stage two: takes one option; @len was checked by the core
 * @active_jfr: stage three: puts it to work; as after a create, the driver
 *	has filled number and grants
 * @get_jfr_opt: reads one option back that the core does not keep
 * @deactive_jfr: takes it out of work, to stage two
 * @free_jfr: frees it; never called while it is at work
 * @create_jetty: creates a jetty
 * @modify_jetty: changes its state or threshold
 * @query_jetty: reads back configuration and state
 * @flush_jetty: returns work requests that were not carried out
 * @destroy_jetty: destroys it; on return no handler is running for it
 * @destroy_jetty_batch: the same for many; on an error the number of the first
 *	that is left is in the last argument. Absent: one by one
 * @import_jetty: imports a remote jetty; absent: as @import_jfr
 * @import_jetty_ex: the same over a given transport path
 * @unimport_jetty: undoes it
 * @bind_jetty: binds a jetty to an imported one; absent: as @import_jfr
 * @bind_jetty_ex: the same over a given transport path
 * @unbind_jetty: undoes it
 * @create_jetty_grp: creates a jetty group
 * @delete_jetty_grp: deletes it
 * @alloc_jetty: stage one of creation: makes the object, not yet at work
 * @set_jetty_opt: stage two: takes one option; @len was checked by the core
 * @active_jetty: stage three: puts it to work; as after a create, the driver
 *	has filled number and grants
 * @get_jetty_opt: reads one option back that the core does not keep
 * @deactive_jetty: takes it out of work, to stage two
 * @free_jetty: frees it; never called while it is at work
 * @get_tp_list: lists transport paths, at most the number given
 * @set_tp_attr: sets properties of a transport path
 * @get_tp_attr: reads them
 * @active_tp: makes a transport path usable
 * @deactive_tp: undoes it. Called too for a path that was listed for the core
 *	and will not be used; what it returns then does not matter
 * @user_ctl: a command of the provider's own; the result is passed unchanged
 * @post_jfs_wr: posts to a send queue; any context
 * @post_jfr_wr: posts to a receive queue; any context
 * @post_jetty_send_wr: posts to the send side of a jetty; any context
 * @post_jetty_recv_wr: posts to the receive side of a jetty; any context
 * @poll_jfc: fetches completions; any context. Count, or an error
 * @disassociate_ucontext: the device goes away while a user has the context:
 *	stop all of it. Absent: the driver cannot be removed then
 * @connect_tjetty: gives a transport path to an import of mode RM or UM that was
 *	made with an all-zero one; nothing can be sent over it before. Absent: an
 *	asynchronous import sets its path up before it begins
 * @get_eid_by_ip: finds the EID of a network address
 * @get_ip_by_eid: finds the network address of an EID
 * @get_smac: gives the MAC address of this device
 * @get_dmac: finds the MAC address of a peer. Absent: nobody can tell
 *
 * Every call but those marked otherwise may sleep. A call that returns a
 * pointer may return an ERR_PTR(); NULL counts as an error too. @udata is NULL
 * for a kernel client. Objects are allocated zeroed, and freed, by the driver.
 * After a create the driver must have filled the object's number and, in its
 * configuration, what it grants: at least what was asked for.
 */
struct ubcore_ops {
	struct module *owner;
	char driver_name[UBCORE_MAX_DRIVER_NAME];
	u32 abi_version;

	int (*query_device_attr)(struct ubcore_device *dev,
				 struct ubcore_device_attr *attr);
	int (*query_device_status)(struct ubcore_device *dev,
				   struct ubcore_device_status *status);
	int (*config_device)(struct ubcore_device *dev,
			     struct ubcore_device_cfg *cfg);

	struct ubcore_ucontext *(*alloc_ucontext)(struct ubcore_device *dev,
						  u32 eid_index,
						  struct ubcore_udrv_priv *udrv_data);
	int (*free_ucontext)(struct ubcore_ucontext *uctx);
	int (*mmap)(struct ubcore_ucontext *uctx, struct vm_area_struct *vma);
	vm_fault_t (*fault)(struct ubcore_ucontext *uctx, struct vm_fault *vmf);

	struct ubcore_token_id *(*alloc_token_id)(struct ubcore_device *dev,
						  union ubcore_token_id_flag flag,
						  struct ubcore_udata *udata);
	int (*free_token_id)(struct ubcore_token_id *token_id);
	struct ubcore_target_seg *(*register_seg)(struct ubcore_device *dev,
						  struct ubcore_seg_cfg *cfg,
						  struct ubcore_udata *udata);
	int (*unregister_seg)(struct ubcore_target_seg *tseg);
	struct ubcore_target_seg *(*import_seg)(struct ubcore_device *dev,
						struct ubcore_target_seg_cfg *cfg,
						struct ubcore_udata *udata);
	int (*unimport_seg)(struct ubcore_target_seg *tseg);

	struct ubcore_jfc *(*create_jfc)(struct ubcore_device *dev,
					 struct ubcore_jfc_cfg *cfg,
					 struct ubcore_udata *udata);
	int (*modify_jfc)(struct ubcore_jfc *jfc, struct ubcore_jfc_attr *attr,
			  struct ubcore_udata *udata);
	int (*destroy_jfc)(struct ubcore_jfc *jfc);
	int (*destroy_jfc_batch)(struct ubcore_jfc **jfc_arr, int jfc_num,
				 int *bad_jfc_index);
	int (*rearm_jfc)(struct ubcore_jfc *jfc, bool solicited_only);
	int (*alloc_jfc)(struct ubcore_device *dev, struct ubcore_jfc_cfg *cfg,
			 struct ubcore_jfc **jfc, struct ubcore_udata *udata);
	int (*set_jfc_opt)(struct ubcore_jfc *jfc, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*active_jfc)(struct ubcore_jfc *jfc, struct ubcore_udata *udata);
	int (*get_jfc_opt)(struct ubcore_jfc *jfc, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*deactive_jfc)(struct ubcore_jfc *jfc, struct ubcore_udata *udata);
	int (*free_jfc)(struct ubcore_jfc *jfc, struct ubcore_udata *udata);

	struct ubcore_jfs *(*create_jfs)(struct ubcore_device *dev,
					 struct ubcore_jfs_cfg *cfg,
					 struct ubcore_udata *udata);
	int (*modify_jfs)(struct ubcore_jfs *jfs, struct ubcore_jfs_attr *attr,
			  struct ubcore_udata *udata);
	int (*query_jfs)(struct ubcore_jfs *jfs, struct ubcore_jfs_cfg *cfg,
			 struct ubcore_jfs_attr *attr);
	int (*flush_jfs)(struct ubcore_jfs *jfs, int cr_cnt,
			 struct ubcore_cr *cr);
	int (*destroy_jfs)(struct ubcore_jfs *jfs);
	int (*destroy_jfs_batch)(struct ubcore_jfs **jfs_arr, int jfs_num,
				 int *bad_jfs_index);
	int (*alloc_jfs)(struct ubcore_device *dev, struct ubcore_jfs_cfg *cfg,
			 struct ubcore_jfs **jfs, struct ubcore_udata *udata);
	int (*set_jfs_opt)(struct ubcore_jfs *jfs, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*active_jfs)(struct ubcore_jfs *jfs, struct ubcore_udata *udata);
	int (*get_jfs_opt)(struct ubcore_jfs *jfs, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*deactive_jfs)(struct ubcore_jfs *jfs, struct ubcore_udata *udata);
	int (*free_jfs)(struct ubcore_jfs *jfs, struct ubcore_udata *udata);

	struct ubcore_jfr *(*create_jfr)(struct ubcore_device *dev,
					 struct ubcore_jfr_cfg *cfg,
					 struct ubcore_udata *udata);
	int (*modify_jfr)(struct ubcore_jfr *jfr, struct ubcore_jfr_attr *attr,
			  struct ubcore_udata *udata);
	int (*query_jfr)(struct ubcore_jfr *jfr, struct ubcore_jfr_cfg *cfg,
			 struct ubcore_jfr_attr *attr);
	int (*destroy_jfr)(struct ubcore_jfr *jfr);
	int (*destroy_jfr_batch)(struct ubcore_jfr **jfr_arr, int jfr_num,
				 int *bad_jfr_index);
	struct ubcore_tjetty *(*import_jfr)(struct ubcore_device *dev,
					    struct ubcore_tjetty_cfg *cfg,
					    struct ubcore_udata *udata);
	struct ubcore_tjetty *(*import_jfr_ex)(struct ubcore_device *dev,
					       struct ubcore_tjetty_cfg *cfg,
					       struct ubcore_active_tp_cfg *active_tp_cfg,
					       struct ubcore_udata *udata);
	int (*unimport_jfr)(struct ubcore_tjetty *tjfr);
	int (*alloc_jfr)(struct ubcore_device *dev, struct ubcore_jfr_cfg *cfg,
			 struct ubcore_jfr **jfr, struct ubcore_udata *udata);
	int (*set_jfr_opt)(struct ubcore_jfr *jfr, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*active_jfr)(struct ubcore_jfr *jfr, struct ubcore_udata *udata);
	int (*get_jfr_opt)(struct ubcore_jfr *jfr, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*deactive_jfr)(struct ubcore_jfr *jfr, struct ubcore_udata *udata);
	int (*free_jfr)(struct ubcore_jfr *jfr, struct ubcore_udata *udata);

	struct ubcore_jetty *(*create_jetty)(struct ubcore_device *dev,
					     struct ubcore_jetty_cfg *cfg,
					     struct ubcore_udata *udata);
	int (*modify_jetty)(struct ubcore_jetty *jetty,
			    struct ubcore_jetty_attr *attr,
			    struct ubcore_udata *udata);
	int (*query_jetty)(struct ubcore_jetty *jetty,
			   struct ubcore_jetty_cfg *cfg,
			   struct ubcore_jetty_attr *attr);
	int (*flush_jetty)(struct ubcore_jetty *jetty, int cr_cnt,
			   struct ubcore_cr *cr);
	int (*destroy_jetty)(struct ubcore_jetty *jetty);
	int (*destroy_jetty_batch)(struct ubcore_jetty **jetty_arr, int jetty_num,
				 int *bad_jetty_index);
	struct ubcore_tjetty *(*import_jetty)(struct ubcore_device *dev,
					      struct ubcore_tjetty_cfg *cfg,
					      struct ubcore_udata *udata);
	struct ubcore_tjetty *(*import_jetty_ex)(struct ubcore_device *dev,
						 struct ubcore_tjetty_cfg *cfg,
						 struct ubcore_active_tp_cfg *active_tp_cfg,
						 struct ubcore_udata *udata);
	int (*unimport_jetty)(struct ubcore_tjetty *tjetty);
	int (*bind_jetty)(struct ubcore_jetty *jetty,
			  struct ubcore_tjetty *tjetty,
			  struct ubcore_udata *udata);
	int (*bind_jetty_ex)(struct ubcore_jetty *jetty,
			     struct ubcore_tjetty *tjetty,
			     struct ubcore_active_tp_cfg *active_tp_cfg,
			     struct ubcore_udata *udata);
	int (*unbind_jetty)(struct ubcore_jetty *jetty);

	struct ubcore_jetty_group *(*create_jetty_grp)(struct ubcore_device *dev,
						       struct ubcore_jetty_grp_cfg *cfg,
						       struct ubcore_udata *udata);
	int (*delete_jetty_grp)(struct ubcore_jetty_group *jetty_grp);
	int (*alloc_jetty)(struct ubcore_device *dev, struct ubcore_jetty_cfg *cfg,
			 struct ubcore_jetty **jetty, struct ubcore_udata *udata);
	int (*set_jetty_opt)(struct ubcore_jetty *jetty, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*active_jetty)(struct ubcore_jetty *jetty, struct ubcore_udata *udata);
	int (*get_jetty_opt)(struct ubcore_jetty *jetty, u64 opt, void *buf, u32 len,
			   struct ubcore_udata *udata);
	int (*deactive_jetty)(struct ubcore_jetty *jetty, struct ubcore_udata *udata);
	int (*free_jetty)(struct ubcore_jetty *jetty, struct ubcore_udata *udata);

	int (*get_tp_list)(struct ubcore_device *dev,
			   struct ubcore_get_tp_cfg *cfg, u32 *tp_cnt,
			   struct ubcore_tp_info *tp_list,
			   struct ubcore_udata *udata);
	int (*set_tp_attr)(struct ubcore_device *dev, u64 tp_handle,
			   u8 tp_attr_cnt, u32 tp_attr_bitmap,
			   struct ubcore_tp_attr_value *tp_attr,
			   struct ubcore_udata *udata);
	int (*get_tp_attr)(struct ubcore_device *dev, u64 tp_handle,
			   u8 *tp_attr_cnt, u32 *tp_attr_bitmap,
			   struct ubcore_tp_attr_value *tp_attr,
			   struct ubcore_udata *udata);
	int (*active_tp)(struct ubcore_device *dev,
			 struct ubcore_active_tp_cfg *active_cfg);
	int (*deactive_tp)(struct ubcore_device *dev,
			   union ubcore_tp_handle tp_handle,
			   struct ubcore_udata *udata);

	int (*user_ctl)(struct ubcore_device *dev,
			struct ubcore_user_ctl *user_ctl);

	int (*post_jfs_wr)(struct ubcore_jfs *jfs, struct ubcore_jfs_wr *wr,
			   struct ubcore_jfs_wr **bad_wr);
	int (*post_jfr_wr)(struct ubcore_jfr *jfr, struct ubcore_jfr_wr *wr,
			   struct ubcore_jfr_wr **bad_wr);
	int (*post_jetty_send_wr)(struct ubcore_jetty *jetty,
				  struct ubcore_jfs_wr *wr,
				  struct ubcore_jfs_wr **bad_wr);
	int (*post_jetty_recv_wr)(struct ubcore_jetty *jetty,
				  struct ubcore_jfr_wr *wr,
				  struct ubcore_jfr_wr **bad_wr);
	int (*poll_jfc)(struct ubcore_jfc *jfc, int cr_cnt,
			struct ubcore_cr *cr);

	void (*disassociate_ucontext)(struct ubcore_ucontext *uctx);
	int (*connect_tjetty)(struct ubcore_tjetty *tjetty,
			      struct ubcore_active_tp_cfg *active_tp_cfg);

	int (*get_eid_by_ip)(struct ubcore_device *dev,
			     struct ubcore_net_addr *net_addr,
			     union ubcore_eid *eid);
	int (*get_ip_by_eid)(struct ubcore_device *dev, union ubcore_eid *eid,
			     struct ubcore_net_addr *net_addr);
	int (*get_smac)(struct ubcore_device *dev, u8 *mac);
	int (*get_dmac)(struct ubcore_device *dev,
			struct ubcore_net_addr *net_addr, u8 *mac);
};

/**
 * struct ubcore_device - a UB device
 * @list_node: the core's own
 * @dev_name: name, 1 to 63 characters; filled by the driver
 * @dma_dev: device that does direct memory access, or NULL; filled by the
 *	driver
 * @dev: the class device; the driver may set its parent
 * @netdev: network interface that goes with it, or NULL; filled by the driver
 * @ops: filled by the driver
 * @transport_type: filled by the driver
 * @attr: attributes; read by ops->query_device_attr() at registration
 * @group: attribute groups; the driver may fill entry 1
 * @cfg: what the driver was last told
 * @use_cnt: references; kept by the core
 * @comp: completed when the last of them is gone
 * @dynamic_eid: EIDs come and go with addresses, not by administration
 * @eid_table: local EIDs
 * @cg_device: as the rdma cgroup knows it
 * @core: the core's own
 *
 * Allocated zeroed by the driver, which may free it when
 * ubcore_unregister_device() has returned.
 */
struct ubcore_device {
	struct list_head list_node;

	char dev_name[UBCORE_MAX_DEV_NAME];
	struct device *dma_dev;
	struct device dev;
	struct net_device *netdev;
	const struct ubcore_ops *ops;
	enum ubcore_transport_type transport_type;
	struct ubcore_device_attr attr;
	const struct attribute_group *group[UBCORE_MAX_ATTR_GROUP];

	struct ubcore_device_cfg cfg;
	atomic_t use_cnt;
	struct completion comp;
	bool dynamic_eid;
	struct ubcore_eid_table eid_table;
	struct ubcore_cg_device cg_device;
	void *core;
};

#endif /* UB_UBCORE_TYPES_H */
