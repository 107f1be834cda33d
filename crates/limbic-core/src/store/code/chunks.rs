//! Rows of `code_chunks` and their full-text index.

use std::collections::{BTreeMap, HashMap, VecDeque};

use limbic_code::FileFacts;
use limbic_protocol::TextKind;
use rusqlite::{OptionalExtension, Row, params};

use super::files::CodeFile;
use crate::{
    Result, Transaction,
    model::tokenizer,
    store::vectors::{embedding_queue, embeddings},
};

/// A chunk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CodeChunk {
    /// Row number.
    pub number: i64,
    /// Row number of the project.
    pub project: i64,
    /// Id of the project.
    pub project_id: String,
    /// Path of the file below the project's folder.
    pub file_path: String,
    /// Text.
    pub content: String,
    /// Language.
    pub language: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Type: `function`, `class` and so on.
    pub chunk_type: String,
    /// Name of the function, class or heading.
    pub name: Option<String>,
    /// Qualified name of the enclosing scope.
    pub scope: String,
    /// Qualified name of its symbol.
    pub symbol: Option<String>,
    /// The text for its vector.
    pub header: String,
}

const COLUMNS: &str = "c.id, f.project, c.project_id, c.file_path, c.content, c.language, c.start_line, c.end_line, \
     c.chunk_type, c.name, c.scope, c.symbol, c.header";

fn chunk(row: &Row<'_>) -> rusqlite::Result<CodeChunk> {
    Ok(CodeChunk {
        number: row.get(0)?,
        project: row.get(1)?,
        project_id: row.get(2)?,
        file_path: row.get(3)?,
        content: row.get(4)?,
        language: row.get(5)?,
        start_line: row.get(6)?,
        end_line: row.get(7)?,
        chunk_type: row.get(8)?,
        name: row.get(9)?,
        scope: row.get(10)?,
        symbol: row.get(11)?,
        header: row.get(12)?,
    })
}

/// Which chunks a search considers.
#[derive(Debug, Clone, Default)]
pub struct ChunkFilter {
    /// Row number of the project; all if `None`.
    pub project: Option<i64>,
    /// Start of the file's path.
    pub path_prefix: Option<String>,
    /// Language.
    pub language: Option<String>,
    /// Type of the chunk.
    pub chunk_type: Option<String>,
}

impl ChunkFilter {
    /// Whether it admits every chunk.
    pub(crate) fn admits_all(&self) -> bool {
        self.project.is_none()
            && self.path_prefix.is_none()
            && self.language.is_none()
            && self.chunk_type.is_none()
    }
}

/// SQL condition that a chunk `c` of a file `f` matches the filter, whose values are ?1 to ?4.
pub(super) const FITS: &str =
    "(?1 IS NULL OR f.project = ?1) AND (?2 IS NULL OR substr(c.file_path, 1, length(?2)) = ?2)
    AND (?3 IS NULL OR c.language = ?3) AND (?4 IS NULL OR c.chunk_type = ?4)";

/// The chunk of a row number.
pub(crate) fn get(tx: &Transaction<'_>, number: i64) -> Result<Option<CodeChunk>> {
    Ok(tx
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM code_chunks AS c JOIN code_files AS f ON f.id = c.file WHERE c.id = ?1"
        ))?
        .query_row([number], chunk)
        .optional()?)
}

/// The text for a chunk's vector: its header.
pub(crate) fn header(tx: &Transaction<'_>, number: i64) -> Result<Option<String>> {
    Ok(tx
        .prepare_cached("SELECT header FROM code_chunks WHERE id = ?1")?
        .query_row([number], |row| row.get(0))
        .optional()?)
}

/// The lines of a file, by number.
pub(crate) fn lines(tx: &Transaction<'_>, file: i64) -> Result<BTreeMap<u32, String>> {
    let mut statement = tx.prepare_cached(
        "SELECT start_line, content FROM code_chunks WHERE file = ?1 ORDER BY start_line, id",
    )?;
    let mut lines = BTreeMap::new();
    for row in statement.query_map([file], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))? {
        let (start, content) = row?;
        lines.extend((start..).zip(content.lines().map(str::to_owned)));
    }
    Ok(lines)
}

