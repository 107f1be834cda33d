//! SQL functions that SQLite lacks.

use std::{borrow::Cow, collections::BTreeSet};

use rusqlite::{
    Connection,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

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
/// `trim(text, characters)`, `ltrim` and `rtrim`: SQLite's own take time proportional to the product of both lengths,
/// within one step: 20 seconds for two texts of 64 kB.
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
    connection.create_scalar_function("trim", 2, flags, |arguments| trimmed(arguments, true, true))?;
    connection.create_scalar_function("ltrim", 2, flags, |arguments| trimmed(arguments, true, false))?;
    connection.create_scalar_function("rtrim", 2, flags, |arguments| trimmed(arguments, false, true))?;
    Ok(())
}

/// Returns the first argument without the characters of the second one at its start or end; `None` if one is NULL.
fn trimmed(arguments: &Context<'_>, at_start: bool, at_end: bool) -> rusqlite::Result<Option<String>> {
    let (Some(text), Some(characters)) = (text_of(arguments.get_raw(0)), text_of(arguments.get_raw(1)))
    else {
        return Ok(None);
    };
    let removed: BTreeSet<char> = characters.chars().collect();
    let mut kept: &str = &text;
    if at_start {
        kept = kept.trim_start_matches(|letter: char| removed.contains(&letter));
    }
    if at_end {
        kept = kept.trim_end_matches(|letter: char| removed.contains(&letter));
    }
    Ok(Some(kept.to_owned()))
}

fn text_of(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(format!("{number:?}").into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}
