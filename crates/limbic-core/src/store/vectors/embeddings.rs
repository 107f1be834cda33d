//! Vectors: sentence vectors in vec0, token bits as blobs, and the document frequency of tokens.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, params};

use super::embedding_queue;
use crate::{Error, Result, Transaction};
use limbic_protocol::{DIMENSIONS, TextKind, TokenVectors};

/// The widest vectors that the vec0 tables take.
const MAX_DIMENSIONS: usize = 8192;

/// The vec0 tables whose deleted vectors are overwritten.
const VECTOR_TABLES: [&str; 3] = ["entity_embeddings", "reflection_embeddings", "memory_embeddings"];

/// The vec0 table of chunks of source code, whose deleted vectors are not overwritten.
const CHUNK_TABLE: &str = "chunk_embeddings";

/// The token in `token_frequency` whose count is the number of texts of a kind.
const ANY_TOKEN: i64 = -1;

/// Returns the key of a text in `token_vectors` and `text_vectors`: its kind in the upper bits, its row number in the
/// lower 56 bits. SQL adds a row number to the key of row 0.
#[must_use]
pub(crate) const fn key(kind: TextKind, id: i64) -> i64 {
    ((kind as i64) << 56) | id
}

/// Bytes of one token in `token_vectors.tokens`: its vocabulary number and its sign bits.
#[must_use]
pub(crate) const fn token_bytes(dimensions: usize) -> usize {
    4 + dimensions / 8
}

/// Returns the width of the stored vectors.
pub(crate) fn dimensions(tx: &Transaction<'_>) -> Result<usize> {
    Ok(tx
        .prepare_cached("SELECT dimensions FROM encoder WHERE id = 1")?
        .query_row([], |row| row.get(0))
        .optional()?
        .unwrap_or(DIMENSIONS))
}

/// Returns the model of the stored vectors.
pub(crate) fn encoder(tx: &Transaction<'_>) -> Result<Option<String>> {
    Ok(tx
        .prepare_cached("SELECT name || '@' || revision FROM encoder WHERE id = 1")?
        .query_row([], |row| row.get(0))
        .optional()?)
}

/// Changes the model of the vectors: vectors of another model are deleted, and all texts are queued again. The width of
/// the tables stays that of the other model until the first vector is stored; see [`set_dimensions`].
pub(crate) fn set_encoder(tx: &Transaction<'_>, encoder_name: &str) -> Result<()> {
    let (name, revision) = encoder_name.split_once('@').unwrap_or((encoder_name, ""));
    for table in VECTOR_TABLES {
        tx.execute_batch(&format!("UPDATE {table}_vector_chunks00 SET vectors = zeroblob(length(vectors))"))?;
    }
    tx.execute_batch(
        "DELETE FROM entity_embeddings; DELETE FROM reflection_embeddings; DELETE FROM memory_embeddings;
         DELETE FROM chunk_embeddings;
         DELETE FROM token_vectors; DELETE FROM text_vectors; DELETE FROM token_frequency; DELETE FROM vector_log;",
    )?;
    tx.execute(
        "INSERT INTO encoder (id, name, revision, dimensions) VALUES (1, ?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET name = ?1, revision = ?2",
        params![name, revision, DIMENSIONS],
    )?;
    queue_everything(tx)
}

/// Makes the tables of vectors as wide as the first vector of a new encoder.
///
/// # Errors
/// [`Error::WrongVectors`] when no table can hold such vectors, or there are vectors of this encoder with another
/// width.
pub(crate) fn set_dimensions(tx: &Transaction<'_>, wanted: usize) -> Result<()> {
    let present = dimensions(tx)?;
    if present == wanted {
        return Ok(());
    }
    if wanted == 0 || wanted > MAX_DIMENSIONS || !wanted.is_multiple_of(8) {
        return Err(Error::WrongVectors(format!(
            "The encoder returns vectors with {wanted} dimensions; a multiple of 8 up to {MAX_DIMENSIONS} is needed: use \
             another model, or truncate its vectors"
        )));
    }
    if last_logged(tx)? != 0 {
        return Err(Error::WrongVectors(format!(
            "The encoder returned vectors with {wanted} dimensions, but earlier ones with {present}"
        )));
    }
    for table in VECTOR_TABLES.iter().chain([&CHUNK_TABLE]) {
        tx.execute_batch(&format!(
            "DROP TABLE {table};
             CREATE VIRTUAL TABLE {table} USING vec0(embedding float[{wanted}] distance_metric=cosine);"
        ))?;
    }
    tx.execute("UPDATE encoder SET dimensions = ?1 WHERE id = 1", [wanted])?;
    Ok(())
}

