//! Words that filter searches of source code: a word that no chunk or symbol can have is an error rather than an empty
//! answer.

use limbic_code::{ChunkType, Language, SymbolKind};
use limbic_core::{Error, Result, model::text::echo};

/// Checks the argument `symbol_type`.
///
/// # Errors
/// [`Error::InvalidArgument`] that names the kinds of symbols.
pub fn check_symbol_type(word: Option<&str>) -> Result<()> {
    check("symbol_type", word, SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect())
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
        let refused = message(check_symbol_type(Some("import")));
        assert!(
            refused.ends_with(
                "symbol_type must be one of function, method, class, struct, enum, interface, module, trait, constant, \
                 type, but got \"import\""
            ),
            "{refused}"
        );
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
