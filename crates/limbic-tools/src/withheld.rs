//! Texts of calls without secrets, for logs that people read.

use std::collections::BTreeMap;
use std::ops::Range;

use limbic_guard::{SecretKind, find_secret};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::{Answer, topic_secrets::secret_by_topic};

/// Number of characters after the returned ones that are scanned as well: the beginning of a secret may not look like
/// one.
const MAX_AHEAD_CHARS: usize = 4_000;

/// Maximum size of a value, in bytes, that is also scanned together with its name; longer ones are prose.
const MAX_NAMED_BYTES: usize = 1_000;

/// Maximum size of a text, in bytes, in which statements are also scanned together with their topics.
const MAX_RELATED_BYTES: usize = 100_000;

/// The code of a refused call in its answer.
const REFUSED: &str = r#""code":"secret_refused""#;

/// Shown for the arguments of such a call.
const WITHHELD: &str = r#""[withheld: refused for a secret]""#;

/// The field whose value is scanned as a whole, as [`crate::secret_check`] does.
const METADATA: &str = "\"metadata\"";

/// Returns the beginning of a JSON text, with at most `max_chars` characters, in which `[withheld: KIND]` replaces
/// strings that contain a secret, values whose name makes them one, and metadata with one. A text that is not JSON is
/// replaced as a whole, and so is one with a statement that its topic makes a secret.
#[must_use]
pub fn without_secrets(json: &str, max_chars: usize) -> String {
    let mut shown = Shown { text: String::new(), room: max_chars };
    if serde_json::from_str::<IgnoredAny>(json).is_err() {
        let kind = find_secret(beginning(json, max_chars + MAX_AHEAD_CHARS));
        shown.add(&kind.map_or_else(|| json.to_owned(), note));
        return shown.text;
    }
    let value = Some(json).filter(|json| json.len() <= MAX_RELATED_BYTES);
    let value = value.and_then(|json| serde_json::from_str::<Value>(json).ok());
    if let Some(kind) = value.as_ref().and_then(secret_by_topic) {
        shown.add(&literal_of(kind));
        return shown.text;
    }
    let mut rest = json;
    let mut name = "";
    // Names of fields are repeated, and so are many values.
    let mut known = BTreeMap::new();
    while shown.room > 0 {
        let Some(start) = rest.find('"') else {
            shown.add(rest);
            break;
        };
        let (between, tail) = rest.split_at(start);
        if let Some((place, kind)) = secret_metadata(name, between, rest) {
            shown.add(&rest[..place.start]);
            shown.add(&literal_of(kind));
            (name, rest) = ("", &rest[place.end..]);
            continue;
        }
        shown.add(between);
        let (string, after) = tail.split_at(end_of_string(tail));
        let is_short = string.len() <= MAX_NAMED_BYTES;
        let field = (between.trim() == ":" && is_short).then_some(name);
        let scan = || secret_in(string, field, shown.room);
        let kind = if is_short { *known.entry((field, string)).or_insert_with(scan) } else { scan() };
        match kind {
            Some(kind) => shown.add(&literal_of(kind)),
            None => shown.add(string),
        }
        (name, rest) = (string, after);
    }
    shown.text
}

/// As [`without_secrets`], for the arguments of a call with this answer. Those of a call that was refused for a secret
/// are replaced as a whole: what is stored may make a text a secret that is none by itself.
#[must_use]
pub fn arguments_without_secrets(arguments: &str, answer: &Answer, max_chars: usize) -> String {
    if answer.is_error && answer.json.contains(REFUSED) {
        return beginning(WITHHELD, max_chars).to_owned();
    }
    without_secrets(arguments, max_chars)
}

/// The returned text, and the number of characters that it may still get.
struct Shown {
    text: String,
    room: usize,
}

impl Shown {
    fn add(&mut self, piece: &str) {
        let piece = beginning(piece, self.room);
        self.room -= piece.chars().count();
        self.text.push_str(piece);
    }
}

/// The kind of the secret in a string, given as JSON, or that it is as the value of this field.
fn secret_in(string: &str, field: Option<&str>, room: usize) -> Option<SecretKind> {
    let text: String = serde_json::from_str(string).unwrap_or_else(|_| string.to_owned());
    let named = || field.and_then(|field| find_secret(&format!("{field}:{string}")));
    find_secret(beginning(&text, room.saturating_add(MAX_AHEAD_CHARS))).or_else(named)
}

