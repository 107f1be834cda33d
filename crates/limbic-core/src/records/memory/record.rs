//! The record of a memory, and its validation.

use limbic_guard::redact_personal;
use serde::{Deserialize, Serialize};

use super::{
    checks::{check_bytes, check_confidence, check_content, check_secret, check_secret_by_topics},
    origin::WrittenBy,
};
use crate::{
    model::{
        memory_words::{Category, Heat, MemoryType, Tier},
        words::{Named, Word},
    },
    records::{RedactJson, check, check_name, check_text, weight},
    store::id_validation,
};

/// Maximum length of ids and users' names in characters, as tools accept them.
const MAX_ID: usize = 200;

/// A memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Unique id.
    pub id: String,
    /// Id of its domain; `None` for the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The text.
    pub content: String,
    /// Category; another program's word is refused when it is stored.
    #[serde(default)]
    pub category: Word<Category>,
    /// Subject, in a word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Where it came from: a file, the user, an inference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Path, `/` or `/a/b`.
    #[serde(default = "root", skip_serializing_if = "is_root")]
    pub path: String,
    /// Tags, in alphabetical order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Short form of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// When the summary was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_at: Option<String>,
    /// Memory type; another program's word is refused when it is stored.
    #[serde(default)]
    pub memory_type: Word<MemoryType>,
    /// Importance, 0 to 10.
    #[serde(default = "one", with = "weight")]
    pub importance: f64,
    /// Confidence when it was last stored, used or confirmed: 0 to 1.
    #[serde(default = "one", with = "weight")]
    pub confidence: f64,
    /// Whether it neither decays nor is pruned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Tier; another program's word is refused when it is stored.
    #[serde(default)]
    pub tier: Word<Tier>,
    /// Heat; another program's word is refused when it is stored.
    #[serde(default)]
    pub heat: Word<Heat>,
    /// How often it was recalled or opened.
    #[serde(default)]
    pub access_count: i64,
    /// When it was last found or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// The time of which the confidence is, if later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_at: Option<String>,
    /// Number of promotions to a higher tier.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub promotion_count: i64,
    /// When it was last promoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_promoted_at: Option<String>,
    /// When it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it was last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// When it was last stated, if later than it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_at: Option<String>,
    /// When it happened, if not when it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_time: Option<String>,
    /// When it was stored in the database that it was first stored in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingestion_time: Option<String>,
    /// Start of validity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// End of validity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Why its validity ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalidation_reason: Option<String>,
    /// Id of the memory that superseded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The caller's object, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// Origin that first wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<WrittenBy>,
}

pub(super) fn root() -> String {
    "/".to_owned()
}

fn is_root(path: &str) -> bool {
    path == "/"
}

pub(crate) fn one() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &i64) -> bool {
    *count == 0
}

/// Returns the reason why another program's word cannot be stored; `None` for one of Limbic's.
pub(crate) fn other_word<T: Named>(what: &str, word: &Word<T>) -> Option<String> {
    match word {
        Word::Known(_) => None,
        Word::Other(word) => Some(format!("{what} must be one of {}, but got {word:?}", T::WORDS.join(", "))),
    }
}

/// Returns the reason why no tool would accept an id as an argument, if there is one.
fn check_id(what: &str, id: &str) -> Option<String> {
    check(what, id, MAX_ID).or_else(|| {
        (!id_validation::is_plain(id))
            .then(|| format!("{what} holds control, bidirectional or invisible characters"))
    })
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            id: String::new(),
            domain: None,
            content: String::new(),
            category: Word::default(),
            subject: String::new(),
            source: None,
            path: root(),
            tags: Vec::new(),
            summary: None,
            summary_at: None,
            memory_type: Word::default(),
            importance: one(),
            confidence: one(),
            pinned: false,
            tier: Word::default(),
            heat: Word::default(),
            access_count: 0,
            last_accessed: None,
            promotion_count: 0,
            confidence_at: None,
            last_promoted_at: None,
            created_at: None,
            updated_at: None,
            stated_at: None,
            event_time: None,
            ingestion_time: None,
            valid_from: None,
            valid_until: None,
            invalidation_reason: None,
            superseded_by: None,
            expires_at: None,
            user_id: None,
            metadata: None,
            written_by: None,
        }
    }
}

