//! Whether anything was stored in a database since it was created.

use rusqlite::Connection;

use super::domains::FIRST;
use crate::Result;

/// Tables in which a server writes what it is, not what it was given, and their rows in a database without content.
const OWN_ROWS: [(&str, &str); 3] = [
    ("encoder", "1"),
    ("DOMAINS", "id = ?1 AND name = 'General' AND created = lastAccess"),
    ("PERSISTENCE", "currentDomain = ?1 AND lastMemoryId IS NULL"),
];

/// The other tables, without those of virtual tables, which hold what is in these.
const TABLES: &str = "SELECT name FROM sqlite_schema AS found
    WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'
    AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS virtual WHERE virtual.sql LIKE 'CREATE VIRTUAL TABLE%'
        AND substr(found.name, 1, length(virtual.name) + 1) = virtual.name || '_')";

/// Whether nothing was ever stored in this database, which may have been opened: no table has a row that a program or a
/// person gave it, and neither has its audit log.
///
/// # Errors
/// If it is damaged.
pub fn is_unused(connection: &Connection) -> Result<bool> {
    let names: Vec<String> =
        connection.prepare(TABLES)?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for name in names {
        let own = OWN_ROWS.iter().find(|(table, _)| *table == name).map_or("0", |(_, condition)| *condition);
        let name = name.replace('"', "\"\"");
        let mut found =
            connection.prepare(&format!("SELECT 1 FROM \"{name}\" WHERE NOT coalesce({own}, 0) LIMIT 1"))?;
        let has_others = if own.contains("?1") { found.exists([FIRST])? } else { found.exists([])? };
        if has_others {
            return Ok(false);
        }
    }
    Ok(true)
}
