// SPDX-License-Identifier: GPL-2.0

//! Device discovery through sysfs.

use std::fmt;
use std::fs;
use std::net::Ipv6Addr;
use std::path::PathBuf;

use crate::{Error, Result};

/// Where the devices and their attributes are.
pub const CLASS_DIR: &str = "/sys/class/ubcore";
/// Where the device files are.
pub const DEV_DIR: &str = "/dev/uburma";

/// Entity id: the address of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Eid(pub [u8; 16]);

impl Eid {
    /// Reads the form that sysfs prints: eight groups of hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        text.trim()
            .parse()
            .ok()
            .map(|ip: Ipv6Addr| Eid(ip.octets()))
    }

    /// Whether it is the zero EID, which names nothing.
    pub fn is_zero(&self) -> bool {
        self.0 == [0; 16]
    }
}

impl fmt::Display for Eid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, pair) in self.0.chunks(2).enumerate() {
            let colon = if i == 0 { "" } else { ":" };
            write!(f, "{colon}{:02x}{:02x}", pair[0], pair[1])?;
        }
        Ok(())
    }
}

/// A device as sysfs describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Name of its driver.
    pub driver: String,
}

impl Device {
    /// All devices, sorted by name.
    pub fn list() -> Result<Vec<Device>> {
        let entries = fs::read_dir(CLASS_DIR)
            .map_err(|err| Error::io(&format!("reading {CLASS_DIR}"), &err))?;
        let mut devices: Vec<Device> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name != "ubcore" && !name.starts_with('.'))
            .filter_map(|name| Self::named(&name).ok())
            .collect();
        devices.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(devices)
    }

    /// The device of this name.
    pub fn named(name: &str) -> Result<Device> {
        let mut device = Device {
            name: name.to_string(),
            driver: String::new(),
        };
        device.name = device.attribute("ubdev")?;
        device.driver = device.attribute("driver_name")?;
        Ok(device)
    }

    /// The first device of ubsoft, or the one that environment variable UB_DEVICE names.
    pub fn first() -> Result<Device> {
        if let Ok(name) = std::env::var("UB_DEVICE") {
            return Self::named(&name);
        }
        let driver = abi_driver_name();
        Self::list()?
            .into_iter()
            .find(|device| device.driver == driver)
            .ok_or_else(|| {
                Error::NoDevice(format!(
                    "{CLASS_DIR} shows none of driver '{driver}': is the module loaded?"
                ))
            })
    }

    /// Its directory in sysfs.
    pub fn dir(&self) -> PathBuf {
        PathBuf::from(CLASS_DIR).join(&self.name)
    }

    /// Its device file.
    pub fn node(&self) -> PathBuf {
        PathBuf::from(DEV_DIR).join(&self.name)
    }

    /// An attribute file, without its newline.
    pub fn attribute(&self, file: &str) -> Result<String> {
        let path = self.dir().join(file);
        let text = fs::read_to_string(&path)
            .map_err(|err| Error::io(&format!("reading {}", path.display()), &err))?;
        Ok(text.trim_end_matches('\n').to_string())
    }

    /// An attribute file that holds a number, decimal or hexadecimal.
    pub fn number(&self, file: &str) -> Result<u64> {
        let text = self.attribute(file)?;
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        parsed.map_err(|_| Error::BadReply(format!("{file} of {} is '{text}'", self.name)))
    }

    /// The EID in a slot of the table; the zero EID of an empty one is an error.
    pub fn eid(&self, index: u32) -> Result<Eid> {
        let text = self.attribute(&format!("eids/eid{index}"))?;
        match Eid::parse(&text) {
            Some(eid) if !eid.is_zero() => Ok(eid),
            Some(_) => Err(Error::NoDevice(format!(
                "EID {index} of {} is not set",
                self.name
            ))),
            None => Err(Error::BadReply(format!("EID {index} is '{text}'"))),
        }
    }

    /// The slots that hold an EID.
    pub fn eids(&self) -> Result<Vec<(u32, Eid)>> {
        let count = self.number("max_eid_cnt")? as u32;
        Ok((0..count)
            .filter_map(|index| Some((index, self.eid(index).ok()?)))
            .collect())
    }
}

/// The driver's name, without the NUL of the header's string.
fn abi_driver_name() -> &'static str {
    std::str::from_utf8(ub_abi::UBSOFT_DRIVER_NAME)
        .unwrap_or("")
        .trim_end_matches('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eid_text_both_ways() {
        let text = "0000:0000:0000:0000:0000:ffff:7f00:0001";
        let eid = Eid::parse(text).unwrap();
        assert_eq!(&eid.0[8..], &[0, 0, 0xff, 0xff, 0x7f, 0, 0, 1]);
        assert_eq!(eid.to_string(), text);
        assert_eq!(Eid::parse("nonsense"), None);
        assert!(Eid::parse("::").unwrap().is_zero());
    }

    #[test]
    fn driver_name_is_the_headers() {
        assert_eq!(abi_driver_name(), "ubsoft");
    }
}
