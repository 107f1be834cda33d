//! The graph by names and texts alone: entities without placeholders, current observations, active relations, all in
//! the order of creation. Only these columns are read.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{OptionalExtension, Row};

use crate::{Result, Transaction, model::entity_status::EntityStatus};

/// Entities and the relations of any of them.
#[derive(Debug, Default)]
pub struct NamedGraph {
    /// Entities, in the order of creation.
    pub entities: Vec<NamedEntity>,
    /// Relations, in the order of creation.
    pub relations: Vec<NamedRelation>,
}

/// An entity with the texts of its current observations.
#[derive(Debug)]
pub struct NamedEntity {
    id: i64,
    /// Unique name.
    pub name: String,
    /// Type.
    pub entity_type: String,
    /// Oldest first.
    pub observations: Vec<String>,
}

/// An active relation by the names of its ends.
#[derive(Debug)]
pub struct NamedRelation {
    /// Name of its source.
    pub from: String,
    /// Name of its target.
    pub to: String,
    /// Type.
    pub relation_type: String,
}

/// A relation whose ends are row numbers.
struct Edge {
    from: i64,
    to: i64,
    relation_type: String,
}

/// Returns the entities with these row numbers and the relations of any of them; without row numbers all entities and
/// all relations, also those between two placeholders. All rows are read, one after the other, which is faster than
/// [`some`] for a large part of the graph.
pub fn all(tx: &Transaction<'_>, only: Option<&HashSet<i64>>) -> Result<NamedGraph> {
    let mut entities = Vec::new();
    // By index: whether the entity is part of the answer. The others may be ends of its relations.
    let mut is_shown = Vec::new();
    let mut statement =
        tx.prepare_cached("SELECT id, name, entity_type, status = ?1 FROM entities ORDER BY id")?;
    let mut rows = statement.query([EntityStatus::Placeholder.word()])?;
    while let Some(row) = rows.next()? {
        let entity = entity(row)?;
        is_shown.push(!row.get::<_, bool>(3)? && only.is_none_or(|ids| ids.contains(&entity.id)));
        entities.push(entity);
    }
    add_observations(tx, &mut entities, &is_shown)?;
    let relations = all_relations(tx, &entities, only.map(|_| is_shown.as_slice()))?;
    let mut shown = is_shown.into_iter();
    entities.retain(|_| shown.next().unwrap_or(false));
    Ok(NamedGraph { entities, relations })
}

fn add_observations(tx: &Transaction<'_>, entities: &mut [NamedEntity], is_shown: &[bool]) -> Result<()> {
    let mut statement = tx.prepare_cached(
        "SELECT entity_id, content FROM observations WHERE superseded_at IS NULL ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let mut last = 0;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        // Most observations follow another one of their entity.
        if entities.get(last).is_none_or(|entity| entity.id != id) {
            let Some(index) = index_of(entities, id) else { continue };
            last = index;
        }
        if is_shown[last] {
            entities[last].observations.push(row.get(1)?);
        }
    }
    Ok(())
}

/// Returns the relations, in order; with `is_shown` only those with a shown entity at one end or both.
fn all_relations(
    tx: &Transaction<'_>,
    entities: &[NamedEntity],
    is_shown: Option<&[bool]>,
) -> Result<Vec<NamedRelation>> {
    let mut statement = tx.prepare_cached(
        "SELECT from_entity, to_entity, relation_type FROM relations WHERE active ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let mut relations = Vec::new();
    while let Some(row) = rows.next()? {
        let ends = (index_of(entities, row.get(0)?), index_of(entities, row.get(1)?));
        let (Some(from), Some(to)) = ends else { continue };
        if is_shown.is_none_or(|shown| shown[from] || shown[to]) {
            relations.push(NamedRelation {
                from: entities[from].name.clone(),
                to: entities[to].name.clone(),
                relation_type: row.get(2)?,
            });
        }
    }
    Ok(relations)
}

/// Returns the entities with these row numbers, which must ascend, and the relations of any of them.
pub fn some(tx: &Transaction<'_>, ids: &[i64]) -> Result<NamedGraph> {
    let mut statement =
        tx.prepare_cached("SELECT id, name, entity_type FROM entities WHERE id = ?1 AND status <> ?2")?;
    let mut contents = tx.prepare_cached(
        "SELECT content FROM observations WHERE entity_id = ?1 AND superseded_at IS NULL ORDER BY id",
    )?;
    let mut entities = Vec::with_capacity(ids.len());
    for id in ids {
        let found = statement.query_row((id, EntityStatus::Placeholder.word()), entity).optional()?;
        let Some(mut found) = found else { continue };
        let mut rows = contents.query([id])?;
        while let Some(row) = rows.next()? {
            found.observations.push(row.get(0)?);
        }
        entities.push(found);
    }
    let relations = relations_of(tx, &entities)?;
    Ok(NamedGraph { entities, relations })
}

fn relations_of(tx: &Transaction<'_>, entities: &[NamedEntity]) -> Result<Vec<NamedRelation>> {
    // By row number, and so without those that were found from their other end.
    let mut edges: BTreeMap<i64, Edge> = BTreeMap::new();
    for end in ["from_entity", "to_entity"] {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT id, from_entity, to_entity, relation_type FROM relations WHERE {end} = ?1 AND active"
        ))?;
        for entity in entities {
            let mut rows = statement.query([entity.id])?;
            while let Some(row) = rows.next()? {
                let edge = Edge { from: row.get(1)?, to: row.get(2)?, relation_type: row.get(3)? };
                edges.insert(row.get(0)?, edge);
            }
        }
    }
    let mut statement = tx.prepare_cached("SELECT name FROM entities WHERE id = ?1")?;
    let mut others: HashMap<i64, String> = HashMap::new();
    let mut name = |id: i64| -> Result<String> {
        if let Some(index) = index_of(entities, id) {
            return Ok(entities[index].name.clone());
        }
        if let Some(known) = others.get(&id) {
            return Ok(known.clone());
        }
        let name: String = statement.query_row([id], |row| row.get(0))?;
        others.insert(id, name.clone());
        Ok(name)
    };
    edges
        .into_values()
        .map(|Edge { from, to, relation_type }| {
            Ok(NamedRelation { from: name(from)?, to: name(to)?, relation_type })
        })
        .collect()
}

/// Reads the columns id, name and type.
fn entity(row: &Row<'_>) -> rusqlite::Result<NamedEntity> {
    Ok(NamedEntity { id: row.get(0)?, name: row.get(1)?, entity_type: row.get(2)?, observations: Vec::new() })
}

/// Returns the index of a row number in entities that are ordered by it.
fn index_of(entities: &[NamedEntity], id: i64) -> Option<usize> {
    entities.binary_search_by_key(&id, |entity| entity.id).ok()
}
