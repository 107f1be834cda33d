//! The event loop of the server: lines are answered in order, and the embedding queue is processed in between.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::Duration;
use std::{env, io};

use limbic_core::Error;
use limbic_memory::embedding_batches::EmbeddingBatches;
use limbic_memory::environment::variable;
use limbic_memory::host::monotonic_millis;
use limbic_memory::location::in_background;
use limbic_memory::session::{CallOutcome, Session};
use limbic_protocol::EncodingResult;
use limbic_tools::{Answer, Caller, CallerKind, IsAbandoned, SessionId, TimeLimits, error_json};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::cancellations::Cancellations;
use super::confirmation::{Confirmation, Confirmations, declined, digest_of};
use super::envelope::{Cache, Envelope, complete};
use super::failure_log::FailureLog;
use super::long_calls::{Done, LongCalls};
use super::message::{self, Call, INVALID_PARAMS, Message, Refusal, Refused};
use super::protocol::unknown;
use super::reader::Event;
use super::reply::{Client, ClientMessage, Reply};
use super::resources::{RESOURCE_NOT_FOUND, Resources};
use super::source_watch::SourceWatch;
use super::stopping::Stopping;
use crate::{
    options::Settings,
    output,
    project::{self, Project},
};

/// Interval of checks for texts left by other servers on the same file.
const POLL: Duration = Duration::from_secs(2);
/// Interval of checks for changes of other processes, for subscribed clients.
const CHANGE_CHECK: Duration = Duration::from_millis(400);

/// Requests of clients that are notified of changes.
const SUBSCRIPTIONS: [&str; 2] = ["resources/subscribe", "resources/unsubscribe"];

/// Maximum number of events between two steps of a long call.
const MAX_EVENTS_PER_STEP: usize = 64;

/// The session of the client on standard input in protocol 2026-07-28, apart from that up to 2025-11-25.
const STATELESS: &str = "stdio";

/// After this many steps in a row that exceeded their time limit, or panicked, a kind of work between calls stops until
/// the server is started again: something in a queue never ends, or is more than the core can handle.
const MAX_STOPPED_STEPS: u32 = 3;

/// Kinds of work between calls, as the log names them. Each has one operation: its success ends a row of failures.
const INDEXING: &str = "the code index";
const WATCHING: &str = "the watch of source code";
const READING_CHANGES: &str = "reading of changed source code";
const TAKING_TEXTS: &str = "reading of the embedding queue";
const STORING_VECTORS: &str = "the embedding queue";
const DEFERRED_WRITES: &str = "the log of searches and accesses";

/// For tests: the time limit of every call and of each step of work between calls, in milliseconds.
const TEST_LIMIT: &str = "LIMBIC_TEST_LIMIT";
/// For tests: the tool, the resource or the prompt whose calls panic.
const TEST_TRAP: &str = "LIMBIC_TEST_TRAP";

/// A server with one session, or one for each client over HTTP.
pub struct Server {
    session: Session,
    /// The client on standard input, in the project of the working directory.
    stdio: Caller,
    confirmations: Confirmations,
    cancelled: Cancellations,
    resources: Resources,
    events: Sender<Event>,
    long_calls: LongCalls,
    watch: SourceWatch,
    failures: FailureLog,
    /// Number of events since the last step of a long call.
    taken: usize,
    batches: EmbeddingBatches,
    /// For each kind of work between calls, the number of steps in a row that exceeded their time limit, or panicked.
    stopped_steps: HashMap<&'static str, u32>,
}

