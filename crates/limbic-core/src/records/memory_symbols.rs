//! Links of memories to symbols of the code index, as records. The index itself is computed again.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, check_text, memory};
use crate::{Result, Transaction};

/// A link from a memory to a symbol, as in [`CodeLink`](crate::store::memories::code_links::CodeLink).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySymbol {
    /// Id of the memory.
    pub memory: String,
    /// Id of the project.
    pub project: String,
    /// Path of the file in the project, when the memory was linked.
    pub path: String,
    /// Qualified name of the symbol, when the memory was linked.
    pub symbol: String,
    /// Shape hash of the symbol at that time: 64 bits as 16 hexadecimal digits, which every reader of JSON keeps.
    #[serde(with = "hexadecimal")]
    pub shape: i64,
    /// Whether no other symbol of the project had this shape when the memory was linked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// Whether a caller named the symbol; otherwise its name was found in the memory's text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// Path of the file that the symbol moved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_path: Option<String>,
    /// Qualified name that the symbol moved to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_symbol: Option<String>,
}

impl Record for MemorySymbol {
    const KIND: &'static str = "memory_symbol";

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("memory_symbols", &["memory_id", "project_id", "moved_path", "moved_name"]) {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(
            "SELECT l.memory_id, l.project_id, l.file_path, l.qualified_name, l.shape_hash, l.is_unique, l.given,
                 l.moved_path, l.moved_name
             FROM memory_symbols AS l JOIN MEMORY_NODES AS m ON m.id = l.memory_id
             ORDER BY m.rowid, l.project_id, l.file_path, l.qualified_name",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(Self {
                memory: row.get(0)?,
                project: row.get(1)?,
                path: row.get(2)?,
                symbol: row.get(3)?,
                shape: row.get(4)?,
                unique: row.get(5)?,
                given: row.get(6)?,
                moved_path: row.get(7)?,
                moved_symbol: row.get(8)?,
            })?;
        }
        Ok(())
    }

    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let paths = [Some(&self.path), self.moved_path.as_ref()].into_iter().flatten();
        let names = [Some(&self.symbol), self.moved_symbol.as_ref()].into_iter().flatten();
        let wrong = check_name("a project", &self.project)
            .or_else(|| paths.into_iter().find_map(|path| check_text("a path", path)))
            .or_else(|| names.into_iter().find_map(|name| check_text("the name of a symbol", name)))
            .or_else(|| {
                let texts = [
                    Some(&self.path),
                    self.moved_path.as_ref(),
                    Some(&self.symbol),
                    self.moved_symbol.as_ref(),
                ];
                texts.into_iter().flatten().chain([&self.project]).find_map(|text| memory::check_secret(text))
            });
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        if merger.is_of_another_user(&self.memory) || !memory::exists(tx, &self.memory)? {
            return Ok(memory::missing(&self.memory));
        }
        let changed = tx
            .prepare_cached(
                "INSERT INTO memory_symbols (memory_id, project_id, file_path, qualified_name, shape_hash, is_unique,
                     given, moved_path, moved_name)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT DO UPDATE SET given = 1 WHERE excluded.given AND NOT given",
            )?
            .execute(params![
                self.memory,
                self.project,
                self.path,
                self.symbol,
                self.shape,
                self.unique,
                self.given,
                self.moved_path,
                self.moved_symbol
            ])?;
        Ok(if changed > 0 { Outcome::Added } else { Outcome::Known })
    }
}

/// A number of 64 bits as hexadecimal digits.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{number:016x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let number = u64::from_str_radix(&digits, 16)
            .map_err(|_| D::Error::custom(format!("shape is 16 hexadecimal digits, not {digits:?}")))?;
        Ok(number.cast_signed())
    }
}
