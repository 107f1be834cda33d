//! Record ids of SurrealDB, the database of Memory MCP Server: `table:id`; an id with characters other than letters,
//! digits and `_` is between `⟨` and `⟩`.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Value, value::RawValue};

/// Maximum size of an id as JSON, in bytes: it is held as a tree until its form is known.
const MAX_BYTES: usize = 100_000;

/// An id in any of the forms that program writes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Number(i64),
    Parts { id: Value },
}

impl<'de> Deserialize<'de> for Thing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        if json.get().len() > MAX_BYTES {
            return Err(D::Error::custom(format!("an id must have at most {MAX_BYTES} bytes")));
        }
        Ok(match serde_json::from_str::<Form>(json.get()).map_err(D::Error::custom)? {
            Form::Text(text) => Self::Text(text),
            Form::Number(number) => Self::Number(number),
            Form::Parts { id } => Self::Parts { id },
        })
    }
}

/// An id.
#[derive(Debug, Clone)]
pub enum Thing {
    /// `table:id`, or only the id.
    Text(String),
    /// Only the id.
    Number(i64),
    /// Two parts; the id may stand under the name of its type.
    Parts {
        /// The id, bare or as `{"String": "..."}`.
        id: Value,
    },
}

impl Thing {
    /// Returns the id without its table, which must be one of these if given.
    pub fn id(&self, tables: &[&str]) -> String {
        match self {
            Self::Text(text) => match text.split_once(':') {
                Some((table, id)) if tables.contains(&table) => bare(id),
                _ => text.clone(),
            },
            Self::Number(number) => number.to_string(),
            Self::Parts { id } => {
                let inner = id.as_object().and_then(|by_type| by_type.values().next()).unwrap_or(id);
                inner.as_str().map_or_else(|| inner.to_string(), str::to_owned)
            }
        }
    }
}

/// Returns an id in that database's notation.
pub fn format(table: &str, id: &str) -> String {
    let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !id.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { format!("{table}:{id}") } else { format!("{table}:⟨{}⟩", id.replace('⟩', "\\⟩")) }
}

fn bare(id: &str) -> String {
    let quoted = id.strip_prefix('⟨').and_then(|rest| rest.strip_suffix('⟩'));
    let quoted = quoted.or_else(|| id.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')));
    quoted.map_or_else(|| id.to_owned(), |inner| inner.replace("\\⟩", "⟩"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_as_they_were() {
        for id in ["plain_1", "42", "0190-7a", "memories:x", "a⟩b", "⟨quoted⟩", "with \\ in it", "`b`"]
        {
            let written = format("memories", id);
            assert_eq!(Thing::Text(written.clone()).id(&["memories"]), id, "{written}");
        }
    }

    #[test]
    fn every_form_is_read() {
        for (json, id) in [
            (r#""memories:abc""#, "abc"),
            (r#""memories:⟨a-b⟩""#, "a-b"),
            (r#""abc""#, "abc"),
            (r#""notes:abc""#, "notes:abc"),
            ("7", "7"),
            (r#"{"tb":"memories","id":"abc"}"#, "abc"),
            (r#"{"tb":"memories","id":{"String":"abc"}}"#, "abc"),
            (r#"{"tb":"memories","id":{"Number":7}}"#, "7"),
        ] {
            let thing: Thing = serde_json::from_str(json).expect("it is one");
            assert_eq!(thing.id(&["memories", "memory"]), id, "{json}");
        }
    }
}
