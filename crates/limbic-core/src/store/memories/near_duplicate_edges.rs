//! Automatic edges between near memories, from the newer to the older one.
//!
//! The texts determine the type: `near_duplicate` for texts that say the same, `possible_contradiction` for texts that
//! may contradict each other. A possible contradiction with strength 0 is dismissed (both memories hold). It is not
//! shown, and stays dismissed until one of the texts changes.

use std::{collections::BTreeSet, sync::LazyLock};

use rusqlite::{OptionalExtension, params};

use super::{
    MemoryNode, by_number, filter, filter_evaluator, link_ids,
    validity::{self, ValidAt},
};
use crate::{
    Result, Transaction,
    model::statements::{Relation, Statement},
    store::timestamps,
};

/// The type of the edge between two memories that say the same, be it in other words; its strength is the cosine.
pub(crate) const NEAR_DUPLICATE: &str = "near_duplicate";

/// The type of the edge between two near memories with different statements; its strength is the cosine.
pub(crate) const POSSIBLE_CONTRADICTION: &str = "possible_contradiction";

/// The types of edges that are created automatically.
pub(crate) const AUTOMATIC: [&str; 2] = [NEAR_DUPLICATE, POSSIBLE_CONTRADICTION];

macro_rules! closed {
    () => {
        "(e.type = 'possible_contradiction' AND (e.strength = 0
            OR EXISTS (SELECT 1 FROM MEMORY_NODES AS x WHERE x.id IN (e.source, e.target) AND x.valid_until IS NOT NULL)
            OR EXISTS (SELECT 1 FROM MEMORY_EDGES AS d WHERE d.type IN ('contradicts', 'supersedes', 'refines')
                AND (d.source = e.source AND d.target = e.target OR d.source = e.target AND d.target = e.source))))"
    };
}

/// SQL for: the edge `e` is a resolved possible contradiction, because it was dismissed, one of both memories has
/// ended, or a link states their relation.
pub(crate) use closed;

/// SQL for: an edge of these columns is a possible contradiction that was dismissed.
pub(crate) const DISMISSED: &str = "(type = 'possible_contradiction' AND strength = 0)";

/// Whether edges of this type are created automatically.
#[must_use]
pub(crate) fn is_automatic(link_type: &str) -> bool {
    AUTOMATIC.contains(&link_type)
}

/// Returns SQL for the memories `m` (number `?1`) and `p` (number `o.number`) that are two, both valid at `?2`, with a
/// vector of the current text of `p`; `same` compares their domain, subject and user.
fn comparable_pairs(same: &str) -> String {
    format!(
        "FROM memory_numbers AS n CROSS JOIN MEMORY_NODES AS m ON m.id = n.id
         JOIN MEMORY_NODES AS p ON {same} JOIN memory_numbers AS o ON o.id = p.id
         WHERE n.number = ?1 AND n.number <> o.number AND {} AND {}
         AND NOT EXISTS (SELECT 1 FROM embedding_queue WHERE kind = 3 AND id = o.number)",
        validity::holds("m", ValidAt::Now),
        validity::holds("p", ValidAt::Now),
    )
    .replace(":now", "?2")
}

/// Whether two memories are both valid, have the same domain, subject and user, and have vectors of their current
/// texts.
pub(crate) fn are_comparable(tx: &Transaction<'_>, number: i64, other: i64) -> Result<bool> {
    let same = "+p.domain = m.domain AND +p.subject = m.subject AND +p.user_id IS m.user_id";
    let sql = format!("SELECT 1 {} AND o.number = ?3", comparable_pairs(same));
    Ok(tx.prepare_cached(&sql)?.exists(params![number, tx.now_text(), other])?)
}

