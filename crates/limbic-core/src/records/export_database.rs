//! Export of the graph as a database of MCP Memory v2: exactly its tables and columns, with the same row numbers.
//! Exports of memories for other programs: `memory_graph`, `persistent_memory`. A copy for reading: `reading_copy`.

pub mod memory_graph;
pub mod persistent_memory;
pub mod reading_copy;

use rusqlite::{Connection, Params, params_from_iter, types::Value};

use limbic_protocol::DIMENSIONS;

use crate::{Result, Transaction, store::vectors::embeddings};

/// The statements that create such a database, from its documentation.
const SCHEMA: &str = include_str!("../db/migrations/0001_mcp_memory_v2.sql");

/// The tables to copy, each with columns and order. The search log is not copied, because queries are private.
const COPIED: [(&str, &str, &str); 10] = [
    ("entities", "id, name, entity_type, status, created_at, updated_at", "id"),
    (
        "observations",
        "id, entity_id, content, kind, supersedes, superseded_at, similarity_flag, created_at",
        "id",
    ),
    ("relations", "id, from_entity, to_entity, relation_type, context, active, ended_at, created_at", "id"),
    ("reflections", "id, target_type, target_id, author, content, mood, created_at", "id"),
    ("entity_access", "entity_id, access_count, last_access", "entity_id"),
    ("entity_access_log", "entity_id, access_date, access_count", "entity_id, access_date"),
    ("co_occurrences", "entity_a_id, entity_b_id, co_count, last_co", "entity_a_id, entity_b_id"),
    ("db_metadata", "key, value", "key"),
    ("entity_fts", "rowid, name, entity_type, obs_text", "rowid"),
    ("reflection_fts", "rowid, content", "rowid"),
];

/// The tables of vectors.
const VECTORS: [&str; 2] = ["entity_embeddings", "reflection_embeddings"];

/// The key of `db_metadata` for the encoder of the vectors.
const ENCODER_KEY: &str = "embedding_model";

/// Builds the database in memory.
///
/// The vectors are those of our encoder, which `db_metadata` names; a program with another encoder must make its own.
/// Vectors of another width than the tables of that format have are left out.
pub fn build(tx: &Transaction<'_>) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA page_size = 4096; PRAGMA foreign_keys = OFF")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    for (table, columns, order) in COPIED {
        copy(tx, &transaction, table, columns, order)?;
    }
    if let Some(encoder) = embeddings::encoder(tx)?
        && embeddings::dimensions(tx)? == DIMENSIONS
    {
        for table in VECTORS {
            copy(tx, &transaction, table, "rowid, embedding", "rowid")?;
        }
        transaction.execute(
            "INSERT OR REPLACE INTO db_metadata (key, value) VALUES (?1, ?2)",
            [ENCODER_KEY, &encoder],
        )?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// Counts of the records of such a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Entities, observations, relations and reflections.
    pub records: u64,
    /// Entities.
    pub entities: u64,
    /// Entities with a vector.
    pub vectors: u64,
}

/// Counts the records of such a database.
pub fn counts(target: &Connection) -> Result<Counts> {
    let sql = "SELECT (SELECT count(*) FROM entities), (SELECT count(*) FROM entity_embeddings),
         (SELECT count(*) FROM observations) + (SELECT count(*) FROM relations) + (SELECT count(*) FROM reflections)";
    Ok(target.query_row(sql, [], |row| {
        let (entities, others): (u64, u64) = (row.get(0)?, row.get(2)?);
        Ok(Counts { records: entities + others, entities, vectors: row.get(1)? })
    })?)
}

/// SQL for the memories to export: those of the user ?1, if given, that are valid at the time ?2. Programs without a
/// column for validity would treat ended memories as valid.
fn is_exported(alias: &str) -> String {
    format!(
        "(?1 IS NULL OR {alias}.user_id = ?1) AND ({alias}.valid_until IS NULL OR {alias}.valid_until > ?2)"
    )
}

fn copy(from: &Connection, to: &Connection, table: &str, columns: &str, order: &str) -> Result<()> {
    fill(from, to, (table, columns), &format!("SELECT {columns} FROM {table} ORDER BY {order}"), [])
}

/// Copies the result of a query into columns of a table of the other database.
fn fill(
    from: &Connection,
    to: &Connection,
    (table, columns): (&str, &str),
    select: &str,
    values: impl Params,
) -> Result<()> {
    let count = columns.split(',').count();
    let places = vec!["?"; count].join(", ");
    let mut insert = to.prepare(&format!("INSERT INTO {table} ({columns}) VALUES ({places})"))?;
    let mut select = from.prepare(select)?;
    let mut rows = select.query(values)?;
    while let Some(row) = rows.next()? {
        let values: Vec<Value> = (0..count).map(|index| row.get(index)).collect::<rusqlite::Result<_>>()?;
        insert.execute(params_from_iter(values))?;
    }
    Ok(())
}
