//! An open memory: its thread, and calls to it.

use std::any::type_name;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use limbic_core::{Error as CoreError, Result as CoreResult};
use limbic_protocol::EncodingResult;
use limbic_tools::{Answer, Caller, CallerKind};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    embedding_batches::EmbeddingBatches, encoder_thread::KEYWORD_SEARCH, failure::Failure,
    location::in_background, session::Session, settings::Settings,
};

/// The hint for a model that cannot be used.
pub(crate) const MODEL_HINT: &str =
    "Options::model names another folder; Options::without_model selects keyword search";

/// Interval of checks for texts and projects left by other programs on the same file.
const POLL: Duration = Duration::from_secs(2);

/// Number of panics in a row after which source code is no longer indexed between calls.
const MAX_INDEX_PANICS: u32 = 3;

/// An open memory. Its calls may come from any thread; they run one after the other, in a thread of their own, which
/// embeds texts and indexes source code in between. Each call blocks until it is answered, and a write is on the disk
/// by then: in an asynchronous program, make calls where they may block. All calls are of one session, which has one
/// current domain.
///
/// Dropping it closes the database as [`Memory::close`] does, and ignores a failure.
pub struct Memory {
    requests: Sender<Request>,
    thread: Option<JoinHandle<CoreResult<()>>>,
}

enum Request {
    /// Opens the database.
    Open(Sender<Result<(), Failure>>),
    /// Runs a tool.
    Call { tool: String, arguments: String, answer: Sender<Answer> },
    /// The encodings of a batch.
    Encoded(Vec<EncodingResult>),
    /// The encoder is ready, or there is none.
    EncoderLoaded,
    /// Embeds all texts that wait.
    Drain(Sender<Result<usize, Failure>>),
    /// Closes the database.
    Close,
}

impl Memory {
    /// Opens a database in a thread.
    pub(crate) fn start(settings: Settings) -> Result<Self, Failure> {
        let (sender, requests) = channel();
        let own = sender.clone();
        let thread = thread::Builder::new()
            .name("limbic-memory".to_owned())
            .spawn(move || Worker::new(&settings, own, requests).run())
            .map_err(|error| Failure::new("internal", format!("No thread can be started ({error})")))?;
        let memory = Self { requests: sender, thread: Some(thread) };
        memory.ask(Request::Open)??;
        Ok(memory)
    }

    /// Calls a tool by its name.
    ///
    /// # Arguments
    /// * `arguments` - anything that serialises to a JSON object: `serde_json::json!({...})`, or a struct of the
    ///   caller's.
    ///
    /// The answer is parsed as `T`: `serde_json::Value` takes any answer. [`crate::TOOLS`] has the JSON Schemas of
    /// both.
    ///
    /// # Errors
    /// A [`Failure`] with the code and the hint of the tool; `unexpected_answer` if the answer does not fit `T`, in
    /// which case the call has run.
    pub fn call<T: DeserializeOwned>(&self, tool: &str, arguments: impl Serialize) -> Result<T, Failure> {
        let arguments = serde_json::to_string(&arguments).map_err(|error| {
            Failure::new(
                "invalid_argument",
                format!("The arguments of {tool} cannot be written as JSON: {error}"),
            )
        })?;
        let answer = self.call_text(tool, &arguments)?;
        serde_json::from_str(&answer).map_err(|error| {
            let wanted = type_name::<T>();
            Failure::new("unexpected_answer", format!("The answer of {tool} does not fit {wanted}: {error}"))
        })
    }

    /// As [`Memory::call`], with arguments and answer as JSON text.
    ///
    /// # Errors
    /// A [`Failure`] with the code and the hint of the tool.
    pub fn call_text(&self, tool: &str, arguments: &str) -> Result<String, Failure> {
        let (tool, arguments) = (tool.to_owned(), arguments.to_owned());
        let answer = self.ask(|answer| Request::Call { tool, arguments, answer })?;
        if answer.is_error { Err(Failure::of_answer(&answer.json)) } else { Ok(answer.json) }
    }

    /// Waits until all texts are embedded, and returns the number of those that are not: without a model, all of them.
    /// Calls need not wait: until then, new texts are found by their words.
    ///
    /// # Errors
    /// `model_unusable` if the encoder has ended because of an internal error.
    pub fn drain(&self) -> Result<usize, Failure> {
        self.ask(Request::Drain)?
    }

