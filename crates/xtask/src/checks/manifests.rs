//! The fields of each manifest, and that set-up needs no network for the toolchain.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::dependencies::metadata;
use crate::project;

/// Maximum number of keywords that registries accept.
const MAX_KEYWORDS: usize = 5;

/// The address of the source, which every manifest names.
const REPOSITORY: &str = "https://github.com/limbic-memory/limbic-memory";

#[test]
fn every_crate_has_a_description_keywords_a_licence_and_the_repository() {
    for package in metadata()["packages"].as_array().expect("cargo's format has an array here") {
        assert_eq!(faults(package, MAX_KEYWORDS), [""; 0], "{}", package["name"]);
    }
}

#[test]
fn every_npm_package_has_a_description_keywords_a_licence_and_the_repository() {
    for file in
        ["crates/wasm/js/package.json", "node/package.json", "tests/browser/package.json", "web/package.json"]
    {
        let text = fs::read_to_string(project::path(file)).expect("the manifest is there");
        let manifest: Value = serde_json::from_str(&text).expect("a manifest is JSON");
        assert_eq!(faults(&manifest, usize::MAX), [""; 0], "{file}");
    }
}

/// The fields that a manifest lacks.
fn faults(manifest: &Value, max_keywords: usize) -> Vec<&'static str> {
    let is_text = |field: &str| manifest[field].as_str().is_some_and(|text| !text.is_empty());
    let keywords = manifest["keywords"].as_array().map_or(0, Vec::len);
    let rules = [
        (is_text("description"), "no description"),
        (is_text("license"), "no licence"),
        (names_repository(&manifest["repository"]), "another repository, or none"),
        ((1..=max_keywords).contains(&keywords), "no keywords, or too many"),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}

/// Cargo has the address as a text, npm and the registry of MCP servers as an object.
fn names_repository(field: &Value) -> bool {
    let address = field.as_str().or_else(|| field["url"].as_str()).unwrap_or_default();
    address.trim_start_matches("git+").trim_end_matches(".git") == REPOSITORY
}

#[test]
fn manifests_for_installation_name_the_repository() {
    for file in ["node/server.json", "node/plugin/.claude-plugin/plugin.json"] {
        let text = fs::read_to_string(project::path(file)).expect("the manifest is there");
        let manifest: Value = serde_json::from_str(&text).expect("a manifest is JSON");
        assert!(names_repository(&manifest["repository"]), "{file}");
    }
}

#[test]
fn missing_fields_of_a_manifest_are_found() {
    let complete = json!({
        "description": "x", "license": "MIT", "keywords": ["a", "b"],
        "repository": {"type": "git", "url": format!("git+{REPOSITORY}.git")},
    });
    assert_eq!(faults(&complete, 2), [""; 0]);
    assert_eq!(faults(&complete, 1), ["no keywords, or too many"]);
    let empty = json!({"description": "", "keywords": []});
    assert_eq!(
        faults(&empty, 2),
        ["no description", "no licence", "another repository, or none", "no keywords, or too many"]
    );
}

#[test]
fn cargo_reports_that_it_compiles_xtask() {
    let settings = fs::read_to_string(project::path(".cargo/config.toml")).expect("the alias is there");
    let alias = settings.lines().find(|line| line.starts_with("xtask = ")).expect("the alias is there");
    assert!(!alias.contains("quiet"), "a first `cargo xtask` would be silent for a minute: {alias}");
}

#[test]
fn npm_packages_are_installed_without_their_scripts() {
    let files =
        [".github/workflows/ci.yml", ".github/workflows/release.yml", "CONTRIBUTING.md", "web/README.md"];
    for file in files {
        let text = fs::read_to_string(project::path(file)).expect("the file is there");
        let with_scripts: Vec<_> = text.lines().filter(|line| line.contains("npm ci")).collect();
        assert!(
            with_scripts.iter().all(|line| line.contains("--ignore-scripts")),
            "{file}: {with_scripts:?}"
        );
    }
}

#[test]
fn the_toolchain_file_asks_for_no_target() {
    let settings = fs::read_to_string(project::path("rust-toolchain.toml")).expect("the file is there");
    assert!(
        !settings.contains("targets ="),
        "rustup would need the network before any command; `setup` adds targets"
    );
}

fn workflows() -> Vec<(String, String)> {
    let found = fs::read_dir(project::path(".github/workflows")).expect("there are workflows").flatten();
    let read = |path: &Path| fs::read_to_string(path).expect("a workflow is text");
    found.map(|entry| (entry.file_name().to_string_lossy().into_owned(), read(&entry.path()))).collect()
}

#[test]
fn actions_of_workflows_are_pinned_by_commit() {
    for (name, text) in workflows() {
        for (_, action) in text.lines().filter_map(|line| line.split_once("uses: ")) {
            let commit = action.split_once('@').and_then(|(_, rest)| rest.split(' ').next());
            let is_pinned = commit
                .is_some_and(|commit| commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()));
            assert!(is_pinned, "{name}: {action}");
        }
    }
}

#[test]
fn the_storm_runs_in_full_every_week() {
    let is_weekly = |line: &str| {
        let fields = line.trim().strip_prefix("- cron: '").and_then(|rest| rest.strip_suffix('\''));
        fields.is_some_and(|fields| fields.split(' ').nth(4).is_some_and(|day| day != "*"))
    };
    let scheduled = workflows().into_iter().filter(|(_, text)| text.lines().any(is_weekly));
    let runs =
        scheduled.filter(|(_, text)| text.lines().any(|line| line.trim() == "- run: cargo xtask storm"));
    assert_eq!(runs.count(), 1);
}
