// SPDX-License-Identifier: GPL-2.0

//! The driver half of the contract: what a device driver implements, and what it calls.
//!
//! A driver implements [`Driver`], allocates an [`UbDevice`] and registers it with a
//! [`Registration`]. From the implementation the C table `struct ubcore_ops` is made. Each object
//! that ubcore knows is an [`object::Object`]: its C structure with the driver's data behind it, in
//! an [`Arc`] of which ubcore holds a count from create to destroy. Queues and jettys, which may be
//! made in stages, are a [`Queue`] while they are at work.

mod address;
mod completion;
pub(crate) mod data;
pub(crate) mod device;
pub(crate) mod doorbell;
pub(crate) mod group;
pub(crate) mod jetty;
pub(crate) mod jfc;
pub(crate) mod jfr;
pub(crate) mod jfs;
pub(crate) mod object;
mod ops;
pub(crate) mod seg;
mod staged;
pub(crate) mod target;
pub(crate) mod tp;
pub(crate) mod ucontext;
pub(crate) mod udata;

use crate::{
    bindings_ub,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        fault::{
            Fault,
            Outcome, //
        }, //
    },
    logic::{
        net_addr::NetAddr,
        options::OptionRole,
        tp_attr::TpAttr, //
    }, //
};
use kernel::{
    error::VTABLE_DEFAULT_ERROR,
    mm::virt::VmaNew,
    prelude::*, //
};

pub(crate) use self::{
    completion::{
        Completion,
        Completions, //
    },
    data::{
        LocalRanges,
        RecvList,
        RecvQueue,
        SendList,
        SendQueue,
        SendWr, //
    },
    device::{
        DeviceCfg,
        DeviceEvent,
        Registration,
        UbDevice, //
    },
    doorbell::{
        Doorbell,
        Ring, //
    },
    group::{
        JettyGroup,
        JettyGroupCfg, //
    },
    jetty::{
        Jetty,
        JettyAttr,
        JettyCfg,
        JettyEvent, //
    },
    jfc::{
        Jfc,
        JfcCfg, //
    },
    jfr::{
        Jfr,
        JfrAttr,
        JfrCfg,
        JfrEvent, //
    },
    jfs::{
        Jfs,
        JfsCfg,
        SendCfg,
        SendGrant, //
    },
    object::User,
    seg::{
        SegCfg,
        SegImport,
        Segment,
        TokenId, //
    },
    staged::Queue,
    target::{
        Target,
        TargetCfg,
        TargetKind, //
    },
    tp::{
        ActiveTp,
        TpKind,
        TpList,
        TpQuery, //
    },
    ucontext::Ucontext,
    udata::Udata, //
};

/// A command of the provider's own.
pub(crate) struct UserCtl<'a, D: Driver> {
    /// Context of the caller.
    pub(crate) uctx: ArcBorrow<'a, Ucontext<D>>,
    /// The command.
    pub(crate) opcode: u32,
    /// Its input and output.
    pub(crate) data: Udata<'a>,
}