impl Server {
    /// Creates a server; the database is opened at the first call.
    pub fn new(
        settings: &Settings,
        confirmations: Confirmations,
        events: Sender<Event>,
        cancelled: Cancellations,
        stopping: &Stopping,
    ) -> Self {
        let on_encoder = events.clone();
        let mut session = Session::new(settings, move |problem| {
            output::encoder_loaded(problem);
            drop(on_encoder.send(Event::EncoderLoaded));
        });
        let Project { name, folder } =
            env::current_dir().map(|folder| project::of_folder(&folder)).unwrap_or_default();
        let project = name.unwrap_or_default();
        let stdio = Caller { kind: CallerKind::Client, client: String::new(), project, folder };
        session.introduce(stdio.clone());
        let test_limit_millis = variable(TEST_LIMIT).ok().flatten().and_then(|text| text.parse().ok());
        let stop = Some(stopping.limits());
        session.limit_time(TimeLimits { clock: monotonic_millis, test_limit_millis, stop });
        session.trap_at(variable(TEST_TRAP).ok().flatten());
        let resources = Resources::new(&settings.tools);
        Self {
            session,
            stdio,
            confirmations,
            cancelled,
            resources,
            watch: SourceWatch::new(events.clone()),
            failures: FailureLog::new(settings.db.clone()),
            events,
            long_calls: LongCalls::default(),
            taken: 0,
            batches: EmbeddingBatches::default(),
            stopped_steps: HashMap::new(),
        }
    }

    /// Opens the memory before the first call, so that the log says at the start why a store cannot be used. Its server
    /// may start later than this one: the next call tries again.
    pub fn open_first(&mut self) {
        let opened = in_background(|| self.session.open().map(drop));
        self.failures.note_start(opened);
    }

    /// Serves until the end of input or a signal, then closes the database.
    pub fn run(mut self, events: &Receiver<Event>) -> anyhow::Result<()> {
        while let Some(event) = self.next(events) {
            self.failures.check();
            self.note_panic();
            match event {
                // A client that no longer reads has disconnected.
                Event::Received(message) => match self.handle_message(message) {
                    Ok(()) => self.finish(),
                    Err(_) => break,
                },
                Event::Ended(session) => self.session.end(&session),
                Event::Introduced(client) => self.stdio.client = client,
                Event::Encoded(encodings) => in_background(|| self.store(&encodings)),
                Event::Run(work) => work(&mut self.session),
                Event::FilesChanged { root, paths } => in_background(|| self.changed(root, paths)),
                Event::EncoderLoaded => {}
                Event::End => {
                    self.finish_long_calls(events);
                    break;
                }
                Event::Stop => break,
            }
        }
        for done in self.long_calls.interrupt(&mut self.session) {
            // As above.
            let _ = self.answer(done);
        }
        self.resources.close();
        Ok(self.session.close()?)
    }

    /// Completes the long calls, unless a signal arrives.
    fn finish_long_calls(&mut self, events: &Receiver<Event>) {
        while !self.long_calls.is_empty() && !matches!(events.try_recv(), Ok(Event::Stop)) {
            if self.step().is_err() {
                return;
            }
        }
    }

