// SPDX-License-Identifier: GPL-2.0

//! Leads the mapping of memory through clock.rs; with the feature `rxe`, compiles rxe.c and
//! links it with the static libraries of rdma-core, which Debian's libibverbs-dev brings.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";

/// The name of the library that drives rdma_rxe: it has a version in it.
fn provider() -> String {
    let dir = std::fs::read_dir(LIBRARIES).expect(LIBRARIES);
    dir.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| name.starts_with("librxe-rdmav") && name.ends_with(".a"))
        .map(|name| name[3..name.len() - 2].to_string())
        .expect("librxe-rdmav*.a of the package libibverbs-dev: run 'scripts/setup.sh bench'")
}

fn run(command: &mut Command) {
    let status = command.status().expect("a C compiler");
    assert!(status.success(), "{command:?}");
}

fn compile(out: &Path) {
    let object = out.join("rxe.o");
    run(Command::new("gcc")
        .args([
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-c",
            "src/rxe.c",
            "-o",
        ])
        .arg(&object));
    run(Command::new("ar")
        .arg("crs")
        .arg(out.join("libubrxe.a"))
        .arg(&object));
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/rxe.c");
    println!("cargo:rustc-link-arg-bins=-Wl,--wrap=mmap,--wrap=munmap");
    if env::var_os("CARGO_FEATURE_RXE").is_none() {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("OUT_DIR"));
    compile(&out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={LIBRARIES}");
    let provider = provider();
    for name in ["ubrxe", &provider, "ibverbs", "nl-route-3", "nl-3"] {
        println!("cargo:rustc-link-lib=static={name}");
    }
}
