//! What a benchmark gives: a table for people, and numbers to compare with those of other runs.

use serde_json::Value;

use super::table::Table;

/// The result of a benchmark.
pub struct Outcome {
    /// The table to print.
    pub table: Table,
    /// The numbers for `target/bench.json`.
    pub numbers: Value,
}
