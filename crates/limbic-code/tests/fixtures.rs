//! The facts of each file below `tests/files/code`, as text, against `tests/expected/code`. `UPDATE=1` writes the
//! expected files.
#![allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use limbic_code::{FileFacts, Language, Project, extract};
use sha2::{Digest, Sha256};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name).join("code")
}

/// Whether this build has the grammar of the file's language.
fn is_read(path: &str, bytes: &[u8]) -> bool {
    cfg!(feature = "more") || !Language::detect(path, bytes).needs_more_grammars()
}

/// Paths below the folder of the fixtures, sorted.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let root = folder("files");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the fixtures are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let relative =
                    path.strip_prefix(&root).expect("it lies below").to_string_lossy().replace('\\', "/");
                found.push((relative, fs::read(&path).expect("a fixture can be read")));
            }
        }
    }
    found.sort();
    found
}

/// The facts of a file as a text that a person can review.
fn rendered(facts: &FileFacts, edges: &[String]) -> String {
    let mut out = format!(
        "language {} · {} lines · {} syntax errors\n",
        facts.language.as_str(),
        facts.lines,
        facts.syntax_errors
    );
    let list = |out: &mut String, title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            writeln!(out, "\n{title}").expect("a string takes text");
            lines.iter().for_each(|line| writeln!(out, "  {line}").expect("a string takes text"));
        }
    };
    let symbols = facts.outline.symbols.iter().map(|symbol| {
        let doc = symbol.doc.as_deref().map_or(String::new(), |doc| format!(" · {}", doc.replace('\n', " ")));
        let flags =
            [(symbol.is_local, " local"), (symbol.is_static, " static"), (symbol.is_property, " property")];
        let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        format!(
            "{} {} {}-{} at {}:{}{flags} · {}{doc}",
            symbol.kind.as_str(),
            symbol.qualified_name,
            symbol.start_line,
            symbol.end_line,
            symbol.line,
            symbol.column,
            symbol.signature
        )
    });
    list(&mut out, "symbols", symbols.collect());
    let imports = facts.outline.imports.iter().map(|import| {
        let name = import.name.as_deref().unwrap_or("-");
        format!(
            "{}: {name} of {:?} as {:?}{}",
            import.line,
            import.module,
            import.local,
            if import.is_exported { " exported" } else { "" }
        )
    });
    list(&mut out, "imports", imports.collect());
    list(&mut out, "exports", facts.outline.exports.clone().unwrap_or_default());
    let references = facts.references.iter().map(|reference| {
        let receiver =
            reference.receiver.as_deref().map_or(String::new(), |receiver| format!(" on {receiver}"));
        let enclosing = reference
            .enclosing
            .map_or("", |index| facts.outline.symbols[index as usize].qualified_name.as_str());
        format!(
            "{}:{} {} {}{receiver} in {enclosing:?}",
            reference.line,
            reference.column,
            reference.kind.as_str(),
            reference.name
        )
    });
    list(&mut out, "references", references.collect());
    list(&mut out, "edges", edges.to_vec());
    let chunks = facts.chunks.iter().map(|chunk| {
        let name = chunk.name.as_deref().unwrap_or("-");
        format!(
            "{}-{} {} {name} in {:?} · {}",
            chunk.start_line,
            chunk.end_line,
            chunk.chunk_type.as_str(),
            chunk.scope,
            chunk.header
        )
    });
    list(&mut out, "chunks", chunks.collect());
    out
}

#[test]
fn the_facts_of_every_fixture_are_as_expected() {
    let files = fixtures();
    let mut project = Project::new();
    for (path, bytes) in &files {
        project.set(path, Some(extract(path, bytes)));
    }
    let resolved = project.resolve_all();
    let update = std::env::var_os("UPDATE").is_some();
    let mut different = Vec::new();
    for (path, _) in files.iter().filter(|(path, bytes)| is_read(path, bytes)) {
        let facts = project.facts(path).expect("it was added");
        let edges: Vec<String> = resolved[path]
            .edges
            .iter()
            .map(|edge| {
                let reference = &facts.references[edge.reference as usize];
                format!(
                    "{}:{} {} {} {}#{}",
                    reference.line,
                    reference.column,
                    edge.tier.as_str(),
                    edge.relation.as_str(),
                    edge.path,
                    edge.symbol
                )
            })
            .collect();
        let text = rendered(facts, &edges);
        let expected = folder("expected").join(format!("{}.txt", path.replace('/', "-")));
        if update {
            fs::write(&expected, &text).expect("the expected text can be written");
        } else if fs::read_to_string(&expected).unwrap_or_default() != text {
            different.push(format!("{path}\n{text}"));
        }
    }
    assert!(different.is_empty(), "UPDATE=1 writes them; different are {}", different.join("\n"));
}

/// `tests/node/code-module.test.ts` compares the WebAssembly builds with the same files.
#[test]
fn the_bytes_of_the_facts_of_every_fixture_are_as_expected() {
    let (mut first, mut more) = (serde_json::Map::new(), serde_json::Map::new());
    for (path, bytes) in fixtures().into_iter().filter(|(path, bytes)| is_read(path, bytes)) {
        let list = if Language::detect(&path, &bytes).needs_more_grammars() { &mut more } else { &mut first };
        let bytes = limbic_protocol::to_bytes(&[extract(&path, &bytes)]).expect("facts can be written");
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        list.insert(path, serde_json::json!({"bytes": bytes.len(), "sha256": hash}));
    }
    for (name, list) in [("facts.json", first), ("facts-more.json", more)] {
        if list.is_empty() {
            continue;
        }
        let text = format!("{:#}\n", serde_json::Value::Object(list));
        let expected = folder("expected").join(name);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &text).expect("the expected bytes can be written");
        }
        let known = fs::read_to_string(&expected).expect("the expected bytes are there");
        assert!(known == text, "UPDATE=1 writes them; the bytes are now\n{text}");
    }
}

#[test]
fn chunks_cover_every_line_with_text_once() {
    for (path, bytes) in fixtures() {
        let facts = extract(&path, &bytes);
        let text = String::from_utf8_lossy(&bytes);
        let mut last = 0;
        for chunk in &facts.chunks {
            assert!(
                chunk.start_line > last && chunk.end_line >= chunk.start_line,
                "{path}: {chunk:?} after line {last}"
            );
            last = chunk.end_line;
        }
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let number = u32::try_from(index).expect("a fixture is short") + 1;
            let count = facts
                .chunks
                .iter()
                .filter(|chunk| (chunk.start_line..=chunk.end_line).contains(&number))
                .count();
            assert_eq!(count, 1, "{path}:{number}: {line}");
        }
    }
}

#[test]
fn there_is_a_fixture_for_every_language() {
    let known: Vec<Language> = fixtures().iter().map(|(path, bytes)| Language::detect(path, bytes)).collect();
    for language in Language::ALL {
        assert!(known.contains(language), "add a fixture in {}", language.as_str());
    }
}
