//! The fields of each manifest, and that set-up needs no network for the toolchain.

use std::fs;

use serde_json::Value;

use super::dependencies::metadata;
use crate::project;

/// Maximum number of keywords that registries accept.
const MAX_KEYWORDS: usize = 5;

#[test]
fn every_crate_has_a_description_keywords_and_a_licence() {
    for package in metadata()["packages"].as_array().expect("cargo's format has an array here") {
        let name = package["name"].as_str().expect("every package has a name");
        assert!(is_text(&package["description"]), "{name} has no description");
        assert!(is_text(&package["license"]), "{name} has no licence");
        let keywords = package["keywords"].as_array().map_or(0, Vec::len);
        assert!(
            (1..=MAX_KEYWORDS).contains(&keywords),
            "{name} has {keywords} keywords, not 1 to {MAX_KEYWORDS}"
        );
    }
}

#[test]
fn every_npm_package_has_a_description_keywords_and_a_licence() {
    for file in ["crates/wasm/js/package.json", "node/package.json", "web/package.json"] {
        let text = fs::read_to_string(project::path(file)).expect("the manifest is there");
        let manifest: Value = serde_json::from_str(&text).expect("a manifest is JSON");
        assert!(is_text(&manifest["description"]), "{file} has no description");
        assert!(is_text(&manifest["license"]), "{file} has no licence");
        assert!(
            manifest["keywords"].as_array().is_some_and(|words| !words.is_empty()),
            "{file} has no keywords"
        );
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

#[test]
fn cargo_reports_that_it_compiles_xtask() {
    let settings = fs::read_to_string(project::path(".cargo/config.toml")).expect("the alias is there");
    let alias = settings.lines().find(|line| line.starts_with("xtask = ")).expect("the alias is there");
    assert!(!alias.contains("quiet"), "a first `cargo xtask` would be silent for a minute: {alias}");
}

#[test]
fn the_toolchain_file_asks_for_no_target() {
    let settings = fs::read_to_string(project::path("rust-toolchain.toml")).expect("the file is there");
    assert!(
        !settings.contains("targets ="),
        "rustup would need the network before any command; `setup` adds targets"
    );
}
