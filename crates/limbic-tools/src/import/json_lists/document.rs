//! A JSON document whose elements are parsed one by one, so that an invalid one does not affect the others.

use std::{collections::BTreeMap, fmt};

use limbic_core::{Error, Result};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    import::parsed_records::MAX_RECORDS,
    source::{Sequence, Source},
};

/// Maximum number of fields of an object.
const MAX_FIELDS: usize = 1000;

/// The error for a list with too many elements.
const TOO_MANY: &str = "too many elements";

/// A document.
pub enum Document {
    List(Vec<Box<RawValue>>),
    Object(Fields),
}

/// The fields of an object.
pub struct Fields(BTreeMap<String, Box<RawValue>>);

impl Fields {
    /// Returns a field.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name).map(Box::as_ref)
    }

    /// Whether it has this field.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns all fields.
    pub fn all(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_ref()))
    }

    /// Returns the whole object.
    pub fn whole(&self) -> Box<RawValue> {
        to_raw_value(&self.0).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }
}

/// Reads a document; `None` if it is not JSON, or has more elements than an import may have.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn read(source: &mut dyn Source, path: &str) -> Result<Option<Document>> {
    parse(source, path).map(std::result::Result::ok)
}

/// Returns why a document could not be read, or a list in one of its fields: a sentence for people. `None` if nothing
/// is known.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn obstacle(source: &mut dyn Source, path: &str) -> Result<Option<String>> {
    let error = match parse(source, path)? {
        Err(error) => Some(error),
        Ok(Document::List(_)) => None,
        Ok(Document::Object(fields)) => fields.all().find_map(|(_, value)| {
            let is_list = value.get().starts_with('[');
            is_list.then(|| serde_json::from_str::<Document>(value.get()).err()).flatten()
        }),
    };
    Ok(error.and_then(|error| {
        if error.is_eof() {
            Some(format!("The JSON document ends in the middle, at line {}: it is cut off", error.line()))
        } else if error.is_data() && error.to_string().starts_with(TOO_MANY) {
            Some(format!(
                "The JSON document has a list of more than {MAX_RECORDS} elements: divide it into several, and import \
                 them one by one"
            ))
        } else {
            None
        }
    }))
}

fn parse(source: &mut dyn Source, path: &str) -> Result<serde_json::Result<Document>> {
    let unreadable = |reason| Error::UnreadableSource { path: path.to_owned(), reason };
    let mut sequence = Sequence::of_text(source).map_err(unreadable)?;
    let mut reader = std::io::BufReader::new(&mut sequence);
    match serde_json::from_reader::<_, Document>(&mut reader) {
        Err(error) if error.is_io() => {
            let reason = sequence.failure().unwrap_or_else(|| error.to_string());
            Err(Error::UnreadableSource { path: path.to_owned(), reason })
        }
        document => Ok(document),
    }
}

/// Returns the elements of a list; `None` for other values.
pub fn elements(text: &RawValue) -> Option<Vec<Box<RawValue>>> {
    match serde_json::from_str(text.get()) {
        Ok(Document::List(elements)) => Some(elements),
        _ => None,
    }
}

/// Returns the fields of an object; `None` for other values.
pub fn fields(text: &RawValue) -> Option<Fields> {
    match serde_json::from_str(text.get()) {
        Ok(Document::Object(fields)) => Some(fields),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Document, A::Error> {
        let mut found = Vec::new();
        while let Some(element) = list.next_element()? {
            if found.len() == MAX_RECORDS {
                return Err(de::Error::custom(TOO_MANY));
            }
            found.push(element);
        }
        Ok(Document::List(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Document, A::Error> {
        let mut found = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            if found.len() == MAX_FIELDS {
                return Err(de::Error::custom("too many fields"));
            }
            found.insert(key, value);
        }
        Ok(Document::Object(Fields(found)))
    }
}
