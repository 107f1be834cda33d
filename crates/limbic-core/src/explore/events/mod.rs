//! Events of the database, newest first.

mod graph_events;
mod memory_events;

use limbic_guard::{escape, one_line};
use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;

use super::output::MAX_LINK_CHARS;
use crate::{
    Result, Transaction,
    store::{conditions::Conditions, interval::Interval},
};
use graph_events::GRAPH;
use memory_events::MEMORIES;

/// The kinds of events, each with a query for its index, time, row id, entity's row id and name, text, count, and the
/// memory's id and domain. `:now` is the current time in the format of memories.
fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    GRAPH.into_iter().chain(MEMORIES)
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Event {
    /// Kind of event.
    pub kind: &'static str,
    /// When; of an access, the day only.
    pub at: String,
    /// Id of the entity, observation, relation, reflection or search; for memories, a number that orders events of a
    /// kind.
    pub id: i64,
    /// Id of the entity concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<i64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Text of an observation, reflection, query or memory, for a changed memory the previous text; type of an
    /// entity; type and target of a relation; both endpoints and type of a link; reason for a deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Count of results of a search, or of accesses to an entity that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// Id of the memory concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

/// The position of an event, to continue a list after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Its time.
    pub at: String,
    /// Index of its kind.
    pub kind: i64,
    /// Its row id.
    pub id: i64,
}

/// Returns events of these kinds (all if empty) within the interval, newest first, of memories only those of the
/// domain, starting after a position; with them the position of the last one if more follow.
pub fn page(
    tx: &Transaction<'_>,
    wanted: &[&str],
    interval: &Interval,
    domain: Option<&str>,
    after: Option<&Cursor>,
    limit: usize,
) -> Result<(Vec<Event>, Option<Cursor>)> {
    let queries: Vec<&str> = kinds()
        .filter(|(name, _)| wanted.is_empty() || wanted.contains(name))
        .map(|(_, query)| query)
        .collect();
    let mut conditions = Conditions::default();
    let events = conditions.at(&queries.join(" UNION ALL "), tx.now_text());
    conditions.and_plain("at IS NOT NULL");
    conditions.and_within("at", interval);
    if let Some(domain) = domain {
        conditions.and("memory IS NULL OR domain = ?", domain.to_owned());
    }
    if let Some(Cursor { at, kind, id }) = after {
        let (at, kind, id) = (conditions.value(at.clone()), conditions.value(*kind), conditions.value(*id));
        conditions.and_plain(&format!("(at, kind, id) < ({at}, {kind}, {id})"));
    }
    let wanted = conditions.sql();
    let most = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1));
    let mut statement = tx.prepare_cached(&format!(
        "WITH events(kind, at, id, entity_id, entity, text, count, memory, domain) AS ({events})
         SELECT kind, at, id, entity_id, entity, text, count, memory FROM events{wanted}
         ORDER BY at DESC, kind DESC, id DESC LIMIT {most}"
    ))?;
    let mut found: Vec<(i64, Event)> =
        statement.query_map(params_from_iter(conditions.values()), load)?.collect::<rusqlite::Result<_>>()?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|(kind, event)| Cursor {
        at: event.at.clone(),
        kind: *kind,
        id: event.id,
    });
    Ok((found.into_iter().map(|(_, event)| event).collect(), next))
}

fn load(row: &Row<'_>) -> rusqlite::Result<(i64, Event)> {
    let number: i64 = row.get(0)?;
    let kind = usize::try_from(number).ok().and_then(|index| kinds().nth(index)).map_or("", |(name, _)| name);
    let memory: Option<String> = row.get(7)?;
    let text = row.get::<_, Option<String>>(5)?.map(|text| match kind {
        // Of both memories only the beginning is shown.
        "memory_linked" => one_line(&text, 2 * MAX_LINK_CHARS),
        _ if memory.is_some() => escape(&text).into_owned(),
        _ => text,
    });
    let event = Event {
        kind,
        at: row.get(1)?,
        id: row.get(2)?,
        entity_id: row.get(3)?,
        entity: row.get(4)?,
        text,
        count: row.get(6)?,
        memory,
    };
    Ok((number, event))
}
