//! Filters of memories.

use super::{
    field_at,
    index_selection::{self, Indexed, Start},
    validity::{self, Moment},
};
use crate::{
    Error, Result, Transaction,
    model::memory_words::{Category, Heat, MemoryType, Tier},
    store::{conditions::Conditions, domains, origins, timestamps},
};

/// A filter of memories. A field that is `None` admits all.
///
/// What is past its expiry, what does not hold at the moment asked for, and what lost against a memory that contradicts
/// it are left out unless asked for. `user_id` isolates users: only that user's memories are admitted.
#[derive(Debug, Clone, Default)]
pub struct Filter<'a> {
    /// Of this domain.
    pub domain: Option<&'a str>,
    /// On this subject, exactly.
    pub subject: Option<&'a str>,
    /// Of this category.
    pub category: Option<Category>,
    /// Of this type.
    pub memory_type: Option<MemoryType>,
    /// At this path or below it.
    pub path: Option<&'a str>,
    /// With all of these tags.
    pub tags: &'a [String],
    /// Of this user.
    pub user_id: Option<&'a str>,
    /// In this tier.
    pub tier: Option<Tier>,
    /// Of this heat.
    pub heat: Option<Heat>,
    /// What held at this moment, as it was known then, with the subject, category and tags of then; now, when not given.
    pub as_of: Option<&'a str>,
    /// What happened before this moment.
    pub before: Option<&'a str>,
    /// What happened at this moment or after it.
    pub after: Option<&'a str>,
    /// Stored with at least this confidence.
    pub min_confidence: Option<f64>,
    /// First written by this origin: its number, label, session or import.
    pub origin: Option<&'a str>,
    /// What hooks of this project hand out: without what waits for a person, unless it was written in the project. An empty
    /// name is no project.
    pub told_in: Option<&'a str>,
    /// Also what is past its expiry, and what no longer holds.
    pub include_expired: bool,
    /// Also what lost against a memory that contradicts it.
    pub include_contradicted: bool,
}

/// Columns whose earlier values are kept: a filter with `as_of` compares with those of then.
const EARLIER: [&str; 2] = ["subject", "category"];

/// What a column says that another program left empty.
const UNSAID: [(&str, &str); 2] = [("tier", "l4"), ("heat", "cold")];

/// That the memory `m` lost against `w`, which contradicts it or is contradicted by it over the edge `e`: the older one
/// loses when over a day lies between them, else the less trusted one, else the older one still. Another user's memory
/// hides none, nor does one that is not there or does not hold at the moment `:now`. What is pinned never loses: only its
/// owner's decision ends it.
pub(super) fn is_lost(moment: Moment) -> String {
    format!(
        "e.type = 'contradicts' AND w.id <> m.id AND w.user_id IS m.user_id AND NOT coalesce(m.pinned, 0) AND {} AND CASE
        WHEN abs(julianday(coalesce(w.event_time, w.timestamp)) - julianday(coalesce(m.event_time, m.timestamp))) > 1
        THEN julianday(coalesce(w.event_time, w.timestamp)) > julianday(coalesce(m.event_time, m.timestamp))
        WHEN coalesce(w.confidence, 1.0) <> coalesce(m.confidence, 1.0)
        THEN coalesce(w.confidence, 1.0) > coalesce(m.confidence, 1.0)
        ELSE (julianday(coalesce(w.event_time, w.timestamp)), w.id)
            > (julianday(coalesce(m.event_time, m.timestamp)), m.id) END",
        validity::holds("w", moment),
    )
}

/// That some memory won against the memory `m` at the moment `:now`; fast for a few memories.
#[must_use]
pub fn is_contradicted(moment: Moment) -> String {
    format!(
        "EXISTS (SELECT 1 FROM MEMORY_EDGES AS e
            JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
            WHERE (e.source = m.id OR e.target = m.id) AND {})",
        is_lost(moment)
    )
}

/// The ids of all memories that some memory won against at the moment `:now`; fast for many memories.
#[must_use]
pub fn contradicted_ids(moment: Moment) -> String {
    format!(
        "(SELECT m.id FROM MEMORY_EDGES AS e CROSS JOIN MEMORY_NODES AS m ON m.id IN (e.source, e.target)
            JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
            WHERE {})",
        is_lost(moment)
    )
}

impl<'a> Filter<'a> {
    /// The filter as conditions on the memory `m`, for testing a few memories.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] and [`Error::DomainNotFound`] for what cannot be meant.
    pub fn conditions(&self, tx: &Transaction<'_>) -> Result<Conditions> {
        let mut conditions = Conditions::default();
        self.add_to(tx, &mut conditions)?;
        Ok(conditions)
    }

    /// Adds the filter to conditions that are there.
    ///
    /// # Errors
    /// As [`Filter::conditions`].
    pub fn add_to(&self, tx: &Transaction<'_>, conditions: &mut Conditions) -> Result<()> {
        self.add_but_lost(tx, None, conditions)?;
        if !self.include_contradicted {
            let contradicted = conditions.at(&is_contradicted(self.kind()), &self.moment(tx)?);
            conditions.and_plain(&format!("NOT {contradicted}"));
        }
        Ok(())
    }

