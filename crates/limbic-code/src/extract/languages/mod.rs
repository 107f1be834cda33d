//! One walk per language: node kinds in, calls of the builder out.

mod arity;
mod c;
mod ecmascript;
mod go;
mod grammars;
mod java;
mod nodes;
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

use tree_sitter::Node;

use super::builder::Builder;
use crate::language::Language;
pub use grammars::grammar;

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
