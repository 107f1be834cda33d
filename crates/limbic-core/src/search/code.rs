//! Search of source code: BM25 and vectors of chunks are mixed, then adjusted by rules for source code. Until a chunk
//! has a vector, a static one stands in for it.

mod file_names;
mod rules;
mod static_vectors;
mod subwords;

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
};

use super::{VectorCache, context};
use crate::{
    Result, Transaction,
    model::{numbers::round, tokenizer},
    store::code::{
        chunk_words,
        chunks::{self, ChunkFilter, CodeChunk},
    },
};
use file_names::Files;
use rules::QueryFeatures;
pub use static_vectors::StaticVectors;

/// Number of candidates of each signal.
const CANDIDATES: usize = 200;
/// Maximum number of definitions of one name that a query may ask for.
const MAX_DEFINITIONS: usize = 20;
/// Share of the cosine in the score of a chunk with a vector; words have the rest (see [`mixed`]).
const VECTOR_SHARE: f64 = 0.5;
/// Share of words in the score of a chunk without a vector, and of all chunks in a search by words.
const WORDS_SHARE: f64 = 0.75;
/// Share of the static cosine in the score of a chunk without a vector.
const STATIC_SHARE: f64 = 0.2;
/// Maximum share that a chunk gains by the sum of the scores of its file's chunks.
const MAX_COHERENCE: f64 = 0.6;
/// Factor of each further chunk of a file.
const FURTHER: f64 = 0.3;

/// A query for source code.
pub struct CodeQuery<'a> {
    /// The query: a question, words or names.
    pub text: &'a str,
    /// Its sentence vector, if there is an encoder.
    pub vector: Option<&'a [f32]>,
    /// Static vectors, if the shell has their table.
    pub static_vectors: Option<&'a StaticVectors>,
    /// Which signals are used.
    pub mode: CodeMode,
    /// Which chunks are considered.
    pub filter: ChunkFilter,
    /// Maximum number of chunks.
    pub limit: usize,
}

/// The signals of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeMode {
    /// Words and vectors.
    Hybrid,
    /// Vectors alone; words and static vectors where no vector can be compared.
    Vector,
    /// Words alone.
    Words,
}

/// A chunk that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundChunk {
    /// The chunk.
    pub chunk: CodeChunk,
    /// Score, rounded to four digits.
    pub score: f64,
    /// BM25 relative to the best chunk, 0 to 1; `None` if no word matches.
    pub words: Option<f64>,
    /// Cosine between question and header; `None` without a vector.
    pub vector: Option<f64>,
    /// Cosine of their static vectors, at least 0; `None` where there is a vector, and without a table.
    pub static_vector: Option<f64>,
    /// The factor of the rules.
    pub factor: f64,
}

