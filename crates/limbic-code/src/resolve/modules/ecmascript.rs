//! Modules of JavaScript and TypeScript.

use std::rc::Rc;

use super::super::file::File;
use super::super::resolver::Resolver;
use super::{Module, is_below, join, normal, parent};

const ENDINGS: [&str; 10] = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json"];

impl Resolver<'_> {
    /// The file that a module specifier means.
    pub fn ecmascript_module(&self, file: &Rc<File>, path: &str) -> Option<Module> {
        let found = if path.starts_with('.') || path.starts_with('/') {
            self.ecmascript_file(&normal(&join(file.folder(), path)))
        } else {
            self.aliased(file, path).or_else(|| self.package(file, path))
        };
        found.map(|file| Module::File { file, scope: None })
    }

    /// The file at a path: as it is, with another ending, or the index of a folder.
    fn ecmascript_file(&self, path: &str) -> Option<Rc<File>> {
        let is_code = |file: &Rc<File>| file.outline.language.is_ecmascript();
        // `./x.js` is written for `./x.ts`.
        for (ending, sources) in [
            (".js", [".ts", ".tsx", ".d.ts"]),
            (".jsx", [".tsx", ".ts", ".d.ts"]),
            (".mjs", [".mts", ".ts", ".d.mts"]),
            (".cjs", [".cts", ".ts", ".d.cts"]),
        ] {
            if let Some(stem) = path.strip_suffix(ending) {
                let source = sources.iter().find_map(|source| self.file(&format!("{stem}{source}")));
                if source.is_some() {
                    return source;
                }
            }
        }
        self.file(path)
            .filter(is_code)
            .or_else(|| {
                ENDINGS.iter().find_map(|ending| self.file(&format!("{path}{ending}")).filter(is_code))
            })
            .or_else(|| {
                let index = join(path, "index");
                ENDINGS.iter().find_map(|ending| self.file(&format!("{index}{ending}")).filter(is_code))
            })
    }

    /// By `paths` and `baseUrl` of the nearest `tsconfig.json`.
    fn aliased(&self, file: &Rc<File>, path: &str) -> Option<Rc<File>> {
        for name in ["tsconfig.json", "jsconfig.json", "tsconfig.base.json"] {
            let mut configs: Vec<String> = self.paths_named(name).to_vec();
            configs.retain(|config| is_below(&file.path, parent(config)));
            configs.sort_by_key(|config| usize::MAX - config.len());
            for config in configs {
                let Some(manifest) = self.file(&config).and_then(|file| file.outline.manifest.clone()) else {
                    continue;
                };
                let base = manifest.entries.first().map_or("", String::as_str);
                let base = normal(&join(parent(&config), base));
                let targets = manifest.aliases.iter().filter_map(|(pattern, to)| replaced(pattern, to, path));
                let direct = (!manifest.entries.is_empty()).then(|| path.to_owned());
                for target in targets.chain(direct) {
                    if let Some(found) = self.ecmascript_file(&normal(&join(&base, &target))) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// A package of the project, by the name in its `package.json`.
    fn package(&self, file: &Rc<File>, path: &str) -> Option<Rc<File>> {
        let mut manifests = self.paths_named("package.json").to_vec();
        manifests.sort_by_key(|manifest| {
            (!is_below(&file.path, parent(manifest)), manifest.len(), manifest.clone())
        });
        for path_of in manifests {
            let Some(manifest) = self.file(&path_of).and_then(|file| file.outline.manifest.clone()) else {
                continue;
            };
            let folder = parent(&path_of);
            let within = if path.starts_with('#') {
                if !is_below(&file.path, folder) {
                    continue;
                }
                path.to_owned()
            } else {
                match path.strip_prefix(manifest.name.as_str()) {
                    Some("") if !manifest.name.is_empty() => ".".to_owned(),
                    Some(rest) if rest.starts_with('/') && !manifest.name.is_empty() => format!(".{rest}"),
                    _ => continue,
                }
            };
            let exported = manifest.aliases.iter().filter_map(|(pattern, to)| replaced(pattern, to, &within));
            let main = manifest.entries.iter().filter(|_| within == ".").cloned();
            let plain = [within.clone(), format!("src/{within}"), "src/index".to_owned()];
            let plain = plain.into_iter().take(if within == "." { 3 } else { 2 });
            for target in exported.chain(main).chain(plain) {
                // Published files are in `dist` or `lib`, their sources in `src`.
                let source = ["dist/", "lib/", "build/", "out/"].iter().find_map(|built| {
                    target.trim_start_matches("./").strip_prefix(built).map(|rest| format!("src/{rest}"))
                });
                for candidate in [Some(target.clone()), source].into_iter().flatten() {
                    if let Some(found) = self.ecmascript_file(&normal(&join(folder, &candidate))) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }
}

/// The target of a pattern with at most one star, for a path that it matches.
fn replaced(pattern: &str, to: &str, path: &str) -> Option<String> {
    match pattern.split_once('*') {
        None => (pattern == path).then(|| to.to_owned()),
        Some((before, after)) => {
            let middle = path.strip_prefix(before)?.strip_suffix(after)?;
            Some(to.replacen('*', middle, 1))
        }
    }
}
