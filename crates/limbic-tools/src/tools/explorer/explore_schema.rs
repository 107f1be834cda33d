//! The tool explore_schema.

use limbic_core::{
    Result,
    explore::{
        schema::{self, Column, Index, Table},
        stats,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// List the tables and views of the database, with columns, indexes and row counts, for query_sql.
    name: "explore_schema",
    title: "Explore the schema",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{}"#,
    handler: explore_schema,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Version of the schema.
    pub schema_version: u64,
    /// Tables and views, by name.
    pub tables: Vec<TableView>,
}

/// A table or a view.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TableView {
    /// Name.
    pub name: String,
    /// "table", "view" or "virtual".
    pub kind: String,
    /// Count of rows; absent for views.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Columns, in order.
    pub columns: Vec<ColumnView>,
    /// Indexes, by name.
    pub indexes: Vec<IndexView>,
    /// SQL statement that created it.
    pub sql: String,
}

/// A column.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ColumnView {
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct IndexView {
    /// Name.
    pub name: String,
    /// Whether its values are unique.
    pub unique: bool,
    /// Columns, in order.
    pub columns: Vec<String>,
}

fn explore_schema(context: &mut Context<'_>, _: Input) -> Result<Output> {
    context.memory.read(|tx| {
        Ok(Output {
            schema_version: stats::schema_version(tx)?,
            tables: schema::tables(tx)?.into_iter().map(TableView::from).collect(),
        })
    })
}

impl From<Table> for TableView {
    fn from(table: Table) -> Self {
        Self {
            name: table.name,
            kind: table.kind,
            rows: table.rows,
            columns: table.columns.into_iter().map(ColumnView::from).collect(),
            indexes: table.indexes.into_iter().map(IndexView::from).collect(),
            sql: table.sql,
        }
    }
}

impl From<Column> for ColumnView {
    fn from(column: Column) -> Self {
        Self {
            name: column.name,
            type_name: column.type_name,
            not_null: column.not_null,
            primary_key: column.primary_key,
            default: column.default,
        }
    }
}

impl From<Index> for IndexView {
    fn from(index: Index) -> Self {
        Self { name: index.name, unique: index.unique, columns: index.columns }
    }
}