/// Returns the best chunks, by score, then by project, path and line.
///
/// # Errors
/// [`crate::Error::StaticVectors`] if the table of static vectors is needed and cannot be read.
pub fn search(tx: &Transaction<'_>, vectors: &VectorCache, query: &CodeQuery<'_>) -> Result<Vec<FoundChunk>> {
    let terms = tokenizer::of_query(query.text);
    let features = QueryFeatures::new(query.text, &terms);
    let weight = match query.vector {
        Some(_) if query.mode != CodeMode::Words => vector_weight(terms.len()),
        _ => 1.0,
    };
    // Vectors that count nothing are not compared, and add no candidates.
    let mode = if query.mode == CodeMode::Hybrid && weight <= 0.0 { CodeMode::Words } else { query.mode };
    let query_vector = query.vector.filter(|_| mode != CodeMode::Words);
    let static_vectors = query.static_vectors.filter(|_| mode != CodeMode::Words);
    let by_words: BTreeMap<i64, f64> = match (mode, query_vector) {
        (CodeMode::Vector, Some(_)) => BTreeMap::new(),
        _ => chunk_words::with_words(tx, &terms, &query.filter, CANDIDATES)?.into_iter().collect(),
    };
    let by_vector: BTreeMap<i64, f64> = match query_vector {
        None => BTreeMap::new(),
        Some(vector) => nearest(tx, vectors, vector, &query.filter)?.into_iter().collect(),
    };
    let mut numbers: BTreeSet<i64> = by_words.keys().chain(by_vector.keys()).copied().collect();
    for name in features.names() {
        numbers.extend(chunks::of_symbols(tx, name, &query.filter, MAX_DEFINITIONS)?);
    }
    let best = by_words.values().copied().fold(0.0_f64, f64::max);
    let mut candidates = Vec::new();
    for number in numbers {
        candidates.extend(chunks::get(tx, number)?);
    }
    let cosine = |chunk: &CodeChunk| {
        by_vector.get(&chunk.number).copied().or_else(|| vectors.cosine(query_vector?, chunk.number))
    };
    let cosines: Vec<Option<f64>> = candidates.iter().map(cosine).collect();
    let static_cosines = static_cosines(static_vectors, query.text, &candidates, &cosines)?;
    let files = Files::new(&terms, candidates.iter().map(|chunk| (chunk.project, chunk.file_path.as_str())));
    let mut found = Vec::new();
    for ((chunk, vector), static_vector) in candidates.into_iter().zip(cosines).zip(static_cosines) {
        let words = by_words.get(&chunk.number).map(|score| if best > 0.0 { score / best } else { 0.0 });
        let base = mixed(mode, weight, words, vector, static_vector);
        let (file_bonus, file_factor) = files.of(&chunk);
        let factor = features.factor(&chunk) * file_factor;
        let score = (base + features.bonus(&chunk) + file_bonus) * factor;
        found.push(FoundChunk { chunk, score, words, vector, static_vector, factor });
    }
    add_coherence(&mut found);
    Ok(first_of_files(found, query.limit))
}

/// Returns the nearest chunks by vector. Deleted chunks may be among them.
fn nearest(
    tx: &Transaction<'_>,
    vectors: &VectorCache,
    vector: &[f32],
    filter: &ChunkFilter,
) -> Result<Vec<(i64, f64)>> {
    if filter.admits_all() {
        return Ok(vectors.nearest(vector, CANDIDATES, |_| true));
    }
    let admitted = chunks::admitted(tx, filter)?;
    Ok(vectors.nearest(vector, CANDIDATES, |number| admitted.binary_search(&number).is_ok()))
}

/// The cosines of the static vectors of the candidates without a vector. All candidates are compared with each other,
/// so that what they have in common does not count.
fn static_cosines(
    vectors: Option<&StaticVectors>,
    query: &str,
    candidates: &[CodeChunk],
    cosines: &[Option<f64>],
) -> Result<Vec<Option<f64>>> {
    let Some(vectors) = vectors.filter(|_| cosines.iter().any(Option::is_none)) else {
        return Ok(vec![None; candidates.len()]);
    };
    let headers: Vec<&str> = candidates.iter().map(|chunk| chunk.header.as_str()).collect();
    let found = vectors.cosines(query, &headers)?;
    Ok(found.into_iter().zip(cosines).map(|(found, cosine)| found.filter(|_| cosine.is_none())).collect())
}

/// The weight of vectors for a query with this number of content words: from 1 down to 0, as that of context (see
/// [`context::length`]). The encoder reads 256 tokens, and one vector says little of a report with code and traceback.
fn vector_weight(words: usize) -> f64 {
    1.0 - context::length(iter::once(words)).long
}

/// Mixes the signals of a chunk: `words` (BM25 relative to the best chunk) and cosines, each 0 to 1. The result is
///
/// - for a chunk with a vector: [`VECTOR_SHARE`] of its cosine and the rest of its words,
/// - for one without: [`WORDS_SHARE`] of its words and [`STATIC_SHARE`] of its static cosine,
/// - in a search by words: [`WORDS_SHARE`] of its words.
///
/// A `weight` of vectors below 1 moves the first two towards the last, which they reach at 0. In a search by vectors,
/// the score of a chunk that has a vector is its cosine.
fn mixed(
    mode: CodeMode,
    weight: f64,
    words: Option<f64>,
    vector: Option<f64>,
    static_vector: Option<f64>,
) -> f64 {
    let words = words.unwrap_or(0.0);
    match (mode, vector.map(|cosine| cosine.max(0.0))) {
        (CodeMode::Vector, Some(cosine)) => cosine,
        (_, Some(cosine)) => {
            let words_share = weight * (1.0 - VECTOR_SHARE) + (1.0 - weight) * WORDS_SHARE;
            weight * VECTOR_SHARE * cosine + words_share * words
        }
        (_, None) => WORDS_SHARE * words + weight * STATIC_SHARE * static_vector.unwrap_or(0.0),
    }
}