/// Queues all texts.
pub(crate) fn queue_everything(tx: &Transaction<'_>) -> Result<()> {
    tx.execute_batch(
        "DELETE FROM embedding_queue;
         INSERT INTO embedding_queue (kind, id) SELECT 0, id FROM entities ORDER BY id;
         INSERT INTO embedding_queue (kind, id)
             SELECT 1, id FROM observations WHERE superseded_at IS NULL ORDER BY id;
         INSERT INTO embedding_queue (kind, id) SELECT 2, id FROM reflections ORDER BY id;
         INSERT INTO embedding_queue (kind, id) SELECT 3, number FROM memory_numbers ORDER BY number;
         INSERT INTO embedding_queue (kind, id) SELECT 4, id FROM code_chunks ORDER BY id;",
    )?;
    Ok(())
}

/// Stores the sentence vector of an entity's snapshot.
pub(crate) fn store_entity(tx: &Transaction<'_>, id: i64, vector: &[f32]) -> Result<()> {
    remove_vector(tx, "entity_embeddings", id)?;
    tx.prepare_cached("INSERT INTO entity_embeddings (rowid, embedding) VALUES (?1, ?2)")?
        .execute(params![id, to_bytes(vector)])?;
    log(tx, TextKind::Entity, id)
}

/// Stores the sentence vector of a chunk of source code. Its tokens are not kept: chunks are many, and their search
/// compares whole vectors.
pub(crate) fn store_chunk(tx: &Transaction<'_>, id: i64, vector: &[f32]) -> Result<()> {
    tx.prepare_cached("DELETE FROM chunk_embeddings WHERE rowid = ?1")?.execute([id])?;
    tx.prepare_cached("INSERT INTO chunk_embeddings (rowid, embedding) VALUES (?1, ?2)")?
        .execute(params![id, to_bytes(vector)])?;
    log(tx, TextKind::Chunk, id)
}

/// Stores the sentence vector and the content tokens of a text. The sentence vector of a reflection or a memory is also
/// stored in a vec0 table.
pub fn store_text(
    tx: &Transaction<'_>,
    (kind, id): (TextKind, i64),
    encoder_name: &str,
    vector: &[f32],
    tokens: &TokenVectors,
) -> Result<()> {
    let bits_bytes = vector.len() / 8;
    if tokens.bits.0.len() != tokens.ids.len() * bits_bytes {
        return Err(Error::WrongVectors(format!(
            "The encoder returned {} bytes of sign bits for {} tokens; {bits_bytes} per token are needed",
            tokens.bits.0.len(),
            tokens.ids.len()
        )));
    }
    forget_tokens(tx, kind, id)?;
    let mut blob = Vec::with_capacity(tokens.ids.len() * token_bytes(vector.len()));
    for (token, bits) in tokens.ids.iter().zip(tokens.bits.0.chunks_exact(bits_bytes)) {
        blob.extend_from_slice(&token.to_le_bytes());
        blob.extend_from_slice(bits);
    }
    tx.prepare_cached("INSERT INTO token_vectors (key, encoder, tokens) VALUES (?1, ?2, ?3)")?
        .execute(params![key(kind, id), encoder_name, blob])?;
    tx.prepare_cached("INSERT INTO text_vectors (key, vector) VALUES (?1, ?2)")?
        .execute(params![key(kind, id), to_bytes(vector)])?;
    if let Some(table) = vector_table(kind) {
        remove_vector(tx, table, id)?;
        tx.prepare_cached(&format!("INSERT INTO {table} (rowid, embedding) VALUES (?1, ?2)"))?
            .execute(params![id, to_bytes(vector)])?;
    }
    let mut count = tx.prepare_cached(
        "INSERT INTO token_frequency (kind, token, texts) VALUES (?1, ?2, 1)
         ON CONFLICT DO UPDATE SET texts = texts + 1",
    )?;
    count.execute(params![kind as u8, ANY_TOKEN])?;
    for token in tokens.ids.iter().collect::<BTreeSet<_>>() {
        count.execute(params![kind as u8, token])?;
    }
    log(tx, kind, id)
}

