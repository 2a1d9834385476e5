// SPDX-License-Identifier: GPL-2.0

//! Devices that tests make for themselves, by configfs.

use std::fs;
use std::path::{Path, PathBuf};

use ub_client::{Context, Device};

use crate::fixture::Side;
use crate::{Failure, Outcome};

/// The directory in which devices are made.
pub const CONFIG: &str = "/sys/kernel/config/ubsoft";

/// A device made for a test; removed at its end.
pub struct Own {
    /// Its directory in configfs.
    pub dir: PathBuf,
    /// The device.
    pub device: Device,
    there: bool,
}

impl Own {
    /// Makes one.
    pub fn create(name: &str) -> Result<Self, Failure> {
        let dir = Path::new(CONFIG).join(name);
        fs::create_dir(&dir)
            .map_err(|err| Failure::Fail(format!("mkdir {}: {err}", dir.display())))?;
        let device = Device::named(name)?;
        Ok(Own {
            dir,
            device,
            there: true,
        })
    }

    /// Removes it.
    pub fn remove(&mut self) -> Outcome {
        fs::remove_dir(&self.dir)
            .map_err(|err| Failure::Fail(format!("rmdir {}: {err}", self.dir.display())))?;
        self.there = false;
        check!(
            !self.device.node().exists(),
            "the device file is still there"
        );
        check!(
            !self.device.dir().exists(),
            "the directory in sysfs is still there"
        );
        Ok(())
    }

    /// Reads an attribute.
    pub fn get(&self, name: &str) -> Result<String, Failure> {
        let text = fs::read_to_string(self.dir.join(name))?;
        Ok(text.strip_suffix('\n').unwrap_or(&text).to_string())
    }

    /// Writes an attribute.
    pub fn set(&self, name: &str, value: &str) -> Result<(), ub_client::Error> {
        fs::write(self.dir.join(name), value)
            .map_err(|err| ub_client::Error::io(&format!("writing {name}"), &err))
    }

    /// A side on it.
    pub fn side(&self) -> Result<Side, Failure> {
        Side::create_in(Context::open(&self.device)?, Default::default())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if self.there {
            let _ = fs::remove_dir(&self.dir);
        }
    }
}
