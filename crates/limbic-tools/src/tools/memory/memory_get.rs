//! The tool memory_get.

use std::collections::BTreeSet;

use limbic_core::{
    Result, Transaction,
    store::{
        memories::{self, DomainRef, Earlier, Edge, MemoryNode, mentions},
        origins,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code_links;
use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    tool::tool,
    views::{
        memory::{MemoryView, Texts},
        origin::OriginView,
    },
};

tool! {
    /// Return memories by id with all their fields: links, references to other domains, entities, history, and
    /// contradicting memories. Without an id, use memory_recall.
    name: "memory_get",
    title: "Get memories",
    toolset: Memory,
    access: Read,
    idempotent: true,
    example: r#"{"ids": ["0190d2a0-0000-7000-8000-000000000000"]}"#,
    handler: memory_get,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Ids.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 200)))]
    pub ids: Vec<String>,
    /// Only memories of this user, and no links to others' memories: a filter, not access control.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// In the order of ids.
    pub memories: Vec<FullMemory>,
    /// Ids not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub missing: Vec<String>,
    /// Ids that did not fit: call again with them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub omitted: Vec<String>,
}

/// A memory with its links, references, entities and history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FullMemory {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryView,
    /// Client, session, project and import of its origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<OriginView>,
    /// Links from it and to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub edges: Vec<EdgeView>,
    /// References from it and to it across domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub references: Vec<ReferenceView>,
    /// Names of entities it mentions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub entities: Vec<String>,
    /// Earlier states, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub history: Vec<EarlierView>,
    /// Count of edges, references, entities and earlier states that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

impl FullMemory {
    /// Returns the memory with as many of its edges, references, entities and earlier states as fit, in the order of
    /// the fields.
    fn cut(mut self, max_tokens: usize) -> Self {
        let mut budget = Budget::new(max_tokens);
        budget.take(&self.memory);
        let left_out = budget.cut(&mut self.edges)
            + budget.cut(&mut self.references)
            + budget.cut(&mut self.entities)
            + budget.cut(&mut self.history);
        self.left_out = Some(left_out).filter(|left_out| *left_out > 0);
        self
    }
}

/// A link within a domain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EdgeView {
    /// Id of the source memory.
    pub source: String,
    /// Id of the target memory.
    pub target: String,
    /// Type.
    #[serde(rename = "type")]
    pub link_type: String,
    /// 0 to 1.
    pub strength: f64,
}

impl From<Edge> for EdgeView {
    fn from(edge: Edge) -> Self {
        Self { source: edge.source, target: edge.target, link_type: edge.link_type, strength: edge.strength }
    }
}

/// A link across domains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReferenceView {
    /// Id of the source memory.
    pub source: String,
    /// Its domain.
    pub domain: String,
    /// Id of the target memory.
    pub target: String,
    /// Domain of the target memory.
    pub target_domain: String,
    /// Purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is followed in both directions.
    pub bidirectional: bool,
}

impl From<DomainRef> for ReferenceView {
    fn from(reference: DomainRef) -> Self {
        Self {
            source: reference.node_id,
            domain: reference.domain,
            target: reference.target_node_id,
            target_domain: reference.target_domain,
            description: reference.description,
            bidirectional: reference.bidirectional,
        }
    }
}

/// An earlier state.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarlierView {
    /// The text.
    pub content: String,
    /// Confidence then.
    pub confidence: f64,
    /// When it was replaced.
    pub replaced_at: String,
    /// Category then, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Subject then, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Tags then, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

impl EarlierView {
    fn new(earlier: Earlier, now: &MemoryNode, texts: Texts) -> Self {
        let shown = |text: String| texts.of(text);
        Self {
            category: earlier
                .category
                .filter(|category| *category != now.category)
                .map(|word| word.to_string()),
            subject: earlier.subject.filter(|subject| *subject != now.subject).map(shown),
            tags: earlier
                .tags
                .filter(|tags| *tags != now.tags)
                .map(|tags| tags.into_iter().map(shown).collect()),
            content: shown(earlier.content),
            confidence: earlier.confidence,
            replaced_at: earlier.replaced_at,
        }
    }
}

fn memory_get(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let is_limited = context.user().is_some();
    let texts = context.options.texts();
    let mut found = context.memory.read(|tx| {
        let found = input.ids.into_iter().map(|id| {
            let mut found = full(tx, &id, input.user_id.as_deref(), texts)?;
            if let Some(memory) = found.as_mut().filter(|_| is_limited) {
                // The graph belongs to no user.
                memory.entities.clear();
            }
            Ok((id, found))
        });
        found.collect::<Result<Vec<_>>>()
    })?;
    code_links::attach(
        context,
        found.iter_mut().filter_map(|(_, found)| found.as_mut()).map(|found| &mut found.memory),
    )?;
    let mut output = Output { memories: Vec::new(), missing: Vec::new(), omitted: Vec::new() };
    let mut budget = Budget::new(input.max_tokens);
    for (id, found) in found {
        let Some(memory) = found else {
            output.missing.push(id);
            continue;
        };
        let memory = if output.memories.is_empty() { memory.cut(input.max_tokens) } else { memory };
        if budget.take(&memory) {
            output.memories.push(memory);
        } else {
            output.omitted.push(id);
        }
    }
    Ok(output)
}

fn full(tx: &Transaction<'_>, id: &str, user_id: Option<&str>, texts: Texts) -> Result<Option<FullMemory>> {
    let found = memories::find(tx, id)?
        .filter(|memory| user_id.is_none_or(|user| memory.user_id.as_deref() == Some(user)));
    let Some(mut memory) = found else { return Ok(None) };
    let mut edges = memories::edges_touching(tx, id)?;
    let mut references = memories::refs_touching(tx, id)?;
    if let Some(user) = user_id {
        let ends = edges.iter().flat_map(|edge| [&edge.source, &edge.target]);
        let ends = ends.chain(references.iter().flat_map(|it| [&it.node_id, &it.target_node_id]));
        let theirs = not_of(tx, user, ends.chain(&memory.superseded_by))?;
        edges.retain(|edge| !theirs.contains(&edge.source) && !theirs.contains(&edge.target));
        references.retain(|it| !theirs.contains(&it.node_id) && !theirs.contains(&it.target_node_id));
        memory.superseded_by = memory.superseded_by.filter(|id| !theirs.contains(id));
    }
    let history = memories::history(tx, id)?
        .into_iter()
        .map(|earlier| EarlierView::new(earlier, &memory, texts))
        .collect();
    Ok(Some(FullMemory {
        memory: MemoryView::marked(tx, memory, texts)?,
        written_by: origins::of_memory(tx, id)?.map(Into::into),
        edges: edges.into_iter().map(Into::into).collect(),
        references: references.into_iter().map(Into::into).collect(),
        entities: mentions::of_memory(tx, id)?,
        history,
        left_out: None,
    }))
}

/// Returns those of these memories that belong to other users.
fn not_of<'a>(
    tx: &Transaction<'_>,
    user: &str,
    ids: impl Iterator<Item = &'a String>,
) -> Result<BTreeSet<String>> {
    let mut theirs = BTreeSet::new();
    for id in ids.collect::<BTreeSet<_>>() {
        if memories::user_of(tx, id)?.as_deref() != Some(user) {
            theirs.insert(id.clone());
        }
    }
    Ok(theirs)
}
