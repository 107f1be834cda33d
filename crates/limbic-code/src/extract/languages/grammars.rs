//! The grammars that this build has.

use tree_sitter::Language as Grammar;

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