    /// Closes the database. Texts that are not embedded yet stay in the queue of the database, for the next program
    /// that opens it.
    ///
    /// An error does not undo what calls have stored.
    pub fn close(mut self) -> Result<(), Failure> {
        Ok(self.end().ok_or_else(Failure::ended)??)
    }

    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> Request) -> Result<T, Failure> {
        let (sender, receiver) = channel();
        self.requests.send(request(sender)).map_err(|_| Failure::ended())?;
        receiver.recv().map_err(|_| Failure::ended())
    }

    /// Ends the thread; `None` if it has panicked.
    fn end(&mut self) -> Option<CoreResult<()>> {
        // Fails only if the thread has ended.
        let _ = self.requests.send(Request::Close);
        self.thread.take()?.join().ok()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.thread.is_some() {
            let _ = self.end();
        }
    }
}

/// The state of a memory's thread.
struct Worker {
    session: Session,
    batches: EmbeddingBatches,
    own: Sender<Request>,
    requests: Receiver<Request>,
    /// Requests that came while the queue was drained.
    later: VecDeque<Request>,
    /// Number of the last steps of indexing between calls that panicked.
    index_panics: u32,
}

impl Worker {
    fn new(settings: &Settings, own: Sender<Request>, requests: Receiver<Request>) -> Self {
        let on_encoder = own.clone();
        let mut session = Session::new(settings, move |_| drop(on_encoder.send(Request::EncoderLoaded)));
        session.introduce(Caller { kind: CallerKind::Library, ..Caller::default() });
        Self {
            session,
            batches: EmbeddingBatches::default(),
            own,
            requests,
            later: VecDeque::new(),
            index_panics: 0,
        }
    }

    /// Works until the memory is closed. A caller that no longer waits for its answer is not an error.
    fn run(mut self) -> CoreResult<()> {
        while let Some(request) = self.next() {
            match request {
                Request::Open(answer) => {
                    let opened = self.open();
                    let _ = answer.send(opened);
                }
                Request::Call { tool, arguments, answer } => {
                    let _ = answer.send(self.session.call(&tool, &arguments));
                    // A search that was answered but not recorded is no failure of its caller.
                    let _ = self.session.finish();
                }
                Request::Encoded(encodings) => self.store(&encodings),
                Request::EncoderLoaded => {}
                Request::Drain(answer) => {
                    let drained = self.drain();
                    let _ = answer.send(drained);
                }
                Request::Close => break,
            }
        }
        self.session.close()
    }

    /// Returns the next request; does the work of an idle program until there is one.
    fn next(&mut self) -> Option<Request> {
        if let Some(request) = self.later.pop_front() {
            return Some(request);
        }
        if let Ok(request) = self.requests.try_recv() {
            return Some(request);
        }
        loop {
            let indexes = in_background(|| {
                let own = &self.own;
                // Failures are tried again when idle, and reported by the call that needs the database or the index.
                let _ = self.batches.submit(&mut self.session, || {
                    let own = own.clone();
                    move |encodings| drop(own.send(Request::Encoded(encodings)))
                });
                index_step(&mut self.session, &mut self.index_panics)
            });
            match self.requests.recv_timeout(if indexes { Duration::ZERO } else { POLL }) {
                Ok(request) => return Some(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Stores the encodings of a batch. After a failure, its texts are encoded again.
    fn store(&mut self, encodings: &[EncodingResult]) {
        let _ = in_background(|| self.batches.store(&mut self.session, encodings));
    }

    /// Opens the database, unless the model that was wanted cannot be used.
    fn open(&mut self) -> Result<(), Failure> {
        self.require_encoder()?;
        Ok(self.session.open().map(drop)?)
    }

    /// Waits until the encoder is ready, if one is wanted.
    fn require_encoder(&mut self) -> Result<(), Failure> {
        self.session.wait_for_encoder().map_err(|problem| Failure {
            hint: Some(MODEL_HINT.to_owned()),
            ..Failure::new("model_unusable", problem.strip_prefix(KEYWORD_SEARCH).unwrap_or(problem))
        })
    }

    fn drain(&mut self) -> Result<usize, Failure> {
        // The texts of a batch that is encoded cannot be taken from the queue.
        while self.batches.is_encoding() {
            match self.requests.recv() {
                Ok(Request::Encoded(encodings)) => self.store(&encodings),
                Ok(request) => self.later.push_back(request),
                Err(_) => break,
            }
        }
        self.require_encoder()?;
        self.session.drain()?;
        Ok(self.session.outstanding()?)
    }
}

/// Does a step of indexing between calls. Returns whether there may be more. Failures are tried again when idle, but
/// not after several panics in a row.
fn index_step(session: &mut Session, panics: &mut u32) -> bool {
    if *panics >= MAX_INDEX_PANICS || !session.is_open() {
        return false;
    }
    let stepped = session.index_step();
    *panics = if matches!(stepped, Err(CoreError::Panicked)) { *panics + 1 } else { 0 };
    stepped.unwrap_or(false)
}
