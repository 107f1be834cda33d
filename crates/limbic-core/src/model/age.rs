//! The fields of a memory from which its confidence and prior are computed.

use super::{decay, usage};

/// The prior of a memory: its weight independent of the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Effective confidence; see [`decay::effective_confidence`].
    pub confidence: f64,
    /// The square root of its importance.
    pub importance: f64,
    /// Freshness, 0.1 to 1; 1 if pinned.
    pub freshness: f64,
}

impl Prior {
    /// Returns the product of the three.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.confidence * self.importance * self.freshness
    }

    /// Returns the factor of a relevance: the product to the power of 0.1. Without the exponent, important memories and
    /// those that earlier queries found would rank above those that answer the query; see `RANKING.md`.
    #[must_use]
    pub(crate) fn boost(&self) -> f64 {
        libm::pow(self.factor(), usage::EXPONENT)
    }
}

/// The fields that decay depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Age {
    /// As stored.
    pub confidence: f64,
    /// The half-life of confidence, in days.
    pub half_life_days: f64,
    /// Whether it is exempt from decay.
    pub pinned: bool,
    /// Access count.
    pub access_count: u32,
    /// 0 to 10.
    pub importance: f64,
    /// When it was last found, or stored.
    pub used_millis: Option<i64>,
    /// The time for which its confidence is stored.
    pub confident_millis: Option<i64>,
}

impl Age {
    /// Returns the effective confidence at a time; see [`decay::effective_confidence`].
    #[must_use]
    pub fn effective_confidence(&self, now_millis: i64) -> f64 {
        let days = decay::days_between(self.confident_millis.unwrap_or(now_millis), now_millis);
        decay::effective_confidence(
            self.confidence,
            self.half_life_days,
            self.pinned,
            days,
            self.access_count,
        )
    }

    /// Returns the prior at a time.
    #[must_use]
    pub fn prior(&self, now_millis: i64) -> Prior {
        let idle_millis = (now_millis - self.used_millis.unwrap_or(now_millis)).max(0);
        let freshness = if self.pinned { 1.0 } else { usage::freshness(idle_millis / 1000, 0) };
        Prior {
            confidence: self.effective_confidence(now_millis),
            importance: libm::sqrt(self.importance.max(0.0)),
            freshness,
        }
    }
}
