//! Filters of memories.

use super::{
    field_at,
    index_selection::{self, Indexed, Start},
    stated,
    validity::{self, ValidAt},
};
use crate::{
    Error, Result, Transaction,
    model::memory_words::{Category, Heat, MemoryType, Tier},
    store::{conditions::Conditions, domains, origins, timestamps},
};

/// A filter of memories. A field that is `None` admits all values.
///
/// Expired memories, memories that are not valid at the time of the filter, and memories that lost a contradiction are
/// excluded unless a field includes them. `user_id` isolates users: only that user's memories are admitted.
///
/// Its use fails with [`Error::InvalidArgument`] for invalid values, and with [`Error::DomainNotFound`].
#[derive(Debug, Clone, Default)]
pub struct Filter<'a> {
    /// The domain.
    pub domain: Option<&'a str>,
    /// The exact subject.
    pub subject: Option<&'a str>,
    /// The category.
    pub category: Option<Category>,
    /// The type.
    pub memory_type: Option<MemoryType>,
    /// The path; memories below it are included.
    pub path: Option<&'a str>,
    /// Tags that a memory must all have.
    pub tags: &'a [String],
    /// The user.
    pub user_id: Option<&'a str>,
    /// The tier.
    pub tier: Option<Tier>,
    /// The heat.
    pub heat: Option<Heat>,
    /// Valid at this time, with the text, subject, category and tags that were recorded then; `None` for the current
    /// time.
    pub as_of: Option<&'a str>,
    /// That happened before this time.
    pub before: Option<&'a str>,
    /// That happened at this time or later.
    pub after: Option<&'a str>,
    /// Stored with at least this confidence.
    pub min_confidence: Option<f64>,
    /// First written by this origin: its number, label, session or import.
    pub origin: Option<&'a str>,
    /// Admitted by hooks of this project: memories that wait for review only if they were written in the project. An
    /// empty name is not a project.
    pub visible_in: Option<&'a str>,
    /// Whether to include expired memories, and those that are no longer valid.
    pub include_expired: bool,
    /// Whether to include memories that lost a contradiction.
    pub include_contradicted: bool,
}

/// Columns with a history: a filter with `as_of` compares with the values of that time.
const EARLIER: [&str; 2] = ["subject", "category"];

/// Default values of columns that another program left empty.
const UNSAID: [(&str, &str); 2] = [("tier", Tier::L4.name()), ("heat", Heat::Cold.name())];

/// Returns SQL for: the memory `m` lost against `w`, which contradicts it or is contradicted by it over the edge `e`:
/// `w` was stated later (`stated.rs`), whatever their confidence. `w` must exist, be valid at the time `:now`, and
/// belong to the same user. A pinned memory never loses: only its owner can end it. Nor does one against a memory that
/// waits because of an import, unless it waits for one itself.
pub(super) fn is_lost(moment: ValidAt) -> String {
    format!(
        "e.type = 'contradicts' AND w.id <> m.id AND w.user_id IS m.user_id AND NOT coalesce(m.pinned, 0) AND {}
        AND (NOT {} OR {}) AND {}",
        validity::holds("w", moment),
        origins::waits_for_import("w"),
        origins::waits_for_import("m"),
        stated::is_later("w", "m", moment),
    )
}

/// Returns SQL for: some memory won against the memory `m` at the time `:now`. Fast for few memories.
#[must_use]
pub(crate) fn is_contradicted(moment: ValidAt) -> String {
    format!(
        "EXISTS (SELECT 1 FROM MEMORY_EDGES AS e
            JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
            WHERE (e.source = m.id OR e.target = m.id) AND {})",
        is_lost(moment)
    )
}

/// Returns SQL for the ids of all memories that lost against another at the time `:now`. Fast for many memories.
#[must_use]
pub(crate) fn contradicted_ids(moment: ValidAt) -> String {
    format!(
        "(SELECT m.id FROM MEMORY_EDGES AS e CROSS JOIN MEMORY_NODES AS m ON m.id IN (e.source, e.target)
            JOIN MEMORY_NODES AS w ON w.id = CASE e.source WHEN m.id THEN e.target ELSE e.source END
            WHERE {})",
        is_lost(moment)
    )
}

/// Whether any memory contradicts another, at any time.
fn is_any_contradicted(tx: &Transaction<'_>) -> Result<bool> {
    let mut statement = tx.prepare_cached("SELECT 1 FROM MEMORY_EDGES WHERE type = 'contradicts' LIMIT 1")?;
    Ok(statement.exists([])?)
}

