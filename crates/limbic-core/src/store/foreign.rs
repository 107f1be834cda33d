//! Reading a database of MCP Memory v2 and storing its graph in ours.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::{
    entities::{self, Description},
    queue,
    relations::{self, Created, Triple},
};
use crate::{Error, Result, Unit, text};
use limbic_wire::TextKind;

/// The graph of a foreign database.
#[derive(Debug, Default)]
pub struct Graph {
    entities: Vec<ForeignEntity>,
    observations: Vec<ForeignObservation>,
    relations: Vec<ForeignRelation>,
}

#[derive(Debug)]
struct ForeignEntity {
    id: i64,
    name: String,
    entity_type: String,
    status: Option<String>,
}

#[derive(Debug)]
struct ForeignObservation {
    id: i64,
    entity_id: i64,
    content: String,
    kind: Option<String>,
    supersedes: Option<i64>,
    superseded_at: Option<String>,
    created_at: Option<String>,
}

#[derive(Debug)]
struct ForeignRelation {
    from_id: i64,
    to_id: i64,
    relation_type: String,
    context: Option<String>,
    active: bool,
}

/// What storing a foreign graph did.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    /// Entities created or updated.
    pub entities: u64,
    /// Observations that were new.
    pub observations: u64,
    /// Relations that were new.
    pub relations: u64,
    /// What was there already.
    pub skipped: u64,
}

/// Reads the graph from the bytes of a SQLite file. Columns that older versions of the schema lack are left empty.
///
/// # Errors
/// [`Error::UnknownSource`] when the tables are not there, [`Error::Damaged`] when the file cannot be read.
pub fn read(file: &[u8]) -> Result<Graph> {
    let mut connection = Connection::open_in_memory()?;
    // The header's marks for WAL would ask for files that memory does not have.
    let mut bytes = file.to_vec();
    if let Some(versions) = bytes.get_mut(18..20) {
        versions.fill(1);
    }
    connection.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), true)?;
    for table in ["entities", "observations", "relations"] {
        if columns(&connection, table)?.is_empty() {
            return Err(Error::UnknownSource {
                message: format!("The database has no table {table}: it is not one of MCP Memory v2"),
            });
        }
    }
    Ok(Graph {
        entities: read_entities(&connection)?,
        observations: read_observations(&connection)?,
        relations: read_relations(&connection)?,
    })
}

/// Stores a foreign graph: entities and relations are merged with those of the same names, observations that are
/// there already are left out.
///
/// # Errors
/// Those of the database.
pub fn store(unit: &Unit<'_>, graph: &Graph) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut ids = HashMap::new();
    for entity in &graph.entities {
        let description = Description {
            name: &entity.name,
            entity_type: Some(&entity.entity_type),
            status: entity.status.as_deref(),
        };
        ids.insert(entity.id, entities::upsert(unit, description)?.0.id);
        counts.entities += 1;
    }
    store_observations(unit, graph, &ids, &mut counts)?;
    for entity in &graph.entities {
        entities::text_changed(unit, ids[&entity.id])?;
    }
    for relation in graph.relations.iter().filter(|relation| relation.from_id != relation.to_id) {
        let (Some(from_id), Some(to_id)) = (ids.get(&relation.from_id), ids.get(&relation.to_id)) else {
            continue;
        };
        let triple = Triple { from_id: *from_id, to_id: *to_id, relation_type: &relation.relation_type };
        if relations::find(unit, triple)?.is_some() {
            counts.skipped += 1;
            continue;
        }
        if let Created::Active(created) = relations::create(unit, triple, relation.context.as_deref(), None)?
        {
            counts.relations += 1;
            if !relation.active {
                relations::end(unit, created.id)?;
            }
        }
    }
    Ok(counts)
}

fn store_observations(
    unit: &Unit<'_>,
    graph: &Graph,
    entity_ids: &HashMap<i64, i64>,
    counts: &mut Counts,
) -> Result<()> {
    let mut ids: HashMap<i64, i64> = HashMap::new();
    for observation in &graph.observations {
        let Some(entity_id) = entity_ids.get(&observation.entity_id) else { continue };
        if let Some(known) = known(unit, *entity_id, observation)? {
            ids.insert(observation.id, known);
            counts.skipped += 1;
            continue;
        }
        unit.prepare_cached(
            "INSERT INTO observations (entity_id, content, kind, supersedes, superseded_at, created_at)
             VALUES (?1, ?2, coalesce(?3, 'generic'), ?4, ?5, coalesce(?6, datetime(?7, 'unixepoch')))",
        )?
        .execute(params![
            entity_id,
            observation.content,
            observation.kind,
            observation.supersedes.and_then(|old| ids.get(&old)),
            observation.superseded_at,
            observation.created_at,
            unit.now_seconds()
        ])?;
        let id = unit.last_insert_rowid();
        ids.insert(observation.id, id);
        counts.observations += 1;
        if observation.superseded_at.is_none() {
            queue::mark(unit, TextKind::Observation, id)?;
        }
    }
    Ok(())
}

/// The same text in the same state, whose import would repeat it.
fn known(unit: &Unit<'_>, entity_id: i64, observation: &ForeignObservation) -> Result<Option<i64>> {
    let composed = text::compose(&observation.content);
    Ok(super::observations::page(unit, entity_id, 0, usize::MAX, true)?
        .into_iter()
        .find(|known| {
            known.superseded_at.is_some() == observation.superseded_at.is_some()
                && text::compose(&known.content) == composed
        })
        .map(|known| known.id))
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// A SELECT list of the wanted columns, NULL for those that this table lacks.
fn select(connection: &Connection, table: &str, wanted: &[&str]) -> Result<String> {
    let present = columns(connection, table)?;
    let list: Vec<&str> = wanted
        .iter()
        .map(|name| if present.iter().any(|column| column == name) { *name } else { "NULL" })
        .collect();
    Ok(format!("SELECT {} FROM {table} ORDER BY id", list.join(", ")))
}

fn read_entities(connection: &Connection) -> Result<Vec<ForeignEntity>> {
    let sql = select(connection, "entities", &["id", "name", "entity_type", "status"])?;
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| {
        Ok(ForeignEntity {
            id: row.get(0)?,
            name: row.get(1)?,
            entity_type: row.get(2)?,
            status: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read_observations(connection: &Connection) -> Result<Vec<ForeignObservation>> {
    let wanted = ["id", "entity_id", "content", "kind", "supersedes", "superseded_at", "created_at"];
    let mut statement = connection.prepare(&select(connection, "observations", &wanted)?)?;
    let rows = statement.query_map([], |row| {
        Ok(ForeignObservation {
            id: row.get(0)?,
            entity_id: row.get(1)?,
            content: row.get(2)?,
            kind: row.get(3)?,
            supersedes: row.get(4)?,
            superseded_at: row.get(5)?,
            created_at: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn read_relations(connection: &Connection) -> Result<Vec<ForeignRelation>> {
    let wanted = ["id", "from_entity", "to_entity", "relation_type", "context", "active"];
    let mut statement = connection.prepare(&select(connection, "relations", &wanted)?)?;
    let rows = statement.query_map([], |row| {
        Ok(ForeignRelation {
            from_id: row.get(1)?,
            to_id: row.get(2)?,
            relation_type: row.get(3)?,
            context: row.get(4)?,
            active: row.get::<_, Option<bool>>(5)?.unwrap_or(true),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
