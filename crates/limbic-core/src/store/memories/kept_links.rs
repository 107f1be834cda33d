//! Links in the states that memories had before changes which wait for review.

use crate::{Result, Transaction};

/// Removes a link that waited, and is withdrawn, from the kept states of both of its ends, with the end that it gave
/// its target: otherwise a later rejection would give it back, for good. States in which it did not wait yet keep it.
pub(super) fn forget(tx: &Transaction<'_>, (from, to): (&str, &str), link_type: &str) -> Result<()> {
    // The waiting link in the state `record`, as an edge or a reference.
    let edge =
        "l.value ->> 1 = ?1 AND l.value ->> 2 = ?2 AND l.value ->> 3 = ?3 AND coalesce(l.value ->> 8, 0)";
    let reference = "l.value ->> 0 = ?1 AND l.value ->> 1 = ?2
        AND coalesce(nullif(l.value ->> 2, ''), 'related') = ?3 AND coalesce(l.value ->> 4, 0)";
    let has_link = format!(
        "(EXISTS (SELECT 1 FROM json_each(record, '$.links') AS l WHERE {edge})
            OR EXISTS (SELECT 1 FROM json_each(record, '$.references') AS l WHERE {reference}))"
    );
    if link_type == "supersedes" {
        // Another memory of the same user that superseded it as well.
        let other = "(SELECT s.id FROM json_each(record, '$.links') AS l JOIN MEMORY_NODES AS s ON s.id = l.value ->> 1
            JOIN MEMORY_NODES AS t ON t.id = ?2 WHERE l.value ->> 2 = ?2 AND l.value ->> 3 = ?3 AND s.id <> ?1
                AND s.user_id IS t.user_id ORDER BY s.timestamp, s.id LIMIT 1)";
        tx.prepare_cached(&format!(
            "UPDATE replaced_states SET record = json_set(record, '$.superseded_by', {other}, '$.valid_until',
                iif({other} IS NULL AND record ->> '$.invalidation_reason' IS NULL, NULL, record ->> '$.valid_until'))
             WHERE memory_id = ?2 AND record ->> '$.superseded_by' = ?1 AND {has_link}"
        ))?
        .execute([from, to, link_type])?;
    }
    tx.prepare_cached(&format!(
        "UPDATE replaced_states SET record = json_set(record,
            '$.links', json((SELECT json_group_array(json(l.value))
                FROM json_each(record, '$.links') AS l WHERE ({edge}) IS NOT TRUE)),
            '$.references', json((SELECT json_group_array(json(l.value))
                FROM json_each(record, '$.references') AS l WHERE ({reference}) IS NOT TRUE)))
         WHERE memory_id IN (?1, ?2) AND {has_link}"
    ))?
    .execute([from, to, link_type])?;
    Ok(())
}
