//! Python's modules.

use std::rc::Rc;

use super::super::file::File;
use super::super::resolver::Resolver;
use super::{Module, is_path_end, join, parent};
use crate::language::Language;

/// Folders that are on the module path by convention.
const ROOTS: [&str; 4] = ["", "src", "lib", "python"];

impl Resolver<'_> {
    /// The module of a dotted path, with leading dots for one relative to the file.
    pub fn python_module(&self, file: &Rc<File>, path: &str) -> Option<Module> {
        let dots = path.len() - path.trim_start_matches('.').len();
        let rest = path[dots..].replace('.', "/");
        if dots > 0 {
            let mut folder = file.folder();
            for _ in 1..dots {
                folder = parent(folder);
            }
            return self.python_at(&join(folder, &rest));
        }
        if rest.is_empty() {
            return None;
        }
        for root in ROOTS {
            if let Some(module) = self.python_at(&join(root, &rest)) {
                return Some(module);
            }
        }
        // A script imports files beside it.
        if let Some(module) = self.python_at(&join(file.folder(), &rest)) {
            return Some(module);
        }
        // Anywhere else, if the folder above the first name is not itself a package.
        let name = rest.rsplit('/').next().unwrap_or_default();
        let mut found: Vec<String> = Vec::new();
        for end in [format!("{rest}/__init__.py"), format!("{rest}.py")] {
            let file_name =
                if end.ends_with("/__init__.py") { "__init__.py".to_owned() } else { format!("{name}.py") };
            found.extend(self.paths_named(&file_name).iter().filter(|path| is_path_end(path, &end)).cloned());
        }
        found.retain(|path| {
            let root = path.len().checked_sub(rest.len()).map_or("", |_| root_of(path, &rest));
            self.file(&join(root, "__init__.py")).is_none()
        });
        found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
        let first = found.into_iter().next()?;
        Some(Module::File { file: self.file(&first)?, scope: None })
    }

    /// The module at a path without an ending.
    fn python_at(&self, path: &str) -> Option<Module> {
        for ending in ["/__init__.py", ".py", "/__init__.pyi", ".pyi"] {
            let path = format!("{path}{ending}");
            let path = path.strip_prefix('/').unwrap_or(&path);
            if let Some(file) = self.file(path) {
                return Some(Module::File { file, scope: None });
            }
        }
        let has_modules = !path.is_empty() && self.paths_in(path).iter().any(|path| path.ends_with(".py"));
        has_modules.then(|| Module::Folder { path: Rc::from(path), language: Language::Python })
    }

    /// A module in the package whose `__init__.py` the file is.
    pub fn python_submodule(&self, file: &Rc<File>, name: &str) -> Option<Module> {
        let is_package = file.path.ends_with("/__init__.py") || file.path.as_ref() == "__init__.py";
        if is_package { self.python_at(&join(file.folder(), name)) } else { None }
    }

    /// A module in a folder.
    pub fn python_in_folder(&self, folder: &str, name: &str) -> Option<Module> {
        self.python_at(&join(folder, name))
    }
}

/// The part before `rest` in the path of a module.
fn root_of<'a>(path: &'a str, rest: &str) -> &'a str {
    let module = path.strip_suffix("/__init__.py").or_else(|| path.strip_suffix(".py")).unwrap_or(path);
    module.strip_suffix(rest).unwrap_or_default().trim_end_matches('/')
}
