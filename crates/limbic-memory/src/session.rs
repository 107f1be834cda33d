//! An open database with its encoder: the steps of a tool call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use limbic_code_disk::DiskFiles;
use limbic_core::{Error, Result};
use limbic_protocol::{EncodingResult, Task};
use limbic_tools::{
    Answer, Caller, CallerKind, FileCall, IndexStep, IsAbandoned, Limbic, SessionDomain, SessionId,
    TimeLimits, WatchedProject,
};
use limbic_vfs::Access;

use crate::addresses;
use crate::client_access::{ClientAccess, Imports, has_code};
use crate::encoder_thread::EncoderThread;
use crate::files;
use crate::settings::{self, ModelChoice, Settings};
use crate::source::{self, NOT_IMPORTABLE};

/// Number of texts per batch when idle.
const BATCH: usize = 8;
/// Number of batches without progress after which the queue is given up.
const MAX_VAIN_BATCHES: u32 = 3;
/// How often a call that reads is repeated if the database server has ended it, and the pause before that.
const MAX_REPEATS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(100);

/// In an error, the codes for files that a client must not be able to distinguish from missing ones.
const UNKNOWN_FILE: [&str; 2] = ["\"code\":\"source_unknown\"", "\"code\":\"source_unreadable\""];

/// The immediate result of a call.
pub enum CallOutcome {
    /// The answer.
    Answered(Answer),
    /// The call runs in steps; none has run yet.
    InSteps(Box<Reading>),
}

/// A call that runs in steps.
pub struct Reading {
    call: FileCall,
    /// The file or folder that it reads, if any.
    path: Option<String>,
    /// Its client, which may end its session while the call runs.
    id: SessionId,
    caller: Caller,
    is_stateless: bool,
    /// The access of its client.
    client_access: Arc<ClientAccess>,
}

/// A database, open or opened at the next call, and its encoder.
pub struct Session {
    settings: Settings,
    limbic: Option<Limbic>,
    /// The domains of the sessions, between closing a database that was moved and opening it again.
    domains: Vec<SessionDomain>,
    /// The access that the settings allow.
    own: Arc<ClientAccess>,
    /// The access of the current client.
    client_access: Arc<ClientAccess>,
    /// The access that is applied to the open database.
    applied: Arc<ClientAccess>,
    encoder: Option<EncoderThread>,
    announced: bool,
    /// Whether an answer has reported that the database was moved.
    has_moved: Arc<AtomicBool>,
    /// Whether the database is opened again for that reason since this was last asked.
    is_reopened: bool,
    /// Whether the database server has ended a read.
    was_cancelled: Arc<AtomicBool>,
    id: SessionId,
    /// Whether calls are independent of earlier ones.
    is_stateless: bool,
    caller: Caller,
    /// The time limits of calls; none for a person on the command line.
    time_limits: Option<TimeLimits>,
    /// Returns whether the client of the next call has disconnected or cancelled it.
    is_abandoned: Option<IsAbandoned>,
}

impl Session {
    /// Starts the encoder, if any; the database is opened at the first call. `on_encoder` is called when it is loaded,
    /// or with the sentence that says why there is none.
    pub fn new(settings: &Settings, on_encoder: impl FnOnce(Option<&str>) + Send + 'static) -> Self {
        let wanted = settings.model != ModelChoice::None;
        let encoder = wanted.then(|| EncoderThread::start(&settings.model, on_encoder));
        let caller = Caller { kind: CallerKind::Cli, ..Caller::default() };
        let own = Arc::new(ClientAccess::of(settings));
        Self {
            settings: settings.clone(),
            limbic: None,
            domains: Vec::new(),
            client_access: own.clone(),
            applied: own.clone(),
            own,
            encoder,
            announced: false,
            has_moved: Arc::default(),
            is_reopened: false,
            was_cancelled: Arc::default(),
            id: SessionId::default(),
            is_stateless: false,
            caller,
            time_limits: None,
            is_abandoned: None,
        }
    }

    /// Limits the time of calls, for clients that share the memory. To be called before the first call.
    pub fn limit_time(&mut self, limits: TimeLimits) {
        self.time_limits = Some(limits);
    }

    /// Sets the function that returns whether the client of the next call has disconnected or cancelled it.
    pub fn set_abandoned(&mut self, is_abandoned: IsAbandoned) {
        self.is_abandoned = Some(is_abandoned);
    }

    /// Sets the caller; by default a person on the command line.
    pub fn introduce(&mut self, caller: Caller) {
        self.caller = caller;
        self.enter();
    }