/// Deletes the vectors and tokens of a row, and its entry in the queue.
pub(crate) fn forget(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    embedding_queue::remove(tx, kind, id)?;
    if let Some(table) = vector_table(kind) {
        remove_vector(tx, table, id)?;
    }
    if !matches!(kind, TextKind::Entity | TextKind::Chunk) {
        forget_tokens(tx, kind, id)?;
    }
    tx.prepare_cached("DELETE FROM vector_log WHERE kind = ?1 AND id = ?2")?
        .execute(params![kind as u8, id])?;
    Ok(())
}

/// Returns the document frequency of each token in texts of a kind, and the number of these texts.
pub(crate) fn frequencies(tx: &Transaction<'_>, kind: TextKind, tokens: &[u32]) -> Result<(u64, Vec<u64>)> {
    let mut statement =
        tx.prepare_cached("SELECT texts FROM token_frequency WHERE kind = ?1 AND token = ?2")?;
    let texts =
        statement.query_row(params![kind as u8, ANY_TOKEN], |row| row.get(0)).optional()?.unwrap_or(0);
    let counts = tokens
        .iter()
        .map(|token| {
            Ok(statement.query_row(params![kind as u8, token], |row| row.get(0)).optional()?.unwrap_or(0))
        })
        .collect::<Result<_>>()?;
    Ok((texts, counts))
}

/// Parses the bytes of [`to_bytes`].
#[must_use]
pub(crate) fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

/// Returns the bytes of a vector: 32-bit floats, little-endian, the format of vec0.
#[must_use]
pub(crate) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Deletes a vector from a vec0 table. It is overwritten first: sqlite-vec before 0.1.7, and therefore the WebAssembly
/// build, only marks its slot as free.
fn remove_vector(tx: &Transaction<'_>, table: &str, id: i64) -> Result<()> {
    let bytes = dimensions(tx)? * size_of::<f32>();
    tx.prepare_cached(&format!("UPDATE {table} SET embedding = zeroblob(?2) WHERE rowid = ?1"))?
        .execute(params![id, bytes])?;
    tx.prepare_cached(&format!("DELETE FROM {table} WHERE rowid = ?1"))?.execute([id])?;
    Ok(())
}

/// Returns the vec0 table with the sentence vectors of a kind, by row number, if there is one.
#[must_use]
pub(crate) fn vector_table(kind: TextKind) -> Option<&'static str> {
    match kind {
        TextKind::Entity => Some("entity_embeddings"),
        TextKind::Reflection => Some("reflection_embeddings"),
        TextKind::Memory => Some("memory_embeddings"),
        TextKind::Chunk => Some(CHUNK_TABLE),
        TextKind::Observation => None,
    }
}

/// Passes every sentence vector of a kind to `take`, with its row number, in any order.
pub(crate) fn each_vector(tx: &Transaction<'_>, kind: TextKind, take: impl FnMut(i64, &[u8])) -> Result<()> {
    let Some(table) = vector_table(kind) else { return Ok(()) };
    // Not cached: it would displace pages that searches read.
    let kept: i64 = tx.query_row("PRAGMA cache_size", [], |row| row.get(0))?;
    tx.execute_batch("PRAGMA cache_size = -2000")?;
    let outcome = each_in_chunks(tx, table, take);
    tx.execute_batch(&format!("PRAGMA cache_size = {kept}"))?;
    outcome
}

/// Reads the chunks of a vec0 table as sqlite-vec stores them: one bit per used slot, row numbers and vectors. Reading
/// row by row is slower.
fn each_in_chunks(tx: &Transaction<'_>, table: &str, mut take: impl FnMut(i64, &[u8])) -> Result<()> {
    let mut statement = tx.prepare_cached(&format!(
        "SELECT c.validity, c.rowids, v.vectors
         FROM {table}_chunks AS c JOIN {table}_vector_chunks00 AS v ON v.rowid = c.chunk_id ORDER BY c.chunk_id"
    ))?;
    let mut chunks = statement.query([])?;
    while let Some(chunk) = chunks.next()? {
        let blob = |column| -> Result<&[u8]> {
            Ok(chunk.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?)
        };
        let (taken, numbers, vectors) = (blob(0)?, blob(1)?, blob(2)?);
        let numbers = numbers.as_chunks::<8>().0;
        // A chunk has the same number of places in each of its three blobs.
        let Some(vector_bytes) = vectors.len().checked_div(numbers.len()).filter(|bytes| *bytes > 0) else {
            continue;
        };
        let rows = numbers.iter().zip(vectors.chunks_exact(vector_bytes));
        for (index, (number, vector)) in rows.enumerate() {
            if taken.get(index / 8).is_some_and(|bits| bits >> (index % 8) & 1 == 1) {
                take(i64::from_le_bytes(*number), vector);
            }
        }
    }
    Ok(())
}

