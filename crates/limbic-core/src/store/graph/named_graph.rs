//! The graph by names and texts alone: entities without placeholders, current observations, active relations, all in
//! the order of creation. Only these columns are read.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Row;

use crate::{Result, Transaction, model::entity_status::EntityStatus, store::full_text::list};

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

/// Returns the entities with these row numbers and the relations of any of them. Each statement reads rows of all of
/// them: beginning a statement takes longer than a row.
pub fn some(tx: &Transaction<'_>, ids: &[i64]) -> Result<NamedGraph> {
    let mut statement = tx.prepare_cached(
        "SELECT e.id, e.name, e.entity_type FROM json_each(?1) AS asked CROSS JOIN entities AS e ON e.id = asked.value
         WHERE e.status <> ?2",
    )?;
    let found = statement.query_map((list(ids), EntityStatus::Placeholder.word()), entity)?;
    let mut entities: Vec<NamedEntity> = found.collect::<rusqlite::Result<_>>()?;
    entities.sort_unstable_by_key(|entity| entity.id);
    let ids: Vec<i64> = entities.iter().map(|entity| entity.id).collect();
    let ids = list(&ids);
    for (entity, content) in observations_of(tx, &ids)? {
        if let Some(index) = index_of(&entities, entity) {
            entities[index].observations.push(content);
        }
    }
    let relations = relations_of(tx, &entities, &ids)?;
    Ok(NamedGraph { entities, relations })
}

/// Returns the current observations of the listed entities, each with its entity, oldest first.
fn observations_of(tx: &Transaction<'_>, ids: &str) -> Result<impl Iterator<Item = (i64, String)>> {
    let mut statement = tx.prepare_cached(
        "SELECT o.id, o.entity_id, o.content
         FROM json_each(?1) AS asked CROSS JOIN observations AS o ON o.entity_id = asked.value
         WHERE o.superseded_at IS NULL",
    )?;
    let found = statement.query_map([ids], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut found: Vec<(i64, i64, String)> = found.collect::<rusqlite::Result<_>>()?;
    // SQLite would copy the texts to sort them.
    found.sort_unstable_by_key(|(id, ..)| *id);
    Ok(found.into_iter().map(|(_, entity, content)| (entity, content)))
}

/// Returns the relations of the listed entities, which are `entities`, in order.
fn relations_of(tx: &Transaction<'_>, entities: &[NamedEntity], ids: &str) -> Result<Vec<NamedRelation>> {
    // By row number, and so without those that were found from their other end.
    let mut edges: BTreeMap<i64, Edge> = BTreeMap::new();
    for end in ["from_entity", "to_entity"] {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT r.id, r.from_entity, r.to_entity, r.relation_type
             FROM json_each(?1) AS asked CROSS JOIN relations AS r ON r.{end} = asked.value
             WHERE r.active"
        ))?;
        let mut rows = statement.query([ids])?;
        while let Some(row) = rows.next()? {
            let edge = Edge { from: row.get(1)?, to: row.get(2)?, relation_type: row.get(3)? };
            edges.insert(row.get(0)?, edge);
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

#[cfg(test)]
mod tests {
    use limbic_protocol::SplitMix64;

    use super::*;
    use crate::test_database;

    const ENTITIES: u64 = 40;

    fn fill(tx: &Transaction<'_>, random: &mut SplitMix64) -> Result<()> {
        for number in 1..=ENTITIES {
            let status = if random.below(6) == 0 { EntityStatus::Placeholder.word() } else { "activo" };
            tx.execute(
                "INSERT INTO entities (id, name, entity_type, status) VALUES (?1, 'n' || ?1, 't', ?2)",
                (number, status),
            )?;
        }
        // The observations of an entity are not next to each other.
        for number in 1..=4 * ENTITIES {
            tx.execute(
                "INSERT INTO observations (entity_id, content, superseded_at) VALUES (?1, 'o' || ?2, ?3)",
                (1 + random.below(ENTITIES), number, (random.below(5) == 0).then_some("2026-01-01")),
            )?;
        }
        for _ in 0..3 * ENTITIES {
            let ends = (1 + random.below(ENTITIES), 1 + random.below(ENTITIES));
            tx.execute(
                "INSERT OR IGNORE INTO relations (from_entity, to_entity, relation_type, active)
                 VALUES (?1, ?2, 'r' || ?3, ?4)",
                (ends.0, ends.1, random.below(2), random.below(5) > 0),
            )?;
        }
        Ok(())
    }

    #[test]
    fn some_entities_are_read_as_among_all() -> Result<()> {
        let mut database = test_database::in_memory()?;
        let mut random = SplitMix64::new(5);
        database.write(|tx| fill(tx, &mut random))?;
        database.read(|tx| {
            for round in 0..60 {
                let wanted = random.below(ENTITIES);
                // Some do not exist.
                let ids: HashSet<i64> =
                    (0..wanted).map(|_| random.below(ENTITIES + 4).cast_signed()).collect();
                let mut listed: Vec<i64> = ids.iter().copied().collect();
                listed.sort_unstable();
                let found = some(tx, &listed)?;
                let expected = all(tx, Some(&ids))?;
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "round {round}: {listed:?}");
            }
            Ok(())
        })
    }
}
