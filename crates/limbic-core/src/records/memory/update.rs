//! Merging a memory with the stored one of the same id.

use std::cmp::Ordering;

use rusqlite::{OptionalExtension, params};

use super::{record::Memory, rows::Ahead};
use crate::{
    Result, Transaction,
    model::{
        decay,
        memory_words::{Heat, Tier},
        text::content_hash,
        words::Word,
    },
    records::{Merger, Outcome, Record, record_times},
    store::{
        logs::audit::Action,
        memories::{self, Earlier, MemoryNode, mentions},
        origins::{self, Origin},
        timestamps,
    },
};

/// The existing row.
pub(crate) struct StoredRow {
    content: String,
    domain: String,
    user_id: Option<String>,
    stated_at: Option<String>,
    created_at: String,
    changed_at: String,
    last_accessed: Option<String>,
    tier: Word<Tier>,
    heat: Word<Heat>,
    /// When it ends, what supersedes it, and when it expires.
    end: [Option<String>; 3],
    /// Whether an import or a session brought it whose memories wait, and no person has confirmed it since. A change by
    /// an import makes a confirmed memory wait, but not new.
    is_new: bool,
}

impl StoredRow {
    /// Returns the row of this id, if it exists.
    pub(crate) fn find(tx: &Transaction<'_>, id: &str) -> Result<Option<Self>> {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT content, domain, timestamp, coalesce(updated_at, timestamp), last_accessed,
                 coalesce(tier, 'l4'), valid_until, superseded_by, expires_at, nullif(user_id, ''), stated_at,
                 coalesce(heat, 'cold'), {}
                 AND EXISTS (SELECT 1 FROM origins AS o WHERE o.id = m.origin
                    AND (o.id = m.unconfirmed_origin OR o.import_id <> ''))
                 AND NOT EXISTS (SELECT 1 FROM audit_log AS a WHERE a.memory_id = m.id AND a.action = ?2)
             FROM MEMORY_NODES AS m WHERE id = ?1",
            origins::unconfirmed("m")
        ))?;
        let found = statement.query_row([id, Action::Accept.name()], |row| {
            Ok(Self {
                content: row.get(0)?,
                domain: row.get(1)?,
                created_at: row.get(2)?,
                changed_at: row.get(3)?,
                last_accessed: row.get(4)?,
                tier: row.get(5)?,
                end: [row.get(6)?, row.get(7)?, row.get(8)?],
                user_id: row.get(9)?,
                stated_at: row.get(10)?,
                heat: row.get(11)?,
                is_new: row.get(12)?,
            })
        });
        Ok(found.optional()?)
    }
}

/// Why a text that a person edited in an export is not stored.
const CHANGED_SINCE: &str =
    "it has changed here since the export, and the newer state is kept: export it again, and edit that";

/// What a person has edited in a record of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edits {
    /// Whether the text or the subject was edited.
    pub text: bool,
    /// Whether another field was; `None` if the export does not show it.
    pub fields: Option<bool>,
}

impl Memory {
    /// As [`Record::merge`], for a memory of an export that a person may have edited. What was edited is the later
    /// state, unless the memory has changed here since it was exported, other than by an import of the same file that
    /// still waits for review. Where the export does not show it, a field other than the text and the subject was
    /// edited if it differs from that of a memory that has not changed since.
    ///
    /// # Errors
    /// As [`Record::merge`].
    pub fn merge_edited(&self, tx: &Transaction<'_>, merger: &mut Merger, edits: Edits) -> Result<Outcome> {
        let Some(known) = memories::find(tx, &self.id)? else { return self.merge(tx, merger) };
        if edits.fields != Some(false)
            && let Some(reason) = self.unreadable_date(tx, &known)?
        {
            return Ok(Outcome::Refused(reason));
        }
        let exported = record_times::of_memory(tx, self.changed_at().map(String::as_str))?;
        let changed_at = known.updated_at.as_ref().unwrap_or(&known.timestamp);
        let has_other_text = known.content != self.content || known.subject != self.subject;
        let has_edited_fields = match edits.fields {
            Some(is_edited) => is_edited && self.has_other_fields(tx, &known)?,
            None => exported.as_ref() == Some(changed_at) && self.differing_field(&known).is_some(),
        };
        let differs = (edits.text && has_other_text) || has_edited_fields;
        if !differs {
            return match self.kept_field(tx, &known)?.filter(|_| edits.fields == Some(true)) {
                Some(field) => Ok(Outcome::Refused(format!(
                    "its {field} was edited, which alone an import does not change: the one here is kept"
                ))),
                None => self.merge(tx, merger),
            };
        }
        let is_as_exported = exported.as_ref().is_some_and(|moment| moment >= changed_at);
        if !is_as_exported && !self.is_as_imported_by(tx, merger.import(), exported.as_deref())? {
            return Ok(Outcome::Refused(CHANGED_SINCE.to_owned()));
        }
        let now = Some(timestamps::now(tx)?);
        // A memory that is filed elsewhere is not stated again.
        let stated_at = if known.content == self.content { self.stated_at.clone() } else { now.clone() };
        Self { updated_at: now, stated_at, ..self.clone() }.merge(tx, merger)
    }

