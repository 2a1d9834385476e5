// SPDX-License-Identifier: GPL-2.0

//! The provider is found, loaded, and makes contexts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ub_client::Device;
use ub_tests::{check, check_eq, tests, Failure, Outcome, Test};
use ub_urma::*;

use crate::double::Library;

/// The tests of this file.
pub const TESTS: &[Test] = tests![
    found_where_liburma_looks,
    not_without_execute_bit,
    contexts_come_and_go,
    contexts_refuse_nonsense,
];

/// A directory as an installation has it: `liburma.so.0`, and the provider in `urma`. Files are
/// beside the program, or where the environment says.
pub fn installed() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()?;
    let from = match std::env::var_os("UB_PROVIDER_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => own.parent().unwrap_or(Path::new("/")).to_path_buf(),
    };
    let dir = std::env::temp_dir().join(format!("liburma-{}", std::process::id()));
    fs::create_dir_all(dir.join("urma"))?;
    fs::copy(from.join("liburma.so.0"), dir.join("liburma.so.0"))?;
    let provider = dir.join("urma/liburma-ubsoft.so");
    fs::copy(from.join("liburma-ubsoft.so"), &provider)?;
    fs::set_permissions(&provider, fs::Permissions::from_mode(0o755))?;
    Ok(dir)
}

/// liburma, with the provider.
pub fn library() -> Result<Library, Failure> {
    let dir = installed()?;
    let library = Library::init(&dir);
    fs::remove_dir_all(&dir)?;
    let library = library?;
    check_eq!(library.refused, Vec::<String>::new());
    check_eq!(library.count(), 1);
    Ok(library)
}

fn found_where_liburma_looks() -> Outcome {
    let library = library()?;
    let device = Device::first()?;
    let provider = library.provider(&device.driver);
    let Some(provider) = provider else {
        return Err(Failure::Fail("no provider for the driver".to_string()));
    };
    // SAFETY: the table of the provider, which is loaded.
    let provider = unsafe { &*provider };
    check!(provider.match_table.is_null());
    check_eq!(provider.attr.transport_type, URMA_TRANSPORT_UB);
    check!(library.provider("udma").is_none());
    library.uninit()
}

fn not_without_execute_bit() -> Outcome {
    let dir = installed()?;
    let provider = dir.join("urma/liburma-ubsoft.so");
    fs::set_permissions(&provider, fs::Permissions::from_mode(0o644))?;
    let library = Library::init(&dir)?;
    check_eq!(library.refused, ["liburma-ubsoft.so"]);
    check_eq!(library.count(), 0);
    library.uninit()?;
    // Unloaded means unregistered, and it can be loaded again.
    fs::set_permissions(&provider, fs::Permissions::from_mode(0o755))?;
    for _ in 0..3 {
        let library = Library::init(&dir)?;
        check_eq!(library.count(), 1);
        library.uninit()?;
    }
    fs::remove_dir_all(&dir)?;
    Ok(())
}

fn contexts_come_and_go() -> Outcome {
    let library = library()?;
    let device = Device::first()?;
    for _ in 0..3 {
        let mut one = library.open(&device, 0)?;
        let mut two = library.open(&device, 0)?;
        // A missing operation would be refused by liburma, as a caller's mistake.
        let ops: *const urma_ops = one.ops();
        for slot in 0..size_of::<urma_ops>() / 8 {
            // SAFETY: a table of pointers.
            let word = unsafe { ops.cast::<usize>().add(slot).read() };
            check!(word != 0, "operation {slot} is missing");
        }
        // SAFETY: contexts that were just made.
        unsafe {
            check!(!std::ptr::eq(one.ctx, two.ctx));
            check_eq!((*one.ctx).eid.bytes(), device.eid(0)?.0);
            check!((*one.ctx).async_fd >= 0);
            check!(std::ptr::eq((*one.ctx).ops, (*two.ctx).ops));
        }
        check_eq!(two.delete(), URMA_SUCCESS);
        check_eq!(one.delete(), URMA_SUCCESS);
        // What is gone is gone.
        check_eq!(one.delete(), URMA_EINVAL);
    }
    library.uninit()
}

fn contexts_refuse_nonsense() -> Outcome {
    let library = library()?;
    let device = Device::first()?;
    check!(library.open(&device, 9).is_err(), "an EID that is not set");
    let Some(provider) = library.provider(&device.driver) else {
        return Err(Failure::Fail("no provider".to_string()));
    };
    // SAFETY: the table of the provider.
    let provider = unsafe { &*provider };
    let (Some(create), Some(delete)) = (provider.create_context, provider.delete_context) else {
        return Err(Failure::Fail("no functions for contexts".to_string()));
    };
    // SAFETY: what the functions refuse.
    unsafe {
        check!(create(std::ptr::null_mut(), 0, -1).is_null());
        check_eq!(delete(std::ptr::null_mut()), URMA_EINVAL);
    }
    library.uninit()
}
