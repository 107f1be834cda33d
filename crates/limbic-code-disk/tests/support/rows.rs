//! The tables of the code index as text, to compare an updated index with a fresh one.

use anyhow::Result;
use limbic_core::rusqlite::{Connection, types::ValueRef};

/// Every row of the index in a database, without row numbers and times, in an order of its own.
///
/// # Errors
/// Those of SQLite.
pub fn rows(connection: &Connection) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    connection.execute_batch(WORDS)?;
    for (table, sql) in ROWS {
        let mut statement = connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let mut text = table.to_owned();
            for column in 0..columns {
                text.push('|');
                text.push_str(&shown(row.get_ref(column)?));
            }
            rows.push(text);
        }
    }
    rows.sort();
    Ok(rows)
}

/// The words by which chunks are found, one row for each place of a word in a row of the full-text index.
const WORDS: &str =
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab(main, chunk_words, instance)";

/// The rows of the index that do not depend on the order of its changes. Rows without a chunk are shown with `-`.
const ROWS: [(&str, &str); 12] = [
    ("project", "SELECT project_id, path, include, exclude, status, is_scanned, error_message FROM code_projects"),
    ("file", "SELECT path, folder, name, size, hash, language, error, is_pending, is_unresolved, outline FROM code_files"),
    ("skipped", "SELECT path, why FROM code_skipped"),
    (
        "chunk",
        "SELECT file_path, project_id, content, language, start_line, end_line, chunk_type, name, scope, symbol, header,
             content_hash FROM code_chunks",
    ),
    (
        "symbol",
        "SELECT f.path, s.place, s.name, s.qualified_name, s.kind, o.qualified_name, s.start_line, s.end_line, s.line,
             s.signature, s.doc, s.shape_hash, s.is_local
         FROM code_symbols AS s LEFT JOIN code_files AS f ON f.id = s.file LEFT JOIN code_symbols AS o ON o.id = s.parent",
    ),
    (
        "words",
        "SELECT c.file_path, c.start_line, c.header,
             group_concat(w.col || '.' || w.offset || '.' || w.term, ' ' ORDER BY w.col, w.offset, w.term)
         FROM word_places AS w LEFT JOIN code_chunks AS c ON c.id = w.doc GROUP BY w.doc",
    ),
    (
        "queued",
        "SELECT c.file_path, c.start_line, c.header FROM embedding_queue AS q LEFT JOIN code_chunks AS c ON c.id = q.id
         WHERE q.kind = 4",
    ),
    (
        "import",
        "SELECT f.path, i.place, i.line, i.module, i.name, i.local
         FROM code_imports AS i LEFT JOIN code_files AS f ON f.id = i.file",
    ),
    ("name", "SELECT n.name, f.path FROM code_names AS n LEFT JOIN code_files AS f ON f.id = n.file"),
    (
        "reference",
        "SELECT f.path, r.list FROM code_references AS r LEFT JOIN code_files AS f ON f.id = r.file",
    ),
    (
        "edge",
        "SELECT f.path, e.reference, e.line, a.qualified_name, g.path, b.qualified_name, e.relation, e.tier
         FROM code_edges AS e LEFT JOIN code_files AS f ON f.id = e.file LEFT JOIN code_symbols AS a ON a.id = e.from_symbol
         LEFT JOIN code_symbols AS b ON b.id = e.to_symbol LEFT JOIN code_files AS g ON g.id = b.file",
    ),
    ("lookup", "SELECT f.path, l.key FROM code_lookups AS l LEFT JOIN code_files AS f ON f.id = l.file"),
];

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "-".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}