    /// Whether only imports have changed the existing memory since a time, the last of them of the same file as this.
    fn is_as_imported_by(
        &self,
        tx: &Transaction<'_>,
        import: Option<&Origin>,
        since: Option<&str>,
    ) -> Result<bool> {
        let (Some(import), Some(since)) = (import, since) else { return Ok(false) };
        Ok(tx
            .prepare_cached(
                "SELECT 1 FROM MEMORY_NODES AS m JOIN origins AS o ON o.id = m.unconfirmed_origin
                 WHERE m.id = ?1 AND o.kind = ?2 AND o.file = ?3 AND NOT EXISTS (
                    SELECT 1 FROM audit_log AS a WHERE a.memory_id = m.id AND a.action = ?4 AND a.at > ?5)",
            )?
            .exists(params![self.id, import.kind.name(), import.file, Action::Update.name(), since])?)
    }

    /// Returns when its state began.
    fn changed_at(&self) -> Option<&String> {
        self.updated_at.as_ref().or(self.created_at.as_ref())
    }

    /// Compares the age of its state with that of the existing row. One without a time counts as earlier. One whose
    /// time was ahead of the clock is later only with a text that the memory has never had: otherwise each import of
    /// a file would undo what has changed since.
    fn compared_with(&self, tx: &Transaction<'_>, known: &StoredRow, is_ahead: bool) -> Result<Ordering> {
        Ok(match self.changed_at() {
            None => Ordering::Less,
            Some(_) if is_ahead && self.content == known.content => Ordering::Equal,
            Some(_) if is_ahead && memories::had_content(tx, &self.id, &self.content)? => Ordering::Less,
            Some(moment) => moment.cmp(&known.changed_at),
        })
    }

    /// Whether [`Memory::update`] would end the memory, which is then no longer shown.
    fn would_end(&self, known: &StoredRow, age: Ordering) -> bool {
        let end = [&self.valid_until, &self.superseded_by, &self.expires_at];
        let mut both = end.into_iter().zip(&known.end);
        match age {
            Ordering::Greater => both.any(|(new, known)| new.is_some() && new != known),
            // Of a state that is as late, only an end is taken over.
            Ordering::Equal => both.take(2).any(|(new, known)| new.is_some() && known.is_none()),
            Ordering::Less => false,
        }
    }

    /// Whether the existing row is another user's.
    fn is_of_another_user(&self, known: &StoredRow) -> bool {
        let owner = self.user_id.as_deref().filter(|owner| !owner.is_empty());
        owner.is_some() && known.user_id.is_some() && owner != known.user_id.as_deref()
    }

