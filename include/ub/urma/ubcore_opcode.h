/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers of the URMA data path: operations, completion statuses and the
 * words that say how a work request or a segment is to be treated. They are
 * the numbers that user space sees too (include/uapi/ub/uburma.h).
 */
#ifndef UB_UBCORE_OPCODE_H
#define UB_UBCORE_OPCODE_H

/* Access rights of a segment; see struct ubcore_seg_cfg. */
#define UBCORE_ACCESS_LOCAL_ONLY	0x1
#define UBCORE_ACCESS_READ		0x2
#define UBCORE_ACCESS_WRITE		0x4
#define UBCORE_ACCESS_ATOMIC		0x8

#define UBCORE_SEG_TOKEN_ID_INVALID	UINT_MAX

/* How a token value is protected. */
#define UBCORE_TOKEN_NONE		0
#define UBCORE_TOKEN_PLAIN_TEXT		1
#define UBCORE_TOKEN_SIGNED		2
#define UBCORE_TOKEN_ALL_ENCRYPTED	3
#define UBCORE_TOKEN_RESERVED		4

#define UBCORE_TOKEN_ID_INVALID		0
#define UBCORE_TOKEN_ID_VALID		1

#define UBCORE_NON_CACHEABLE		0
#define UBCORE_CACHEABLE		1

#define UBCORE_SEG_NOMAP		0
#define UBCORE_SEG_MAPPED		1

#define UBCORE_COMPLETE_DISABLE		0
#define UBCORE_COMPLETE_ENABLE		1

#define UBCORE_SOLICITED_DISABLE	0
#define UBCORE_SOLICITED_ENABLE		1

#define UBCORE_FENCE_DISABLE		0
#define UBCORE_FENCE_ENABLE		1

#define UBCORE_INLINE_DISABLE		0
#define UBCORE_INLINE_ENABLE		1

#define UBCORE_NO_SHARE_JFR		0
#define UBCORE_SHARE_JFR		1

/**
 * enum ubcore_opcode - operation of a work request
 * @UBCORE_OPC_WRITE: write local memory to a remote segment
 * @UBCORE_OPC_WRITE_IMM: the same, and consume a receive buffer at the target
 *	to report 64 bits of immediate data
 * @UBCORE_OPC_WRITE_NOTIFY: the same, and store eight bytes of notify data
 * @UBCORE_OPC_READ: read a remote segment into local memory
 * @UBCORE_OPC_CAS: compare and swap
 * @UBCORE_OPC_SWAP: swap
 * @UBCORE_OPC_FADD: fetch and add
 * @UBCORE_OPC_FSUB: fetch and subtract
 * @UBCORE_OPC_FAND: fetch-and-and
 * @UBCORE_OPC_FOR: fetch and or
 * @UBCORE_OPC_FXOR: fetch and exclusive or
 * @UBCORE_OPC_SEND: send a message to a receive buffer of the target
 * @UBCORE_OPC_SEND_IMM: the same with 64 bits of immediate data
 * @UBCORE_OPC_SEND_INVALIDATE: the same, and invalidate a token of the target
 * @UBCORE_OPC_NOP: completes, does nothing
 * @UBCORE_OPC_WRITE_ATOMIC: atomic write
 * @UBCORE_OPC_FLUSH_DMA: flush outstanding direct memory access
 * @UBCORE_OPC_LAST: end of the numbers
 */
enum ubcore_opcode {
	UBCORE_OPC_WRITE = 0x00,
	UBCORE_OPC_WRITE_IMM = 0x01,
	UBCORE_OPC_WRITE_NOTIFY = 0x02,
	UBCORE_OPC_READ = 0x10,
	UBCORE_OPC_CAS = 0x20,
	UBCORE_OPC_SWAP = 0x21,
	UBCORE_OPC_FADD = 0x22,
	UBCORE_OPC_FSUB = 0x23,
	UBCORE_OPC_FAND = 0x24,
	UBCORE_OPC_FOR = 0x25,
	UBCORE_OPC_FXOR = 0x26,
	UBCORE_OPC_SEND = 0x40,
	UBCORE_OPC_SEND_IMM = 0x41,
	UBCORE_OPC_SEND_INVALIDATE = 0x42,
	UBCORE_OPC_NOP = 0x51,
	UBCORE_OPC_WRITE_ATOMIC = 0x60,
	UBCORE_OPC_FLUSH_DMA = 0x80,
	UBCORE_OPC_LAST = 0x81,
};

