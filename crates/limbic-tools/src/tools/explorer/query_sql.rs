//! The tool query_sql.

use std::borrow::Cow;

use limbic_core::{Result, db::console::Cell};
use limbic_guard::escape;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};

use crate::{budget::Budget, context::Context, schema::NULLABLE, tool::tool, views::memory::shown};

/// The largest integer that JavaScript represents exactly: 2^53 - 1.
const EXACT: u64 = 9_007_199_254_740_991;

tool! {
    /// Run one read-only SQL statement. explore_schema lists the tables; full-text tables cannot be read. A query that
    /// takes too long is stopped.
    name: "query_sql",
    title: "Query with SQL",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"sql": "SELECT entity_type, count(*) AS n FROM entities GROUP BY entity_type ORDER BY n DESC"}"#,
    handler: query_sql,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One statement, without parameters.
    #[schemars(length(min = 1, max = 10_000))]
    pub sql: String,
    /// Maximum number of rows.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: usize,
    /// Answer budget in 4-character tokens.
    #[serde(default = "default_max_tokens")]
    #[schemars(range(min = 100, max = 2_500_000))]
    pub max_tokens: usize,
}

fn default_limit() -> usize {
    500
}

fn default_max_tokens() -> usize {
    250_000
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows with one value per column: null, number, text, or {bytes} for a blob. Integers beyond JavaScript's exact
    /// range are texts.
    pub rows: Vec<Vec<CellView>>,
    /// Whether there are more rows.
    pub truncated: bool,
    /// What truncated them: limit or max_tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<&'static str>,
}

/// A value.
#[derive(Debug)]
pub struct CellView(Cell);

/// A schema without a type would accept any value, which strict clients report.
impl JsonSchema for CellView {
    fn schema_name() -> Cow<'static, str> {
        "CellView".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string" },
                { "type": "number" },
                {
                    "type": "object",
                    "properties": { "bytes": { "type": "integer", "description": "Length of the blob." } },
                    "required": ["bytes"],
                },
                { "type": "null" },
            ],
            NULLABLE: true,
        })
    }
}

impl Serialize for CellView {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match &self.0 {
            Cell::Null => serializer.serialize_unit(),
            Cell::Integer(number) if number.unsigned_abs() > EXACT => serializer.collect_str(number),
            Cell::Integer(number) => serializer.serialize_i64(*number),
            Cell::Real(number) if number.is_finite() => serializer.serialize_f64(*number),
            Cell::Real(number) => {
                serializer.serialize_str(if *number > 0.0 { "Infinity" } else { "-Infinity" })
            }
            Cell::Text(text) => serializer.serialize_str(&escape(text)),
            Cell::Blob(bytes) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("bytes", bytes)?;
                map.end()
            }
        }
    }
}

fn query_sql(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut budget = Budget::new(input.max_tokens);
    let mut taken = 0;
    let mut truncated_by = None;
    let table = context.memory.database_mut().query(&input.sql, &mut |cells| {
        if taken == input.limit {
            truncated_by = Some("limit");
            return false;
        }
        let row: Vec<CellView> = cells.iter().cloned().map(CellView).collect();
        if !budget.take(&row) {
            truncated_by = Some("max_tokens");
            return false;
        }
        taken += 1;
        true
    })?;
    Ok(Output {
        columns: table.columns.into_iter().map(shown).collect(),
        rows: table.rows.into_iter().map(|row| row.into_iter().map(CellView).collect()).collect(),
        truncated: table.more,
        truncated_by,
    })
}
