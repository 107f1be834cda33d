//! The tool explore_memory.

use limbic_core::{
    Error, Result, Transaction,
    explore::{
        confidence::{Confidence, confidence},
        entity,
        lists::{
            link_list::{self, LinkRow},
            memory_list::{self, MemoryRow},
        },
        memory::{self, AuditRow, EarlierRow, Mentioned, Session},
    },
    model::timestamps::stored_form,
    store::{
        memories::{self, MemoryNode},
        origins, timestamps,
    },
};
use limbic_protocol::TextKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::explore_entity::state_name;
use crate::{
    context::Context,
    tool::tool,
    tools::memory::code_links,
    views::{
        memory::{CodeLinkView, shown},
        origin::OriginView,
    },
};

/// Maximum number of records per list.
const MAX_RECORDS: usize = 2000;
/// Maximum number of entries of the audit log.
const MAX_AUDIT: usize = 100;

tool! {
    /// Return one memory with all its data: earlier texts, links and references in both directions, entities it
    /// mentions, confidence history and forecast, sessions that used it, audit log, and the state of its embedding.
    name: "explore_memory",
    title: "Explore a memory",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"id": "0190d2a0-0000-7000-8000-000000000000"}"#,
    handler: explore_memory,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Memory id.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memory.
    pub memory: InspectedMemory,
    /// Its times, to the millisecond.
    pub times: Times,
    /// Earlier states, oldest first.
    pub history: Vec<EarlierRow>,
    /// Links and references from and to it, oldest first.
    pub links: Vec<LinkRow>,
    /// Entities it mentions, by name.
    pub entities: Vec<Mentioned>,
    /// Symbols of code that it is about, by id.
    pub symbols: Vec<CodeLinkView>,
    /// Confidence history and forecast.
    pub confidence: Confidence,
    /// The last 2,000 sessions that used it, newest first.
    pub sessions: Vec<Session>,
    /// The last 100 entries of its audit log, newest first.
    pub audit: Vec<AuditRow>,
    /// State of its vector: stored, waiting, failed or none.
    pub vector: &'static str,
    /// Counts of omitted records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// A memory with the fields that lists omit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InspectedMemory {
    /// The memory.
    #[serde(flatten)]
    pub row: MemoryRow,
    /// Short form of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Where it came from: a file, the user, an inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Path; default "/".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The caller's object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// When it happened, if not when stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_time: Option<String>,
    /// Start of validity, if not when stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Why it was invalidated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalidation_reason: Option<String>,
    /// Client, session, project and import of its origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<OriginView>,
}

/// The times of a memory as they are stored: ISO 8601 with milliseconds, UTC.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Times {
    /// When it was stored.
    pub created_at: String,
    /// When it was last stated: stored, confirmed by storing it again, or given its text.
    pub stated_at: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// When it was last recalled or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// The time of which its confidence is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_at: Option<String>,
    /// When it was last promoted to a higher tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_promoted_at: Option<String>,
    /// When it happened, if not when stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_time: Option<String>,
    /// Start of validity, if not when stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// Counts of omitted records.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Omitted {
    /// Links and references.
    pub links: usize,
    /// Earlier texts.
    pub history: usize,
    /// Entities.
    pub entities: usize,
}

fn explore_memory(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut answer = context.memory.read(|tx| inspect(tx, &input.id))?;
    answer.symbols = code_links::states(context, &[&input.id])?.concat();
    Ok(answer)
}

fn inspect(tx: &Transaction<'_>, id: &str) -> Result<Output> {
    let memory = memories::find(tx, id)?.ok_or_else(|| Error::MemoryNotFound(id.to_owned()))?;
    let (history_total, history) = memory::history(tx, id, MAX_RECORDS)?;
    let (links_total, links) = link_list::touching(tx, id, MAX_RECORDS)?;
    let (entities_total, entities) = memory::mentions(tx, id, MAX_RECORDS)?;
    let omitted = Omitted {
        links: links_total.saturating_sub(links.len()),
        history: history_total.saturating_sub(history.len()),
        entities: entities_total.saturating_sub(entities.len()),
    };
    let is_all = omitted.links + omitted.history + omitted.entities == 0;
    Ok(Output {
        confidence: confidence(tx, &memory, &history)?,
        vector: state_name(entity::vector_state(tx, TextKind::Memory, memory.number)?),
        times: Times::of(&memory),
        memory: InspectedMemory::new(tx, memory)?,
        history,
        links,
        entities,
        symbols: Vec::new(),
        sessions: memory::sessions(tx, id, MAX_RECORDS)?,
        audit: memory::audit(tx, id, MAX_AUDIT)?,
        omitted: (!is_all).then_some(omitted),
    })
}

impl Times {
    fn of(memory: &MemoryNode) -> Self {
        let other_than_stored = |moment: &String| Some(moment.clone()).filter(|it| *it != memory.timestamp);
        Self {
            created_at: memory.timestamp.clone(),
            stated_at: memory.stated_at.clone(),
            updated_at: memory.updated_at.clone(),
            last_accessed: memory.last_accessed.clone(),
            confidence_at: memory.confident_millis.map(stored_form),
            last_promoted_at: memory.last_promoted_at.clone(),
            event_time: other_than_stored(&memory.event_time),
            valid_from: other_than_stored(&memory.valid_from),
            valid_until: memory.valid_until.clone(),
            expires_at: memory.expires_at.clone(),
        }
    }
}

impl InspectedMemory {
    fn new(tx: &Transaction<'_>, memory: MemoryNode) -> Result<Self> {
        let other_than_stored = |moment: &String| {
            Some(moment).filter(|it| **it != memory.timestamp).map(|it| timestamps::plain(tx, it)).transpose()
        };
        Ok(Self {
            summary: memory.summary.clone().map(shown),
            source: memory.source.clone().map(shown),
            path: Some(memory.path.clone()).filter(|path| path != "/").map(shown),
            // Other programs may have stored a value that is not an object.
            metadata: memory.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            event_time: other_than_stored(&memory.event_time)?,
            valid_from: other_than_stored(&memory.valid_from)?,
            invalidation_reason: memory.invalidation_reason.clone().map(shown),
            written_by: origins::of_memory(tx, &memory.id)?.map(OriginView::from),
            row: memory_list::of(tx, memory)?,
        })
    }
}
