//! The confidence of a memory over time: history and forecast, as points of a curve.

use schemars::JsonSchema;
use serde::Serialize;

use super::memory::EarlierRow;
use crate::{
    Result, Transaction,
    model::{decay, numbers::round, timestamps::plain_form},
    store::{memories::MemoryNode, timestamps},
};

/// Maximum number of points of the history, and of the forecast.
const MAX_POINTS: i64 = 30;

/// Length of the forecast.
const AHEAD_MILLIS: i64 = 365 * DAY_MILLIS;

const DAY_MILLIS: i64 = 86_400_000;

/// Confidence history and forecast.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Confidence {
    /// In chronological order.
    points: Vec<Point>,
    /// When it decays to the minimum confidence unless used; may be past. Maintenance deletes it a month later.
    #[serde(skip_serializing_if = "Option::is_none")]
    fades_at: Option<String>,
}

/// A point of the confidence curve.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct Point {
    /// When.
    at: String,
    /// 0 to 1.
    value: f64,
    /// Whether it is a forecast, valid unless the memory is used before.
    is_expected: bool,
    /// Whether it is an isolated point, from the time when an earlier text was replaced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    is_alone: bool,
}

/// Returns the confidence of earlier texts, the effective confidence from the time of the stored value to now, and a
/// forecast for a year. Without decay, the curve has only the first and the last point of the history.
pub fn confidence(tx: &Transaction<'_>, memory: &MemoryNode, history: &[EarlierRow]) -> Result<Confidence> {
    let now = tx.now_millis();
    let mut points: Vec<Point> = history
        .iter()
        .map(|earlier| {
            Ok(Point {
                at: timestamps::plain(tx, &earlier.replaced_at)?,
                value: earlier.confidence,
                is_expected: false,
                is_alone: true,
            })
        })
        .collect::<Result<_>>()?;
    for millis in times(memory, now) {
        points.push(Point {
            at: plain_form(millis),
            value: round(memory.effective_confidence(millis), 4),
            is_expected: millis > now,
            is_alone: false,
        });
    }
    let fades_at = fades_millis(memory, now).map(plain_form);
    Ok(Confidence { points, fades_at })
}

/// Returns the times of the curve's points, in milliseconds since the Unix epoch.
fn times(memory: &MemoryNode, now_millis: i64) -> Vec<i64> {
    let start = memory.confident_millis.unwrap_or(now_millis).min(now_millis);
    let falls = falls(memory);
    let mut times = spread(start, now_millis, if falls { MAX_POINTS } else { 2 });
    if falls {
        times.extend(spread(now_millis, now_millis + AHEAD_MILLIS, MAX_POINTS + 1).into_iter().skip(1));
    }
    times
}

/// Returns when the confidence decays to the minimum unless the memory is used before, in milliseconds since the Unix
/// epoch; may be past. `None` without decay.
fn fades_millis(memory: &MemoryNode, now_millis: i64) -> Option<i64> {
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
