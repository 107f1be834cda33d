//! Packages of Java, Kotlin and Scala.

use std::rc::Rc;

use super::super::evaluate::Denoted;
use super::super::file::{File, SymbolRef};
use super::super::resolver::Resolver;
use super::{Module, is_path_end, parent};
use crate::facts::SymbolKind;
use crate::language::Language;

impl Resolver<'_> {
    /// The folder of a package, or the file of a class whose members are imported.
    pub fn java_package(&self, path: &str) -> Option<Module> {
        let path = path.replace('.', "/");
        let name = path.rsplit('/').next().unwrap_or_default();
        for ending in [".java", ".kt", ".scala"] {
            let file_name = format!("{name}{ending}");
            let end = format!("{path}{ending}");
            if let Some(found) =
                self.paths_named(&file_name).iter().find(|other| is_path_end(other, &end)).cloned()
            {
                self.touch_name(name);
                let file = self.file(&found)?;
                let class = file.named(name).first().copied();
                return Some(match class {
                    // The members of the class are its names.
                    Some(index) => Module::File { file, scope: Some(index) },
                    None => Module::File { file, scope: None },
                });
            }
        }
        Some(Module::Folder { path: Rc::from(path.as_str()), language: Language::Java })
    }

    /// A class of the same package: of the same folder, or of another one, such as `src/main` beside `src/test`.
    pub fn java_name(&self, file: &Rc<File>, name: &str) -> Denoted {
        let folder = Module::Folder { path: Rc::from(file.folder()), language: Language::Java };
        match self.module_member(&folder, name) {
            Denoted::Unknown => self.in_declared_package(file, name),
            found => found,
        }
    }

    /// A name at the top of the files that declare the package of a file; of several types, the one that shares most of
    /// the path.
    fn in_declared_package(&self, file: &Rc<File>, name: &str) -> Denoted {
        let Some(package) = &file.outline.package else { return Denoted::External };
        let mut found: Vec<(usize, Denoted)> = Vec::new();
        for path in self.paths_defining(name).iter() {
            let is_ours = |other: &Rc<File>| {
                other.outline.language.family() == Language::Java
                    && other.outline.package.as_ref() == Some(package)
            };
            let Some(other) = self.file(path).filter(is_ours) else { continue };
            let parts = file.path.split('/').zip(path.split('/'));
            let shared = parts.take_while(|(one, other)| one == other).count();
            for index in other.named(name).iter().take_while(|_| self.step()) {
                let is_top = other.symbol(*index).is_some_and(|symbol| {
                    symbol.parent.is_none() && !symbol.is_local && symbol.owner.is_none()
                });
                if is_top {
                    let symbol = SymbolRef { file: other.clone(), index: *index };
                    found.push((shared, Denoted::Symbol(symbol, None)));
                }
            }
        }
        let Some(most) = found.iter().map(|(shared, _)| *shared).max() else { return Denoted::External };
        let mut nearest: Vec<Denoted> =
            found.into_iter().filter(|(shared, _)| *shared == most).map(|(_, denoted)| denoted).collect();
        if nearest.len() == 1 { nearest.remove(0) } else { Denoted::Either(nearest) }
    }

    /// A class in a package that is named by its dotted path: the folder may be anywhere.
    pub fn java_class(&self, package: &str, name: &str) -> Denoted {
        let mut found = Vec::new();
        for path in self.paths_defining(name).iter() {
            if !is_path_end(parent(path), package) {
                continue;
            }
            let is_ours = |file: &Rc<File>| file.outline.language.family() == Language::Java;
            let Some(file) = self.file(path).filter(is_ours) else { continue };
            for index in file.named(name) {
                if file.symbol(*index).is_some_and(|symbol| symbol.parent.is_none()) {
                    found.push(SymbolRef { file: file.clone(), index: *index });
                }
            }
        }
        // Functions of a file may be overloads; of two types of one name, the first is meant.
        let is_function = |symbol: &SymbolRef| symbol.get().kind == SymbolKind::Function;
        match found.first() {
            None => Denoted::Unknown,
            Some(first) if found.len() > 1 && is_function(first) => {
                found.retain(is_function);
                Denoted::Either(found.into_iter().map(|one| Denoted::Symbol(one, None)).collect())
            }
            Some(first) => Denoted::Symbol(first.clone(), None),
        }
    }
}