/// The `limit` chunks of symbols of this name, whatever its case, by path and line.
pub(crate) fn of_symbols(
    tx: &Transaction<'_>,
    name: &str,
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<i64>> {
    // The index of names begins with the project.
    let mut statement = tx.prepare_cached(&format!(
        "SELECT c.id FROM code_projects AS p
         CROSS JOIN code_symbols AS s ON s.project = p.number AND s.name = ?5 COLLATE NOCASE
         CROSS JOIN code_files AS f ON f.id = s.file
         CROSS JOIN code_chunks AS c ON c.file = s.file AND s.start_line BETWEEN c.start_line AND c.end_line
         WHERE NOT s.is_local AND {FITS}
         ORDER BY c.file_path, c.start_line, c.id LIMIT ?6"
    ))?;
    let rows = statement.query_map(
        params![filter.project, filter.path_prefix, filter.language, filter.chunk_type, name, limit],
        |row| row.get(0),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The numbers of all chunks that fit a filter, sorted.
pub(crate) fn admitted(tx: &Transaction<'_>, filter: &ChunkFilter) -> Result<Vec<i64>> {
    // Files first, by an index that has all that is asked of them: most filters admit few.
    let mut statement = tx.prepare_cached(&format!(
        "SELECT c.id FROM code_files AS f CROSS JOIN code_chunks AS c ON c.file = f.id
         WHERE (?1 IS NULL OR f.project = ?1) AND (?2 IS NULL OR substr(f.path, 1, length(?2)) = ?2) AND {FITS}"
    ))?;
    let rows = statement.query_map(
        params![filter.project, filter.path_prefix, filter.language, filter.chunk_type],
        |row| row.get(0),
    )?;
    let mut numbers: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

/// The words of chunks that are yet to be deleted and stored: until then, searches find chunks by their former words.
///
/// They are changed after everything else of several files, in the order of the chunks' numbers: before a statement
/// that may change several rows, and before a number below the last one, FTS5 writes its pending words to the disk, and
/// would have many times as many segments to merge.
#[derive(Default)]
#[must_use = "chunks would be found by their former words"]
pub struct WordChanges {
    deleted: Vec<i64>,
    stored: Vec<ChunkWords>,
}

struct ChunkWords {
    number: i64,
    name: String,
    scope: String,
    path: String,
    body: String,
}

impl WordChanges {
    /// Deletes and stores the words.
    pub fn apply(mut self, tx: &Transaction<'_>) -> Result<()> {
        self.deleted.sort_unstable();
        self.stored.sort_unstable_by_key(|words| words.number);
        let mut delete = tx.prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?;
        for number in self.deleted {
            delete.execute([number])?;
        }
        let mut insert = tx.prepare_cached(
            "INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for ChunkWords { number, name, scope, path, body } in self.stored {
            insert.execute(params![number, name, scope, path, body])?;
        }
        Ok(())
    }
}

/// Replaces the chunks of a file, except for their words, whose changes are added to `words`. A chunk whose header was
/// there before keeps its number and vector.
pub(crate) fn replace(
    tx: &Transaction<'_>,
    project_id: &str,
    file: &CodeFile,
    facts: &FileFacts,
    text: &str,
    words: &mut WordChanges,
) -> Result<()> {
    let mut old = numbers_by_header(tx, file.id)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut update = tx.prepare_cached(
        "UPDATE code_chunks SET content = ?3, language = ?4, start_line = ?5, end_line = ?6, chunk_type = ?7, name = ?8,
             scope = ?9, symbol = ?10, content_hash = ?11, indexed_at = ?12, project_id = ?2 WHERE id = ?1",
    )?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO code_chunks (file, project_id, content, language, start_line, end_line, chunk_type, name, scope,
             symbol, content_hash, indexed_at, file_path, header)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?;
    let language = facts.language.as_str();
    for found in &facts.chunks {
        let first = usize::try_from(found.start_line).unwrap_or(1).saturating_sub(1);
        let last = usize::try_from(found.end_line).unwrap_or(0).min(lines.len());
        let content = lines.get(first..last).unwrap_or_default().join("\n");
        let symbol = found.symbol.and_then(|index| facts.outline.symbols.get(index as usize));
        let symbol = symbol.map(|symbol| symbol.qualified_name.as_str());
        let kept = old.get_mut(&found.header).and_then(VecDeque::pop_front);
        let number = match kept {
            Some(number) => {
                words.deleted.push(number);
                update.execute(params![
                    number,
                    project_id,
                    content,
                    language,
                    found.start_line,
                    found.end_line,
                    found.chunk_type.as_str(),
                    found.name,
                    found.scope,
                    symbol,
                    found.content_hash,
                    tx.now_millis()
                ])?;
                number
            }
            None => {
                insert.execute(params![
                    file.id,
                    project_id,
                    content,
                    language,
                    found.start_line,
                    found.end_line,
                    found.chunk_type.as_str(),
                    found.name,
                    found.scope,
                    symbol,
                    found.content_hash,
                    tx.now_millis(),
                    file.path,
                    found.header
                ])?;
                let number = tx.last_insert_rowid();
                embedding_queue::mark(tx, TextKind::Chunk, number)?;
                number
            }
        };
        words.stored.push(ChunkWords {
            number,
            name: tokenizer::with_parts(found.name.as_deref().unwrap_or_default()),
            scope: tokenizer::with_parts(&found.scope),
            path: tokenizer::with_parts(&file.path),
            body: tokenizer::with_parts(&content),
        });
    }
    old.into_values().flatten().try_for_each(|number| delete(tx, number, words))
}

/// Deletes the chunks of a file, except for their words, which are added to `words`. Returns how many chunks it had.
pub(crate) fn delete_of(tx: &Transaction<'_>, file: i64, words: &mut WordChanges) -> Result<usize> {
    let numbers: Vec<i64> = numbers_by_header(tx, file)?.into_values().flatten().collect();
    numbers.iter().try_for_each(|number| delete(tx, *number, words))?;
    Ok(numbers.len())
}

fn delete(tx: &Transaction<'_>, number: i64, words: &mut WordChanges) -> Result<()> {
    words.deleted.push(number);
    embeddings::forget(tx, TextKind::Chunk, number)?;
    tx.prepare_cached("DELETE FROM code_chunks WHERE id = ?1")?.execute([number])?;
    Ok(())
}

/// The numbers of a file's chunks by their headers, those of one header in the order of the text.
fn numbers_by_header(tx: &Transaction<'_>, file: i64) -> Result<HashMap<String, VecDeque<i64>>> {
    let mut statement =
        tx.prepare_cached("SELECT header, id FROM code_chunks WHERE file = ?1 ORDER BY start_line, id")?;
    let mut found: HashMap<String, VecDeque<i64>> = HashMap::new();
    for row in statement.query_map([file], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))? {
        let (header, number) = row?;
        found.entry(header).or_default().push_back(number);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use limbic_code::{Chunk, ChunkType};

    use super::*;
    use crate::{
        store::code::files::{self, FileStat},
        test_database,
    };

    const FILES: u32 = 40;
    const CHUNKS: u32 = 10;

    fn facts(file: u32, version: u32) -> FileFacts {
        let chunk = |place| Chunk {
            start_line: 1,
            end_line: 1,
            chunk_type: ChunkType::Other,
            name: None,
            scope: String::new(),
            symbol: None,
            signature: None,
            doc: None,
            header: format!("part {place} of file {file}, version {version}"),
            content_hash: String::new(),
        };
        FileFacts { chunks: (0..CHUNKS).map(chunk).collect(), ..FileFacts::default() }
    }

    /// Replaces the chunks of all files. Returns how many rows were written, those of FTS5 included.
    fn store(tx: &Transaction<'_>, version: u32) -> Result<i64> {
        let written = || tx.query_row("SELECT total_changes()", [], |row| row.get::<_, i64>(0));
        let before = written()?;
        let mut words = WordChanges::default();
        for number in 0..FILES {
            let path = format!("file{number}.txt");
            files::expect(tx, 1, &path, FileStat { size: 1, mtime: 1 })?;
            let file = files::at(tx, 1, &path)?.expect("it is expected");
            let text: String =
                (0..40).map(|word| format!("word{} ", (number * 7919 + word * 31) % 997)).collect();
            replace(tx, "p", &file, &facts(number, version), &text, &mut words)?;
        }
        words.apply(tx)?;
        Ok(written()? - before)
    }

    #[test]
    fn words_of_several_files_are_written_at_once() -> Result<()> {
        let mut db = test_database::in_memory()?;
        let written = db.write(|tx| {
            tx.execute(
                "INSERT INTO code_projects (number, project_id, path, status, started_at)
                 VALUES (1, 'p', '/p', 'indexing', 0)",
                [],
            )?;
            (0..4).map(|version| store(tx, version)).collect::<Result<Vec<_>>>()
        })?;
        // Fewer than ten rows and pages a chunk; twelve were written when FTS5 wrote deleted words one by one.
        let most = i64::from(11 * FILES * CHUNKS);
        assert!(written.iter().all(|rows| *rows < most), "at most {most}: {written:?}");
        Ok(())
    }
}
