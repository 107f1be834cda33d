//! The graph's records that an origin wrote, and which of them can be deleted without those of other origins.
//!
//! An entity is deleted with all its records, a relation with the reflections on it. So an entity or a relation stays
//! if another origin has added to it, which includes records without an origin.

use rusqlite::{OptionalExtension, Row};

use crate::{Result, Transaction, store::origins};

/// The kinds of records, which are the names of their tables.
const KINDS: [&str; 4] = ["entities", "observations", "relations", "reflections"];

/// A record of the graph, by its row number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphRecord {
    /// An entity.
    Entity(i64),
    /// An observation, after its entity.
    Observation(i64, i64),
    /// A relation.
    Relation(i64),
    /// A reflection.
    Reflection(i64),
}

impl GraphRecord {
    /// Its kind, as in [`Counts`].
    #[must_use]
    pub fn kind(self) -> &'static str {
        let [entities, observations, relations, reflections] = KINDS;
        match self {
            Self::Entity(_) => entities,
            Self::Observation(..) => observations,
            Self::Relation(_) => relations,
            Self::Reflection(_) => reflections,
        }
    }
}

/// A record that is deleted with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deletable {
    /// The record.
    pub record: GraphRecord,
    /// The label of its origin.
    pub label: String,
    /// Of an entity: the number of its observations, which are deleted with it.
    pub observations: usize,
    /// Of an entity: the number of its relations, which are deleted with it.
    pub relations: usize,
}

/// The number of records of each kind; kinds without a record are left out.
pub type Counts = Vec<(&'static str, usize)>;

/// Counts the records that an origin wrote. `origin` is a number, a label, a session or an import.
pub fn counts(tx: &Transaction<'_>, origin: &str) -> Result<Counts> {
    counted(tx, origin, |_| "1")
}

/// Counts the records that are deleted with an origin, and those that stay because others added to them.
pub(crate) fn deleted_and_kept(tx: &Transaction<'_>, origin: &str) -> Result<(Counts, Counts)> {
    let deleted = counted(tx, origin, |kind| match kind {
        "entities" => "x.id IN deletable",
        "relations" => "('relation', x.id) NOT IN (SELECT * FROM reflected)",
        _ => "1",
    })?;
    let kept = counted(tx, origin, |kind| match kind {
        "entities" => "x.id NOT IN deletable",
        "relations" => "('relation', x.id) IN (SELECT * FROM reflected)",
        _ => "0",
    })?;
    Ok((deleted, kept))
}

/// Returns the records that are deleted with an origin: reflections, relations, observations, entities, each by row
/// number. Relations and observations of these entities are left out, because they are deleted with them.
pub(crate) fn deletable(tx: &Transaction<'_>, origin: &str) -> Result<Vec<Deletable>> {
    let mut statement = tx.prepare(&format!(
        "{} SELECT x.kind, x.id, x.entity, l.label, x.observations, x.relations FROM (
             SELECT 0 AS kind, id, 0 AS entity, origin, 0 AS observations, 0 AS relations FROM reflections
                 WHERE origin IN origin_ids
             UNION ALL SELECT 1, id, 0, origin, 0, 0 FROM relations
                 WHERE origin IN origin_ids AND ('relation', id) NOT IN (SELECT * FROM reflected)
                     AND from_entity NOT IN deletable AND to_entity NOT IN deletable
             UNION ALL SELECT 2, id, entity_id, origin, 0, 0 FROM observations
                 WHERE origin IN origin_ids AND entity_id NOT IN deletable
             UNION ALL SELECT 3, e.id, 0, e.origin, (SELECT count(*) FROM observations WHERE entity_id = e.id),
                 (SELECT count(*) FROM relations WHERE from_entity = e.id OR to_entity = e.id)
                 FROM entities AS e WHERE e.id IN deletable
         ) AS x JOIN origins AS l ON l.id = x.origin ORDER BY x.kind, x.id",
        tables()
    ))?;
    let rows = statement.query_map([origin], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn load(row: &Row<'_>) -> rusqlite::Result<Deletable> {
    let id = row.get(1)?;
    Ok(Deletable {
        record: match row.get(0)? {
            0 => GraphRecord::Reflection(id),
            1 => GraphRecord::Relation(id),
            2 => GraphRecord::Observation(row.get(2)?, id),
            _ => GraphRecord::Entity(id),
        },
        label: row.get(3)?,
        observations: row.get(4)?,
        relations: row.get(5)?,
    })
}

/// Returns the text by which a person recognises a record, if it still exists.
pub fn text(tx: &Transaction<'_>, record: GraphRecord) -> Result<Option<String>> {
    let (sql, id) = match record {
        GraphRecord::Entity(id) => ("SELECT name FROM entities WHERE id = ?1", id),
        GraphRecord::Observation(_, id) => (
            "SELECT e.name || ': ' || o.content FROM observations AS o JOIN entities AS e ON e.id = o.entity_id
             WHERE o.id = ?1",
            id,
        ),
        GraphRecord::Relation(id) => (
            "SELECT f.name || ' ' || r.relation_type || ' ' || t.name FROM relations AS r
                 JOIN entities AS f ON f.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity WHERE r.id = ?1",
            id,
        ),
        GraphRecord::Reflection(id) => ("SELECT content FROM reflections WHERE id = ?1", id),
    };
    Ok(tx.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?)
}

/// Counts the records of each kind that an origin wrote and for which a condition on `x` holds.
fn counted(tx: &Transaction<'_>, origin: &str, condition: impl Fn(&str) -> &'static str) -> Result<Counts> {
    let mut counts = Counts::new();
    for kind in KINDS {
        let sql = format!(
            "{} SELECT count(*) FROM {kind} AS x WHERE x.origin IN origin_ids AND {}",
            tables(),
            condition(kind)
        );
        let count = tx.prepare(&sql)?.query_row([origin], |row| row.get(0))?;
        if count > 0 {
            counts.push((kind, count));
        }
    }
    Ok(counts)
}

/// SQL for the tables of a query about the origin ?1: `origin_ids`, its row numbers; `reflected`, on what others have
/// written reflections; `deletable`, the entities that are deleted with it.
fn tables() -> String {
    format!(
        "WITH origin_ids (id) AS MATERIALIZED {},
         reflected (kind, id) AS MATERIALIZED (SELECT target_type, target_id FROM reflections
             WHERE target_id IS NOT NULL AND coalesce(origin, 0) NOT IN origin_ids),
         deletable (id) AS MATERIALIZED (SELECT e.id FROM entities AS e
             WHERE e.origin IN origin_ids AND ('entity', e.id) NOT IN (SELECT * FROM reflected)
                 AND NOT EXISTS (SELECT 1 FROM observations AS o
                     WHERE o.entity_id = e.id AND coalesce(o.origin, 0) NOT IN origin_ids)
                 AND NOT EXISTS (SELECT 1 FROM relations AS r WHERE (r.from_entity = e.id OR r.to_entity = e.id)
                     AND (coalesce(r.origin, 0) NOT IN origin_ids
                         OR ('relation', r.id) IN (SELECT * FROM reflected))))",
        origins::named("?1")
    )
}
