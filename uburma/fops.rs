// SPDX-License-Identifier: GPL-2.0

//! Operations of the files: device, completion events, asynchronous events, notifications.

use crate::{
    bindings_ub as b,
    device::UbDevice,
    dispatch::{
        device_ioctl,
        event_ioctl,
        EventCall, //
    },
    event::{
        channel::Channel,
        jfae::Jfae,
        jfce::Jfce,
        notifier::Notifier, //
    },
    file::UbFile,
    kernel_ext::{
        arc::{
            Arc,
            ArcBorrow, //
        },
        class_device::ClassDevice,
        fault::{
            Fault,
            Outcome, //
        },
        fops::{
            DeviceFile,
            Fasync,
            FileOperations,
            FileOps,
            Ioctl, //
        },
        mm_exit::{
            self,
            VmOps,
            VmaClosed,
            VmaHook, //
        },
        poll::PollTable, //
    },
    teardown, //
};
use kernel::{
    fs::{
        file::flags,
        File, //
    },
    mm::virt::VmaNew,
    prelude::*, //
};

#[vtable]
impl FileOperations for UbFile {
    const TABLE: &'static FileOps<Self> = device_file_ops!(UbFile);

    fn release(this: Arc<Self>, _file: &File) {
        teardown::close(&this);
    }

    fn ioctl(this: ArcBorrow<'_, Self>, _file: &File, call: Ioctl) -> Result<isize> {
        device_ioctl(&this, call)
    }

    fn mmap(this: ArcBorrow<'_, Self>, vma: &VmaNew, _pgoff: usize) -> Result {
        let context = this.context().ok_or(EINVAL)?;
        let _alive = this.enter().ok_or(EIO)?;
        context.check_mm()?;
        vma.set_dontcopy();
        vma.set_dontexpand();
        context.uctx.mmap(vma)?;
        // Instead of what the driver may have set: the mapping may outlive its module.
        mm_exit::watch::<Self>(vma)
    }
}

impl DeviceFile for UbFile {
    type Device = Arc<UbDevice>;

    fn open(dev: &ClassDevice<Arc<UbDevice>>, _file: &File) -> Result<Arc<Self>> {
        UbFile::open(dev)
    }
}

impl VmaHook for UbFile {
    const VM_OPS: &'static VmOps<Self> = vm_ops!(UbFile);

    fn vma_closed(this: ArcBorrow<'_, Self>, vma: VmaClosed) {
        if vma.mm_is_dying {
            UbFile::mm_died(this.into());
        }
    }

    fn fault(this: ArcBorrow<'_, Self>, fault: &Fault<'_>) -> Outcome {
        match (this.context(), this.enter()) {
            (Some(context), Some(_alive)) => context.uctx.fault(fault),
            _ => Outcome::SIGBUS,
        }
    }
}

/// Executes an ioctl of an event file.
fn ioctl(channel: &Channel, file: &File, known: u32, call: Ioctl) -> Result<isize> {
    let event_call = EventCall {
        channel,
        nonblocking: file.flags() & flags::O_NONBLOCK != 0,
    };
    event_ioctl(&event_call, known, call)
}

#[vtable]
impl FileOperations for Jfce {
    const TABLE: &'static FileOps<Self> = file_ops!(Jfce);

    fn release(this: Arc<Self>, _file: &File) {
        this.leave();
    }

    fn ioctl(this: ArcBorrow<'_, Self>, file: &File, call: Ioctl) -> Result<isize> {
        let known = b::UBURMA_EVENT_CMD_WAIT_JFCE;
        ioctl(this.channel(), file, known, call)
    }

    fn poll(this: ArcBorrow<'_, Self>, table: &PollTable<'_>) -> u32 {
        this.channel().poll(table)
    }

    fn fasync(this: &Self) -> &Fasync {
        this.channel().fasync()
    }
}

#[vtable]
impl FileOperations for Notifier {
    const TABLE: &'static FileOps<Self> = file_ops!(Notifier);

    fn release(this: Arc<Self>, _file: &File) {
        this.leave();
    }

    fn ioctl(this: ArcBorrow<'_, Self>, file: &File, call: Ioctl) -> Result<isize> {
        let known = b::UBURMA_EVENT_CMD_WAIT_NOTIFY;
        ioctl(this.channel(), file, known, call)
    }

    fn poll(this: ArcBorrow<'_, Self>, table: &PollTable<'_>) -> u32 {
        this.channel().poll(table)
    }

    fn fasync(this: &Self) -> &Fasync {
        this.channel().fasync()
    }
}

#[vtable]
impl FileOperations for Jfae {
    const TABLE: &'static FileOps<Self> = file_ops!(Jfae);

    fn ioctl(this: ArcBorrow<'_, Self>, file: &File, call: Ioctl) -> Result<isize> {
        let known = b::UBURMA_EVENT_CMD_GET_ASYNC_EVENT;
        ioctl(this.channel(), file, known, call)
    }

    fn poll(this: ArcBorrow<'_, Self>, table: &PollTable<'_>) -> u32 {
        this.channel().poll(table)
    }

    fn fasync(this: &Self) -> &Fasync {
        this.channel().fasync()
    }
}
