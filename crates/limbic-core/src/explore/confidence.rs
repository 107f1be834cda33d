//! How far a memory was trusted, is and will be: points of a curve.

use crate::{
    model::{decay, memory_words::MemoryType},
    store::memories::MemoryNode,
};

/// The most points of the way up to now, and as many of the way from there.
const POINTS: i64 = 30;

/// How far the curve reaches beyond now.
const AHEAD_MILLIS: i64 = 365 * DAY_MILLIS;

const DAY_MILLIS: i64 = 86_400_000;

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// When, in milliseconds since the Unix epoch.
    pub at_millis: i64,
    /// Effective confidence: 0 to 1.
    pub value: f64,
    /// Whether it lies ahead, and holds if the memory is not used until then.
    pub is_expected: bool,
}

/// What is left of the stored confidence: from the moment that it is of until now, and what is expected for a year. What
/// does not fall has its two ends up to now alone.
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
        spread(start, now_millis, if falls { POINTS } else { 2 }).into_iter().map(point).collect();
    if falls {
        let ahead = spread(now_millis, now_millis + AHEAD_MILLIS, POINTS + 1);
        points.extend(ahead.into_iter().skip(1).map(point));
    }
    points
}

/// When the confidence reaches the floor if the memory is not used until then, in milliseconds since the Unix epoch. It
/// may have passed; nothing for what does not fall.
#[must_use]
pub fn fades_millis(memory: &MemoryNode, now_millis: i64) -> Option<i64> {
    let days =
        decay::days_to_floor(memory.confidence, MemoryType::of_row(&memory.memory_type), memory.access_count);
    falls(memory).then(|| memory.confident_millis.unwrap_or(now_millis) + whole_millis(days))
}

fn falls(memory: &MemoryNode) -> bool {
    !memory.pinned && memory.confidence > decay::FLOOR
}

/// At most so many moments at equal distances, both ends among them, no two within the same second.
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
