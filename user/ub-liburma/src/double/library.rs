// SPDX-License-Identifier: GPL-2.0

//! How liburma finds and loads providers, and makes contexts with them.

use std::ffi::{c_int, CStr, CString};
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::Mutex;

use ub_client::{Context, Device};
use ub_tests::Failure;
use ub_urma::*;

use super::exports;

/// A provider that registered itself.
#[derive(Clone, Copy)]
struct Registered(*mut urma_provider_ops);

// SAFETY: a table of the provider, which nobody changes.
unsafe impl Send for Registered {}

static PROVIDERS: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

fn providers() -> std::sync::MutexGuard<'static, Vec<Registered>> {
    PROVIDERS.lock().unwrap_or_else(|err| err.into_inner())
}

exports! {
    fn urma_register_provider_ops(ops: *mut urma_provider_ops) -> c_int {
        if ops.is_null() || (*ops).name.is_null() {
            return -1;
        }
        providers().push(Registered(ops));
        0
    }

    fn urma_unregister_provider_ops(ops: *mut urma_provider_ops) -> c_int {
        providers().retain(|registered| !ptr::eq(registered.0, ops));
        0
    }
}

fn c_string(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

/// liburma after `urma_init()`.
pub struct Library {
    handles: Vec<*mut std::ffi::c_void>,
    /// Files that were tried and were no providers.
    pub refused: Vec<String>,
}

impl Library {
    /// Loads the library `liburma.so.0` of a directory, which is empty: its functions are here. Then
    /// all providers of the directory `urma` in it, and initialises them.
    pub fn init(dir: &Path) -> Result<Self, Failure> {
        let mut library = Library {
            handles: Vec::new(),
            refused: Vec::new(),
        };
        library.load(&dir.join("liburma.so.0"))?;
        let mut names: Vec<_> = fs::read_dir(dir.join("urma"))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        names.sort();
        for path in names {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if !name.starts_with("liburma") {
                continue;
            }
            let mode = libc::F_OK | libc::R_OK | libc::X_OK;
            // SAFETY: a path that ends in NUL.
            let allowed = unsafe { libc::access(c_string(&path).as_ptr(), mode) } == 0;
            if !allowed || library.load(&fs::canonicalize(&path)?).is_err() {
                library.refused.push(name);
            }
        }
        for registered in providers().iter() {
            // SAFETY: a table of a provider that is loaded.
            let status = unsafe { (*registered.0).init.map(|init| init(ptr::null_mut())) };
            if status != Some(URMA_SUCCESS) {
                return Err(Failure::Fail(format!("init of a provider: {status:?}")));
            }
        }
        Ok(library)
    }

    fn load(&mut self, path: &Path) -> Result<(), Failure> {
        // SAFETY: the libraries are ours; what their constructors do is to register.
        let handle = unsafe { libc::dlopen(c_string(path).as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() {
            // SAFETY: the loader's text about what just failed.
            let why = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(Failure::Fail(why.to_string_lossy().into_owned()));
        }
        self.handles.push(handle);
        Ok(())
    }

    /// The provider for a device: the first whose name is that of the driver.
    pub fn provider(&self, driver: &str) -> Option<*mut urma_provider_ops> {
        providers()
            .iter()
            // SAFETY: a table of a provider that is loaded, whose name ends in NUL.
            .find(|registered| {
                unsafe { CStr::from_ptr((*registered.0).name) }.to_str() == Ok(driver)
            })
            .map(|registered| registered.0)
    }

    /// Number of providers that registered themselves and are loaded.
    pub fn count(&self) -> usize {
        providers().len()
    }

    /// `urma_uninit()`: unloads all.
    pub fn uninit(mut self) -> Result<(), Failure> {
        for registered in providers().clone() {
            // SAFETY: a table of a provider that is loaded.
            let status = unsafe { (*registered.0).uninit.map(|uninit| uninit()) };
            if status != Some(URMA_SUCCESS) {
                return Err(Failure::Fail(format!("uninit of a provider: {status:?}")));
            }
        }
        for handle in self.handles.drain(..).rev() {
            // SAFETY: handles of the loader, used once.
            unsafe { libc::dlclose(handle) };
        }
        Ok(())
    }

    /// `urma_create_context()` on an EID of a device.
    pub fn open(&self, device: &Device, eid_index: u32) -> Result<Opened, Failure> {
        let provider = self
            .provider(&device.driver)
            .ok_or_else(|| Failure::Fail(format!("no provider for '{}'", device.driver)))?;
        let mut dev: Box<urma_device> = Box::default();
        for (to, from) in dev.name.iter_mut().zip(device.name.bytes()) {
            *to = from as _;
        }
        dev.ops = provider;
        let file = Context::open_bare(device)?;
        // SAFETY: a table of a provider that is loaded, and a device that outlives the context.
        let ctx = unsafe {
            let create = (*provider)
                .create_context
                .ok_or("no create_context".to_string())?;
            create(&mut *dev, eid_index, file.as_raw_fd())
        };
        if ctx.is_null() {
            return Err(Failure::Fail(format!(
                "create_context: {}",
                std::io::Error::last_os_error()
            )));
        }
        // SAFETY: a context that was just made; liburma sets these.
        unsafe {
            (*ctx).dev_fd = file.as_raw_fd();
            (*ctx).eid_index = eid_index;
            (*ctx).ref_.atomic_cnt = 1;
            (*ctx).aggr_mode = 0;
        }
        Ok(Opened {
            ctx,
            dev,
            file: Some(file),
        })
    }
}

/// A context that a provider made.
pub struct Opened {
    /// The context.
    pub ctx: *mut urma_context,
    dev: Box<urma_device>,
    file: Option<OwnedFd>,
}

impl Opened {
    /// Its operations.
    pub fn ops(&self) -> &'static urma_ops {
        // SAFETY: a table of the provider, which stays loaded while there are contexts.
        unsafe { &*(*self.ctx).ops }
    }

    /// `urma_delete_context()`: the device file is closed if the provider agrees.
    pub fn delete(&mut self) -> u32 {
        // SAFETY: a table of a provider that is loaded.
        let status = unsafe {
            match (*self.dev.ops).delete_context {
                Some(delete) => delete(self.ctx),
                None => URMA_EINVAL,
            }
        };
        if status == URMA_SUCCESS {
            self.file = None;
        }
        status
    }
}
