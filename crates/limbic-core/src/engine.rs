//! An open memory: the database and this process's state for it.

use std::{collections::BTreeMap, io::Read};

use limbic_protocol::{Encoding, EncodingResult, Task, TaskKey, TextKind};
use rusqlite::Connection;

use crate::{
    Database, Error, Host, Result, Transaction,
    db::wal::WalFile,
    maintenance::near_duplicates,
    model::numbers::cosine,
    mutations::{embedding_tasks, similarity_flags},
    search::{VectorCache, memories::MemoryCache, tuning},
    session::{Session, SessionDomain, SessionId, Sessions},
    store::{
        domains,
        graph::text_cache::TextCache,
        logs::feedback,
        ranking_weights,
        vectors::{embedding_queue, embeddings},
    },
};

/// An open database, the copy of its vectors in memory, and the sessions of its clients.
///
/// Transactions and sessions are used through it, although some of its methods only pass on: the caches describe this
/// database, so that it is never replaced under them, and there is always a current session, of which the others are
/// not reachable.
pub struct Engine {
    database: Database,
    vectors: VectorCache,
    memories: MemoryCache,
    texts: TextCache,
    chunk_vectors: VectorCache,
    encoder: Option<String>,
    /// The tasks that the last call of [`Engine::pending`] returned, in the same order.
    taken: Vec<TaskKey>,
    sessions: Sessions,
}

/// The domain of the current session, which a transaction may need.
pub struct CurrentDomain<'a>(&'a mut Session);

impl CurrentDomain<'_> {
    /// As [`Engine::domain`], in an open transaction.
    ///
    /// # Errors
    /// [`Error::SelectedDomainDeleted`].
    pub fn read(self, tx: &Transaction<'_>) -> Result<String> {
        domain_of(self.0, tx)
    }
}

