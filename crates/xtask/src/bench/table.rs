//! The result of a benchmark: a table for people, and numbers to compare with those of other runs.

use std::fmt;

use serde_json::Value;

/// The result of a benchmark.
pub struct Outcome {
    /// The table to print.
    pub table: Table,
    /// The numbers for `target/bench.json`.
    pub numbers: Value,
}

/// A table; every row has as many cells as the head.
pub struct Table {
    title: String,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(title: &str, head: &[&str]) -> Self {
        let head = head.iter().map(|cell| (*cell).to_owned()).collect();
        Self { title: title.to_owned(), rows: vec![head], notes: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a line below the table.
    pub fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        writeln!(formatter, "{}", self.title)?;
        for row in &self.rows {
            let cells = row.iter().zip(&widths).enumerate();
            let line: Vec<String> = cells
                .map(|(column, (cell, width))| match column {
                    0 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            writeln!(formatter, "  {}", line.join("  ").trim_end())?;
        }
        for note in &self.notes {
            writeln!(formatter, "  {note}")?;
        }
        Ok(())
    }
}

/// The median of some durations.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Formats milliseconds.
pub fn millis(value: f64) -> String {
    let digits = if value < 10.0 { 2 } else { 1 };
    format!("{value:.digits$} ms")
}

/// The ratio of `ours` to `theirs`; below one is better.
pub fn ratio(ours: f64, theirs: f64) -> String {
    format!("{:.2}x", ours / theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("T", &["what", "ms"]);
        table.row(vec!["a".to_owned(), "1234".to_owned()]);
        assert_eq!(table.to_string(), "T\n  what    ms\n  a     1234\n");
    }

    #[test]
    fn median_returns_the_middle_value() {
        assert!((median(vec![9.0, 1.0, 5.0]) - 5.0).abs() < f64::EPSILON);
    }
}