/**
 * enum ubcore_cr_status - how a work request ended
 * @UBCORE_CR_SUCCESS: done
 * @UBCORE_CR_UNSUPPORTED_OPCODE_ERR: the operation is not supported here
 * @UBCORE_CR_LOC_LEN_ERR: local data is longer than allowed
 * @UBCORE_CR_LOC_OPERATION_ERR: the work request is malformed
 * @UBCORE_CR_LOC_ACCESS_ERR: a local buffer is not in a segment that allows it
 * @UBCORE_CR_REM_RESP_LEN_ERR: the target's buffer is too short
 * @UBCORE_CR_REM_UNSUPPORTED_REQ_ERR: the target does not support it
 * @UBCORE_CR_REM_OPERATION_ERR: the target failed to carry it out
 * @UBCORE_CR_REM_ACCESS_ABORT_ERR: the target refused the access
 * @UBCORE_CR_ACK_TIMEOUT_ERR: the target does not answer
 * @UBCORE_CR_RNR_RETRY_CNT_EXC_ERR: the target had no receive buffer, retries
 *	are used up
 * @UBCORE_CR_FLUSH_ERR: not carried out, the queue is in the error state
 * @UBCORE_CR_WR_SUSPEND_DONE: marks the end of the suspension of a queue
 * @UBCORE_CR_WR_FLUSH_ERR_DONE: marks the end of the flush of a queue
 * @UBCORE_CR_WR_UNHANDLED: the device never saw it
 * @UBCORE_CR_LOC_DATA_POISON: local memory is poisoned
 * @UBCORE_CR_REM_DATA_POISON: remote memory is poisoned
 */
enum ubcore_cr_status {
	UBCORE_CR_SUCCESS = 0,
	UBCORE_CR_UNSUPPORTED_OPCODE_ERR = 1,
	UBCORE_CR_LOC_LEN_ERR = 2,
	UBCORE_CR_LOC_OPERATION_ERR = 3,
	UBCORE_CR_LOC_ACCESS_ERR = 4,
	UBCORE_CR_REM_RESP_LEN_ERR = 5,
	UBCORE_CR_REM_UNSUPPORTED_REQ_ERR = 6,
	UBCORE_CR_REM_OPERATION_ERR = 7,
	UBCORE_CR_REM_ACCESS_ABORT_ERR = 8,
	UBCORE_CR_ACK_TIMEOUT_ERR = 9,
	UBCORE_CR_RNR_RETRY_CNT_EXC_ERR = 10,
	UBCORE_CR_FLUSH_ERR = 11,
	UBCORE_CR_WR_SUSPEND_DONE = 12,
	UBCORE_CR_WR_FLUSH_ERR_DONE = 13,
	UBCORE_CR_WR_UNHANDLED = 14,
	UBCORE_CR_LOC_DATA_POISON = 15,
	UBCORE_CR_REM_DATA_POISON = 16,
};

/**
 * enum ubcore_cr_opcode - what a receive completion reports
 * @UBCORE_CR_OPC_SEND: a message
 * @UBCORE_CR_OPC_SEND_WITH_IMM: a message with immediate data
 * @UBCORE_CR_OPC_SEND_WITH_INV: a message that invalidated a token
 * @UBCORE_CR_OPC_WRITE_WITH_IMM: a remote write with immediate data
 * @UBCORE_CR_OPC_FLUSH_WRITE: a flush
 */
enum ubcore_cr_opcode {
	UBCORE_CR_OPC_SEND = 0x00,
	UBCORE_CR_OPC_SEND_WITH_IMM = 0x01,
	UBCORE_CR_OPC_SEND_WITH_INV = 0x02,
	UBCORE_CR_OPC_WRITE_WITH_IMM = 0x03,
	UBCORE_CR_OPC_FLUSH_WRITE = 0x04,
};

#endif /* UB_UBCORE_OPCODE_H */