impl Engine {
    /// Opens a database on a connection.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open(connection: Connection, host: Box<dyn Host>, read_only: bool) -> Result<Self> {
        let sessions = Sessions::new(host.as_ref());
        let mut database = Database::open_or_begin(connection, host, read_only, domains::make_first)?;
        make_first_domain(&mut database)?;
        Ok(Self {
            texts: TextCache::new(database.row_changes()),
            database,
            vectors: VectorCache::new(TextKind::Entity),
            memories: MemoryCache::new(),
            chunk_vectors: VectorCache::new(TextKind::Chunk),
            encoder: None,
            taken: Vec::new(),
            sessions,
        })
    }

    /// Runs a read transaction.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn read<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.database.read(work)
    }

    /// Runs a read transaction with the cached vectors of entities. If it `compares` with them, the cache is brought up
    /// to date with that state of the database first; the first time this may take seconds.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn read_with_vectors<T>(
        &mut self,
        compares: bool,
        work: impl FnOnce(&Transaction<'_>, &mut VectorCache) -> Result<T>,
    ) -> Result<T> {
        read_with(&mut self.database, &mut self.vectors, compares, work)
    }

    /// As [`Engine::read_with_vectors`], with the cache of memories, and the current session's domain.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn read_with_memory_cache<T>(
        &mut self,
        compares: bool,
        work: impl FnOnce(&Transaction<'_>, &mut MemoryCache, CurrentDomain<'_>) -> Result<T>,
    ) -> Result<T> {
        let current = CurrentDomain(self.sessions.current_mut());
        let memories = &mut self.memories;
        self.database.read(|tx| {
            if compares {
                memories.vectors.refresh(tx)?;
            }
            work(tx, memories, current)
        })
    }

    /// Runs a read transaction with the cached texts of entities, for search by substring.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn read_with_texts<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, &mut TextCache) -> Result<T>,
    ) -> Result<T> {
        self.database.read(|tx| work(tx, &mut self.texts))
    }

    /// As [`Engine::read_with_vectors`], with the vectors of chunks of source code.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn read_with_chunk_vectors<T>(
        &mut self,
        compares: bool,
        work: impl FnOnce(&Transaction<'_>, &mut VectorCache) -> Result<T>,
    ) -> Result<T> {
        read_with(&mut self.database, &mut self.chunk_vectors, compares, work)
    }

    /// Runs a write transaction; it is committed if `work` succeeds, else rolled back. Its origin is the current
    /// session.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], and errors of `work`.
    pub fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let origin = self.session().origin();
        self.database.write(|tx| {
            tx.set_origin(origin);
            work(tx)
        })
    }

    /// Runs `work`, whose write transactions wait only briefly for those of other processes and then fail with
    /// [`Error::Busy`]: for writes that an answer can do without.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn briefly<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let was_brief = self.database.set_brief(true);
        let result = work(self);
        self.database.set_brief(was_brief);
        result
    }

    /// Runs `work`, which reads and writes most pages once, without filling the cache of pages: a WebAssembly memory
    /// does not shrink again.
    ///
    /// # Errors
    /// Errors of `work`.
    pub fn with_limited_cache<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let former = self.database.limit_cache()?;
        let result = work(self);
        let restored = self.database.restore_cache(former);
        result.and_then(|value| restored.map(|()| value))
    }

    /// Runs `work` in a transaction that is not committed, as [`Database::dry_run`]. Returns what it would have done.
    ///
    /// # Errors
    /// As [`Engine::write`].
    pub fn dry_run<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        self.database.dry_run(work)
    }

    /// Returns the open database, for its host, its version and its bytes.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the open database, for its bytes and the SQL console.
    pub fn database_mut(&mut self) -> &mut Database {
        &mut self.database
    }

    /// The current session.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.sessions.current()
    }

    /// The current session, to change its state.
    pub fn session_mut(&mut self) -> &mut Session {
        self.sessions.current_mut()
    }

    /// Makes a session the current one, to which all methods that concern a session apply. Other sessions keep their
    /// state.
    pub fn enter_session(&mut self, id: &SessionId) {
        self.sessions.enter(id, self.database.host());
    }

    /// Whether this is the current session.
    #[must_use]
    pub fn is_in_session(&self, id: &SessionId) -> bool {
        self.sessions.is_current(id)
    }

    /// Drops the state of a session whose client has disconnected.
    pub fn end_session(&mut self, id: &SessionId) {
        self.sessions.end(id, self.database.host());
    }

    /// Returns the domain of each session that has one, to continue the sessions with another instance.
    #[must_use]
    pub fn session_domains(&self) -> Vec<SessionDomain> {
        self.sessions.domains()
    }

    /// Continues the sessions of an earlier instance in their domains.
    pub fn resume_sessions(&mut self, domains: Vec<SessionDomain>) {
        self.sessions.resume(domains, self.database.host());
    }

    /// Returns the current session's domain: the selected one, or else the default of the database when the session
    /// first needed one.
    ///
    /// # Errors
    /// [`Error::SelectedDomainDeleted`].
    pub fn domain(&mut self) -> Result<String> {
        let session = self.sessions.current_mut();
        self.database.read(|tx| domain_of(session, tx))
    }

    /// As [`Engine::domain`], but also returns a selected domain that was deleted.
    pub fn named_domain(&mut self) -> Result<String> {
        match self.domain() {
            Err(Error::SelectedDomainDeleted(domain)) => Ok(domain),
            other => other,
        }
    }

    /// Runs a write transaction in the domain of [`Engine::domain`], which does not change until the commit.
    ///
    /// # Errors
    /// As [`Engine::write`].
    pub fn write_in_domain<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, &str) -> Result<T>,
    ) -> Result<T> {
        let origin = self.session().origin();
        let session = self.sessions.current_mut();
        self.database.write(|tx| {
            tx.set_origin(origin);
            work(tx, &domain_of(session, tx)?)
        })
    }

    /// Records in memory that entities were opened, extended or linked; [`Engine::record_reuse`] stores it.
    pub fn used(&mut self, entity_ids: &[i64]) {
        let now_millis = self.database.host().now_millis();
        self.sessions.current_mut().used(now_millis, entity_ids);
    }

    /// Stores which results of this session's searches were used later, and from time to time tunes the weights with
    /// them. Called after the answer; does nothing if there is nothing to store.
    ///
    /// # Errors
    /// [`Error::Busy`]: what was used is kept for the next time. After another error, it is discarded.
    pub fn record_reuse(&mut self) -> Result<()> {
        let reuses = self.sessions.current_mut().take_reuses();
        if reuses.is_empty() {
            return Ok(());
        }
        let session = self.session().id().to_owned();
        match self.write(|tx| feedback::record(tx, &session, &reuses)) {
            Ok(true) => self.tune(),
            Ok(false) => Ok(()),
            Err(error) => {
                if matches!(error, Error::Busy) {
                    self.sessions.current_mut().keep_reuses(reuses);
                }
                Err(error)
            }
        }
    }

    /// Tunes the weights. The search for better ones is a read transaction, so that it does not block other programs.
    fn tune(&mut self) -> Result<()> {
        match self.read(tuning::tune)? {
            Some(tuned) => self.write(|tx| ranking_weights::store(tx, tuned)),
            None => Ok(()),
        }
    }

    /// Replaces the content by another database; see [`Database::import`].
    ///
    /// # Errors
    /// As [`Database::import`]; nothing is changed.
    pub fn import(&mut self, file: impl Read, bytes: usize, wal: WalFile) -> Result<()> {
        self.database.import(file, bytes, wal)?;
        self.sessions.leave_database();
        make_first_domain(&mut self.database)?;
        self.vectors.clear();
        self.memories.clear();
        self.texts.clear();
        self.chunk_vectors.clear();
        self.taken.clear();
        // The imported vectors may be those of another encoder than the current one.
        match self.encoder.take() {
            Some(encoder) => self.announce(&encoder),
            None => Ok(()),
        }
    }

    /// Closes the file.
    pub fn close(self) -> Result<()> {
        self.database.close()
    }

    /// Takes up to `limit` texts from the embedding queue; none if the database is read-only.
    pub fn pending(&mut self, limit: usize) -> Result<Vec<Task>> {
        if self.database.is_read_only() || self.read(embedding_queue::outstanding)? == 0 {
            return Ok(Vec::new());
        }
        let tasks = self.write(|tx| embedding_tasks::take(tx, limit))?;
        self.taken = tasks.iter().filter_map(embedding_tasks::key_of).collect();
        Ok(tasks)
    }

    /// Stores the encodings of the tasks that [`Engine::pending`] returned. Returns the length of the queue.
    ///
    /// `encoder` is the model of the vectors, as `name@revision`. If the database has vectors of another model, they
    /// are deleted and all texts are queued again; a call without encodings announces the model.
    ///
    /// # Errors
    /// [`Error::WrongVectors`] if a vector is not as wide as the others of its encoder, or no table can hold it.
    pub fn store_encodings(&mut self, encodings: &[EncodingResult], encoder: &str) -> Result<usize> {
        if self.database.is_read_only() {
            self.encoder = Some(encoder.to_owned());
            return Ok(0);
        }
        self.announce(encoder)?;
        if encodings.is_empty() {
            return self.read(embedding_queue::outstanding);
        }
        let taken = std::mem::take(&mut self.taken);
        // Only then does the index of a failure identify its text.
        let in_order = taken.len() == encodings.len()
            && taken
                .iter()
                .zip(encodings)
                .all(|(key, result)| result.as_ref().map_or(true, |it| key_of(it) == Some(*key)));
        let near = self.near_memories(encodings)?;
        self.write(|tx| {
            if embeddings::encoder(tx)?.as_deref() == Some(encoder) {
                for (index, result) in encodings.iter().enumerate() {
                    match result {
                        Ok(encoding) => {
                            if store_one(tx, encoder, encoding)?
                                && let Some(near) = near.get(&index)
                            {
                                near_duplicates::vector_stored(tx, near.number, &near.others, near.foreign)?;
                            }
                        }
                        Err(reason) if in_order => embedding_queue::fail(tx, taken[index], reason)?,
                        Err(_) => {}
                    }
                }
            }
            embedding_queue::outstanding(tx)
        })
    }

    /// Whether a query's encoding can be compared with the stored vectors: both are of the same model.
    pub fn encoder_fits(&mut self) -> Result<bool> {
        if self.encoder.is_none() {
            return Ok(true);
        }
        let stored = self.read(embeddings::encoder)?;
        Ok(self.encoder == stored)
    }

    /// Returns, by the index of each encoding of a memory, the nearest memories among the stored ones and those of
    /// earlier encodings. It scans all vectors, so it runs outside of the write transaction.
    fn near_memories(&mut self, encodings: &[EncodingResult]) -> Result<BTreeMap<usize, NearMemories>> {
        let arriving: Vec<(usize, i64, &[f32], Option<f32>)> = encodings
            .iter()
            .enumerate()
            .filter_map(|(task, result)| match result {
                Ok(Encoding::Text { key, vector, foreign, .. }) if key.kind == TextKind::Memory => {
                    Some((task, key.id, vector.as_slice(), *foreign))
                }
                _ => None,
            })
            .collect();
        if arriving.is_empty() {
            return Ok(BTreeMap::new());
        }
        self.read_with_memory_cache(true, |tx, memories, _| {
            let mut found = BTreeMap::new();
            for (index, (task, number, vector, foreign)) in arriving.iter().enumerate() {
                let mut others = near_duplicates::nearest(tx, &memories.vectors, *number, vector)?;
                let before = &arriving[..index];
                others.retain(|(other, _)| before.iter().all(|(_, it, ..)| it != other));
                others.extend(before.iter().map(|(_, other, theirs, _)| (*other, cosine(vector, theirs))));
                found.insert(*task, NearMemories { number: *number, others, foreign: *foreign });
            }
            Ok(found)
        })
    }

    fn announce(&mut self, encoder: &str) -> Result<()> {
        if self.encoder.as_deref() == Some(encoder) {
            return Ok(());
        }
        if self.read(embeddings::encoder)?.as_deref() != Some(encoder) {
            self.write(|tx| embeddings::set_encoder(tx, encoder))?;
            self.vectors.clear();
            self.memories.clear();
            self.chunk_vectors.clear();
        }
        self.encoder = Some(encoder.to_owned());
        Ok(())
    }
}

