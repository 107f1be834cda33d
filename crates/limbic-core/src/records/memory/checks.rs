//! What a memory may hold: the limits of the tools, the words of its columns, no personal data where that is redacted.

use super::Memory;
use limbic_guard::{find_secret, redact_personal};

use crate::{
    model::memory_words::{Category, Heat, MemoryType, Tier},
    records::{check_name, check_text, merger::RedactJson},
    store::memories::MOST_BYTES,
};

impl Memory {
    /// Why it cannot be stored, if it cannot: a sentence for people.
    pub(super) fn wrong(&self) -> Option<String> {
        let one_of = |what: &str, word: &str, words: &[&str]| {
            (!words.contains(&word)).then(|| format!("{what} is one of {}, not {word:?}", words.join(", ")))
        };
        let texts = [
            ("a subject", Some(&self.subject)),
            ("a source", self.source.as_ref()),
            ("a path", Some(&self.path)),
            ("a summary", self.summary.as_ref()),
            ("a reason", self.invalidation_reason.as_ref()),
            ("a user's name", self.user_id.as_ref()),
        ];
        let counts = 0..=i64::from(u32::MAX);
        self.id
            .is_empty()
            .then(|| "a memory has no id".to_owned())
            .or_else(|| check_name("an id", &self.id))
            .or_else(|| check_content(&self.content))
            .or_else(|| one_of("a category", &self.category, Category::WORDS))
            .or_else(|| one_of("a memory type", &self.memory_type, MemoryType::WORDS))
            .or_else(|| one_of("a tier", &self.tier, Tier::WORDS))
            .or_else(|| one_of("heat", &self.heat, Heat::WORDS))
            .or_else(|| check_confidence(self.confidence))
            .or_else(|| {
                (!(0.0..=10.0).contains(&self.importance))
                    .then(|| format!("an importance is a number from 0 to 10, not {}", self.importance))
            })
            .or_else(|| {
                (!counts.contains(&self.access_count) || !counts.contains(&self.promotion_count))
                    .then(|| "a count is a whole number from 0 on".to_owned())
            })
            .or_else(|| texts.iter().find_map(|(what, text)| check_text(what, text.as_ref()?)))
            .or_else(|| self.tags.iter().find_map(|tag| check_name("a tag", tag)))
            .or_else(|| self.metadata.as_deref().and_then(|text| check_bytes("metadata", text)))
            .or_else(|| {
                let texts = texts.iter().filter_map(|(_, text)| *text);
                texts
                    .chain([&self.id])
                    .chain(&self.tags)
                    .chain(&self.metadata)
                    .find_map(|text| check_secret(text))
            })
    }
}

impl Memory {
    /// Takes personal data out of all its texts; whose it is stays.
    pub(super) fn redact(&mut self, redact_json: RedactJson) {
        let texts = [&mut self.content, &mut self.subject, &mut self.path];
        let optional = [&mut self.source, &mut self.summary, &mut self.invalidation_reason];
        for text in texts.into_iter().chain(&mut self.tags).chain(optional.into_iter().flatten()) {
            *text = redact_personal(text).into_owned();
        }
        self.metadata = self.metadata.as_deref().map(redact_json);
    }
}

/// Why this cannot be the text of a memory, if it cannot.
pub(crate) fn check_content(content: &str) -> Option<String> {
    content
        .is_empty()
        .then(|| "a memory has no content".to_owned())
        .or_else(|| check_bytes("a memory's content", content))
        .or_else(|| check_secret(content))
}

/// Why a text cannot be stored for a secret in it, if it cannot.
pub(crate) fn check_secret(text: &str) -> Option<String> {
    find_secret(text).map(|kind| format!("it seems to hold a secret ({})", kind.name()))
}

/// Why this cannot be a confidence, if it cannot.
pub(crate) fn check_confidence(confidence: f64) -> Option<String> {
    (!(0.0..=1.0).contains(&confidence))
        .then(|| format!("a confidence is a number from 0 to 1, not {confidence}"))
}

fn check_bytes(what: &str, text: &str) -> Option<String> {
    if text.len() > MOST_BYTES {
        return Some(format!("{what} takes at most {MOST_BYTES} bytes, this one {}", text.len()));
    }
    text.contains('\0').then(|| format!("{what} contains a NUL character"))
}
