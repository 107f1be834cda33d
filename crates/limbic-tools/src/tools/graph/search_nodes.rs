//! The tool search_nodes.

use std::collections::BTreeMap;

use limbic_core::{
    Result, Transaction,
    store::graph::{
        entities::{self, Entity},
        relations,
        text_cache::Folding,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    cursor::Cursor,
    tool::tool,
    views::{EntityView, RelationView},
};

tool! {
    /// Find entities whose name, type or an observation contains a text, ignoring case. For a question use
    /// search_semantic.
    name: "search_nodes",
    title: "Search by text",
    toolset: Graph,
    brief: &["query", "limit", "cursor"],
    access: Read,
    idempotent: true,
    example: r#"{"query": "sqlite"}"#,
    handler: search_nodes,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Text to search for.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// Maximum number of entities.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

fn default_limit() -> usize {
    50
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// In order of creation.
    pub entities: Vec<EntityView>,
    /// Active relations of any of them.
    pub relations: Vec<RelationView>,
    /// Count of relations that did not fit; see graph_neighbors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relations_omitted: Option<usize>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

fn search_nodes(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let start = Cursor::parse(input.cursor.as_deref())?;
    context.memory.read_with_texts(|tx, texts| {
        let mut page = Page::new(input.max_tokens);
        let mut next = None;
        let found = texts.containing(tx, Folding::Composed, &input.query)?;
        for (index, id) in found.into_iter().filter(|id| *id >= start.entity).enumerate() {
            let Some(entity) = entities::get(tx, id)? else { continue };
            if index == input.limit || !page.add(tx, entity)? {
                next = Some(Cursor { entity: id, ..Cursor::default() });
                break;
            }
        }
        Ok(Output {
            entities: page.entities,
            relations: page.relations.into_values().flatten().collect(),
            relations_omitted: Some(page.relations_omitted).filter(|omitted| *omitted > 0),
            next_cursor: next.map(Cursor::to_text),
        })
    })
}

/// A page being filled.
struct Page {
    budget: Budget,
    max_tokens: usize,
    entities: Vec<EntityView>,
    /// By id; `None` for those that did not fit.
    relations: BTreeMap<i64, Option<RelationView>>,
    relations_omitted: usize,
}

impl Page {
    fn new(max_tokens: usize) -> Self {
        Self {
            budget: Budget::new(max_tokens),
            max_tokens,
            entities: Vec::new(),
            relations: BTreeMap::new(),
            relations_omitted: 0,
        }
    }

    /// Adds an entity, with as many of its relations as the budget allows. Returns whether the entity fitted.
    fn add(&mut self, tx: &Transaction<'_>, entity: Entity) -> Result<bool> {
        if self.budget.is_spent() {
            return Ok(false);
        }
        let id = entity.id;
        let view = EntityView::load(tx, entity, &mut Budget::part_of(self.max_tokens))?;
        if !self.budget.take(&view) {
            return Ok(false);
        }
        self.entities.push(view);
        for relation in relations::touching(tx, id, false)? {
            let id = relation.id;
            if self.relations.contains_key(&id) {
                continue;
            }
            let view = Some(RelationView::from(relation))
                .filter(|view| !self.budget.is_spent() && self.budget.take(view));
            self.relations_omitted += usize::from(view.is_none());
            self.relations.insert(id, view);
        }
        Ok(true)
    }
}
