//! Weights as text, without loss: JSON readers round numbers of more than fifteen digits differently, so such a number
//! is written as a string.

use std::fmt;

use serde::{Deserializer, Serializer, de::Visitor};

/// Up to this number of significant digits, every JSON reader reads the same number.
const EXACT_DIGITS: usize = 15;

/// Writes a number, or a string if it has more digits.
///
/// # Errors
/// Errors of the serializer.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn serialize<S: Serializer>(weight: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let text = weight.to_string();
    if weight.is_finite() && text.bytes().filter(u8::is_ascii_digit).count() <= EXACT_DIGITS {
        serializer.serialize_f64(*weight)
    } else {
        serializer.serialize_str(&text)
    }
}

/// Reads either form.
///
/// # Errors
/// Errors of the deserializer, and a string that is not a number.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_any(Weight)
}

struct Weight;

impl Visitor<'_> for Weight {
    type Value = f64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number")
    }

    fn visit_f64<E>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<f64, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<f64, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<f64, E> {
        text.parse().map_err(|_| E::custom("the weight is not a number"))
    }
}
