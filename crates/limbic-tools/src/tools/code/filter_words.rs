//! Words that filter searches of source code: a word that no chunk or symbol can have is an error rather than an empty
//! answer.

use limbic_code::{ChunkType, Language, SymbolKind};
use limbic_core::{Error, Result, model::text::echo};

/// The hint for those who look for imports among symbols.
const IMPORTS: &str =
    "Imports are relations: symbol_graph with action references shows what imports a symbol, as type imports";

/// Checks the argument `symbol_type`.
///
/// # Errors
/// [`Error::InvalidArgument`] that names the kinds of symbols; for imports its hint names the tool that shows them.
pub fn check_symbol_type(word: Option<&str>) -> Result<()> {
    let known = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
    check("symbol_type", word, known).map_err(|error| match (error, word) {
        (Error::InvalidArgument { message, .. }, Some("import" | "imports")) => {
            Error::InvalidArgument { message, hint: Some(IMPORTS.to_owned()) }
        }
        (error, _) => error,
    })
}

/// Checks the argument `chunk_type`.
///
/// # Errors
/// [`Error::InvalidArgument`] that names the kinds of chunks.
pub fn check_chunk_type(word: Option<&str>) -> Result<()> {
    check("chunk_type", word, ChunkType::ALL.iter().map(|kind| kind.as_str()).collect())
}

/// Checks the argument `language`.
///
/// # Errors
/// [`Error::InvalidArgument`] that names the languages.
pub fn check_language(word: Option<&str>) -> Result<()> {
    let all = Language::ALL.iter().chain([&Language::Unknown]);
    check("language", word, all.map(|language| language.as_str()).collect())
}

fn check(argument: &str, word: Option<&str>, known: Vec<&str>) -> Result<()> {
    match word {
        Some(word) if !known.contains(&word) => Err(Error::invalid(format!(
            "{argument} must be one of {}, but got {:?}",
            known.join(", "),
            echo(word)
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_nothing_can_have_is_an_error_with_the_possible_ones() {
        let message = |result: Result<()>| result.expect_err("an unknown word").to_string();
        let refused = message(check_symbol_type(Some("macro")));
        assert!(
            refused.ends_with(
                "symbol_type must be one of function, method, class, struct, enum, interface, module, trait, constant, \
                 type, but got \"macro\""
            ),
            "{refused}"
        );
        for (word, has_hint) in [("import", true), ("imports", true), ("macro", false)] {
            let Err(Error::InvalidArgument { hint, .. }) = check_symbol_type(Some(word)) else {
                panic!("{word} is no type of symbols");
            };
            assert_eq!(hint.is_some_and(|hint| hint.contains("symbol_graph")), has_hint, "{word}");
        }
        assert!(
            message(check_chunk_type(Some("method")))
                .contains("one of function, class, struct, module, impl")
        );
        assert!(message(check_language(Some("Python"))).contains("rust, python, javascript"));
        for kind in SymbolKind::ALL {
            assert!(check_symbol_type(Some(kind.as_str())).is_ok());
        }
        assert!(check_language(Some("unknown")).is_ok() && check_chunk_type(None).is_ok());
    }
}
