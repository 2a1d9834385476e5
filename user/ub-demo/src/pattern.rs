// SPDX-License-Identifier: GPL-2.0

//! What the bytes are, and how they are checked.

/// Bytes before and after a buffer that must stay as they are.
pub const GUARD: usize = 256;
/// What those bytes hold.
const GUARD_BYTE: u8 = 0xa5;

/// Payload of a transfer: depends on operation, iteration and position.
pub fn payload(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = Vec::with_capacity(len + 8);
    while out.len() < len {
        // xorshift64: no two words alike.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.extend_from_slice(&state.to_ne_bytes());
    }
    out.truncate(len);
    out
}

/// CRC-32 as in Ethernet.
pub fn crc32(data: &[u8]) -> u32 {
    let mut table = [0u32; 256];
    for (i, entry) in table.iter_mut().enumerate() {
        let mut value = i as u32;
        for _ in 0..8 {
            value = (value >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(value & 1));
        }
        *entry = value;
    }
    let sum = data.iter().fold(!0u32, |sum, byte| {
        (sum >> 8) ^ table[usize::from(sum as u8 ^ *byte)]
    });
    !sum
}

/// A buffer with its guards before a transfer.
pub fn landing(len: usize) -> Vec<u8> {
    vec![GUARD_BYTE; len + 2 * GUARD]
}

/// Compares a buffer with its guards, after a transfer, with the payload expected.
pub fn check(seen: &[u8], expected: &[u8]) -> Result<(), String> {
    let (before, rest) = seen.split_at(GUARD);
    let (body, after) = rest.split_at(expected.len());
    if let Some(i) = before.iter().position(|byte| *byte != GUARD_BYTE) {
        return Err(format!(
            "a byte {} before the buffer was changed",
            GUARD - i
        ));
    }
    if let Some(i) = after.iter().position(|byte| *byte != GUARD_BYTE) {
        return Err(format!("a byte {} after the buffer was changed", i + 1));
    }
    match body.iter().zip(expected).position(|(a, b)| a != b) {
        Some(i) => Err(format!(
            "byte {i} is {:#04x} instead of {:#04x}",
            body[i], expected[i]
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_of_the_usual_text() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn every_kind_of_damage_is_seen() {
        let data = payload(7, 100);
        let mut seen = landing(100);
        assert!(check(&seen, &data).is_err());
        seen[GUARD..GUARD + 100].copy_from_slice(&data);
        assert_eq!(check(&seen, &data), Ok(()));
        for i in 0..seen.len() {
            let mut bad = seen.clone();
            bad[i] ^= 0x10;
            assert!(check(&bad, &data).is_err(), "byte {i}");
        }
    }

    #[test]
    fn payloads_differ() {
        assert_ne!(payload(1, 64), payload(2, 64));
        assert_eq!(payload(3, 13).len(), 13);
    }
}