impl<'a> Filter<'a> {
    /// Returns the filter as conditions on the memory `m`, for testing a few memories.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for invalid values, [`Error::DomainNotFound`].
    pub(crate) fn conditions(&self, tx: &Transaction<'_>) -> Result<Conditions> {
        let mut conditions = Conditions::default();
        self.add_to(tx, &mut conditions)?;
        Ok(conditions)
    }

    /// Adds the filter to existing conditions.
    ///
    /// # Errors
    /// As [`Filter::conditions`].
    pub(crate) fn add_to(&self, tx: &Transaction<'_>, conditions: &mut Conditions) -> Result<()> {
        self.add_but_lost(tx, None, conditions)?;
        // Without contradictions, the condition would only take time for each memory that is tested.
        if !self.include_contradicted && is_any_contradicted(tx)? {
            let contradicted = conditions.at(&is_contradicted(self.kind()), &self.time(tx)?);
            conditions.and_plain(&format!("NOT {contradicted}"));
        }
        Ok(())
    }

    /// Returns the filter as conditions on the memory `m`, for listing all memories that it admits, by an index if one
    /// is faster than a full scan.
    ///
    /// # Errors
    /// As [`Filter::conditions`].
    pub(crate) fn conditions_of_all(&self, tx: &Transaction<'_>) -> Result<Conditions> {
        let start = self.start(tx, index_selection::MAX_INDEX_ROWS)?;
        let mut conditions = Conditions::default();
        self.add_but_lost(tx, start.map(|start| start.by), &mut conditions)?;
        if !self.include_contradicted && is_any_contradicted(tx)? {
            let contradicted = conditions.at(&contradicted_ids(self.kind()), &self.time(tx)?);
            conditions.and_plain(&format!("m.id NOT IN {contradicted}"));
        }
        Ok(conditions)
    }

    /// Returns the most selective condition with an index, if at most `max` memories meet it.
    pub(super) fn start(&self, tx: &Transaction<'_>, max: usize) -> Result<Option<Start>> {
        // Earlier values and tags are not indexed.
        let is_earlier = |column: &str| self.as_of.is_some() && EARLIER.contains(&column);
        let texts: Vec<(&'static str, &str)> = self
            .texts()
            .into_iter()
            .filter_map(|(column, text)| Some((column, text?)).filter(|_| !is_earlier(column)))
            .collect();
        let tags = if self.as_of.is_some() { &[][..] } else { self.tags };
        index_selection::find(tx, &texts, tags, max)
    }

    /// Returns the columns that must equal a text.
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
            // A plus sign keeps SQLite from using the index, which would visit more memories than there are candidates.
            let plus = if start == Some(Indexed::Column(column)) { "" } else { "+" };
            let or_missing = if missing { format!(" OR m.{column} IS NULL") } else { String::new() };
            conditions.and(&format!("{plus}m.{column} = ?{or_missing}"), text.to_owned());
        }
        if let Some(path) = self.path.map(|path| path.trim_matches('/')).filter(|path| !path.is_empty()) {
            // Other programs and imports store paths with and without slashes around them.
            conditions
                .and("substr(trim(coalesce(m.path, ''), '/') || '/', 1, length(?)) = ?", format!("{path}/"));
        }
        for (index, tag) in self.tags.iter().enumerate() {
            if let Some(moment) = then.as_deref() {
                let now = "(SELECT json_group_array(t.tag) FROM MEMORY_TAGS AS t WHERE t.nodeId = m.id)";
                let tags = field_at("tags", now, moment);
                let wanted = conditions.value(tag.clone());
                conditions.and_plain(&format!(
                    "EXISTS (SELECT 1 FROM json_each({tags}) AS t WHERE t.value = {wanted})"
                ));
                continue;
            }
            let tagged = if start == Some(Indexed::Tag(index)) {
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
        if let Some(project) = self.visible_in {
            let place = conditions.value(domains::canonical(project).into_owned());
            conditions.and_plain(&origins::is_visible("m", &place));
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
                "before must be later than after, but got after {after} and before {before}"
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
        let holds = conditions.at(&validity::holds("m", self.kind()), &self.time(tx)?);
        conditions.and_plain(&holds);
        Ok(())
    }

    fn kind(&self) -> ValidAt {
        if self.as_of.is_some() { ValidAt::Given } else { ValidAt::Now }
    }

    /// Returns the time at which memories must be valid.
    fn time(&self, tx: &Transaction<'_>) -> Result<String> {
        Ok(match timestamps::read_optional(tx, "as_of", self.as_of)? {
            Some(moment) => moment,
            None => tx.now_text().to_owned(),
        })
    }
}
