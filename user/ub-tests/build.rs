// SPDX-License-Identifier: GPL-2.0

//! Turns the tables of the user ABI (`selftests/abi/uburma-abi.json`) into the tables that
//! drive the conformance test, and makes one program of the files in `src/bin`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
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

    let programs = here.join("src/bin");
    println!("cargo:rerun-if-changed={}", programs.display());
    fs::write(out.join("programs.rs"), table(&programs)).expect("OUT_DIR is writable");
}

/// Source of a module for each test program, and of a table of their names.
fn table(dir: &Path) -> String {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .expect("src/bin can be read")
        .map(|entry| entry.expect("src/bin can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect();
    files.sort();
    let (mut modules, mut rows) = (String::new(), String::new());
    for path in files {
        let name = path.file_stem().expect("it is a file").to_string_lossy();
        let module = name.replace('-', "_");
        let source = fs::read_to_string(&path).expect("src/bin can be read");
        assert!(
            source.contains("\npub fn main() -> ExitCode"),
            "{name}: main() has to be 'pub fn main() -> ExitCode'"
        );
        let _ = writeln!(modules, "#[path = {path:?}]\nmod {module};");
        let _ = writeln!(rows, "    (\"{name}\", {module}::main),");
    }
    format!(
        "{modules}\n/// Names and main functions of the test programs.\n\
         const PROGRAMS: &[(&str, Main)] = &[\n{rows}];\n"
    )
}
