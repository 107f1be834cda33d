//! Rules for files: length, line ends, equal names within a package, no machine paths, no hosts of package registries.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::assert_known;
use crate::project;
use crate::tools::Toolbox;

const MAX_LINES: usize = 600;
const SOURCES: [&str; 5] = ["rs", "ts", "tsx", "mjs", "css"];

/// Maximum number of files of one name in a crate or package: their folders distinguish them.
const MAX_NAMESAKES: usize = 2;
/// Names that the language or its tools give a meaning.
const GIVEN_NAMES: [&str; 4] = ["mod.rs", "lib.rs", "main.rs", "index.ts"];

/// Names that more files of a crate or package have, with their number.
const NAMESAKES: &[(&str, &str, usize)] = &[];

/// Folders of a developer's machine. Split, so that this file does not match itself.
const MACHINE_FOLDERS: [&str; 5] = [
    concat!("/", "work/"),
    concat!("/", "root/"),
    concat!("/", "farm/"),
    concat!("/", "home/"),
    concat!("/", "Users/"),
];
/// First labels of host names of package registries.
const REGISTRIES: [&str; 6] = ["registry", "index", "static", "files", "deb", "packages"];

/// Tracked and untracked, not ignored files with their text, without lock files and binary files.
pub(super) fn texts() -> Vec<(String, String)> {
    let listed = Toolbox::new()
        .ask("git", &["ls-files", "--cached", "--others", "--exclude-standard"])
        .expect("the project is a git repository");
    let names = listed.lines().filter(|name| !name.ends_with(".lock"));
    let texts: Vec<(String, String)> = names
        .map(|name| (name.to_owned(), project::path(name)))
        .filter_map(|(name, path): (String, PathBuf)| Some((name, fs::read_to_string(path).ok()?)))
        .collect();
    assert!(texts.iter().any(|(name, _)| is_source(name)), "git lists no source file");
    texts
}

fn is_source(name: &str) -> bool {
    SOURCES.contains(&name.rsplit('.').next().unwrap_or_default())
}

fn is_too_long(name: &str, text: &str) -> bool {
    is_source(name) && text.lines().count() > MAX_LINES
}

#[test]
fn no_source_file_is_too_long() {
    for (name, text) in texts() {
        assert!(!is_too_long(&name, &text), "{name} has more than {MAX_LINES} lines: split it");
    }
}

#[test]
fn the_lines_of_source_files_are_counted() {
    let text = "\n".repeat(MAX_LINES + 1);
    assert!(is_too_long("a/b.rs", &text) && is_too_long("b.css", &text));
    assert!(!is_too_long("a/b.rs", &text[1..]) && !is_too_long("a/b.md", &text));
}

#[test]
fn git_checks_out_every_file_with_the_line_ends_of_the_repository() {
    let toolbox = Toolbox::new();
    for name in ["README.md", "tests/expected/graph/numbers.jsonl", "web/src/main.tsx"] {
        let attribute = toolbox.ask("git", &["check-attr", "text", "--", name]).expect("git is installed");
        assert_eq!(attribute.trim(), format!("{name}: text: unset"), "git for Windows would write CRLF");
    }
    for (name, text) in texts() {
        assert!(!text.contains("\r\n") || name.starts_with("tests/"), "{name} has line ends of Windows");
    }
}

#[test]
fn no_third_file_of_a_package_has_the_same_name() {
    let names: Vec<String> = texts().into_iter().map(|(name, _)| name).collect();
    let known: Vec<String> =
        NAMESAKES.iter().map(|(root, file, count)| namesake(root, file, *count)).collect();
    assert_known("NAMESAKES", &namesakes(&names), &known);
}

#[test]
fn files_of_one_name_are_counted_per_package() {
    let names = ["a/Cargo.toml", "a/x.rs", "a/b/x.rs", "a/c/x.rs", "a/mod.rs", "a/b/mod.rs", "a/c/mod.rs"];
    let names: Vec<String> =
        names.into_iter().chain(["d/package.json", "d/x.rs"]).map(str::to_owned).collect();
    assert_eq!(namesakes(&names), [namesake("a", "x.rs", 3)]);
}

