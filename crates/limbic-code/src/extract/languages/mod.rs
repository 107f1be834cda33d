//! One walk per language: node kinds in, calls of the builder out.

mod c;
mod ecmascript;
mod go;
mod java;
mod python;
mod rust;
mod type_text;
#[cfg(feature = "more")]
mod bash;
#[cfg(feature = "more")]
mod cpp;
#[cfg(feature = "more")]
mod csharp;
#[cfg(feature = "more")]
mod html;
#[cfg(feature = "more")]
mod kotlin;
#[cfg(feature = "more")]
mod lua;
#[cfg(feature = "more")]
mod php;
#[cfg(feature = "more")]
mod ruby;
#[cfg(feature = "more")]
mod scala;
#[cfg(feature = "more")]
mod swift;
#[cfg(feature = "more")]
mod table;

use tree_sitter::{Language as Grammar, Node};

use super::builder::Builder;
use crate::language::Language;

/// The grammar of a language, if this build has it.
pub fn grammar(language: Language) -> Option<Grammar> {
    if language.needs_more_grammars() { more_grammar(language) } else { first_grammar(language) }
}

/// The grammars of the feature `grammars`.
#[cfg(feature = "grammars")]
fn first_grammar(language: Language) -> Option<Grammar> {
    match language {
        Language::Rust => Some(tree_sitter_rust::LANGUAGE.into()),
        Language::Python => Some(tree_sitter_python::LANGUAGE.into()),
        Language::JavaScript => Some(tree_sitter_javascript::LANGUAGE.into()),
        Language::TypeScript => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        Language::Tsx => Some(tree_sitter_typescript::LANGUAGE_TSX.into()),
        Language::Go => Some(tree_sitter_go::LANGUAGE.into()),
        Language::Java => Some(tree_sitter_java::LANGUAGE.into()),
        Language::C => Some(tree_sitter_c::LANGUAGE.into()),
        _ => None,
    }
}

/// Without the feature there are none.
#[cfg(not(feature = "grammars"))]
fn first_grammar(_: Language) -> Option<Grammar> {
    None
}

/// The grammars of the feature `more`.
#[cfg(feature = "more")]
fn more_grammar(language: Language) -> Option<Grammar> {
    match language {
        Language::Cpp => Some(tree_sitter_cpp::LANGUAGE.into()),
        Language::CSharp => Some(tree_sitter_c_sharp::LANGUAGE.into()),
        Language::Ruby => Some(tree_sitter_ruby::LANGUAGE.into()),
        Language::Php => Some(tree_sitter_php::LANGUAGE_PHP.into()),
        Language::Bash => Some(tree_sitter_bash::LANGUAGE.into()),
        Language::Kotlin => Some(tree_sitter_kotlin_ng::LANGUAGE.into()),
        Language::Scala => Some(tree_sitter_scala::LANGUAGE.into()),
        Language::Swift => Some(tree_sitter_swift::LANGUAGE.into()),
        Language::Lua => Some(tree_sitter_lua::LANGUAGE.into()),
        Language::Html => Some(tree_sitter_html::LANGUAGE.into()),
        _ => None,
    }
}

/// Without the feature there are none.
#[cfg(not(feature = "more"))]
fn more_grammar(_: Language) -> Option<Grammar> {
    None
}

/// Collects the facts of a file whose language has a grammar.
pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    match builder.language {
        Language::Rust => rust::walk(builder, root),
        Language::Python => python::walk(builder, root),
        Language::JavaScript | Language::TypeScript | Language::Tsx => ecmascript::walk(builder, root),
        Language::Go => go::walk(builder, root),
        Language::Java => java::walk(builder, root),
        Language::C => c::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Cpp => cpp::walk(builder, root),
        #[cfg(feature = "more")]
        Language::CSharp => csharp::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Ruby => ruby::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Php => php::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Bash => bash::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Kotlin => kotlin::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Scala => scala::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Swift => swift::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Lua => lua::walk(builder, root),
        #[cfg(feature = "more")]
        Language::Html => html::walk(builder, root),
        _ => {}
    }
}

/// The named children of a node, without comments.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// The children in a field.
fn field_children<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(|child| child.is_named()).collect()
}

/// The first named child of a kind.
fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    children(node).into_iter().find(|child| child.kind() == kind)
}

/// The text of the comments right above a node, without their markers. `is_doc` says which comments count.
fn comments_above(builder: &Builder<'_>, node: Node<'_>, is_doc: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut below = node.start_position().row;
    let mut previous = node.prev_sibling();
    while let Some(comment) = previous.filter(|comment| comment.kind().contains("comment")) {
        let text = builder.text(comment).trim_end();
        let last_row = comment.start_position().row + text.matches('\n').count();
        if last_row + 1 < below || !is_doc(text) {
            break;
        }
        lines.insert(0, plain_comment(text));
        below = comment.start_position().row;
        previous = comment.prev_sibling();
    }
    lines.join("\n")
}

/// A comment without its markers and the stars in front of its lines.
fn plain_comment(text: &str) -> String {
    let text = text.strip_prefix("/*").map_or(text, |text| text.strip_suffix("*/").unwrap_or(text));
    let bare = |line: &str| {
        let line = line.trim_start();
        let line = line.trim_start_matches(['/', '*', '!', '#']);
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    };
    text.lines().map(bare).collect::<Vec<_>>().join("\n").trim().to_owned()
}
