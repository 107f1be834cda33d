//! An element of a list of memories, of any of the formats.

use limbic_core::{
    model::{dates::civil, text::echo},
    records::Memory,
};
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::document;

/// The type that mcp-memory-service gives a memory without one.
const USUAL_TYPE: &str = "note";

/// OpenMemory's states of memories that it does not use.
const UNUSED_STATES: [&str; 3] = ["paused", "archived", "deleted"];

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
    #[serde(borrow, default)]
    label: Option<&'a RawValue>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    block_ids: Option<&'a RawValue>,
    #[serde(default)]
    pub content_hash: Option<String>,
    #[serde(borrow, default)]
    pub tags: Option<&'a RawValue>,
    /// mcp-memory-service's tags in its stored form.
    #[serde(borrow, default)]
    pub tags_str: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub categories: Option<&'a RawValue>,
    /// OpenMemory's categories, by their ids.
    #[serde(borrow, default)]
    pub category_ids: Option<&'a RawValue>,
    #[serde(borrow, default)]
    memory_type: Option<&'a RawValue>,
    /// mcp-memory-service's type in its stored form.
    #[serde(borrow, default, rename = "type")]
    stored_type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "metadata_")]
    stored_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    user_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    agent_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    app_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    run_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    actor_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    role: Option<&'a RawValue>,
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
    #[serde(borrow, default)]
    enabled: Option<&'a RawValue>,
    #[serde(borrow, default)]
    is_deleted: Option<&'a RawValue>,
    #[serde(borrow, default)]
    deleted: Option<&'a RawValue>,
    #[serde(borrow, default)]
    deleted_at: Option<&'a RawValue>,
    /// OpenMemory's state.
    #[serde(borrow, default)]
    state: Option<&'a RawValue>,
    /// Whatever an agent of Letta has in its file.
    #[serde(borrow, default)]
    pub messages: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub memory_blocks: Option<&'a RawValue>,
    #[serde(default)]
    pub conversations_memory: Option<String>,
    #[serde(borrow, default)]
    pub project_memories: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub memory_files: Option<&'a RawValue>,
    /// Names of a file of memories, and its text, where Claude's export has them.
    #[serde(borrow, default)]
    path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    file_path: Option<&'a RawValue>,
    #[serde(borrow, default)]
    filename: Option<&'a RawValue>,
}

/// The metadata of an element.
pub struct Metadata {
    /// Its fields; `None` without an object.
    pub fields: Option<Map<String, Value>>,
    /// Why it is left out, if that is so.
    pub left_out: Option<&'static str>,
}

