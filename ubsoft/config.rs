// SPDX-License-Identifier: GPL-2.0

//! Devices by configfs: `mkdir /sys/kernel/config/ubsoft/NAME` makes one, `rmdir` removes it.
//!
//! Attributes that change something queue an event and return: they wait for nothing that `rmdir`
//! does, which waits for them.

use crate::{
    device::Device,
    host::Host,
    kernel_ext::arc::Arc,
    logic::eid::Eid, //
};
use kernel::{
    configfs::{
        self,
        configfs_attrs, //
    },
    page::PAGE_SIZE,
    prelude::*, //
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
                port: 2,
                eids: 3,
                poll: 4,
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

/// What `port` says and is told.
const UP: &[u8] = b"active";
const DOWN: &[u8] = b"down";

/// Returns what was written without what `echo` puts behind it.
fn word(page: &[u8]) -> &[u8] {
    page.strip_suffix(b"\n").unwrap_or(page)
}

#[vtable]
impl configfs::AttributeOperations<2> for Entry {
    type Data = Entry;

    /// `port`: `active` or `down`.
    fn show(entry: &Entry, page: &mut [u8; PAGE_SIZE]) -> Result<usize> {
        let state = if entry.device.is_port_down() {
            DOWN
        } else {
            UP
        };
        show(page, &[state, b"\n"])
    }

    /// Takes the port down or up: contexts get an event, and messages to and from other devices
    /// time out while it is down.
    fn store(entry: &Entry, page: &[u8]) -> Result {
        let down = match word(page) {
            UP => false,
            DOWN => true,
            _ => return Err(EINVAL),
        };
        entry.device.set_port_down(down);
        Ok(())
    }
}

#[vtable]
impl configfs::AttributeOperations<3> for Entry {
    type Data = Entry;

    /// `eids`: a line for each index, empty for one without EID.
    fn show(entry: &Entry, page: &mut [u8; PAGE_SIZE]) -> Result<usize> {
        let mut len = 0usize;
        for eid in entry.device.eids() {
            let text = eid.map(|eid| eid.text());
            let text = text.as_ref().map_or(&[] as &[u8], |text| text.as_bytes());
            for byte in [text, b"\n"].into_iter().flatten() {
                *page.get_mut(len).ok_or(EMSGSIZE)? = *byte;
                len = len.saturating_add(1);
            }
        }
        Ok(len)
    }

    /// `+EID` gives the device another one, `-INDEX` takes one away.
    fn store(entry: &Entry, page: &[u8]) -> Result {
        match word(page).split_first() {
            Some((b'+', eid)) => entry.device.add_eid(Eid::parse(eid)?),
            Some((b'-', index)) => entry.device.remove_eid(number(index)?),
            _ => Err(EINVAL),
        }
    }
}

/// Reads a small number.
fn number(text: &[u8]) -> Result<usize> {
    let text = core::str::from_utf8(text).map_err(|_| EINVAL)?;
    text.parse::<u8>().map(usize::from).map_err(|_| EINVAL)
}

#[vtable]
impl configfs::AttributeOperations<4> for Entry {
    type Data = Entry;

    /// `poll`: 1 if anybody may have send queues polled by a thread, 0 if the privileged may.
    fn show(entry: &Entry, page: &mut [u8; PAGE_SIZE]) -> Result<usize> {
        let on: &[u8] = if entry.device.may_all_poll() {
            b"1\n"
        } else {
            b"0\n"
        };
        show(page, &[on])
    }

    /// Sets it, for queues to come.
    fn store(entry: &Entry, page: &[u8]) -> Result {
        let on = match word(page) {
            b"1" => true,
            b"0" => false,
            _ => return Err(EINVAL),
        };
        entry.device.let_all_poll(on);
        Ok(())
    }
}
