//! The tool search_nodes.

use std::collections::BTreeMap;

use limbic_core::{
    Result,
    store::{entities, relations},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{ANSWER_TOKENS, Budget},
    context::Context,
    cursor::Cursor,
    tool::tool,
    views::{EntityView, RelationView},
};

tool! {
    /// Find entities whose name, type or an observation contains a text, in upper or lower case. For a question in
    /// your own words use search_semantic.
    name: "search_nodes",
    title: "Search by text",
    toolset: Graph,
    access: Read,
    idempotent: true,
    example: r#"{"query": "sqlite"}"#,
    handler: search_nodes,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Text to look for.
    #[schemars(length(min = 1, max = 2000))]
    pub query: String,
    /// The most entities.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the page before.
    pub cursor: Option<String>,
}

fn default_limit() -> usize {
    50
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Entities in the order in which they were created.
    pub entities: Vec<EntityView>,
    /// Active relations that touch any of them.
    pub relations: Vec<RelationView>,
    /// Where the next page starts, when there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

fn search_nodes(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let start = Cursor::parse(input.cursor.as_deref())?;
    context.memory.read(|unit| {
        let mut output = Output { entities: Vec::new(), relations: Vec::new(), next_cursor: None };
        let mut budget = Budget::new(ANSWER_TOKENS);
        let mut touching = BTreeMap::new();
        let found = entities::containing(unit, &input.query, start.entity, input.limit + 1)?;
        for (place, entity) in found.into_iter().enumerate() {
            let id = entity.id;
            if place == input.limit || budget.is_spent() {
                output.next_cursor = Some(Cursor { entity: id, ..Cursor::default() }.to_text());
                break;
            }
            output.entities.push(EntityView::load(unit, entity, &mut budget)?);
            touching.extend(
                relations::touching(unit, id, false)?.into_iter().map(|relation| (relation.id, relation)),
            );
        }
        output.relations = touching.into_values().map(RelationView::from).collect();
        Ok(output)
    })
}
