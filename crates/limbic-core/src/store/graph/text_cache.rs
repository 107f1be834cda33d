//! The texts of all entities in memory, folded, for search by substring.

use crate::{Result, Transaction, model::text};

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

/// The state of the database that was read: the changes committed by others, and those made by this connection.
type Stamp = (i64, u64);

/// The texts of all entities: name, type and current observations. They are read again when the database has changed.
#[derive(Default)]
pub struct TextCache {
    /// `None` before the first use.
    read: Option<(Stamp, Folding)>,
    /// The row number of each entity, in order, and its folded texts.
    entities: Vec<(i64, String)>,
}

impl TextCache {
    /// Clears all texts.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the row numbers of the entities of which one text contains `query`, ignoring case, in order.
    pub fn containing(&mut self, tx: &Transaction<'_>, folding: Folding, query: &str) -> Result<Vec<i64>> {
        self.refresh(tx, folding)?;
        let query = folding.fold(query);
        Ok(self.entities.iter().filter(|(_, texts)| texts.contains(&query)).map(|(id, _)| *id).collect())
    }

    fn refresh(&mut self, tx: &Transaction<'_>, folding: Folding) -> Result<()> {
        let stamp = (tx.query_row("PRAGMA data_version", [], |row| row.get(0))?, tx.total_changes());
        if self.read == Some((stamp, folding)) {
            return Ok(());
        }
        self.clear();
        let mut entities: Vec<(i64, String)> = tx
            .prepare_cached("SELECT id, name, entity_type FROM entities ORDER BY id")?
            .query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))?
            .map(|row| {
                row.map(|(id, name, entity_type)| {
                    (id, format!("{}{SEPARATOR}{}", folding.fold(&name), folding.fold(&entity_type)))
                })
            })
            .collect::<rusqlite::Result<_>>()?;
        let mut statement = tx.prepare_cached(
            "SELECT entity_id, content FROM observations WHERE superseded_at IS NULL ORDER BY entity_id",
        )?;
        let mut rows = statement.query([])?;
        let mut place = 0;
        while let Some(row) = rows.next()? {
            let entity_id: i64 = row.get(0)?;
            while entities.get(place).is_some_and(|(id, _)| *id < entity_id) {
                place += 1;
            }
            let Some((_, texts)) = entities.get_mut(place).filter(|(id, _)| *id == entity_id) else {
                continue;
            };
            texts.push(SEPARATOR);
            texts.push_str(&folding.fold(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?));
        }
        self.entities = entities;
        self.read = Some((stamp, folding));
        Ok(())
    }
}
