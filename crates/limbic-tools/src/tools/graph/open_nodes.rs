//! The tool open_nodes.

use std::collections::BTreeMap;

use limbic_core::{
    Result, Transaction,
    store::graph::{
        entities::{self, Entity},
        observations,
        reflections::{self, Reflection, Target},
        relations,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    tool::tool,
    views::{FullObservation, FullRelation, RelationView},
};

tool! {
    /// Return entities by exact name, with observations and relations; unknown names are omitted. detail "full" adds
    /// ids, kinds, history, dates and reflections. Without a name, use search_semantic.
    name: "open_nodes",
    title: "Open entities",
    toolset: Graph,
    brief: &["names", "detail", "include_superseded"],
    access: Read,
    idempotent: true,
    example: r#"{"names": ["Atlas"], "detail": "full"}"#,
    handler: open_nodes,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact names.
    #[schemars(length(min = 1, max = 1000), inner(length(min = 1, max = 500)))]
    pub names: Vec<String>,
    /// Detail of the answer.
    #[serde(default)]
    pub detail: Detail,
    /// Only observations of these kinds.
    #[schemars(length(max = 100), inner(length(min = 1, max = 50)))]
    pub kinds: Option<Vec<String>>,
    /// Include superseded observations and ended relations.
    #[serde(default)]
    pub include_superseded: bool,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

/// Detail of the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Detail {
    #[default]
    Text,
    Full,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// In the order of names.
    pub entities: Vec<Opened>,
    /// Relations of any of them.
    pub relations: Vec<OpenedRelation>,
    /// Omitted because of max_tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// One entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Opened {
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Entity id, for reflections; with detail "full".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Status, with detail "full".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Observations, oldest first.
    pub observations: Vec<OpenedObservation>,
    /// Reflections on it, oldest first, with detail "full".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub reflections: Vec<OpenedReflection>,
}

/// An observation, as its text or in full.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OpenedObservation {
    /// Text.
    Text(String),
    /// All fields.
    Full(FullObservation),
}

/// A reflection on an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenedReflection {
    /// Reflection id.
    pub id: i64,
    /// Author.
    pub author: String,
    /// Mood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mood: Option<String>,
    /// Text.
    pub content: String,
    /// When it was stored.
    pub created_at: String,
}

impl From<Reflection> for OpenedReflection {
    fn from(reflection: Reflection) -> Self {
        Self {
            id: reflection.id,
            author: reflection.author,
            mood: reflection.mood,
            content: reflection.content,
            created_at: reflection.created_at,
        }
    }
}

/// A relation, by its endpoints or in full.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OpenedRelation {
    /// Endpoints and type.
    Ends(RelationView),
    /// All fields.
    Full(FullRelation),
}

/// Omitted because of max_tokens.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Omitted {
    /// Names of entities omitted entirely.
    pub entities: Vec<String>,
    /// Count of observations of entities shown.
    pub observations: usize,
    /// Count of reflections on entities shown.
    pub reflections: usize,
    /// Count of relations.
    pub relations: usize,
}

fn open_nodes(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut ids = Vec::new();
    let output = context.memory.read(|tx| {
        let mut reader =
            Reader { tx, input: &input, budget: Budget::new(input.max_tokens), omitted: Omitted::default() };
        let mut opened: Vec<Opened> = Vec::new();
        let mut touching = BTreeMap::new();
        for name in &input.names {
            let Some(entity) = entities::find(tx, name)? else { continue };
            if opened.iter().any(|known| known.name == entity.name) {
                continue;
            }
            let id = entity.id;
            if let Some(entity) = reader.open(entity)? {
                ids.push(id);
                opened.push(entity);
                let related = relations::touching(tx, id, input.include_superseded)?;
                touching.extend(related.into_iter().map(|relation| (relation.id, relation)));
            }
        }
        let relations = touching
            .into_values()
            .map(|relation| match input.detail {
                Detail::Text => OpenedRelation::Ends(relation.into()),
                Detail::Full => OpenedRelation::Full(relation.into()),
            })
            .filter(|relation| {
                let fits = reader.budget.take(relation);
                reader.omitted.relations += usize::from(!fits);
                fits
            })
            .collect();
        let omitted = reader.omitted;
        let all = omitted.entities.is_empty()
            && omitted.observations + omitted.reflections + omitted.relations == 0;
        Ok(Output { entities: opened, relations, omitted: (!all).then_some(omitted) })
    })?;
    context.memory.used(&ids);
    Ok(output)
}

struct Reader<'a> {
    tx: &'a Transaction<'a>,
    input: &'a Input,
    budget: Budget,
    omitted: Omitted,
}

impl Reader<'_> {
    fn open(&mut self, entity: Entity) -> Result<Option<Opened>> {
        let full = self.input.detail == Detail::Full;
        let mut opened = Opened {
            name: entity.name,
            entity_type: entity.entity_type,
            id: full.then_some(entity.id),
            status: full.then_some(entity.status),
            observations: Vec::new(),
            reflections: Vec::new(),
        };
        if !self.budget.take(&opened) {
            self.omitted.entities.push(opened.name);
            return Ok(None);
        }
        let include_superseded = self.input.include_superseded;
        for observation in observations::page(self.tx, entity.id, 0, usize::MAX, include_superseded)? {
            if self.input.kinds.as_ref().is_some_and(|kinds| !kinds.contains(&observation.kind)) {
                continue;
            }
            let view = if full {
                OpenedObservation::Full(observation.into())
            } else {
                OpenedObservation::Text(observation.content)
            };
            if self.omitted.observations == 0 && self.budget.take(&view) {
                opened.observations.push(view);
            } else {
                self.omitted.observations += 1;
            }
        }
        if full {
            for reflection in reflections::on(self.tx, Target::Entity(entity.id))? {
                let view = OpenedReflection::from(reflection);
                if self.omitted.reflections == 0 && self.budget.take(&view) {
                    opened.reflections.push(view);
                } else {
                    self.omitted.reflections += 1;
                }
            }
        }
        Ok(Some(opened))
    }
}