/// What a device driver implements; the implementing type is the data of a device.
///
/// Operations run in process context and may sleep, unless it says otherwise. Each corresponds to the operation of
/// `struct ubcore_ops` with a similar name, where its contract is. `user` is `None` for a kernel
/// client. An operation that creates an object returns it complete; ubcore refers to it until the
/// destroy operation has returned `Ok`, after which no handler is called any more.
#[vtable]
pub(crate) trait Driver: Sized + Send + Sync + 'static {
    /// Name of the user-space provider, 1 to 63 bytes.
    const NAME: &'static str;
    /// Version of the provider's private ABI.
    const ABI_VERSION: u32;

    /// Data of a user's context.
    type Ucontext: Send + Sync;
    /// Data of a token id.
    type TokenId: Send + Sync;
    /// Data of a registered segment.
    type Segment: Send + Sync;
    /// Data of a completion queue.
    type Jfc: Send + Sync;
    /// Data of a send queue.
    type Jfs: Send + Sync;
    /// Data of a receive queue.
    type Jfr: Send + Sync;
    /// Data of an imported segment, if there is any.
    type ImportedSegment: Send + Sync;
    /// Data of a jetty.
    type Jetty: Send + Sync;
    /// Data of a jetty group.
    type JettyGroup: Send + Sync;
    /// Data of an import.
    type Target: Send + Sync;

    /// Fills in the attributes, which are all zero.
    fn query_attr(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        attr: &mut bindings_ub::ubcore_device_attr,
    ) -> Result;

    /// Fills in the status of the ports, which is all zero.
    fn query_status(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        status: &mut bindings_ub::ubcore_device_status,
    ) -> Result;

    /// Takes over a configuration.
    fn configure(dev: ArcBorrow<'_, UbDevice<Self>>, cfg: &DeviceCfg) -> Result;

    /// Makes a context for the calling process.
    fn alloc_ucontext(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        eid_index: u32,
        udata: Udata<'_>,
    ) -> Result<Arc<Ucontext<Self>>>;

    /// Gives up a context, whose objects are gone.
    fn free_ucontext(uctx: ArcBorrow<'_, Ucontext<Self>>);

    /// Maps memory for the user of a context; `pgoff` is the offset in pages.
    fn mmap(_uctx: ArcBorrow<'_, Ucontext<Self>>, _pgoff: usize, _vma: &VmaNew) -> Result {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Sees to a fault in what [`Self::mmap`] has mapped.
    fn fault(_uctx: ArcBorrow<'_, Ucontext<Self>>, _fault: &Fault<'_>) -> Outcome {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Stops all of a context: the device goes away.
    fn disassociate_ucontext(_uctx: ArcBorrow<'_, Ucontext<Self>>) {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Makes a name for a token; `multi_seg`: for more than one segment.
    fn alloc_token_id(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        multi_seg: bool,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<TokenId<Self>>>;

    /// Gives up a name of a token.
    fn free_token_id(token_id: ArcBorrow<'_, TokenId<Self>>) -> Result;

    /// Registers local memory.
    fn register_seg(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: SegCfg,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Segment<Self>>>;

    /// Unregisters local memory. On return no access is in flight.
    fn unregister_seg(seg: ArcBorrow<'_, Segment<Self>>) -> Result;

    /// Imports a remote segment: a work request carries all that is to be known of it, so that there
    /// may be nothing to do.
    fn import_seg(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: &SegImport,
        user: Option<User<'_, Self>>,
    ) -> Result<Option<Self::ImportedSegment>>;

    /// Undoes what [`Self::import_seg`] did.
    fn unimport_seg(seg: &Self::ImportedSegment);

    /// Says whether an option of staged creation is one that the driver follows; ubcore keeps its
    /// value, and the configuration of a create has it.
    ///
    /// # Errors
    ///
    /// `EOPNOTSUPP` if not.
    fn check_option(role: OptionRole) -> Result;

    /// Creates a completion queue, or puts one to work that was allocated.
    fn create_jfc(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: JfcCfg,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jfc<Self>>>;

    /// Changes the moderation: completions per event, and microseconds until an event in any case;
    /// 0 is none, `None` no change.
    fn modify_jfc(jfc: ArcBorrow<'_, Jfc<Self>>, count: Option<u16>, period: Option<u16>)
        -> Result;

    /// Destroys a completion queue, or takes it out of work.
    fn destroy_jfc(jfc: ArcBorrow<'_, Jfc<Self>>) -> Result;

    /// Asks for one event on behalf of a kernel client; `true` if completions are pending. Any
    /// context.
    fn rearm_jfc(jfc: ArcBorrow<'_, Jfc<Self>>, solicited_only: bool) -> Result<bool>;

    /// Hands completions out to a kernel client. Any context.
    fn poll_jfc(jfc: ArcBorrow<'_, Jfc<Self>>, out: &mut Completions<'_>) -> Result;

    /// Posts work requests of a kernel client, in order; on an error the first one of the list that
    /// is left was not accepted. Any context.
    fn post_send(queue: SendQueue<'_, Self>, list: &mut SendList<'_>) -> Result;

    /// Posts receive buffers of a kernel client, as above. Any context.
    fn post_recv(queue: RecvQueue<'_, Self>, list: &mut RecvList<'_>) -> Result;

    /// Creates a send queue, or puts one to work.
    fn create_jfs(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: JfsCfg<Self>,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jfs<Self>>>;

    /// Changes the state of a send queue, a number of `enum ubcore_jetty_state`.
    fn modify_jfs(jfs: ArcBorrow<'_, Jfs<Self>>, state: Option<u32>) -> Result;

    /// Returns the state.
    fn query_jfs(jfs: ArcBorrow<'_, Jfs<Self>>) -> u32;

    /// Destroys a send queue, or takes it out of work.
    fn destroy_jfs(jfs: ArcBorrow<'_, Jfs<Self>>) -> Result;

    /// Creates a receive queue, or puts one to work.
    fn create_jfr(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: JfrCfg<Self>,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jfr<Self>>>;

    /// Changes a receive queue.
    fn modify_jfr(jfr: ArcBorrow<'_, Jfr<Self>>, attr: &JfrAttr) -> Result;

    /// Returns the state and the threshold of the limit event.
    fn query_jfr(jfr: ArcBorrow<'_, Jfr<Self>>) -> (u32, u32);

    /// Destroys a receive queue, or takes it out of work.
    fn destroy_jfr(jfr: ArcBorrow<'_, Jfr<Self>>) -> Result;

    /// Creates a jetty, or puts one to work.
    fn create_jetty(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: JettyCfg<Self>,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jetty<Self>>>;

    /// Changes a jetty.
    fn modify_jetty(jetty: ArcBorrow<'_, Jetty<Self>>, attr: &JettyAttr) -> Result;

    /// Returns the state and the threshold of the limit event.
    fn query_jetty(jetty: ArcBorrow<'_, Jetty<Self>>) -> (u32, u32);

    /// Destroys a jetty, or takes it out of work.
    fn destroy_jetty(jetty: ArcBorrow<'_, Jetty<Self>>) -> Result;

    /// Creates a jetty group.
    fn create_jetty_group(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: JettyGroupCfg,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<JettyGroup<Self>>>;

    /// Destroys a jetty group, which has no members.
    fn destroy_jetty_group(group: ArcBorrow<'_, JettyGroup<Self>>) -> Result;

    /// Imports a remote jetty or receive queue, over a transport path if there is one.
    fn import(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        cfg: TargetCfg,
        tp: &ActiveTp,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Target<Self>>>;

    /// Gives a transport path to an import that was made without one.
    fn connect_target(target: ArcBorrow<'_, Target<Self>>, tp: &ActiveTp) -> Result;

    /// Gives up an import.
    fn unimport(target: ArcBorrow<'_, Target<Self>>) -> Result;

    /// Binds a jetty to an import of the same device.
    fn bind_jetty(
        jetty: ArcBorrow<'_, Jetty<Self>>,
        target: ArcBorrow<'_, Target<Self>>,
        tp: &ActiveTp,
    ) -> Result;

    /// Undoes it.
    fn unbind_jetty(jetty: ArcBorrow<'_, Jetty<Self>>) -> Result;

    /// Lists transport paths to a peer.
    fn list_tps(
        dev: ArcBorrow<'_, UbDevice<Self>>,
        query: &TpQuery,
        user: Option<User<'_, Self>>,
        out: &mut TpList<'_>,
    ) -> Result;

    /// Changes the properties of a transport path that a bitmap names; ubcore has checked them.
    fn set_tp_attr(
        _dev: ArcBorrow<'_, UbDevice<Self>>,
        _handle: u64,
        _bitmap: u32,
        _attr: &TpAttr,
    ) -> Result {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Returns the properties of a transport path, and a bitmap of those that it has.
    fn tp_attr(_dev: ArcBorrow<'_, UbDevice<Self>>, _handle: u64) -> Result<(u32, TpAttr)> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Makes a transport path usable.
    fn activate_tp(dev: ArcBorrow<'_, UbDevice<Self>>, tp: &ActiveTp) -> Result;

    /// Undoes it.
    fn deactivate_tp(dev: ArcBorrow<'_, UbDevice<Self>>, handle: u64) -> Result;

    /// Finds the EID of a network address.
    fn eid_by_ip(_dev: ArcBorrow<'_, UbDevice<Self>>, _addr: &NetAddr) -> Result<[u8; 16]> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Finds the network address of an EID.
    fn ip_by_eid(_dev: ArcBorrow<'_, UbDevice<Self>>, _eid: [u8; 16]) -> Result<NetAddr> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Returns the MAC address of the device.
    fn smac(_dev: ArcBorrow<'_, UbDevice<Self>>) -> Result<[u8; 6]> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Finds the MAC address of a peer.
    fn dmac(_dev: ArcBorrow<'_, UbDevice<Self>>, _addr: &NetAddr) -> Result<[u8; 6]> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }

    /// Carries out a command of the provider's own; the result is handed to it.
    fn user_ctl(_ctl: UserCtl<'_, Self>) -> Result<c_int> {
        build_error!(VTABLE_DEFAULT_ERROR)
    }
}
