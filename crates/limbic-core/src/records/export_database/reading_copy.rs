//! A copy of this database for reading: all rows that the explorer shows, with the same row numbers. A search by words
//! ranks as in the original, except for the use after similar queries: the search log is not copied, nor are vectors,
//! the embedding queue and the audit log.

use rusqlite::{Connection, params};

use super::fill;
use crate::{Result, Transaction, db, store::domains};

/// SQL for the numbers of the selected entities: ?1 is a JSON array of types, or NULL for all.
const ENTITIES: &str =
    "(SELECT id FROM entities WHERE ?1 IS NULL OR entity_type IN (SELECT value FROM json_each(?1)))";

/// SQL for the ids of the selected memories: those that mention a selected entity.
const MEMORIES: &str = "(SELECT id FROM MEMORY_NODES WHERE ?1 IS NULL
    OR id IN (SELECT memory_id FROM memory_entities WHERE entity_id IN {entities}))";

/// SQL for the ids of the domains of selected memories.
const DOMAINS: &str = "(SELECT id FROM DOMAINS WHERE ?1 IS NULL OR id IN (SELECT domain FROM MEMORY_NODES WHERE id IN {memories}))";

/// SQL for the numbers of relations between selected entities.
const RELATIONS: &str =
    "(SELECT id FROM relations WHERE from_entity IN {entities} AND to_entity IN {entities})";

/// The copied tables with a condition for their rows, in an order in which rows come after those that they refer to.
/// Each condition uses ?1.
const COPIED: [(&str, &str); 24] = [
    ("db_metadata", "?1 IS ?1"),
    ("entities", "id IN {entities}"),
    ("observations", "entity_id IN {entities}"),
    ("relations", "id IN {relations}"),
    (
        "reflections",
        "?1 IS NULL OR (target_type = 'entity' AND target_id IN {entities})
             OR (target_type = 'relation' AND target_id IN {relations})",
    ),
    ("entity_access", "entity_id IN {entities}"),
    ("entity_access_log", "entity_id IN {entities}"),
    ("co_occurrences", "entity_a_id IN {entities} AND entity_b_id IN {entities}"),
    ("entity_words", "rowid IN {entities}"),
    ("entity_fts", "rowid IN {entities}"),
    (
        "reflection_fts",
        "?1 IS NULL OR rowid IN (SELECT id FROM reflections
        WHERE (target_type = 'entity' AND target_id IN {entities})
            OR (target_type = 'relation' AND target_id IN {relations}))",
    ),
    ("DOMAINS", "id IN {domains}"),
    ("PERSISTENCE", "currentDomain IN {domains}"),
    ("MEMORY_NODES", "id IN {memories}"),
    ("memory_numbers", "id IN {memories}"),
    ("memory_content_fts", "id IN {memories}"),
    ("MEMORY_TAGS", "nodeId IN {memories}"),
    ("MEMORY_EDGES", "source IN {memories} AND target IN {memories}"),
    ("DOMAIN_REFS", "nodeId IN {memories} AND targetNodeId IN {memories}"),
    ("memory_entities", "memory_id IN {memories} AND entity_id IN {entities}"),
    ("memory_history", "memory_id IN {memories}"),
    ("memory_sessions", "memory_id IN {memories}"),
    (
        "origins",
        "id IN (SELECT origin FROM MEMORY_NODES WHERE id IN {memories}
            UNION SELECT unconfirmed_origin FROM MEMORY_NODES WHERE id IN {memories}
            UNION SELECT origin FROM entities WHERE id IN {entities}
            UNION SELECT origin FROM observations WHERE entity_id IN {entities}
            UNION SELECT origin FROM relations WHERE id IN {relations}
            UNION SELECT origin FROM reflections WHERE ?1 IS NULL OR (target_type = 'entity' AND target_id IN {entities})
                OR (target_type = 'relation' AND target_id IN {relations}))",
    ),
    ("trusted_origins", "?1 IS ?1"),
];

/// Builds the copy in memory: everything, or the entities of some types with their records, and the memories that
/// mention them.
pub fn build(tx: &Transaction<'_>, types_json: Option<&str>) -> Result<Connection> {
    db::fresh(tx.now_millis(), |copy| {
        for (table, condition) in COPIED {
            let columns = columns(tx, table)?;
            let select = format!("SELECT {columns} FROM {table} WHERE {} ORDER BY 1", spelled_out(condition));
            fill(tx, copy, (table, &columns), &select, params![types_json])?;
        }
        copy.execute_batch(
            "UPDATE PERSISTENCE SET lastMemoryId = NULL WHERE lastMemoryId NOT IN (SELECT id FROM MEMORY_NODES)",
        )?;
        domains::make_first(copy)
    })
}

/// Counts the records of such a copy: entities, observations, relations, reflections, memories and links.
pub fn records(copy: &Connection) -> Result<u64> {
    let sql = "SELECT (SELECT count(*) FROM entities) + (SELECT count(*) FROM observations)
         + (SELECT count(*) FROM relations) + (SELECT count(*) FROM reflections)
         + (SELECT count(*) FROM MEMORY_NODES) + (SELECT count(*) FROM MEMORY_EDGES)
         + (SELECT count(*) FROM DOMAIN_REFS)";
    Ok(copy.query_row(sql, [], |row| row.get(0))?)
}

/// Runs a read transaction on such a copy.
///
/// # Errors
/// Errors of `work`.
pub fn read<T>(
    copy: &mut Connection,
    now_millis: i64,
    work: impl FnOnce(&Transaction<'_>) -> Result<T>,
) -> Result<T> {
    db::read_fresh(copy, now_millis, work)
}

fn spelled_out(condition: &str) -> String {
    condition
        .replace("{domains}", DOMAINS)
        .replace("{relations}", RELATIONS)
        .replace("{memories}", MEMORIES)
        .replace("{entities}", ENTITIES)
}

/// Returns the columns of a table, preceded by the row number if it is not a column but other tables refer to it.
fn columns(tx: &Transaction<'_>, table: &str) -> Result<String> {
    let mut statement = tx.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    let mut names: Vec<String> =
        statement.query_map([table], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    if is_words(table) {
        names.insert(0, "rowid".to_owned());
    }
    Ok(names.join(", "))
}

/// Rows of full-text tables have the numbers of the rows that they index.
fn is_words(table: &str) -> bool {
    table.ends_with("_fts") || table == "entity_words"
}
