//! Views of memories in answers, and the words that their fields take.

use std::borrow::Cow;

use limbic_core::{
    Result, Transaction,
    model::memory_words::{self, Word},
    store::memories::{
        self, MemoryNode,
        code_links::{CodeLink, CodeState, Current},
        near_duplicate_edges,
    },
};
use limbic_guard::{escape, one_line};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::redact::free_key;

/// An enum of words, as arguments take them.
macro_rules! words {
    ($(#[doc = $doc:literal])+ $name:ident { $($variant:ident),+ $(,)? }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        #[schemars(inline)]
        pub enum $name { $($variant),+ }

        impl From<$name> for memory_words::$name {
            fn from(word: $name) -> Self {
                match word { $($name::$variant => Self::$variant),+ }
            }
        }
    };
}

words! {
    /// The category of a memory's statement.
    Category { Fact, Preference, Decision, Convention }
}
words! {
    /// The type of a memory: events, knowledge or procedures.
    MemoryType { Episodic, Semantic, Procedural }
}
words! {
    /// The tier of a memory, from always loaded (l0) to searched for (l4).
    Tier { L0, L1, L2, L3, L4 }
}
words! {
    /// The heat of a memory, by use.
    Heat { Cold, Warm, Hot }
}

/// A memory with all its fields; absent fields have no value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MemoryView {
    /// Unique.
    pub id: String,
    /// The text.
    pub content: String,
    /// Count of characters cut from the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_omitted: Option<usize>,
    /// fact, preference, decision or convention.
    #[schemars(with = "String")]
    pub category: Word<memory_words::Category>,
    /// Its subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub subject: String,
    /// Where it came from: a file, the user, an inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Id of its domain.
    pub domain: String,
    /// Path; default "/".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Labels to filter by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tags: Vec<String>,
    /// Short form of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// episodic, semantic or procedural.
    #[schemars(with = "String")]
    pub memory_type: Word<memory_words::MemoryType>,
    /// 0 to 10.
    pub importance: f64,
    /// Confidence when last stored, used or confirmed.
    pub confidence: f64,
    /// Confidence after decay.
    pub effective_confidence: f64,
    /// Whether it is exempt from decay and pruning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub pinned: bool,
    /// l0 to l4.
    #[schemars(with = "String")]
    pub tier: Word<memory_words::Tier>,
    /// cold, warm or hot.
    #[schemars(with = "String")]
    pub heat: Word<memory_words::Heat>,
    /// How often it was recalled or opened.
    pub access_count: u32,
    /// When it was last recalled or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// When it happened, if not when stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_time: Option<String>,
    /// Start of validity, if not when stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Why it was invalidated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalidation_reason: Option<String>,
    /// Id of the memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Ids of valid memories linked by contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub contradicts: Vec<String>,
    /// Ids of valid memories near in meaning that may correct it or be corrected. Link the right one to the wrong one
    /// with supersedes, or remove the link possible_contradiction if both hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub possible_contradiction: Vec<String>,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The caller's object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Origin that first wrote it, such as client:NAME, hook:PROJECT or import:FILE#ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Whether it waits for confirmation by a person: hooks show it only in the project where it was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub unconfirmed: bool,
    /// Symbols of code that it is about, and whether their code has changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub symbols: Vec<CodeLinkView>,
}

/// A symbol of code that a memory is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CodeLinkView {
    /// Id of the symbol when it was linked.
    pub symbol_id: String,
    /// holds: unchanged; changed: check the memory; moved: elsewhere in the project; gone: deleted; unknown: not
    /// indexed or readable.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub state: Option<CodeState>,
    /// Id of the symbol now, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// Whether it was found in the memory's text, rather than given.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub in_text: bool,
}

impl CodeLinkView {
    /// Returns the view of a link and its state.
    pub fn new(link: &CodeLink, current: &Current) -> Self {
        Self {
            symbol_id: link.symbol_id(),
            state: Some(current.state),
            now: current.elsewhere.as_ref().map(|place| link.id_at(place)),
            in_text: !link.is_given,
        }
    }

    /// Returns the view of a link whose state this server cannot know.
    pub fn without_state(link: &CodeLink) -> Self {
        Self { symbol_id: link.symbol_id(), state: None, now: None, in_text: !link.is_given }
    }

    /// Whether the code has changed.
    pub fn is_due(&self) -> bool {
        self.state.is_some_and(CodeState::is_due)
    }
}

/// Returns the summary or the text of a memory, in one line of at most `most_characters`.
pub fn title(memory: &MemoryNode, most_characters: usize) -> String {
    let text =
        memory.summary.as_deref().filter(|summary| !summary.trim().is_empty()).unwrap_or(&memory.content);
    one_line(text, most_characters)
}

/// How an answer has the texts that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// Escaped for output.
    Escaped,
    /// As they are, for a program that stores them again.
    AsStored,
}

impl Texts {
    /// Returns a stored text as answers have it.
    pub fn of(self, text: String) -> String {
        if self == Self::Escaped { shown(text) } else { text }
    }

    fn of_fields(self, fields: Map<String, Value>) -> Map<String, Value> {
        if self == Self::Escaped { shown_fields(fields) } else { fields }
    }
}

/// Returns stored text escaped for output: terminal control and bidirectional characters become visible.
pub fn shown(text: String) -> String {
    match escape(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(changed) => changed,
    }
}