/// The place and the kind of a secret in metadata, if that is the name of the object which `between` begins.
fn secret_metadata(name: &str, between: &str, rest: &str) -> Option<(Range<usize>, SecretKind)> {
    let start = between.find('{').filter(|_| name == METADATA)?;
    let is_value = between[..start].trim() == ":" && between[start + 1..].trim().is_empty();
    let object = rest.get(start..).filter(|_| is_value)?;
    let mut values = serde_json::Deserializer::from_str(object).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    find_secret(&object[..end]).map(|kind| (start..start + end, kind))
}

/// The length of the string that a JSON text begins with, in bytes.
fn end_of_string(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(json.len(), |end| end + 2)
}

fn note(kind: SecretKind) -> String {
    format!("[withheld: {}]", kind.name())
}

fn literal_of(kind: SecretKind) -> String {
    format!("\"{}\"", note(kind))
}

/// The first characters of a text.
fn beginning(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 16_000;

    fn token() -> String {
        ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
    }

    #[test]
    fn strings_names_and_metadata_with_a_secret_are_replaced() {
        let token = token();
        for (json, shown) in [
            (
                format!(r#"{{"content":"deploy with \"{token}\"\nnow","tags":["a"]}}"#),
                r#"{"content":"[withheld: GitHub token]","tags":["a"]}"#,
            ),
            (format!(r#"{{"{token}":[1,{{"b":"{token}"}}]}}"#), {
                r#"{"[withheld: GitHub token]":[1,{"b":"[withheld: GitHub token]"}]}"#
            }),
            (r#"{"id":"a", "password" : "kestrel-99-Blue"}"#.to_owned(), {
                r#"{"id":"a", "password" : "[withheld: password assignment]"}"#
            }),
            (r#"{"metadata": {"db": {"password": "kestrel-99-Blue"}}, "b": 1}"#.to_owned(), {
                r#"{"metadata": "[withheld: password assignment]", "b": 1}"#
            }),
            (format!("not JSON {token}"), "[withheld: GitHub token]"),
            (r#"{"memories":[{"content":"kestrel-99-Blue","subject":"database password"}]}"#.to_owned(), {
                r#""[withheld: password assignment]""#
            }),
        ] {
            assert_eq!(without_secrets(&json, MAX), shown);
        }
    }

    #[test]
    fn other_texts_are_shown_as_they_are() {
        for json in [
            r#"{"error":"The text may contain a secret (GitHub token)","code":"secret_refused","hint":"Store a reference"}"#,
            r#"{"id":"7f3a9c0e2b5d","session":"a1b2c3d4","plan":"plan_7f3a9c0e2b5d4e61","domain":"general","category":"decision"}"#,
            r#"{"query":"where is the password kept?","limit":5,"cursor":"eyJvZmZzZXQiOjUwfQ"}"#,
            r#"{"a":"\\","b":"\\\"","c":[],"d":{},"metadata":{},"e":{"metadata":{"k":"v"}}}"#,
            "{}",
            "",
            "not JSON",
            "\"\\ud800\"",
        ] {
            assert_eq!(without_secrets(json, MAX), json);
        }
    }

    #[test]
    fn arguments_of_a_call_that_was_refused_for_a_secret_are_replaced() {
        let arguments = r#"{"id":"a","content":"kestrel-99-Blue"}"#;
        let answer = |is_error, json: &str| Answer { is_error, json: json.to_owned() };
        let refused = answer(true, r#"{"error":"Nothing was stored","code":"secret_refused"}"#);
        assert_eq!(arguments_without_secrets(arguments, &refused, MAX), WITHHELD);
        let other = answer(true, r#"{"error":"not \"code\":\"secret_refused\"","code":"internal"}"#);
        assert_eq!(arguments_without_secrets(arguments, &other, MAX), arguments);
        let shown = answer(false, r#"{"memory":{"metadata":{"code":"secret_refused"}}}"#);
        assert_eq!(arguments_without_secrets(arguments, &shown, MAX), arguments);
    }

    #[test]
    fn a_cut_text_shows_no_part_of_a_secret() {
        let json = format!(r#"{{"a":"{}","b":"{}"}}"#, "x ".repeat(20), token());
        let whole = without_secrets(&json, MAX);
        for max_chars in 0..json.len() {
            let shown = without_secrets(&json, max_chars);
            assert_eq!(shown, beginning(&whole, max_chars));
        }
        let json = format!(r#"{{"a":"{} {}"}}"#, "word ".repeat(100), token());
        assert!(without_secrets(&json, 520).starts_with(r#"{"a":"[withheld"#));
        assert_eq!(without_secrets(&"é".repeat(20), 7), "é".repeat(7));
    }
}
