//! Which crate may know which. `crates/ARCHITECTURE.md` says why.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::tools::Toolbox;

/// Each crate of ours with the crates of ours that it may depend on.
const MAY_KNOW: [(&str, &[&str]); 10] = [
    ("limbic-protocol", &[]),
    ("limbic-core", &["limbic-protocol"]),
    ("limbic-tools", &["limbic-core", "limbic-protocol"]),
    ("limbic-encoder", &["limbic-protocol"]),
    ("limbic-vfs", &[]),
    ("limbic-wasm-core", &["limbic-core", "limbic-tools", "limbic-vfs", "limbic-protocol"]),
    ("limbic-wasm-encoder", &["limbic-encoder", "limbic-protocol"]),
    ("limbic-cli", &["limbic-core", "limbic-encoder", "limbic-tools", "limbic-vfs", "limbic-protocol"]),
    ("limbic-tests", &["limbic-core", "limbic-encoder", "limbic-tools", "limbic-vfs", "limbic-protocol"]),
    ("xtask", &[]),
];

/// What speaks to JavaScript.
const JAVASCRIPT: [&str; 4] = ["wasm-bindgen", "js-sys", "web-sys", "wasm-bindgen-futures"];

struct Package {
    name: String,
    dependencies: BTreeSet<String>,
}

/// The workspace's packages; what only tests need does not count.
fn packages() -> Vec<Package> {
    let text = Toolbox::new()
        .ask("cargo", &["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .expect("cargo metadata works in this workspace");
    let metadata: Value = serde_json::from_str(&text).expect("cargo prints JSON");
    let list = |value: &Value| value.as_array().cloned().expect("cargo's format has an array here");
    let name = |value: &Value| value["name"].as_str().expect("everything has a name").to_owned();
    list(&metadata["packages"])
        .iter()
        .map(|package| Package {
            name: name(package),
            dependencies: list(&package["dependencies"])
                .iter()
                .filter(|dependency| dependency["kind"] != "dev")
                .map(name)
                .collect(),
        })
        .collect()
}

#[test]
fn every_crate_depends_only_on_what_lies_below_it() {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    for package in &packages {
        let (_, allowed) = MAY_KNOW
            .iter()
            .find(|(name, _)| *name == package.name)
            .unwrap_or_else(|| panic!("say in this table what it may depend on: {}", package.name));
        for dependency in package.dependencies.iter().filter(|name| ours.contains(name.as_str())) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{} may not depend on {dependency}",
                package.name
            );
        }
    }
}

#[test]
fn only_the_wasm_crates_speak_to_javascript() {
    for package in packages().iter().filter(|package| !package.name.starts_with("limbic-wasm-")) {
        for name in JAVASCRIPT {
            assert!(!package.dependencies.contains(name), "{} may not depend on {name}", package.name);
        }
    }
}
