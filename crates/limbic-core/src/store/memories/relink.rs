//! Conversion of links after memories have moved between domains.

use rusqlite::params;

use super::RELATED;
use crate::{Result, Transaction, store::timestamps};

/// Converts edges whose ends are in different domains into references, and references whose ends are in one domain into
/// edges. `id` limits it to the links of one memory.
pub(crate) fn relink(tx: &Transaction<'_>, id: Option<&str>) -> Result<()> {
    let apart = "SELECT e.id FROM MEMORY_EDGES AS e JOIN MEMORY_NODES AS s ON s.id = e.source
        JOIN MEMORY_NODES AS t ON t.id = e.target
        WHERE s.domain <> t.domain AND (?1 IS NULL OR e.source = ?1 OR e.target = ?1)";
    tx.prepare_cached(&format!(
        "INSERT OR IGNORE INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
         SELECT e.source, s.domain, t.domain, e.target, e.type, 0 FROM MEMORY_EDGES AS e
         JOIN MEMORY_NODES AS s ON s.id = e.source JOIN MEMORY_NODES AS t ON t.id = e.target
         WHERE e.id IN ({apart}) ORDER BY e.id"
    ))?
    .execute([id])?;
    tx.prepare_cached(&format!("DELETE FROM MEMORY_EDGES WHERE id IN ({apart})"))?.execute([id])?;
    for statement in [
        "UPDATE MEMORY_EDGES SET domain = (SELECT m.domain FROM MEMORY_NODES AS m WHERE m.id = MEMORY_EDGES.source)
         WHERE ?1 IS NULL OR source = ?1 OR target = ?1",
        "UPDATE DOMAIN_REFS SET domain = (SELECT domain FROM MEMORY_NODES WHERE id = nodeId)
         WHERE ?1 IS NULL OR nodeId = ?1",
        "UPDATE OR REPLACE DOMAIN_REFS SET targetDomain = coalesce(
            (SELECT domain FROM MEMORY_NODES WHERE id = targetNodeId), targetDomain)
         WHERE ?1 IS NULL OR targetNodeId = ?1",
    ] {
        tx.prepare_cached(statement)?.execute([id])?;
    }
    let together = "domain = targetDomain AND (?1 IS NULL OR nodeId = ?1 OR targetNodeId = ?1)";
    tx.prepare_cached(&format!(
        "INSERT OR IGNORE INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
         SELECT nodeId || '-' || targetNodeId || '-' || coalesce(nullif(description, ''), '{RELATED}'), nodeId,
            targetNodeId, coalesce(nullif(description, ''), '{RELATED}'), 1.0, ?2, domain
         FROM DOMAIN_REFS WHERE {together} AND targetNodeId IN (SELECT id FROM MEMORY_NODES)
         ORDER BY nodeId, targetNodeId"
    ))?
    .execute(params![id, timestamps::now(tx)?])?;
    tx.prepare_cached(&format!("DELETE FROM DOMAIN_REFS WHERE {together}"))?.execute([id])?;
    Ok(())
}