    /// The filter as conditions on the memory `m`, for who asks for all that it lets in; with them where these are
    /// looked for, if an index leads there.
    ///
    /// # Errors
    /// As [`Filter::conditions`].
    pub fn conditions_of_all(&self, tx: &Transaction<'_>) -> Result<(Conditions, Option<Start>)> {
        // Earlier values and tags stand in no index.
        let is_earlier = |column: &str| self.as_of.is_some() && EARLIER.contains(&column);
        let texts: Vec<(&'static str, &str)> = self
            .texts()
            .into_iter()
            .filter_map(|(column, text)| Some((column, text?)).filter(|_| !is_earlier(column)))
            .collect();
        let tags = if self.as_of.is_some() { &[][..] } else { self.tags };
        let start = index_selection::find(tx, &texts, tags)?;
        let mut conditions = Conditions::default();
        self.add_but_lost(tx, start.map(|start| start.by), &mut conditions)?;
        if !self.include_contradicted {
            let contradicted = conditions.at(&contradicted_ids(self.kind()), &self.moment(tx)?);
            conditions.and_plain(&format!("m.id NOT IN {contradicted}"));
        }
        Ok((conditions, start))
    }

    /// Columns that must hold a text.
    fn texts(&self) -> [(&'static str, Option<&'a str>); 7] {
        [
            ("domain", self.domain),
            ("subject", self.subject),
            ("category", self.category.map(Category::name)),
            ("memory_type", self.memory_type.map(MemoryType::name)),
            ("user_id", self.user_id),
            ("tier", self.tier.map(Tier::name)),
            ("heat", self.heat.map(Heat::name)),
        ]
    }

    fn add_but_lost(
        &self,
        tx: &Transaction<'_>,
        start: Option<Indexed>,
        conditions: &mut Conditions,
    ) -> Result<()> {
        if let Some(domain) = self.domain {
            domains::require(tx, domain)?;
        }
        let then = timestamps::read_optional(tx, "as_of", self.as_of)?.map(|moment| conditions.value(moment));
        for (column, text) in self.texts() {
            let Some(text) = text else { continue };
            if let Some(moment) = then.as_deref().filter(|_| EARLIER.contains(&column)) {
                let field = field_at(column, &format!("m.{column}"), moment);
                let wanted = conditions.value(text.to_owned());
                conditions.and_plain(&format!("{field} = {wanted}"));
                continue;
            }
            let missing = UNSAID.contains(&(column, text));
            // A plus sign keeps SQLite from the index, which would lead through more than are looked for.
            let plus = if start == Some(Indexed::Column(column)) { "" } else { "+" };
            let or_missing = if missing { format!(" OR m.{column} IS NULL") } else { String::new() };
            conditions.and(&format!("{plus}m.{column} = ?{or_missing}"), text.to_owned());
        }
        if let Some(path) = self.path.map(|path| path.trim_end_matches('/')).filter(|path| !path.is_empty()) {
            conditions.and(
                "coalesce(m.path, '/') = ? OR substr(coalesce(m.path, '/'), 1, length(?) + 1) = ? || '/'",
                path.to_owned(),
            );
        }
        for (place, tag) in self.tags.iter().enumerate() {
            if let Some(moment) = then.as_deref() {
                let now = "(SELECT json_group_array(t.tag) FROM MEMORY_TAGS AS t WHERE t.nodeId = m.id)";
                let tags = field_at("tags", now, moment);
                let wanted = conditions.value(tag.clone());
                conditions.and_plain(&format!(
                    "EXISTS (SELECT 1 FROM json_each({tags}) AS t WHERE t.value = {wanted})"
                ));
                continue;
            }
            let tagged = if start == Some(Indexed::Tag(place)) {
                "m.id IN (SELECT nodeId FROM MEMORY_TAGS WHERE tag = ?)"
            } else {
                "EXISTS (SELECT 1 FROM MEMORY_TAGS WHERE nodeId = m.id AND tag = ?)"
            };
            conditions.and(tagged, tag.clone());
        }
        if let Some(least) = self.min_confidence {
            conditions.and("coalesce(m.confidence, 1.0) >= ?", least);
        }
        if let Some(origin) = self.origin {
            let place = conditions.value(origin.to_owned());
            conditions.and_plain(&format!("m.origin IN {}", origins::named(&place)));
        }
        if let Some(project) = self.told_in {
            let place = conditions.value(domains::canonical(project).into_owned());
            conditions.and_plain(&origins::is_told("m", &place));
        }
        self.times(tx, conditions)
    }

    fn times(&self, tx: &Transaction<'_>, conditions: &mut Conditions) -> Result<()> {
        let after = timestamps::read_optional(tx, "after", self.after)?;
        let before = timestamps::read_optional(tx, "before", self.before)?;
        if let (Some(after), Some(before)) = (&after, &before)
            && before <= after
        {
            return Err(Error::invalid(format!(
                "before must be later than after; it got after {after} and before {before}"
            )));
        }
        let happened = timestamps::kept_form("coalesce(m.event_time, m.timestamp)");
        if let Some(after) = after {
            conditions.and(&format!("{happened} >= ?"), after);
        }
        if let Some(before) = before {
            conditions.and(&format!("{happened} < ?"), before);
        }
        if self.as_of.is_none() && self.include_expired {
            return Ok(());
        }
        let holds = conditions.at(&validity::holds("m", self.kind()), &self.moment(tx)?);
        conditions.and_plain(&holds);
        Ok(())
    }

    fn kind(&self) -> Moment {
        if self.as_of.is_some() { Moment::Named } else { Moment::Present }
    }

    /// The moment at which memories must hold.
    fn moment(&self, tx: &Transaction<'_>) -> Result<String> {
        Ok(match timestamps::read_optional(tx, "as_of", self.as_of)? {
            Some(moment) => moment,
            None => timestamps::clock(tx)?,
        })
    }
}
