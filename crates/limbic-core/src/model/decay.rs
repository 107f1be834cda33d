//! How a memory ages: effective confidence, heat and tier.
//!
//! Effective confidence = stored confidence x 2^(-age / half-life), with age = days since the last access /
//! (1 + 0.5 ln(1 + accesses)). It never falls below a floor, and what is pinned does not decay.

use super::memory_words::{Heat, MemoryType, Tier};

/// The increase of the decayed confidence for each recall.
pub(crate) const RECALLED: f64 = 0.05;

/// The increase of confidence for a confirmation or a new text.
pub(crate) const CONFIRMED: f64 = 0.1;

/// Effective confidence never falls below this.
pub const FLOOR: f64 = 0.05;

/// Accesses for a promotion from `l4` to `l2`.
const ACCESSES_FOR_L2: u32 = 3;

/// Sessions for a promotion from `l2` to `l1`.
const SESSIONS_FOR_L1: u32 = 5;

/// Days without use for a demotion from `l1` to `l2`.
const L1_DAYS: f64 = 90.0;

/// Days without use for a demotion from `l2` to `l4`.
const L2_DAYS: f64 = 60.0;

/// Days from one moment to a later one, both in milliseconds since the Unix epoch; never less than none.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "milliseconds between two dates are far below 2^52")]
pub fn days_between(earlier_millis: i64, later_millis: i64) -> f64 {
    (later_millis - earlier_millis).max(0) as f64 / 86_400_000.0
}

/// The heat of a memory by how often it was found.
#[must_use]
pub(crate) fn heat(access_count: u32) -> Heat {
    match access_count {
        0..=2 => Heat::Cold,
        3..=9 => Heat::Warm,
        _ => Heat::Hot,
    }
}

/// Half-life of confidence, in days.
#[must_use]
pub fn half_life_days(memory_type: MemoryType) -> f64 {
    match memory_type {
        MemoryType::Episodic => 30.0,
        MemoryType::Semantic => 180.0,
        MemoryType::Procedural => 365.0,
    }
}

/// Effective confidence after a number of days without use: 0.05 to 1.
#[must_use]
pub fn effective_confidence(
    stored: f64,
    half_life_days: f64,
    pinned: bool,
    idle_days: f64,
    accesses: u32,
) -> f64 {
    if pinned {
        return stored;
    }
    let age = idle_days.max(0.0) / (1.0 + 0.5 * libm::log(1.0 + f64::from(accesses)));
    (stored * libm::exp2(-age / half_life_days)).max(FLOOR)
}

/// Confidence increased by `by`, at most 1; rounded, so that every build stores the same number.
#[must_use]
pub(crate) fn raised(confidence: f64, by: f64) -> f64 {
    crate::model::numbers::round(confidence + by, 6).min(1.0)
}

/// Number of days without use after which the floor is reached.
#[must_use]
pub(crate) fn days_to_floor(stored: f64, memory_type: MemoryType, accesses: u32) -> f64 {
    let halvings = libm::log2(stored.max(FLOOR) / FLOOR);
    halvings * half_life_days(memory_type) * (1.0 + 0.5 * libm::log(1.0 + f64::from(accesses)))
}

/// The tier to which a memory is promoted, if any.
#[must_use]
pub(crate) fn promoted(tier: Tier, accesses: u32, sessions: u32) -> Option<Tier> {
    match tier {
        Tier::L4 | Tier::L3 if accesses >= ACCESSES_FOR_L2 => Some(Tier::L2),
        Tier::L2 if sessions >= SESSIONS_FOR_L1 => Some(Tier::L1),
        _ => None,
    }
}

/// The tier to which a memory is demoted after a number of days without use, if any. Pinned memories are not demoted.
#[must_use]
pub(crate) fn demoted(tier: Tier, pinned: bool, idle_days: f64) -> Option<Tier> {
    match tier {
        _ if pinned => None,
        Tier::L1 if idle_days >= L1_DAYS => Some(Tier::L2),
        Tier::L2 if idle_days >= L2_DAYS => Some(Tier::L4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn half_of_the_confidence_is_gone_after_a_half_life() {
        assert!(near(effective_confidence(0.8, half_life_days(MemoryType::Episodic), false, 30.0, 0), 0.4));
        assert!(near(effective_confidence(0.8, half_life_days(MemoryType::Semantic), false, 180.0, 0), 0.4));
        assert!(near(
            effective_confidence(0.8, half_life_days(MemoryType::Procedural), false, 365.0, 0),
            0.4
        ));
        assert!(near(effective_confidence(0.8, half_life_days(MemoryType::Episodic), true, 3000.0, 0), 0.8));
        assert!(near(
            effective_confidence(0.8, half_life_days(MemoryType::Episodic), false, 3000.0, 0),
            FLOOR
        ));
    }

    #[test]
    fn accessed_memories_decay_more_slowly() {
        // 1 + 0.5 ln(1 + 6) = 1.97295..., so 30 days count as 15.2056...
        let days = days_to_floor(0.8, MemoryType::Episodic, 6);
        assert!(
            effective_confidence(0.8, half_life_days(MemoryType::Episodic), false, days - 0.01, 6) > FLOOR
        );
        assert!(near(
            effective_confidence(0.8, half_life_days(MemoryType::Episodic), false, days + 0.01, 6),
            FLOOR
        ));
        let used = effective_confidence(1.0, half_life_days(MemoryType::Episodic), false, 30.0, 6);
        assert!(near(used, libm::exp2(-1.0 / (1.0 + 0.5 * libm::log(7.0)))) && used > 0.7);
    }

    #[test]
    fn heat_and_tiers_follow_use() {
        assert_eq!([0, 2, 3, 9, 10].map(heat), [Heat::Cold, Heat::Cold, Heat::Warm, Heat::Warm, Heat::Hot]);
        assert_eq!(promoted(Tier::L4, 2, 9), None);
        assert_eq!(promoted(Tier::L4, 3, 1), Some(Tier::L2));
        assert_eq!(promoted(Tier::L2, 30, 4), None);
        assert_eq!(promoted(Tier::L2, 30, 5), Some(Tier::L1));
        assert_eq!(promoted(Tier::L1, 99, 99), None);
        assert_eq!(demoted(Tier::L1, false, 89.9), None);
        assert_eq!(demoted(Tier::L1, false, 90.0), Some(Tier::L2));
        assert_eq!(demoted(Tier::L2, false, 60.0), Some(Tier::L4));
        assert_eq!(demoted(Tier::L1, true, 900.0), None);
        assert_eq!(demoted(Tier::L0, false, 900.0), None);
    }
}
