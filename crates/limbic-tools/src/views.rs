//! Views of entities, observations, relations and reflections in answers.

mod analysis;
pub mod memory;
pub mod origin;

use limbic_core::{
    Result, Transaction,
    search::Mode,
    store::graph::{
        entities::Entity,
        observations::{self, Observation},
        reflections::Reflection,
        relations::Relation,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;

pub use analysis::{AnalysisView, fitting};

/// An entity with its observations as texts, in the reference server's format.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntityView {
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// Current observations, oldest first.
    pub observations: Vec<String>,
    /// Count of observations not shown; see read_graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observations_omitted: Option<usize>,
}

impl EntityView {
    /// The entity with as many of its current observations as the budget allows.
    pub fn load(tx: &Transaction<'_>, entity: Entity, budget: &mut Budget) -> Result<Self> {
        let all = observations::current(tx, entity.id)?;
        let count = all.len();
        let observations: Vec<String> = all
            .into_iter()
            .map(|observation| observation.content)
            .take_while(|text| budget.take(text))
            .collect();
        Ok(Self {
            name: entity.name,
            entity_type: entity.entity_type,
            observations_omitted: Some(count - observations.len()).filter(|omitted| *omitted > 0),
            observations,
        })
    }

    /// An entity that a write has changed: with all its current observations if they fit, otherwise with as many of
    /// the added ones as fit.
    pub fn after_write(
        tx: &Transaction<'_>,
        entity: Entity,
        added: &[Observation],
        budget: &mut Budget,
    ) -> Result<Self> {
        /// An upper bound of the observations that fit into the budget of a write.
        const MAX_OBSERVATIONS: usize = 1000;
        let count = usize::try_from(observations::count_of(tx, entity.id)?).unwrap_or(usize::MAX);
        let texts = |list: &[Observation]| list.iter().map(|it| it.content.clone()).collect::<Vec<_>>();
        let all = if count <= MAX_OBSERVATIONS {
            texts(&observations::current(tx, entity.id)?)
        } else {
            Vec::new()
        };
        let observations = if all.len() == count && budget.take_all(&all) {
            all
        } else {
            texts(added).into_iter().take_while(|text| budget.take_all(std::slice::from_ref(text))).collect()
        };
        Ok(Self {
            name: entity.name,
            entity_type: entity.entity_type,
            observations_omitted: Some(count - observations.len()).filter(|omitted| *omitted > 0),
            observations,
        })
    }
}

/// A relation by the names of its endpoints, in the reference server's format.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelationView {
    /// Source entity.
    pub from: String,
    /// Target entity.
    pub to: String,
    /// Type.
    pub relation_type: String,
}

impl From<Relation> for RelationView {
    fn from(relation: Relation) -> Self {
        Self { from: relation.from, to: relation.to, relation_type: relation.relation_type }
    }
}

/// A relation with all its fields.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FullRelation {
    /// Relation id, for end_relation.
    pub id: i64,
    /// Source entity.
    pub from: String,
    /// Target entity.
    pub to: String,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Reason or other context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Strength.
    pub weight: f64,
    /// Whether it is active.
    pub active: bool,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

impl From<Relation> for FullRelation {
    fn from(relation: Relation) -> Self {
        Self {
            id: relation.id,
            from: relation.from,
            to: relation.to,
            relation_type: relation.relation_type,
            context: relation.context,
            weight: relation.weight,
            active: relation.active,
            ended_at: relation.ended_at,
        }
    }
}

/// An observation with all its fields.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FullObservation {
    /// Observation id, for supersedes.
    pub id: i64,
    /// Text.
    pub content: String,
    /// Kind of fact.
    pub kind: String,
    /// Id of the observation it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<i64>,
    /// When it was superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_at: Option<String>,
    /// 1 for a near-duplicate.
    pub similarity_flag: i64,
    /// When it was stored.
    pub created_at: String,
}

impl From<Observation> for FullObservation {
    fn from(observation: Observation) -> Self {
        Self {
            id: observation.id,
            content: observation.content,
            kind: observation.kind,
            supersedes: observation.supersedes,
            superseded_at: observation.superseded_at,
            similarity_flag: observation.similarity_flag,
            created_at: observation.created_at,
        }
    }
}

/// A reflection with its subject.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReflectionView {
    /// Reflection id.
    pub id: i64,
    /// "entity", "session", "relation" or "global".
    pub target_type: String,
    /// Id of its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    /// Author.
    pub author: String,
    /// Text.
    pub content: String,
    /// Mood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mood: Option<String>,
    /// When it was stored.
    pub created_at: String,
}

impl From<Reflection> for ReflectionView {
    fn from(reflection: Reflection) -> Self {
        Self {
            id: reflection.id,
            target_type: reflection.target_type,
            target_id: reflection.target_id,
            author: reflection.author,
            content: reflection.content,
            mood: reflection.mood,
            created_at: reflection.created_at,
        }
    }
}

/// The kind of subject of a reflection, as arguments name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TargetType {
    Entity,
    Session,
    Relation,
    Global,
}

impl TargetType {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Session => "session",
            Self::Relation => "relation",
            Self::Global => "global",
        }
    }
}

/// Returns the answers' name of a search mode.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Hybrid => "hybrid",
        Mode::Lexical => "lexical",
    }
}