impl Memory {
    /// Sets the category or the type that a word of another program denotes; adds a tag if it denotes neither.
    pub fn set_category_or_type(&mut self, word: String) {
        if let Ok(category) = word.parse::<Category>() {
            self.category = category.into();
        } else if let Ok(memory_type) = word.parse::<MemoryType>() {
            self.memory_type = memory_type.into();
        } else {
            self.tags.push(word);
        }
    }

    /// Ends it when it was last changed, as superseded by the memory with this id. Nothing if that is empty.
    pub fn end_as_superseded(&mut self, successor: String) {
        let end = self.updated_at.as_ref().or(self.created_at.as_ref());
        if !successor.is_empty() && end.is_some() {
            self.valid_until = end.cloned();
            self.superseded_by = Some(successor);
        }
    }

    /// Returns the reason why it cannot be stored, if there is one: a sentence for people.
    pub(super) fn wrong(&self) -> Option<String> {
        let texts = [
            ("a subject", Some(&self.subject)),
            ("a source", self.source.as_ref()),
            ("a path", Some(&self.path)),
            ("a summary", self.summary.as_ref()),
            ("a reason", self.invalidation_reason.as_ref()),
        ];
        let counts = 0..=i64::from(u32::MAX);
        self.id
            .is_empty()
            .then(|| "a memory's id must not be empty".to_owned())
            .or_else(|| check_id("an id", &self.id))
            .or_else(|| check_id("a user's name", self.user_id.as_deref()?))
            .or_else(|| check_content(&self.content))
            .or_else(|| other_word("a category", &self.category))
            .or_else(|| other_word("a memory type", &self.memory_type))
            .or_else(|| other_word("a tier", &self.tier))
            .or_else(|| other_word("heat", &self.heat))
            .or_else(|| check_confidence(self.confidence))
            .or_else(|| {
                (!(0.0..=10.0).contains(&self.importance)).then(|| {
                    format!("an importance must be a number from 0 to 10, but got {}", self.importance)
                })
            })
            .or_else(|| {
                [self.access_count, self.promotion_count]
                    .into_iter()
                    .find(|count| !counts.contains(count))
                    .map(|count| {
                        format!("a count must be a whole number from 0 to {}, but got {count}", u32::MAX)
                    })
            })
            .or_else(|| texts.iter().find_map(|(what, text)| check_text(what, text.as_ref()?)))
            .or_else(|| self.tags.iter().find_map(|tag| check_name("a tag", tag)))
            .or_else(|| self.metadata.as_deref().and_then(|text| check_bytes("metadata", text)))
            .or_else(|| self.written_by.as_ref().and_then(WrittenBy::wrong))
            .or_else(|| {
                let texts = texts.iter().filter_map(|(_, text)| *text);
                texts
                    .chain([&self.id])
                    .chain(&self.user_id)
                    .chain(&self.tags)
                    .chain(&self.metadata)
                    .find_map(|text| check_secret(text))
            })
            .or_else(|| {
                let topics = [&self.subject, &self.path].into_iter().chain(&self.tags).map(String::as_str);
                check_secret_by_topics(
                    topics,
                    std::iter::once(self.content.as_str()).chain(self.summary.as_deref()),
                )
            })
    }

    /// Redacts personal data in all its texts; its owner is kept.
    pub(super) fn redact(&mut self, redact_json: RedactJson) {
        let texts = [&mut self.content, &mut self.subject, &mut self.path];
        let optional = [&mut self.source, &mut self.summary, &mut self.invalidation_reason];
        for text in texts.into_iter().chain(&mut self.tags).chain(optional.into_iter().flatten()) {
            *text = redact_personal(text).into_owned();
        }
        self.metadata = self.metadata.as_deref().map(redact_json);
    }
}
