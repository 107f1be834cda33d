//! The tables and views of the database, for people who write SQL.

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Result, Transaction};

/// A table or a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Table {
    /// Name.
    pub name: String,
    /// "table", "view" or "virtual".
    pub kind: String,
    /// Count of rows; absent for views.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Columns, in order.
    pub columns: Vec<Column>,
    /// Indexes, by name.
    pub indexes: Vec<Index>,
    /// SQL statement that created it.
    pub sql: String,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Declared type; absent if none.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Whether it is NOT NULL.
    pub not_null: bool,
    /// Whether it is part of the primary key.
    pub primary_key: bool,
    /// Default value, as SQL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Index {
    /// Name.
    pub name: String,
    /// Whether its values are unique.
    pub unique: bool,
    /// Columns, in order.
    pub columns: Vec<String>,
}

/// Returns all tables and views, by name, without the shadow tables of virtual tables.
pub fn tables(tx: &Transaction<'_>) -> Result<Vec<Table>> {
    let mut statement = tx.prepare_cached(
        "SELECT l.name, l.type, s.sql FROM pragma_table_list AS l
         JOIN sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view')
         WHERE l.schema = 'main' AND l.type <> 'shadow' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY l.name",
    )?;
    let found: Vec<(String, String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut tables = Vec::with_capacity(found.len());
    for (name, kind, sql) in found {
        tables.push(Table {
            rows: if kind == "view" { None } else { Some(count(tx, &name)?) },
            columns: columns(tx, &name)?,
            indexes: indexes(tx, &name)?,
            name,
            kind,
            sql,
        });
    }
    Ok(tables)
}

fn count(tx: &Transaction<'_>, table: &str) -> Result<u64> {
    let quoted = table.replace('"', "\"\"");
    Ok(tx.query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| row.get(0))?)
}

fn columns(tx: &Transaction<'_>, table: &str) -> Result<Vec<Column>> {
    let mut statement = tx.prepare_cached(
        "SELECT name, type, \"notnull\", pk, dflt_value FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid",
    )?;
    let rows = statement.query_map([table], |row| {
        Ok(Column {
            name: row.get(0)?,
            type_name: row.get(1)?,
            not_null: row.get(2)?,
            primary_key: row.get::<_, i64>(3)? > 0,
            default: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn indexes(tx: &Transaction<'_>, table: &str) -> Result<Vec<Index>> {
    let mut statement =
        tx.prepare_cached("SELECT name, \"unique\" FROM pragma_index_list(?1) ORDER BY name")?;
    let found: Vec<(String, bool)> = statement
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut statement =
        tx.prepare_cached("SELECT coalesce(name, '') FROM pragma_index_info(?1) ORDER BY seqno")?;
    let mut indexes = Vec::with_capacity(found.len());
    for (name, unique) in found {
        let columns =
            statement.query_map(params![name], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        indexes.push(Index { name, unique, columns });
    }
    Ok(indexes)
}
