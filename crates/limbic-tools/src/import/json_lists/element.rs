//! An element of a list of memories, of any of the formats.

use limbic_core::{model::dates::civil, records::Memory};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::document;

/// The type that mcp-memory-service gives a memory without one.
const USUAL_TYPE: &str = "note";

/// Maximum size of an object or a scalar that is parsed as a whole, in bytes: it takes up to thirty times its size.
const MAX_VALUE_BYTES: usize = 1_000_000;

/// The year 10,000, in seconds since 1970.
const END_OF_YEARS: f64 = 253_402_300_800.0;

/// The fields of all formats. Those of any type are parsed when they are used: lists only to a number of elements.
#[derive(Default, Deserialize)]
pub struct Element<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    memory: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    pub label: Option<String>,
    #[serde(default)]
    pub value: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(borrow, default)]
    block_ids: Option<&'a RawValue>,
    #[serde(default)]
    pub content_hash: Option<String>,
    #[serde(borrow, default)]
    pub tags: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub categories: Option<&'a RawValue>,
    #[serde(default)]
    pub memory_type: Option<String>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
    #[serde(default)]
    pub user_id: Option<String>,
    #[serde(borrow, default)]
    pub created_at: Option<&'a RawValue>,
    #[serde(borrow, default)]
    updated_at: Option<&'a RawValue>,
    #[serde(borrow, default)]
    created_at_iso: Option<&'a RawValue>,
    #[serde(borrow, default)]
    updated_at_iso: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "createdAt")]
    created_at_camel: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "updatedAt")]
    updated_at_camel: Option<&'a RawValue>,
    #[serde(borrow, default)]
    date: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub expiration_date: Option<&'a RawValue>,
    #[serde(default)]
    pub enabled: Option<bool>,
    #[serde(default)]
    is_deleted: Option<bool>,
    #[serde(borrow, default)]
    deleted_at: Option<&'a RawValue>,
    #[serde(default)]
    pub conversations_memory: Option<String>,
    #[serde(borrow, default)]
    project_memories: Option<&'a RawValue>,
}

/// Reads an element.
///
/// # Errors
/// A sentence that explains why it cannot be read.
pub fn parse(text: &RawValue) -> Result<Element<'_>, String> {
    if let Ok(text) = serde_json::from_str::<String>(text.get()) {
        return Ok(Element { content: Some(text), ..Element::default() });
    }
    if !text.get().starts_with('{') {
        return Err("expected a text or an object".to_owned());
    }
    // The line and column are those within the element. What was found in place of something else may be a secret.
    let reason = |error: serde_json::Error| match error.to_string().split_once(", expected ") {
        Some((_, expected)) => format!("expected {}", expected.split(" at line ").next().unwrap_or(expected)),
        None => "expected an object with the fields of a memory".to_owned(),
    };
    serde_json::from_str(text.get()).map_err(reason)
}

