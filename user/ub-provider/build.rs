// SPDX-License-Identifier: GPL-2.0

//! Has the provider say that it needs `liburma.so.0`, which is not here while it is built: it is
//! linked to an empty library of that name.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let source = out.join("liburma.c");
    let library = out.join("liburma.so.0");
    println!("cargo:rerun-if-env-changed=CC");
    println!("cargo:rerun-if-changed=build.rs");

    fs::write(&source, "").expect("OUT_DIR is writable");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let status = Command::new(&compiler)
        .args(["-shared", "-Wl,-soname,liburma.so.0", "-o"])
        .arg(&library)
        .arg(&source)
        .status()
        .unwrap_or_else(|err| panic!("cannot run {compiler}: {err}"));
    assert!(status.success(), "{compiler} failed: {status}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,--no-as-needed");
    println!("cargo:rustc-cdylib-link-arg={}", library.display());
    println!("cargo:rustc-cdylib-link-arg=-Wl,--as-needed");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liburma-ubsoft.so");
    // Symbols of liburma are found when it is loaded, all of them at once.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,now");
}
