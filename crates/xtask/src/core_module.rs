//! How the core's wasm module compiles sqlite-vec, whose crate expects a C library.

use anyhow::Result;

use crate::tools::Toolbox;

/// No files, and the sizes of integers by their standard names.
const FLAGS: [&str; 3] = ["-DSQLITE_VEC_OMIT_FS", "-D__COSMOPOLITAN__", "-Wno-macro-redefined"];

/// A toolbox whose cargo compiles sqlite-vec for `wasm32-unknown-unknown`: with the headers and the declarations that
/// SQLite itself is compiled with, from the folder `shim` of sqlite-wasm-rs. So the native programs and the module have
/// one version of it.
pub fn toolbox(tools: &Toolbox) -> Result<Toolbox> {
    let shim = tools.folder_of_package("sqlite-wasm-rs")?.join("shim");
    let folders =
        ["musl/arch/generic", "musl/include"].map(|folder| format!("-I {}", shim.join(folder).display()));
    let declarations = format!("-include {}", shim.join("wasm-shim.h").display());
    let mut own = tools.clone();
    own.set(
        "CFLAGS_wasm32_unknown_unknown",
        format!("{} {} {declarations}", FLAGS.join(" "), folders.join(" ")),
    );
    Ok(own)
}
