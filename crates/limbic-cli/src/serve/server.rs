//! The event loop of the server: lines are answered in order, and the embedding queue is processed in between.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};
use std::{env, io};

use anyhow::Result;
use limbic_core::model::text::echo;
use limbic_protocol::EncodingResult;
use limbic_tools::{Answer, Caller, CallerKind};
use serde_json::json;
use serde_json::value::RawValue;

use super::long_calls::{Done, LongCalls};
use super::message::{self, Call, INVALID_PARAMS, METHOD_NOT_FOUND, Message, Refusal, Refused};
use super::reader::Event;
use super::reply::{Asked, Client, Reply, say};
use super::resources::Resources;
use crate::{
    options::Settings,
    project,
    session::{Called, Session},
};

/// Maximum number of texts per batch.
const BATCH_MAX: usize = 8;
/// Target duration of a batch, because a search may have to wait for it.
const BATCH_TIME: Duration = Duration::from_millis(60);
/// Interval of checks for texts left by other servers on the same file.
const POLL: Duration = Duration::from_secs(2);
/// Interval of checks for changes of other processes, for subscribed clients.
const LOOK: Duration = Duration::from_millis(400);

/// Requests of clients that hear of changes.
const SUBSCRIPTIONS: [&str; 2] = ["resources/subscribe", "resources/unsubscribe"];

/// Maximum number of events between two steps of a long call.
const EVENTS_A_STEP: usize = 64;

/// Returns a client of this name, in the project of the working directory.
fn caller(client: String) -> Caller {
    let project = env::current_dir().ok().and_then(|folder| project::of_folder(&folder));
    Caller { kind: CallerKind::Client, client, project: project.unwrap_or_default() }
}

/// A server with one session, or one for each client over HTTP.
pub struct Server {
    session: Session,
    resources: Resources,
    events: Sender<Event>,
    long_calls: LongCalls,
    /// Number of events since the last step of a long call.
    taken: usize,
    /// Start time of the current batch.
    reading_since: Option<Instant>,
    batch: usize,
}

impl Server {
    /// Creates a server; the database is opened at the first call.
    pub fn new(settings: &Settings, events: Sender<Event>) -> Self {
        let on_encoder = events.clone();
        let mut session = Session::new(settings, move || drop(on_encoder.send(Event::EncoderLoaded)));
        session.introduce(caller(String::new()));
        let resources = Resources::new(&settings.tools);
        Self {
            session,
            resources,
            events,
            long_calls: LongCalls::default(),
            taken: 0,
            reading_since: None,
            batch: 1,
        }
    }

    /// Serves until the end of input or a signal, then closes the database.
    pub fn run(mut self, events: &Receiver<Event>) -> Result<()> {
        while let Some(event) = self.next(events) {
            match event {
                // A client that no longer reads has disconnected.
                Event::Asked(asked) => match self.take(asked) {
                    Ok(()) => self.session.finish(),
                    Err(_) => break,
                },
                Event::Ended(session) => self.session.end(&session),
                Event::Introduced(client) => self.session.introduce(caller(client)),
                Event::Encoded(encodings) => self.store(&encodings),
                Event::Run(work) => work(&mut self.session),
                Event::EncoderLoaded => {}
                Event::End => {
                    self.work_off(events);
                    break;
                }
                Event::Stop => break,
            }
        }
        for done in self.long_calls.call_off(&mut self.session) {
            // As above.
            let _ = self.answer(done);
        }
        Ok(self.session.close()?)
    }