    /// Returns the next event. Long calls run only if no event is waiting, or after many events since their last
    /// step; the embedding queue is processed only when idle.
    fn next(&mut self, events: &Receiver<Event>) -> Option<Event> {
        loop {
            if self.long_calls.is_empty() || self.taken < MAX_EVENTS_PER_STEP {
                self.taken += 1;
                match events.try_recv() {
                    Ok(event) => return Some(event),
                    Err(TryRecvError::Disconnected) => return None,
                    Err(TryRecvError::Empty) => {}
                }
            }
            self.taken = 0;
            if self.long_calls.is_empty() {
                break;
            }
            if self.step().is_err() {
                return None;
            }
        }
        loop {
            in_background(|| {
                self.submit_embedding_batch();
                self.resources.check(&mut self.session);
            });
            self.failures.check();
            self.note_panic();
            let wait = if in_background(|| self.indexes()) {
                Duration::ZERO
            } else if self.resources.are_wanted() {
                CHANGE_CHECK
            } else {
                POLL
            };
            match events.recv_timeout(wait) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Does a step of indexing source code. Returns whether there may be more. A failure is tried again when idle.
    fn indexes(&mut self) -> bool {
        if self.session.drains_queue() || !self.session.is_open() {
            return false;
        }
        if !self.has_stopped(INDEXING) {
            let stepped = self.session.index_step();
            self.note(INDEXING, &stepped);
            if let Ok(true) = stepped {
                return true;
            }
        }
        if !self.has_stopped(WATCHING) {
            let folders = self.session.watched_folders();
            self.note(WATCHING, &folders);
            if let Ok(Some(projects)) = folders {
                self.watch.follow(&projects);
            }
        }
        false
    }

    /// Notes changed files for the next steps of indexing. After a failure they are reported again.
    fn changed(&mut self, root: String, paths: Vec<String>) {
        if self.has_stopped(READING_CHANGES) {
            return;
        }
        let changed = self.session.files_changed(&root, &paths);
        self.note(READING_CHANGES, &changed);
        if changed.is_err() {
            self.watch.report_later(&root, paths);
        }
    }

    /// Notes the changed files that are held back before a call that reads source code.
    fn note_changes_before(&mut self, call: &Call<'_>) {
        if self.watch.has_changes() && self.session.reads_code(&call.name, call.arguments) {
            for (root, paths) in self.watch.take() {
                in_background(|| self.changed(root, paths));
            }
        }
    }

    /// Sends the next batch to the encoder, unless it is busy.
    fn submit_embedding_batch(&mut self) {
        let has_stopped = self.has_stopped(TAKING_TEXTS) || self.has_stopped(STORING_VECTORS);
        if self.session.drains_queue() || has_stopped {
            return;
        }
        let events = &self.events;
        let submitted = self.batches.submit(&mut self.session, || {
            let events = events.clone();
            move |encodings| drop(events.send(Event::Encoded(encodings)))
        });
        self.note(TAKING_TEXTS, &submitted);
    }

    fn store(&mut self, encodings: &[EncodingResult]) {
        let stored = self.batches.store(&mut self.session, encodings);
        self.note(STORING_VECTORS, &stored);
    }

    /// Notes the result of a step of a kind of work between calls that has not stopped.
    fn note<T>(&mut self, work: &'static str, result: &Result<T, Error>) {
        if matches!(result, Err(Error::Stopping)) {
            return;
        }
        self.failures.note(work, result);
        match result {
            Ok(_) => {
                self.stopped_steps.remove(work);
            }
            Err(error @ (Error::Timeout { .. } | Error::Panicked)) => {
                let steps = self.stopped_steps.entry(work).or_default();
                *steps += 1;
                if *steps == MAX_STOPPED_STEPS {
                    let why = if matches!(error, Error::Panicked) { "panicked" } else { "took too long" };
                    log!("{work} {why} several times; restart the server to resume it");
                }
            }
            Err(_) => {}
        }
    }

    /// Logs that a panic has closed the database, and opens it again for the work between calls.
    fn note_panic(&mut self) {
        if self.session.take_panicked() {
            log!("the core panicked; the database is opened again, and the other calls are answered");
            // A failure is reported by the call that needs the database.
            let _ = in_background(|| self.session.open().map(drop));
            self.resources.reopened();
        }
    }

    /// Whether a kind of work between calls has stopped for good.
    fn has_stopped(&self, work: &str) -> bool {
        self.stopped_steps.get(work).is_some_and(|steps| *steps >= MAX_STOPPED_STEPS)
    }

    fn handle_message(
        &mut self,
        ClientMessage { text, client, envelope, reply }: ClientMessage,
    ) -> io::Result<()> {
        if envelope.is_some() && reply.is_unread() {
            // In protocol 2026-07-28, a client cancels a request by closing its stream.
            return Ok(());
        }
        let gets_notifications = client.is_none();
        let of_client = client.as_ref().map(|client| client.session.clone());
        let holder = self.register_client(client, envelope.as_ref());
        match message::read(&text) {
            Ok(Message::Silent) => Ok(()),
            Ok(Message::Cancelled { id }) => {
                self.cancelled.forget(of_client.as_deref(), id);
                match self.long_calls.cancel(&mut self.session, id, &reply) {
                    Some(done) if done.reply.is_output() => self.resources.called(&done.tool),
                    // Its connection waits for a response.
                    Some(done) => self.answer(done)?,
                    None => {}
                }
                if reply.is_output() {
                    self.resources.cancel(id);
                }
                Ok(())
            }
            Err(refusal) => reply.say(message::refusal(&refusal)),
            // It waited in the queue. A cancelled request gets no response.
            Ok(Message::Request { id, .. }) if reply.is_output() && self.cancelled.contain(None, id) => {
                Ok(())
            }
            Ok(Message::Request { id, method, params }) if method == "tools/call" => {
                match message::read_call(params) {
                    Ok(call) if self.cancelled.contain(of_client.as_deref(), id) => {
                        let answer = Answer { is_error: true, json: error_json(&Error::CallAbandoned) };
                        let result = self.call_result(&call.name, &answer, envelope.is_some());
                        reply.say(message::answer(id, &result))
                    }
                    Ok(call) => {
                        let is_abandoned = self.watch(of_client, id, &reply);
                        self.session.set_abandoned(is_abandoned);
                        self.call(id, &call, envelope.as_ref(), &holder, reply)
                    }
                    Err(message) => refuse(reply, id, Refused::new(INVALID_PARAMS, message)),
                }
            }
            Ok(Message::Request { id, method, params })
                if envelope.is_some() && method == "subscriptions/listen" =>
            {
                self.resources.listen(&mut self.session, id, params, &holder, reply)
            }
            // Notifications would have no stream to arrive on.
            Ok(Message::Request { id, method, .. })
                if !gets_notifications && SUBSCRIPTIONS.contains(&method.as_str()) =>
            {
                refuse(reply, id, unknown(&method))
            }
            Ok(Message::Request { id, method, params }) => {
                let answered = self.resources.answer(&mut self.session, &method, params);
                let answered = answered.unwrap_or_else(|| Err(unknown(&method)));
                let cache = (method == "resources/read").then_some(Cache::Content);
                let answered = if envelope.is_some() { modern(answered, cache) } else { answered };
                match answered {
                    Ok(result) => reply.say(message::answer(id, &result)),
                    Err(refused) => refuse(reply, id, refused),
                }
            }
        }
    }

    /// Serves a client from here on. Returns what identifies its token; nothing for standard input.
    fn register_client(&mut self, client: Option<Client>, envelope: Option<&Envelope>) -> String {
        let is_modern = envelope.is_some();
        match client {
            Some(Client { session, name, client_access, kind, holder }) => {
                // Up to 2025-11-25, a page keeps its domain until another server takes over.
                let is_stateless = is_modern || kind != CallerKind::Explorer;
                let caller = Caller { kind, client: name, ..Caller::default() };
                self.session.serve(session.into(), caller, Some(client_access), is_stateless);
                holder
            }
            None => {
                let mut caller = self.stdio.clone();
                let mut id = SessionId::default();
                if let Some(Envelope { client, .. }) = envelope {
                    caller.client.clone_from(client);
                    id = STATELESS.into();
                }
                self.session.serve(id, caller, None, is_modern);
                String::new()
            }
        }
    }

    /// Answers a call, unless it takes steps, or a person must be asked.
    fn call(
        &mut self,
        id: &RawValue,
        call: &Call<'_>,
        envelope: Option<&Envelope>,
        holder: &str,
        reply: Reply,
    ) -> io::Result<()> {
        if let Some(envelope) = envelope {
            let confirmation = match self.confirmations.read(call, envelope, holder) {
                Ok(confirmation) => confirmation,
                Err(refused) => return refuse(reply, id, refused),
            };
            if confirmation == Confirmation::Declined {
                let answer = Answer { is_error: true, json: declined() };
                return reply.say(message::answer(id, &self.call_result(&call.name, &answer, true)));
            }
            let asked = match self.open_question(call, &confirmation) {
                Ok(question) => question.map(|question| self.confirmations.ask(&question, call, holder)),
                Err(answer) => Some(self.call_result(&call.name, &answer, true)),
            };
            if let Some(asked) = asked {
                return reply.say(message::answer(id, &asked));
            }
        }
        let is_modern = envelope.is_some();
        self.note_changes_before(call);
        match self.session.start(&call.name, call.arguments) {
            // A cancelled request gets no response; over HTTP, its connection waits for one.
            CallOutcome::Answered(answer) if reply.is_output() && is_cancelled(&answer) => Ok(()),
            CallOutcome::Answered(answer) => {
                reply.completed(&call.name, call.arguments, &answer);
                let result = self.call_result(&call.name, &answer, is_modern);
                reply.say(message::answer(id, &result))
            }
            CallOutcome::InSteps(file) => {
                match self.long_calls.add(&mut self.session, id, call, *file, reply, is_modern) {
                    Some(done) => self.answer(done),
                    None => Ok(()),
                }
            }
        }
    }

    /// Returns a check of whether the client of a request has cancelled it or disconnected.
    fn watch(&self, session: Option<String>, id: &RawValue, reply: &Reply) -> IsAbandoned {
        let (cancelled, id) = (self.cancelled.clone(), id.to_owned());
        let is_gone = reply.watch();
        Arc::new(move || {
            is_gone.as_ref().is_some_and(|is_gone| is_gone()) || cancelled.contain(session.as_deref(), &id)
        })
    }

    /// The question that a person must answer before the call is run. If it has changed since it was answered, it is
    /// asked again. The error is the answer to a call that fails before.
    fn open_question(
        &mut self,
        call: &Call<'_>,
        confirmation: &Confirmation,
    ) -> Result<Option<String>, Answer> {
        let accepted = match confirmation {
            Confirmation::Unavailable | Confirmation::Declined => return Ok(None),
            Confirmation::Open => None,
            Confirmation::Accepted(digest) => Some(digest),
        };
        let question = self.session.confirmation(&call.name, call.arguments)?;
        Ok(question.filter(|question| accepted != Some(&digest_of(question))))
    }

    /// Runs the next step of the long calls.
    fn step(&mut self) -> io::Result<()> {
        match self.long_calls.step(&mut self.session) {
            Some(done) => {
                self.answer(done)?;
                self.finish();
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Performs what the last call has deferred, which its client does not wait for.
    fn finish(&mut self) {
        if self.session.take_reopened() {
            self.failures.note_moved();
        }
        if self.has_stopped(DEFERRED_WRITES) {
            return self.session.discard_deferred();
        }
        let finished = in_background(|| self.session.finish());
        self.note(DEFERRED_WRITES, &finished);
    }

    fn answer(&mut self, Done { id, tool, arguments, answer, is_modern, reply }: Done) -> io::Result<()> {
        reply.completed(&tool, &arguments, &answer);
        if answer.is_error {
            // An import keeps the steps before its failure.
            self.resources.called(&tool);
        }
        let result = self.call_result(&tool, &answer, is_modern);
        reply.say(message::answer(&id, &result))
    }

    /// Returns the result of a call, and notifies subscribers of its changes.
    fn call_result(&mut self, tool: &str, answer: &Answer, is_modern: bool) -> String {
        let content = json!([{"type": "text", "text": answer.json}]);
        // Clients check structured content against the tool's output schema, which no error fits.
        let result = if answer.is_error {
            format!(r#"{{"content":{content},"isError":true}}"#)
        } else {
            self.resources.called(tool);
            format!(r#"{{"content":{content},"structuredContent":{}}}"#, answer.json)
        };
        if is_modern { complete(&result, None) } else { result }
    }
}

/// Whether a call was stopped because its client has cancelled it. One that has failed before is answered.
fn is_cancelled(answer: &Answer) -> bool {
    answer.is_error
        && serde_json::from_str::<Value>(&answer.json)
            .is_ok_and(|failure| failure["code"] == Error::CallAbandoned.code())
}

/// An answer with the fields and codes of protocol 2026-07-28.
fn modern(answered: Result<String, Refused>, cache: Option<Cache>) -> Result<String, Refused> {
    answered.map(|result| complete(&result, cache)).map_err(|refused| match refused.code {
        RESOURCE_NOT_FOUND => Refused { code: INVALID_PARAMS, ..refused },
        _ => refused,
    })
}

fn refuse(reply: Reply, id: &RawValue, reason: Refused) -> io::Result<()> {
    reply.say(message::refusal(&Refusal { id: Some(id), reason }))
}
