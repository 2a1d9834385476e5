// SPDX-License-Identifier: GPL-2.0

//! Commands of any number, well formed or not, with values that mean something or nothing.
//!
//! The kernel writes to the addresses that it is given. Those made up here are out of
//! reach, or lie in memory that nobody needs.

use ub_client::abi::*;
use ub_client::sys::Mapping;
use ub_client::tlv::{el_info, Attr, Cmd, Place};
use ub_client::{
    AsyncEvents, Eid, Jetty, Jfc, JfcConfig, Jfce, Jfr, Jfs, Path, Segment, SegmentConfig, Target,
    TargetConfig, Token, TpQuery,
};

use super::board::Board;
use super::rng::Rng;
use crate::fixture::JETTY_TOKEN;
use crate::Failure;

/// Bytes that replies of any claimed size may go to.
const DUMP: usize = 32 << 20;
/// Bytes behind them that nobody can access: the kernel is told of memory up to the end,
/// and of more, and what comes next in the address space is ours.
const GUARD: usize = 64 << 10;

/// Sizes of values.
const SIZES: [usize; 8] = [1, 2, 4, 4, 8, 8, 16, 32];

/// Where garbage may go, and where it comes from.
pub struct Garbage {
    dump: Mapping,
    board: Board,
    eid: Eid,
}

impl Garbage {
    /// Makes it.
    pub fn new(board: Board, eid: Eid) -> Result<Self, Failure> {
        let dump = Mapping::anonymous(DUMP + GUARD)?;
        dump.protect_from(DUMP)?;
        Ok(Garbage { dump, board, eid })
    }

    /// An address, good or bad.
    fn address(&self, rng: &mut Rng) -> u64 {
        let end = self.dump.addr() + DUMP as u64;
        match rng.below(8) {
            0 => 0,
            1 => 1,
            2 => 0xffff_8880_0000_0000 | (rng.next() & 0xfff_ffff),
            3 => 0x7fff_ffff_e000 | (rng.next() & 0x3fff),
            4 => rng.next() | 1 << 63,
            5 => end - rng.below(16) as u64,
            _ => self.dump.addr() + rng.below(4096) as u64,
        }
    }

    fn number(&self, rng: &mut Rng, size: usize) -> u64 {
        let board = &self.board;
        match (size, rng.below(10)) {
            (8, 0..=5) => board.handle(rng),
            (8, 6) => self.address(rng),
            (4, 0..=1) => u64::from(board.id(rng)),
            (_, 7) => rng.next(),
            (_, 8) => 1 << rng.below(64),
            (_, 9) => u64::MAX,
            _ => rng.below(40) as u64,
        }
    }

    fn value(&self, rng: &mut Rng, size: usize) -> Vec<u8> {
        let word = self.number(rng, size).to_ne_bytes();
        word.iter().copied().cycle().take(size).collect()
    }

    /// A command, and whether it is one of an event file.
    pub fn command(&self, rng: &mut Rng) -> (bool, Cmd) {
        match rng.below(10) {
            0 => (true, self.of_event_file(rng)),
            1..=3 => (false, self.invented(rng)),
            4..=6 => (false, self.of_handle(rng)),
            _ => (false, self.of_values(rng)),
        }
    }

    /// Attributes that may be those of the command.
    fn invented(&self, rng: &mut Rng) -> Cmd {
        let mut cmd = Cmd::new(rng.below(90) as u32);
        for id in 0..rng.below(14) as u32 {
            let size = rng.pick(&SIZES);
            cmd = if rng.chance(10) {
                cmd.udata(id, Some(0x80 + id), &[0; 32], 64)
            } else {
                cmd.bytes(id, &self.value(rng, size))
            };
        }
        for id in 0..rng.below(4) as u32 {
            cmd = cmd.out(0x80 + id, rng.pick(&SIZES));
        }
        cmd
    }

    fn of_event_file(&self, rng: &mut Rng) -> Cmd {
        match rng.below(3) {
            0 => AsyncEvents::get_cmd(),
            1 => Jfce::wait_cmd(rng.next() as u32, rng.below(3) as i32),
            _ => {
                let mut cmd = self.invented(rng);
                cmd.set_command(UBURMA_EVENT_CMD_WAIT_NOTIFY);
                cmd
            }
        }
    }

