//! What a walk has seen, as much of it as there is room for.

use std::collections::{BTreeMap, BTreeSet};

use limbic_core::store::memories::{
    DomainRef, Edge, MemoryNode,
    traverse::{Reached, Step, Traversal},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    memory_get::{EdgeView, ReferenceView},
    outline::Detail,
    titles::title,
};
use crate::{budget::Budget, views::memory::shown};

/// A memory that was reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NodeView {
    /// Unique.
    pub id: String,
    /// The domain it belongs to.
    pub domain: String,
    /// How many links away from the start.
    pub depth: usize,
    /// The text; not with detail "minimal", nor with "standard" when it has a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The text in short; not with detail "minimal".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// fact, preference, decision or convention; with detail "comprehensive", as what follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Where it belongs among others, "/" when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tags: Vec<String>,
    /// What it is trusted by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_confidence: Option<f64>,
    /// When it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Since when it no longer holds, at every detail.
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
            category: Some(category).filter(|_| all),
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

/// How much of a domain is not shown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Omitted {
    /// The domain.
    pub domain: String,
    /// How many memories are over max_nodes_per_domain.
    pub over_cap: usize,
    /// How many are over max_tokens.
    pub over_tokens: usize,
}

/// What there is room for.
#[derive(Debug, Default)]
pub struct View {
    /// In the order of the walk.
    pub nodes: Vec<NodeView>,
    /// Links between them.
    pub edges: Vec<EdgeView>,
    /// References that touch them.
    pub references: Vec<ReferenceView>,
    /// What is not shown, by domain.
    pub omitted: Vec<Omitted>,
}

impl View {
    /// As many of the nearest memories as there is room for, each with its line in the outline, its links to those
    /// before it and its references.
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
