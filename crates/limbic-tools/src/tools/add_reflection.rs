//! The tool add_reflection.

use limbic_core::{
    Error, Result,
    store::graph::reflections::{self, Target},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    tool::tool,
    views::{ReflectionView, TargetType},
};

tool! {
    /// Write a reflection: free prose that gives context and meaning to an entity, a relation, a session, or to
    /// nothing in particular. It is deleted with its entity or relation.
    name: "add_reflection",
    title: "Add a reflection",
    toolset: Graph,
    access: Write,
    idempotent: false,
    example: r#"{"target_type": "entity", "target_id": 1, "content": "The decision that shaped the project", "mood": "insight"}"#,
    handler: add_reflection,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What it is about.
    pub target_type: TargetType,
    /// Free prose.
    #[schemars(length(min = 1, max = 10000))]
    pub content: String,
    /// Who writes it: sofia, nolan or another name.
    #[serde(default = "default_author")]
    #[schemars(length(min = 1, max = 50))]
    pub author: String,
    /// frustracion, satisfaccion, curiosidad, duda, insight or another word.
    #[schemars(length(min = 1, max = 50))]
    pub mood: Option<String>,
    /// Id of the entity or relation, as open_nodes with detail "full" gives it; for a session a number of your own,
    /// or nothing.
    #[schemars(range(min = 1))]
    pub target_id: Option<i64>,
}

fn default_author() -> String {
    "sofia".into()
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The reflection as it is stored.
    pub result: ReflectionView,
}

fn add_reflection(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let target = target(&input)?;
    let added = context
        .memory
        .write(|tx| reflections::add(tx, target, &input.author, &input.content, input.mood.as_deref()))?;
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
            message: format!("target_id must be left out where target_type is global; it got {id}"),
            hint: Some("To reflect on an entity or a relation, say so in target_type".into()),
        }),
    }
}
