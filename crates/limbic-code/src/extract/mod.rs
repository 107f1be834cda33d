//! Extraction: the bytes of one file in, its facts out.

mod builder;
mod c_macros;
mod chunks;
mod header;
mod languages;
mod manifests;
mod parse;
mod plain;
mod repair;
mod shape;
mod skips;
mod text;

use std::borrow::Cow;

use tree_sitter::{Language as Grammar, Tree};

use crate::facts::FileFacts;
use crate::language::Language;
use builder::Builder;
pub use skips::MAX_FILE_BYTES;

/// Extracts the facts of a file.
///
/// `path` is relative to the project's root, with `/` between its parts; it decides the language and is part of the
/// chunks' headers. Any bytes are accepted: a file that cannot be read has [`FileFacts::skipped`] set, one with syntax
/// errors has the facts of what could be parsed, and one that takes the parser more work or memory than source
/// code needs is divided into lines.
#[must_use]
pub fn extract(path: &str, bytes: &[u8]) -> FileFacts {
    let language = Language::detect(path, bytes);
    let skipped = |reason| FileFacts {
        language,
        skipped: Some(reason),
        outline: crate::Outline { language, ..Default::default() },
        ..FileFacts::default()
    };
    let text = match skips::text_of(path, bytes) {
        Ok(text) => text,
        Err(reason) => return skipped(reason),
    };
    let Some(grammar) = languages::grammar(language) else {
        return plain::facts(path, &text, language);
    };
    let Some(tree) = tree(&grammar, &text, language) else {
        return plain::facts(path, &text, language);
    };
    let mut builder = Builder::new(&text, language);
    languages::walk(&mut builder, tree.root_node());
    builder.finish(path, tree.root_node())
}

/// The syntax tree of a text; `None` if it takes the parser more than source code needs.
fn tree(grammar: &Grammar, text: &str, language: Language) -> Option<Tree> {
    let text = repair::without_conflict_markers(text);
    let text = match language {
        Language::Kotlin => Cow::Owned(repair::without_kotlin_annotations(&text).into_owned()),
        Language::Bash => {
            let text = repair::with_bats_functions(&text);
            Cow::Owned(repair::with_bash_tests(&text).into_owned())
        }
        Language::Scala => Cow::Owned(repair::with_scala_braces(&text).into_owned()),
        Language::C | Language::Cpp => Cow::Owned(c_macros::without_macros(&text).into_owned()),
        _ => text,
    };
    let mut parser = parse::parser(grammar)?;
    let tree = parse::parse(&mut parser, &text)?;
    if language != Language::Kotlin || !tree.root_node().has_error() {
        return Some(tree);
    }
    let lost_bytes = |tree: &Tree| -> usize {
        builder::errors(tree.root_node()).iter().map(|error| error.byte_range().len() + 1).sum()
    };
    let repaired = repair::with_kotlin_semicolons(&text);
    let other = parse::parse(&mut parser, &repaired);
    Some(other.filter(|other| lost_bytes(other) < lost_bytes(&tree)).unwrap_or(tree))
}
