//! Removes personal data from what is stored, if enabled.

use limbic_guard::redact_personal;
use serde_json::{Map, Value};

/// Returns a text without personal data.
pub fn text(text: String) -> String {
    redact_personal(&text).into_owned()
}

/// Returns an object without personal data, in keys and values at any depth. Keys that become equal are numbered.
pub fn object(fields: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, field) in fields {
        out.insert(free_key(&out, text(key)), value(field));
    }
    out
}

/// Returns a key that the object does not have yet: this one, or with a number.
pub fn free_key(object: &Map<String, Value>, key: String) -> String {
    if !object.contains_key(&key) {
        return key;
    }
    let numbered = (2..).map(|number| format!("{key} {number}")).find(|key| !object.contains_key(key));
    numbered.unwrap_or(key)
}

/// Returns the JSON text of an object without personal data. Text that is not JSON is treated as plain text.
pub fn json(given: &str) -> String {
    match serde_json::from_str(given) {
        Ok(Value::Object(fields)) => Value::Object(object(fields)).to_string(),
        Ok(other) => value(other).to_string(),
        Err(_) => text(given.to_owned()),
    }
}

fn value(given: Value) -> Value {
    match given {
        Value::String(given) => Value::String(text(given)),
        // A card number may be written as a JSON number.
        Value::Number(number) => {
            let digits = number.to_string();
            let redacted = text(digits.clone());
            if redacted == digits { Value::Number(number) } else { Value::String(redacted) }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        Value::Object(fields) => Value::Object(object(fields)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_numbers_count_and_nothing_is_lost() {
        let given =
            r#"{"ada@acme.dev": {"card": 4242424242424242, "n": 7}, "bob@acme.dev": ["10.2.3.4", null]}"#;
        let wanted = r#"{"[e-mail]":{"card":"[card]","n":7},"[e-mail] 2":["[IP address]",null]}"#;
        assert_eq!(json(given), wanted);
        assert_eq!(json("to ada@acme.dev"), "to [e-mail]");
        assert_eq!(json(wanted), wanted);
    }
}
