// SPDX-License-Identifier: GPL-2.0

//! Sizes that a device is to be told: pages of pinned memory, and MTUs.

/// Returns the page size by which a device is to map memory: among the sizes of `sizes` (each a
/// power of two, or-ed) that fit, the smallest one by which it takes the fewest pages.
///
/// The device sees `len` bytes at `va`. `pieces` are the address and the length of what is
/// contiguous, in order. 0 if no size fits, or `sizes` has none that is at most `page`.
pub(crate) fn best_page_size(
    sizes: u64,
    page: u64,
    va: u64,
    len: u64,
    pieces: impl IntoIterator<Item = (u64, u64)>,
) -> u64 {
    if sizes & (page | page.wrapping_sub(1)) == 0 {
        return 0;
    }
    let last = va.wrapping_add(len.saturating_sub(1));
    // A page for all of it need not be larger than the difference of the first and last byte.
    let enough = (va ^ last)
        .checked_add(1)
        .and_then(u64::checked_next_power_of_two)
        .unwrap_or(1 << 63);
    // Bits that must be 0 below the page size.
    let mut misfit = 0;
    let mut at = va;
    for (index, (address, bytes)) in pieces.into_iter().enumerate() {
        misfit |= at ^ address;
        if index != 0 {
            // A page does not go beyond a piece.
            misfit |= at;
        }
        at = at.wrapping_add(bytes);
    }
    let fits = |size: u64| misfit & size.wrapping_sub(1) == 0;
    let sizes = (0..64u32)
        .map(|bit| 1 << bit)
        .filter(|size| sizes & size != 0);
    let mut best = 0;
    for size in sizes.filter(|size| fits(*size)) {
        best = size;
        if size >= enough {
            break;
        }
    }
    best
}

/// Bytes of a packet beside its payload: IPv6 40, UDP 8, the headers of transport and transaction
/// at their longest with EIDs 120, checksum 4.
const OVERHEAD: u32 = 172;

/// Returns the code of the largest MTU, 256 to 8192 bytes, whose packets fit into those of a network
/// device; 0 if none does.
pub(crate) fn mtu_code(netdev_mtu: u32) -> u32 {
    let payload = netdev_mtu.saturating_sub(OVERHEAD);
    (1..=6u32)
        .rev()
        .find(|code| payload >> 7 >= 1 << code)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const K4: u64 = 4096;
    const M2: u64 = 2 << 20;
    const G1: u64 = 1 << 30;

    #[test]
    fn pages() {
        let best = |va, len, pieces: &[(u64, u64)]| {
            best_page_size(K4 | M2 | G1, K4, va, len, pieces.iter().copied())
        };
        // One page, and several that lie anywhere.
        assert_eq!(best(0x7000, K4, &[(0x1000, K4)]), K4);
        assert_eq!(best(0x7000, 2 * K4, &[(0x1000, K4), (0x5000, K4)]), K4);
        // Contiguous and aligned, in the middle too.
        assert_eq!(best(M2, M2, &[(4 * M2, M2)]), M2);
        assert_eq!(best(M2 + 0x10, 100, &[(4 * M2 + 0x10, 100)]), K4);
        assert_eq!(best(M2 + K4, M2, &[(4 * M2 + K4, M2)]), M2);
        // Contiguous, not aligned alike.
        assert_eq!(best(M2, M2, &[(4 * M2 + K4, M2)]), K4);
        // Two large pages, and one that ends early.
        assert_eq!(best(M2, 2 * M2, &[(8 * M2, M2), (2 * M2, M2)]), M2);
        assert_eq!(best(M2, 2 * M2, &[(8 * M2, K4), (2 * M2, M2)]), K4);
        // An offset that no page size can mend.
        assert_eq!(best(0x7010, 16, &[(0x1000, 16)]), 0);
    }

    #[test]
    fn no_small_page() {
        assert_eq!(best_page_size(M2, K4, 0, M2, [(0, M2)]), 0);
        assert_eq!(best_page_size(0, K4, 0, M2, [(0, M2)]), 0);
        assert_eq!(best_page_size(512 | M2, K4, 0, M2, [(0, M2)]), M2);
    }

    #[test]
    fn mtus() {
        let fits = |code: u32| (128 << code) + OVERHEAD;
        for code in 1..=6 {
            assert_eq!(mtu_code(fits(code)), code);
            assert_eq!(mtu_code(fits(code) - 1), code - 1);
        }
        assert_eq!(mtu_code(1500), 3);
        assert_eq!(mtu_code(9000), 6);
        assert_eq!(mtu_code(65535), 6);
        assert_eq!(mtu_code(u32::MAX), 6);
        assert_eq!(mtu_code(0), 0);
    }

    proptest! {
        #[test]
        fn every_page_is_inside(
            sizes in any::<u64>(),
            va in any::<u32>(),
            pieces in prop::collection::vec((0u64..1 << 20, 1u64..1 << 12), 1..20),
        ) {
            let pieces: Vec<_> = pieces.iter().map(|(a, n)| (a * K4, n * K4)).collect();
            let va = u64::from(va) * K4;
            let len = pieces.iter().map(|piece| piece.1).sum();
            let size = best_page_size(sizes, K4, va, len, pieces.iter().copied());
            if size != 0 {
                prop_assert!(size.is_power_of_two() && sizes & size != 0);
                let mut at = va;
                for (index, (address, bytes)) in pieces.iter().enumerate() {
                    prop_assert_eq!(at % size, address % size);
                    prop_assert!(index == 0 || at % size == 0);
                    at += bytes;
                }
            }
        }
    }
}
