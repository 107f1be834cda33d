//! Conversion of links after memories have moved between domains.

use super::{RELATED, link_ids, links};
use crate::{Result, Transaction, store::timestamps};

/// Converts edges whose ends are in different domains into references, and references whose ends are in one domain into
/// edges. `id` limits it to the links of one memory.
pub(crate) fn relink(tx: &Transaction<'_>, id: Option<&str>) -> Result<()> {
    // The rows of one memory by the indexes of both ends; `OR` would scan the table.
    let of = |table: &str, one: &str, other: &str| match id {
        None => "?1 IS NULL".to_owned(),
        Some(_) => format!(
            "rowid IN (SELECT rowid FROM {table} WHERE {one} = ?1
                UNION ALL SELECT rowid FROM {table} WHERE {other} = ?1)"
        ),
    };
    let edges = of("MEMORY_EDGES", "source", "target");
    let references = of("DOMAIN_REFS", "nodeId", "targetNodeId");
    let apart = format!(
        "SELECT id FROM MEMORY_EDGES WHERE {edges} AND (SELECT domain FROM MEMORY_NODES WHERE id = MEMORY_EDGES.source)
            <> (SELECT domain FROM MEMORY_NODES WHERE id = MEMORY_EDGES.target)"
    );
    tx.prepare_cached(&format!(
        "INSERT OR IGNORE INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
         SELECT e.source, s.domain, t.domain, e.target, e.type, 0 FROM MEMORY_EDGES AS e
         JOIN MEMORY_NODES AS s ON s.id = e.source JOIN MEMORY_NODES AS t ON t.id = e.target
         WHERE e.id IN ({apart}) ORDER BY e.id"
    ))?
    .execute([id])?;
    tx.prepare_cached(&format!("DELETE FROM MEMORY_EDGES WHERE id IN ({apart})"))?.execute([id])?;
    for statement in [
        format!(
            "UPDATE MEMORY_EDGES SET domain = (SELECT m.domain FROM MEMORY_NODES AS m WHERE m.id = MEMORY_EDGES.source)
             WHERE {edges}"
        ),
        format!(
            "UPDATE DOMAIN_REFS SET domain = (SELECT domain FROM MEMORY_NODES WHERE id = nodeId) WHERE {references}"
        ),
        format!(
            "UPDATE OR REPLACE DOMAIN_REFS SET targetDomain = coalesce(
                (SELECT domain FROM MEMORY_NODES WHERE id = targetNodeId), targetDomain) WHERE {references}"
        ),
    ] {
        tx.prepare_cached(&statement)?.execute([id])?;
    }
    let together = format!("domain = targetDomain AND {references}");
    let now = timestamps::now(tx)?;
    for (from, to, condition) in
        [("nodeId", "targetNodeId", "1"), ("targetNodeId", "nodeId", "coalesce(bidirectional, 0)")]
    {
        let edges: Vec<[String; 4]> = tx
            .prepare_cached(&format!(
                "SELECT {from}, {to}, coalesce(nullif(description, ''), '{RELATED}'), domain FROM DOMAIN_REFS
                 WHERE {together} AND {condition} AND targetNodeId IN (SELECT id FROM MEMORY_NODES)
                 ORDER BY {from}, {to}"
            ))?
            .query_map([id], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?
            .collect::<rusqlite::Result<_>>()?;
        for [from, to, link_type, domain] in edges {
            if links::is_linked(tx, &from, &to, &link_type)? {
                continue;
            }
            let edge = link_ids::free(tx, &from, &to, &link_type)?;
            tx.prepare_cached(
                "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
                 VALUES (?1, ?2, ?3, ?4, 1.0, ?5, ?6)",
            )?
            .execute([&edge, &from, &to, &link_type, &now, &domain])?;
        }
    }
    tx.prepare_cached(&format!("DELETE FROM DOMAIN_REFS WHERE {together}"))?.execute([id])?;
    Ok(())
}
