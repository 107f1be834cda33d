//! The licences of the crates in the wasm modules, as `pkg/third-party-crates.txt`. The builds of the npm package and
//! of the explorer append it to the licences of the npm packages that they bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::project;
use crate::tools::{Toolbox, say};

/// The file in `pkg/`.
pub const FILE: &str = "third-party-crates.txt";
/// The crates that are compiled to WebAssembly and shipped.
const SHIPPED: [&str; 4] =
    ["limbic-wasm-core", "limbic-wasm-encoder", "limbic-wasm-code", "limbic-wasm-code-more"];
/// How the names of files with licences and notices begin, in lower case.
const LICENCE_FILES: [&str; 6] = ["license", "licence", "copying", "notice", "copyright", "unlicense"];

/// A crate of another author.
#[derive(Debug)]
struct Dependency {
    name: String,
    version: String,
    /// SPDX expression; empty if the manifest has none.
    licence: String,
    /// The texts that must go along, in the order of their files.
    texts: Vec<String>,
}

/// Writes the file unless it is current.
///
/// # Errors
/// When cargo cannot resolve the dependencies, or the file cannot be written.
pub fn write(tools: &Toolbox) -> Result<()> {
    let text = notices(&dependencies(tools)?);
    let file = project::path("pkg").join(FILE);
    if fs::read_to_string(&file).is_ok_and(|known| known == text) {
        return Ok(());
    }
    say(&format!("collecting licences of crates: pkg/{FILE}"));
    fs::create_dir_all(project::path("pkg"))?;
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// The crates that the shipped modules are linked from: normal dependencies on WebAssembly, without procedural macros.
fn dependencies(tools: &Toolbox) -> Result<Vec<Dependency>> {
    let arguments =
        ["metadata", "--format-version", "1", "--locked", "--filter-platform", "wasm32-unknown-unknown"];
    let text = tools.ask("cargo", &arguments).context("`cargo metadata` failed")?;
    let metadata: Value = serde_json::from_str(&text).context("`cargo metadata` did not print JSON")?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (field(&package, "id"), package)).collect();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (field(&node, "id"), node)).collect();
    let mut open: Vec<String> = packages
        .values()
        .filter(|package| SHIPPED.contains(&field(package, "name").as_str()))
        .map(|package| field(package, "id"))
        .collect();
    let mut met: BTreeSet<String> = open.iter().cloned().collect();
    while let Some(id) = open.pop() {
        for dependency in nodes.get(&id).map(|node| list(&node["deps"])).unwrap_or_default() {
            let id = field(&dependency, "pkg");
            let is_linked = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
                && packages.get(&id).is_some_and(|package| !is_macro(package));
            if is_linked && met.insert(id.clone()) {
                open.push(id);
            }
        }
    }
    let others = met.iter().filter_map(|id| packages.get(id)).filter(|package| !package["source"].is_null());
    let mut found: Vec<Dependency> = others.map(dependency).collect();
    found.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(found)
}

fn field(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn is_macro(package: &Value) -> bool {
    package["targets"].to_string().contains("\"proc-macro\"")
}

fn dependency(package: &Value) -> Dependency {
    let manifest = PathBuf::from(field(package, "manifest_path"));
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let licence = field(package, "license");
    let files = licence_files(folder, &licence);
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    Dependency {
        name: field(package, "name"),
        version: field(package, "version"),
        texts: texts.map(|text| text.trim().replace("\r\n", "\n")).collect(),
        licence,
    }
}

/// The files with licences and notices. Of a choice of licences, MIT is taken if its text exists.
fn licence_files(folder: &Path, licence: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|file| file.is_file() && LICENCE_FILES.iter().any(|start| name(file).starts_with(start)))
        .collect();
    files.sort();
    let is_choice = licence.contains(" OR ") || licence.contains('/');
    if is_choice && licence.contains("MIT") && files.iter().any(|file| name(file).contains("mit")) {
        files.retain(|file| name(file).contains("mit") || name(file).starts_with("notice"));
    }
    files
}

/// One section for each set of texts, with all crates that have it.
fn notices(dependencies: &[Dependency]) -> String {
    let mut sections: BTreeMap<&[String], Vec<&Dependency>> = BTreeMap::new();
    for dependency in dependencies {
        sections.entry(&dependency.texts).or_default().push(dependency);
    }
    let mut sections: Vec<_> = sections.into_iter().collect();
    sections.sort_by_key(|(_, crates)| (&crates[0].name, &crates[0].version));
    let mut text = String::new();
    for (texts, crates) in sections {
        for Dependency { name, version, licence, .. } in crates {
            text.push_str(&format!("## cargo: {name} {version} ({licence})\n"));
        }
        let texts = if texts.is_empty() {
            "The package contains no text of its licence.".to_owned()
        } else {
            texts.join("\n\n")
        };
        text.push_str(&format!("\n{texts}\n\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: &str, texts: &[&str]) -> Dependency {
        Dependency {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn crates_with_equal_texts_share_a_section() {
        let text = notices(&[made("a", &["one"]), made("b", &["two"]), made("c", &["one"]), made("d", &[])]);
        assert_eq!(
            text,
            "## cargo: a 1.0.0 (MIT)\n## cargo: c 1.0.0 (MIT)\n\none\n\n## cargo: b 1.0.0 (MIT)\n\ntwo\n\n\
             ## cargo: d 1.0.0 (MIT)\n\nThe package contains no text of its licence.\n\n"
        );
    }

    #[test]
    fn crates_in_the_modules_are_listed_and_build_dependencies_are_not() {
        let found = dependencies(&Toolbox::new()).expect("the lock file is current");
        let has = |name: &str| found.iter().any(|dependency| dependency.name == name);
        for name in ["rusqlite", "sqlite-wasm-rs", "tract-onnx", "tokenizers", "tree-sitter", "wasm-bindgen"]
        {
            assert!(has(name), "{name}");
        }
        for name in ["cc", "syn", "tempfile", "limbic-core", "clap"] {
            assert!(!has(name), "{name}");
        }
        assert!(found.iter().all(|dependency| !dependency.licence.is_empty()));
    }
}
