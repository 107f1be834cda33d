//! Rust: the arguments of macros. Most of it is expressions separated by commas: each part is parsed
//! as one. A part that is none gives no references.

use tree_sitter::{Node, Range};

use super::super::super::builder::Builder;
use super::super::super::parse;
use super::super::grammars::grammar;
use super::super::nodes::children;
use super::context::Context;
use super::path_references::path_reference;
use super::rust_walker::RustWalker;
use crate::facts::ReferenceKind;
use crate::language::Language;

/// Parts of one macro that are parsed; longer lists are data.
const MAX_PARTS: usize = 200;
/// Macros inside of macros, parsed this deep.
const MAX_NESTING: u32 = 4;

/// Macros of the standard library.
const STANDARD: [&str; 38] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "pin",
    "print",
    "println",
    "ready",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

thread_local! {
    static NESTING: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// Walks a macro call.
pub fn invocation(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    // A function of the project may have the name of a macro of the standard library.
    if let Some(name) = node.child_by_field_name("macro")
        && !STANDARD.contains(&builder.text(name))
    {
        path_reference(builder, name, ReferenceKind::Call, context);
    }
    // These hold the text of other code.
    if matches!(builder.field_text(node, "macro"), "quote" | "quote_spanned" | "parse_quote" | "format_ident")
    {
        return;
    }
    if let Some(tokens) = children(node).into_iter().find(|child| child.kind() == "token_tree") {
        token_tree(builder, tokens, context);
    }
}

fn token_tree(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    let nesting = NESTING.get();
    if nesting >= MAX_NESTING {
        return;
    }
    NESTING.set(nesting + 1);
    // Braces hold items or statements, if they are not a list.
    let is_block = builder.text(node).starts_with('{')
        && whole(node).is_some_and(|range| part(builder, range, context, true));
    if !is_block {
        for range in parts(node) {
            part(builder, range, context, false);
        }
    }
    NESTING.set(nesting);
}

/// The range between the brackets of a token tree.
fn whole(node: Node<'_>) -> Option<Range> {
    let last = node.child_count().checked_sub(2)?;
    let (first, last) = (node.child(1)?, node.child(last)?);
    Some(range_of(first, last))
}

fn range_of(first: Node<'_>, last: Node<'_>) -> Range {
    Range {
        start_byte: first.start_byte(),
        end_byte: last.end_byte(),
        start_point: first.start_position(),
        end_point: last.end_position(),
    }
}

/// The ranges between the commas and semicolons of a token tree.
fn parts(node: Node<'_>) -> Vec<Range> {
    let mut cursor = node.walk();
    let tokens: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let Some(inside) = tokens.get(1..tokens.len().saturating_sub(1)) else { return Vec::new() };
    let mut ranges: Vec<Range> = Vec::new();
    for tokens in inside.split(|token| matches!(token.kind(), "," | ";" | "=>")) {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
        if ranges.len() < MAX_PARTS {
            ranges.push(range_of(*first, *last));
        }
    }
    ranges
}

/// Parses a range of the file as statements and walks them; with `is_strict` only if there is no error in it. Returns
/// whether it was walked.
fn part(builder: &mut Builder<'_>, range: Range, context: &Context, is_strict: bool) -> bool {
    let Some(mut parser) = grammar(Language::Rust).and_then(|rust| parse::parser(&rust)) else {
        return false;
    };
    if parser.set_included_ranges(&[range]).is_err() {
        return false;
    }
    let Some(tree) = parse::parse(&mut parser, builder.text, range.end_byte - range.start_byte) else {
        return false;
    };
    if is_strict && tree.root_node().has_error() {
        return false;
    }
    for statement in children(tree.root_node()) {
        builder.item(statement, None, context);
    }
    true
}
