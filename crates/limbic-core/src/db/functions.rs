//! SQL functions that SQLite lacks.

use rusqlite::{Connection, functions::FunctionFlags};

use crate::{
    Result,
    model::{same_statement::same_statement, text, tokenizer},
};

/// Registers Limbic's SQL functions on a connection.
///
/// `fold(text)`: the text in the form in which it is compared without regard to case, also beyond ASCII.
/// `same_statement(text, text)`: whether two texts are one statement.
/// `search_words(text)`: the text with the parts of its words, as the table `entity_words` has it.
/// `search_forms(text)`: further forms of the words of a text, as `memory_content_fts` has them behind the text.
pub(crate) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("fold", 1, flags, |arguments| {
        Ok(arguments.get_raw(0).as_str_or_null()?.map(text::fold))
    })?;
    connection.create_scalar_function("same_statement", 2, flags, |arguments| {
        Ok(same_statement(arguments.get_raw(0).as_str()?, arguments.get_raw(1).as_str()?))
    })?;
    connection.create_scalar_function("search_words", 1, flags, |arguments| {
        Ok(arguments.get_raw(0).as_str_or_null()?.map(tokenizer::with_parts))
    })?;
    connection.create_scalar_function("search_forms", 1, flags, |arguments| {
        Ok(arguments.get_raw(0).as_str_or_null()?.map(tokenizer::forms))
    })?;
    Ok(())
}
