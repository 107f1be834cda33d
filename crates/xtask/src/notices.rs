//! The licences of the crates in the wasm modules, as `pkg/third-party-crates.txt`. The builds of the npm package and
//! of the explorer append it to the licences of the npm packages that they bundle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
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
/// The texts of the repositories of crates whose packages have none.
const STORED: [(&str, &str); 10] = [
    ("sqlite-vec", include_str!("licences/sqlite-vec.txt")),
    ("tree-sitter-c", TREE_SITTER),
    ("tree-sitter-c-sharp", include_str!("licences/tree-sitter-c-sharp.txt")),
    ("tree-sitter-cpp", TREE_SITTER),
    ("tree-sitter-html", TREE_SITTER),
    ("tree-sitter-java", include_str!("licences/tree-sitter-java.txt")),
    ("tree-sitter-kotlin-ng", include_str!("licences/tree-sitter-kotlin-ng.txt")),
    ("tree-sitter-lua", include_str!("licences/tree-sitter-lua.txt")),
    ("tree-sitter-ruby", include_str!("licences/tree-sitter-ruby.txt")),
    ("tree-sitter-typescript", include_str!("licences/tree-sitter-typescript.txt")),
];
/// That of Rust's standard library, which is linked into every module and is no package.
const STANDARD_LIBRARY: &str = include_str!("licences/rust.txt");
/// Several grammars have the same text.
const TREE_SITTER: &str = include_str!("licences/tree-sitter.txt");

/// A crate of another author.
#[derive(Debug)]
struct Dependency {
    name: String,
    version: String,
    /// SPDX expression; empty if the manifest has none.
    licence: String,
    /// The address of its repository; empty if the manifest has none.
    repository: String,
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
    complete(&mut found)?;
    Ok(found)
}

/// Gives each crate without a text that of another crate of its repository, or the stored one.
///
/// # Errors
/// If a crate has none of these.
fn complete(dependencies: &mut [Dependency]) -> Result<()> {
    let of_repository: BTreeMap<String, Vec<String>> = dependencies
        .iter()
        .filter(|dependency| !dependency.texts.is_empty() && !dependency.repository.is_empty())
        .map(|dependency| (dependency.repository.clone(), dependency.texts.clone()))
        .collect();
    for Dependency { name, repository, texts, .. } in dependencies.iter_mut().filter(|it| it.texts.is_empty())
    {
        let stored = STORED.iter().find(|(known, _)| known == name);
        *texts = match (of_repository.get(repository), stored) {
            (Some(texts), _) => texts.clone(),
            (None, Some((_, text))) => vec![text.trim().to_owned()],
            (None, None) => bail!(
                "the package of the crate {name} has no text of its licence: store that of its repository in \
                 crates/xtask/src/licences, and name it in notices.rs"
            ),
        };
    }
    Ok(())
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
        repository: field(package, "repository"),
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
    let standard = STANDARD_LIBRARY.trim();
    let mut text = format!("# Rust's standard library (MIT OR Apache-2.0)\n\n{standard}\n\n");
    for (texts, crates) in sections {
        for Dependency { name, version, licence, .. } in crates {
            text.push_str(&format!("## cargo: {name} {version} ({licence})\n"));
        }
        text.push_str(&format!("\n{}\n\n", texts.join("\n\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(name: &str, repository: &str, texts: &[&str]) -> Dependency {
        Dependency {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            repository: repository.to_owned(),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn crates_with_equal_texts_share_a_section() {
        let text = notices(&[made("a", "", &["one"]), made("b", "", &["two"]), made("c", "", &["one"])]);
        let (standard, crates) = text.split_once("## cargo").expect("crates follow the standard library");
        assert!(standard.contains("The Rust Project Contributors"));
        assert_eq!(
            crates,
            ": a 1.0.0 (MIT)\n## cargo: c 1.0.0 (MIT)\n\none\n\n## cargo: b 1.0.0 (MIT)\n\ntwo\n\n"
        );
    }

    #[test]
    fn crates_without_a_text_have_that_of_their_repository_or_the_stored_one() {
        let mut found =
            [made("a", "there", &["one"]), made("b", "there", &[]), made("tree-sitter-ruby", "here", &[])];
        complete(&mut found).expect("each has one");
        assert_eq!(found[1].texts, ["one"]);
        assert!(found[2].texts[0].contains("Rob Rix"));
        let error = complete(&mut [made("unknown", "", &[])]).expect_err("there is none").to_string();
        assert!(error.contains("unknown"), "{error}");
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
        assert!(found.iter().all(|it| !it.licence.is_empty() && !it.texts.is_empty()));
    }
}