    /// Commands that take the handle of anybody.
    fn of_handle(&self, rng: &mut Rng) -> Cmd {
        let handle = self.board.handle(rng);
        let (mask, state) = (1 << rng.below(3), rng.below(6) as u32);
        match rng.below(15) {
            0 => Jfc::delete_cmd(handle),
            1 => Jfs::delete_cmd(handle),
            2 => Jfr::delete_cmd(handle),
            3 => Jetty::delete_cmd(handle),
            4 => Jfs::query_cmd(handle),
            5 => Jfr::query_cmd(handle),
            6 => Jetty::query_cmd(handle),
            7 => Jfs::modify_cmd(handle, mask, state),
            8 => Jfr::modify_cmd(handle, mask, state, state),
            9 => Jetty::modify_cmd(handle, mask, state, state),
            10 => Segment::unregister_cmd(handle),
            11 => Target::unimport_jetty_cmd(handle),
            12 => Target::unimport_jfr_cmd(handle),
            13 => Token::free_cmd(handle, self.board.id(rng)),
            _ => Cmd::new(rng.pick(&[UBURMA_CMD_UNBIND_JETTY, UBURMA_CMD_BIND_JETTY]))
                .u64(UBURMA_UNBIND_JETTY_IN_JETTY_HANDLE, handle)
                .u64(UBURMA_UNBIND_JETTY_IN_TJETTY_HANDLE, self.board.handle(rng))
                .udata(UBURMA_BIND_JETTY_IN_UDATA, None, &[], 0),
        }
    }

    /// Commands that make or ask something.
    fn of_values(&self, rng: &mut Rng) -> Cmd {
        let id = self.board.id(rng);
        let path = Path::Handle(rng.next());
        let path = rng.pick(&[Path::Plain, Path::Chosen, path]);
        let target = TargetConfig::jetty(self.eid, id, JETTY_TOKEN).over(path);
        match rng.below(7) {
            0 => Token::alloc_cmd(rng.below(3) as u32),
            1 => Segment::register_cmd(
                self.address(rng),
                rng.next() >> rng.below(64),
                rng.chance(70).then(|| (id, self.board.handle(rng))),
                SegmentConfig::default(),
            ),
            2 => Jfc::create_cmd(JfcConfig {
                depth: rng.next() as u32 >> rng.below(32),
                jfce_fd: rng.below(40) as i32 - 1,
                ..Default::default()
            }),
            3 => Target::jetty_cmd(target),
            4 => Target::jfr_cmd(target),
            5 => {
                let query = TpQuery {
                    flag: 1 << rng.below(4),
                    mode: 1 << rng.below(3),
                    peer: self.eid,
                    count: rng.below(200) as u32,
                };
                Target::tp_list_cmd(&self.eid, query)
            }
            _ => Cmd::new(UBURMA_CMD_GET_EID_LIST)
                .u32(UBURMA_GET_EID_LIST_IN_MAX_EID_CNT, rng.next() as u32)
                .out(UBURMA_GET_EID_LIST_OUT_EID_CNT, 4)
                .out(UBURMA_GET_EID_LIST_OUT_EID_LIST, 20 * 1024),
        }
    }

    /// Spoils a command.
    pub fn spoil(&self, rng: &mut Rng, cmd: &mut Cmd) {
        for _ in 0..=rng.below(2) {
            self.spoil_once(rng, cmd);
        }
    }

    fn spoil_once(&self, rng: &mut Rng, cmd: &mut Cmd) {
        let count = cmd.attrs().len();
        if count == 0 {
            cmd.set_args_len(rng.next() as u32);
            return;
        }
        let (at, other) = (rng.below(count), rng.below(count));
        let dump = Place::Address(self.dump.addr());
        let attrs = cmd.attrs_mut();
        match rng.below(10) {
            0 => drop(attrs.remove(at)),
            1 => attrs.insert(other, attrs[at]),
            2 => attrs.swap(at, other),
            3 => attrs[at].id ^= 1 << rng.below(8),
            4 => {
                attrs[at] = Attr {
                    place: dump,
                    field_size: rng.next() as u16,
                    ..attrs[at]
                }
            }
            5 => {
                attrs[at] = Attr {
                    place: dump,
                    el_info: el_info(rng.next() as u32, rng.next() as u32),
                    ..attrs[at]
                }
            }
            6 => attrs[at].flag = rng.next() as u8,
            7 => cmd.set_args_len(rng.below(16 * 70) as u32),
            8 => cmd.set_args_addr(self.address(rng)),
            _ => attrs[at].place = Place::Address(self.address(rng)),
        }
    }
}
