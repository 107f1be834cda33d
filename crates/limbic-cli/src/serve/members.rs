//! Members of JSON objects as received: strings may contain lone surrogates, and numbers more digits than a type holds.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The replacement character, in UTF-8.
const REPLACEMENT: [u8; 3] = [0xef, 0xbf, 0xbd];

/// Returns the values of the named members of a JSON object, `None` for those that it does not have, or if the text is
/// no object. Other members are ignored. If a name is repeated, its last value counts, as in JavaScript.
///
/// # Arguments
/// * `json` - JSON.
pub fn members_of<'a, const N: usize>(json: &'a str, names: [&str; N]) -> [Option<&'a RawValue>; N] {
    let mut reader = serde_json::Deserializer::from_str(json);
    Members(names).deserialize(&mut reader).unwrap_or([None; N])
}

/// As [`members_of`], for parameters that may be missing.
pub fn params_of<'a, const N: usize>(
    params: Option<&'a RawValue>,
    names: [&str; N],
) -> [Option<&'a RawValue>; N] {
    params.map_or([None; N], |params| members_of(params.get(), names))
}

/// Returns a JSON string as text, with U+FFFD in place of a lone surrogate; `None` for another value.
pub fn text_of(value: &RawValue) -> Option<String> {
    struct Text;

    impl Visitor<'_> for Text {
        type Value = Vec<u8>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }

    if !value.get().starts_with('"') {
        return None;
    }
    let mut bytes = serde_json::Deserializer::from_str(value.get()).deserialize_bytes(Text).ok()?;
    // UTF-8 of U+D000 to U+D7FF has smaller bytes after this one.
    for start in 0..bytes.len().saturating_sub(2) {
        if bytes[start] == 0xed && bytes[start + 1] >= 0xa0 {
            bytes[start..start + 3].copy_from_slice(&REPLACEMENT);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Whether a value is a JSON object.
pub fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

/// Reads the values of members with these names.
struct Members<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; N];
        while let Some(index) = map.next_key_seed(Name(&self.0))? {
            match index {
                Some(index) => values[index] = Some(map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(values)
    }
}

/// Reads the name of a member as the index among these names; `None` for others.
struct Name<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        // A text could not contain lone surrogates.
        deserializer.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).expect("JSON")
    }

    #[test]
    fn the_last_of_repeated_members_counts_and_others_are_ignored() {
        let json = r#" {"a": 1, "\ud800": 2, "\u0062": [3], "c": {"a": 4}, "a": null, "other": "\ud800"} "#;
        let values = members_of(json, ["a", "b", "d"]).map(|value| value.map(RawValue::get));
        assert_eq!(values, [Some("null"), Some("[3]"), None]);
        for json in ["[1, 2]", "\"a\"", "null", "{", ""] {
            assert!(members_of(json, ["a"]).iter().all(Option::is_none), "{json}");
        }
        let deep = format!(r#"{{"x": {}{}, "a": 1}}"#, "[".repeat(1000), "]".repeat(1000));
        assert_eq!(members_of(&deep, ["a"])[0].map(RawValue::get), Some("1"));
    }

    #[test]
    fn a_lone_surrogate_is_replaced_in_a_text() {
        for (json, text) in [
            (r#""plain \u00e9""#, Some("plain é")),
            (r#""\ud83d\ude00""#, Some("😀")),
            (r#""a\ud800b\udfff""#, Some("a\u{fffd}b\u{fffd}")),
            (r#""\ud7ff""#, Some("\u{d7ff}")),
            ("7", None),
            ("null", None),
        ] {
            assert_eq!(text_of(&raw(json)).as_deref(), text, "{json}");
        }
    }
}
