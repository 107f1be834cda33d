//! How memories look in answers, and the words that their fields take.

use std::borrow::Cow;

use limbic_core::{
    Result, Transaction,
    store::memories::{self, MemoryNode, near_duplicate_edges},
};
use limbic_guard::escape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::redact::free_key;

/// An enum of words, as arguments take them and as the database keeps them.
macro_rules! words {
    ($(#[doc = $doc:literal])+ $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum $name { $(#[serde(rename = $word)] $variant),+ }

        impl $name {
            /// The word.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

words! {
    /// What sort of statement a memory is.
    Category { Fact = "fact", Preference = "preference", Decision = "decision", Convention = "convention" }
}
words! {
    /// What a memory is of: events, knowledge, or how something is done.
    MemoryType { Episodic = "episodic", Semantic = "semantic", Procedural = "procedural" }
}
words! {
    /// Where a memory stands, from always loaded to looked for.
    Tier { L0 = "l0", L1 = "l1", L2 = "l2", L3 = "l3", L4 = "l4" }
}
words! {
    /// How much a memory is used.
    Heat { Cold = "cold", Warm = "warm", Hot = "hot" }
}

/// A memory with all that is known of it; what is missing holds nothing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MemoryView {
    /// Unique.
    pub id: String,
    /// The text.
    pub content: String,
    /// How many characters a write has cut from the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_omitted: Option<usize>,
    /// fact, preference, decision or convention.
    pub category: String,
    /// What it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub subject: String,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The domain it belongs to.
    pub domain: String,
    /// Where it belongs among others, "/" when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tags: Vec<String>,
    /// The text in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// episodic, semantic or procedural.
    pub memory_type: String,
    /// 0 to 10.
    pub importance: f64,
    /// How far it was trusted when it was last stored, used or confirmed.
    pub confidence: f64,
    /// What is left of that by now.
    pub effective_confidence: f64,
    /// Whether it neither decays nor is pruned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub pinned: bool,
    /// l0 to l4.
    pub tier: String,
    /// cold, warm or hot.
    pub heat: String,
    /// How often it was found.
    pub access_count: u32,
    /// When it was last found or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// When it happened, if not when it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_time: Option<String>,
    /// Since when it holds, if not since it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Since when it no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Why it no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalidation_reason: Option<String>,
    /// The memory that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Ids of memories that hold and that a link says it contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub contradicts: Vec<String>,
    /// Ids of memories that hold, are near it by meaning and are another statement: one may correct the other. Link the
    /// right one to the wrong one with supersedes, or remove the link possible_contradiction when both hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub possible_contradiction: Vec<String>,
    /// From when on it is forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What the caller keeps with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// Stored text as it is handed out: what could steer a terminal or turn a line around becomes visible.
pub fn shown(text: String) -> String {
    match escape(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    }
}

/// A value with all its texts as they are handed out, the names of its fields included.
pub fn shown_value(mut value: Value) -> Value {
    show(&mut value);
    value
}

fn shown_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    show_fields(&mut fields);
    fields
}

/// In place: answers may be large, and hardly ever hold anything to change.
fn show(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(changed) = escape(text) {
                *text = changed;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(show),
        Value::Object(fields) => show_fields(fields),
        _ => {}
    }
}

fn show_fields(fields: &mut Map<String, Value>) {
    fields.values_mut().for_each(show);
    if fields.keys().any(|name| matches!(escape(name), Cow::Owned(_))) {
        for (name, value) in std::mem::take(fields) {
            let name = free_key(fields, shown(name));
            fields.insert(name, value);
        }
    }
}

impl MemoryView {
    /// A memory as it is now, with the memories that contradict it or may do so.
    ///
    /// # Errors
    /// Those of the database.
    pub fn marked(tx: &Transaction<'_>, memory: MemoryNode) -> Result<Self> {
        let near = near_duplicate_edges::near_to(tx, &memory)?;
        Ok(Self {
            contradicts: memories::contradicting(tx, &memory.id)?,
            possible_contradiction: near
                .into_iter()
                .filter(|near| !near.is_same)
                .map(|near| near.memory.id)
                .collect(),
            ..Self::new(memory, tx.now_millis())
        })
    }

    /// A memory as it is at a moment, in milliseconds since the Unix epoch.
    pub fn new(memory: MemoryNode, now_millis: i64) -> Self {
        let effective = memory.effective_confidence(now_millis);
        Self {
            id: memory.id,
            content: shown(memory.content),
            content_omitted: None,
            category: memory.category,
            subject: shown(memory.subject),
            source: memory.source.map(shown),
            domain: memory.domain,
            path: Some(shown(memory.path)).filter(|path| path != "/"),
            tags: memory.tags.into_iter().map(shown).collect(),
            summary: memory.summary.map(shown),
            memory_type: memory.memory_type,
            importance: memory.importance,
            confidence: memory.confidence,
            effective_confidence: limbic_core::model::numbers::round(effective, 4),
            pinned: memory.pinned,
            tier: memory.tier,
            heat: memory.heat,
            access_count: memory.access_count,
            last_accessed: memory.last_accessed,
            updated_at: memory.updated_at,
            event_time: Some(memory.event_time).filter(|time| *time != memory.timestamp),
            valid_from: Some(memory.valid_from).filter(|time| *time != memory.timestamp),
            valid_until: memory.valid_until,
            invalidation_reason: memory.invalidation_reason.map(shown),
            superseded_by: memory.superseded_by,
            contradicts: Vec::new(),
            possible_contradiction: Vec::new(),
            expires_at: memory.expires_at,
            user_id: memory.user_id.map(shown),
            created_at: memory.timestamp,
            // Another program may have written what is no object.
            metadata: memory.metadata.and_then(|text| serde_json::from_str(&text).ok()).map(shown_fields),
        }
    }
}

impl MemoryView {
    /// A memory that a write has stored or changed: of a long text the beginning, and long metadata not at all.
    pub fn after_write(memory: MemoryNode, now_millis: i64) -> Self {
        let mut view = Self::new(memory, now_millis);
        if let Some((end, _)) = view.content.char_indices().nth(WRITTEN_CHARACTERS) {
            view.content_omitted = Some(view.content[end..].chars().count());
            view.content.truncate(end);
        }
        let is_long = |fields: &Map<String, Value>| {
            serde_json::to_string(fields).is_ok_and(|text| text.len() > WRITTEN_CHARACTERS)
        };
        view.metadata = view.metadata.filter(|fields| !is_long(fields));
        view
    }
}

/// The most characters of a text that a write repeats.
const WRITTEN_CHARACTERS: usize = 2000;

/// The schema of a memory in answers, where memory_get has the long one.
pub type ShortSchema = Map<String, Value>;