/// Returns the numbers of all memories that are comparable with a memory; see [`are_comparable`].
pub(crate) fn comparable(tx: &Transaction<'_>, memory: &MemoryNode) -> Result<Vec<i64>> {
    // The condition with the fewest rows, as a rule, is the one without a plus sign, so that its index is used.
    let same = match (&memory.user_id, memory.subject.is_empty()) {
        (Some(_), _) => "p.user_id = m.user_id AND +p.domain = m.domain AND +p.subject = m.subject",
        (None, false) => "p.subject = m.subject AND +p.domain = m.domain AND +p.user_id IS m.user_id",
        (None, true) => "p.domain = m.domain AND +p.subject = m.subject AND +p.user_id IS m.user_id",
    };
    let numbers = tx
        .prepare_cached(&format!("SELECT o.number {} ORDER BY 1", comparable_pairs(same)))?
        .query_map(params![memory.number, tx.now_text()], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(numbers)
}

/// Whether one memory was stated later than another: stored, confirmed or given its text. If the clock was far ahead at
/// one of these times, the order in which they were stored counts.
pub(crate) fn is_newer(tx: &Transaction<'_>, one: &MemoryNode, other: &MemoryNode) -> Result<bool> {
    let now = timestamps::now(tx)?;
    let is_timely = one.stated_at <= now && other.stated_at <= now;
    let order = if is_timely { one.stated_at.cmp(&other.stated_at) } else { std::cmp::Ordering::Equal };
    Ok(order.then(one.number.cmp(&other.number)).is_gt())
}

/// Stores the edge from a newer memory to an older near one. Returns whether the pair is new.
pub(crate) fn note(
    tx: &Transaction<'_>,
    newer: &MemoryNode,
    older: &MemoryNode,
    link_type: &str,
    cosine: f64,
) -> Result<bool> {
    let known: Option<(String, String, f64)> = tx
        .prepare_cached(
            "SELECT type, source, strength FROM MEMORY_EDGES WHERE type IN (?3, ?4)
             AND (source = ?1 AND target = ?2 OR source = ?2 AND target = ?1) ORDER BY id",
        )?
        .query_row(params![newer.id, older.id, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let is_new = known.is_none();
    if let Some((known_type, source, strength)) = known {
        let is_dismissed = known_type == POSSIBLE_CONTRADICTION && strength <= 0.0;
        if known_type == link_type && (is_dismissed || source == newer.id) {
            return Ok(false);
        }
        // Another program may have left an edge in each direction.
        tx.prepare_cached(
            "DELETE FROM MEMORY_EDGES WHERE type IN (?3, ?4)
             AND (source = ?1 AND target = ?2 OR source = ?2 AND target = ?1)",
        )?
        .execute(params![newer.id, older.id, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION])?;
    }
    tx.prepare_cached(
        "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        link_ids::free(tx, &newer.id, &older.id, link_type)?,
        newer.id,
        older.id,
        link_type,
        cosine.clamp(0.0, 1.0),
        timestamps::now(tx)?,
        newer.domain
    ])?;
    Ok(is_new)
}

/// Gives a memory and its other wordings the time at which one of them was last stated, so that the one that represents
/// them is as new as the latest. Must follow each change of that time; updates the direction of the edges. A wording
/// that lost a contradiction stays as it is: it would hide the memory that hides it.
pub(crate) fn restated(tx: &Transaction<'_>, id: &str) -> Result<()> {
    let memory = super::get(tx, id)?;
    let others = near_to(tx, &memory)?.into_iter().filter(|near| near.is_same).map(|near| near.memory);
    let wordings: Vec<MemoryNode> = std::iter::once(memory).chain(others).collect();
    let now = timestamps::now(tx)?;
    let latest = wordings.iter().map(|wording| &wording.stated_at).filter(|stated| **stated <= now).max();
    for wording in &wordings {
        let latest = latest.filter(|latest| wording.stated_at < **latest);
        if let Some(latest) = latest
            && !is_hidden(tx, &wording.id)?
        {
            set_stated(tx, &wording.id, latest)?;
        }
    }
    wordings.iter().try_for_each(|wording| reorient(tx, &wording.id))
}

/// Whether a memory lost a contradiction.
fn is_hidden(tx: &Transaction<'_>, id: &str) -> Result<bool> {
    let sql = format!(
        "SELECT 1 FROM MEMORY_NODES AS m WHERE m.id = ?1 AND {}",
        filter::is_contradicted(ValidAt::Now).replace(":now", "?2")
    );
    Ok(tx.prepare_cached(&sql)?.exists([id, tx.now_text()])?)
}

/// Sets the time at which a memory was last stated. A successor that maintenance recorded is removed: the statement may
/// hide it now.
pub(super) fn set_stated(tx: &Transaction<'_>, id: &str, at: &str) -> Result<()> {
    tx.prepare_cached(
        "UPDATE MEMORY_NODES SET stated_at = ?2,
            superseded_by = CASE WHEN valid_until IS NOT NULL THEN superseded_by END WHERE id = ?1",
    )?
    .execute([id, at])?;
    Ok(())
}

/// Takes over the time at which another database says that a memory was last stated, with the order of its automatic
/// edges.
pub(crate) fn take_over_statement(tx: &Transaction<'_>, id: &str, at: &str) -> Result<()> {
    set_stated(tx, id, at)?;
    reorient(tx, id)
}

/// Reverses the automatic edges to a memory that is the newer one of the pair.
fn reorient(tx: &Transaction<'_>, id: &str) -> Result<()> {
    let memory = super::get(tx, id)?;
    let edges: Vec<(String, String, String)> = tx
        .prepare_cached(
            "SELECT id, source, type FROM MEMORY_EDGES WHERE target = ?1 AND type IN (?2, ?3) ORDER BY id",
        )?
        .query_map([id, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (edge, source, link_type) in edges {
        let Some(other) = super::find(tx, &source)? else { continue };
        if is_newer(tx, &memory, &other)? {
            // Another program may have left an edge in each direction.
            tx.prepare_cached("DELETE FROM MEMORY_EDGES WHERE source = ?1 AND target = ?2 AND type = ?3")?
                .execute([id, &source, &link_type])?;
            let reversed = link_ids::free(tx, id, &source, &link_type)?;
            tx.prepare_cached(
                "UPDATE MEMORY_EDGES SET source = target, target = source, id = ?2 WHERE id = ?1",
            )?
            .execute([edge, reversed])?;
        }
    }
    Ok(())
}

/// Dismisses the possible contradiction of two valid memories. Returns whether there was one.
pub(crate) fn dismiss(tx: &Transaction<'_>, one: &str, other: &str) -> Result<bool> {
    let dismissed = tx
        .prepare_cached(
            "UPDATE MEMORY_EDGES SET strength = 0, timestamp = ?4 WHERE type = ?3 AND strength > 0
             AND (source = ?1 AND target = ?2 OR source = ?2 AND target = ?1)",
        )?
        .execute(params![one, other, POSSIBLE_CONTRADICTION, timestamps::now(tx)?])?;
    Ok(dismissed > 0)
}

/// Deletes the automatic edges of a memory whose text, domain, subject or user has changed.
pub(crate) fn forget(tx: &Transaction<'_>, id: &str) -> Result<()> {
    tx.prepare_cached("DELETE FROM MEMORY_EDGES WHERE type IN (?2, ?3) AND (source = ?1 OR target = ?1)")?
        .execute([id, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION])?;
    Ok(())
}

/// Deletes the automatic edges of a memory, except to these others, to memories without a vector, and dismissed ones.
pub(crate) fn keep_only(tx: &Transaction<'_>, id: &str, others: &[String]) -> Result<()> {
    let known: Vec<(String, String)> = tx
        .prepare_cached(&format!(
            "SELECT id, CASE source WHEN ?1 THEN target ELSE source END AS other FROM MEMORY_EDGES
             WHERE type IN (?2, ?3) AND (source = ?1 OR target = ?1) AND NOT {DISMISSED}
             AND NOT EXISTS (SELECT 1 FROM embedding_queue AS q JOIN memory_numbers AS n ON n.number = q.id
                WHERE q.kind = 3 AND n.id = other) ORDER BY id",
        ))?
        .query_map([id, NEAR_DUPLICATE, POSSIBLE_CONTRADICTION], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (edge, _) in known.into_iter().filter(|(_, other)| !others.contains(other)) {
        tx.prepare_cached("DELETE FROM MEMORY_EDGES WHERE id = ?1")?.execute([edge])?;
    }
    Ok(())
}

/// Returns how a memory, whose statement is prepared, is related to another one. Two events on different days are
/// different things: `Ada ran a marathon in Rome`, and another one in Lima. So is one statement with two times of its
/// event: `Ada ran 10 km`.
pub(crate) fn relation_to(own: &MemoryNode, statement: &Statement<'_>, other: &MemoryNode) -> Relation {
    let others = Statement::new(&other.content);
    match statement.relation(&others) {
        Relation::Contradiction | Relation::OtherWord | Relation::Unclear
            if statement.is_of_the_past() && others.is_of_the_past() && are_at_other_times(own, other) =>
        {
            Relation::OtherThing
        }
        Relation::Same if have_events(own, other) && own.event_time != other.event_time => {
            Relation::OtherThing
        }
        relation => relation,
    }
}

/// Whether both memories were given the time of their event, and these are on different days.
fn are_at_other_times(one: &MemoryNode, other: &MemoryNode) -> bool {
    let day = |memory: &MemoryNode| memory.event_time.get(..10).map(str::to_owned);
    have_events(one, other) && day(one) != day(other)
}

/// Whether both memories were given the time of their event.
fn have_events(one: &MemoryNode, other: &MemoryNode) -> bool {
    [one, other].iter().all(|memory| memory.event_time != memory.timestamp)
}

/// A near memory, and whether both have the same statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The other memory.
    pub memory: MemoryNode,
    /// Whether both have the same statement; otherwise they may contradict each other.
    pub is_same: bool,
}

/// The statement of [`near_to`].
static NEAR_TO: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT DISTINCT n.number FROM MEMORY_EDGES AS e
         JOIN MEMORY_NODES AS m ON m.id = CASE e.source WHEN ?1 THEN e.target ELSE e.source END
         JOIN memory_numbers AS n ON n.id = m.id
         WHERE e.type IN ('{NEAR_DUPLICATE}', '{POSSIBLE_CONTRADICTION}') AND (e.source = ?1 OR e.target = ?1)
         AND m.id <> ?1 AND m.user_id IS ?2 AND NOT {} AND {} ORDER BY n.number",
        closed!(),
        validity::holds("m", ValidAt::Now)
    )
    .replace(":now", "?3")
});

/// Returns which of these memories have automatic edges, resolved ones included.
pub(crate) fn having_edges(tx: &Transaction<'_>, numbers: &[i64]) -> Result<BTreeSet<i64>> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT n.number FROM json_each(?1) AS asked CROSS JOIN memory_numbers AS n ON n.number = asked.value
         WHERE EXISTS (SELECT 1 FROM MEMORY_EDGES WHERE source = n.id
            AND type IN ('{NEAR_DUPLICATE}', '{POSSIBLE_CONTRADICTION}'))
         OR EXISTS (SELECT 1 FROM MEMORY_EDGES WHERE target = n.id
            AND type IN ('{NEAR_DUPLICATE}', '{POSSIBLE_CONTRADICTION}'))"
    ))?;
    let rows = statement.query_map([filter_evaluator::list(numbers.iter().copied())], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the valid near memories of a memory, by number, without those that say the same in other words. The texts
/// determine whether both have the same statement, whatever the type of the edge. Resolved pairs are omitted.
pub fn near_to(tx: &Transaction<'_>, memory: &MemoryNode) -> Result<Vec<Near>> {
    let numbers: Vec<i64> = tx
        .prepare_cached(&NEAR_TO)?
        .query_map(params![memory.id, memory.user_id, tx.now_text()], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let statement = Statement::new(&memory.content);
    let mut near = Vec::with_capacity(numbers.len());
    for number in numbers {
        if let Some(other) = by_number(tx, number)? {
            match relation_to(memory, &statement, &other) {
                // Both count, as if they were not near.
                Relation::Paraphrase | Relation::Reworded => {}
                // Stored by an earlier version.
                Relation::Extension | Relation::OtherThing => {}
                relation => near.push(Near { memory: other, is_same: relation == Relation::Same }),
            }
        }
    }
    Ok(near)
}

/// Returns the type of the automatic edge between two memories, by their texts; `None` if one of them was deleted or
/// only adds to the other, or if they describe different things.
pub(crate) fn type_between(tx: &Transaction<'_>, one: &str, other: &str) -> Result<Option<&'static str>> {
    let (Some(one), Some(other)) = (super::find(tx, one)?, super::find(tx, other)?) else { return Ok(None) };
    Ok(match relation_to(&one, &Statement::new(&one.content), &other) {
        Relation::Same | Relation::Paraphrase | Relation::Reworded => Some(NEAR_DUPLICATE),
        Relation::Contradiction | Relation::OtherWord | Relation::Unclear => Some(POSSIBLE_CONTRADICTION),
        Relation::Extension | Relation::OtherThing => None,
    })
}
