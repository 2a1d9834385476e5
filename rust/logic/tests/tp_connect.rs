// SPDX-License-Identifier: GPL-2.0

//! Tests of connecting and disconnecting over a fake core and driver.

use super::*;
use crate::eid::Eid;
use crate::env::{
    Error,
    EINVAL,
    ENOMEM,
    ENOSPC, //
};
use crate::types::{
    TpType,
    TransMode, //
};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type Entry = Rc<RefCell<ReuseEntry>>;

/// A core and a driver that count what they gave away and can refuse one call.
#[derive(Default)]
struct Fake {
    table: BTreeMap<ReuseKey, Entry>,
    allocated: Vec<TpHandle>,
    active: Vec<TpHandle>,
    attached: u32,
    /// Exchanges and "in use" messages minus "unused" messages.
    peer_uses: i32,
    exchanges: u32,
    /// Number of calls made, and the one that fails with which errno.
    calls: u32,
    refuse: Option<(u32, Error)>,
}

impl Fake {
    fn call(&mut self) -> Result {
        self.calls += 1;
        match self.refuse {
            Some((call, error)) if call == self.calls => Err(error),
            _ => Ok(()),
        }
    }

    fn is_clean(&self) -> bool {
        self.table.is_empty()
            && self.allocated.is_empty()
            && self.active.is_empty()
            && self.attached == 0
            && self.peer_uses == 0
    }
}

impl ConnectOps for Fake {
    type Entry = Entry;
    type Target = u32;

    fn claim(&mut self, key: &ReuseKey) -> Result<Claim<Entry>> {
        self.call()?;
        if let Some(entry) = self.table.get(key) {
            return Ok(Claim::Found(entry.clone()));
        }
        let entry = Rc::new(RefCell::new(ReuseEntry::for_local(100)));
        self.table.insert(*key, entry.clone());
        Ok(Claim::Inserted(entry))
    }

    fn update<R>(&mut self, entry: &Entry, f: impl FnOnce(&mut ReuseEntry) -> R) -> R {
        f(&mut entry.borrow_mut())
    }

    fn wait_settled(&mut self, _: &Entry) -> Result {
        self.call()
    }

    fn remove(&mut self, entry: &Entry) {
        let before = self.table.len();
        self.table.retain(|_, known| !Rc::ptr_eq(known, entry));
        assert_eq!(self.table.len() + 1, before);
    }

    fn allocate(&mut self, cfg: &TpCfg) -> Result<TpHandle> {
        self.call()?;
        let handle = TpHandle::new(self.calls, 1, 1).describe(cfg.mode, cfg.tp_type, cfg.uboe);
        self.allocated.push(handle);
        Ok(handle)
    }

    fn free(&mut self, handle: TpHandle) {
        assert!(!self.active.contains(&handle));
        let at = self.allocated.iter().position(|&h| h == handle).unwrap();
        self.allocated.remove(at);
    }

    fn exchange(&mut self, _: &TpCfg, own: &ActiveTp) -> Result<(TpHandle, u32)> {
        assert!(self.allocated.contains(&own.handle));
        assert_eq!(own.tx_psn, 100);
        // A failure may well be a lost answer: the peer has counted.
        self.peer_uses += 1;
        self.call()?;
        self.exchanges += 1;
        Ok((TpHandle::from_raw(0xfeed), 200))
    }

    fn tell_in_use(&mut self, _: &TpCfg) {
        self.peer_uses += 1;
    }

    fn tell_unused(&mut self, _: &TpCfg) {
        self.peer_uses -= 1;
    }

    fn activate(&mut self, active: &ActiveTp) -> Result {
        self.call()?;
        assert!(self.allocated.contains(&active.handle));
        assert!(!self.active.contains(&active.handle));
        self.active.push(active.handle);
        Ok(())
    }

    fn deactivate(&mut self, active: &ActiveTp) {
        self.active.retain(|&h| h != active.handle);
    }

    fn attach(&mut self, active: &ActiveTp) -> Result<u32> {
        assert!(self.active.contains(&active.handle));
        self.call()?;
        self.attached += 1;
        Ok(active.rx_psn)
    }
}

const A: Eid = Eid::from_ipv4([1; 4]);
const B: Eid = Eid::from_ipv4([2; 4]);

fn cfg(tp_type: TpType, peer: Eid) -> (TpCfg, ReuseKey) {
    let mode = if tp_type == TpType::Utp {
        TransMode::Um
    } else {
        TransMode::Rm
    };
    let cfg = TpCfg::new(tp_type, false, mode, A, peer).unwrap();
    (cfg, ReuseKey::new(&cfg, false, 0, 0))
}

/// What the driver and then the core do at an unimport.
fn unimport(fake: &mut Fake, cfg: &TpCfg, connected: Connected<Fake>) {
    fake.attached -= 1;
    disconnect(fake, cfg, &connected.entry);
}

