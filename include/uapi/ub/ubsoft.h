/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ubsoft: what its user-space provider and the driver say to each other beyond
 * the common ABI (uburma.h): private data of commands, the rings in shared
 * memory, and the doorbell.
 *
 * All numbers are in host order. All memory is the kernel's, zeroed, and mapped
 * through the device file of uburma. The kernel trusts nothing that it reads
 * from a ring: it takes the geometry from its own object and works on a copy
 * of each entry.
 *
 * Network addresses are names for EIDs, no more: an EID that maps an IPv4
 * address stands for that address, any other for the IPv6 address of the same
 * bytes. They are known as long as a device of this host has the EID; others
 * give ENOENT. The MAC address of a device is a locally administered one, made
 * from the EID that it got first.
 *
 * Transport paths are names too. All messages between two EIDs share one of a
 * kind; a connection has one of its own, listed for one context only. The
 * properties of a path (GET_TP_ATTR, SET_TP_ATTR) are kept, and mean nothing to
 * the data: at first they are the addresses of both ends and zeros. Paths go
 * with the context that they were listed for, when they are out of use.
 */
#ifndef _UAPI_UB_UBSOFT_H
#define _UAPI_UB_UBSOFT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Changes when the layouts below do. */
#define UBSOFT_ABI_VERSION	1

/* Name that sysfs shows as driver_name, and that the provider goes by. */
#define UBSOFT_DRIVER_NAME	"ubsoft"

/* ubsoft_ctx_resp.features */
#define UBSOFT_FEATURE_WINDOW	(1u << 0) /* segments can be mapped: struct ubsoft_seg_req */
#define UBSOFT_FEATURE_POLL	(1u << 1) /* send queues can be polled: UBSOFT_QUEUE_POLL */

/**
 * struct ubsoft_ctx_resp - reply to CREATE_CTX
 * @abi_version: UBSOFT_ABI_VERSION
 * @features: UBSOFT_FEATURE_*, or-ed
 * @doorbell_fd: file descriptor of the doorbell; the user closes it
 * @page_size: unit of ring offsets and lengths, in bytes
 * @max_inline: largest inline data of a work request, in bytes
 * @max_sge: most local ranges of a work request
 * @sq_burst: work requests that one kick carries out before the rest is left to
 *	a kernel thread
 * @reserved: 0
 */
struct ubsoft_ctx_resp {
	__u32 abi_version;
	__u32 features;
	__s32 doorbell_fd;
	__u32 page_size;
	__u32 max_inline;
	__u32 max_sge;
	__u32 sq_burst;
	__u32 reserved[9];
};

/* ubsoft_queue_req.flags */

/*
 * Have a thread of the kernel look for posts, for CREATE_JFS and CREATE_JETTY. The
 * polled queues of a context share one, which ends with the last of them. It has
 * the nice value and the processors of the task that made the first one, and is in
 * the root control group; so the flag is for tasks with CAP_SYS_NICE, and for all
 * on a device whose attribute "poll" says so (EPERM).
 *
 * When there were no posts for a while the thread sets UBSOFT_RING_NEED_KICK in
 * all of these rings, looks once more, and sleeps. So who posts to one
 *
 *	- writes entries and user_idx as usual,
 *	- lets a full memory barrier follow,
 *	- reads kern_flags, and kicks if UBSOFT_RING_NEED_KICK is set.
 *
 * A kick carries out what was posted, as always, and wakes the thread.
 */
#define UBSOFT_QUEUE_POLL	(1u << 0)

/* Largest ubsoft_queue_req.poll_idle, and the one that 0 stands for. */
#define UBSOFT_POLL_IDLE_MAX		10000000
#define UBSOFT_POLL_IDLE_DEFAULT	1000
/* Most polled queues of a context; ENOSPC for more. */
#define UBSOFT_POLL_QUEUES_MAX		256

/**
 * struct ubsoft_queue_req - private data of CREATE_JFC, _JFS, _JFR and _JETTY
 * @user_obj: comes back as user_data in completions of this queue
 * @flags: UBSOFT_QUEUE_*, or-ed
 * @poll_idle: with UBSOFT_QUEUE_POLL: microseconds without posts after which the
 *	thread sleeps; that of a context is the largest so far. Without: 0
 * @reserved: 0
 *
 * Absent private data is the same as all zeros.
 */
struct ubsoft_queue_req {
	__aligned_u64 user_obj;
	__u32 flags;
	__u32 poll_idle;
	__u32 reserved[4];
};

/**
 * struct ubsoft_queue_resp - reply to the same commands
 * @mmap_off: offset for mmap() on the device file
 * @mmap_len: length for mmap(), in bytes; no other is accepted
 * @entries: entries of the ring, a power of two
 * @stride: bytes from one entry to the next
 * @entries_off: offset of the first entry in the mapping
 * @queue_ref: what names the queue to the doorbell
 * @max_sge: most ranges of an entry, 0 for a completion queue
 * @max_inline: most inline data of an entry, in bytes
 * @reserved: 0
 *
 * A jetty replies with its send queue: it receives from the JFR it shares.
 */
