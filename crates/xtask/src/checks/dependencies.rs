//! Which crate may depend on which, which folder of the core may import which, and that modules do not import each
//! other in a cycle. `crates/ARCHITECTURE.md` has the reasons.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::{
    assert_known,
    cycles::{Graph, cycles},
    modules,
};
use crate::project;
use crate::tools::Toolbox;

/// Each crate of the workspace with the workspace crates that it may depend on.
const ALLOWED_DEPENDENCIES: [(&str, &[&str]); 20] = [
    ("limbic-protocol", &[]),
    ("limbic-guard", &[]),
    ("limbic-json", &[]),
    ("limbic-code", &["limbic-protocol"]),
    ("limbic-core", &["limbic-code", "limbic-guard", "limbic-protocol"]),
    ("limbic-tools", &["limbic-code", "limbic-core", "limbic-guard", "limbic-json", "limbic-protocol"]),
    ("limbic-code-disk", &["limbic-code", "limbic-tools"]),
    ("limbic-encoder", &["limbic-protocol"]),
    ("limbic-vfs", &["limbic-protocol"]),
    ("limbic-encryption", &["limbic-core", "limbic-vfs"]),
    ("limbic-pages", &["limbic-protocol", "limbic-vfs"]),
    (
        "limbic-wasm-core",
        &[
            "limbic-code",
            "limbic-code-disk",
            "limbic-core",
            "limbic-encryption",
            "limbic-tools",
            "limbic-vfs",
            "limbic-protocol",
        ],
    ),
    ("limbic-wasm-encoder", &["limbic-encoder", "limbic-protocol"]),
    ("limbic-wasm-code", &["limbic-code", "limbic-protocol"]),
    ("limbic-wasm-code-more", &["limbic-code", "limbic-protocol"]),
    (
        "limbic-memory",
        &[
            "limbic-code-disk",
            "limbic-core",
            "limbic-encoder",
            "limbic-encryption",
            "limbic-pages",
            "limbic-tools",
            "limbic-vfs",
            "limbic-protocol",
        ],
    ),
    (
        "limbic-cli",
        &[
            "limbic-core",
            "limbic-encoder",
            "limbic-encryption",
            "limbic-memory",
            "limbic-pages",
            "limbic-tools",
            "limbic-vfs",
            "limbic-protocol",
        ],
    ),
    (
        "limbic-tests",
        &[
            "limbic-code-disk",
            "limbic-core",
            "limbic-guard",
            "limbic-encoder",
            "limbic-encryption",
            "limbic-memory",
            "limbic-pages",
            "limbic-support",
            "limbic-tools",
            "limbic-vfs",
            "limbic-protocol",
        ],
    ),
    ("limbic-support", &[]),
    ("xtask", &["limbic-support"]),
];

/// Crates with JavaScript bindings.
const JAVASCRIPT: [&str; 4] = ["wasm-bindgen", "js-sys", "web-sys", "wasm-bindgen-futures"];

/// The folders and files at the top of limbic-core, lowest first, each with those that it may import.
const CORE_LAYERS: [(&str, &[&str]); 13] = [
    ("model", &[]),
    ("error", &["model"]),
    ("host", &[]),
    ("db", &["error", "host", "model"]),
    ("test_database", &["db", "error", "host"]),
    ("store", &["db", "error", "host", "model", "test_database"]),
    ("search", &["db", "error", "host", "model", "store"]),
    ("mutations", &["db", "error", "host", "model", "store", "test_database"]),
    ("maintenance", &["db", "error", "host", "model", "mutations", "search", "store"]),
    ("explore", &["db", "error", "host", "maintenance", "model", "search", "store"]),
    ("records", &["db", "error", "host", "maintenance", "model", "mutations", "search", "store"]),
    ("session", &["db", "error", "host", "maintenance", "model", "search", "store"]),
    (
        "engine",
        &[
            "db",
            "error",
            "host",
            "maintenance",
            "model",
            "mutations",
            "records",
            "search",
            "session",
            "store",
        ],
    ),
];

/// Imports of limbic-core against [`CORE_LAYERS`].
const UPWARD_IMPORTS: &[(&str, &str)] = &[];

/// Groups of modules that import each other in a cycle.
const IMPORT_CYCLES: &[(&str, &[&str])] = &[
    // A recursion of types: a tool's handler takes a context, which lists the tools that may be called.
    ("limbic-tools", &["context", "tool"]),
];

struct Package {
    name: String,
    manifest: PathBuf,
    dependencies: BTreeSet<String>,
}

