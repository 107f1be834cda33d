//! The tool explore_entity.

use limbic_core::{
    Error, Result, Transaction,
    explore::{
        entity::{self, Day, Together, VectorState},
        lists::{
            entity_list::{self, EntityRow},
            observation_list::{self, ObservationRow},
            reflection_list::{self, ReflectionRow},
            relation_list::{self, RelationRow},
        },
    },
    store::{graph::entities, origins},
};
use limbic_protocol::TextKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::Budget,
    context::Context,
    tool::tool,
    views::{memory::shown, origin::OriginView},
};

/// Maximum number of records per list.
const MAX_RECORDS: usize = 2000;
/// Maximum number of days of usage.
const MAX_DAYS: usize = 366;
/// Maximum number of co-occurring entities.
const MAX_TOGETHER: usize = 50;

tool! {
    /// Return one entity with all its data: observations with history, relations in both directions, reflections on
    /// it and on its relations, usage, and the state of its embedding.
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
    /// Origin that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_by: Option<OriginView>,
    /// Observations, including superseded ones, oldest first.
    pub observations: Vec<InspectedObservation>,
    /// Relations from or to it, including ended ones, oldest first.
    pub relations: Vec<RelationRow>,
    /// Reflections on it and on its relations, oldest first.
    pub reflections: Vec<ReflectionRow>,
    /// Usage.
    pub access: Access,
    /// Entities found by the same searches, most frequent first.
    pub found_together: Vec<Together>,
    /// State of its vector: stored, waiting, failed or none.
    pub vector: &'static str,
    /// Counts of omitted records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// An observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InspectedObservation {
    /// The observation.
    #[serde(flatten)]
    pub observation: ObservationRow,
    /// Label of its origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// State of its vector: stored, waiting, failed or none.
    pub vector: &'static str,
}

/// The usage of an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Access {
    /// Access count.
    pub count: u64,
    /// When last accessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The last 366 days with accesses, oldest first.
    pub days: Vec<Day>,
}

/// Counts of omitted records; see explore_records.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Omitted {
    /// Observations.
    pub observations: usize,
    /// Relations.
    pub relations: usize,
    /// Reflections.
    pub reflections: usize,
    /// Co-occurring entities.
    pub found_together: usize,
}

fn explore_entity(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.read(|tx| inspect(tx, entities::require(tx, &input.name)?.id))
}

/// All data of an entity.
pub fn inspect(tx: &Transaction<'_>, id: i64) -> Result<Output> {
    let entity = entity_list::get(tx, id)?.ok_or(Error::EntityIdNotFound(id))?;
    let mut labels = origins::of_observations(tx, id)?;
    let observations = observation_list::of(tx, id, MAX_RECORDS)?
        .into_iter()
        .map(|row| {
            let origin = labels.remove(&row.id).map(shown);
            inspected(tx, row, origin)
        })
        .collect::<Result<Vec<_>>>()?;
    let relations = relation_list::touching(tx, id, MAX_RECORDS)?;
    let (reflections_total, reflections) = reflection_list::around(tx, id, MAX_RECORDS)?;
    let (together_total, found_together) = entity::found_together(tx, id, MAX_TOGETHER)?;
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
            days: entity::access_days(tx, id, MAX_DAYS)?,
        },
        entity,
        written_by: origins::of_entity(tx, id)?.map(Into::into),
        observations,
        relations,
        reflections,
        found_together,
        vector: state_name(entity::vector_state(tx, TextKind::Entity, id)?),
        omitted: (!is_all).then_some(omitted),
    })
}

impl Output {
    /// Keeps as much as fits into `tokens`, half of them for observations; the rest is counted as omitted.
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

fn inspected(
    tx: &Transaction<'_>,
    row: ObservationRow,
    origin: Option<String>,
) -> Result<InspectedObservation> {
    let vector = state_name(entity::vector_state(tx, TextKind::Observation, row.id)?);
    Ok(InspectedObservation { observation: row, origin, vector })
}

/// Returns the answers' name of a vector's state.
pub fn state_name(state: VectorState) -> &'static str {
    match state {
        VectorState::Stored => "stored",
        VectorState::Waiting => "waiting",
        VectorState::Failed => "failed",
        VectorState::None => "none",
    }
}
