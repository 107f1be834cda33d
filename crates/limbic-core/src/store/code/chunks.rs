//! Rows of `code_chunks` and their full-text index.

use std::collections::{HashMap, VecDeque};

use limbic_code::FileFacts;
use limbic_protocol::TextKind;
use rusqlite::{OptionalExtension, Row, params};

use super::files::CodeFile;
use crate::{
    Result, Transaction,
    model::{numbers::round, tokenizer},
    store::vectors::{embedding_queue, embeddings},
};

/// The BM25 weights of name, scope, path and body.
const WEIGHTS: &str = "4.0, 2.0, 2.0, 1.0";

/// How many samples of chunks, evenly spread over their numbers, tell how common a word is.
const SAMPLES: i64 = 16;
/// Number of chunks of a sample.
const SAMPLE: i64 = 256;

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

/// SQL condition that a chunk `c` of a file `f` matches the filter, whose values are ?1 to ?4.
const FITS: &str =
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

/// The `limit` chunks that BM25 ranks first for any of the words, best first. Scores are positive, rounded to six
/// digits; of chunks with the same score, the first by path and line.
pub(crate) fn with_words(
    tx: &Transaction<'_>,
    words: &[String],
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<(i64, f64)>> {
    let words = rarer_words(tx, words)?;
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // Common words match most chunks: only the best ones are looked up, until there are enough that fit.
    let mut ranked: Vec<(i64, f64)> = {
        let mut statement = tx.prepare_cached(&format!(
            "SELECT rowid, -bm25(chunk_words, {WEIGHTS}) FROM chunk_words WHERE chunk_words MATCH ?1"
        ))?;
        let rows = statement
            .query_map([tokenizer::any_of(&words)], |row| Ok((row.get(0)?, round(row.get(1)?, 6))))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut look_up = tx.prepare_cached(&format!(
        "SELECT c.file_path, c.start_line FROM code_chunks AS c CROSS JOIN code_files AS f ON f.id = c.file
         WHERE c.id = ?5 AND {FITS}"
    ))?;
    let mut best: Vec<(f64, String, u32, i64)> = Vec::new();
    for (number, score) in ranked {
        if best.len() >= limit && best.last().is_some_and(|(last, ..)| score < *last) {
            break;
        }
        let ChunkFilter { project, path_prefix, language, chunk_type } = filter;
        let fitting = look_up
            .query_row(params![project, path_prefix, language, chunk_type, number], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        best.extend(fitting.map(|(path, line)| (score, path, line, number)));
    }
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (&a.1, a.2, a.3).cmp(&(&b.1, b.2, b.3))));
    best.truncate(limit);
    Ok(best.into_iter().map(|(score, _, _, number)| (number, score)).collect())
}

/// The words without those that half of all chunks contain, if there are others: their BM25 weight is zero, and FTS5
/// would score every chunk for them. As `selective` of the search of entities and memories, but sampled everywhere: the
/// newest chunks are those of one project. In an index of few chunks, all words.
fn rarer_words(tx: &Transaction<'_>, words: &[String]) -> Result<Vec<String>> {
    let last: i64 =
        tx.prepare_cached("SELECT coalesce(max(id), 0) FROM code_chunks")?.query_row([], |row| row.get(0))?;
    if last <= SAMPLES * SAMPLE {
        return Ok(words.to_vec());
    }
    let mut chunks = tx.prepare_cached("SELECT count(*) FROM code_chunks WHERE id BETWEEN ?1 AND ?2")?;
    let mut matches = tx.prepare_cached(
        "SELECT count(*) FROM chunk_words WHERE chunk_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3",
    )?;
    let samples: Vec<(i64, i64)> = (0..SAMPLES)
        .map(|sample| last / SAMPLES * sample)
        .map(|before| (before + 1, before + SAMPLE))
        .collect();
    let mut sampled: i64 = 0;
    for (first, last) in &samples {
        sampled += chunks.query_row([first, last], |row| row.get::<_, i64>(0))?;
    }
    let mut rarer = Vec::with_capacity(words.len());
    for word in words {
        let expression = tokenizer::any_of(std::slice::from_ref(word));
        let mut found: i64 = 0;
        for (first, last) in &samples {
            found += matches.query_row(params![expression, first, last], |row| row.get::<_, i64>(0))?;
        }
        if found < sampled / 2 {
            rarer.push(word.clone());
        }
    }
    Ok(if rarer.is_empty() { words.to_vec() } else { rarer })
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
    let mut statement = tx.prepare_cached(&format!(
        "SELECT c.id FROM code_chunks AS c JOIN code_files AS f ON f.id = c.file WHERE {FITS} ORDER BY c.id"
    ))?;
    let rows = statement.query_map(
        params![filter.project, filter.path_prefix, filter.language, filter.chunk_type],
        |row| row.get(0),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Replaces the chunks of a file. A chunk whose header was there before keeps its number and vector.
pub(crate) fn replace(
    tx: &Transaction<'_>,
    project_id: &str,
    file: &CodeFile,
    facts: &FileFacts,
    text: &str,
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
                tx.prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?.execute([number])?;
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
        let name = tokenizer::with_parts(found.name.as_deref().unwrap_or_default());
        tx.prepare_cached(
            "INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            number,
            name,
            tokenizer::with_parts(&found.scope),
            tokenizer::with_parts(&file.path),
            tokenizer::with_parts(&content)
        ])?;
    }
    old.into_values().flatten().try_for_each(|number| delete(tx, number))
}

/// Deletes the chunks of a file. Returns how many there were.
pub(crate) fn delete_of(tx: &Transaction<'_>, file: i64) -> Result<usize> {
    let numbers: Vec<i64> = numbers_by_header(tx, file)?.into_values().flatten().collect();
    numbers.iter().try_for_each(|number| delete(tx, *number))?;
    Ok(numbers.len())
}

fn delete(tx: &Transaction<'_>, number: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?.execute([number])?;
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