/// Adds a bonus to chunks of files with several matching chunks, which are more often relevant.
fn add_coherence(found: &mut [FoundChunk]) {
    let mut sums: BTreeMap<(i64, String), f64> = BTreeMap::new();
    for hit in found.iter() {
        *sums.entry((hit.chunk.project, hit.chunk.file_path.clone())).or_insert(0.0) += hit.score;
    }
    let best = sums.values().copied().fold(0.0_f64, f64::max);
    if best <= 0.0 {
        return;
    }
    for hit in found.iter_mut() {
        let sum = sums.get(&(hit.chunk.project, hit.chunk.file_path.clone())).copied().unwrap_or(0.0);
        hit.score += MAX_COHERENCE * (sum / best) * hit.score;
    }
}

/// Sorts, and lowers the score of each further chunk of a file.
fn first_of_files(mut found: Vec<FoundChunk>, limit: usize) -> Vec<FoundChunk> {
    sort(&mut found);
    let mut seen: BTreeMap<(i64, String), f64> = BTreeMap::new();
    for hit in &mut found {
        let factor = seen.entry((hit.chunk.project, hit.chunk.file_path.clone())).or_insert(1.0);
        hit.score *= *factor;
        *factor *= FURTHER;
    }
    for hit in &mut found {
        hit.score = round(hit.score, 4);
        hit.factor = round(hit.factor, 4);
        hit.words = hit.words.map(|words| round(words, 4));
        hit.vector = hit.vector.map(|cosine| round(cosine, 4));
        hit.static_vector = hit.static_vector.map(|cosine| round(cosine, 4));
    }
    found.retain(|hit| hit.score > 0.0);
    sort(&mut found);
    found.truncate(limit);
    found
}

