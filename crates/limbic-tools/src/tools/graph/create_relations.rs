//! The tool create_relations.

use limbic_core::{
    Error, Result, Transaction,
    mutations::{self, relations::Created},
    store::graph::{entities, relations::Triple},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Create typed relations between existing entities, in active voice. An ended relation becomes active again; a
    /// failed item is reported with its error, and the others are created.
    name: "create_relations",
    title: "Create relations",
    toolset: Graph,
    access: Write,
    idempotent: true,
    example: r#"{"relations": [{"from": "Atlas", "to": "SQLite", "relationType": "uses", "context": "for its storage"}]}"#,
    handler: create_relations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Relations to create.
    #[schemars(length(min = 1, max = 1000))]
    pub relations: Vec<NewRelation>,
}

/// One relation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRelation {
    /// Name of the source entity. Alias: from_entity.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "from_entity"))]
    pub from: String,
    /// Name of the target entity. Alias: to_entity.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "to_entity"))]
    pub to: String,
    /// Type, such as uses or depends_on.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "relation_type"))]
    pub relation_type: String,
    /// Reason or other context.
    #[schemars(length(max = 10000))]
    pub context: Option<String>,
    /// Strength; default 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: Option<f64>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Results in the order of the arguments.
    pub relations: Vec<Item>,
    /// Errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<String>,
}

/// The result for one relation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Relation id, for end_relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Source entity.
    pub from: String,
    /// Target entity.
    pub to: String,
    /// Type.
    pub relation_type: String,
    /// Reason or other context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Why it was not created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn create_relations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut linked = Vec::new();
    let output = context.memory.write(|tx| {
        let mut output = Output { relations: Vec::new(), errors: Vec::new() };
        for relation in input.relations {
            let mut item = Item {
                id: None,
                from: relation.from.clone(),
                to: relation.to.clone(),
                relation_type: relation.relation_type.clone(),
                context: relation.context.clone(),
                error: None,
            };
            match store(tx, &relation) {
                Ok(Created::Active(row)) => {
                    linked.extend([row.from_id, row.to_id]);
                    (item.id, item.context) = (Some(row.id), row.context);
                }
                Ok(Created::Existed(row)) => {
                    (item.id, item.context) = (Some(row.id), row.context);
                    item.error = Some("Relation already exists".into());
                }
                Err(error @ (Error::EntityNotFound(_) | Error::Conflict(_))) => {
                    output.errors.push(error.to_string());
                    item.error = Some(error.to_string());
                }
                Err(error) => return Err(error),
            }
            output.relations.push(item);
        }
        Ok(output)
    })?;
    context.memory.used(&linked);
    Ok(output)
}

/// Creates one relation between existing entities.
pub fn store(tx: &Transaction<'_>, relation: &NewRelation) -> Result<Created> {
    let from = entities::require(tx, &relation.from)?;
    let to = entities::require(tx, &relation.to)?;
    if from.id == to.id {
        return Err(Error::Conflict(format!(
            "A relation links two entities: {:?} cannot relate to itself",
            from.name
        )));
    }
    let triple = Triple { from_id: from.id, to_id: to.id, relation_type: &relation.relation_type };
    mutations::relations::create(tx, triple, relation.context.as_deref(), relation.weight)
}
