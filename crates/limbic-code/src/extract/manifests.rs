//! Module paths in manifests.
//!
//! Only a few keys of well-known files are read, line by line for TOML and `go.mod` and token by token for JSON, which
//! may have comments.

use crate::facts::Manifest;

/// Longest list of aliases that is kept.
const MAX_ALIASES: usize = 500;

/// The manifest of a path, if its file name is one.
pub fn read(path: &str, text: &str) -> Option<Manifest> {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name {
        "go.mod" => Some(go_module(text)),
        "Cargo.toml" => Some(cargo(text)),
        "package.json" => Some(package_json(text)),
        _ if name.starts_with("tsconfig") && name.ends_with(".json") => Some(tsconfig(text)),
        "jsconfig.json" => Some(tsconfig(text)),
        _ => None,
    }
}

fn go_module(text: &str) -> Manifest {
    let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
    Manifest { name: module.unwrap_or_default().trim().trim_matches('"').to_owned(), ..Manifest::default() }
}

/// `package.name`, `lib.name`, `lib.path`, and dependencies with a path.
fn cargo(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_matches(['[', ']']).trim().to_owned();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        let text = value.trim_matches('"').to_owned();
        match (section.as_str(), key) {
            ("package", "name") if manifest.name.is_empty() => manifest.name = text.replace('-', "_"),
            ("lib", "name") => manifest.name = text,
            ("lib", "path") => manifest.entries.push(text),
            (section, key) if section.ends_with("dependencies") => {
                // `foo = { package = "bar" }`: the crate is called foo here and bar elsewhere.
                if let Some(name) = inline_value(value, "package") {
                    let alias = (key.trim_matches('"').replace('-', "_"), name.replace('-', "_"));
                    manifest.aliases.push(alias);
                }
            }
            _ => {}
        }
    }
    manifest.aliases.truncate(MAX_ALIASES);
    manifest
}

/// The string of a key in an inline table.
fn inline_value<'a>(table: &'a str, key: &str) -> Option<&'a str> {
    let at = table.find(&format!("{key} "))?;
    table[at + key.len()..].split('"').nth(1)
}

fn package_json(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (path, value) in json_strings(text) {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        match keys.as_slice() {
            ["name"] => manifest.name = value,
            ["main" | "module" | "types" | "source"] => manifest.entries.push(value),
            ["exports"] => manifest.aliases.push((".".to_owned(), value)),
            ["exports", pattern, ..] if pattern.starts_with('.') => {
                manifest.aliases.push(((*pattern).to_owned(), value));
            }
            ["exports", ..] => manifest.aliases.push((".".to_owned(), value)),
            ["imports", pattern, ..] => manifest.aliases.push(((*pattern).to_owned(), value)),
            _ => {}
        }
    }
    manifest.aliases.truncate(MAX_ALIASES);
    manifest
}

fn tsconfig(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (path, value) in json_strings(text) {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        match keys.as_slice() {
            ["compilerOptions", "baseUrl"] => manifest.entries.push(value),
            ["compilerOptions", "paths", pattern, ..] => {
                manifest.aliases.push(((*pattern).to_owned(), value))
            }
            _ => {}
        }
    }
    manifest.aliases.truncate(MAX_ALIASES);
    manifest
}

/// Every string value of a JSON text with the keys that lead to it; comments and broken parts are passed over.
fn json_strings(text: &str) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut path: Vec<Option<String>> = Vec::new();
    let mut key: Option<String> = None;
    let mut pending: Option<String> = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && found.len() < 5_000 && path.len() < 100 {
        match bytes[at] {
            b'"' => {
                let (string, end) = json_string(text, at + 1);
                at = end;
                pending = Some(string);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            b':' => key = pending.take(),
            b'{' | b'[' => path.push(key.take()),
            b',' | b'}' | b']' => {
                if let Some(value) = pending.take() {
                    let keys = path.iter().flatten().cloned().chain(key.take());
                    found.push((keys.collect(), value));
                }
                key = None;
                if bytes[at] != b',' {
                    path.pop();
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The string that begins at `start`, and the index behind its closing quote.
fn json_string(text: &str, start: usize) -> (String, usize) {
    let mut string = String::new();
    let mut letters = text[start..].char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return (string, start + index + 1),
            '\\' => string.extend(letters.next().map(|(_, letter)| letter)),
            _ => string.push(letter),
        }
    }
    (string, text.len())
}
