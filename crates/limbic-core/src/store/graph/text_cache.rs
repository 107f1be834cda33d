//! The texts of all entities in memory, folded, for search by substring.

mod text_blocks;

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::OptionalExtension;

use self::text_blocks::TextBlocks;
use crate::{
    Result, Transaction,
    db::{ChangedRows, RowChanges},
    model::text,
};

/// Separates the texts of an entity. A query cannot contain it, because the validation of arguments rejects NUL.
const SEPARATOR: char = '\0';

/// How case is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// Lower case of the composed form.
    Composed,
    /// Lower case alone, as the reference server does.
    LowerCase,
}

impl Folding {
    fn fold(self, text: &str) -> String {
        match self {
            Self::Composed => text::fold(text),
            Self::LowerCase => text.to_lowercase(),
        }
    }
}

/// The texts of all entities: name, type and current observations. After changes by this connection, only the texts of
/// the changed entities are read again; after changes by another one, all are.
pub struct TextCache {
    changes: RowChanges,
    /// `PRAGMA data_version` when the texts were read, which changes with the commits of others. `None` before the
    /// first use.
    read: Option<(i64, Folding)>,
    /// The folded texts of each entity, by row number.
    texts: TextBlocks,
    /// The entity of each current observation, by row number: a row that was deleted or moved no longer names it.
    entities: BTreeMap<i64, i64>,
}

impl TextCache {
    /// Creates an empty copy of the texts in the database whose changes these are.
    #[must_use]
    pub fn new(changes: RowChanges) -> Self {
        Self { changes, read: None, texts: TextBlocks::default(), entities: BTreeMap::new() }
    }

    /// Clears all texts.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.read = None;
        self.texts.clear();
        self.entities.clear();
    }

    /// Returns the number of entities whose texts are known.
    #[must_use]
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// Returns the row numbers of the entities of which one text contains `query`, ignoring case, in order. `tx` must
    /// be a read transaction: the texts of a write that is rolled back later would stay.
    pub fn containing(&mut self, tx: &Transaction<'_>, folding: Folding, query: &str) -> Result<Vec<i64>> {
        self.refresh(tx, folding)?;
        Ok(self.texts.containing(&folding.fold(query)))
    }

    fn refresh(&mut self, tx: &Transaction<'_>, folding: Folding) -> Result<()> {
        let version = tx.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        // After an error all texts are read again.
        let known = self.read.take() == Some((version, folding));
        match self.changes.take().filter(|_| known) {
            Some(rows) => self.read_changed(tx, folding, &rows)?,
            None => self.read_all(tx, folding)?,
        }
        self.read = Some((version, folding));
        Ok(())
    }

    fn read_changed(&mut self, tx: &Transaction<'_>, folding: Folding, rows: &ChangedRows) -> Result<()> {
        let mut changed: BTreeSet<i64> = rows.entities.clone();
        let mut entity_of =
            tx.prepare_cached("SELECT entity_id FROM observations WHERE id = ?1 AND superseded_at IS NULL")?;
        for id in &rows.observations {
            changed.extend(self.entities.remove(id));
            if let Some(entity) = entity_of.query_row([id], |row| row.get(0)).optional()? {
                self.entities.insert(*id, entity);
                changed.insert(entity);
            }
        }
        let mut names = tx.prepare_cached("SELECT name, entity_type FROM entities WHERE id = ?1")?;
        let mut contents = tx.prepare_cached(
            "SELECT content FROM observations WHERE entity_id = ?1 AND superseded_at IS NULL",
        )?;
        for id in changed {
            let mut rows = names.query([id])?;
            let Some(row) = rows.next()? else {
                self.texts.remove(id);
                continue;
            };
            let mut texts = beginning(folding, str_at(row, 0)?, str_at(row, 1)?);
            let mut rows = contents.query([id])?;
            while let Some(row) = rows.next()? {
                append(&mut texts, folding, str_at(row, 0)?);
            }
            self.texts.insert(id, &texts);
        }
        Ok(())
    }

    fn read_all(&mut self, tx: &Transaction<'_>, folding: Folding) -> Result<()> {
        // Frees the old texts before the new ones take memory.
        self.texts.clear();
        self.entities.clear();
        let mut texts: Vec<(i64, String)> = Vec::new();
        let mut statement = tx.prepare_cached("SELECT id, name, entity_type FROM entities ORDER BY id")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            texts.push((row.get(0)?, beginning(folding, str_at(row, 1)?, str_at(row, 2)?)));
        }
        let mut entities = Vec::new();
        let mut statement = tx.prepare_cached(
            "SELECT entity_id, content, id FROM observations WHERE superseded_at IS NULL ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let entity: i64 = row.get(0)?;
            if let Ok(index) = texts.binary_search_by_key(&entity, |(id, _)| *id) {
                append(&mut texts[index].1, folding, str_at(row, 1)?);
                entities.push((row.get(2)?, entity));
            }
        }
        // Each text is freed once it was copied.
        texts.into_iter().for_each(|(id, text)| self.texts.insert(id, &text));
        self.entities = entities.into_iter().collect();
        Ok(())
    }
}

fn beginning(folding: Folding, name: &str, entity_type: &str) -> String {
    let mut texts = folding.fold(name);
    append(&mut texts, folding, entity_type);
    texts
}

fn append(texts: &mut String, folding: Folding, text: &str) {
    texts.push(SEPARATOR);
    texts.push_str(&folding.fold(text));
}

fn str_at<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Result<&'a str> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}
