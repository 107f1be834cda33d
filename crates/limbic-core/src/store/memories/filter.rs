//! Which memories a caller means.

use crate::{
    Error, Result, Unit,
    store::{conditions::Conditions, domains, time},
};

/// Which memories a caller means. Everything that is `None` lets all in.
///
/// What is past its expiry, what does not hold at the moment asked for, and what lost against a memory that contradicts
/// it are left out unless asked for. `user_id` is a wall: whoever names one sees that user's memories and no others.
#[derive(Debug, Clone, Default)]
pub struct Filter<'a> {
    /// Of this domain.
    pub domain: Option<&'a str>,
    /// On this subject, exactly.
    pub subject: Option<&'a str>,
    /// Of this category.
    pub category: Option<&'a str>,
    /// Of this type.
    pub memory_type: Option<&'a str>,
    /// At this path or below it.
    pub path: Option<&'a str>,
    /// With all of these tags.
    pub tags: &'a [String],
    /// Of this user.
    pub user_id: Option<&'a str>,
    /// In this tier.
    pub tier: Option<&'a str>,
    /// Of this heat.
    pub heat: Option<&'a str>,
    /// What held at this moment, as it was known then; now, when not given.
    pub as_of: Option<&'a str>,
    /// What happened before this moment.
    pub before: Option<&'a str>,
    /// What happened at this moment or after it.
    pub after: Option<&'a str>,
    /// Stored with at least this confidence.
    pub min_confidence: Option<f64>,
    /// Also what is past its expiry, and what no longer holds.
    pub include_expired: bool,
    /// Also what lost against a memory that contradicts it.
    pub include_contradicted: bool,
}

/// That the memory `m` lost against `w`, which contradicts it or is contradicted by it over the edge `e`: the older one
/// loses when over a day lies between them, else the less trusted one, else the older one still. Another user's memory
/// hides none.
pub(super) const IS_LOST: &str = "e.type = 'contradicts' AND w.id <> m.id AND w.user_id IS m.user_id AND w.valid_until IS NULL AND CASE
    WHEN abs(julianday(coalesce(w.event_time, w.timestamp)) - julianday(coalesce(m.event_time, m.timestamp))) > 1
    THEN coalesce(w.event_time, w.timestamp) > coalesce(m.event_time, m.timestamp)
    WHEN coalesce(w.confidence, 1.0) <> coalesce(m.confidence, 1.0)
    THEN coalesce(w.confidence, 1.0) > coalesce(m.confidence, 1.0)
    ELSE (coalesce(w.event_time, w.timestamp), w.id) > (coalesce(m.event_time, m.timestamp), m.id) END";

impl Filter<'_> {
    /// The filter as conditions on the memory `m` and its number `n`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] and [`Error::DomainNotFound`] for what cannot be meant.
    pub fn conditions(&self, unit: &Unit<'_>) -> Result<Conditions> {
        let mut conditions = Conditions::default();
        self.add_to(unit, &mut conditions)?;
        Ok(conditions)
    }

    /// Adds the filter to conditions that are there.
    ///
    /// # Errors
    /// As [`Filter::conditions`].
    pub fn add_to(&self, unit: &Unit<'_>, conditions: &mut Conditions) -> Result<()> {
        if let Some(domain) = self.domain {
            domains::require(unit, domain)?;
        }
        let texts = [
            ("m.domain", self.domain),
            ("m.subject", self.subject),
            ("m.category", self.category),
            ("m.memory_type", self.memory_type),
            ("m.user_id", self.user_id),
            ("coalesce(m.tier, 'l4')", self.tier),
            ("coalesce(m.heat, 'cold')", self.heat),
        ];
        for (column, text) in texts {
            if let Some(text) = text {
                conditions.and(&format!("{column} = ?"), text.to_owned());
            }
        }
        if let Some(path) = self.path.map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty()) {
            conditions.and(
                "coalesce(m.path, '/') = ? OR substr(coalesce(m.path, '/'), 1, length(?) + 1) = ? || '/'",
                path.to_owned(),
            );
        }
        for tag in self.tags {
            conditions.and("EXISTS (SELECT 1 FROM MEMORY_TAGS WHERE nodeId = m.id AND tag = ?)", tag.clone());
        }
        if let Some(least) = self.min_confidence {
            conditions.and("coalesce(m.confidence, 1.0) >= ?", least);
        }
        self.times(unit, conditions)?;
        if !self.include_contradicted {
            conditions.and_plain(&format!(
                "NOT EXISTS (SELECT 1 FROM MEMORY_EDGES AS e
                    JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
                    WHERE (e.source = m.id OR e.target = m.id) AND {IS_LOST})"
            ));
        }
        Ok(())
    }

    fn times(&self, unit: &Unit<'_>, conditions: &mut Conditions) -> Result<()> {
        let after = time::read_optional(unit, "after", self.after)?;
        let before = time::read_optional(unit, "before", self.before)?;
        if let (Some(after), Some(before)) = (&after, &before)
            && before <= after
        {
            return Err(Error::invalid(format!(
                "before must be later than after; it got after {after} and before {before}"
            )));
        }
        if let Some(after) = after {
            conditions.and("coalesce(m.event_time, m.timestamp) >= ?", after);
        }
        if let Some(before) = before {
            conditions.and("coalesce(m.event_time, m.timestamp) < ?", before);
        }
        let moment = time::read_optional(unit, "as_of", self.as_of)?;
        if let Some(moment) = moment {
            conditions.and("m.timestamp <= ?", moment.clone());
            conditions.and(
                "coalesce(m.valid_from, m.timestamp) <= ? AND (m.valid_until IS NULL OR m.valid_until > ?)",
                moment.clone(),
            );
            conditions.and("m.expires_at IS NULL OR m.expires_at > ?", moment);
        } else if !self.include_expired {
            let now = time::now(unit)?;
            conditions.and(
                "(m.valid_until IS NULL OR m.valid_until > ?) AND (m.valid_from IS NULL OR m.valid_from <= ?)
                 AND (m.expires_at IS NULL OR m.expires_at > ?)",
                now,
            );
        }
        Ok(())
    }
}
