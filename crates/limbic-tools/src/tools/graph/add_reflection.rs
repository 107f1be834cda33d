//! The tool add_reflection.

use limbic_core::{Error, Result, mutations, store::graph::reflections::Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    tool::tool,
    views::{ReflectionView, TargetType},
};

tool! {
    /// Write a reflection: free prose, optionally about an entity, a relation or a session. For facts use
    /// add_observations. It is deleted with its entity or relation.
    name: "add_reflection",
    title: "Add a reflection",
    toolset: Graph,
    advanced: true,
    access: Write,
    idempotent: false,
    example: r#"{"target_type": "entity", "target_id": 1, "content": "The decision that shaped the project", "mood": "insight"}"#,
    handler: add_reflection,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Kind of subject.
    pub target_type: TargetType,
    /// Text.
    #[schemars(length(min = 1, max = 10000))]
    pub content: String,
    /// Author; the default is that of MCP Memory v2.
    #[serde(default = "default_author")]
    #[schemars(length(min = 1, max = 50))]
    pub author: String,
    /// Mood: frustracion (frustration), satisfaccion (satisfaction), curiosidad (curiosity), duda (doubt), insight or
    /// another word.
    #[schemars(length(min = 1, max = 50))]
    pub mood: Option<String>,
    /// Id of the entity or relation, from open_nodes with detail "full"; for a session, any number or none.
    #[schemars(range(min = 1))]
    pub target_id: Option<i64>,
}

fn default_author() -> String {
    "sofia".into()
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The reflection stored.
    pub result: ReflectionView,
}

fn add_reflection(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let target = target(&input)?;
    let added = context.memory.write(|tx| {
        mutations::reflections::add(tx, target, &input.author, &input.content, input.mood.as_deref())
    })?;
    Ok(Output { result: added.into() })
}

fn target(input: &Input) -> Result<Target> {
    match (input.target_type, input.target_id) {
        (TargetType::Entity, Some(id)) => Ok(Target::Entity(id)),
        (TargetType::Relation, Some(id)) => Ok(Target::Relation(id)),
        (TargetType::Session, id) => Ok(Target::Session(id)),
        (TargetType::Global, None) => Ok(Target::Global),
        (TargetType::Entity | TargetType::Relation, None) => Err(Error::InvalidArgument {
            message: format!(
                "target_id is missing: the id of the {} that the reflection is about",
                input.target_type.name()
            ),
            hint: Some("open_nodes with detail \"full\" shows the ids".into()),
        }),
        (TargetType::Global, Some(id)) => Err(Error::InvalidArgument {
            message: format!("target_id must be left out where target_type is global, but got {id}"),
            hint: Some("For an entity or a relation, name it in target_type".into()),
        }),
    }
}
