// SPDX-License-Identifier: GPL-2.0

//! The operations of the driver, each handed to the noun that it is about.

use crate::{
    address,
    bindings_ub::{
        ubcore_device_attr,
        ubcore_device_status,
        UBSOFT_ABI_VERSION, //
    },
    caps,
    context::{
        self,
        Context,
        Ucontext, //
    },
    device::{
        Dev,
        RESERVED_ID_MAX, //
    },
    group::{
        self,
        Group,
        JettyGroup, //
    },
    host::CtxId,
    jetty::{
        self,
        Jetty,
        JettyData,
        Jfs,
        JfsData, //
    },
    jfc::{
        self,
        Arm,
        Cq,
        Jfc, //
    },
    jfr::{
        self,
        Jfr,
        Rq, //
    },
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
        tp_attr::{
            self,
            TpAttr, //
        }, //
    },
    poll,
    post,
    queue::{
        self,
        Request, //
    },
    segment::{
        self,
        Seg,
        Segment,
        TokenData,
        TokenId, //
    },
    sq::Sq,
    target::{
        self,
        Import,
        TargetObject, //
    },
    tp,
    ub::driver::{
        ActiveTp,
        Completions,
        DeviceCfg,
        Driver,
        JettyAttr,
        JettyCfg,
        JettyGroupCfg,
        JfcCfg,
        JfrAttr,
        JfrCfg,
        JfsCfg,
        RecvList,
        RecvQueue,
        SegCfg,
        SegImport,
        SendList,
        SendQueue,
        TargetCfg,
        TpList,
        TpQuery,
        Udata,
        User,
        UserCtl, //
    },
    window::{
        self,
        Window, //
    },
    Soft, //
};
use kernel::{
    mm::virt::VmaNew,
    prelude::*, //
};

#[vtable]
impl Driver for Soft {
    const NAME: &'static str = "ubsoft";
    const ABI_VERSION: u32 = UBSOFT_ABI_VERSION;

    type Ucontext = Context;
    type TokenId = TokenData;
    type Segment = Seg;
    type Jfc = Cq;
    type Jfs = JfsData;
    type Jfr = Rq;
    type Jetty = JettyData;
    type ImportedSegment = Arc<Window>;
    type JettyGroup = Group;
    type Target = Import;

    fn query_attr(dev: ArcBorrow<'_, Dev>, attr: &mut ubcore_device_attr) -> Result {
        caps::fill(&dev, attr);
        Ok(())
    }

    fn query_status(dev: ArcBorrow<'_, Dev>, status: &mut ubcore_device_status) -> Result {
        caps::fill_status(&dev, status);
        Ok(())
    }

    fn configure(_dev: ArcBorrow<'_, Dev>, cfg: &DeviceCfg) -> Result {
        // What is reserved is fixed; a part of it may be asked for.
        match cfg.reserved_jetty_ids {
            Some((min, max)) if min > max || max > RESERVED_ID_MAX => Err(EINVAL),
            _ => Ok(()),
        }
    }

    fn alloc_ucontext(
        dev: ArcBorrow<'_, Dev>,
        eid_index: u32,
        udata: Udata<'_>,
    ) -> Result<Arc<Ucontext>> {
        context::alloc(&dev.into(), eid_index, udata)
    }

    fn free_ucontext(uctx: ArcBorrow<'_, Ucontext>) {
        context::free(&uctx);
    }

    fn mmap(uctx: ArcBorrow<'_, Ucontext>, pgoff: usize, vma: &VmaNew) -> Result {
        if window::is_at(pgoff) {
            window::mmap(uctx.dev(), uctx.id(), pgoff, vma)
        } else {
            queue::mmap(uctx.dev(), uctx.id(), pgoff, vma)
        }
    }

    fn fault(uctx: ArcBorrow<'_, Ucontext>, fault: &Fault<'_>) -> Outcome {
        window::fault(uctx.dev(), uctx.id(), fault)
    }

    fn disassociate_ucontext(uctx: ArcBorrow<'_, Ucontext>) {
        context::disassociate(&uctx);
    }

    fn alloc_token_id(
        dev: ArcBorrow<'_, Dev>,
        multi_seg: bool,
        _user: Option<User<'_, Self>>,
    ) -> Result<Arc<TokenId>> {
        segment::alloc_token_id(&dev.into(), multi_seg)
    }