/// The output of `cargo metadata`.
pub fn metadata() -> Value {
    let text = Toolbox::new()
        .ask("cargo", &["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .expect("cargo metadata works in this workspace");
    serde_json::from_str(&text).expect("cargo prints JSON")
}

/// The workspace's packages; what only tests need does not count.
fn packages() -> Vec<Package> {
    let metadata = metadata();
    let list = |value: &Value| value.as_array().cloned().expect("cargo's format has an array here");
    let name = |value: &Value| value["name"].as_str().expect("everything has a name").to_owned();
    list(&metadata["packages"])
        .iter()
        .map(|package| Package {
            name: name(package),
            manifest: package["manifest_path"]
                .as_str()
                .map(PathBuf::from)
                .expect("every package has a manifest"),
            dependencies: list(&package["dependencies"])
                .iter()
                .filter(|dependency| dependency["kind"] != "dev")
                .map(name)
                .collect(),
        })
        .collect()
}

#[test]
fn every_crate_depends_only_on_allowed_crates() {
    let packages = packages();
    for (name, _) in ALLOWED_DEPENDENCIES {
        assert!(
            packages.iter().any(|package| package.name == name),
            "remove it from ALLOWED_DEPENDENCIES, the workspace has no such crate: {name}"
        );
    }
    for package in &packages {
        assert!(
            ALLOWED_DEPENDENCIES.iter().any(|(name, _)| *name == package.name),
            "add it to ALLOWED_DEPENDENCIES with what it may depend on: {}",
            package.name
        );
    }
    assert_eq!(forbidden_dependencies(&packages), [""; 0], "these may not depend on each other");
}

#[test]
fn only_the_wasm_crates_have_javascript_bindings() {
    let packages = packages();
    assert!(packages.iter().any(|package| package.name == "limbic-core"), "cargo lists no crate of the core");
    assert_eq!(javascript_bindings(&packages), [""; 0], "these may not depend on each other");
}

fn forbidden_dependencies(packages: &[Package]) -> Vec<String> {
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut found = Vec::new();
    for Package { name, dependencies, .. } in packages {
        let allowed =
            ALLOWED_DEPENDENCIES.iter().find(|(other, _)| other == name).map_or(&[][..], |(_, list)| *list);
        let forbidden = dependencies
            .iter()
            .filter(|other| ours.contains(other.as_str()) && !allowed.contains(&other.as_str()));
        found.extend(forbidden.map(|other| format!("{name} -> {other}")));
    }
    found
}

fn javascript_bindings(packages: &[Package]) -> Vec<String> {
    let others = packages.iter().filter(|package| !package.name.starts_with("limbic-wasm-"));
    others
        .flat_map(|Package { name, dependencies, .. }| {
            let bindings = JAVASCRIPT.iter().filter(move |binding| dependencies.contains(**binding));
            bindings.map(move |binding| format!("{name} -> {binding}"))
        })
        .collect()
}

#[test]
fn forbidden_dependencies_are_found() {
    let package = |name: &str, dependencies: &[&str]| Package {
        name: name.to_owned(),
        manifest: PathBuf::new(),
        dependencies: dependencies.iter().map(|other| (*other).to_owned()).collect(),
    };
    let packages = [
        package("limbic-guard", &["limbic-core", "regex-lite", "js-sys"]),
        package("limbic-core", &["limbic-guard"]),
        package("limbic-wasm-core", &["limbic-core", "js-sys"]),
    ];
    assert_eq!(forbidden_dependencies(&packages), ["limbic-guard -> limbic-core"]);
    assert_eq!(javascript_bindings(&packages), ["limbic-guard -> js-sys"]);
}

#[test]
fn the_layers_of_the_core_import_only_lower_ones() {
    let graph = modules::imports(&project::path("crates/limbic-core/src"));
    assert!(!graph.is_empty(), "the core has no module");
    let known: Vec<String> =
        UPWARD_IMPORTS.iter().map(|(module, target)| format!("(\"{module}\", \"{target}\")")).collect();
    assert_known("UPWARD_IMPORTS", &upward_imports(&graph), &known);
}

#[test]
fn imports_of_a_higher_layer_are_found() {
    let graph = Graph::from([
        (
            "store::graph".to_owned(),
            ["model::text", "search", "store::memories", ""].map(str::to_owned).into(),
        ),
        ("search".to_owned(), BTreeSet::from(["store::graph".to_owned()])),
    ]);
    assert_eq!(upward_imports(&graph), ["(\"store::graph\", \"search\")"]);
}

fn upward_imports(graph: &Graph) -> Vec<String> {
    let layer = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for (module, targets) in graph.iter().filter(|(module, _)| !module.is_empty()) {
        let own = layer(module);
        let (_, allowed) = CORE_LAYERS
            .iter()
            .find(|(name, _)| *name == own)
            .unwrap_or_else(|| panic!("add it to CORE_LAYERS with what it may import: {own}"));
        let above = |target: &&String| {
            let layer = layer(target);
            layer != own && !layer.is_empty() && !allowed.contains(&layer.as_str())
        };
        found.extend(targets.iter().filter(above).map(|target| format!("(\"{module}\", \"{target}\")")));
    }
    found
}

#[test]
fn modules_do_not_import_each_other_in_a_cycle() {
    let mut found = Vec::new();
    let mut searched = 0;
    for package in packages() {
        let folder = package.manifest.parent().expect("a manifest lies in a folder");
        for sources in [folder.join("src"), folder.join("tests")].iter().filter(|sources| sources.is_dir()) {
            let graph = modules::imports(sources);
            searched += graph.len();
            found.extend(cycles(&graph).iter().map(|group| format!("(\"{}\", &{group:?})", package.name)));
        }
    }
    assert!(searched > 0, "no crate has a module");
    found.sort();
    let mut known: Vec<String> =
        IMPORT_CYCLES.iter().map(|(package, group)| format!("(\"{package}\", &{group:?})")).collect();
    known.sort();
    assert_known("IMPORT_CYCLES", &found, &known);
}
