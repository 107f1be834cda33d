//! The origin of a memory as part of its record.

use serde::{Deserialize, Serialize};

use super::checks::check_secret;
use crate::{
    records::{Tables, check_name},
    store::origins::Kind,
};

/// The origin that first wrote a memory, according to its database. It is shown, but never trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenBy {
    /// Kind: client, hook, import, explorer, library or cli.
    pub kind: String,
    /// The client's name, as reported by the client.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// The session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The project of the session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// The name of the imported file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The id of the import.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub import_id: String,
}

/// The number of columns of [`columns`].
pub(crate) const COLUMNS: usize = 6;

/// SQL for the parts of the origin of the memory `m`, NULL where this database lacks them.
pub(crate) fn columns(tables: &Tables<'_>, table: &str) -> [String; COLUMNS] {
    let parts = ["kind", "client", "session", "project", "file", "import_id"];
    let has =
        tables.has(table, &["origin"]) && tables.has("origins", &["id"]) && tables.has("origins", &parts);
    parts.map(|part| {
        if has {
            format!("(SELECT CAST(o.{part} AS TEXT) FROM origins AS o WHERE o.id = m.origin)")
        } else {
            "NULL".to_owned()
        }
    })
}

/// Reads these columns, starting at an index.
pub(crate) fn load(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Option<WrittenBy>> {
    let text =
        |index| Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(first + index)?.unwrap_or_default());
    let Some(kind) = row.get::<_, Option<String>>(first)? else { return Ok(None) };
    Ok(Some(WrittenBy {
        kind,
        client: text(1)?,
        session: text(2)?,
        project: text(3)?,
        file: text(4)?,
        import_id: text(5)?,
    }))
}

impl WrittenBy {
    /// Returns the reason why it cannot be stored, if there is one.
    pub fn wrong(&self) -> Option<String> {
        if Kind::of_name(&self.kind).is_none() {
            return Some(format!(
                "written_by.kind must be one of client, hook, import, explorer, library, cli, but got {:?}",
                self.kind
            ));
        }
        [&self.client, &self.session, &self.project, &self.file, &self.import_id]
            .into_iter()
            .find_map(|text| check_name("a part of written_by", text).or_else(|| check_secret(text)))
    }
}
