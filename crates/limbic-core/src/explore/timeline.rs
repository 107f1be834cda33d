//! Counts of events over time, in equal spans.

use rusqlite::{OptionalExtension, params};

use super::lists::link_list::LINKED;
use crate::{Result, Transaction, store::interval::Interval};

/// SQL of a kind of event: its second, its rows, the count of each, and its domain if it has one. `?1` is the first
/// second of the timeline.
struct EventSource {
    second: &'static str,
    from: &'static str,
    count: &'static str,
    domain: &'static str,
    /// Whether its time may be in the future; such events are not counted yet.
    may_be_future: bool,
}

const fn event(second: &'static str, from: &'static str) -> EventSource {
    EventSource { second, from, count: "1", domain: "NULL", may_be_future: false }
}

const fn in_domain(domain: &'static str, second: &'static str, from: &'static str) -> EventSource {
    EventSource { second, from, count: "1", domain, may_be_future: false }
}

/// Number of kinds of events.
pub const KINDS: usize = 12;

/// 9999-12-31 23:59:59, the last second that SQLite writes as a date.
const LAST_SECOND: i64 = 253_402_300_799;

/// The sources of events, in the order of [`Counts`].
const EVENT_SOURCES: [EventSource; KINDS] = [
    event("unixepoch(created_at)", "entities"),
    event("unixepoch(created_at)", "observations"),
    event("unixepoch(created_at)", "relations"),
    event("unixepoch(created_at)", "reflections"),
    event("unixepoch(superseded_at)", "observations WHERE superseded_at IS NOT NULL"),
    event("unixepoch(ended_at)", "relations WHERE ended_at IS NOT NULL"),
    event("unixepoch(timestamp)", "search_events"),
    // A day that began before the timeline counts at its first second.
    EventSource {
        count: "access_count",
        ..event(
            "CASE WHEN unixepoch(access_date) + 86400 > ?1 THEN max(unixepoch(access_date), ?1) END",
            "entity_access_log",
        )
    },
    in_domain("domain", "unixepoch(timestamp)", "MEMORY_NODES"),
    in_domain(
        "m.domain",
        "unixepoch(h.replaced_at)",
        "memory_history AS h JOIN MEMORY_NODES AS m ON m.id = h.memory_id",
    ),
    EventSource {
        may_be_future: true,
        ..in_domain("domain", "unixepoch(valid_until)", "MEMORY_NODES WHERE valid_until IS NOT NULL")
    },
    in_domain("l.from_domain", "unixepoch(l.created_at)", LINKED),
];

/// Counts of events: entities, observations, relations and reflections stored; observations superseded; relations
/// ended; searches; accesses to entities, of which only the day is known; memories stored; texts of memories replaced;
/// memories ended; links between memories created.
pub type Counts = [u64; KINDS];

/// A span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Start: `YYYY-MM-DD HH:MM:SS`, UTC.
    pub start: String,
    /// Counts of its events.
    pub counts: Counts,
}

/// Consecutive, equal spans of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Start of the first span: `YYYY-MM-DD HH:MM:SS`, UTC.
    pub since: String,
    /// End of the last span, at most the end of the interval.
    pub until: String,
    /// Length of a span.
    pub bucket_seconds: i64,
    /// The spans.
    pub buckets: Vec<Bucket>,
}

/// Counts the events of an interval in at most `most` spans; with a domain, of memories only those of the domain. An
/// open start is the first stored event, an open end just after the present. `None` if nothing was ever stored, or if
/// the interval ends before the first event or starts after the present.
pub fn timeline(
    tx: &Transaction<'_>,
    interval: &Interval,
    domain: Option<&str>,
    most: usize,
) -> Result<Option<Timeline>> {
    let first = match &interval.since {
        Some(since) => Some(seconds(tx, since)?),
        None => first_second(tx, domain)?,
    };
    let Some(first) = first else { return Ok(None) };
    let last = match &interval.until {
        Some(until) => seconds(tx, until)?,
        None => tx.now_seconds() + 1,
    };
    if last <= first {
        return Ok(None);
    }
    let span = last - first;
    let most = i64::try_from(most).unwrap_or(i64::MAX).max(1);
    let width = span.div_euclid(most) + i64::from(span.rem_euclid(most) > 0);
    let number = span.div_euclid(width) + i64::from(span.rem_euclid(width) > 0);
    let mut buckets = Vec::new();
    for index in 0..number {
        buckets.push(Bucket { start: timestamp(tx, first + index * width)?, counts: [0; KINDS] });
    }
    for (kind, happening) in EVENT_SOURCES.iter().enumerate() {
        count(tx, happening, domain, (first, last, width), &mut |index, number| {
            if let Some(bucket) = buckets.get_mut(index) {
                bucket.counts[kind] += number;
            }
        })?;
    }
    // Rounded up to whole spans, the end may be after `until`, or after the last date that SQLite represents.
    let latest = if interval.until.is_some() { last } else { LAST_SECOND };
    Ok(Some(Timeline {
        since: timestamp(tx, first)?,
        until: timestamp(tx, (first + number * width).min(latest))?,
        bucket_seconds: width,
        buckets,
    }))
}

fn count(
    tx: &Transaction<'_>,
    happening: &EventSource,
    wanted: Option<&str>,
    (first, last, width): (i64, i64, i64),
    add: &mut dyn FnMut(usize, u64),
) -> Result<()> {
    let EventSource { second, from, count, domain, may_be_future } = happening;
    let last = if *may_be_future { last.min(tx.now_seconds() + 1) } else { last };
    let mut statement = tx.prepare_cached(&format!(
        "SELECT (second - ?1) / ?3 AS place, sum(n)
         FROM (SELECT {second} AS second, {count} AS n, {domain} AS domain FROM {from})
         WHERE second >= ?1 AND second < ?2 AND (?4 IS NULL OR domain IS NULL OR domain = ?4)
         GROUP BY place ORDER BY place"
    ))?;
    let mut rows = statement.query(params![first, last, width, wanted])?;
    while let Some(row) = rows.next()? {
        add(row.get(0)?, row.get(1)?);
    }
    Ok(())
}

fn first_second(tx: &Transaction<'_>, domain: Option<&str>) -> Result<Option<i64>> {
    Ok(tx
        .prepare_cached(
            "SELECT min(first) FROM (
                 SELECT min(unixepoch(created_at)) AS first FROM entities
                 UNION ALL SELECT min(unixepoch(created_at)) FROM observations
                 UNION ALL SELECT min(unixepoch(created_at)) FROM relations
                 UNION ALL SELECT min(unixepoch(created_at)) FROM reflections
                 UNION ALL SELECT min(unixepoch(timestamp)) FROM MEMORY_NODES WHERE ?1 IS NULL OR domain = ?1)",
        )?
        .query_row([domain], |row| row.get(0))
        .optional()?
        .flatten())
}

fn seconds(tx: &Transaction<'_>, moment: &str) -> Result<i64> {
    Ok(tx.prepare_cached("SELECT unixepoch(?1)")?.query_row([moment], |row| row.get(0))?)
}

fn timestamp(tx: &Transaction<'_>, second: i64) -> Result<String> {
    Ok(tx.prepare_cached("SELECT datetime(?1, 'unixepoch')")?.query_row([second], |row| row.get(0))?)
}