struct ubsoft_queue_resp {
	__aligned_u64 mmap_off;
	__aligned_u64 mmap_len;
	__u32 entries;
	__u32 stride;
	__u32 entries_off;
	__u32 queue_ref;
	__u32 max_sge;
	__u32 max_inline;
	__u32 reserved[6];
};

/**
 * struct ubsoft_import_resp - reply to IMPORT_JETTY, IMPORT_JFR and their _EX
 * @target_ref: what names the target in a work request; never 0
 * @reserved: 0
 */
struct ubsoft_import_resp {
	__u32 target_ref;
	__u32 reserved[3];
};

/* ubsoft_seg_req.flags */
#define UBSOFT_SEG_LEND		(1u << 0) /* peers may map the segment */

/**
 * struct ubsoft_seg_req - private data of REGISTER_SEG
 * @flags: UBSOFT_SEG_*, or-ed
 * @reserved: 0
 *
 * Absent private data is the same as all zeros.
 *
 * A segment that is lent consists of whole pages. A peer that may read it can
 * import it with UBURMA_IMPORT_SEG_FLAG_MAPPING, for writing if that is among
 * the access that it asks for and may have, and then maps it: its loads and
 * stores reach the memory with no kernel on the path. A word of 8 bytes is
 * never torn; atomic instructions are atomic for the owner and for work
 * requests too.
 */
struct ubsoft_seg_req {
	__u32 flags;
	__u32 reserved[3];
};

/**
 * struct ubsoft_import_seg_resp - reply to IMPORT_SEG with MAPPING
 * @mmap_off: offset for mmap() on the device file, of the first byte imported
 * @mmap_len: bytes; whole pages of it can be mapped, together or apart
 * @reserved: 0
 *
 * The mapping is to be shared. It is not inherited by fork(), cannot be split
 * or grown, and offers nothing for registration. Access gets SIGBUS, in a
 * system call EFAULT, from the moment when the segment is unregistered, its
 * token is invalidated, its owner or one of the two devices has gone, or the
 * import is dropped; it never reaches memory that is somebody else's by then.
 * Offsets are above 2^44, which 32-bit processes cannot map.
 */
struct ubsoft_import_seg_resp {
	__aligned_u64 mmap_off;
	__aligned_u64 mmap_len;
	__u32 reserved[4];
};

#define UBSOFT_RING_MAGIC	0x676e5255	/* "URng" */
#define UBSOFT_RING_VERSION	1

/* Kinds of ring. */
#define UBSOFT_RING_SQ		1	/* work requests to be sent: JFS, jetty */
#define UBSOFT_RING_RQ		2	/* receive buffers: JFR */
#define UBSOFT_RING_CQ		3	/* completions: JFC */

/* ubsoft_ring_header.kern_flags */
/*
 * RQ: kick after the next post. SQ that is polled (UBSOFT_QUEUE_POLL): nobody
 * looks, kick. Other SQs: kick in any case; the flag is not used.
 */
#define UBSOFT_RING_NEED_KICK	(1u << 0)
#define UBSOFT_RING_ERROR	(1u << 1) /* the queue is in the error state */
#define UBSOFT_RING_OVERFLOW	(1u << 2) /* CQ: completions were lost */
#define UBSOFT_RING_GONE	(1u << 3) /* the device is gone */

/**
 * struct ubsoft_ring_header - first page of a ring
 * @magic: UBSOFT_RING_MAGIC
 * @version: UBSOFT_RING_VERSION
 * @kind: UBSOFT_RING_SQ, _RQ or _CQ
 * @entries: entries, for information
 * @stride: bytes of an entry, for information
 * @pad0: 0
 * @user_idx: written by the user: SQ and RQ: entries produced; CQ: entries
 *	consumed. Stored with release
 * @user_flags: 0
 * @pad1: the user's line ends here
 * @kern_idx: written by the kernel: SQ: entries finished; RQ: entries consumed.
 *	Stored with release. Not used by a CQ: its entries tell of themselves
 * @kern_flags: UBSOFT_RING_*, or-ed
 * @pad2: the kernel's line ends here
 *
 * Indices run freely through all 32 bits: entry i is at slot i % entries, a
 * ring is full when produced - consumed == entries. User and kernel have a
 * cache line each.
 */
struct ubsoft_ring_header {
	__u32 magic;
	__u32 version;
	__u32 kind;
	__u32 entries;
	__u32 stride;
	__u32 pad0[11];

	__u32 user_idx;
	__u32 user_flags;
	__u32 pad1[14];

	__u32 kern_idx;
	__u32 kern_flags;
	__u32 pad2[14];
};

/**
 * struct ubsoft_sge - a range of local memory
 * @addr: first byte, an address inside the segment
 * @len: bytes; ranges of no bytes are skipped
 * @token_id: token id of a segment registered in the same context
 */
struct ubsoft_sge {
	__aligned_u64 addr;
	__u32 len;
	__u32 token_id;
};

