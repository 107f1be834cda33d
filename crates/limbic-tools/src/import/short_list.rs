//! Lists of bounded length in JSON: a list of short texts takes up to twenty times its size in memory.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};

/// Reads a list of at most `MAX` elements.
///
/// # Errors
/// For more elements.
pub fn short_list<'de, const MAX: usize, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(ListVisitor::<MAX, T>(PhantomData))
}

struct ListVisitor<const MAX: usize, T>(PhantomData<T>);

impl<'de, const MAX: usize, T: Deserialize<'de>> Visitor<'de> for ListVisitor<MAX, T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of at most {MAX} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = list.next_element()? {
            if found.len() == MAX {
                return Err(de::Error::invalid_length(MAX + 1, &self));
            }
            found.push(element);
        }
        Ok(found)
    }
}
