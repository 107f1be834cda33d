//! A C compiler for WebAssembly, which SQLite needs.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::project;
use crate::setup::system;
use crate::tools::{Toolbox, say};

/// The variable that names the compiler to cargo's build scripts.
pub const COMPILER: &str = "CC_wasm32_unknown_unknown";

/// LLVM versions in order of preference.
const VERSIONS: [u32; 10] = [19, 22, 21, 20, 18, 17, 16, 15, 14, 13];

/// Program names of a compiler and its archiver.
struct Compiler {
    clang: String,
    archiver: String,
}

/// Finds clang or installs it, and sets the variables that cargo's build scripts read.
pub fn ensure(tools: &mut Toolbox) -> Result<()> {
    let found = match find(tools) {
        Some(compiler) => compiler,
        None => {
            install(tools)?;
            find(tools).with_context(by_hand)?
        }
    };
    tools.set(COMPILER, found.clang);
    tools.set("AR_wasm32_unknown_unknown", found.archiver);
    Ok(())
}

fn by_hand() -> String {
    "install clang, lld and llvm (`apt-get install clang-19 lld-19 llvm-19`, `dnf install clang lld llvm`, \
     `brew install llvm`), or set CC_wasm32_unknown_unknown and AR_wasm32_unknown_unknown to a \
     clang and an llvm-ar with the target wasm32"
        .to_owned()
}

fn find(tools: &Toolbox) -> Option<Compiler> {
    candidates(tools).into_iter().find(|compiler| works(tools, compiler))
}

fn candidates(tools: &Toolbox) -> Vec<Compiler> {
    let mut all = Vec::new();
    let named = (std::env::var("CC_wasm32_unknown_unknown"), std::env::var("AR_wasm32_unknown_unknown"));
    if let (Ok(clang), Ok(archiver)) = named {
        all.push(Compiler { clang, archiver });
    }
    all.extend(VERSIONS.map(|version| Compiler {
        clang: format!("clang-{version}"),
        archiver: format!("llvm-ar-{version}"),
    }));
    all.push(Compiler { clang: "clang".to_owned(), archiver: "llvm-ar".to_owned() });
    if let Some(prefix) = tools.ask("brew", &["--prefix", "llvm"]) {
        let clang = format!("{prefix}/bin/clang");
        all.push(Compiler { clang, archiver: format!("{prefix}/bin/llvm-ar") });
    }
    all
}

/// Whether both programs exist and compile an object for wasm32.
fn works(tools: &Toolbox, compiler: &Compiler) -> bool {
    if tools.ask(&compiler.archiver, &["--version"]).is_none() {
        return false;
    }
    let folder = project::target().join("setup");
    let source = folder.join("try.c");
    let object = folder.join("try.o");
    let written = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&source, "#include <stddef.h>\nsize_t three(void) { return 3; }\n"));
    let (Some(source), Some(object)) = (source.to_str(), object.to_str()) else { return false };
    written.is_ok() && tools.ask(&compiler.clang, &["--target=wasm32", "-c", source, "-o", object]).is_some()
}

fn install(tools: &Toolbox) -> Result<()> {
    if tools.ask("apt-get", &["--version"]).is_none() {
        bail!("no clang with the target wasm32 was found; {}", by_hand());
    }
    let offered = |version: &&u32| system::apt_offers(tools, &format!("clang-{version}"));
    let mut version = VERSIONS.iter().find(offered);
    if version.is_none() {
        say("no clang package is known: refreshing the package list");
        system::as_root(tools, &["apt-get", "update"]).with_context(by_hand)?;
        version = VERSIONS.iter().find(offered);
    }
    let version = version.with_context(by_hand)?;
    let packages = ["clang", "lld", "llvm"].map(|name| format!("{name}-{version}"));
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    system::apt_install(tools, &packages, "a C compiler for wasm", &by_hand())
}