fn namesake(root: &str, file: &str, count: usize) -> String {
    format!("(\"{root}\", \"{file}\", {count})")
}

/// More than [`MAX_NAMESAKES`] files of one name in a crate or package, with their number.
fn namesakes(names: &[String]) -> Vec<String> {
    let folder = |name: &str| name.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let file = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let roots: Vec<String> = names
        .iter()
        .filter(|name| ["Cargo.toml", "package.json"].contains(&file(name).as_str()))
        .map(|name| folder(name))
        .collect();
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for name in names {
        if !is_source(name) || GIVEN_NAMES.contains(&file(name).as_str()) {
            continue;
        }
        let own = |root: &&String| root.is_empty() || name.starts_with(&format!("{root}/"));
        let root = roots.iter().filter(own).max_by_key(|root| root.len()).cloned().unwrap_or_default();
        *counts.entry((root, file(name))).or_default() += 1;
    }
    let too_many = counts.iter().filter(|(_, count)| **count > MAX_NAMESAKES);
    too_many.map(|((root, file), count)| namesake(root, file, *count)).collect()
}

#[test]
fn no_file_contains_an_absolute_path_of_a_machine() {
    for (name, text) in texts() {
        for (number, line) in text.lines().enumerate() {
            assert!(
                !names_a_folder(line),
                "{name} contains an absolute path of a machine, line {}: {line}",
                number + 1
            );
        }
    }
}

#[test]
fn every_file_of_tests_is_compiled() {
    let folder = project::path("tests/tests");
    let modules = fs::read_to_string(folder.join("main.rs")).expect("the program of tests is there");
    let manifest = fs::read_to_string(project::path("tests/Cargo.toml")).expect("the crate has a manifest");
    let mut found = 0;
    for entry in fs::read_dir(&folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".rs")) else {
            continue;
        };
        found += 1;
        assert!(
            modules.contains(&format!("\nmod {name};\n"))
                || manifest.contains(&format!("name = \"{name}\"\n")),
            "tests/tests/{name}.rs is not compiled: add `mod {name};` to tests/tests/main.rs"
        );
    }
    assert!(found > 0, "there are no tests");
}

#[test]
fn no_file_contains_a_package_registry_host() {
    for (name, text) in texts() {
        for (number, line) in text.lines().enumerate() {
            assert!(
                !names_a_registry(line),
                "{name} contains a host of a package registry, line {}: {line}",
                number + 1
            );
        }
    }
}

fn names_a_folder(line: &str) -> bool {
    MACHINE_FOLDERS.iter().any(|folder| {
        line.match_indices(folder).any(|(at, _)| {
            let starts_a_path =
                !line[..at].ends_with(|before: char| before.is_alphanumeric() || "./-_~}".contains(before));
            let goes_on = line[at + folder.len()..].starts_with(|after: char| after.is_ascii_lowercase());
            starts_a_path && goes_on
        })
    })
}

/// A host of documents, by which a `server.json` names its schema.
const SCHEMAS_OF_THE_PROTOCOL: &str = "static.modelcontextprotocol.io";

fn names_a_registry(line: &str) -> bool {
    line.split("://").skip(1).any(|rest| {
        let host = rest
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'))
            .next()
            .unwrap_or_default();
        if host == SCHEMAS_OF_THE_PROTOCOL {
            return false;
        }
        let first = host.split('.').next().unwrap_or_default();
        host.contains('.') && (REGISTRIES.contains(&first) || host.contains(concat!("arti", "factory")))
    })
}

#[test]
fn the_patterns_match_what_they_forbid() {
    assert!(names_a_folder(concat!("cp /", "home/ada/x .")));
    assert!(!names_a_folder(concat!("crates/wo", "rk/x and ~/ro", "ot/x")));
    assert!(names_a_registry(concat!("\"resolved\": \"https://", "registry.example.org/x.tgz\"")));
    assert!(!names_a_registry("see https://docs.rs/anyhow and https://index"));
}
