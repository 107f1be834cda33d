//! The tool explore_entity.

use limbic_core::{
    Error, Result, Transaction,
    explore::{
        entity::{self, Together, VectorState},
        lists::{entity_list as entity_rows, observation_list, reflection_list, relation_list},
    },
    store::graph::entities,
};
use limbic_protocol::TextKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::{DayView, EntityRow, ObservationRow, ReflectionRow, RelationRow, views};
use crate::{budget::Budget, context::Context, tool::tool};

/// The most records of each list.
const RECORDS_MAX: usize = 2000;
/// The most days of use.
const DAYS_MAX: usize = 366;
/// The most entities found together with it.
const TOGETHER_MAX: usize = 50;

tool! {
    /// Everything that is known of one entity: observations with their history, relations both ways, reflections on it
    /// and on its relations, how it is used, and whether its texts can be found by meaning.
    name: "explore_entity",
    title: "Explore an entity",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"name": "Atlas"}"#,
    handler: explore_entity,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Exact name.
    #[schemars(length(min = 1, max = 500))]
    pub name: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The entity.
    pub entity: EntityRow,
    /// Its observations, superseded ones too, oldest first.
    pub observations: Vec<InspectedObservation>,
    /// Relations that touch it, ended ones too, oldest first.
    pub relations: Vec<RelationRow>,
    /// Reflections on it and on its relations, oldest first.
    pub reflections: Vec<ReflectionRow>,
    /// How it is used.
    pub access: Access,
    /// Entities that the same searches found, most often first.
    pub found_together: Vec<TogetherView>,
    /// Whether it can be found by meaning: stored, waiting, failed or none.
    pub vector: &'static str,
    /// What is too much for one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// An observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InspectedObservation {
    /// The observation.
    #[serde(flatten)]
    pub observation: ObservationRow,
    /// Whether it can be found by meaning: stored, waiting, failed or none.
    pub vector: &'static str,
}

/// How an entity is used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Access {
    /// How often searches found it.
    pub count: u64,
    /// When last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The last 366 days on which they did, oldest first.
    pub days: Vec<DayView>,
}

/// An entity found together with it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TogetherView {
    /// Entity id.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// How often.
    pub count: u64,
    /// When last.
    pub last: String,
}

/// What is too much for one answer: explore_records gives all of it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Omitted {
    /// Observations.
    pub observations: usize,
    /// Relations.
    pub relations: usize,
    /// Reflections.
    pub reflections: usize,
    /// Entities found together with it.
    pub found_together: usize,
}

fn explore_entity(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.read(|tx| inspect(tx, entities::require(tx, &input.name)?.id))
}

/// Everything that is known of an entity.
pub fn inspect(tx: &Transaction<'_>, id: i64) -> Result<Output> {
    let entity = entity_rows::get(tx, id)?.ok_or(Error::EntityIdNotFound(id))?;
    let observations = observation_list::of(tx, id, RECORDS_MAX)?
        .into_iter()
        .map(|row| inspected(tx, row))
        .collect::<Result<Vec<_>>>()?;
    let relations = relation_list::touching(tx, id, RECORDS_MAX)?;
    let (reflections_total, reflections) = reflection_list::around(tx, id, RECORDS_MAX)?;
    let (together_total, found_together) = entity::found_together(tx, id, TOGETHER_MAX)?;
    let omitted = Omitted {
        observations: observation_list::count_of(tx, id)?.saturating_sub(observations.len()),
        relations: relation_list::count_touching(tx, id)?.saturating_sub(relations.len()),
        reflections: reflections_total.saturating_sub(reflections.len()),
        found_together: together_total.saturating_sub(found_together.len()),
    };
    let is_all = omitted.observations + omitted.relations + omitted.reflections + omitted.found_together == 0;
    Ok(Output {
        access: Access {
            count: entity.access_count,
            last: entity.last_access.clone(),
            days: views(entity::access_days(tx, id, DAYS_MAX)?),
        },
        entity: entity.into(),
        observations,
        relations: views(relations),
        reflections: views(reflections),
        found_together: found_together.into_iter().map(TogetherView::from).collect(),
        vector: state_name(entity::vector_state(tx, TextKind::Entity, id)?),
        omitted: (!is_all).then_some(omitted),
    })
}

impl Output {
    /// Keeps as much as fits into so many tokens, half of them for observations; what goes counts as omitted.
    pub fn cut(&mut self, max_tokens: usize) {
        let mut budget = Budget::new(max_tokens / 2);
        let observations = budget.cut(&mut self.observations);
        let mut budget = Budget::new(max_tokens - max_tokens / 2);
        let relations = budget.cut(&mut self.relations);
        let reflections = budget.cut(&mut self.reflections);
        if observations + relations + reflections > 0 {
            let omitted = self.omitted.get_or_insert_default();
            omitted.observations += observations;
            omitted.relations += relations;
            omitted.reflections += reflections;
        }
    }
}

fn inspected(tx: &Transaction<'_>, row: observation_list::ObservationRow) -> Result<InspectedObservation> {
    let vector = state_name(entity::vector_state(tx, TextKind::Observation, row.id)?);
    Ok(InspectedObservation { observation: row.into(), vector })
}

impl From<Together> for TogetherView {
    fn from(together: Together) -> Self {
        Self {
            id: together.id,
            name: together.name,
            entity_type: together.entity_type,
            count: together.count,
            last: together.last,
        }
    }
}

/// How answers name whether a text can be found by meaning.
pub fn state_name(state: VectorState) -> &'static str {
    match state {
        VectorState::Stored => "stored",
        VectorState::Waiting => "waiting",
        VectorState::Failed => "failed",
        VectorState::None => "none",
    }
}