/**
 * struct ubsoft_sqe - entry of a send queue
 * @user_ctx: comes back in the completion
 * @opcode: UBURMA_OPC_*
 * @num_sge: ranges after this head; inline data: 0
 * @flags: UBURMA_JFS_WR_FLAG_*, or-ed
 * @total_len: bytes of all ranges, or of the inline data
 * @target_ref: from struct ubsoft_import_resp; 0: the target that the jetty is
 *	bound to
 * @target_hint: chooses in a jetty group
 * @remote_addr: first byte of the remote range (all but SEND* and NOP)
 * @remote_token_id: token id of the remote segment
 * @remote_token: its token
 * @arg0: WRITE_IMM, SEND_IMM: immediate data; WRITE_NOTIFY: notify data; CAS:
 *	value compared with; fetch-and-op: operand; SEND_INVALIDATE: token id to
 *	be invalidated in the low half, its token in the high half
 * @arg1: CAS, SWAP: new value; WRITE_NOTIFY: address of the notify data
 * @notify_token_id: WRITE_NOTIFY: token id of the segment of @arg1
 * @notify_token: its token
 *
 * Followed by struct ubsoft_sge[@num_sge], or by inline data. Atomic
 * operations have one range, which receives the old value, of 4 or 8 bytes.
 */
struct ubsoft_sqe {
	__aligned_u64 user_ctx;
	__u8 opcode;
	__u8 num_sge;
	__u16 flags;
	__u32 total_len;
	__u32 target_ref;
	__u32 target_hint;
	__aligned_u64 remote_addr;
	__u32 remote_token_id;
	__u32 remote_token;
	__aligned_u64 arg0;
	__aligned_u64 arg1;
	__u32 notify_token_id;
	__u32 notify_token;
};

/**
 * struct ubsoft_rqe - entry of a receive queue
 * @user_ctx: comes back in the completion
 * @num_sge: ranges after this head
 * @total_len: bytes of all ranges
 *
 * Followed by struct ubsoft_sge[@num_sge].
 */
struct ubsoft_rqe {
	__aligned_u64 user_ctx;
	__u32 num_sge;
	__u32 total_len;
};

/* ubsoft_cqe.opcode of the send side */
#define UBSOFT_CQE_NO_OPCODE	0xff

/**
 * struct ubsoft_cqe - entry of a completion queue
 * @user_ctx: that of the work request
 * @user_data: ubsoft_queue_req.user_obj of the queue
 * @imm: immediate data, or the token id that was invalidated
 * @remote_eid: EID of the peer
 * @remote_id: number of the peer's jetty or queue
 * @local_id: number of the local jetty or queue
 * @byte_len: bytes moved
 * @tpn: number of the transport path
 * @status: UBURMA_CR_*
 * @opcode: UBURMA_CR_OPC_* for a receive, UBSOFT_CQE_NO_OPCODE for a send
 * @flags: UBURMA_CR_FLAG_*, or-ed
 * @reserved: 0
 * @seq: index of the entry + 1; stored last, with release: an entry at index i
 *	is valid when @seq == i + 1
 */
struct ubsoft_cqe {
	__aligned_u64 user_ctx;
	__aligned_u64 user_data;
	__aligned_u64 imm;
	__u8 remote_eid[16];
	__u32 remote_id;
	__u32 local_id;
	__u32 byte_len;
	__u32 tpn;
	__u8 status;
	__u8 opcode;
	__u8 flags;
	__u8 reserved;
	__u32 seq;
};

/*
 * ioctl numbers of the doorbell file. The argument is a 64-bit value, in a
 * 32-bit process the address of one: queue_ref in its low half, in the high
 * half what the command says.
 */
#define UBSOFT_IOC_MAGIC		0xb5
/* Carry out what was posted to a send queue. High half: 0. */
#define UBSOFT_IOC_SQ_KICK		_IO(UBSOFT_IOC_MAGIC, 1)
/* Receive buffers were posted to a ring that had NEED_KICK. High half: 0. */
#define UBSOFT_IOC_RQ_KICK		_IO(UBSOFT_IOC_MAGIC, 2)
/*
 * One event for the next completion. High half: entries consumed so far: if
 * there are more already, the event comes at once. If MODIFY_JFC has set a
 * count or a period, it waits for the one or the other, unless a completion
 * failed or the ring is full.
 */
#define UBSOFT_IOC_CQ_ARM		_IO(UBSOFT_IOC_MAGIC, 3)
/* The same, for a solicited or failed completion only; this does not wait. */
#define UBSOFT_IOC_CQ_ARM_SOLICITED	_IO(UBSOFT_IOC_MAGIC, 4)

/* Opcodes of USER_CTL. */
#define UBSOFT_CTL_RING		1	/* struct ubsoft_ctl_ring: ring without a doorbell file */

/**
 * struct ubsoft_ctl_ring - input of UBSOFT_CTL_RING
 * @cmd: an ioctl number of the doorbell file
 * @reserved: 0
 * @arg: its argument
 */
struct ubsoft_ctl_ring {
	__u32 cmd;
	__u32 reserved;
	__aligned_u64 arg;
};

#endif /* _UAPI_UB_UBSOFT_H */
