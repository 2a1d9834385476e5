// SPDX-License-Identifier: GPL-2.0

//! Has the program show its functions to what it loads.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic");
}
