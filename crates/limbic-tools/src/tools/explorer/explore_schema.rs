//! The tool explore_schema.

use limbic_core::{
    Result,
    explore::{
        schema::{self, Table},
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
    pub tables: Vec<Table>,
}

fn explore_schema(context: &mut Context<'_>, _: Input) -> Result<Output> {
    context
        .memory
        .read(|tx| Ok(Output { schema_version: stats::schema_version(tx)?, tables: schema::tables(tx)? }))
}
