//! Rows of memories and links, shared by several tools.

use limbic_core::{
    explore::lists::{link_list, memory_list},
    search::round,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{tools::memory::titles::one_line, views::memory::shown};

/// Maximum length of a memory's text in a link, in characters.
pub const LINK_CHARACTERS: usize = 120;

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryRow {
    /// Memory id.
    pub id: String,
    /// Text.
    pub content: String,
    /// fact, preference, decision or convention.
    pub category: String,
    /// Subject; may be empty.
    pub subject: String,
    /// Domain.
    pub domain: String,
    /// episodic, semantic or procedural.
    pub memory_type: String,
    /// l0 to l4.
    pub tier: String,
    /// cold, warm or hot.
    pub heat: String,
    /// Whether it is exempt from decay and pruning.
    pub pinned: bool,
    /// current; ended: invalidated; expired: past its expiry; contradicted: hidden by a contradiction.
    pub status: String,
    /// Tags.
    pub tags: Vec<String>,
    /// 0 to 10.
    pub importance: f64,
    /// Confidence when last stored, used or confirmed.
    pub confidence: f64,
    /// Confidence after decay.
    pub effective_confidence: f64,
    /// Count of links and references from and to it.
    pub links: u64,
    /// Count of entities it mentions.
    pub entities: u64,
    /// Access count.
    pub access_count: u32,
    /// When it was last recalled or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// Owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Id of the memory that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl MemoryRow {
    /// Returns the view of a memory at a time in milliseconds since the Unix epoch.
    pub fn new(row: memory_list::MemoryRow, now_millis: i64) -> Self {
        let memory = row.memory;
        Self {
            effective_confidence: round(memory.effective_confidence(now_millis), 4),
            id: memory.id,
            content: shown(memory.content),
            category: memory.category,
            subject: shown(memory.subject),
            domain: memory.domain,
            memory_type: memory.memory_type,
            tier: memory.tier,
            heat: memory.heat,
            pinned: memory.pinned,
            status: row.status,
            tags: memory.tags.into_iter().map(shown).collect(),
            importance: memory.importance,
            confidence: memory.confidence,
            links: row.links,
            entities: row.entities,
            access_count: memory.access_count,
            last_accessed: row.last_accessed,
            user_id: memory.user_id,
            valid_until: row.valid_until,
            superseded_by: memory.superseded_by,
            expires_at: row.expires_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A link between memories, or a reference across domains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkRow {
    /// Unique among links and references.
    pub id: String,
    /// Whether it crosses domains.
    pub is_reference: bool,
    /// Id of the source memory.
    pub from_id: String,
    /// Id of the target memory.
    pub to_id: String,
    /// Start of the source memory's text, in one line.
    pub from: String,
    /// Start of the target memory's text, in one line.
    pub to: String,
    /// Domain of the source memory.
    pub from_domain: String,
    /// Domain of the target memory.
    pub to_domain: String,
    /// Type; of a reference, its purpose.
    #[serde(rename = "type")]
    pub link_type: String,
    /// Strength, 0 to 1; 1 for a reference.
    pub strength: f64,
    /// Whether a reference is followed in both directions.
    pub bidirectional: bool,
    /// When it was stored; of a reference, when the later memory was.
    pub created_at: String,
}

impl From<link_list::LinkRow> for LinkRow {
    fn from(row: link_list::LinkRow) -> Self {
        Self {
            id: shown(row.id),
            is_reference: row.is_reference,
            from_id: row.from_id,
            to_id: row.to_id,
            from: one_line(&row.from, LINK_CHARACTERS),
            to: one_line(&row.to, LINK_CHARACTERS),
            from_domain: row.from_domain,
            to_domain: row.to_domain,
            link_type: shown(row.link_type),
            strength: row.strength,
            bidirectional: row.bidirectional,
            created_at: row.created_at,
        }
    }
}
