//! Nodes of a picture and what joins them.

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
    /// How many steps lie between it and what was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryNodeView {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRow,
    /// How many steps lie between it and what was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// A relation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeView {
    /// Relation id.
    pub id: i64,
    /// Id of the node it starts from.
    pub from: i64,
    /// Id of the node it leads to.
    pub to: i64,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Strength.
    pub weight: f64,
    /// Whether it holds now.
    pub active: bool,
    /// Why it holds.
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
    /// Id of the memory it starts from.
    pub from: String,
    /// Id of the memory it leads to.
    pub to: String,
    /// Its type; of a reference, what it is for.
    #[serde(rename = "type")]
    pub link_type: String,
    /// 0 to 1; 1 of a reference.
    pub strength: f64,
    /// Whether it leads into another domain.
    pub is_reference: bool,
    /// When it was stored; of a reference, when the later of both memories was.
    pub created_at: String,
}

/// That a memory mentions an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MentionView {
    /// Id of the memory.
    pub memory: String,
    /// Id of the node.
    pub entity: i64,
    /// Whether somebody said so; else its name stands in the text.
    pub given: bool,
}

impl From<Node<entity_list::EntityRow>> for NodeView {
    fn from(node: Node<entity_list::EntityRow>) -> Self {
        Self { entity: node.row.into(), distance: node.distance }
    }
}

impl MemoryNodeView {
    /// A memory as it is at a moment, in milliseconds since the Unix epoch.
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