    fn free_token_id(token: ArcBorrow<'_, TokenId>) -> Result {
        segment::free_token_id(&token);
        Ok(())
    }

    fn register_seg(
        dev: ArcBorrow<'_, Dev>,
        cfg: SegCfg,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Segment>> {
        segment::register(&dev.into(), cfg, user)
    }

    fn unregister_seg(segment: ArcBorrow<'_, Segment>) -> Result {
        segment::unregister(&segment);
        Ok(())
    }

    fn import_seg(
        dev: ArcBorrow<'_, Dev>,
        cfg: &SegImport,
        user: Option<User<'_, Self>>,
    ) -> Result<Option<Arc<Window>>> {
        if cfg.mapping {
            window::open(&dev.into(), cfg, user).map(Some)
        } else {
            Ok(None)
        }
    }

    fn unimport_seg(window: &Arc<Window>) {
        window::close(window);
    }

    fn check_option(role: OptionRole) -> Result {
        match role {
            OptionRole::Config
            | OptionRole::Flag
            | OptionRole::Bind
            | OptionRole::Id
            | OptionRole::UserContext => Ok(()),
            // Rings are the kernel's memory, and nothing of them is the user's to say.
            OptionRole::Ring
            | OptionRole::FullContext
            | OptionRole::Channel
            | OptionRole::Group => Err(EOPNOTSUPP),
        }
    }

    fn create_jfc(
        dev: ArcBorrow<'_, Dev>,
        cfg: JfcCfg,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jfc>> {
        jfc::create(&dev.into(), cfg, Request::read(&dev, 0, user)?)
    }

    fn modify_jfc(jfc: ArcBorrow<'_, Jfc>, count: Option<u16>, period: Option<u16>) -> Result {
        jfc::modify(&jfc, count, period)
    }

    fn destroy_jfc(jfc: ArcBorrow<'_, Jfc>) -> Result {
        jfc::destroy(&jfc);
        Ok(())
    }

    fn rearm_jfc(jfc: ArcBorrow<'_, Jfc>, solicited_only: bool) -> Result<bool> {
        if !jfc.kernel {
            // Users ring their doorbell.
            return Err(EINVAL);
        }
        let what = if solicited_only {
            Arm::Solicited
        } else {
            Arm::Any
        };
        Ok(poll::rearm(&jfc, what))
    }

    fn poll_jfc(jfc: ArcBorrow<'_, Jfc>, out: &mut Completions<'_>) -> Result {
        poll::poll(&jfc, out);
        Ok(())
    }

    fn post_send(queue: SendQueue<'_, Self>, list: &mut SendList<'_>) -> Result {
        match queue {
            SendQueue::Jfs(jfs) => post::send(jfs.sq(), list),
            SendQueue::Jetty(jetty) => post::send(jetty.sq(), list),
        }
    }

    fn post_recv(queue: RecvQueue<'_, Self>, list: &mut RecvList<'_>) -> Result {
        match queue {
            RecvQueue::Jfr(jfr) => post::recv(&jfr, None, list),
            RecvQueue::Jetty(jetty) => post::recv(jetty.jfr(), Some(&jetty), list),
        }
    }

    fn create_jfs(
        dev: ArcBorrow<'_, Dev>,
        cfg: JfsCfg<Self>,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jfs>> {
        let request = Request::read_send(&dev, cfg.send.eid_index, user)?;
        jetty::create_jfs(&dev.into(), cfg, request)
    }

    fn modify_jfs(jfs: ArcBorrow<'_, Jfs>, state: Option<u32>) -> Result {
        Sq::modify(jfs.sq(), state, |_| ())
    }

    fn query_jfs(jfs: ArcBorrow<'_, Jfs>) -> u32 {
        jfs.sq().query()
    }

    fn destroy_jfs(jfs: ArcBorrow<'_, Jfs>) -> Result {
        jetty::destroy_jfs(&jfs);
        Ok(())
    }

    fn create_jfr(
        dev: ArcBorrow<'_, Dev>,
        cfg: JfrCfg<Self>,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jfr>> {
        let request = Request::read(&dev, cfg.eid_index, user)?;
        jfr::create(&dev.into(), cfg, request)
    }

    fn modify_jfr(jfr: ArcBorrow<'_, Jfr>, attr: &JfrAttr) -> Result {
        jfr::modify(&jfr, attr)
    }

    fn query_jfr(jfr: ArcBorrow<'_, Jfr>) -> (u32, u32) {
        jfr::query(&jfr)
    }

    fn destroy_jfr(jfr: ArcBorrow<'_, Jfr>) -> Result {
        jfr::destroy(&jfr);
        Ok(())
    }

    fn create_jetty(
        dev: ArcBorrow<'_, Dev>,
        cfg: JettyCfg<Self>,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<Jetty>> {
        let request = Request::read_send(&dev, cfg.send.eid_index, user)?;
        jetty::create_jetty(&dev.into(), cfg, request)
    }

    fn modify_jetty(jetty: ArcBorrow<'_, Jetty>, attr: &JettyAttr) -> Result {
        jetty::modify_jetty(&jetty, attr)
    }

    fn query_jetty(jetty: ArcBorrow<'_, Jetty>) -> (u32, u32) {
        jetty::query_jetty(&jetty)
    }

    fn destroy_jetty(jetty: ArcBorrow<'_, Jetty>) -> Result {
        jetty::destroy_jetty(&jetty);
        Ok(())
    }

    fn create_jetty_group(
        dev: ArcBorrow<'_, Dev>,
        cfg: JettyGroupCfg,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<JettyGroup>> {
        group::create(&dev.into(), cfg, user)
    }

    fn destroy_jetty_group(group: ArcBorrow<'_, JettyGroup>) -> Result {
        group::destroy(&group);
        Ok(())
    }

    fn import(
        dev: ArcBorrow<'_, Dev>,
        cfg: TargetCfg,
        tp: &ActiveTp,
        user: Option<User<'_, Self>>,
    ) -> Result<Arc<TargetObject>> {
        target::import(dev, cfg, tp, user)
    }

    fn connect_target(target: ArcBorrow<'_, TargetObject>, tp: &ActiveTp) -> Result {
        target.connect(tp);
        Ok(())
    }

    fn unimport(target: ArcBorrow<'_, TargetObject>) -> Result {
        target::unimport(&target);
        Ok(())
    }

    fn bind_jetty(
        jetty: ArcBorrow<'_, Jetty>,
        target: ArcBorrow<'_, TargetObject>,
        tp: &ActiveTp,
    ) -> Result {
        jetty::bind(&jetty, target.target().over(tp))
    }

    fn unbind_jetty(jetty: ArcBorrow<'_, Jetty>) -> Result {
        jetty::unbind(&jetty);
        Ok(())
    }

    fn list_tps(
        dev: ArcBorrow<'_, Dev>,
        query: &TpQuery,
        user: Option<User<'_, Self>>,
        out: &mut TpList<'_>,
    ) -> Result {
        let owner = user.map_or(CtxId::KERNEL, |user| user.uctx.id());
        tp::list(&dev, query, owner, out)
    }

    fn set_tp_attr(dev: ArcBorrow<'_, Dev>, handle: u64, bitmap: u32, attr: &TpAttr) -> Result {
        dev.tps.set_attr(handle, bitmap, attr)
    }

    fn tp_attr(dev: ArcBorrow<'_, Dev>, handle: u64) -> Result<(u32, TpAttr)> {
        // All of them have a value.
        Ok((tp_attr::ALL, dev.tps.attr(handle)?))
    }

    fn activate_tp(dev: ArcBorrow<'_, Dev>, tp: &ActiveTp) -> Result {
        dev.tps.activate(tp)
    }

    fn deactivate_tp(dev: ArcBorrow<'_, Dev>, handle: u64) -> Result {
        dev.tps.deactivate(handle)
    }

    fn eid_by_ip(dev: ArcBorrow<'_, Dev>, addr: &NetAddr) -> Result<[u8; 16]> {
        address::eid_by_ip(&dev, addr)
    }

    fn ip_by_eid(dev: ArcBorrow<'_, Dev>, eid: [u8; 16]) -> Result<NetAddr> {
        address::ip_by_eid(&dev, eid)
    }

    fn smac(dev: ArcBorrow<'_, Dev>) -> Result<[u8; 6]> {
        Ok(address::mac(&dev))
    }

    fn dmac(dev: ArcBorrow<'_, Dev>, addr: &NetAddr) -> Result<[u8; 6]> {
        address::dmac(&dev, addr)
    }

    fn user_ctl(ctl: UserCtl<'_, Self>) -> Result<c_int> {
        context::control(ctl)
    }
}
