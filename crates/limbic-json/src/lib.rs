//! The JSON text of large answers.
//!
//! In WebAssembly, limbic-tools is built for size, and with it the generic code of `serde_json` that it uses: escaping
//! the strings of an answer took longer than reading them from the database. This crate is built for speed. It takes
//! answers without their types, because code that is generic over them would be compiled in limbic-tools again.

use erased_serde::Serialize;

/// Serialises an answer as `serde_json::to_string` does.
///
/// # Errors
/// As there: a map whose keys are not text, or an error of the value's own `Serialize`.
pub fn to_text(answer: &dyn Serialize) -> serde_json::Result<String> {
    serde_json::to_string(answer)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(serde::Serialize)]
    struct Sample<'a> {
        text: &'a str,
        number: f64,
        nested: Vec<Option<i64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<bool>,
    }

    #[test]
    fn the_text_is_that_of_serde_json() -> serde_json::Result<()> {
        let nested = vec![Some(i64::MIN), None];
        let sample = Sample { text: "\"\\\u{1}\n\u{2028}é", number: 0.1, nested, missing: None };
        assert_eq!(to_text(&sample)?, serde_json::to_string(&sample)?);
        let expected = "{\"text\":\"\\\"\\\\\\u0001\\n\u{2028}é\",\"number\":0.1,\"nested\":[-9223372036854775808,null]}";
        assert_eq!(to_text(&sample)?, expected);
        Ok(())
    }

    #[test]
    fn keys_that_are_no_text_are_errors() {
        assert!(to_text(&BTreeMap::from([(vec![1], 2)])).is_err());
    }
}
