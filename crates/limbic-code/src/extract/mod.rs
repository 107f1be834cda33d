//! Extraction: the bytes of one file in, its facts out.

mod builder;
mod chunks;
mod header;
mod languages;
mod manifests;
mod parse;
mod plain;
mod shape;
mod skips;
mod text;

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
    let tree = parse::parser(&grammar).and_then(|mut parser| parse::parse(&mut parser, &text, text.len()));
    let Some(tree) = tree else {
        return plain::facts(path, &text, language);
    };
    let mut builder = Builder::new(&text, language);
    languages::walk(&mut builder, tree.root_node());
    builder.finish(path, tree.root_node())
}
