//! Nodes and edges of a graph view.

use limbic_core::explore::{
    graph::{Edge, Link, Mention, Node},
    lists::{entity_list, memory_list},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{memory_rows::MemoryRow, rows::EntityRow};
use crate::views::memory::shown;

/// An entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NodeView {
    /// The entity.
    #[serde(flatten)]
    pub entity: EntityRow,
    /// Distance from the start nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryNodeView {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRow,
    /// Distance from the start nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// A relation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeView {
    /// Relation id.
    pub id: i64,
    /// Id of the source node.
    pub from: i64,
    /// Id of the target node.
    pub to: i64,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Strength.
    pub weight: f64,
    /// Whether it is active.
    pub active: bool,
    /// Context: why it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// When it was stored.
    pub created_at: String,
}

/// A link between memories, or a reference across domains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkView {
    /// Unique among links and references.
    pub id: String,
    /// Id of the source memory.
    pub from: String,
    /// Id of the target memory.
    pub to: String,
    /// Type; of a reference, its purpose.
    #[serde(rename = "type")]
    pub link_type: String,
    /// Strength, 0 to 1; 1 for a reference.
    pub strength: f64,
    /// Whether it crosses domains.
    pub is_reference: bool,
    /// When it was stored; of a reference, when the later memory was.
    pub created_at: String,
}

/// A mention of an entity by a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MentionView {
    /// Id of the memory.
    pub memory: String,
    /// Id of the node.
    pub entity: i64,
    /// Whether it was given explicitly; otherwise its name is in the text.
    pub given: bool,
}

impl From<Node<entity_list::EntityRow>> for NodeView {
    fn from(node: Node<entity_list::EntityRow>) -> Self {
        Self { entity: node.row.into(), distance: node.distance }
    }
}

impl MemoryNodeView {
    /// Returns the view of a memory at a time in milliseconds since the Unix epoch.
    pub fn new(node: Node<memory_list::MemoryRow>, now_millis: i64) -> Self {
        Self { memory: MemoryRow::new(node.row, now_millis), distance: node.distance }
    }
}

impl From<Edge> for EdgeView {
    fn from(edge: Edge) -> Self {
        Self {
            id: edge.id,
            from: edge.from_id,
            to: edge.to_id,
            relation_type: edge.relation_type,
            weight: edge.weight,
            active: edge.active,
            context: edge.context,
            created_at: edge.created_at,
        }
    }
}

impl From<Link> for LinkView {
    fn from(link: Link) -> Self {
        Self {
            id: shown(link.id),
            from: link.from_id,
            to: link.to_id,
            link_type: shown(link.link_type),
            strength: link.strength,
            is_reference: link.is_reference,
            created_at: link.created_at,
        }
    }
}

impl From<Mention> for MentionView {
    fn from(mention: Mention) -> Self {
        Self { memory: mention.memory_id, entity: mention.entity_id, given: mention.given }
    }
}
