// SPDX-License-Identifier: GPL-2.0

//! Devices by configfs: `mkdir /sys/kernel/config/ubsoft/NAME` makes one, `rmdir` removes it.

use crate::{
    device::Device,
    host::Host, //
};
use kernel::{
    configfs::{
        self,
        configfs_attrs, //
    },
    page::PAGE_SIZE,
    prelude::*,
    sync::Arc, //
};

/// The directory `ubsoft`.
#[pin_data]
pub(crate) struct Root {
    host: Arc<Host>,
}

/// The directory of a device.
#[pin_data]
pub(crate) struct Entry {
    device: Device,
}

/// Initialises the subsystem.
pub(crate) fn subsystem(host: Arc<Host>) -> impl PinInit<configfs::Subsystem<Root>, Error> {
    let item_type = configfs_attrs! {
        container: configfs::Subsystem<Root>,
        data: Root,
        child: Entry,
        attributes: [],
    };
    configfs::Subsystem::new(c"ubsoft", item_type, try_pin_init!(Root { host }))
}

#[vtable]
impl configfs::GroupOperations for Root {
    type Child = Entry;

    fn make_group(&self, name: &CStr) -> Result<impl PinInit<configfs::Group<Entry>, Error>> {
        let item_type = configfs_attrs! {
            container: configfs::Group<Entry>,
            data: Entry,
            attributes: [
                eid: 0,
                online: 1,
            ],
        };
        let device = Device::new(&self.host, name)?;
        Ok(configfs::Group::new(
            name.try_into()?,
            item_type,
            try_pin_init!(Entry { device }),
        ))
    }
}

/// Puts a line, given in parts, into the page of an attribute.
fn show(page: &mut [u8; PAGE_SIZE], line: &[&[u8]]) -> Result<usize> {
    let mut len = 0usize;
    for byte in line.iter().copied().flatten() {
        *page.get_mut(len).ok_or(EMSGSIZE)? = *byte;
        len = len.saturating_add(1);
    }
    Ok(len)
}

#[vtable]
impl configfs::AttributeOperations<0> for Entry {
    type Data = Entry;

    /// `eid`: the EID that the device got when it was made.
    fn show(entry: &Entry, page: &mut [u8; PAGE_SIZE]) -> Result<usize> {
        show(page, &[entry.device.eid().text().as_bytes(), b"\n"])
    }
}

#[vtable]
impl configfs::AttributeOperations<1> for Entry {
    type Data = Entry;

    /// `online`: 1, since a device is there as long as its directory.
    fn show(_entry: &Entry, page: &mut [u8; PAGE_SIZE]) -> Result<usize> {
        show(page, &[b"1\n"])
    }
}
