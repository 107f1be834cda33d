//! The view of memories and links in Memory Graph's answers.

use std::collections::BTreeMap;

use limbic_core::{
    Result, Transaction, mutations,
    store::memories::{self, Edge, Link, MemoryNode},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tools::memory::fields::Target};

/// Links by type.
pub type Relationships = BTreeMap<String, Vec<Target>>;

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Unique.
    pub id: String,
    /// The text.
    pub content: String,
    /// When it was stored.
    pub timestamp: String,
    /// Where it belongs among others.
    pub path: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// References to other domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub domain_refs: Vec<DomainRef>,
}

/// A memory in another domain.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainRef {
    /// Its domain.
    #[schemars(length(min = 1, max = 200))]
    pub domain: String,
    /// Its id.
    #[schemars(length(min = 1, max = 200))]
    pub node_id: String,
    /// Purpose of the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// Whether it is followed in both directions.
    #[serde(default)]
    pub bidirectional: bool,
}

/// A link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// Id of the source memory.
    pub source: String,
    /// Id of the target memory.
    pub target: String,
    /// Type.
    #[serde(rename = "type")]
    pub link_type: String,
    /// 0 to 1.
    pub strength: f64,
    /// When it was created or last changed.
    pub timestamp: String,
}

impl From<Edge> for GraphEdge {
    fn from(edge: Edge) -> Self {
        Self {
            source: edge.source,
            target: edge.target,
            link_type: edge.link_type,
            strength: edge.strength,
            timestamp: edge.timestamp,
        }
    }
}

impl Node {
    /// A memory with its references.
    pub fn new(tx: &Transaction<'_>, memory: MemoryNode) -> Result<Self> {
        let domain_refs = memories::refs_touching(tx, &memory.id)?
            .into_iter()
            .filter(|reference| reference.node_id == memory.id)
            .map(|reference| DomainRef {
                domain: reference.target_domain,
                node_id: reference.target_node_id,
                description: reference.description,
                bidirectional: reference.bidirectional,
            })
            .collect();
        Ok(Self {
            id: memory.id,
            content: memory.content,
            timestamp: memory.timestamp,
            path: memory.path,
            tags: memory.tags,
            summary: memory.summary,
            domain_refs,
        })
    }
}

/// Creates references from a memory, and returns the memory after that.
///
/// # Errors
/// As [`mutations::memories::link`].
pub fn refer(context: &mut Context<'_>, id: &str, mut references: Vec<DomainRef>) -> Result<Node> {
    for reference in &mut references {
        reference.description = context.storable(reference.description.take());
    }
    let writer = context.memory.session().writer();
    let actor = writer.actor(None);
    if references.is_empty() {
        return context.memory.read(|tx| Node::new(tx, memories::get(tx, id)?));
    }
    context.memory.write(|tx| {
        for reference in references.into_iter().filter(|reference| reference.node_id != id) {
            let link = Link {
                target_id: reference.node_id,
                link_type: memories::RELATED.into(),
                strength: 1.0,
                description: reference.description,
                bidirectional: reference.bidirectional,
            };
            mutations::memories::link(tx, id, &link, actor)?;
        }
        Node::new(tx, memories::get(tx, id)?)
    })
}
