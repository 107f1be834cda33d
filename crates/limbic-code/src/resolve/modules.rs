//! Modules: the file or folder of an import path, and the denotations of its names.

mod ecmascript;
mod java;
mod python;
mod rust;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::denotation::Denoted;
use super::file::{File, SymbolRef};
use super::keys::{file_name_key, folder_key, name_key, path_key};
use super::resolver::{PackageVariables, Resolver};
use crate::facts::Variable;
use crate::language::Language;

pub use super::denotation::Module;

/// The nesting up to which the result of a search for a module is kept, also that there is none.
const MAX_CACHED_DEPTH: u32 = 8;

impl Resolver<'_> {
    /// Notes that a name was looked up.
    pub fn touch_name(&self, name: &str) {
        self.lookups.borrow_mut().insert(name_key(name));
    }

    /// Notes that the facts of a symbol were read, which may have been found without its name: as the scope of
    /// something, or as the value of something. What the file itself has is not noted, because its own change
    /// resolves it again.
    pub fn touch_symbol(&self, file: &File, index: u32) {
        if *self.path.borrow() != *file.path
            && let Some(symbol) = file.symbol(index)
        {
            self.touch_name(&symbol.name);
        }
    }

    /// A file of the project.
    pub fn file(&self, path: &str) -> Option<Rc<File>> {
        self.lookups.borrow_mut().insert(path_key(path));
        self.read_file(path)
    }

    /// A file of the project, without noting that it was looked up.
    fn read_file(&self, path: &str) -> Option<Rc<File>> {
        if let Some(known) = self.files.borrow().get(path) {
            return known.clone();
        }
        let file = self.view.outline(path).map(|outline| Rc::new(File::new(path, outline)));
        self.files.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    /// Files that define a name.
    pub fn paths_defining(&self, name: &str) -> Rc<[String]> {
        self.touch_name(name);
        cached(&self.defining, name, |name| self.view.paths_defining(name))
    }

    /// Files directly in a folder.
    pub fn paths_in(&self, folder: &str) -> Rc<[String]> {
        self.lookups.borrow_mut().insert(folder_key(folder));
        cached(&self.in_folders, folder, |folder| self.view.paths_in(folder))
    }

    /// Files of a name.
    pub fn paths_named(&self, file_name: &str) -> Rc<[String]> {
        self.lookups.borrow_mut().insert(file_name_key(file_name));
        cached(&self.file_names, file_name, |file_name| self.view.paths_named(file_name))
    }

    /// The denotation of an import's name.
    pub fn import(&self, file: &Rc<File>, index: u32) -> Denoted {
        let Some(import) = file.outline.imports.get(index as usize) else { return Denoted::Unknown };
        let (fuel, depth) = (self.fuel.get(), self.depth.get());
        if fuel == 0 || depth > 30 {
            return Denoted::Unknown;
        }
        self.fuel.set(fuel - 1);
        self.depth.set(depth + 1);
        let found = self.import_now(file, import);
        self.depth.set(depth);
        found
    }

    fn import_now(&self, file: &Rc<File>, import: &crate::facts::Import) -> Denoted {
        if import.module.is_empty() {
            // Another name for one of the file's own.
            let name = import.name.as_deref().unwrap_or_default();
            let is_itself = name == import.local && !import.is_exported;
            return if is_itself { Denoted::Unknown } else { self.name(file, import.scope, name) };
        }
        let mut path = import.module.as_str();
        if file.outline.language == Language::Python && import.name.is_none() {
            // `import a.b.c` binds a.
            let first = path.split('.').next().unwrap_or_default();
            if first == import.local {
                path = first;
            }
        }
        let Some(module) = self.module(file, path, import.scope) else {
            // Namespaces are not files: the name is looked up in the whole program.
            return match (file.outline.language, import.name.as_deref()) {
                (Language::Php | Language::CSharp, Some(name)) if name != "*" => self.global_name(file, name),
                _ => Denoted::External,
            };
        };
        match import.name.as_deref() {
            None | Some("*") => Denoted::Module(module),
            Some(name) => match self.module_member(&module, name) {
                // The default import of a CommonJS module is the object of its exports.
                Denoted::Unknown if name == "default" && is_common_js(&module) => Denoted::Module(module),
                Denoted::Unknown => Denoted::External,
                found => found,
            },
        }
    }

    /// The module that a path in an import means; `None` for one outside the project.
    pub fn module(&self, file: &Rc<File>, path: &str, scope: Option<u32>) -> Option<Module> {
        let key = (file.path.clone(), path.to_owned(), scope);
        if let Some(found) = self.modules.borrow().get(&key) {
            return found.clone();
        }
        let found = self.find_module(file, path, scope);
        // A search may have been stopped by a limit.
        if found.is_some() || (self.depth.get() < MAX_CACHED_DEPTH && self.fuel.get() > 0) {
            self.modules.borrow_mut().insert(key, found.clone());
        }
        found
    }

    fn find_module(&self, file: &Rc<File>, path: &str, scope: Option<u32>) -> Option<Module> {
        match file.outline.language {
            Language::Python => self.python_module(file, path),
            Language::Rust => self.rust_module(file, path, scope),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.ecmascript_module(file, path),
            Language::Go => self.go_package(file, path),
            Language::Java | Language::Kotlin | Language::Scala => self.java_package(path),
            _ => self.included_file(file, path),
        }
    }

    /// The denotation of a name in a module; `Denoted::Unknown` if the module has no such name.
    pub fn module_member(&self, module: &Module, name: &str) -> Denoted {
        self.touch_name(name);
        match module {
            Module::File { file, scope: None } if file.outline.language.is_ecmascript() => {
                self.exported(file, name).unwrap_or(Denoted::Unknown)
            }
            Module::File { file, scope } => {
                let found = self.at_top(file, *scope, name).unwrap_or(Denoted::Unknown);
                match found {
                    // `from . import name` in `__init__.py` means the submodule, too.
                    Denoted::Unknown | Denoted::External if file.outline.language == Language::Python => {
                        self.python_submodule(file, name).map_or(found, Denoted::Module)
                    }
                    found => found,
                }
            }
            Module::Folder { path, language: Language::Python } => {
                self.python_in_folder(path, name).map_or(Denoted::Unknown, Denoted::Module)
            }
            Module::Folder { path, language: Language::Java } => {
                match self.in_package(path, Language::Java, name) {
                    Denoted::Unknown => self.java_class(path, name),
                    found => found,
                }
            }
            Module::Folder { path, language } => self.in_package(path, *language, name),
        }
    }

    /// A name at the top of the files of a folder.
    fn in_package(&self, folder: &str, language: Language, name: &str) -> Denoted {
        let mut found: Vec<Denoted> = Vec::new();
        for path in self.paths_defining(name).iter() {
            let Some(file) = self.file(path) else { continue };
            if file.folder() != folder || file.outline.language.family() != language.family() {
                continue;
            }
            for index in file.named(name).iter().take_while(|_| self.step()) {
                let is_top = file.symbol(*index).is_some_and(|symbol| {
                    symbol.parent.is_none() && !symbol.is_local && symbol.owner.is_none()
                });
                if is_top {
                    found.push(Denoted::Symbol(SymbolRef { file: file.clone(), index: *index }, None));
                }
            }
        }
        match found.len() {
            0 => self.package_variable(folder, language, name),
            1 => found.remove(0),
            _ => Denoted::Either(found),
        }
    }

    /// A variable at the top of a file of a package.
    fn package_variable(&self, folder: &str, language: Language, name: &str) -> Denoted {
        if language != Language::Go {
            return Denoted::Unknown;
        }
        let file = self.variables_of_package(folder, language).get(name).cloned();
        let file = file.and_then(|file| self.file(&file.path));
        file.and_then(|file| self.bound(&file, file.bindings(None, name))).unwrap_or(Denoted::Unknown)
    }

    /// The files of a package by the names of the variables at their tops. None of them is noted as looked up: a change
    /// of the variables of a name, or of the files that have them, touches the name.
    fn variables_of_package(&self, folder: &str, language: Language) -> Rc<PackageVariables> {
        if let Some(known) = self.package_variables.borrow().get(folder) {
            return known.clone();
        }
        let mut found = PackageVariables::new();
        for path in self.view.paths_in(folder) {
            let Some(file) = self.read_file(&path).filter(|file| file.outline.language == language) else {
                continue;
            };
            let is_at_top = |variable: &&Variable| variable.scope.is_none() && !variable.is_local;
            for variable in file.outline.variables.iter().filter(is_at_top) {
                found.entry(variable.name.clone()).or_insert_with(|| file.clone());
            }
        }
        let found = Rc::new(found);
        self.package_variables.borrow_mut().insert(folder.to_owned(), found.clone());
        found
    }

    /// A Go package, by the module path of the nearest `go.mod` above.
    fn go_package(&self, file: &Rc<File>, path: &str) -> Option<Module> {
        let mut manifests = self.paths_named("go.mod").to_vec();
        // The module around the file first.
        manifests.sort_by_key(|manifest| {
            let folder = parent(manifest);
            (!is_below(&file.path, folder), usize::MAX - folder.len())
        });
        for manifest in manifests {
            let Some(outline) = self.file(&manifest) else { continue };
            let Some(facts) = &outline.outline.manifest else { continue };
            let rest = match path.strip_prefix(facts.name.as_str()) {
                Some("") => "",
                Some(rest) if rest.starts_with('/') && !facts.name.is_empty() => &rest[1..],
                _ => continue,
            };
            let folder = join(parent(&manifest), rest);
            if self.paths_in(&folder).iter().any(|path| path.ends_with(".go")) {
                return Some(Module::Folder { path: Rc::from(folder), language: Language::Go });
            }
        }
        None
    }

    /// A file that another one includes by its path: beside it, or the only one that ends so.
    fn included_file(&self, file: &Rc<File>, path: &str) -> Option<Module> {
        let path = path.trim_start_matches("./");
        let beside = join(file.folder(), path);
        let found = self.file(&normal(&beside)).or_else(|| {
            let name = path.rsplit('/').next().unwrap_or_default();
            let clean = path.trim_start_matches("../");
            let named = self.paths_named(name);
            let mut ending = named.iter().filter(|other| is_path_end(other, clean));
            let first = ending.next()?;
            if ending.next().is_some() { None } else { self.file(first) }
        })?;
        Some(Module::File { file: found, scope: None })
    }
}

/// Whether a module is a file of JavaScript or TypeScript without imports and exports of its own.
fn is_common_js(module: &Module) -> bool {
    match module {
        Module::File { file, scope: None } => {
            file.outline.language.is_ecmascript() && file.outline.exports.is_none()
        }
        _ => false,
    }
}

/// A list of paths by a key, made at its first use.
fn cached(
    lists: &RefCell<HashMap<String, Rc<[String]>>>,
    key: &str,
    make: impl FnOnce(&str) -> Vec<String>,
) -> Rc<[String]> {
    if let Some(known) = lists.borrow().get(key) {
        return known.clone();
    }
    let list: Rc<[String]> = make(key).into();
    lists.borrow_mut().insert(key.to_owned(), list.clone());
    list
}

/// The folder of a path.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path is in a folder or below.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether `path` is `end` or ends with `/end`.
fn is_path_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// A path below a folder; either may be empty.
fn join(folder: &str, rest: &str) -> String {
    match (folder.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{rest}"),
    }
}

/// A path without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}
