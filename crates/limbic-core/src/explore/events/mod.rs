//! What happened to a memory, one thing at a time, newest first.

mod graph_events;
mod memory_events;

use rusqlite::{Row, params_from_iter};

use super::interval::Interval;
use crate::{
    Result, Transaction,
    store::{conditions::Conditions, timestamps},
};
use graph_events::GRAPH;
use memory_events::MEMORIES;

/// Each kind of event as a query for kind (its place here), moment, row number, entity's row number and name, text, count,
/// memory's id and domain. `:now` stands for this moment, as memories keep it.
fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    GRAPH.into_iter().chain(MEMORIES)
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What sort of thing.
    pub kind: &'static str,
    /// When: `YYYY-MM-DD HH:MM:SS`, UTC. Of an access the day alone is known.
    pub at: String,
    /// Row number of what it happened to.
    pub id: i64,
    /// Row number of the entity, where there is one.
    pub entity_id: Option<i64>,
    /// Its name.
    pub entity: Option<String>,
    /// The text: of an observation, reflection or memory, of a question, the type of an entity, type and end of a
    /// relation, both ends and type of a link, the reason.
    pub text: Option<String>,
    /// How many results a search had, or how often an entity was found that day.
    pub count: Option<i64>,
    /// Id of the memory that it happened to, where there is one.
    pub memory: Option<String>,
}

/// Where a list of events goes on: the last one that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its moment.
    pub at: String,
    /// The number of its kind.
    pub kind: i64,
    /// Its row number.
    pub id: i64,
}

/// Events of these kinds (none: all) within the interval, of memories only those of the domain, from a place on, newest
/// first; with them the place at which more follow.
///
/// # Errors
/// Those of the database.
pub fn page(
    tx: &Transaction<'_>,
    wanted: &[&str],
    interval: &Interval,
    domain: Option<&str>,
    after: Option<&Place>,
    limit: usize,
) -> Result<(Vec<Event>, Option<Place>)> {
    let queries: Vec<&str> = kinds()
        .filter(|(name, _)| wanted.is_empty() || wanted.contains(name))
        .map(|(_, query)| query)
        .collect();
    let mut conditions = Conditions::default();
    let events = conditions.at(&queries.join(" UNION ALL "), &timestamps::clock(tx)?);
    conditions.and_plain("at IS NOT NULL");
    conditions.and_within("at", interval);
    if let Some(domain) = domain {
        conditions.and("memory IS NULL OR domain = ?", domain.to_owned());
    }
    if let Some(Place { at, kind, id }) = after {
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
    let next = found.last().filter(|_| more).map(|(kind, event)| Place {
        at: event.at.clone(),
        kind: *kind,
        id: event.id,
    });
    Ok((found.into_iter().map(|(_, event)| event).collect(), next))
}

fn load(row: &Row<'_>) -> rusqlite::Result<(i64, Event)> {
    let number: i64 = row.get(0)?;
    let kind = usize::try_from(number).ok().and_then(|place| kinds().nth(place)).map_or("", |(name, _)| name);
    Ok((
        number,
        Event {
            kind,
            at: row.get(1)?,
            id: row.get(2)?,
            entity_id: row.get(3)?,
            entity: row.get(4)?,
            text: row.get(5)?,
            count: row.get(6)?,
            memory: row.get(7)?,
        },
    ))
}
