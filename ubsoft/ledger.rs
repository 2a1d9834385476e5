// SPDX-License-Identifier: GPL-2.0

//! What the objects of each kind take of the kernel's memory.

use crate::{
    context::{
        Bell,
        Ucontext, //
    },
    counters::{
        Counters,
        Kind, //
    },
    device::Dev,
    group::JettyGroup,
    jetty::{
        Jetty,
        Jfs, //
    },
    jfc::Jfc,
    jfr::Jfr,
    kernel_ext::arc::Arc,
    moderation::{
        Alarm,
        Moderated, //
    },
    poller,
    queue::MappableRing,
    segment::{
        Segment,
        TokenId, //
    },
    sq::Sq,
    target::TargetObject,
    tp,
    window::Window, //
};
use core::{
    fmt,
    mem::size_of, //
};
use kernel::page::PAGE_SIZE;

/// Returns the bytes of an object and of what it owns alone, without what is counted as a kind of
/// its own. Lists whose length the user chooses are left out: those of pinned pages, and of the
/// buffers that kernel clients have posted.
const fn bytes_of(kind: Kind) -> usize {
    match kind {
        Kind::Devices => size_of::<Dev>(),
        Kind::Contexts => size_of::<Ucontext>() + size_of::<Bell>(),
        Kind::Rings => size_of::<MappableRing>(),
        Kind::RingPages => PAGE_SIZE,
        Kind::Tokens => size_of::<TokenId>(),
        Kind::Segments => size_of::<Segment>(),
        // The memory is the user's.
        Kind::PinnedPages => 0,
        Kind::Jfc => size_of::<Jfc>(),
        Kind::Jfs => size_of::<Jfs>() + size_of::<Sq>(),
        Kind::Jfr => size_of::<Jfr>(),
        Kind::Jetty => size_of::<Jetty>() + size_of::<Sq>(),
        Kind::Groups => size_of::<JettyGroup>(),
        Kind::Targets => size_of::<TargetObject>(),
        Kind::Windows => size_of::<Window>(),
        Kind::Paths => tp::PATH_SIZE,
        Kind::Pollers => poller::SIZE,
        Kind::Alarms => size_of::<Alarm>() + size_of::<Moderated>(),
        // Parts of queues.
        Kind::Works => 0,
    }
}

/// What `/sys/kernel/debug/ubsoft/ledger` shows: a line for each kind, with number and bytes.
pub(crate) struct Ledger(pub(crate) Arc<Counters>);

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (kind, name, count)) in self.0.all().enumerate() {
            // The file ends with the newline that debugfs adds.
            let separator = if i == 0 { "" } else { "\n" };
            // CAST: Small numbers.
            let bytes = count.saturating_mul(bytes_of(kind) as i64);
            write!(f, "{separator}{name} {count} {bytes}")?;
        }
        Ok(())
    }
}