/// Returns the number of the latest entry of `vector_log`; 0 if it is empty.
pub(crate) fn last_logged(tx: &Transaction<'_>) -> Result<i64> {
    Ok(tx.prepare_cached("SELECT coalesce(max(seq), 0) FROM vector_log")?.query_row([], |row| row.get(0))?)
}

/// Passes each sentence vector of a kind that was stored after this entry of `vector_log` to `take`, in the order of
/// the entries. Vectors that were deleted since are omitted.
pub(crate) fn each_vector_since(
    tx: &Transaction<'_>,
    kind: TextKind,
    logged: i64,
    mut take: impl FnMut(i64, &[u8]),
) -> Result<()> {
    let Some(table) = vector_table(kind) else { return Ok(()) };
    let ids: Vec<i64> = tx
        // The plus sign keeps SQLite from scanning all rows by the index on the kind.
        .prepare_cached("SELECT id FROM vector_log WHERE seq > ?1 AND +kind = ?2 ORDER BY seq")?
        .query_map(params![logged, kind as u8], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut statement = tx.prepare_cached(&format!("SELECT embedding FROM {table} WHERE rowid = ?1"))?;
    for id in ids {
        let vector: Option<Vec<u8>> = statement.query_row([id], |row| row.get(0)).optional()?;
        if let Some(vector) = vector {
            take(id, &vector);
        }
    }
    Ok(())
}

/// Applies `read` to the tokens and the sentence vector of a text; `None` if the text is not embedded yet.
pub(crate) fn with_tokens_and_vector<T>(
    tx: &Transaction<'_>,
    kind: TextKind,
    id: i64,
    read: impl FnOnce(&[u8], &[f32]) -> T,
) -> Result<Option<T>> {
    Ok(tx
        .prepare_cached(
            "SELECT t.tokens, v.vector FROM token_vectors AS t JOIN text_vectors AS v USING (key) WHERE key = ?1",
        )?
        .query_row([key(kind, id)], |row| {
            Ok(read(row.get_ref(0)?.as_blob()?, &from_bytes(row.get_ref(1)?.as_blob()?)))
        })
        .optional()?)
}

/// Counts the sentence vectors of a kind.
pub(crate) fn count(tx: &Transaction<'_>, kind: TextKind) -> Result<usize> {
    let Some(table) = vector_table(kind) else { return Ok(0) };
    Ok(tx.prepare_cached(&format!("SELECT count(*) FROM {table}_rowids"))?.query_row([], |row| row.get(0))?)
}

fn forget_tokens(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    let old: Option<Vec<u8>> = tx
        .prepare_cached("DELETE FROM token_vectors WHERE key = ?1 RETURNING tokens")?
        .query_row([key(kind, id)], |row| row.get(0))
        .optional()?;
    let Some(old) = old else { return Ok(()) };
    tx.prepare_cached("DELETE FROM text_vectors WHERE key = ?1")?.execute([key(kind, id)])?;
    let token_bytes = token_bytes(dimensions(tx)?);
    let mut discount =
        tx.prepare_cached("UPDATE token_frequency SET texts = texts - 1 WHERE kind = ?1 AND token = ?2")?;
    discount.execute(params![kind as u8, ANY_TOKEN])?;
    for token in token_ids(&old, token_bytes).collect::<BTreeSet<_>>() {
        discount.execute(params![kind as u8, token])?;
    }
    Ok(())
}

fn token_ids(blob: &[u8], token_bytes: usize) -> impl Iterator<Item = u32> + '_ {
    blob.chunks_exact(token_bytes).map(|token| u32::from_le_bytes([token[0], token[1], token[2], token[3]]))
}

fn log(tx: &Transaction<'_>, kind: TextKind, id: i64) -> Result<()> {
    tx.prepare_cached("INSERT OR REPLACE INTO vector_log (kind, id) VALUES (?1, ?2)")?
        .execute(params![kind as u8, id])?;
    Ok(())
}
