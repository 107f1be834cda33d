//! The server's one sequence of events: lines are answered in their order; in between, the queue is worked off.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

use anyhow::Result;
use limbic_core::model::text::echo;
use limbic_protocol::EncodingResult;
use serde_json::json;
use serde_json::value::RawValue;

use super::message::{self, Call, INVALID_PARAMS, METHOD_NOT_FOUND, Message, Refusal, Refused};
use super::reader::say;
use super::resources::Resources;
use crate::{options::Settings, session::Session};

/// How many texts are given to the encoder at once, at most.
const BATCH_MAX: usize = 8;
/// A search may have to wait for the batch that is being read, so batches are kept about this short.
const BATCH_TIME: Duration = Duration::from_millis(60);
/// Another server on the file may have left something to read, and may be gone.
const POLL: Duration = Duration::from_secs(2);
/// A client that has subscribed is to hear of other processes' changes within a second.
const LOOK: Duration = Duration::from_millis(400);

/// What happens to a server.
pub enum Event {
    /// A line came.
    Line(String),
    /// The input ended.
    End,
    /// A signal asks to stop.
    Stop,
    /// The encoder is ready, or will never be.
    EncoderLoaded,
    /// The encoder has read a batch.
    Encoded(Vec<EncodingResult>),
}

/// A server on one session.
pub struct Server {
    session: Session,
    resources: Resources,
    events: Sender<Event>,
    /// Since when the encoder has been reading a batch.
    reading_since: Option<Instant>,
    batch: usize,
}

impl Server {
    /// The database is opened at the first call.
    pub fn new(settings: &Settings, events: Sender<Event>) -> Self {
        let on_encoder = events.clone();
        let session = Session::new(settings, move || drop(on_encoder.send(Event::EncoderLoaded)));
        let resources = Resources::new(&settings.tools);
        Self { session, resources, events, reading_since: None, batch: 1 }
    }

    /// Serves until the input ends or a signal comes, then closes the database.
    pub fn run(mut self, events: &Receiver<Event>) -> Result<()> {
        while let Some(event) = self.next(events) {
            match event {
                // A client that no longer listens has left.
                Event::Line(line) => match self.take(&line) {
                    Ok(()) => self.session.finish(),
                    Err(_) => break,
                },
                Event::Encoded(encodings) => self.store(&encodings),
                Event::EncoderLoaded => {}
                Event::End | Event::Stop => break,
            }
        }
        Ok(self.session.close()?)
    }

    /// The next event. The queue is worked off only while none is waiting.
    fn next(&mut self, events: &Receiver<Event>) -> Option<Event> {
        match events.try_recv() {
            Ok(event) => return Some(event),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        loop {
            self.pump();
            for notice in self.resources.changed_by_others(&mut self.session) {
                // A client that is gone shows at the next answer.
                let _ = say(&notice);
            }
            let wait = if self.resources.are_wanted() { LOOK } else { POLL };
            match events.recv_timeout(wait) {
                Ok(event) => return Some(event),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Gives the encoder the next texts, unless it is still reading. A database that cannot be opened is told
    /// of by the call that needs it.
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

    fn take(&mut self, line: &str) -> io::Result<()> {
        match message::read(line) {
            Ok(Message::Silent) => Ok(()),
            Err(refusal) => say(&message::refusal(&refusal)),
            Ok(Message::Request { id, method, params }) => match self.result(&method, params) {
                Ok(result) => say(&message::answer(id, &result)),
                Err((code, message)) => say(&message::refusal(&Refusal { id: Some(id), code, message })),
            },
        }
    }

    fn result(&mut self, method: &str, params: Option<&RawValue>) -> Result<String, Refused> {
        if method == "tools/call" {
            let call = message::read_call(params).map_err(|message| (INVALID_PARAMS, message))?;
            return Ok(self.call(&call));
        }
        self.resources
            .answer(&mut self.session, method, params)
            .unwrap_or_else(|| Err((METHOD_NOT_FOUND, format!("there is no method {}", echo(method)))))
    }

    fn call(&mut self, call: &Call<'_>) -> String {
        let mut progress = |done: u64, total: u64| {
            let Some(token) = call.progress_token else { return };
            // A client that is gone shows at the next answer.
            let _ = say(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{done},"total":{total}}}}}"#,
                token.get()
            ));
        };
        let answer = self.session.call(&call.name, call.arguments, &mut progress);
        let content = json!([{"type": "text", "text": answer.json}]);
        // Clients check structured content against the tool's output schema, which no error fits.
        if answer.is_error {
            return format!(r#"{{"content":{content},"isError":true}}"#);
        }
        for notice in self.resources.changed_by(&call.name) {
            // As above.
            let _ = say(&notice);
        }
        format!(r#"{{"content":{content},"structuredContent":{}}}"#, answer.json)
    }
}
