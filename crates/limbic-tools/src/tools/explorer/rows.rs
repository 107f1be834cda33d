//! Rows shared by several tools.

use limbic_core::{
    explore::{
        entity::Day,
        lists::{entity_list, observation_list, reflection_list},
        stats::Word,
    },
    store::graph::relations::Relation,
};
use schemars::JsonSchema;
use serde::Serialize;

/// An entity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntityRow {
    /// Entity id.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Status.
    pub status: String,
    /// Count of current observations.
    pub observations: u64,
    /// Count of active relations from and to it.
    pub relations: u64,
    /// Access count.
    pub access_count: u64,
    /// When a search last found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_access: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it or its observations last changed.
    pub updated_at: String,
}

impl From<entity_list::EntityRow> for EntityRow {
    fn from(row: entity_list::EntityRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            entity_type: row.entity_type,
            status: row.status,
            observations: row.observations,
            relations: row.relations,
            access_count: row.access_count,
            last_access: row.last_access,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// An observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ObservationRow {
    /// Observation id.
    pub id: i64,
    /// Id of its entity.
    pub entity_id: i64,
    /// Name of its entity.
    pub entity: String,
    /// Text.
    pub content: String,
    /// Kind of fact.
    pub kind: String,
    /// Id of the observation it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<i64>,
    /// Id of the observation that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<i64>,
    /// When it was superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_at: Option<String>,
    /// 1 for a near-duplicate.
    pub similarity_flag: i64,
    /// When it was stored.
    pub created_at: String,
}

impl From<observation_list::ObservationRow> for ObservationRow {
    fn from(row: observation_list::ObservationRow) -> Self {
        Self {
            id: row.id,
            entity_id: row.entity_id,
            entity: row.entity,
            content: row.content,
            kind: row.kind,
            supersedes: row.supersedes,
            superseded_by: row.superseded_by,
            superseded_at: row.superseded_at,
            similarity_flag: row.similarity_flag,
            created_at: row.created_at,
        }
    }
}

/// A relation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelationRow {
    /// Relation id.
    pub id: i64,
    /// Id of the source entity.
    pub from_id: i64,
    /// Id of the target entity.
    pub to_id: i64,
    /// Source entity.
    pub from: String,
    /// Target entity.
    pub to: String,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Context: why it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Strength.
    pub weight: f64,
    /// Whether it is active.
    pub active: bool,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// When it was stored.
    pub created_at: String,
}

impl From<Relation> for RelationRow {
    fn from(relation: Relation) -> Self {
        Self {
            id: relation.id,
            from_id: relation.from_id,
            to_id: relation.to_id,
            from: relation.from,
            to: relation.to,
            relation_type: relation.relation_type,
            context: relation.context,
            weight: relation.weight,
            active: relation.active,
            ended_at: relation.ended_at,
            created_at: relation.created_at,
        }
    }
}

/// A reflection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReflectionRow {
    /// Reflection id.
    pub id: i64,
    /// "entity", "session", "relation" or "global".
    pub target_type: String,
    /// Id of its subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    /// Name of the entity, or endpoints and type of the relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
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

impl From<reflection_list::ReflectionRow> for ReflectionRow {
    fn from(row: reflection_list::ReflectionRow) -> Self {
        Self {
            id: row.id,
            target_type: row.target_type,
            target_id: row.target_id,
            target: row.target,
            author: row.author,
            mood: row.mood,
            content: row.content,
            created_at: row.created_at,
        }
    }
}

/// The count of a day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DayView {
    /// Day, as YYYY-MM-DD.
    pub date: String,
    /// Count.
    pub count: u64,
}

impl From<Day> for DayView {
    fn from(day: Day) -> Self {
        Self { date: day.date, count: day.count }
    }
}

/// A word and its frequency.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WordView {
    /// Word.
    pub name: String,
    /// Count.
    pub count: u64,
}

impl From<Word> for WordView {
    fn from(word: Word) -> Self {
        Self { name: word.name, count: word.count }
    }
}

/// The views of rows.
pub fn views<R, V: From<R>>(rows: Vec<R>) -> Vec<V> {
    rows.into_iter().map(V::from).collect()
}
