//! Export of memories as a database of Memory Graph: exactly its tables, triggers and columns.

use rusqlite::{Connection, params};

use super::{fill, is_exported};
use crate::{Result, Transaction, records::timestamp_sql};

/// Our statements begin with those of the documentation.
const OURS: &str = include_str!("../../db/migrations/0005_memory_graph.sql");

/// The start of our triggers, which differ.
const TRIGGERS_BEGIN: &str = "CREATE TRIGGER";

/// The triggers of the documentation.
const TRIGGERS: &str = "
CREATE TRIGGER memory_nodes_ai AFTER INSERT ON MEMORY_NODES BEGIN
    INSERT INTO memory_content_fts(id, content, content_summary, path, domain)
    VALUES (new.id, new.content, new.content_summary, new.path, new.domain);
END;
CREATE TRIGGER memory_nodes_ad AFTER DELETE ON MEMORY_NODES BEGIN
    DELETE FROM memory_content_fts WHERE id = old.id;
END;
CREATE TRIGGER memory_nodes_au AFTER UPDATE ON MEMORY_NODES BEGIN
    DELETE FROM memory_content_fts WHERE id = old.id;
    INSERT INTO memory_content_fts(id, content, content_summary, path, domain)
    VALUES (new.id, new.content, new.content_summary, new.path, new.domain);
END;
CREATE TRIGGER memory_tags_ai AFTER INSERT ON MEMORY_TAGS BEGIN
    UPDATE memory_content_fts
    SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = new.nodeId)
    WHERE id = new.nodeId;
END;
CREATE TRIGGER memory_tags_ad AFTER DELETE ON MEMORY_TAGS BEGIN
    UPDATE memory_content_fts
    SET tags = (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = old.nodeId)
    WHERE id = old.nodeId;
END;";

/// The words of all memories at once: with active triggers, each tag would scan the whole table.
const WORDS: &str = "INSERT INTO memory_content_fts (id, content, content_summary, path, tags, domain)
    SELECT id, content, content_summary, path,
        (SELECT group_concat(tag, ' ') FROM MEMORY_TAGS WHERE nodeId = m.id), domain
    FROM MEMORY_NODES AS m ORDER BY m.rowid";

/// Builds the database in memory: all valid memories, or those of one user.
pub fn build(tx: &Transaction<'_>, user: Option<&str>) -> Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.execute_batch("PRAGMA page_size = 4096; PRAGMA foreign_keys = OFF")?;
    let transaction = connection.transaction()?;
    let tables = OURS.find(TRIGGERS_BEGIN).map_or(OURS, |end| &OURS[..end]);
    transaction.execute_batch(tables)?;
    let now = tx.now_text();
    let values = params![user, now];
    for (table, columns, select) in selects() {
        fill(tx, &transaction, (table, columns), &select, values)?;
    }
    transaction.execute_batch(WORDS)?;
    transaction.execute_batch(TRIGGERS)?;
    transaction.commit()?;
    Ok(connection)
}

/// Table, columns, and the query for their values.
fn selects() -> [(&'static str, &'static str, String); 6] {
    let kept = |alias: &str| {
        format!("{} AND ({alias}.expires_at IS NULL OR {alias}.expires_at > ?2)", is_exported(alias))
    };
    let moment = |column: &str| format!("coalesce({}, {column})", timestamp_sql(column));
    let both = format!(
        "JOIN MEMORY_NODES AS s ON s.id = x.{{from}} JOIN MEMORY_NODES AS t ON t.id = x.{{to}} WHERE {} AND {}",
        kept("s"),
        kept("t")
    );
    let domains = format!(
        "SELECT id, name, description, {}, {} FROM DOMAINS AS d
         WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM MEMORY_NODES AS m WHERE m.domain = d.id AND {})
         ORDER BY created, id",
        moment("created"),
        moment("lastAccess"),
        kept("m")
    );
    let state = format!(
        "SELECT id, currentDomain, {}, (SELECT m.id FROM MEMORY_NODES AS m WHERE m.id = lastMemoryId AND {})
         FROM PERSISTENCE
         WHERE ?1 IS NULL OR EXISTS (SELECT 1 FROM MEMORY_NODES AS m WHERE m.domain = currentDomain AND {})
         ORDER BY id",
        moment("lastAccess"),
        kept("m"),
        kept("m")
    );
    let nodes = format!(
        "SELECT id, domain, content, {}, coalesce(path, '/'), content_summary, {} FROM MEMORY_NODES AS m
         WHERE {} ORDER BY m.rowid",
        moment("timestamp"),
        moment("summary_timestamp"),
        kept("m")
    );
    let tags = format!(
        "SELECT x.nodeId, x.tag FROM MEMORY_TAGS AS x JOIN MEMORY_NODES AS m ON m.id = x.nodeId WHERE {}
         ORDER BY m.rowid, x.tag",
        kept("m")
    );
    let edges = format!(
        "SELECT x.id, x.source, x.target, x.type, x.strength, {}, x.domain FROM MEMORY_EDGES AS x {} ORDER BY x.rowid",
        moment("x.timestamp"),
        both.replace("{from}", "source").replace("{to}", "target")
    );
    let references = format!(
        "SELECT x.nodeId, x.domain, x.targetDomain, x.targetNodeId, x.description, x.bidirectional
         FROM DOMAIN_REFS AS x {} ORDER BY x.rowid",
        both.replace("{from}", "nodeId").replace("{to}", "targetNodeId")
    );
    [
        ("DOMAINS", "id, name, description, created, lastAccess", domains),
        ("PERSISTENCE", "id, currentDomain, lastAccess, lastMemoryId", state),
        ("MEMORY_NODES", "id, domain, content, timestamp, path, content_summary, summary_timestamp", nodes),
        ("MEMORY_TAGS", "nodeId, tag", tags),
        ("MEMORY_EDGES", "id, source, target, type, strength, timestamp, domain", edges),
        ("DOMAIN_REFS", "nodeId, domain, targetDomain, targetNodeId, description, bidirectional", references),
    ]
}

/// Counts the domains, memories and links of such a database.
pub fn records(target: &Connection) -> Result<u64> {
    let sql = "SELECT (SELECT count(*) FROM DOMAINS) + (SELECT count(*) FROM MEMORY_NODES)
         + (SELECT count(*) FROM MEMORY_EDGES) + (SELECT count(*) FROM DOMAIN_REFS)";
    Ok(target.query_row(sql, [], |row| row.get(0))?)
}