    /// Updates the row of a memory to this state, where it is the later one; its owner stays. A memory that an import
    /// has changed waits for review, and an import ends only a memory that is new. The history keeps the other state.
    pub(super) fn update(
        &self,
        tx: &Transaction<'_>,
        known: &StoredRow,
        domain: &str,
        ahead: Ahead,
        merger: &mut Merger,
    ) -> Result<Outcome> {
        let import = merger.import().cloned();
        let is_import = import.is_some();
        let age = self.compared_with(tx, known, ahead.changed)?;
        if self.is_of_another_user(known) {
            merger.mark_of_another_user(&self.id);
            return Ok(Outcome::Refused("a memory of another user has this id: give it another one".into()));
        }
        if import.is_some() && !known.is_new && self.would_end(known, age) {
            return Ok(Outcome::Refused(
                "an import cannot end a memory that is confirmed: end it here first".into(),
            ));
        }
        let is_used = !ahead.used && self.last_accessed > known.last_accessed;
        // Hooks select by the tier, and what is hot.
        let is_moved = self.tier != known.tier || (self.heat == Heat::Hot && known.heat != Heat::Hot);
        let is_rewritten = age == Ordering::Greater || (is_used && is_moved);
        let is_restated = self.is_stated_later(known, age, ahead.stated);
        // An end is the change of another file. A later statement may hide a memory that contradicts this one, and one
        // ahead of the clock what is stated next.
        let hides = is_restated
            && (self.stated_at > Some(timestamps::now(tx)?) || memories::is_in_contradiction(tx, &self.id)?);
        let waits = is_rewritten || hides || self.would_end(known, age);
        let import = import.filter(|_| waits);
        let state = match &import {
            Some(import) => {
                let state = memories::snapshot(tx, &self.id)?;
                memories::mark_unconfirmed(tx, &self.id, import)?;
                Some(state)
            }
            None => None,
        };
        let mut changed = usize::from(is_used);
        if is_used && age != Ordering::Greater {
            self.with_confidence_of(tx)?.write_use(tx)?;
        }
        match age {
            Ordering::Greater => {
                changed += 1;
                if let Some(row) = self.keep_replaced(tx)? {
                    merger.keep_provisionally(&self.id, row);
                }
                self.replace(tx, known, domain, is_import)?;
                if is_used {
                    self.write_use(tx)?;
                }
            }
            Ordering::Equal => changed += self.take_over_end(tx)?,
            Ordering::Less if ahead.changed => {}
            Ordering::Less => changed += self.keep_as_earlier(tx, known)?,
        }
        if let Some(stated) = self.stated_at.as_deref().filter(|_| is_restated) {
            memories::take_over_statement(tx, &self.id, stated)?;
            changed += 1;
        }
        if !is_used {
            changed += tx
                .prepare_cached("UPDATE MEMORY_NODES SET access_count = ?2 WHERE id = ?1 AND ?2 > coalesce(access_count, 0)")?
                .execute(params![self.id, self.access_count])?;
        }
        if let (Some(import), Some(state)) = (&import, &state) {
            memories::keep_former_state(tx, &self.id, state, import, import)?;
        }
        Ok(match self.unstored(tx, known, age, ahead.changed)? {
            Some(reason) if changed == 0 => Outcome::Refused(reason),
            Some(reason) => Outcome::ChangedExcept(reason),
            None if changed > 0 => Outcome::Changed,
            None => Outcome::Known,
        })
    }

    /// Returns why its text is stored nowhere, neither as the present one nor in the history, or else why another field
    /// that a person states is not; `None` if they are.
    fn unstored(
        &self,
        tx: &Transaction<'_>,
        known: &StoredRow,
        age: Ordering,
        is_ahead: bool,
    ) -> Result<Option<String>> {
        let kept = match age {
            Ordering::Equal => "neither is later: the one here is kept",
            Ordering::Less if self.changed_at().is_none() => "it states no time: the one here is kept",
            _ => return Ok(None),
        };
        let what = if content_hash(&self.content) == content_hash(&known.content) {
            // A state whose time was ahead of the clock is as late as each later one.
            match self.differing_field(&memories::get(tx, &self.id)?).filter(|_| !is_ahead) {
                Some(field) => field,
                None => return Ok(None),
            }
        } else if memories::had_content(tx, &self.id, &self.content)? {
            return Ok(None);
        } else {
            "text"
        };
        Ok(Some(format!("its {what} differs from that of the memory with this id, and {kept}")))
    }