    /// Switches to another client.
    ///
    /// # Arguments
    /// * `client_access` - what it may use; default: what the settings allow.
    /// * `is_stateless` - whether its calls are independent of earlier ones.
    pub fn serve(
        &mut self,
        id: SessionId,
        caller: Caller,
        client_access: Option<Arc<ClientAccess>>,
        is_stateless: bool,
    ) {
        let client_access = client_access.unwrap_or_else(|| self.own.clone());
        (self.id, self.is_stateless, self.caller, self.client_access) =
            (id, is_stateless, caller, client_access);
        self.enter();
    }

    /// Returns the whole database as the bytes of a SQLite file, to a client with this access.
    pub fn export(&mut self, client_access: Arc<ClientAccess>) -> Result<Vec<u8>> {
        self.client_access = client_access;
        self.open()?.export()
    }

    /// The access of the current client.
    pub fn client_access(&self) -> &ClientAccess {
        &self.client_access
    }

    /// Drops the state of a client that has disconnected.
    pub fn end(&mut self, id: &SessionId) {
        self.domains.retain(|domain| !domain.is_of(id));
        if let Some(limbic) = &mut self.limbic {
            limbic.end_session(id);
        }
    }

    /// The session of the current client.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    fn enter(&mut self) {
        if let Some(limbic) = &mut self.limbic {
            limbic.introduce(&self.id, self.caller.clone());
            if self.is_stateless {
                limbic.enter_stateless(&self.id);
            }
        }
    }

    /// Returns the content of a resource. Failures are returned as an error answer.
    pub fn read_resource(&mut self, uri: &str) -> Answer {
        let answer = match self.open() {
            Ok(limbic) => limbic.read_resource(uri),
            Err(error) => self.failed(error),
        };
        self.noticed(answer)
    }

    /// Returns a prompt with memories. Failures are returned as an error answer.
    pub fn prompt(&mut self, name: &str, arguments: &str) -> Answer {
        let answer = match self.open() {
            Ok(limbic) => limbic.prompt(name, arguments),
            Err(error) => self.failed(error),
        };
        self.noticed(answer)
    }

    /// Completes an argument of a resource template or a prompt. Failures are returned as an error answer.
    pub fn complete(&mut self, template: &str, part: &str, begun: &str, known: &str) -> Answer {
        let answer = match self.open() {
            Ok(limbic) => limbic.complete(template, part, begun, known),
            Err(error) => self.failed(error),
        };
        self.noticed(answer)
    }

    /// Returns what a person is to be asked before a call; `None` for calls that need no confirmation.
    pub fn confirmation(&mut self, tool: &str, arguments: &str) -> Option<String> {
        // A database that cannot be opened is reported by the call.
        self.open().ok()?.confirmation(tool, arguments)
    }

    /// Returns the open database.
    pub fn open(&mut self) -> Result<&mut Limbic> {
        if self.limbic.is_none() {
            // With the settings alone: the access of a client must not affect how the file is opened.
            let has_code = has_code(&self.settings.tools);
            let tools = limbic_tools::Options { code: has_code, ..self.settings.tools.clone() };
            let access = Access {
                accepts_shared_disks: self.settings.accepts_shared_disk,
                secret: self.settings.secret.clone(),
            };
            let mut limbic = files::open_with(&self.settings.db, &tools, access)?;
            if has_code {
                let files = DiskFiles::below_root(&self.settings.code_root);
                limbic.set_code_files(Box::new(match settings::subwords(&self.settings.model) {
                    Some(table) => files.with_subwords(table),
                    None => files,
                }));
            }
            let (location, has_moved) = (self.settings.db.clone(), self.has_moved.clone());
            let was_cancelled = self.was_cancelled.clone();
            limbic.explain_errors(move |error| {
                let explained = files::explained_in_call(error, &location);
                let is_other = matches!(explained, Error::DatabaseMoved | Error::StoreMoved);
                has_moved.fetch_or(is_other, Ordering::Relaxed);
                was_cancelled.fetch_or(matches!(explained, Error::ReadCancelled(_)), Ordering::Relaxed);
                explained
            });
            if let Some(limits) = &self.time_limits {
                limbic.limit_time(limits.clone());
            }
            limbic.resume_sessions(std::mem::take(&mut self.domains));
            self.limbic = Some(limbic);
            self.applied = self.own.clone();
            self.announced = false;
            self.enter();
        }
        let limbic = self.limbic.as_mut().expect("it was opened above");
        if !Arc::ptr_eq(&self.applied, &self.client_access) {
            limbic.set_access(self.client_access.tools.clone());
            self.applied = self.client_access.clone();
        }
        Ok(limbic)
    }

    /// Runs a tool to the end. Failures are returned as an error answer.
    pub fn call(&mut self, tool: &str, arguments: &str) -> Answer {
        let mut called = self.start(tool, arguments);
        loop {
            match called {
                CallOutcome::Answered(answer) => return answer,
                CallOutcome::InSteps(mut call) => {
                    called = match self.step(&mut call, &mut |_, _| ()) {
                        Some(answer) => CallOutcome::Answered(answer),
                        None => CallOutcome::InSteps(call),
                    }
                }
            }
        }
    }

    /// Runs a tool, unless it reads a file. Failures are returned as an error answer.
    pub fn start(&mut self, tool: &str, arguments: &str) -> CallOutcome {
        self.was_cancelled.store(false, Ordering::Relaxed);
        let is_abandoned = self.is_abandoned.clone();
        let mut called = self.try_start(tool, arguments);
        for _ in 0..MAX_REPEATS {
            if !self.may_repeat(&called) {
                break;
            }
            thread::sleep(PAUSE);
            self.is_abandoned.clone_from(&is_abandoned);
            called = self.try_start(tool, arguments);
        }
        let called = called.unwrap_or_else(|error| CallOutcome::Answered(self.failed(error)));
        match called {
            CallOutcome::Answered(answer) => CallOutcome::Answered(self.noticed(answer)),
            in_steps @ CallOutcome::InSteps(_) => in_steps,
        }
    }

    /// Whether a call failed because the database server, a standby, has cancelled its read, or another standby that
    /// has less of the memory answers now, and may be repeated: only servers that only read repeat calls.
    fn may_repeat(&mut self, called: &Result<CallOutcome>) -> bool {
        let was_cancelled = self.was_cancelled.swap(false, Ordering::Relaxed);
        let has_moved = self.has_moved.load(Ordering::Relaxed);
        let has_failed = match called {
            Ok(CallOutcome::Answered(answer)) => answer.is_error && (was_cancelled || has_moved),
            Ok(CallOutcome::InSteps(_)) => false,
            Err(error) => was_cancelled || has_moved || matches!(error, Error::ReadCancelled(_)),
        };
        let may_repeat = has_failed && self.settings.tools.read_only;
        if may_repeat {
            self.reopen_if_moved();
        }
        may_repeat
    }

    /// Passes an answer on. If it reported that the database was moved, the next call opens the file at its path.
    fn noticed(&mut self, answer: Answer) -> Answer {
        self.reopen_if_moved();
        answer
    }

    fn reopen_if_moved(&mut self) {
        if self.has_moved.swap(false, Ordering::Relaxed) {
            // The clients go on with the same sessions.
            self.domains = self.limbic.take().map(|limbic| limbic.session_domains()).unwrap_or_default();
            self.is_reopened = true;
        }
    }

    /// Takes whether an answer has reported since the last time that the database was moved: it is opened again.
    pub fn take_reopened(&mut self) -> bool {
        std::mem::take(&mut self.is_reopened)
    }

    /// The answer of a call that failed outside of its tool.
    fn failed(&self, error: Error) -> Answer {
        let explained = self.explained(error);
        Answer { is_error: true, json: limbic_tools::error_json_for(&explained, &self.settings.tools) }
    }

    /// An error with the cause that the open database gives.
    fn explained(&self, error: Error) -> Error {
        match &self.limbic {
            Some(limbic) => limbic.explained(error),
            None => error,
        }
    }

    /// Runs the next step of a call that reads a file, as its client; returns the answer after the last one. Failures
    /// are returned as an error answer.
    pub fn step(&mut self, reading: &mut Reading, progress: &mut dyn FnMut(u64, u64)) -> Option<Answer> {
        let Reading { id, caller, is_stateless, client_access, .. } = reading;
        // What a session without a caller stores would count as confirmed.
        self.serve(id.clone(), caller.clone(), Some(client_access.clone()), *is_stateless);
        let answer = match self.open() {
            Ok(limbic) => {
                limbic.step(&mut reading.call, progress).map(|answer| shown_to(limbic, reading, answer))
            }
            Err(error) => Some(self.failed(error)),
        };
        answer.map(|answer| self.noticed(answer))
    }

    /// Stops such a call.
    pub fn interrupt(&mut self, reading: Reading) -> Answer {
        match self.open() {
            Ok(limbic) => limbic.interrupt(reading.call),
            Err(error) => self.failed(error),
        }
    }

    fn try_start(&mut self, tool: &str, arguments: &str) -> Result<CallOutcome> {
        if self.settings.drains_queue {
            let client_access = self.client_access.clone();
            let drained = self.drain();
            self.client_access = client_access;
            drained?;
        }
        self.announce()?;
        let tasks = self.open()?.texts(tool, arguments);
        let encodings = if tasks.is_empty() { Vec::new() } else { self.read(tasks) };
        let (id, caller, client_access) = (self.id.clone(), self.caller.clone(), self.client_access.clone());
        let is_stateless = self.is_stateless;
        let reads = |call: FileCall, path: Option<String>, client_access: Arc<ClientAccess>| {
            CallOutcome::InSteps(Box::new(Reading {
                call,
                path,
                id: id.clone(),
                caller,
                is_stateless,
                client_access,
            }))
        };
        let is_abandoned = self.is_abandoned.take();
        let limbic = self.open()?;
        limbic.set_abandoned(is_abandoned);
        if limbic.waits(tool, arguments) {
            return Ok(reads(FileCall::without_file(id.clone(), tool, arguments), None, client_access));
        }
        let Some(path) = limbic.file_argument(tool, arguments) else {
            return Ok(CallOutcome::Answered(limbic.call(tool, arguments, &encodings)));
        };
        Ok(match source::open(&path, &client_access.imports) {
            Ok(source) => {
                reads(FileCall::new(id.clone(), tool, arguments, source), Some(path), client_access)
            }
            Err(reason) => CallOutcome::Answered(limbic.file_error(addresses::shown(&path), &reason)),
        })
    }

    /// Encodes queries; empty while the encoder is not ready.
    fn read(&mut self, tasks: Vec<Task>) -> Vec<EncodingResult> {
        match &mut self.encoder {
            Some(encoder) => match encoder.name() {
                Some(_) => encoder.encode(tasks),
                None => Vec::new(),
            },
            None => Vec::new(),
        }
    }

    /// Whether each call drains the embedding queue first.
    pub fn drains_queue(&self) -> bool {
        self.settings.drains_queue
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
        let changed = self.open()?.files_changed(root, paths);
        changed.map_err(|error| self.explained(error))
    }

    /// Whether a call of the current client reads the code index in an open database: it is to know of all changes that
    /// are known before it.
    pub fn reads_code(&mut self, tool: &str, arguments: &str) -> bool {
        self.limbic.is_some() && self.open().is_ok_and(|limbic| limbic.reads_code(tool, arguments))
    }

    /// As [`Session::open`], for background work.
    fn open_for_itself(&mut self) -> Result<&mut Limbic> {
        self.client_access = self.own.clone();
        self.open()
    }

    /// Does background work in the open database. Its error has the cause that the store gives.
    fn for_itself<T>(&mut self, work: impl FnOnce(&mut Limbic) -> Result<T>) -> Result<T> {
        let done = work(self.open_for_itself()?);
        done.map_err(|error| self.explained(error))
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
        self.limbic.as_mut().map_or(Ok(()), Limbic::finish)
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
        self.limbic.as_mut()?.data_version().ok()
    }

    /// Closes the database.
    pub fn close(self) -> Result<()> {
        self.limbic.map_or(Ok(()), Limbic::close)
    }

    /// Sets the database's encoder, so that vectors of another encoder are recomputed.
    fn announce(&mut self) -> Result<()> {
        let name = self.encoder.as_mut().and_then(EncoderThread::name).map(str::to_owned);
        if let Some(name) = name.filter(|_| !self.announced) {
            let announced = self.open()?.store_vectors(&[], &name);
            announced.map_err(|error| self.explained(error))?;
            self.announced = true;
        }
        Ok(())
    }
}

/// The answer for a client: where imports are limited, a file of an unknown format is reported as missing.
fn shown_to(limbic: &Limbic, reading: &Reading, answer: Answer) -> Answer {
    let is_hidden = reading.client_access.imports != Imports::Anywhere
        && answer.is_error
        && UNKNOWN_FILE.iter().any(|code| answer.json.contains(code));
    match &reading.path {
        Some(path) if is_hidden => limbic.file_error(addresses::shown(path), NOT_IMPORTABLE),
        _ => answer,
    }
}
