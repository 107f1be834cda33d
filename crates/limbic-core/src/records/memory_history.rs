//! Earlier states of memories, as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, check_text, memory, record_times, weight};
use crate::{
    Result, Transaction,
    model::{memory_words::Category, words::Word},
    store::{
        memories::{self, Earlier, tags_in},
        timestamps,
    },
};

/// An earlier state of a memory. Those of one memory are consecutive, in the order in which they were replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryHistory {
    /// Id of the memory.
    pub memory: String,
    /// The text.
    pub content: String,
    /// Confidence when it was replaced.
    #[serde(default = "memory::one", with = "weight")]
    pub confidence: f64,
    /// When it was replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_at: Option<String>,
    /// Category at that time, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Word<Category>>,
    /// Subject at that time, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Tags at that time, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

impl Record for MemoryHistory {
    const KIND: &'static str = "memory_history";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("memory_history", &["seq", "memory_id", "content", "replaced_at"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT h.memory_id, h.content, coalesce({}, 1.0), {}, {}, {}, {} FROM memory_history AS h
             JOIN MEMORY_NODES AS m ON m.id = h.memory_id WHERE ?1 IS NULL OR {} = ?1 ORDER BY m.rowid, h.replaced_at, h.seq",
            tables.real("memory_history", "h", "confidence"),
            record_times::memory_sql("h.replaced_at"),
            tables.text("memory_history", "h", "category"),
            tables.text("memory_history", "h", "subject"),
            tables.text("memory_history", "h", "tags"),
            tables.text("MEMORY_NODES", "m", "user_id"),
        ))?;
        let mut rows = statement.query([tables.user()])?;
        while let Some(row) = rows.next()? {
            take(Self {
                memory: row.get(0)?,
                content: row.get(1)?,
                confidence: row.get(2)?,
                replaced_at: row.get(3)?,
                category: row.get(4)?,
                subject: row.get(5)?,
                tags: row
                    .get::<_, Option<String>>(6)?
                    .map(|json| tags_in(tables.connection(), &json))
                    .transpose()?,
            })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = memory::check_content(&self.content)
            .or_else(|| memory::check_confidence(self.confidence))
            .or_else(|| self.wrong_fields());
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        if merger.is_of_another_user(&self.memory) || !memory::exists(tx, &self.memory)? {
            return Ok(memory::missing(&self.memory));
        }
        let (replaced_at, is_ahead) = record_times::recorded(tx, self.replaced_at.as_deref())?;
        let replaced_at = replaced_at.filter(|_| !is_ahead);
        let moment = replaced_at.as_deref();
        let storable = |text: &String| merger.storable(text).into_owned();
        let earlier = Earlier {
            content: storable(&self.content),
            confidence: self.confidence,
            replaced_at: match &replaced_at {
                Some(moment) => moment.clone(),
                None => timestamps::now(tx)?,
            },
            category: self.category.clone(),
            subject: self.subject.as_ref().map(storable),
            tags: self.tags.as_ref().map(|tags| tags.iter().map(storable).collect()),
        };
        let is_known = ("(?3 IS NULL OR replaced_at = ?3)", moment);
        if memories::insert_history(tx, &self.memory, &earlier, is_known)?.is_none() {
            return Ok(Outcome::Known);
        }
        if let Some(row) = merger.provisional(&self.memory) {
            // The file knows better until when the memory had this text.
            tx.prepare_cached(
                "DELETE FROM memory_history
                 WHERE seq = ?1 AND memory_id = ?2 AND content = ?3 AND replaced_at > ?4",
            )?
            .execute(params![row, self.memory, earlier.content, moment])?;
        }
        Ok(Outcome::Added)
    }
}

impl MemoryHistory {
    /// Returns the reason why its category, subject or tags cannot be stored, if there is one.
    fn wrong_fields(&self) -> Option<String> {
        let tags = self.tags.iter().flatten();
        self.category
            .as_ref()
            .and_then(|category| memory::other_word("a category", category))
            .or_else(|| self.subject.as_deref().and_then(|subject| check_text("a subject", subject)))
            .or_else(|| tags.clone().find_map(|tag| check_name("a tag", tag)))
            .or_else(|| self.subject.iter().chain(tags).find_map(|text| memory::check_secret(text)))
    }
}
