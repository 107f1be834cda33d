//! The tool read_graph.

use limbic_core::{
    Result, Transaction,
    store::graph::{
        entities::{self, Entity},
        observations, relations,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    cursor::Cursor,
    tool::tool,
    views::RelationView,
};

tool! {
    /// Read the whole graph page by page. detail "names" gives observation counts, "full" the observations. Active
    /// relations are on the page of their source entity. To find something, search_semantic is cheaper.
    name: "read_graph",
    title: "Read the graph",
    toolset: Graph,
    brief: &["detail", "limit", "cursor"],
    access: Read,
    idempotent: true,
    example: r#"{"detail": "full", "limit": 50}"#,
    handler: read_graph,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Detail of each entity.
    #[serde(default)]
    pub detail: Detail,
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

/// Detail of each entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Detail {
    #[default]
    Names,
    Full,
}

fn default_limit() -> usize {
    200
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// In order of creation.
    pub entities: Vec<ListedEntity>,
    /// Active relations from them.
    pub relations: Vec<RelationView>,
    /// Totals.
    pub totals: Totals,
    /// Cursor of the next page, if any. An entity too long for one page continues there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One entity of the list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedEntity {
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Count of current observations.
    pub observation_count: u64,
    /// Current observations, with detail "full".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations: Option<Vec<String>>,
}

/// Totals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Totals {
    /// Entities.
    pub entities: u64,
    /// Current observations.
    pub observations: u64,
    /// Active relations.
    pub relations: u64,
}

fn read_graph(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let start = Cursor::parse(input.cursor.as_deref())?;
    context.memory.read(|tx| {
        let totals = Totals {
            entities: entities::count(tx)?,
            observations: observations::count(tx)?,
            relations: relations::count(tx)?,
        };
        let mut page = Page {
            tx,
            budget: Budget::new(input.max_tokens),
            detail: input.detail,
            entities: Vec::new(),
            relations: Vec::new(),
        };
        let mut next = None;
        for (index, entity) in entities::page(tx, start.entity, input.limit + 1)?.into_iter().enumerate() {
            let from = if entity.id == start.entity {
                start
            } else {
                Cursor { entity: entity.id, ..Cursor::default() }
            };
            next = if index == input.limit { Some(from) } else { page.add(entity, from)? };
            if next.is_some() {
                break;
            }
        }
        Ok(Output {
            entities: page.entities,
            relations: page.relations,
            totals,
            next_cursor: next.map(Cursor::to_text),
        })
    })
}

/// A page being filled.
struct Page<'a> {
    tx: &'a Transaction<'a>,
    budget: Budget,
    detail: Detail,
    entities: Vec<ListedEntity>,
    relations: Vec<RelationView>,
}

impl Page<'_> {
    /// Adds as much of an entity as the budget allows. Returns where to continue if that was not all.
    fn add(&mut self, entity: Entity, from: Cursor) -> Result<Option<Cursor>> {
        let mut listed = ListedEntity {
            observation_count: observations::count_of(self.tx, entity.id)?,
            name: entity.name,
            entity_type: entity.entity_type,
            observations: (self.detail == Detail::Full).then(Vec::new),
        };
        if !self.budget.take(&listed) {
            return Ok(Some(from));
        }
        let mut rest = None;
        if let Some(texts) = &mut listed.observations {
            for observation in observations::page(self.tx, entity.id, from.observation, usize::MAX, false)? {
                if !self.budget.take(&observation.content) && !texts.is_empty() {
                    rest = Some(Cursor { observation: observation.id, ..from });
                    break;
                }
                texts.push(observation.content);
            }
        }
        self.entities.push(listed);
        if rest.is_some() {
            return Ok(rest);
        }
        for relation in relations::starting_from(self.tx, entity.id)? {
            let id = relation.id;
            let view = RelationView::from(relation);
            if id < from.relation {
                continue;
            }
            if !self.budget.take(&view) && !self.relations.is_empty() {
                return Ok(Some(Cursor { entity: entity.id, observation: i64::MAX, relation: id }));
            }
            self.relations.push(view);
        }
        Ok(None)
    }
}
