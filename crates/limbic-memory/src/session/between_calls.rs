//! The work between calls: the code index, the embedding queue, and what calls have deferred.

use limbic_core::Result;
use limbic_protocol::{EncodingResult, Task};
use limbic_tools::{IndexStep, Limbic, WatchedProject};

use super::Session;
use crate::encoder_thread::EncoderThread;

/// Number of texts per batch when idle.
const BATCH: usize = 8;
/// Number of batches without progress after which the queue is given up.
const MAX_VAIN_BATCHES: u32 = 3;

impl Session {
    /// Whether the database is open. A panic closes it, and the next call opens it again.
    pub fn is_open(&self) -> bool {
        self.limbic.is_some()
    }

    /// Does the next step of indexing source code in an open database. Returns whether there may be more.
    pub fn index_step(&mut self) -> Result<bool> {
        if self.limbic.is_none() {
            return Ok(false);
        }
        Ok(self.for_itself(Limbic::index_step)? == IndexStep::Worked)
    }

    /// Returns the folders to watch in an open database, unless they are those that were returned last.
    pub fn watched_folders(&mut self) -> Result<Option<Vec<WatchedProject>>> {
        if self.limbic.is_none() {
            return Ok(None);
        }
        self.for_itself(Limbic::watched_folders)
    }

    /// Prepares the index for changes at paths below the folder of a watched project, or anywhere in it. The current
    /// client stays the same.
    pub fn files_changed(&mut self, root: &str, paths: &[String]) -> Result<()> {
        self.guarded(|session| {
            let changed = session.open()?.files_changed(root, paths);
            changed.map_err(|error| session.explained(error))
        })
    }

    /// Whether a call of the current client reads the code index in an open database: it is to know of all changes that
    /// are known before it.
    pub fn reads_code(&mut self, tool: &str, arguments: &str) -> bool {
        let reads_code = |session: &mut Self| Ok(session.open()?.reads_code(tool, arguments));
        self.limbic.is_some() && self.guarded(reads_code).unwrap_or(false)
    }

    /// As [`Session::open`], for background work.
    fn open_for_itself(&mut self) -> Result<&mut Limbic> {
        self.client_access = self.own.clone();
        self.open()
    }

    /// Does background work in the open database. Its error has the cause that the store gives.
    fn for_itself<T>(&mut self, work: impl FnOnce(&mut Limbic) -> Result<T>) -> Result<T> {
        self.guarded(|session| {
            let done = work(session.open_for_itself()?);
            done.map_err(|error| session.explained(error))
        })
    }

    /// Indexes source code until nothing remains, or until another server does the rest.
    pub fn index(&mut self) -> Result<()> {
        self.open()?;
        while self.index_step()? {}
        Ok(())
    }

    /// Waits until the encoder is ready, if one is wanted.
    ///
    /// # Errors
    /// The sentence that says why there is no encoder.
    pub fn wait_for_encoder(&mut self) -> std::result::Result<(), &str> {
        self.encoder.as_mut().map_or(Ok(()), EncoderThread::wait)
    }

    /// Indexes source code, waits for the encoder and drains the embedding queue, as far as possible.
    pub fn drain(&mut self) -> Result<()> {
        self.index()?;
        // Without an encoder, nothing is taken from the queue.
        let _ = self.wait_for_encoder();
        let mut fewest = usize::MAX;
        let mut vain = 0;
        while vain < MAX_VAIN_BATCHES {
            let Some(tasks) = self.take(BATCH)? else { return Ok(()) };
            let Some(encoder) = &self.encoder else { return Ok(()) };
            let outstanding = self.store(&encoder.encode(tasks))?;
            vain = if outstanding < fewest { 0 } else { vain + 1 };
            fewest = fewest.min(outstanding);
        }
        Ok(())
    }

    /// Takes texts from the queue; `None` if there are none or there is no encoder.
    pub fn take(&mut self, limit: usize) -> Result<Option<Vec<Task>>> {
        let ready = self.encoder.as_mut().is_some_and(|encoder| encoder.name().is_some());
        if !ready || self.settings.tools.read_only {
            return Ok(None);
        }
        self.announce()?;
        let tasks = self.for_itself(|limbic| limbic.pending(limit))?;
        Ok(Some(tasks).filter(|tasks| !tasks.is_empty()))
    }

    /// Stores the encodings of [`Session::take`]. Returns the length of the queue.
    pub fn store(&mut self, encodings: &[EncodingResult]) -> Result<usize> {
        // An encoder that has ended has no name under which vectors could be stored: its texts stay in the queue.
        let Some(name) = self.encoder.as_mut().and_then(EncoderThread::name).map(str::to_owned) else {
            return self.outstanding();
        };
        self.for_itself(|limbic| limbic.store_vectors(encodings, &name))
    }

    /// Sends texts to the encoder without waiting.
    pub fn submit(&self, tasks: Vec<Task>, answer: impl FnOnce(Vec<EncodingResult>) + Send + 'static) {
        if let Some(encoder) = &self.encoder {
            encoder.submit(tasks, answer);
        }
    }

    /// Performs the deferred writes of the last call.
    pub fn finish(&mut self) -> Result<()> {
        self.guarded(|session| session.limbic.as_mut().map_or(Ok(()), Limbic::finish))
    }

    /// Discards the deferred writes of the last call.
    pub fn discard_deferred(&mut self) {
        if let Some(limbic) = &mut self.limbic {
            limbic.discard_deferred();
        }
    }

    /// Counts the texts that wait to be embedded.
    pub fn outstanding(&mut self) -> Result<usize> {
        self.for_itself(Limbic::outstanding)
    }

    /// Returns a number that changes when another process changes the database; `None` if it cannot be read.
    pub fn data_version(&mut self) -> Option<u32> {
        self.guarded(|session| session.limbic.as_mut().map(Limbic::data_version).transpose()).ok()?
    }

    /// Sets the database's encoder, so that vectors of another encoder are recomputed.
    pub(super) fn announce(&mut self) -> Result<()> {
        let name = self.encoder.as_mut().and_then(EncoderThread::name).map(str::to_owned);
        if let Some(name) = name.filter(|_| !self.announced) {
            self.guarded(|session| {
                let announced = session.open()?.store_vectors(&[], &name);
                announced.map_err(|error| session.explained(error))
            })?;
            self.announced = true;
        }
        Ok(())
    }
}
