//! What happened to a memory, one thing at a time, newest first.

use rusqlite::{Row, params_from_iter};

use super::interval::Interval;
use crate::{Result, Unit, store::conditions::Conditions};

/// Each kind of event as a query for kind (its place here), moment, row number, entity's row number and name, text, count.
const KINDS: [(&str, &str); 8] = [
    ("entity_created", "SELECT 0, e.created_at, e.id, e.id, e.name, e.entity_type, NULL FROM entities AS e"),
    (
        "observation_added",
        "SELECT 1, o.created_at, o.id, e.id, e.name, o.content, NULL
         FROM observations AS o JOIN entities AS e ON e.id = o.entity_id",
    ),
    (
        "observation_superseded",
        "SELECT 2, o.superseded_at, o.id, e.id, e.name, o.content, NULL
         FROM observations AS o JOIN entities AS e ON e.id = o.entity_id WHERE o.superseded_at IS NOT NULL",
    ),
    (
        "relation_created",
        "SELECT 3, r.created_at, r.id, e.id, e.name, r.relation_type || ' ' || t.name, NULL
         FROM relations AS r JOIN entities AS e ON e.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity",
    ),
    (
        "relation_ended",
        "SELECT 4, r.ended_at, r.id, e.id, e.name, r.relation_type || ' ' || t.name, NULL
         FROM relations AS r JOIN entities AS e ON e.id = r.from_entity JOIN entities AS t ON t.id = r.to_entity
         WHERE r.ended_at IS NOT NULL",
    ),
    (
        "reflection_added",
        "SELECT 5, n.created_at, n.id, e.id, e.name, n.content, NULL
         FROM reflections AS n LEFT JOIN entities AS e ON n.target_type = 'entity' AND e.id = n.target_id",
    ),
    (
        "search",
        "SELECT 6, s.timestamp, s.event_id, NULL, NULL, s.query_text, s.num_results FROM search_events AS s",
    ),
    (
        "access",
        "SELECT 7, l.access_date || ' 00:00:00', e.id, e.id, e.name, NULL, l.access_count
         FROM entity_access_log AS l JOIN entities AS e ON e.id = l.entity_id",
    ),
];

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
    /// The text: of an observation or reflection, of a question, the type of an entity, type and end of a relation.
    pub text: Option<String>,
    /// How many results a search had, or how often an entity was found that day.
    pub count: Option<i64>,
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

/// Events of these kinds (none: all) within the interval, from a place on, newest first; with them the place at which
/// more follow.
///
/// # Errors
/// Those of the database.
pub fn page(
    unit: &Unit<'_>,
    wanted: &[&str],
    interval: &Interval,
    after: Option<&Place>,
    limit: usize,
) -> Result<(Vec<Event>, Option<Place>)> {
    let queries: Vec<&str> = KINDS
        .iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.contains(name))
        .map(|(_, query)| *query)
        .collect();
    let mut conditions = Conditions::default();
    conditions.and_plain("at IS NOT NULL");
    conditions.and_within("at", interval);
    if let Some(Place { at, kind, id }) = after {
        let (at, kind, id) = (conditions.value(at.clone()), conditions.value(*kind), conditions.value(*id));
        conditions.and_plain(&format!("(at, kind, id) < ({at}, {kind}, {id})"));
    }
    let wanted = conditions.sql();
    let most = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1));
    let mut statement = unit.prepare_cached(&format!(
        "WITH events(kind, at, id, entity_id, entity, text, count) AS ({})
         SELECT kind, at, id, entity_id, entity, text, count FROM events{wanted}
         ORDER BY at DESC, kind DESC, id DESC LIMIT {most}",
        queries.join(" UNION ALL ")
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
    let kind = usize::try_from(number).ok().and_then(|place| KINDS.get(place)).map_or("", |(name, _)| name);
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
        },
    ))
}