impl Element<'_> {
    /// Returns its text, from whichever field contains it.
    pub fn content(&self) -> Option<String> {
        let texts = [&self.memory, &self.content, &self.text];
        texts.into_iter().flatten().map(|text| text.trim()).find(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Returns its id as text; empty if it has none.
    pub fn id(&self) -> String {
        match self.id.and_then(scalar) {
            Some(Value::String(id)) => id,
            Some(Value::Number(id)) => id.to_string(),
            _ => String::new(),
        }
    }

    /// Returns the ids of its blocks.
    pub fn block_ids(&self) -> Vec<String> {
        words(self.block_ids)
    }

    /// Returns its metadata as JSON, if that is an object.
    ///
    /// # Errors
    /// A sentence if it is too large.
    pub fn metadata(&self) -> Result<Option<String>, String> {
        let Some(object) = self.metadata.map(RawValue::get).filter(|text| text.starts_with('{')) else {
            return Ok(None);
        };
        if object.len() > MAX_VALUE_BYTES {
            return Err(format!("metadata must have at most {MAX_VALUE_BYTES} bytes"));
        }
        Ok(serde_json::from_str::<Value>(object).ok().map(|value| value.to_string()))
    }

    /// Returns the memories of projects by their ids.
    ///
    /// # Errors
    /// A sentence if these are not texts, or too many.
    pub fn project_memories(&self) -> Result<Vec<(String, String)>, String> {
        let Some(object) = self.project_memories else { return Ok(Vec::new()) };
        let wrong = || "expected at most a thousand projects, each with a text".to_owned();
        let fields = document::fields(object).ok_or_else(wrong)?;
        let texts =
            fields.all().map(|(id, text)| Some((id.to_owned(), serde_json::from_str(text.get()).ok()?)));
        texts.collect::<Option<_>>().ok_or_else(wrong)
    }

    /// Whether its program keeps it as deleted.
    pub fn is_deleted(&self) -> bool {
        self.is_deleted == Some(true) || self.deleted_at.is_some()
    }

    /// When it was stored.
    pub fn created_at(&self) -> Option<String> {
        let times = [self.created_at_iso, self.created_at, self.created_at_camel, self.date];
        times.into_iter().find_map(timestamp)
    }

    /// When it was changed.
    pub fn updated_at(&self) -> Option<String> {
        [self.updated_at_iso, self.updated_at, self.updated_at_camel].into_iter().find_map(timestamp)
    }
}

/// Sets what mcp-memory-service's type of a memory denotes: a category or a type if there is one, else a tag.
pub fn set_type(memory: &mut Memory, word: Option<&str>) {
    if let Some(word) = word.filter(|word| !word.is_empty() && *word != USUAL_TYPE) {
        memory.set_category_or_type(word.to_owned());
    }
}

/// Returns the id of the memory that mcp-memory-service's metadata name as the later one.
pub fn superseded_by(metadata: Option<&str>) -> Option<String> {
    let fields = serde_json::from_str::<Value>(metadata?).ok()?;
    fields["superseded_by"].as_str().map(str::to_owned)
}

/// Returns the words of a list, or of a text that is split at its commas.
pub fn words(value: Option<&RawValue>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    match document::elements(value) {
        Some(items) => items.iter().filter_map(|item| serde_json::from_str(item.get()).ok()).collect(),
        None => match scalar(value) {
            Some(Value::String(text)) => text.split(',').map(|word| word.trim().to_owned()).collect(),
            _ => Vec::new(),
        },
    }
}

/// Parses a value that is neither a list nor an object.
fn scalar(value: &RawValue) -> Option<Value> {
    let text = value.get();
    let is_scalar = !text.starts_with(['[', '{']) && text.len() <= MAX_VALUE_BYTES;
    is_scalar.then(|| serde_json::from_str(text).ok()).flatten()
}

/// Returns a time as text: as it is written, or computed from seconds since 1970, or milliseconds, by their size.
pub fn timestamp(value: Option<&RawValue>) -> Option<String> {
    match scalar(value?)? {
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let seconds = if number < END_OF_YEARS { number } else { number / 1000.0 };
            if !(0.0..END_OF_YEARS).contains(&seconds) {
                return None;
            }
            // The range keeps both conversions exact.
            #[allow(clippy::cast_possible_truncation, reason = "bounded above")]
            let millis = (seconds * 1000.0).round() as i64;
            Some(day_and_time(millis))
        }
        _ => None,
    }
}

/// Writes milliseconds since 1970 as `YYYY-MM-DDTHH:MM:SS.mmmZ`.
fn day_and_time(millis: i64) -> String {
    const DAY: i64 = 86_400_000;
    let (year, month, day) = civil(millis.div_euclid(DAY));
    let rest = millis.rem_euclid(DAY);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(value: &Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).expect("JSON")
    }

    #[test]
    fn seconds_are_read_as_timestamps() {
        for (seconds, text) in [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (1_709_164_800.0, "2024-02-29T00:00:00.000Z"),
            (1_735_689_599.25, "2024-12-31T23:59:59.250Z"),
            (1_735_689_600.0, "2025-01-01T00:00:00.000Z"),
            (1_735_689_599_250.0, "2024-12-31T23:59:59.250Z"),
        ] {
            assert_eq!(timestamp(Some(&raw(&json!(seconds)))).as_deref(), Some(text));
        }
        for odd in [json!(-1), json!(1e30), json!(null), json!("")] {
            assert_eq!(timestamp(Some(&raw(&odd))), None);
        }
    }

    #[test]
    fn a_reason_repeats_nothing_of_the_element() {
        let text =
            RawValue::from_string(r#"{"memory": {"s": "secret"}, "tags": 1}"#.to_owned()).expect("JSON");
        let reason = parse(&text).err().expect("a reason");
        assert_eq!(reason, "expected a string");
        let text = RawValue::from_string(r#"["secret"]"#.to_owned()).expect("JSON");
        assert!(parse(&text).is_err_and(|reason| !reason.contains("secret")));
    }
}
