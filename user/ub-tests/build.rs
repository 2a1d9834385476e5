// SPDX-License-Identifier: GPL-2.0

//! Turns the tables of the user ABI (`selftests/abi/uburma-abi.json`) into the tables that
//! drive the conformance test.

use std::path::PathBuf;
use std::{env, fs};

#[path = "src/conform/generate.rs"]
mod generate;

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let tables = here.join("../../selftests/abi/uburma-abi.json");
    println!("cargo:rerun-if-changed={}", tables.display());
    println!("cargo:rerun-if-changed=src/conform/generate.rs");
    println!("cargo:rerun-if-changed=build.rs");

    let text = fs::read_to_string(&tables).expect("the tables can be read");
    let source = generate::source(&text).unwrap_or_else(|why| panic!("{why}"));
    fs::write(out.join("conform.rs"), source).expect("OUT_DIR is writable");
}
