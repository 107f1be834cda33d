//! The tool add_observations.

use limbic_core::{
    Error, Result, Transaction, mutations,
    store::graph::entities::{self, Entity},
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
    /// Add observations to existing entities: name and observations for one, observations as [{entityName, contents}]
    /// for several. With supersedes, the one observation given replaces an outdated one, which stays as history.
    name: "add_observations",
    title: "Add observations",
    toolset: Graph,
    access: Write,
    idempotent: true,
    example: r#"{"name": "Atlas", "observations": ["Moved to weekly releases"], "kind": "milestone"}"#,
    handler: add_observations,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name.
    #[schemars(length(min = 1, max = 500))]
    pub name: Option<String>,
    /// Texts, one fact each; without name, [{entityName, contents}].
    #[schemars(length(min = 1, max = 1000))]
    pub observations: Vec<NewObservation>,
    /// Kind: generic (default), milestone, risk or another word.
    #[schemars(length(min = 1, max = 50))]
    pub kind: Option<String>,
    /// Id of the observation to replace.
    pub supersedes: Option<i64>,
}

/// A text, or the texts for one of several entities.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NewObservation {
    /// A text.
    Text(#[schemars(length(min = 1, max = 10000))] String),
    /// Observations of one entity, as texts.
    For(ForEntity),
}

/// Observations for one of several entities.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForEntity {
    /// Exact name.
    #[schemars(length(min = 1, max = 500))]
    pub entity_name: String,
    /// Texts, one fact each.
    #[schemars(length(max = 1000), inner(length(min = 1, max = 10000)))]
    pub contents: Vec<String>,
}

/// Answer: entity and added if name was given, otherwise results.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The entity after the call; of a large one, only what was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<EntityView>,
    /// Observations added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<Vec<Added>>,
    /// Observations added to each entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<AddedTo>>,
}

/// An observation that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Added {
    /// Observation id.
    pub id: i64,
    /// Text.
    pub content: String,
    /// 1 for a near-duplicate; set once it is embedded.
    pub similarity_flag: i64,
}

/// The observations added to one of several entities.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddedTo {
    /// Name of the entity.
    pub entity_name: String,
    /// Texts added.
    pub added_observations: Vec<String>,
}

/// The two forms of the arguments.
enum Form {
    One { name: String, contents: Vec<String> },
    Several(Vec<ForEntity>),
}

fn add_observations(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let kind = input.kind.clone().unwrap_or_else(|| "generic".into());
    let supersedes = input.supersedes;
    let mut extended = Vec::new();
    let output = match form(input)? {
        Form::One { name, contents } => context.memory.write(|tx| {
            let entity = entities::require(tx, &name)?;
            refuse_secrets_about(&entity.entity_type, &contents)?;
            extended.push(entity.id);
            add_to_one(tx, entity, &contents, &kind, supersedes)
        }),
        Form::Several(_) if supersedes.is_some() => Err(Error::invalid(
            "supersedes replaces one observation of one entity: give name and a single text",
        )),
        Form::Several(list) => context.memory.write(|tx| {
            let add = |item: ForEntity| {
                let entity = entities::require(tx, &item.entity_name)?;
                refuse_secrets_about(&entity.entity_type, &item.contents)?;
                extended.push(entity.id);
                add_to(tx, &entity, item, &kind)
            };
            let results = list.into_iter().map(add).collect::<Result<_>>()?;
            Ok(Output { results: Some(results), ..Output::default() })
        }),
    }?;
    context.memory.used(&extended);
    Ok(output)
}

fn form(input: Input) -> Result<Form> {
    let mut contents = Vec::new();
    let mut several = Vec::new();
    for observation in input.observations {
        match observation {
            NewObservation::Text(text) => contents.push(text),
            NewObservation::For(item) => several.push(item),
        }
    }
    match (input.name, several.is_empty()) {
        (Some(name), true) => Ok(Form::One { name, contents }),
        (None, false) if contents.is_empty() => Ok(Form::Several(several)),
        (None, true) => Err(Error::InvalidArgument {
            message: "name is missing: the entity that the observations are about".into(),
            hint: Some("Several entities at once: observations as [{entityName, contents}]".into()),
        }),
        _ => Err(Error::invalid(
            "observations must be texts together with name, or [{entityName, contents}] without it; not both",
        )),
    }
}

fn add_to_one(
    tx: &Transaction<'_>,
    entity: Entity,
    contents: &[String],
    kind: &str,
    supersedes: Option<i64>,
) -> Result<Output> {
    let added = match (supersedes, contents) {
        (None, _) => mutations::observations::add(tx, entity.id, contents, kind)?,
        (Some(old), [content]) => {
            vec![mutations::observations::supersede(tx, entity.id, old, content, kind)?]
        }
        (Some(_), _) => {
            return Err(Error::invalid("supersedes needs exactly one new observation"));
        }
    };
    let entity = EntityView::after_write(tx, entity, &added, &mut Budget::new(MAX_WRITE_TOKENS))?;
    let added = added
        .into_iter()
        .map(|new| Added { id: new.id, content: new.content, similarity_flag: new.similarity_flag })
        .collect();
    Ok(Output { entity: Some(entity), added: Some(added), results: None })
}

fn add_to(tx: &Transaction<'_>, entity: &Entity, item: ForEntity, kind: &str) -> Result<AddedTo> {
    let added = mutations::observations::add(tx, entity.id, &item.contents, kind)?;
    Ok(AddedTo {
        entity_name: item.entity_name,
        added_observations: added.into_iter().map(|observation| observation.content).collect(),
    })
}