fn sort(found: &mut [FoundChunk]) {
    found.sort_by(|a, b| {
        round(b.score, 6)
            .total_cmp(&round(a.score, 6))
            .then_with(|| a.chunk.project_id.cmp(&b.chunk.project_id))
            .then_with(|| a.chunk.file_path.cmp(&b.chunk.file_path))
            .then(a.chunk.start_line.cmp(&b.chunk.start_line))
            .then(a.chunk.number.cmp(&b.chunk.number))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, line: u32, score: f64) -> FoundChunk {
        let chunk = CodeChunk { file_path: path.to_owned(), start_line: line, ..CodeChunk::default() };
        FoundChunk { chunk, score, words: None, vector: None, static_vector: None, factor: 1.0 }
    }

    fn paths(found: &[FoundChunk]) -> Vec<&str> {
        found.iter().map(|hit| hit.chunk.file_path.as_str()).collect()
    }

    #[test]
    fn a_file_with_several_matching_chunks_ranks_above_one_with_a_slightly_better_chunk() {
        let mut hits =
            vec![found("a", 1, 0.55), found("b", 1, 0.5), found("b", 9, 0.45), found("b", 20, 0.4)];
        add_coherence(&mut hits);
        sort(&mut hits);
        assert_eq!(hits[0].chunk.file_path, "b");
        assert!((hits[0].score - 0.5 * (1.0 + MAX_COHERENCE)).abs() < 1e-9);
    }

    #[test]
    fn further_chunks_of_a_file_rank_below_the_first_ones_of_others() {
        let hits = vec![found("a", 1, 1.0), found("a", 9, 0.9), found("a", 20, 0.8), found("b", 1, 0.3)];
        let hits = first_of_files(hits, 10);
        assert_eq!(paths(&hits), ["a", "b", "a", "a"]);
        assert!((hits[2].score - 0.9 * FURTHER).abs() < 1e-3);
    }

    #[test]
    fn vectors_weigh_less_the_longer_a_query_is() {
        assert!((vector_weight(12) - 1.0).abs() < 1e-9);
        assert!(vector_weight(64) > 0.0 && vector_weight(64) < vector_weight(48));
        assert!(vector_weight(96).abs() < 1e-9);
        let mixed = |words| mixed(CodeMode::Hybrid, vector_weight(words), Some(0.7), Some(0.2), None);
        assert!((mixed(12) - (VECTOR_SHARE * 0.2 + (1.0 - VECTOR_SHARE) * 0.7)).abs() < 1e-9);
        let half = 0.5 * VECTOR_SHARE * 0.2 + 0.5 * (1.0 - VECTOR_SHARE + WORDS_SHARE) * 0.7;
        assert!((mixed(64) - half).abs() < 1e-9);
    }

    #[test]
    fn a_long_query_is_ranked_as_by_words_alone() {
        for words in [None, Some(0.0), Some(0.7), Some(1.0)] {
            let by_words = mixed(CodeMode::Words, 1.0, words, None, None);
            let mixed = |vector| mixed(CodeMode::Hybrid, vector_weight(96), words, vector, Some(0.4));
            assert!((mixed(Some(0.2)) - by_words).abs() < 1e-9);
            assert!((mixed(None) - by_words).abs() < 1e-9);
        }
        let by_vector = mixed(CodeMode::Vector, vector_weight(96), Some(0.7), Some(0.2), None);
        assert!((by_vector - 0.2).abs() < 1e-9);
    }

    #[test]
    fn a_long_query_needs_no_vectors() -> Result<()> {
        let db = rusqlite::Connection::open_in_memory()?;
        let schema = include_str!("../db/schema.sql");
        let needed = ["TABLE code_", "INDEX idx_code_", "VIRTUAL TABLE chunk_words"];
        for statement in schema.split_inclusive(";\n") {
            let created = statement.trim_start().strip_prefix("CREATE ").unwrap_or_default();
            if needed.iter().any(|start| created.starts_with(start)) {
                db.execute_batch(statement)?;
            }
        }
        db.execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO code_projects (number, project_id, path, status, started_at)
                 VALUES (1, 'p', '/p', 'completed', 0);
             INSERT INTO code_files (id, project, path, folder, name, outline) VALUES (1, 1, 'a.rs', '', 'a.rs', x'');
             INSERT INTO code_chunks (id, file, project_id, file_path, content, start_line, end_line, header,
                 content_hash, indexed_at) VALUES (1, 1, 'p', 'a.rs', '', 1, 2, 'total', '', 0);
             INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (1, 'total', '', 'a.rs', '')",
        )?;
        let transaction = db.unchecked_transaction()?;
        let tx = Transaction::new(&transaction, 0);
        let unreadable = StaticVectors::new(|| Err("the disk is gone".to_owned()));
        let cache = VectorCache::new(limbic_protocol::TextKind::Chunk);
        let found = |words: usize| {
            let text: String = (0..words).map(|word| format!("total word{word} ")).collect();
            let query = CodeQuery {
                text: &text,
                vector: Some(&[1.0, 0.0]),
                static_vectors: Some(&unreadable),
                mode: CodeMode::Hybrid,
                filter: ChunkFilter::default(),
                limit: 10,
            };
            search(&tx, &cache, &query).map(|found| found.len())
        };
        assert!(matches!(found(1), Err(crate::Error::StaticVectors(_))));
        assert_eq!(found(100)?, 1);
        Ok(())
    }

    #[test]
    fn a_chunk_without_a_vector_is_ranked_by_its_words_and_its_static_vector() {
        let mixed = |mode, words, vector, static_vector| mixed(mode, 1.0, Some(words), vector, static_vector);
        let both = mixed(CodeMode::Hybrid, 1.0, Some(0.5), Some(0.9));
        assert!((both - (VECTOR_SHARE * 0.5 + 1.0 - VECTOR_SHARE)).abs() < 1e-9);
        assert!(mixed(CodeMode::Hybrid, 1.0, None, None) > mixed(CodeMode::Hybrid, 0.5, None, None));
        let gained = mixed(CodeMode::Hybrid, 0.5, None, Some(0.6)) - mixed(CodeMode::Hybrid, 0.5, None, None);
        assert!((gained - STATIC_SHARE * 0.6).abs() < 1e-9);
        assert!((mixed(CodeMode::Vector, 1.0, Some(0.5), None) - 0.5).abs() < 1e-9);
    }
}
