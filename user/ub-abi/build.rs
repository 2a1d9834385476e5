// SPDX-License-Identifier: GPL-2.0

//! Runs the `bindgen` command line tool (environment variable BINDGEN, else the one
//! in PATH) over the uapi headers.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let include = here.join("../../include/uapi");
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("abi.rs");
    let bindgen = env::var("BINDGEN").unwrap_or_else(|_| "bindgen".to_string());

    println!("cargo:rerun-if-env-changed=BINDGEN");
    println!("cargo:rerun-if-changed=wrapper.h");
    for name in ["uburma.h", "uburma_cmds.h", "ubsoft.h"] {
        println!(
            "cargo:rerun-if-changed={}",
            include.join("ub").join(name).display()
        );
    }

    let status = Command::new(&bindgen)
        .arg(here.join("wrapper.h"))
        .arg("--output")
        .arg(&out)
        .args(["--use-core", "--with-derive-default", "--no-doc-comments"])
        .args(["--formatter", "none"])
        .args(["--default-enum-style", "consts", "--no-prepend-enum-name"])
        .args(["--allowlist-item", "(uburma|UBURMA|ubsoft|UBSOFT)_.*"])
        .arg("--")
        .arg("-I")
        .arg(&include)
        .status()
        .unwrap_or_else(|err| panic!("cannot run {bindgen}: {err}"));
    assert!(status.success(), "{bindgen} failed: {status}");
}
