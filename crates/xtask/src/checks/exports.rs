//! Checks that other crates use every export of limbic-core: everything else is `pub(crate)` or private.
//!
//! A plain search for names, in sources without comments and texts: an export that shares its name with something else
//! is not found. Fields are not checked: a row shows all of its columns.

use std::collections::BTreeSet;

use super::{assert_known, files, modules};

/// The folder of the sources whose exports are checked.
const CORE: &str = "crates/limbic-core/src/";

/// Exports that no other crate names.
const NAMED_NOWHERE: &[&str] = &[];

#[test]
fn other_crates_use_what_the_core_exports() {
    let (core, others): (Vec<_>, Vec<_>) = files::texts()
        .into_iter()
        .filter(|(name, _)| name.ends_with(".rs"))
        .partition(|(name, _)| name.starts_with(CORE));
    assert!(!core.is_empty() && !others.is_empty(), "the sources were not found");
    let core: Vec<Vec<String>> = core.iter().map(|(_, text)| modules::tokens(text)).collect();
    let others = others.iter().flat_map(|(_, text)| modules::tokens(text)).collect();
    let known: Vec<String> = NAMED_NOWHERE.iter().map(|name| (*name).to_owned()).collect();
    assert_known("NAMED_NOWHERE", &unused(&core, &others), &known);
}

/// An item, a field or a method that is `pub`.
struct Export<'a> {
    kind: &'a str,
    name: &'a str,
    /// The tokens of its declaration behind the name. Other crates see the types in them.
    signature: &'a [String],
}

const KINDS: [&str; 8] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type"];

/// The kind of `pub name: Type`.
const FIELD: &str = "field";

/// Items whose body consists of what other crates see.
const OPEN_KINDS: [&str; 2] = ["enum", "trait"];

fn exports(tokens: &[String]) -> Vec<Export<'_>> {
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at] == "pub") {
        let mut words = at + 1;
        while tokens.get(words + 1).is_some_and(|next| {
            ["async", "const", "unsafe"].contains(&tokens[words].as_str()) && KINDS.contains(&next.as_str())
        }) {
            words += 1;
        }
        let Some([kind, name, rest @ ..]) = tokens.get(words..) else { continue };
        let (kind, name, rest) = match KINDS.iter().find(|known| *known == kind) {
            Some(kind) => (*kind, name, rest),
            None if name == ":" => (FIELD, kind, rest),
            None => continue,
        };
        let signature = &rest[..end_of_declaration(rest, kind)];
        found.push(Export { kind, name, signature });
    }
    found
}

/// The index of the body, the value, or the next field; of [`OPEN_KINDS`] the end of the body.
fn end_of_declaration(tokens: &[String], kind: &str) -> usize {
    let is_open = OPEN_KINDS.contains(&kind);
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" if is_open || depth > 0 => depth += 1,
            "(" | "[" | "<" => depth += 1,
            ">" if at > 0 && ["-", "="].contains(&tokens[at - 1].as_str()) => {}
            ")" | "]" | ">" | "}" if depth == 0 => return at,
            ")" | "]" | ">" => depth -= 1,
            "}" if depth == 1 => return at,
            "}" => depth -= 1,
            "=" if kind == "type" => {}
            ";" | "," | "=" | "{" if depth == 0 && !is_open => return at,
            _ => {}
        }
    }
    tokens.len()
}

/// The exports of `core`, a list of tokens for each file, that are not in the tokens of `others` nor, as types, in
/// another export's declaration. Sorted.
fn unused(core: &[Vec<String>], others: &BTreeSet<String>) -> Vec<String> {
    let exports: Vec<Export<'_>> = core.iter().flat_map(|tokens| exports(tokens)).collect();
    let in_signatures: BTreeSet<&str> =
        exports.iter().flat_map(|export| export.signature).map(String::as_str).collect();
    let is_type = |kind: &str| ["enum", "struct", "trait", "type"].contains(&kind);
    let is_used = |export: &Export<'_>| {
        export.kind == FIELD
            || others.contains(export.name)
            || is_type(export.kind) && in_signatures.contains(export.name)
    };
    let names: BTreeSet<String> = exports
        .iter()
        .filter(|export| !is_used(export))
        .map(|export| format!("{} {}", export.kind, export.name))
        .collect();
    names.into_iter().collect()
}

#[test]
fn exports_that_no_other_crate_names_are_found() {
    let core = [
        "pub mod lists; pub(crate) fn internal() {} fn private() {}",
        "pub struct Row { pub field: Vec<(Part, Other)> } pub struct Part; pub struct Other; pub struct Alone;",
        "pub const fn call(x: Given) -> Returned { let x: Inner = 1; } pub struct Given; pub struct Inner;",
        "pub enum Returned { A(Held), B } pub struct Held; pub const MAX: Number = Alone; pub type Number = u32;",
        "pub trait Kind { fn each(&self, take: Take<'_>); } pub type Take<'a> = &'a Text; pub struct Text;",
        "impl Row { pub fn method(&self) {} pub unsafe fn other_method(&self) {} }",
    ];
    let core: Vec<Vec<String>> = core.iter().map(|text| modules::tokens(text)).collect();
    let others = "lists::Row { x: Kind::method }; MAX + call()";
    let found = unused(&core, &modules::tokens(others).into_iter().collect());
    assert_eq!(found, ["fn other_method", "struct Alone", "struct Inner"]);
}
