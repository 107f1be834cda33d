//! The graph in the reference server's format: entities without placeholders, active relations.

use std::collections::HashSet;

use limbic_core::{
    Result, Transaction,
    store::graph::{
        entities, observations,
        relations::{self, Relation},
        text_cache::{Folding, TextCache},
    },
};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;

/// Maximum number of entities that are read one by one; for more, reading all is faster.
const FEW: usize = 300;

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

impl Entity {
    fn load(tx: &Transaction<'_>, entity: entities::Entity) -> Result<Self> {
        let observations = observations::current(tx, entity.id)?;
        Ok(Self::new(entity, observations.into_iter().map(|observation| observation.content).collect()))
    }

    fn new(entity: entities::Entity, observations: Vec<String>) -> Self {
        Self { name: entity.name, entity_type: entity.entity_type, observations }
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

impl From<Relation> for Link {
    fn from(relation: Relation) -> Self {
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

impl Graph {
    /// Returns the whole graph.
    pub fn whole(tx: &Transaction<'_>) -> Result<Self> {
        let entities = created(tx)?.into_iter().map(|(_, entity)| entity).collect();
        Ok(Self { entities, relations: relations::all_active(tx)?.into_iter().map(Link::from).collect() })
    }

    /// Returns the entities that contain this text in their name, type or an observation, ignoring case, and the
    /// relations of any of them.
    pub fn containing(tx: &Transaction<'_>, texts: &mut TextCache, text: &str) -> Result<Self> {
        let ids = texts.containing(tx, Folding::LowerCase, text)?;
        if ids.len() > FEW {
            let ids: HashSet<i64> = ids.into_iter().collect();
            let (ids, entities): (HashSet<i64>, _) =
                created(tx)?.into_iter().filter(|(id, _)| ids.contains(id)).unzip();
            let touches =
                |relation: &Relation| ids.contains(&relation.from_id) || ids.contains(&relation.to_id);
            let relations = relations::all_active(tx)?.into_iter().filter(touches).map(Link::from).collect();
            return Ok(Self { entities, relations });
        }
        let found: Vec<entities::Entity> = ids
            .into_iter()
            .filter_map(|id| entities::get(tx, id).transpose())
            .filter(|entity| entity.as_ref().map_or(true, |entity| !entity.is_placeholder()))
            .collect::<Result<_>>()?;
        Self::with(tx, found)
    }

    /// Returns the entities of these names, and the relations of any of them.
    pub fn of(tx: &Transaction<'_>, names: &[String]) -> Result<Self> {
        let mut rows = Vec::new();
        for name in names {
            rows.extend(find(tx, name)?);
        }
        rows.sort_by_key(|entity| entity.id);
        rows.dedup_by_key(|entity| entity.id);
        Self::with(tx, rows)
    }

    /// Returns these entities, and the relations of any of them.
    fn with(tx: &Transaction<'_>, rows: Vec<entities::Entity>) -> Result<Self> {
        let mut touching = Vec::new();
        for entity in &rows {
            touching.extend(relations::touching(tx, entity.id, false)?);
        }
        touching.sort_by_key(|relation| relation.id);
        touching.dedup_by_key(|relation| relation.id);
        let entities = rows.into_iter().map(|entity| Entity::load(tx, entity)).collect::<Result<_>>()?;
        Ok(Self { entities, relations: touching.into_iter().map(Link::from).collect() })
    }
}

/// Counts of what did not fit.
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

fn created(tx: &Transaction<'_>) -> Result<Vec<(i64, Entity)>> {
    let mut observations = observations::all_current(tx)?;
    let rows = entities::page(tx, 0, usize::MAX >> 1)?.into_iter().filter(|entity| !entity.is_placeholder());
    Ok(rows
        .map(|entity| {
            (entity.id, Entity::new(entity.clone(), observations.remove(&entity.id).unwrap_or_default()))
        })
        .collect())
}
