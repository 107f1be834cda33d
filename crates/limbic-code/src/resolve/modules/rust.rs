//! Rust's crates and modules.

use std::rc::Rc;

use super::super::evaluate::Denoted;
use super::super::file::{File, SymbolRef};
use super::super::resolver::Resolver;
use super::{Module, join, normal, parent};
use crate::facts::{Symbol, SymbolKind};

/// Files that may be the root of a crate's library or program, relative to its manifest.
const ROOTS: [&str; 2] = ["src/lib.rs", "src/main.rs"];

impl Resolver<'_> {
    /// The module of a path such as `crate::a`, `super::b`, `axum_core::c`.
    pub fn rust_module(&self, file: &Rc<File>, path: &str, scope: Option<u32>) -> Option<Module> {
        if let Some(name) = path.strip_prefix("./") {
            return self.rust_child(file, scope, name);
        }
        let mut parts = path.split("::").filter(|part| !part.is_empty());
        let first = parts.next()?;
        let mut denoted = match self.rust_keyword(file, scope, first) {
            Some(found) => found,
            None if path.starts_with("::") => Denoted::Module(self.rust_crate(file, first)?),
            None => self.rust_first(file, scope, first)?,
        };
        for part in parts {
            let value = self.value_of(&denoted);
            denoted = match part {
                "super" | "self" => match (&denoted, part) {
                    (Denoted::Module(Module::File { file, scope }), "super") => {
                        self.rust_parent(file, *scope)?
                    }
                    _ => denoted,
                },
                _ => self.member(&value, part, file.outline.language),
            };
        }
        match denoted {
            Denoted::Symbol(symbol, _) if symbol.get().kind == SymbolKind::Module => {
                Some(Module::File { file: symbol.file.clone(), scope: Some(symbol.index) })
            }
            // `use Enum::*` names a type: its variants are not symbols.
            other => file_module(other),
        }
    }

    /// The first name of a path that is not a keyword: a module in scope, or a crate.
    fn rust_first(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Denoted> {
        let module = self.module_scope(file, scope);
        let in_scope = file.bindings(module, name).iter().any(|binding| match binding {
            super::super::file::Binding::Symbol(_) => true,
            // An import of the same name would lead back here.
            super::super::file::Binding::Import(index) => {
                let import = &file.outline.imports[*index as usize];
                !(import.module == name || import.module.starts_with(&format!("{name}::")))
            }
            super::super::file::Binding::Variable(_) => false,
        });
        if in_scope
            && let Some(found) = self.bound(file, file.bindings(module, name))
            && !matches!(found, Denoted::External | Denoted::Unknown)
        {
            return Some(found);
        }
        self.rust_crate(file, name).map(Denoted::Module)
    }

    /// The file of `mod name;`.
    fn rust_child(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Module> {
        let file_name = file.path.rsplit('/').next().unwrap_or_default();
        let is_root = matches!(file_name, "mod.rs" | "lib.rs" | "main.rs")
            || self.rust_root(file).is_some_and(|root| root.path == file.path);
        let mut folder = match is_root {
            true => file.folder().to_owned(),
            false => file.path.trim_end_matches(".rs").to_owned(),
        };
        if let Some(module) = self.module_scope(file, scope) {
            let names = file.symbol(module)?.qualified_name.replace('.', "/");
            folder = join(&folder, &names);
        }
        let candidates = [format!("{name}.rs"), format!("{name}/mod.rs")];
        // A crate root beside a folder of its name: `tests/it.rs` with `tests/it/name.rs`.
        let beside = join(file.folder(), name);
        let paths = candidates
            .iter()
            .map(|rest| join(&folder, rest))
            .chain([format!("{beside}.rs"), format!("{beside}/mod.rs")]);
        paths.into_iter().find_map(|path| self.file(&path)).map(|file| Module::File { file, scope: None })
    }

    /// The innermost module symbol around a scope.
    fn module_scope(&self, file: &Rc<File>, scope: Option<u32>) -> Option<u32> {
        let mut at = scope;
        while let Some(index) = at {
            let symbol = file.symbol(index)?;
            self.touch_symbol(file, index);
            if symbol.kind == SymbolKind::Module {
                return Some(index);
            }
            at = symbol.parent;
        }
        None
    }

    /// `crate`, `self` and `super`.
    pub fn rust_keyword(&self, file: &Rc<File>, scope: Option<u32>, name: &str) -> Option<Denoted> {
        let module = self.module_scope(file, scope);
        match name {
            "crate" | "$crate" => {
                self.rust_root(file).map(|file| Denoted::Module(Module::File { file, scope: None }))
            }
            "self" => Some(self.rust_self(file, module)),
            "super" => self.rust_parent(file, module),
            _ => None,
        }
    }

    fn rust_self(&self, file: &Rc<File>, module: Option<u32>) -> Denoted {
        Denoted::Module(Module::File { file: file.clone(), scope: module })
    }

    /// The module around a module.
    fn rust_parent(&self, file: &Rc<File>, module: Option<u32>) -> Option<Denoted> {
        if let Some(index) = module {
            let outer = file.symbol(index)?.parent;
            let outer = self.module_scope(file, outer);
            return Some(Denoted::Module(Module::File { file: file.clone(), scope: outer }));
        }
        let folder = file.folder();
        let folder = if file.path.ends_with("/mod.rs") { parent(folder) } else { folder };
        let candidates =
            [join(folder, "mod.rs"), join(folder, "lib.rs"), join(folder, "main.rs"), format!("{folder}.rs")];
        let found =
            candidates.iter().find_map(|path| self.file(path).filter(|found| found.path != file.path))?;
        Some(Denoted::Module(Module::File { file: found, scope: None }))
    }

    /// The root file of the crate that a file belongs to.
    fn rust_root(&self, file: &Rc<File>) -> Option<Rc<File>> {
        let package = self.rust_package(&file.path)?;
        let inside =
            file.path.strip_prefix(package.as_str()).unwrap_or(&file.path).trim_start_matches('/').to_owned();
        // Tests, examples and benches are crates of their own.
        for folder in ["tests/", "examples/", "benches/", "src/bin/"] {
            if let Some(rest) = inside.strip_prefix(folder) {
                let own = match rest.split_once('/') {
                    None => file.path.to_string(),
                    Some((name, _)) => {
                        let main = join(&package, &format!("{folder}{name}/main.rs"));
                        if self.file(&main).is_some() {
                            main
                        } else {
                            join(&package, &format!("{folder}{name}.rs"))
                        }
                    }
                };
                return self.file(&own);
            }
        }
        if inside == "src/main.rs" || inside == "build.rs" {
            return Some(file.clone());
        }
        self.rust_library(&package).or_else(|| ROOTS.iter().find_map(|root| self.file(&join(&package, root))))
    }

    /// The folder of the nearest `Cargo.toml` with a package above a path.
    fn rust_package(&self, path: &str) -> Option<String> {
        let mut folder = parent(path);
        loop {
            let manifest = self.file(&join(folder, "Cargo.toml"));
            let has_package = manifest.is_some_and(|file| {
                file.outline.manifest.as_ref().is_some_and(|manifest| !manifest.name.is_empty())
            });
            if has_package {
                return Some(folder.to_owned());
            }
            if folder.is_empty() {
                // Without manifests, crates are derived from the source files alone.
                return path.rfind("src/").map(|at| path[..at].trim_end_matches('/').to_owned());
            }
            folder = parent(folder);
        }
    }

    fn rust_library(&self, package: &str) -> Option<Rc<File>> {
        let manifest = self.file(&join(package, "Cargo.toml"));
        let entry = manifest
            .and_then(|file| file.outline.manifest.clone())
            .and_then(|manifest| manifest.entries.into_iter().next());
        let entry = entry.map_or_else(|| join(package, ROOTS[0]), |entry| normal(&join(package, &entry)));
        self.file(&entry)
    }

    /// The only macro of a name in the package of a file.
    pub fn rust_macro(&self, file: &Rc<File>, name: &str) -> Denoted {
        let Some(package) = self.rust_package(&file.path) else { return Denoted::External };
        let mut found = Vec::new();
        for path in self.paths_defining(name).iter().take_while(|_| self.step()) {
            let Some(other) = self.file(path) else { continue };
            let is_macro = |index: &&u32| other.symbol(**index).is_some_and(Symbol::is_rust_macro);
            let mut macros = other.named(name).iter().filter(is_macro).peekable();
            if macros.peek().is_some() && self.rust_package(path).as_ref() == Some(&package) {
                found.extend(macros.map(|index| SymbolRef { file: other.clone(), index: *index }));
            }
        }
        match found.as_slice() {
            [only] => Denoted::Symbol(only.clone(), None),
            _ => Denoted::External,
        }
    }

    /// The library of a crate of the project.
    pub fn rust_crate(&self, file: &Rc<File>, name: &str) -> Option<Module> {
        let own = self.rust_package(&file.path);
        let own_manifest = own.as_ref().and_then(|package| self.file(&join(package, "Cargo.toml")));
        let renamed = own_manifest.and_then(|file| {
            let manifest = file.outline.manifest.as_ref()?;
            manifest.aliases.iter().find(|(alias, _)| alias == name).map(|(_, real)| real.clone())
        });
        let name = renamed.as_deref().unwrap_or(name);
        for path in self.paths_named("Cargo.toml").iter() {
            let manifest = self.file(path)?;
            let is_it = manifest.outline.manifest.as_ref().is_some_and(|manifest| manifest.name == name);
            if is_it && let Some(file) = self.rust_library(parent(path)) {
                return Some(Module::File { file, scope: None });
            }
        }
        None
    }
}

/// The module among what a path denotes: `mod a;` is a symbol, too.
fn file_module(denoted: Denoted) -> Option<Module> {
    match denoted {
        Denoted::Module(module) => Some(module),
        Denoted::Either(several) => several.into_iter().find_map(file_module),
        _ => None,
    }
}