/// The words of a list of tags.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub words: Vec<String>,
    /// Number of elements that are no words.
    pub unreadable: usize,
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
    /// Returns its text, from whichever field contains it, without the blank lines around it. The indentation of its
    /// first line belongs to it, as that of the others does.
    pub fn content(&self) -> Option<String> {
        let texts = [&self.memory, &self.content, &self.text];
        let text = texts.into_iter().flatten().find(|text| !text.trim().is_empty())?.trim_end();
        let is_blank = |line: &str| line.trim().is_empty();
        let blank: usize = text.split_inclusive('\n').take_while(|line| is_blank(line)).map(str::len).sum();
        Some(text[blank..].to_owned())
    }

    /// Returns the name of a file of memories.
    pub fn file_name(&self) -> Option<String> {
        [self.path, self.file_path, self.filename, self.name].into_iter().flatten().find_map(string)
    }

    /// Returns its name.
    pub fn name(&self) -> Option<String> {
        self.name.and_then(string)
    }

    /// Returns the label and the text of a block of Letta.
    pub fn block(&self) -> Option<(String, String)> {
        Some((string(self.label?)?, string(self.value?)?))
    }

    /// Returns its owner.
    ///
    /// # Errors
    /// A sentence if that cannot be read: such a memory must not become everybody's.
    pub fn user_id(&self) -> Result<Option<String>, String> {
        match self.user_id.map(scalar) {
            None | Some(Some(Value::Null)) => Ok(None),
            Some(Some(Value::String(user))) => Ok(Some(user).filter(|user| !user.is_empty())),
            Some(Some(Value::Number(user))) => Ok(Some(user.to_string())),
            Some(_) => Err("its user_id cannot be read: expected a text".to_owned()),
        }
    }

    /// Returns mcp-memory-service's type of it.
    pub fn memory_type(&self) -> Option<String> {
        self.memory_type.or(self.stored_type).and_then(word)
    }

    /// Returns why its program does not use it, if that is so.
    pub fn disabled(&self) -> Option<String> {
        let is_set = |value: Option<&RawValue>| value.is_some_and(|value| !is_falsy(value));
        if self.enabled.is_some_and(is_falsy) {
            return Some("it is disabled or deleted".to_owned());
        }
        if is_set(self.is_deleted) || is_set(self.deleted) || is_set(self.deleted_at) {
            return Some("it is disabled or deleted".to_owned());
        }
        let state = self.state.and_then(word).filter(|state| UNUSED_STATES.contains(&state.as_str()))?;
        Some(format!("its state is {state:?}"))
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
        words(self.block_ids).words
    }

    /// Returns its metadata, if that is an object or the text of one.
    ///
    /// # Errors
    /// A sentence if it is too large.
    pub fn metadata(&self) -> Result<Metadata, String> {
        let given = self.metadata.or(self.stored_metadata).map(RawValue::get).filter(|text| *text != "null");
        if given.is_some_and(|text| text.len() > MAX_VALUE_BYTES) {
            return Err(format!("metadata must have at most {MAX_VALUE_BYTES} bytes"));
        }
        let left_out = |reason| Ok(Metadata { fields: None, left_out: Some(reason) });
        let value = match given.map(serde_json::from_str::<Value>) {
            None => return Ok(Metadata { fields: None, left_out: None }),
            Some(Ok(value)) => value,
            // It is JSON, as the element is.
            Some(Err(_)) => {
                return left_out("they are nested too deeply, or contain an invalid text or number");
            }
        };
        let value = match value {
            Value::String(text) if text.trim().is_empty() => {
                return Ok(Metadata { fields: None, left_out: None });
            }
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            value => value,
        };
        match value {
            Value::Object(fields) => Ok(Metadata { fields: Some(fields), left_out: None }),
            _ => left_out("they are no object"),
        }
    }

    /// Returns what mem0 states beside the metadata about the origin of a memory.
    pub fn origins(&self) -> impl Iterator<Item = (&'static str, String)> {
        let fields = [
            ("agent_id", self.agent_id),
            ("app_id", self.app_id),
            ("run_id", self.run_id),
            ("actor_id", self.actor_id),
            ("role", self.role),
        ];
        let named = |(name, value): (_, Option<&RawValue>)| Some((name, word(value?)?));
        fields.into_iter().filter_map(named).filter(|(_, value)| !value.is_empty())
    }

    /// When it was stored. Earlier versions of mcp-memory-service wrote local times to its second form.
    pub fn created_at(&self) -> Option<String> {
        let times = [self.created_at, self.created_at_iso, self.created_at_camel, self.date];
        times.into_iter().find_map(timestamp)
    }

    /// When it was changed.
    pub fn updated_at(&self) -> Option<String> {
        [self.updated_at, self.updated_at_iso, self.updated_at_camel].into_iter().find_map(timestamp)
    }
}

/// Sets what mcp-memory-service's type of a memory denotes: a category or a type if there is one, else a tag.
pub fn set_type(memory: &mut Memory, word: Option<&str>) {
    if let Some(word) = word.filter(|word| !word.is_empty() && *word != USUAL_TYPE) {
        memory.set_category_or_type(word.to_owned());
    }
}

/// Returns the id of the memory that mcp-memory-service's metadata name as the later one.
pub fn superseded_by(metadata: &Map<String, Value>) -> Option<String> {
    metadata.get("superseded_by")?.as_str().map(str::to_owned)
}

/// Returns the words of a list, of a text that is split at its commas, or of a text that is a list in JSON.
pub fn words(value: Option<&RawValue>) -> Words {
    let Some(value) = value else { return Words::default() };
    let mut found = Words::default();
    match document::elements(value) {
        Some(items) => items.iter().for_each(|item| found.add(item)),
        None => match scalar(value) {
            Some(Value::String(text)) => match serde_json::from_str::<Vec<Box<RawValue>>>(&text) {
                Ok(items) => items.iter().for_each(|item| found.add(item)),
                Err(_) => found.words.extend(text.split(',').map(|word| word.trim().to_owned())),
            },
            _ => found.add(value),
        },
    }
    found
}

impl Words {
    /// Adds those of another list.
    pub fn extend(&mut self, other: Self) {
        self.words.extend(other.words);
        self.unreadable += other.unreadable;
    }

    /// Adds a word. A missing one is none.
    fn add(&mut self, value: &RawValue) {
        match word(value) {
            Some(word) => self.words.push(word),
            None if value.get() == "null" => {}
            None => self.unreadable += 1,
        }
    }
}

/// Returns a value as a word: a text, a number, a truth value, or the name of an object. `None` for others.
fn word(value: &RawValue) -> Option<String> {
    match scalar(value) {
        Some(Value::String(text)) => Some(text),
        Some(Value::Null) => None,
        Some(other) => Some(other.to_string()),
        None => string(document::fields(value)?.get("name")?),
    }
}

