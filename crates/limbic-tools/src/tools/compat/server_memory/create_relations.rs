//! The tool create_relations of the reference server.

use limbic_core::{
    Result,
    mutations::{self, relations::Created},
    store::graph::relations::Triple,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    graph::{Link, closed},
    limits,
};
use crate::{context::Context, tool::tool};

tool! {
    /// Create multiple new relations between entities in the knowledge graph. Relations should be in active voice
    name: "create_relations",
    title: "Create Relations",
    toolset: Graph,
    access: Write,
    idempotent: false,
    example: r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses"}]}"#,
    handler: create_relations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(description = "")]
struct Input {
    relations: Vec<Link>,
}

/// Answer: the relations that did not exist.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "", transform = closed)]
struct Output {
    relations: Vec<Link>,
}

fn create_relations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let mut new = Vec::new();
        for link in input.relations {
            [&link.from, &link.to, &link.relation_type]
                .into_iter()
                .try_for_each(|name| limits::check_name(name))?;
            let from_id = mutations::placeholders::find_or_create(tx, &link.from)?.id;
            let to_id = mutations::placeholders::find_or_create(tx, &link.to)?.id;
            let triple = Triple { from_id, to_id, relation_type: &link.relation_type };
            if let Created::Active(_) = mutations::relations::create(tx, triple, None, None)? {
                new.push(link);
            }
        }
        Ok(Output { relations: new })
    })
}