#[test]
fn reliable_path_is_exchanged_and_shared() {
    let mut fake = Fake::default();
    let (cfg, key) = cfg(TpType::Rtp, B);
    let first = connect(&mut fake, &cfg, &key).unwrap();
    let second = connect(&mut fake, &cfg, &key).unwrap();
    assert_eq!((first.target, second.target), (200, 200));
    assert_eq!((fake.exchanges, fake.allocated.len()), (1, 1));
    assert_eq!(first.entry.borrow().use_cnt(), 2);
    unimport(&mut fake, &cfg, first);
    assert!(!fake.is_clean());
    unimport(&mut fake, &cfg, second);
    assert!(fake.is_clean());
}

#[test]
fn others_need_no_exchange() {
    for (tp_type, peer, rx_psn) in [
        (TpType::Ctp, B, 0),
        (TpType::Utp, B, 0),
        (TpType::Rtp, A, 100),
    ] {
        let mut fake = Fake::default();
        let (cfg, key) = cfg(tp_type, peer);
        let only = connect(&mut fake, &cfg, &key).unwrap();
        assert_eq!(
            (only.target, fake.exchanges, fake.peer_uses),
            (rx_psn, 0, 0)
        );
        unimport(&mut fake, &cfg, only);
        assert!(fake.is_clean());
    }
}

#[test]
fn path_of_the_peer_outlives_local_use() {
    let mut fake = Fake::default();
    let (cfg, key) = cfg(TpType::Rtp, B);
    let first = connect(&mut fake, &cfg, &key).unwrap();
    first.entry.borrow_mut().peer_acquire().unwrap();
    let entry = first.entry.clone();
    unimport(&mut fake, &cfg, first);
    assert_eq!(
        (fake.table.len(), fake.active.len(), fake.peer_uses),
        (1, 1, 0)
    );
    // A new local use is told to the peer, but needs no new path.
    let again = connect(&mut fake, &cfg, &key).unwrap();
    assert_eq!((fake.exchanges, fake.peer_uses), (1, 1));
    assert!(!entry.borrow_mut().peer_release());
    unimport(&mut fake, &cfg, again);
    assert!(fake.is_clean());
}

#[test]
fn failed_partner_is_tried_again() {
    let mut fake = Fake {
        refuse: Some((2, EIO)),
        ..Fake::default()
    };
    let (cfg, key) = cfg(TpType::Rtp, B);
    // The call is `allocate`; the second attempt starts afresh and succeeds.
    let only = connect(&mut fake, &cfg, &key).unwrap();
    unimport(&mut fake, &cfg, only);
    assert!(fake.is_clean());
}

#[test]
fn peer_saves_the_path_of_a_failed_set_up() {
    // Simultaneous open: while the exchange runs, the peer's own request brings the path up.
    let mut fake = Fake::default();
    let (cfg, key) = cfg(TpType::Rtp, B);
    let Ok(Claim::Inserted(entry)) = fake.claim(&key) else {
        panic!()
    };
    let handle = fake.allocate(&cfg).unwrap();
    entry.borrow_mut().set_handle(handle);
    entry.borrow_mut().peer_acquire().unwrap();
    fake.activate(&ActiveTp {
        handle,
        ..ActiveTp::default()
    })
    .unwrap();
    entry.borrow_mut().publish().unwrap();
    abandon(
        &mut fake,
        &cfg,
        &entry,
        &Progress {
            allocated: true,
            asked: false,
        },
    );
    assert_eq!(
        (fake.table.len(), fake.active.len(), fake.allocated.len()),
        (1, 1, 1)
    );
    let user = connect(&mut fake, &cfg, &key).unwrap();
    assert!(!entry.borrow_mut().peer_release());
    unimport(&mut fake, &cfg, user);
    assert!(fake.is_clean());
}

proptest! {
    /// Any call may fail, at any place of any sequence: nothing is left over, nothing given twice.
    #[test]
    fn nothing_leaks(
        kind in 0usize..4,
        refuse in 1u32..30,
        error in prop::sample::select(vec![EIO, ENOMEM, ENOSPC, EINVAL]),
        steps in prop::collection::vec(any::<bool>(), 1..12),
    ) {
        let (cfg, key) = match kind {
            0 => cfg(TpType::Rtp, B),
            1 => cfg(TpType::Rtp, A),
            2 => cfg(TpType::Ctp, B),
            _ => cfg(TpType::Utp, B),
        };
        let mut fake = Fake { refuse: Some((refuse, error)), ..Fake::default() };
        let mut uses = Vec::new();
        for join in steps {
            if join {
                match connect(&mut fake, &cfg, &key) {
                    Ok(connected) => uses.push(connected),
                    Err(e) => prop_assert_eq!(e, error),
                }
            } else if let Some(connected) = uses.pop() {
                unimport(&mut fake, &cfg, connected);
            }
            prop_assert_eq!(fake.attached as usize, uses.len());
            prop_assert_eq!(fake.table.len(), usize::from(!uses.is_empty()));
        }
        for connected in uses {
            unimport(&mut fake, &cfg, connected);
        }
        prop_assert!(fake.is_clean());
    }
}