    /// Completes the long calls, unless a signal arrives.
    fn work_off(&mut self, events: &Receiver<Event>) {
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
            if self.long_calls.is_empty() || self.taken < EVENTS_A_STEP {
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
            self.pump();
            for notice in self.resources.changed_by_others(&mut self.session) {
                // A disconnected client is noticed at the next answer.
                let _ = say(&notice);
            }
            let wait = if self.indexes() {
                Duration::ZERO
            } else if self.resources.are_wanted() {
                LOOK
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
        if self.session.settles() {
            return false;
        }
        self.session.index_step().unwrap_or_else(|error| {
            eprintln!("limbic: the code index waits: {error}");
            false
        })
    }

    /// Sends the next batch to the encoder, unless it is busy. If the database cannot be opened, the call that needs
    /// it reports that.
    fn pump(&mut self) {
        if self.reading_since.is_some() || self.session.settles() {
            return;
        }
        if let Ok(Some(tasks)) = self.session.take(self.batch) {
            self.reading_since = Some(Instant::now());
            let events = self.events.clone();
            self.session.submit(tasks, move |encodings| drop(events.send(Event::Encoded(encodings))));
        }
    }

    fn store(&mut self, encodings: &[EncodingResult]) {
        let time = self.reading_since.take().map_or(BATCH_TIME, |since| since.elapsed());
        if time < BATCH_TIME / 2 {
            self.batch = (self.batch * 2).min(BATCH_MAX);
        } else if time > BATCH_TIME {
            self.batch = (self.batch / 2).max(1);
        }
        if let Err(error) = self.session.store(encodings) {
            eprintln!("limbic: the embedding queue waits: {error}");
        }
    }

    fn take(&mut self, Asked { text, client, reply }: Asked) -> io::Result<()> {
        let hears_of_changes = client.is_none();
        if let Some(Client { session, name, offer, kind }) = client {
            let caller = Caller { kind, client: name, project: String::new() };
            self.session.serve(session.into(), caller, offer);
        }
        match message::read(&text) {
            Ok(Message::Silent) => Ok(()),
            Ok(Message::Cancelled { id }) => {
                self.long_calls.cancel(&mut self.session, id);
                Ok(())
            }
            Err(refusal) => reply.say(message::refusal(&refusal)),
            Ok(Message::Request { id, method, params }) if method == "tools/call" => {
                match message::read_call(params) {
                    Ok(call) => self.call(id, &call, reply),
                    Err(message) => refuse(reply, id, (INVALID_PARAMS, message)),
                }
            }
            // Notifications would have no stream to arrive on.
            Ok(Message::Request { id, method, .. })
                if !hears_of_changes && SUBSCRIPTIONS.contains(&method.as_str()) =>
            {
                refuse(reply, id, unknown(&method))
            }
            Ok(Message::Request { id, method, params }) => {
                let answered = self.resources.answer(&mut self.session, &method, params);
                match answered.unwrap_or_else(|| Err(unknown(&method))) {
                    Ok(result) => reply.say(message::answer(id, &result)),
                    Err(refused) => refuse(reply, id, refused),
                }
            }
        }
    }

    /// Answers a call, unless it takes steps.
    fn call(&mut self, id: &RawValue, call: &Call<'_>, reply: Reply) -> io::Result<()> {
        match self.session.start(&call.name, call.arguments) {
            Called::Answered(answer) => {
                reply.completed(&call.name, call.arguments, &answer);
                reply.say(message::answer(id, &self.called(&call.name, &answer)))
            }
            Called::Reads(file) => match self.long_calls.add(&mut self.session, id, call, file, reply) {
                Some(done) => self.answer(done),
                None => Ok(()),
            },
        }
    }

    /// Runs the next step of the long calls.
    fn step(&mut self) -> io::Result<()> {
        match self.long_calls.step(&mut self.session) {
            Some(done) => {
                self.answer(done)?;
                self.session.finish();
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn answer(&mut self, Done { id, tool, arguments, answer, reply }: Done) -> io::Result<()> {
        reply.completed(&tool, &arguments, &answer);
        let result = self.called(&tool, &answer);
        reply.say(message::answer(&id, &result))
    }

    /// Returns the result of a call.
    fn called(&self, tool: &str, answer: &Answer) -> String {
        let content = json!([{"type": "text", "text": answer.json}]);
        // Clients check structured content against the tool's output schema, which no error fits.
        if answer.is_error {
            return format!(r#"{{"content":{content},"isError":true}}"#);
        }
        for notice in self.resources.changed_by(tool) {
            // As above.
            let _ = say(&notice);
        }
        format!(r#"{{"content":{content},"structuredContent":{}}}"#, answer.json)
    }
}

fn unknown(method: &str) -> Refused {
    (METHOD_NOT_FOUND, format!("there is no method {}", echo(method)))
}

fn refuse(reply: Reply, id: &RawValue, (code, message): Refused) -> io::Result<()> {
    reply.say(message::refusal(&Refusal { id: Some(id), code, message }))
}