    /// Returns the name of a field that a person states, other than the text and the subject, if it differs from that
    /// of the existing memory.
    fn differing_field(&self, known: &MemoryNode) -> Option<&'static str> {
        let fields = [
            ("list of tags", known.tags != self.sorted_tags()),
            ("category", known.category != self.category),
            ("summary", known.summary != self.summary),
            ("path", known.path != self.path),
            ("source", known.source != self.source),
        ];
        fields.into_iter().find_map(|(name, differs)| differs.then_some(name))
    }

    /// Whether a field that a person may edit in an export, other than the text and the subject, differs from that of
    /// the existing memory.
    fn has_other_fields(&self, tx: &Transaction<'_>, known: &MemoryNode) -> Result<bool> {
        let time = |text: &Option<String>| record_times::of_memory(tx, text.as_deref());
        Ok(self.differing_field(known).is_some()
            || known.pinned != self.pinned
            || known.memory_type != self.memory_type
            || known.metadata != self.metadata
            || known.importance.total_cmp(&self.importance).is_ne()
            || time(&self.expires_at)? != known.expires_at
            || time(&self.valid_until)? != known.valid_until
            || time(&self.event_time)?.is_some_and(|moment| moment != known.event_time)
            || time(&self.valid_from)?.is_some_and(|moment| moment != known.valid_from))
    }

    /// Returns why an edited date cannot be stored, if it cannot be read: it would count as none, and delete the stored
    /// one.
    fn unreadable_date(&self, tx: &Transaction<'_>, known: &MemoryNode) -> Result<Option<String>> {
        for (name, edited, stored) in [
            ("expires_at", &self.expires_at, known.expires_at.as_ref()),
            ("valid_until", &self.valid_until, known.valid_until.as_ref()),
            ("event_time", &self.event_time, Some(&known.event_time)),
            ("valid_from", &self.valid_from, Some(&known.valid_from)),
        ] {
            let Some(text) = edited.as_ref().filter(|text| Some(*text) != stored) else { continue };
            if record_times::of_memory(tx, Some(text))?.is_none() {
                let shown: String = text.chars().take(40).collect();
                return Ok(Some(format!(
                    "its {name} {shown:?} cannot be read, and nothing of it is stored: write a date such as \
                     2026-01-31 or 2026-01-31T10:00:00Z"
                )));
            }
        }
        Ok(None)
    }

    /// Returns the name of a field of an export that an edit alone does not change here, if it differs.
    fn kept_field(&self, tx: &Transaction<'_>, known: &MemoryNode) -> Result<Option<&'static str>> {
        let differs = |text: &Option<String>, stored: &String| -> Result<bool> {
            let (time, is_ahead) = record_times::recorded(tx, text.as_deref())?;
            Ok(text.is_some() && !is_ahead && time.as_ref() != Some(stored))
        };
        Ok(if differs(&self.created_at, &known.timestamp)? {
            Some("created_at")
        } else if differs(&self.ingestion_time, &known.ingestion_time)? {
            Some("ingestion_time")
        } else {
            (self.invalidation_reason != known.invalidation_reason).then_some("invalidation_reason")
        })
    }

    /// Whether this state, which is not the later one, has the text of the existing one and was stated later. Not if
    /// that time was ahead of the clock: otherwise each import of the file would state it again.
    fn is_stated_later(&self, known: &StoredRow, age: Ordering, is_ahead: bool) -> bool {
        let last = known.stated_at.as_ref().unwrap_or(&known.created_at);
        age != Ordering::Greater
            && !is_ahead
            && self.content == known.content
            && self.stated_at.as_ref().is_some_and(|stated| stated > last)
    }

    /// Keeps the existing state in the history before this one replaces it. Returns the number of the new row, if the
    /// history keeps what differs.
    fn keep_replaced(&self, tx: &Transaction<'_>) -> Result<Option<i64>> {
        let Some(moment) = self.changed_at() else { return Ok(None) };
        let before = memories::get(tx, &self.id)?;
        let is_kept = before.content != self.content
            || before.category != self.category
            || before.subject != self.subject
            || before.tags != self.sorted_tags();
        if !is_kept {
            return Ok(None);
        }
        let earlier = Earlier {
            content: before.content,
            confidence: before.confidence,
            replaced_at: moment.clone(),
            category: Some(before.category),
            subject: Some(before.subject),
            tags: Some(before.tags),
        };
        memories::insert_history(tx, &self.id, &earlier, ("replaced_at = ?3", Some(moment.as_str())))
    }

    /// Keeps this state, which is earlier than the existing one, in the history if it has another text: until the next
    /// state that the history knows. Returns the number of new rows.
    fn keep_as_earlier(&self, tx: &Transaction<'_>, known: &StoredRow) -> Result<usize> {
        let Some(moment) = self.changed_at().filter(|_| self.content != known.content) else { return Ok(0) };
        let next: Option<String> = tx
            .prepare_cached(
                "SELECT min(replaced_at) FROM memory_history WHERE memory_id = ?1 AND replaced_at > ?2",
            )?
            .query_row([&self.id, moment], |row| row.get(0))?;
        let earlier = Earlier {
            content: self.content.clone(),
            confidence: self.confidence,
            replaced_at: next.unwrap_or_else(|| known.changed_at.clone()),
            category: Some(self.category.clone()),
            subject: Some(self.subject.clone()),
            tags: Some(self.sorted_tags()),
        };
        let row =
            memories::insert_history(tx, &self.id, &earlier, ("replaced_at > ?3", Some(moment.as_str())))?;
        Ok(usize::from(row.is_some()))
    }

    fn sorted_tags(&self) -> Vec<String> {
        let mut tags = self.tags.clone();
        tags.sort();
        tags
    }

    /// Replaces the existing row, except its owner. An import does not take back that the same text was stated later;
    /// the explorer does, when it restores a deleted memory that it has stored again.
    fn replace(&self, tx: &Transaction<'_>, known: &StoredRow, domain: &str, is_import: bool) -> Result<()> {
        // If only the time of storing determines which state is later, it must be stored as well.
        let created_at = self.created_at.as_ref().unwrap_or(&known.created_at);
        tx.prepare_cached(
            "UPDATE MEMORY_NODES SET domain = ?2, content = ?3, timestamp = ?4, path = ?5, content_summary = ?6
             WHERE id = ?1",
        )?
        .execute(params![self.id, domain, self.content, created_at, self.path, self.summary])?;
        let mut state = Self { user_id: known.user_id.clone(), ..self.clone() };
        if is_import && self.content == known.content {
            state.stated_at = state.stated_at.max(known.stated_at.clone());
        }
        state.write_state(tx)?;
        if self.content != known.content {
            mentions::find_in_text(tx, &self.id, &self.content)?;
        }
        if domain != known.domain {
            memories::relink(tx, Some(&self.id))?;
        }
        Ok(())
    }

    /// Takes over the end of a state that is as late: a link `supersedes` ends a memory without changing it.
    fn take_over_end(&self, tx: &Transaction<'_>) -> Result<usize> {
        Ok(tx
            .prepare_cached(
                "UPDATE MEMORY_NODES SET valid_until = coalesce(valid_until, ?2),
                    invalidation_reason = coalesce(invalidation_reason, ?3),
                    superseded_by = coalesce(superseded_by, ?4)
                 WHERE id = ?1 AND (valid_until IS NULL AND ?2 IS NOT NULL
                    OR invalidation_reason IS NULL AND ?3 IS NOT NULL OR superseded_by IS NULL AND ?4 IS NOT NULL)",
            )?
            .execute(params![self.id, self.valid_until, self.invalidation_reason, self.superseded_by])?)
    }

    /// Returns it with at least the confidence that the existing memory has at the time of this one's: use raises
    /// confidence, and only a later state lowers it.
    fn with_confidence_of(&self, tx: &Transaction<'_>) -> Result<Self> {
        let moment = self.last_accessed.as_deref().max(self.confidence_at.as_deref());
        let Some(millis) = moment.map(|text| timestamps::to_millis(tx, text.into())).transpose()?.flatten()
        else {
            return Ok(self.clone());
        };
        let kept = decay::raised(memories::get(tx, &self.id)?.effective_confidence(millis), 0.0);
        Ok(Self { confidence: self.confidence.max(kept), ..self.clone() })
    }
}
