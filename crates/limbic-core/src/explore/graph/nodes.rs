//! Which nodes a graph view shows, by which key, and which come first.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;

use crate::store::{conditions::Conditions, interval::Interval};

/// Kinds of nodes to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// Entities and relations.
    Entities,
    /// Memories and links.
    Memories,
    /// Both, and the mentions between them.
    All,
}

impl Show {
    /// Whether entities are shown.
    #[must_use]
    pub fn entities(self) -> bool {
        self != Self::Memories
    }

    /// Whether memories are shown.
    #[must_use]
    pub fn memories(self) -> bool {
        self != Self::Entities
    }
}

/// Which nodes and edges are part of the view.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    /// Entities, memories or both.
    pub show: Show,
    /// Only entities of this type.
    pub entity_type: Option<&'a str>,
    /// Only entities of this status.
    pub status: Option<&'a str>,
    /// Only relations and links of these types.
    pub relation_types: Option<&'a [String]>,
    /// Include ended relations, and memories that are not current.
    pub include_ended: bool,
    /// Only entities with a record stored in this interval, memories stored in it, and relations and links stored
    /// before its end.
    pub interval: &'a Interval,
    /// Only memories of this domain.
    pub domain: Option<&'a str>,
}

/// Key of a node: the row id of an entity, or the number of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// An entity.
    Entity(i64),
    /// A memory.
    Memory(i64),
}

/// A node of the view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Node<R> {
    /// The entity or the memory.
    #[serde(flatten)]
    pub row: R,
    /// Distance from the start nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
}

/// A node with its weight: how much it is used and connected.
pub(crate) type Weighted = (Key, u64);

/// Sorts by weight, highest first, then entities before memories, then by number.
pub(crate) fn by_weight(nodes: &mut [Weighted]) {
    nodes.sort_by_key(|(key, weight)| (Reverse(*weight), *key));
}

/// ` AND ...`: only these types of relations and links.
pub(crate) fn of_types(column: &str, filter: Filter<'_>, conditions: &mut Conditions) -> String {
    let Some(types) = filter.relation_types else { return String::new() };
    let places: Vec<String> = types.iter().map(|name| conditions.value(name.clone())).collect();
    format!(" AND {column} IN ({})", places.join(", "))
}