/// A memory whose vector is stored, and its nearest memories with their cosines.
struct NearMemories {
    number: i64,
    others: Vec<(i64, f64)>,
    /// Share of its letters that the encoder cannot read, if the encoder computes it.
    foreign: Option<f32>,
}

fn read_with<T>(
    database: &mut Database,
    vectors: &mut VectorCache,
    compares: bool,
    work: impl FnOnce(&Transaction<'_>, &mut VectorCache) -> Result<T>,
) -> Result<T> {
    database.read(|tx| {
        if compares {
            vectors.refresh(tx)?;
        }
        work(tx, vectors)
    })
}

fn domain_of(session: &mut Session, tx: &Transaction<'_>) -> Result<String> {
    if let Some(domain) = session.domain() {
        if domains::exists(tx, domain)? {
            return Ok(domain.to_owned());
        }
        // A selected domain is never replaced by another one without the client's knowledge.
        if session.has_selected() {
            return Err(Error::SelectedDomainDeleted(domain.to_owned()));
        }
    }
    let stored = domains::current(tx)?;
    session.begin_in(&stored);
    Ok(stored)
}

fn key_of(encoding: &Encoding) -> Option<TaskKey> {
    match encoding {
        Encoding::Query { .. } => None,
        Encoding::Text { key, .. } | Encoding::Snapshot { key, .. } => Some(*key),
    }
}

/// Stores an encoding. Returns whether it was stored: one of an older text is discarded, and a vector with a number
/// that is not finite, which would be the nearest of every query, counts as a failed encoding.
fn store_one(tx: &Transaction<'_>, encoder: &str, encoding: &Encoding) -> Result<bool> {
    let (key, vector, tokens) = match encoding {
        Encoding::Snapshot { key, vector } => (key, vector, None),
        Encoding::Text { key, vector, tokens, .. } => (key, vector, Some(tokens)),
        Encoding::Query { .. } => {
            return Err(Error::WrongVectors("A question's encoding cannot be stored".into()));
        }
    };
    if !embedding_queue::is_current(tx, *key)? {
        return Ok(false);
    }
    if !vector.iter().all(|number| number.is_finite()) {
        embedding_queue::fail(tx, *key, "the encoder returned a vector with numbers that are not finite")?;
        return Ok(false);
    }
    embeddings::set_dimensions(tx, vector.len())?;
    match tokens {
        None => embeddings::store_entity(tx, key.id, vector)?,
        Some(_) if key.kind == TextKind::Chunk => embeddings::store_chunk(tx, key.id, vector)?,
        Some(tokens) => embeddings::store_text(tx, (key.kind, key.id), encoder, vector, tokens)?,
    }
    if key.kind == TextKind::Observation {
        similarity_flags::vector_stored(tx, key.id)?;
    }
    embedding_queue::remove(tx, key.kind, key.id)?;
    Ok(true)
}

/// Creates the first domain of a database that has none, such as one of an earlier version: migrations cannot, because
/// they have no clock.
fn make_first_domain(database: &mut Database) -> Result<()> {
    if database.is_read_only() || database.read(domains::has_default)? {
        return Ok(());
    }
    database.write(domains::make_first)
}
