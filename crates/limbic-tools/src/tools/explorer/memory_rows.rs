//! Rows of memories and links, as several of the tools show them.

use limbic_core::{
    explore::lists::{link_list, memory_list},
    search::round,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{tools::memory::titles::one_line, views::memory::shown};

/// How much of a text stands for the memory in a link, in characters.
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
    /// What it is about; may be empty.
    pub subject: String,
    /// The domain it belongs to.
    pub domain: String,
    /// episodic, semantic or procedural.
    pub memory_type: String,
    /// l0 to l4.
    pub tier: String,
    /// cold, warm or hot.
    pub heat: String,
    /// Whether it neither decays nor is pruned.
    pub pinned: bool,
    /// current; ended: no longer holds; expired: past its expiry; contradicted: lost against one that contradicts it.
    pub status: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// 0 to 10.
    pub importance: f64,
    /// How far it was trusted when it was last stored, used or confirmed.
    pub confidence: f64,
    /// What is left of that by now.
    pub effective_confidence: f64,
    /// How many links and references it has, at both ends.
    pub links: u64,
    /// How many entities it mentions.
    pub entities: u64,
    /// How often it was found.
    pub access_count: u32,
    /// When it was last found or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_accessed: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Since when it no longer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// The memory that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// From when on it is forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it was last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl MemoryRow {
    /// A memory as it is at a moment, in milliseconds since the Unix epoch.
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
    /// Whether it leads into another domain.
    pub is_reference: bool,
    /// Id of the memory it starts from.
    pub from_id: String,
    /// Id of the memory it leads to.
    pub to_id: String,
    /// How the text begins that it starts from, in one line.
    pub from: String,
    /// How the text begins that it leads to, in one line.
    pub to: String,
    /// The domain it starts from.
    pub from_domain: String,
    /// The domain it leads to.
    pub to_domain: String,
    /// Its type; of a reference, what it is for.
    #[serde(rename = "type")]
    pub link_type: String,
    /// 0 to 1; 1 of a reference.
    pub strength: f64,
    /// Whether a reference is to be followed from either end.
    pub bidirectional: bool,
    /// When it was stored; of a reference, when the later of both memories was.
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