/// Returns a value with all its texts and field names escaped for output.
pub fn shown_value(mut value: Value) -> Value {
    show(&mut value);
    value
}

fn shown_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    show_fields(&mut fields);
    fields
}

/// Works in place: answers may be large and rarely need a change.
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
    /// Returns the current state of a memory, with the memories that contradict it or may do so.
    pub fn marked(tx: &Transaction<'_>, memory: MemoryNode, texts: Texts) -> Result<Self> {
        let memory = without_foreign_successor(tx, memory)?;
        let near = near_duplicate_edges::near_to(tx, &memory)?;
        Ok(Self {
            contradicts: memories::contradicting(tx, &memory.id)?,
            possible_contradiction: near
                .into_iter()
                .filter(|near| !near.is_same)
                .map(|near| near.memory.id)
                .collect(),
            ..Self::new(memory, tx.now_millis(), texts)
        })
    }

    /// Returns the state of a memory at an earlier time.
    pub fn earlier(tx: &Transaction<'_>, memory: MemoryNode, texts: Texts) -> Result<Self> {
        Ok(Self::new(without_foreign_successor(tx, memory)?, tx.now_millis(), texts))
    }

    /// Returns the view of a memory at a time in milliseconds since the Unix epoch.
    pub fn new(memory: MemoryNode, now_millis: i64, texts: Texts) -> Self {
        let shown = |text: String| texts.of(text);
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
            // Another program may have written another value.
            metadata: memory
                .metadata
                .and_then(|text| serde_json::from_str(&text).ok())
                .map(|fields| texts.of_fields(fields)),
            origin: memory.origin.map(shown),
            unconfirmed: memory.is_unconfirmed,
            symbols: Vec::new(),
        }
    }
}

impl MemoryView {
    /// Returns a memory that a write has stored or changed, with a long text cut and long metadata omitted.
    pub fn after_write(memory: MemoryNode, now_millis: i64, texts: Texts) -> Self {
        let mut view = Self::new(memory, now_millis, texts);
        // The caller has just sent it.
        view.origin = None;
        if let Some((end, _)) = view.content.char_indices().nth(MAX_WRITTEN_CHARACTERS) {
            view.content_omitted = Some(view.content[end..].chars().count());
            view.content.truncate(end);
        }
        let is_long = |fields: &Map<String, Value>| {
            serde_json::to_string(fields).is_ok_and(|text| text.len() > MAX_WRITTEN_CHARACTERS)
        };
        view.metadata = view.metadata.filter(|fields| !is_long(fields));
        view
    }
}

/// Returns a memory; if it has an owner, it does not name the memory of another user that replaced it.
fn without_foreign_successor(tx: &Transaction<'_>, mut memory: MemoryNode) -> Result<MemoryNode> {
    if let (Some(_), Some(successor)) = (&memory.user_id, &memory.superseded_by)
        && memories::user_of(tx, successor)? != memory.user_id
    {
        memory.superseded_by = None;
    }
    Ok(memory)
}

/// Effective confidence below which a short answer shows it, as a caveat.
const DOUBTFUL: f64 = 0.5;

/// A memory with the fields that a model needs: id and text, subject, the day of the event, and caveats.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BriefMemory {
    /// Unique.
    pub id: String,
    /// The text.
    content: String,
    /// preference, decision or convention; absent from a short memory if it is a fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    category: Option<Word<memory_words::Category>>,
    /// Its subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    subject: String,
    /// Its domain; of a short memory only where several domains were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    /// Of a short memory: the day of the event, or when it was stored.
    date: String,
    /// Confidence after decay; of a short memory only if it is low.
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_confidence: Option<f64>,
    /// When it ended; of a short memory the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    /// Why it was invalidated.
    #[serde(skip_serializing_if = "Option::is_none")]
    invalidation_reason: Option<String>,
    /// Id of the memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    /// Ids of valid memories linked by contradicts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    contradicts: Vec<String>,
    /// Ids of valid memories near in meaning that may correct it or be corrected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    possible_contradiction: Vec<String>,
    /// Whether it waits for confirmation by a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    unconfirmed: bool,
    /// Symbols of code that it is about; of a short memory those whose code changed, moved or is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    symbols: Vec<CodeLinkView>,
}

impl BriefMemory {
    /// Returns a memory with the fields that a model needs. `has_domain`: whether to name its domain.
    pub fn new(memory: MemoryView, has_domain: bool) -> Self {
        let day = |time: String| time.chars().take(DAY_CHARS).collect::<String>();
        Self {
            id: memory.id,
            content: memory.content,
            category: Some(memory.category).filter(|category| *category != memory_words::Category::Fact),
            subject: memory.subject,
            domain: has_domain.then_some(memory.domain),
            date: day(memory.event_time.unwrap_or(memory.created_at)),
            effective_confidence: Some(memory.effective_confidence).filter(|value| *value < DOUBTFUL),
            valid_until: memory.valid_until.map(day),
            invalidation_reason: memory.invalidation_reason,
            superseded_by: memory.superseded_by,
            contradicts: memory.contradicts,
            possible_contradiction: memory.possible_contradiction,
            unconfirmed: memory.unconfirmed,
            symbols: memory.symbols.into_iter().filter(CodeLinkView::is_due).collect(),
        }
    }
}

/// Length of the day in a timestamp: 2026-01-01.
const DAY_CHARS: usize = 10;

/// Maximum length of a text that a write returns, in characters.
const MAX_WRITTEN_CHARACTERS: usize = 2000;
