//! Rust: the arguments of macros. Most are the expressions of a list, which is parsed as a tuple or an array, or the
//! statements of a block. What is neither is parsed part by part, between its commas.

use tree_sitter::{Node, Range, Tree};

use super::super::super::builder::Builder;
use super::super::super::parse;
use super::super::grammars::grammar;
use super::super::nodes::{children, parts_and_errors};
use super::context::Context;
use super::format_strings::captured_names;
use super::path_references::path_reference;
use super::rust_walker::RustWalker;
use crate::facts::ReferenceKind;
use crate::language::Language;

/// Parts of one macro that are parsed on their own. Longer lists are mostly data: of them, these first parts are read.
const MAX_PARTS: usize = 200;
/// Macros inside of macros, parsed this deep.
const MAX_NESTING: u32 = 4;
/// Arguments of a format string of which the names are known.
const MAX_FORMAT_ARGUMENTS: usize = 50;

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

/// What stands around tokens that are parsed as statements.
const STATEMENTS: (&str, &str) = ("", ";");
/// What stands around tokens that are parsed as a pattern with its condition.
const PATTERN: (&str, &str) = ("match (){", "=>0}");

/// Walks a macro call.
pub fn invocation(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    let name = builder.field_text(node, "macro");
    // A function of the project may have the name of a macro of the standard library.
    if let Some(name) = node.child_by_field_name("macro")
        && !STANDARD.contains(&builder.text(name))
    {
        path_reference(builder, name, ReferenceKind::Call, context);
    }
    // These hold the text of other code.
    if matches!(name, "quote" | "quote_spanned" | "parse_quote" | "format_ident" | "stringify") {
        return;
    }
    if let Some(tokens) = children(node).into_iter().find(|child| child.kind() == "token_tree") {
        let inside = tokens_inside(tokens);
        let arguments: Vec<&[Node<'_>]> =
            inside.split(|token| token.kind() == ",").take(MAX_FORMAT_ARGUMENTS).collect();
        captured_names(builder, name, &arguments);
        let has_pattern = matches!(name, "matches" | "assert_matches" | "debug_assert_matches");
        token_tree(builder, tokens, has_pattern, context);
    }
}

/// The tokens between the brackets of a token tree.
fn tokens_inside(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let mut tokens: Vec<Node<'_>> = node.children(&mut cursor).skip(1).collect();
    tokens.pop();
    tokens
}

/// Walks a list of arguments or a block; with `has_pattern`, the second argument is a pattern.
fn token_tree(builder: &mut Builder<'_>, node: Node<'_>, has_pattern: bool, context: &Context) {
    let nesting = NESTING.get();
    if nesting >= MAX_NESTING {
        return;
    }
    NESTING.set(nesting + 1);
    let mut cursor = node.walk();
    let tokens: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let inside = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
    let parts = parts(inside);
    // Braces hold items or statements, if they are not a list.
    let has_braces = is_block(builder, node);
    let whole = if has_braces { inside } else { std::slice::from_ref(&node) };
    let is_long_list = parts.len() > MAX_PARTS && !has_braces;
    if is_long_list || has_pattern || !walk_correct(builder, whole, STATEMENTS, context) {
        for (index, tokens) in parts.into_iter().take(MAX_PARTS).enumerate() {
            let is_pattern = has_pattern && index == 1;
            if !is_pattern || !walk_correct(builder, tokens, PATTERN, context) {
                part(builder, tokens, context);
            }
        }
    }
    NESTING.set(nesting);
}

/// The tokens between the commas, semicolons and arrows of a token tree, one more than are read.
fn parts<'a, 't>(inside: &'a [Node<'t>]) -> Vec<&'a [Node<'t>]> {
    let parts = inside.split(|token| matches!(token.kind(), "," | ";" | "=>"));
    parts.map(without_label).filter(|tokens| !tokens.is_empty()).take(MAX_PARTS + 1).collect()
}

/// Whether a token is a block in braces.
fn is_block(builder: &Builder<'_>, token: Node<'_>) -> bool {
    token.kind() == "token_tree" && builder.text(token).starts_with('{')
}

/// The value of `name = value` and `"key": value`, without the sigil of a field of a log record.
fn without_label<'a, 't>(tokens: &'a [Node<'t>]) -> &'a [Node<'t>] {
    let value = match tokens {
        [label, sign, value @ ..] if label.is_named() && matches!(sign.kind(), "=" | ":") => value,
        _ => tokens,
    };
    match value {
        [sigil, value @ ..] if matches!(sigil.kind(), "%" | "?") => value,
        _ => value,
    }
}

/// Walks a part. Blocks in one with syntax errors are walked on their own, the first [`MAX_PARTS`].
fn part(builder: &mut Builder<'_>, tokens: &[Node<'_>], context: &Context) {
    if let [token] = tokens
        && token.kind() == "token_tree"
    {
        return token_tree(builder, *token, false, context);
    }
    if walk_correct(builder, tokens, STATEMENTS, context) {
        return;
    }
    let blocks = tokens.iter().copied().filter(|token| is_block(builder, *token)).take(MAX_PARTS);
    let blocks: Vec<Node<'_>> = blocks.collect();
    let between = tokens.split(|token| is_block(builder, *token)).take(MAX_PARTS + 1);
    let between: Vec<&[Node<'_>]> = between.collect();
    for tokens in between {
        if let Some((tree, end)) = parsed(builder, tokens, STATEMENTS) {
            walk(builder, &tree, end, context);
        }
    }
    blocks.into_iter().for_each(|block| token_tree(builder, block, false, context));
}

/// Parses tokens and walks them, if there is no syntax error. Returns whether there is none.
fn walk_correct(
    builder: &mut Builder<'_>,
    tokens: &[Node<'_>],
    around: (&str, &str),
    context: &Context,
) -> bool {
    let parsed = parsed(builder, tokens, around).filter(|(tree, _)| !tree.root_node().has_error());
    parsed.map(|(tree, end)| walk(builder, &tree, end, context)).is_some()
}

/// The syntax tree of tokens between two texts, and where the tokens end.
fn parsed(builder: &Builder<'_>, tokens: &[Node<'_>], around: (&str, &str)) -> Option<(Tree, usize)> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    let range = Range {
        start_byte: first.start_byte(),
        end_byte: last.end_byte(),
        start_point: first.start_position(),
        end_point: last.end_position(),
    };
    let mut parser = parse::parser(&grammar(Language::Rust)?)?;
    let tree = parse::parse_range(&mut parser, builder.text, range, around)?;
    Some((tree, range.end_byte))
}

fn walk(builder: &mut Builder<'_>, tree: &Tree, end: usize, context: &Context) {
    builder.until(end, |builder| {
        // Attributes precede their item.
        let mut attribute = None;
        for statement in parts_and_errors(tree.root_node()) {
            if statement.kind() == "attribute_item" {
                attribute = attribute.or(Some(statement));
                continue;
            }
            // The list of the arguments.
            let list = children(statement).into_iter().next();
            match list.filter(|list| matches!(list.kind(), "tuple_expression" | "parenthesized_expression")) {
                Some(list) => {
                    children(list).into_iter().for_each(|item| builder.item(argument(item), None, context));
                }
                None => builder.item(statement, attribute.take(), context),
            }
        }
    });
}

/// The value of an argument `name = value`, or the argument itself.
fn argument(node: Node<'_>) -> Node<'_> {
    let is_label = node.kind() == "assignment_expression"
        && node.child_by_field_name("left").is_some_and(|left| left.kind() == "identifier");
    node.child_by_field_name("right").filter(|_| is_label).unwrap_or(node)
}
