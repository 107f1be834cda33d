//! Rows as several of the tools show them.

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
    /// How many current observations it has.
    pub observations: u64,
    /// How many active relations it has, at both ends.
    pub relations: u64,
    /// How often searches found it.
    pub access_count: u64,
    /// When a search last found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_access: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// When it or what is said of it last changed.
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
    /// What sort of fact.
    pub kind: String,
    /// Id of the observation that it replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<i64>,
    /// Id of the observation that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<i64>,
    /// Since when it is no longer current.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_at: Option<String>,
    /// 1 when another observation says nearly the same.
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
    /// Id of the entity it starts from.
    pub from_id: i64,
    /// Id of the entity it leads to.
    pub to_id: i64,
    /// Name of the entity it starts from.
    pub from: String,
    /// Name of the entity it leads to.
    pub to: String,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Why it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Strength.
    pub weight: f64,
    /// Whether it holds now.
    pub active: bool,
    /// Since when it no longer holds.
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
    /// Id of what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    /// The entity's name, or both ends and the type of the relation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Who wrote it.
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

/// How often something happened on a day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DayView {
    /// Day, as YYYY-MM-DD.
    pub date: String,
    /// How often.
    pub count: u64,
}

impl From<Day> for DayView {
    fn from(day: Day) -> Self {
        Self { date: day.date, count: day.count }
    }
}

/// A word and how often it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WordView {
    /// Word.
    pub name: String,
    /// How often.
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
