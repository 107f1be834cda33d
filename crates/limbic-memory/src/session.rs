//! An open database with its encoder: the steps of a tool call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use limbic_code_disk::DiskFiles;
use limbic_core::{Error, Result};
use limbic_protocol::{EncodingResult, Task};
use limbic_tools::{
    Answer, Caller, CallerKind, FileCall, IsAbandoned, Limbic, SessionDomain, SessionId, TimeLimits,
};
use limbic_vfs::Access;

use crate::addresses;
use crate::client_access::{ClientAccess, Imports, has_code};
use crate::encoder_thread::EncoderThread;
use crate::files;
use crate::settings::{self, ModelChoice, Settings};
use crate::source::{self, NOT_IMPORTABLE};

mod between_calls;
mod panics;

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
    /// The domains of the sessions, between closing a database and opening it again.
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
    /// Whether a panic has closed the database since this was last asked.
    has_panicked: bool,
    /// For tests: what panics.
    test_trap: Option<String>,
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
            has_panicked: false,
            test_trap: None,
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
        self.guarded(|session| session.open()?.export())
    }

    /// The access of the current client.
    pub fn client_access(&self) -> &ClientAccess {
        &self.client_access
    }

    /// Drops the state of a client that has disconnected.
    pub fn end(&mut self, id: &SessionId) {
        self.domains.retain(|domain| !domain.is_of(id));
        // After a panic, the next call opens the database.
        let _ = self.guarded(|session| {
            if let Some(limbic) = &mut session.limbic {
                limbic.end_session(id);
            }
            Ok(())
        });
    }

    /// The session of the current client.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    fn enter(&mut self) {
        // After a panic, the next call opens the database.
        let _ = self.guarded(|session| {
            session.enter_open();
            Ok(())
        });
    }

    fn enter_open(&mut self) {
        if let Some(limbic) = &mut self.limbic {
            limbic.introduce(&self.id, self.caller.clone());
            if self.is_stateless {
                limbic.enter_stateless(&self.id);
            }
        }
    }

    /// Returns the content of a resource. Failures are returned as an error answer.
    pub fn read_resource(&mut self, uri: &str) -> Answer {
        self.answered(uri, |limbic| limbic.read_resource(uri))
    }

    /// Returns a prompt with memories. Failures are returned as an error answer.
    pub fn prompt(&mut self, name: &str, arguments: &str) -> Answer {
        self.answered(name, |limbic| limbic.prompt(name, arguments))
    }

    /// Completes an argument of a resource template or a prompt. Failures are returned as an error answer.
    pub fn complete(&mut self, template: &str, part: &str, begun: &str, known: &str) -> Answer {
        self.answered(template, |limbic| limbic.complete(template, part, begun, known))
    }

    /// Returns the answer of `work` in the open database, which has a name for tests.
    fn answered(&mut self, name: &str, work: impl FnOnce(&mut Limbic) -> Answer) -> Answer {
        self.arm_trap(name);
        let answer = self.guarded(|session| session.open().map(work));
        let answer = answer.unwrap_or_else(|error| self.failed(error));
        self.noticed(answer)
    }

    /// Returns what a person is to be asked before a call; `None` for calls that need no confirmation, as none does on
    /// a read-only server.
    ///
    /// # Errors
    /// The answer to a call that is not run, because it is not known what is to be asked.
    pub fn confirmation(
        &mut self,
        tool: &str,
        arguments: &str,
    ) -> std::result::Result<Option<String>, Answer> {
        if self.settings.tools.read_only {
            return Ok(None);
        }
        self.arm_trap(tool);
        let question = self.guarded(|session| Ok(session.open()?.confirmation(tool, arguments)));
        question.map_err(|error| {
            let answer = self.failed(error);
            self.noticed(answer)
        })
    }

    /// Returns the open database.
    pub fn open(&mut self) -> Result<&mut Limbic> {
        if self.limbic.is_none() {
            self.guarded(Self::open_again)?;
        }
        let limbic = self.limbic.as_mut().ok_or(Error::Panicked)?;
        if !Arc::ptr_eq(&self.applied, &self.client_access) {
            limbic.set_access(self.client_access.tools.clone());
            self.applied = self.client_access.clone();
        }
        Ok(limbic)
    }

    /// Opens the database, or again one that was moved, or that a panic has closed.
    fn open_again(&mut self) -> Result<()> {
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
        self.enter_open();
        Ok(())
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
        let mut called = self.guarded(|session| session.try_start(tool, arguments));
        for _ in 0..MAX_REPEATS {
            if !self.may_repeat(&called) {
                break;
            }
            thread::sleep(PAUSE);
            self.is_abandoned.clone_from(&is_abandoned);
            called = self.guarded(|session| session.try_start(tool, arguments));
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
            if let Some(limbic) = self.limbic.take() {
                self.domains = limbic.session_domains();
            }
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
        let answer = self.guarded(|session| {
            let limbic = session.open()?;
            Ok(limbic.step(&mut reading.call, progress).map(|answer| shown_to(limbic, reading, answer)))
        });
        let answer = answer.unwrap_or_else(|error| Some(self.failed(reading.call.failed(error))));
        answer.map(|answer| self.noticed(answer))
    }

    /// Stops such a call.
    pub fn interrupt(&mut self, reading: Reading) -> Answer {
        let answer = self.guarded(|session| Ok(session.open()?.interrupt(reading.call)));
        answer.unwrap_or_else(|error| self.failed(error))
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
        self.arm_trap(tool);
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

    /// Closes the database.
    pub fn close(mut self) -> Result<()> {
        let limbic = self.limbic.take();
        self.guarded(|_| limbic.map_or(Ok(()), Limbic::close))
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
