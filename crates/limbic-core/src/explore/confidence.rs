//! The confidence of a memory over time: history and forecast, as points of a curve.

use crate::{model::decay, store::memories::MemoryNode};

/// Maximum number of points of the history, and of the forecast.
const MAX_POINTS: i64 = 30;

/// Length of the forecast.
const AHEAD_MILLIS: i64 = 365 * DAY_MILLIS;

const DAY_MILLIS: i64 = 86_400_000;

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Time in milliseconds since the Unix epoch.
    pub at_millis: i64,
    /// Effective confidence, 0 to 1.
    pub value: f64,
    /// Whether it is a forecast, valid unless the memory is used before.
    pub is_expected: bool,
}

/// Returns the effective confidence from the time of the stored value to now, and a forecast for a year. Without decay,
/// only the first and the last point of the history.
#[must_use]
pub fn curve(memory: &MemoryNode, now_millis: i64) -> Vec<Point> {
    let start = memory.confident_millis.unwrap_or(now_millis).min(now_millis);
    let point = |at_millis: i64| Point {
        at_millis,
        value: memory.effective_confidence(at_millis),
        is_expected: at_millis > now_millis,
    };
    let falls = falls(memory);
    let mut points: Vec<Point> =
        spread(start, now_millis, if falls { MAX_POINTS } else { 2 }).into_iter().map(point).collect();
    if falls {
        let ahead = spread(now_millis, now_millis + AHEAD_MILLIS, MAX_POINTS + 1);
        points.extend(ahead.into_iter().skip(1).map(point));
    }
    points
}

/// Returns when the confidence decays to the minimum unless the memory is used before, in milliseconds since the Unix
/// epoch; may be past. `None` without decay.
#[must_use]
pub fn fades_millis(memory: &MemoryNode, now_millis: i64) -> Option<i64> {
    let days = decay::days_to_floor(memory.confidence, memory.memory_type.or_semantic(), memory.access_count);
    falls(memory).then(|| memory.confident_millis.unwrap_or(now_millis) + whole_millis(days))
}

fn falls(memory: &MemoryNode) -> bool {
    !memory.pinned && memory.confidence > decay::FLOOR
}

/// Returns at most that many equidistant times, including both ends, at most one per second.
fn spread(first: i64, last: i64, most: i64) -> Vec<i64> {
    let span = last - first;
    let steps = (most - 1).min(span.div_euclid(1000));
    if steps == 0 {
        return vec![last];
    }
    (0..=steps).map(|step| first + span * step / steps).collect()
}

#[allow(clippy::cast_possible_truncation, reason = "days of a life are far below 2^63 milliseconds")]
#[allow(clippy::cast_precision_loss, reason = "a day has few milliseconds")]
fn whole_millis(days: f64) -> i64 {
    (days * DAY_MILLIS as f64) as i64
}
