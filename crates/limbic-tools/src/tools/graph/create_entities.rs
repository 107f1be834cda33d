//! The tool create_entities.

use limbic_core::{
    Result, Transaction, mutations,
    store::graph::{
        entities::{Description, Entity},
        observations::Observation,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_WRITE_TOKENS},
    context::Context,
    tool::tool,
    topic_secrets::refuse_secrets_about,
    views::EntityView,
};

tool! {
    /// Create entities, or merge into those of the same name: new observations are added, exact duplicates skipped;
    /// a given type or status replaces the existing one. Use short, specific names and one fact per observation.
    name: "create_entities",
    title: "Create entities",
    toolset: Graph,
    access: Write,
    idempotent: true,
    example: r#"{"entities": [{"name": "Atlas", "entityType": "Project", "observations": ["Stack: Rust and SQLite", "Released every second Tuesday"]}]}"#,
    handler: create_entities,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Entities to create or merge.
    #[schemars(length(min = 1, max = 1000))]
    pub entities: Vec<NewEntity>,
}

/// One entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewEntity {
    /// Unique name.
    #[schemars(length(min = 1, max = 500))]
    pub name: String,
    /// Type, such as Project or Person; default Generic, or the existing type.
    #[schemars(length(min = 1, max = 500), extend("x-alias" = "entity_type"))]
    pub entity_type: Option<String>,
    /// Facts, one per text.
    #[serde(default)]
    #[schemars(length(max = 1000), inner(length(min = 1, max = 10000)))]
    pub observations: Vec<String>,
    /// active, paused, completed or archived, or activo (default), pausado, completado or archivado with the same
    /// meanings; all but active rank lower.
    #[schemars(length(min = 1, max = 50))]
    pub status: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The entities after the call; of large ones, only what was added.
    pub entities: Vec<EntityView>,
    /// Names created.
    pub created: Vec<String>,
    /// Names that existed.
    pub merged: Vec<String>,
}

fn create_entities(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut extended = Vec::new();
    let output = context.memory.write(|tx| {
        let mut output = Output { entities: Vec::new(), created: Vec::new(), merged: Vec::new() };
        let mut budget = Budget::new(MAX_WRITE_TOKENS);
        for entity in &input.entities {
            let (row, is_new, added) = store(tx, entity)?;
            if !is_new {
                extended.push(row.id);
            }
            let view = EntityView::after_write(tx, row, &added, &mut budget)?;
            if is_new { &mut output.created } else { &mut output.merged }.push(view.name.clone());
            output.entities.retain(|known| known.name != view.name);
            output.entities.push(view);
        }
        output.merged.retain(|name| !output.created.contains(name));
        output.merged.dedup();
        Ok(output)
    })?;
    context.memory.used(&extended);
    Ok(output)
}

/// Creates or updates one entity. Returns whether it is new, and the observations added to it.
fn store(tx: &Transaction<'_>, entity: &NewEntity) -> Result<(Entity, bool, Vec<Observation>)> {
    let description = Description {
        name: &entity.name,
        entity_type: entity.entity_type.as_deref(),
        status: entity.status.as_deref(),
    };
    let (row, is_new) = mutations::entities::upsert(tx, description)?;
    refuse_secrets_about(&row.entity_type, &entity.observations)?;
    let added = mutations::observations::add(tx, row.id, &entity.observations, "generic")?;
    if added.is_empty() {
        // The name or the type may be new.
        mutations::entities::text_changed(tx, row.id)?;
    }
    Ok((row, is_new, added))
}
