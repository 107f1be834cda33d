//! Export of memories as a database of the SQLite Persistent Memory specification: exactly its tables and indexes.

use rusqlite::{Connection, params};

use super::{fill, is_exported};
use crate::{Result, Transaction, records::timestamp_sql};

/// The statements that create such a database, from the specification.
const SCHEMA: &str = "
CREATE TABLE memories (
    id TEXT PRIMARY KEY,
    category TEXT NOT NULL,
    subject TEXT NOT NULL,
    content TEXT NOT NULL,
    source TEXT,
    confidence REAL DEFAULT 1.0,
    created_at TEXT NOT NULL,
    last_accessed TEXT,
    access_count INTEGER DEFAULT 0,
    expires_at TEXT,
    tier TEXT DEFAULT 'l4',
    heat TEXT DEFAULT 'cold',
    pinned INTEGER DEFAULT 0,
    promotion_count INTEGER DEFAULT 0,
    last_promoted_at TEXT
);
CREATE TABLE memory_relations (
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    relation_type TEXT,
    PRIMARY KEY (from_id, to_id)
);
CREATE INDEX idx_memories_subject ON memories(subject);
CREATE INDEX idx_memories_category ON memories(category);
CREATE INDEX idx_memories_tier ON memories(tier);
CREATE INDEX idx_memories_heat ON memories(heat);";

const MEMORIES: &str =
    "id, category, subject, content, source, confidence, created_at, last_accessed, access_count,
    expires_at, tier, heat, pinned, promotion_count, last_promoted_at";

/// Builds the database in memory: all valid memories, or those of one user. Of several links between two memories only
/// the strongest is exported, because the format has one.
pub fn build(tx: &Transaction<'_>, user: Option<&str>) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA page_size = 4096")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    let now = tx.now_text();
    let values = params![user, now];
    let moment = |column: &str| format!("coalesce({}, {column})", timestamp_sql(column));
    let memories = format!(
        "SELECT id, category, subject, content, source, coalesce(confidence, 1.0), {}, {}, coalesce(access_count, 0),
            {}, coalesce(tier, 'l4'), coalesce(heat, 'cold'), coalesce(pinned, 0), coalesce(promotion_count, 0), {}
         FROM MEMORY_NODES AS m WHERE {} ORDER BY m.rowid",
        moment("timestamp"),
        moment("last_accessed"),
        moment("expires_at"),
        moment("last_promoted_at"),
        is_exported("m")
    );
    fill(tx, &transaction, ("memories", MEMORIES), &memories, values)?;
    let relations = format!(
        "SELECT source, target, type FROM (
             SELECT e.rowid AS row, e.source, e.target, e.type,
                 row_number() OVER (PARTITION BY e.source, e.target ORDER BY e.strength DESC, e.rowid) AS place
             FROM MEMORY_EDGES AS e JOIN MEMORY_NODES AS s ON s.id = e.source
                 JOIN MEMORY_NODES AS t ON t.id = e.target WHERE {} AND {})
         WHERE place = 1 ORDER BY row",
        is_exported("s"),
        is_exported("t")
    );
    fill(tx, &transaction, ("memory_relations", "from_id, to_id, relation_type"), &relations, values)?;
    transaction.commit()?;
    Ok(connection)
}

/// Counts the memories and links of such a database.
pub fn records(target: &Connection) -> Result<u64> {
    let sql = "SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM memory_relations)";
    Ok(target.query_row(sql, [], |row| row.get(0))?)
}
