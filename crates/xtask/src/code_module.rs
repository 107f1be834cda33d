//! The wasm modules of `limbic-code`, which have the C code of tree-sitter and its grammars and no JavaScript bindings.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project;
use crate::setup::c_compiler::COMPILER;
use crate::strip_names;
use crate::tools::{Toolbox, say};

/// Modules that are built here: `crates/wasm/<name>` becomes `pkg/<name>/limbic_<name>.wasm`.
pub const MODULES: [&str; 2] = ["code", "code-more"];

/// The module whose grammars need flags of their own.
const MORE: &str = "code-more";

/// Flags that replace a C library: `tree-sitter-language` has headers.
const FLAGS: [&str; 3] = ["-include", "stddef.h", "-Dstatic_assert=_Static_assert"];

/// Functions that the scanners of [`MORE`] call and the headers lack. `exit` is called when there is no memory.
const MORE_FUNCTIONS: [&str; 2] = ["-Dexit(code)=abort()", "-Disdigit(c)=((unsigned)(c)-48<10u)"];

/// Switches off a pass of LLVM whose time and memory are quadratic in the states of a lexer: minutes and 5 GB for
/// Swift. It rewrites loops with several entries. The C code of [`MORE`] has none at the levels of optimization that
/// `Cargo.toml` sets: the objects are the same bytes without the pass. Code that needs it becomes a module that does
/// not validate, which `tests/node/code-module.test.ts` shows. The first module needs it. Compilers that do not know
/// the flag do without it.
const WITHOUT_QUADRATIC_PASS: [&str; 2] = ["-mllvm", "-wasm-disable-fix-irreducible-control-flow-pass"];

/// Builds a module and copies it without its function names, if cargo has written a newer one.
pub fn build(tools: &Toolbox, name: &str, quiet: bool) -> Result<()> {
    say(&format!(
        "building the wasm module {name} (minutes the first time, seconds when nothing has changed)"
    ));
    let package = format!("limbic-wasm-{name}");
    let mut arguments = vec!["build", "--package", &package, "--lib"];
    arguments.extend(["--target", "wasm32-unknown-unknown", "--profile", "wasm"]);
    if quiet {
        arguments.push("--quiet");
    }
    toolbox(tools, name)?.run("cargo", &arguments)?;
    let file = name.replace('-', "_");
    let compiled = target(name).join("wasm32-unknown-unknown/wasm").join(format!("limbic_wasm_{file}.wasm"));
    let folder = project::path(&format!("pkg/{name}"));
    let copy = folder.join(format!("limbic_{file}.wasm"));
    if !project::is_current(&copy, std::slice::from_ref(&compiled)) {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
        fs::write(&copy, strip_names::strip(&bytes)?)
            .with_context(|| format!("cannot write {}", copy.display()))?;
    }
    Ok(())
}

/// A toolbox whose cargo compiles tree-sitter and the grammars of a module for `wasm32-unknown-unknown`: without a C
/// library, with the headers that `tree-sitter-language` has. SQLite does not compile with these flags.
pub fn toolbox(tools: &Toolbox, name: &str) -> Result<Toolbox> {
    let headers = headers(tools)?;
    let mut own = tools.clone();
    let mut flags = FLAGS.to_vec();
    if name == MORE {
        flags.extend(MORE_FUNCTIONS);
        if knows(tools, &WITHOUT_QUADRATIC_PASS) {
            flags.extend(WITHOUT_QUADRATIC_PASS);
        }
    }
    own.set("CFLAGS_wasm32_unknown_unknown", format!("{} -idirafter {}", flags.join(" "), headers.display()));
    own.set("CARGO_TARGET_DIR", target(name));
    Ok(own)
}

/// Cargo's folder for a module. Other flags would compile what both modules have again at each build.
fn target(name: &str) -> PathBuf {
    if name == MORE { project::target().join(MORE) } else { project::target() }
}

/// Whether the C compiler of set-up accepts flags.
fn knows(tools: &Toolbox, flags: &[&str]) -> bool {
    let folder = project::target().join("setup");
    let (source, object) = (folder.join("flags.c"), folder.join("flags.o"));
    let written =
        fs::create_dir_all(&folder).and_then(|()| fs::write(&source, "int three(void) { return 3; }\n"));
    let names = (tools.variable(COMPILER).and_then(OsStr::to_str), source.to_str(), object.to_str());
    let (Some(clang), Some(source), Some(object)) = names else { return false };
    let arguments = [flags, &["--target=wasm32", "-c", source, "-o", object]].concat();
    written.is_ok() && tools.ask(clang, &arguments).is_some()
}

/// The folder `wasm/include` of the crate `tree-sitter-language`.
fn headers(tools: &Toolbox) -> Result<PathBuf> {
    Ok(tools.folder_of_package("tree-sitter-language")?.join("wasm").join("include"))
}
