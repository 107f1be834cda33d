//! Cursors of paged lists.

use std::fmt::Write as _;

use limbic_core::{Error, Result, model::text::echo, rusqlite::types::Value};

use crate::percent_encoding::decoded;

/// Returns the error for a cursor that no page has returned.
pub fn invalid(text: &str) -> Error {
    Error::invalid(format!(
        "cursor must be the next_cursor of the previous page, or absent for the first, but got {:?}",
        echo(text)
    ))
}

/// Returns a cursor of the keys by which the last row of a page is ordered. The next page starts after them, whether
/// the row still exists or not.
pub fn after(keys: &[&str]) -> String {
    let mut text = String::new();
    for (index, key) in keys.iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        for byte in key.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_:/".contains(&byte) {
                text.push(char::from(byte));
            } else {
                // Writing to a string never fails.
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// Returns the keys of a cursor of [`after`].
///
/// # Errors
/// [`Error::InvalidArgument`] if it has another number of keys, or is no such cursor.
pub fn keys<const COUNT: usize>(text: &str) -> Result<[String; COUNT]> {
    let keys: Option<Vec<String>> = text.split('.').map(decoded).collect();
    keys.and_then(|keys| keys.try_into().ok()).ok_or_else(|| invalid(text))
}

/// The start of the next page: an entity, and within it an observation and a relation, by row number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The first entity.
    pub entity: i64,
    /// The first observation of that entity.
    pub observation: i64,
    /// The first relation of that entity.
    pub relation: i64,
}

impl Cursor {
    /// Parses the output of [`Cursor::to_text`]; `None` is the start.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::default()) };
        let numbers: Option<Vec<i64>> = text.split('.').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some([entity, observation, relation]) => {
                Ok(Self { entity: *entity, observation: *observation, relation: *relation })
            }
            _ => Err(invalid(text)),
        }
    }

    /// Returns the text that callers pass back.
    pub fn to_text(self) -> String {
        format!("{}.{}.{}", self.entity, self.observation, self.relation)
    }
}

/// Returns a value of a column as a key of a cursor; `None` for a BLOB, by which no list is ordered.
pub fn key_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("n".into()),
        Value::Integer(number) => Some(format!("i{number}")),
        Value::Real(number) => Some(format!("r{number}")),
        Value::Text(text) => Some(format!("t{text}")),
        Value::Blob(_) => None,
    }
}

/// Parses a key of [`key_of`].
pub fn value_of(key: &str) -> Option<Value> {
    let mut letters = key.chars();
    let form = letters.next()?;
    let rest = letters.as_str();
    match form {
        'n' if rest.is_empty() => Some(Value::Null),
        'i' => rest.parse().ok().map(Value::Integer),
        'r' => rest.parse().ok().filter(|number: &f64| !number.is_nan()).map(Value::Real),
        't' => Some(Value::Text(rest.to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_as_they_were() {
        for keys in [["a.b", "", "1.5"], ["Île ☕ %2E", "\u{202e}\n", "a/b:c"]] {
            let text = after(&keys);
            assert!(
                text.is_ascii() && self::keys(&text).is_ok_and(|found: [String; 3]| found == keys),
                "{text}"
            );
        }
        for text in ["", "a.b", "a.b.c.d", "a.b.%", "a.b.%ff"] {
            assert!(keys::<3>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_come_back_as_they_were() {
        let texts = ["", "n", "Île"].map(|text| Value::Text(text.into()));
        let numbers = [0.1 + 0.2, 1e300, -0.0, f64::INFINITY].map(Value::Real);
        for value in texts.into_iter().chain(numbers).chain([Value::Null, Value::Integer(i64::MIN)]) {
            assert_eq!(key_of(&value).and_then(|key| value_of(&key)), Some(value));
        }
        for key in ["", "nx", "i1.5", "rNaN", "x"] {
            assert_eq!(value_of(key), None, "{key}");
        }
    }
}
