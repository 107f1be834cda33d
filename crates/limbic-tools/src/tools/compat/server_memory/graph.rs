//! The graph in the reference server's format: entities without placeholders, active relations.

use std::collections::HashSet;

use limbic_core::{
    Result, Transaction,
    store::graph::{
        entities,
        named_graph::{self, NamedEntity, NamedGraph, NamedRelation},
        text_cache::{Folding, TextCache},
    },
};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;

/// Up to this fraction of all entities, the wanted ones are read one by one; for more, reading all is faster.
const READ_ALL_DIVISOR: usize = 8;

/// An entity with its observations.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
pub struct Entity {
    /// The name of the entity
    pub name: String,
    /// The type of the entity
    pub entity_type: String,
    /// An array of observation contents associated with the entity
    pub observations: Vec<String>,
}

impl From<NamedEntity> for Entity {
    fn from(entity: NamedEntity) -> Self {
        Self { name: entity.name, entity_type: entity.entity_type, observations: entity.observations }
    }
}

/// A relation by the names of its endpoints.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(description = "")]
pub struct Link {
    /// The name of the entity where the relation starts
    pub from: String,
    /// The name of the entity where the relation ends
    pub to: String,
    /// The type of the relation
    pub relation_type: String,
}

impl From<NamedRelation> for Link {
    fn from(relation: NamedRelation) -> Self {
        Self { from: relation.from, to: relation.to, relation_type: relation.relation_type }
    }
}

/// Entities and relations, both in order of creation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "", transform = closed)]
pub struct Graph {
    entities: Vec<Entity>,
    relations: Vec<Link>,
}

impl From<NamedGraph> for Graph {
    fn from(graph: NamedGraph) -> Self {
        Self {
            entities: graph.entities.into_iter().map(Entity::from).collect(),
            relations: graph.relations.into_iter().map(Link::from).collect(),
        }
    }
}

impl Graph {
    /// Returns the whole graph.
    pub fn whole(tx: &Transaction<'_>) -> Result<Self> {
        Ok(named_graph::all(tx, None)?.into())
    }

    /// Returns the entities that contain this text in their name, type or an observation, ignoring case, and the
    /// relations of any of them.
    pub fn containing(tx: &Transaction<'_>, texts: &mut TextCache, text: &str) -> Result<Self> {
        let ids = texts.containing(tx, Folding::LowerCase, text)?;
        if ids.len() <= texts.count() / READ_ALL_DIVISOR {
            return Ok(named_graph::some(tx, &ids)?.into());
        }
        let ids: HashSet<i64> = ids.into_iter().collect();
        Ok(named_graph::all(tx, Some(&ids))?.into())
    }

    /// Returns the entities of these names, and the relations of any of them.
    pub fn of(tx: &Transaction<'_>, names: &[String]) -> Result<Self> {
        let mut ids = Vec::new();
        for name in names {
            ids.extend(find(tx, name)?.map(|entity| entity.id));
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(named_graph::some(tx, &ids)?.into())
    }
}

/// Counts of omitted records.
#[derive(Debug, Serialize)]
pub struct Omitted {
    entities: usize,
    observations: usize,
    relations: usize,
    hint: &'static str,
}

impl Graph {
    /// Keeps as much as fits into `tokens`, a quarter of them for relations. Returns what was dropped, if anything.
    pub fn cut(&mut self, max_tokens: usize) -> Option<Omitted> {
        let relations = Budget::new(max_tokens / 4).cut(&mut self.relations);
        let mut budget = Budget::new(max_tokens - max_tokens / 4);
        let (mut kept, mut observations) = (0, 0);
        for entity in &mut self.entities {
            if budget.is_spent() || !budget.take(&(&entity.name, &entity.entity_type, FRAME)) {
                break;
            }
            observations += budget.cut(&mut entity.observations);
            kept += 1;
        }
        let entities = self.entities.split_off(kept);
        observations += entities.iter().map(|entity| entity.observations.len()).sum::<usize>();
        let entities = entities.len();
        let hint = "read_graph gives all of it, page by page";
        (entities + observations + relations > 0).then_some(Omitted {
            entities,
            observations,
            relations,
            hint,
        })
    }
}

/// The names of an entity's fields.
const FRAME: &str = "name entityType observations";

/// The answer of a deletion, the same whether or not anything was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(description = "", transform = closed)]
pub struct Done {
    success: bool,
    message: &'static str,
}

impl Done {
    /// Success, with the message of the reference server.
    pub fn saying(message: &'static str) -> Self {
        Self { success: true, message }
    }
}

/// Returns the entity of exactly this name, unless it is a placeholder.
pub fn find(tx: &Transaction<'_>, name: &str) -> Result<Option<entities::Entity>> {
    Ok(entities::find_exact(tx, name)?.filter(|entity| !entity.is_placeholder()))
}

/// Sets `additionalProperties: false` in the schema of an answer, as the reference server does.
pub fn closed(schema: &mut Schema) {
    schemars::transform::transform_subschemas(&mut closed, schema);
    if let Some(object) = schema.as_object_mut().filter(|object| object.contains_key("properties")) {
        object.insert("additionalProperties".into(), false.into());
    }
}
