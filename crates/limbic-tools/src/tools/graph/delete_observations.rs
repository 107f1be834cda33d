//! The tool delete_observations.

use limbic_core::{Error, Result, mutations, store::graph::entities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, MAX_WRITE_TOKENS},
    context::Context,
    tool::tool,
    views::EntityView,
};

tool! {
    /// Delete observations permanently by exact text: name and observations for one entity, deletions for several.
    /// Texts that match nothing are returned. To keep history, use add_observations with supersedes.
    name: "delete_observations",
    title: "Delete observations",
    toolset: Graph,
    access: Destroy,
    idempotent: true,
    example: r#"{"name": "Atlas", "observations": ["Released every second Tuesday"]}"#,
    handler: delete_observations,
}

/// Arguments: name and observations, or deletions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name.
    #[schemars(length(min = 1, max = 500))]
    pub name: Option<String>,
    /// Exact texts to delete.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 10000)))]
    pub observations: Option<Vec<String>>,
    /// Deletions for several entities.
    #[schemars(length(min = 1, max = 1000))]
    pub deletions: Option<Vec<Deletion>>,
}

/// What to delete from one of several entities.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deletion {
    /// Exact name of the entity.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
    /// Exact texts to delete.
    #[schemars(length(max = 1000), inner(length(min = 1, max = 10000)))]
    pub observations: Vec<String>,
}

/// Answer: entity if name was given, otherwise success and message.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The entity after the call; of a large one, only its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<EntityView>,
    /// Count of observations deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<usize>,
    /// Whether it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// Result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What was not found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub errors: Vec<String>,
}

fn delete_observations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    match (input.name, input.observations, input.deletions) {
        (Some(name), Some(texts), None) => context.memory.write(|tx| {
            let entity = entities::require(tx, &name)?;
            let (deleted, missing) = mutations::observations::delete(tx, entity.id, &texts)?;
            Ok(Output {
                errors: not_found(&entity.name, &missing),
                entity: Some(EntityView::after_write(tx, entity, &[], &mut Budget::new(MAX_WRITE_TOKENS))?),
                deleted: Some(deleted),
                ..Output::default()
            })
        }),
        (None, None, Some(deletions)) => context.memory.write(|tx| {
            let (mut count, mut errors) = (0, Vec::new());
            for Deletion { entity_name, observations } in deletions {
                let Some(entity) = entities::find(tx, &entity_name)? else {
                    errors.push(Error::EntityNotFound(entity_name).to_string());
                    continue;
                };
                let (deleted, missing) = mutations::observations::delete(tx, entity.id, &observations)?;
                count += deleted;
                errors.extend(not_found(&entity.name, &missing));
            }
            let message = Some("Observations deleted successfully".into());
            Ok(Output { deleted: Some(count), success: Some(true), message, errors, ..Output::default() })
        }),
        _ => Err(Error::InvalidArgument {
            message: "Give either name and observations, or deletions".into(),
            hint: Some(r#"{"name": "Atlas", "observations": ["the exact text"]}"#.into()),
        }),
    }
}

fn not_found(entity: &str, texts: &[&str]) -> Vec<String> {
    let error = |text: &&str| Error::NoSuchText { entity: entity.to_owned(), start: (*text).to_owned() };
    texts.iter().map(|text| error(text).to_string()).collect()
}