/// Returns the text of a string.
pub fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// Whether a value denotes no.
fn is_falsy(value: &RawValue) -> bool {
    match scalar(value) {
        Some(Value::Null) => true,
        Some(Value::Bool(is_true)) => !is_true,
        Some(Value::Number(number)) => number.as_f64() == Some(0.0),
        Some(Value::String(text)) => {
            ["", "0", "false", "no"].contains(&text.trim().to_ascii_lowercase().as_str())
        }
        _ => false,
    }
}

/// Parses a value that is neither a list nor an object.
fn scalar(value: &RawValue) -> Option<Value> {
    let text = value.get();
    let is_scalar = !text.starts_with(['[', '{']) && text.len() <= MAX_VALUE_BYTES;
    is_scalar.then(|| serde_json::from_str(text).ok()).flatten()
}

/// Returns a time as text: as it is written, or computed from seconds since 1970, or milliseconds, microseconds or
/// nanoseconds, by their size. What is no time is returned as it is written, too, as are fourteen digits that are a day
/// and a time.
pub fn timestamp(value: Option<&RawValue>) -> Option<String> {
    let value = value?;
    let as_written = || Some(echo(value.get()).into_owned());
    match scalar(value) {
        Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::Number(number)) if is_day_and_time(&number.to_string()) => Some(number.to_string()),
        // A day without hyphens has fewer digits.
        Some(Value::String(text)) if text.trim().len() > 8 && !is_day_and_time(text.trim()) => {
            match text.trim().parse().ok().and_then(since_1970) {
                Some(time) => Some(time),
                None => Some(text),
            }
        }
        Some(Value::String(text)) => Some(text),
        Some(Value::Number(number)) => number.as_f64().and_then(since_1970).or_else(as_written),
        _ => as_written(),
    }
}

/// Whether a number is `YYYYMMDDHHMMSS`: as milliseconds it would be later than the year 2500.
fn is_day_and_time(text: &str) -> bool {
    text.len() == 14
        && (text.starts_with("19") || text.starts_with("20"))
        && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes a number of seconds, milliseconds, microseconds or nanoseconds since 1970 as a time; `None` out of its range.
fn since_1970(number: f64) -> Option<String> {
    let seconds = [1.0, 1e3, 1e6, 1e9].into_iter().map(|unit| number / unit);
    let seconds =
        seconds.into_iter().find(|seconds| *seconds < END_OF_YEARS).filter(|seconds| *seconds >= 0.0)?;
    // The range keeps both conversions exact.
    #[allow(clippy::cast_possible_truncation, reason = "bounded above")]
    let millis = (seconds * 1000.0).round() as i64;
    Some(day_and_time(millis))
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
        for (text, time) in [
            (json!("1735689599.25"), "2024-12-31T23:59:59.250Z"),
            (json!(1_735_689_599_250_000_u64), "2024-12-31T23:59:59.250Z"),
            (json!(1_735_689_599_250_000_000_u64), "2024-12-31T23:59:59.250Z"),
            (json!("20240501"), "20240501"),
            (json!("20240501120000"), "20240501120000"),
            (json!(20_240_501_120_000_u64), "20240501120000"),
            (json!("yesterday"), "yesterday"),
            (json!(-1), "-1"),
            (json!(1e30), "1e+30"),
            (json!({}), "{}"),
        ] {
            assert_eq!(timestamp(Some(&raw(&text))).as_deref(), Some(time));
        }
        for missing in [json!(null), json!(""), json!(" ")] {
            assert_eq!(timestamp(Some(&raw(&missing))), None);
        }
    }

    #[test]
    fn words_of_any_form_are_read() {
        let read = |value: Value| words(Some(&raw(&value)));
        let expected = |words: &[&str], unreadable| Words {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            unreadable,
        };
        assert_eq!(
            read(json!(["a", 2024, 1.5, true, null, {"id": 1, "name": "n"}])),
            expected(&["a", "2024", "1.5", "true", "n"], 0)
        );
        assert_eq!(read(json!(["a", ["b"], {"id": 1}])), expected(&["a"], 2));
        assert_eq!(read(json!("a, 7")), expected(&["a", "7"], 0));
        assert_eq!(read(json!("[\"a, b\", 7]")), expected(&["a, b", "7"], 0));
        assert_eq!(read(json!(7)), expected(&["7"], 0));
        assert_eq!(read(json!(null)), expected(&[], 0));
        assert_eq!(read(json!({"x": 1})), expected(&[], 1));
    }

    #[test]
    fn the_indentation_of_a_text_belongs_to_it() {
        for (text, content) in [
            ("    let a;\n    let b;\n", Some("    let a;\n    let b;")),
            ("\n \n  - a\n    - b \n\n", Some("  - a\n    - b")),
            (" \n\t", None),
        ] {
            let element = Element { memory: Some(text.to_owned()), ..Element::default() };
            assert_eq!(element.content().as_deref(), content);
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
