//! The view of a traversal, within a budget.

use std::collections::{BTreeMap, BTreeSet};

use limbic_core::store::memories::{
    DomainRef, Edge, MemoryNode,
    traverse::{Reached, Step, Traversal},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::memory_get::{EdgeView, ReferenceView};
use crate::{
    budget::Budget,
    views::memory::{shown, title},
};

/// Detail of each memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Detail {
    Minimal,
    #[default]
    Standard,
    Comprehensive,
}

impl Detail {
    /// Maximum length of a memory's text in the outline, in characters.
    pub fn title_length(self) -> usize {
        match self {
            Self::Minimal => 60,
            Self::Standard => 120,
            Self::Comprehensive => 400,
        }
    }
}

/// A memory that was reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NodeView {
    /// Unique.
    pub id: String,
    /// Id of its domain.
    pub domain: String,
    /// Distance from the start, in links.
    pub depth: usize,
    /// Text; not with detail "minimal", nor with "standard" if it has a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Summary; not with detail "minimal".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// fact, preference, decision or convention; this and the following with detail "comprehensive".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Path; default "/".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Labels to filter by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tags: Vec<String>,
    /// Confidence after decay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_confidence: Option<f64>,
    /// When it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// When it ended, at every detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    #[serde(skip)]
    #[schemars(skip)]
    pub title: String,
    #[serde(skip)]
    #[schemars(skip)]
    pub step: Option<Step>,
}

impl NodeView {
    fn new(node: Reached, detail: Detail, now_millis: i64) -> Self {
        let memory = node.memory;
        let title = title(&memory, detail.title_length());
        let all = detail == Detail::Comprehensive;
        let is_short = detail == Detail::Standard && memory.summary.is_some();
        let confidence = limbic_core::model::numbers::round(memory.effective_confidence(now_millis), 4);
        let MemoryNode {
            id,
            domain,
            content,
            summary,
            category,
            subject,
            path,
            tags,
            timestamp,
            valid_until,
            ..
        } = memory;
        Self {
            id,
            domain,
            depth: node.depth,
            content: Some(content).filter(|_| detail != Detail::Minimal && !is_short).map(shown),
            summary: summary.filter(|_| detail != Detail::Minimal).map(shown),
            category: all.then(|| category.to_string()),
            subject: Some(subject).filter(|subject| all && !subject.is_empty()).map(shown),
            path: Some(path).filter(|path| all && path != "/").map(shown),
            tags: if all { tags.into_iter().map(shown).collect() } else { Vec::new() },
            effective_confidence: Some(confidence).filter(|_| all),
            created_at: Some(timestamp).filter(|_| all),
            valid_until,
            title,
            step: node.step,
        }
    }
}

/// Counts of a domain's memories that are not shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Omitted {
    /// The domain.
    pub domain: String,
    /// Count of memories over max_nodes_per_domain.
    pub over_cap: usize,
    /// Count of memories over max_tokens.
    pub over_tokens: usize,
}

/// The part of a traversal that fits.
#[derive(Debug, Default)]
pub struct View {
    /// In the order of the traversal.
    pub nodes: Vec<NodeView>,
    /// Links between them.
    pub edges: Vec<EdgeView>,
    /// References from or to them.
    pub references: Vec<ReferenceView>,
    /// Memories that are not shown, by domain.
    pub omitted: Vec<Omitted>,
}

impl View {
    /// Returns as many of the nearest memories as the budget allows, each with its line in the outline, its links to
    /// previous ones and its references.
    pub fn new(found: Traversal, detail: Detail, now_millis: i64, max_tokens: usize) -> Self {
        let reached: BTreeSet<String> = found.nodes.iter().map(|node| node.memory.id.clone()).collect();
        let mut omitted: BTreeMap<String, (usize, usize)> =
            found.omitted.into_iter().map(|(domain, count)| (domain, (count, 0))).collect();
        let (mut edges, mut references) = (found.edges, found.references);
        let mut budget = Budget::new(max_tokens);
        let mut kept = BTreeSet::new();
        let mut view = Self::default();
        for node in found.nodes {
            let node = NodeView::new(node, detail, now_millis);
            kept.insert(node.id.clone());
            let (own_edges, other_edges): (Vec<Edge>, Vec<Edge>) = edges
                .into_iter()
                .partition(|edge| kept.contains(&edge.source) && kept.contains(&edge.target));
            edges = other_edges;
            let is_ready = |id: &String| kept.contains(id) || !reached.contains(id);
            let (own_references, other_references): (Vec<DomainRef>, Vec<DomainRef>) = references
                .into_iter()
                .partition(|reference| is_ready(&reference.node_id) && is_ready(&reference.target_node_id));
            references = other_references;
            let own_edges: Vec<EdgeView> = own_edges.into_iter().map(Into::into).collect();
            let own_references: Vec<ReferenceView> = own_references.into_iter().map(Into::into).collect();
            if budget.is_spent() || !budget.take(&(&node, &node.title, &node.id, &own_edges, &own_references))
            {
                kept.remove(&node.id);
                omitted.entry(node.domain).or_default().1 += 1;
                continue;
            }
            view.nodes.push(node);
            view.edges.extend(own_edges);
            view.references.extend(own_references);
        }
        view.omitted = omitted
            .into_iter()
            .map(|(domain, (over_cap, over_tokens))| Omitted { domain, over_cap, over_tokens })
            .collect();
        view
    }
}
