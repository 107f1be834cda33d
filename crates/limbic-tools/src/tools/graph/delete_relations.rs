//! The tool delete_relations.

use limbic_core::{
    Result, mutations,
    store::graph::{entities, relations::Triple},
};
use limbic_guard::unescape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool, views::RelationView};

tool! {
    /// Delete relations and the reflections on them permanently, each named by from, to and relationType. To keep
    /// history, use end_relation.
    name: "delete_relations",
    title: "Delete relations",
    toolset: Graph,
    access: Destroy,
    idempotent: true,
    example: r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses"}]}"#,
    handler: delete_relations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Relations to delete.
    #[schemars(length(min = 1, max = 1000))]
    pub relations: Vec<NamedRelation>,
}

/// One relation, by its endpoints and type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NamedRelation {
    /// Source entity.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "from_entity"))]
    pub from: String,
    /// Target entity.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "to_entity"))]
    pub to: String,
    /// Type.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "relation_type"))]
    pub relation_type: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Relations deleted.
    pub deleted: Vec<RelationView>,
    /// Relations not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<String>,
}

fn delete_relations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.write(|tx| {
        let mut output = Output { deleted: Vec::new(), errors: Vec::new() };
        for NamedRelation { from, to, relation_type } in input.relations {
            let (Some(start), Some(end)) = (entities::find(tx, &from)?, entities::find(tx, &to)?) else {
                output.errors.push(format!("Entity not found: {from} or {to}"));
                continue;
            };
            let triple = Triple { from_id: start.id, to_id: end.id, relation_type: &relation_type };
            // The type as it is stored, or else as answers escape it.
            let hidden = unescape(&relation_type);
            let hidden = hidden.as_deref().map(|relation_type| Triple { relation_type, ..triple });
            if mutations::relations::delete(tx, triple)?
                || hidden.map_or(Ok(false), |hidden| mutations::relations::delete(tx, hidden))?
            {
                output.deleted.push(RelationView { from, to, relation_type });
            } else {
                output.errors.push(format!("Relation not found: {from} -> {to} ({relation_type})"));
            }
        }
        Ok(output)
    })
}
