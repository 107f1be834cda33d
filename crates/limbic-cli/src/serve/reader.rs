//! Lines from standard input. Requests that need no database are answered here, so that long calls do not delay them;
//! the others are queued in order.

use std::io::{self, BufRead, Read as _};
use std::sync::mpsc::{SendError, Sender};
use std::thread;

use limbic_protocol::EncodingResult;
use limbic_tools::SessionId;
use serde_json::value::RawValue;

use super::batches::{self, Batch};
use super::cancellations::Cancellations;
use super::envelope::{self, Cache, Envelope};
use super::members::{params_of, text_of};
use super::message::{self, INVALID_REQUEST, Message, Refusal, Refused};
use super::protocol::{Greeting, Protocol, require_first_page};
use super::reply::{ClientMessage, Reply, say};
use super::stopping;
use limbic_memory::session::Session;

/// An event that the server handles, in the order of arrival.
pub enum Event {
    /// The client has introduced itself with a name.
    Introduced(String),
    /// A message.
    Received(ClientMessage),
    /// A client over HTTP ends its session.
    Ended(SessionId),
    /// Something is to be done with the database.
    Run(Box<dyn FnOnce(&mut Session) + Send>),
    /// The end of the input.
    End,
    /// A signal to stop.
    Stop,
    /// The encoder is ready, or has failed to load.
    EncoderLoaded,
    /// The encodings of a batch.
    Encoded(Vec<EncodingResult>),
    /// Files of a watched project have changed.
    FilesChanged {
        /// Folder of the project.
        root: String,
        /// Paths below it; any if empty.
        paths: Vec<String>,
    },
}

/// Maximum length of a line; longer ones are rejected.
const MAX_LINE_BYTES: u64 = 512 * 1024 * 1024;

/// Reads on its own thread until the input ends.
pub fn start(protocol: Protocol, events: Sender<Event>, cancelled: Cancellations) {
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut reader =
            Reader { protocol, cancelled, events: events.clone(), is_modern: None, has_batches: false };
        while let Ok(Some(line)) = next(&mut input) {
            match reader.take(line) {
                Ok(()) => {}
                Err(Gone::Client) => break,
                Err(Gone::Server) => return,
            }
        }
        // The server may have ended already.
        let _ = events.send(Event::End);
    });
}

/// Why no further line is read.
enum Gone {
    /// The client no longer reads: it has disconnected.
    Client,
    /// The server has ended, and has refused the message.
    Server,
}

impl From<io::Error> for Gone {
    fn from(_: io::Error) -> Self {
        Self::Client
    }
}

enum Line {
    Whole(String),
    TooLong,
}

/// The result of reading a message.
enum Read {
    Nothing,
    /// An answer that needs no database.
    Answer(String),
    /// As [`Read::Answer`], to a client that has introduced itself with a name.
    Greeting {
        client: String,
        answer: String,
    },
    /// An answer of the server. With an envelope, the request is of protocol 2026-07-28.
    Request(Option<Envelope>),
}

/// Answers requests that need no database, and distinguishes the versions of the protocol.
struct Reader {
    protocol: Protocol,
    cancelled: Cancellations,
    events: Sender<Event>,
    /// Whether the client's first request was of protocol 2026-07-28. Then all must be; `server/discover` only looks.
    is_modern: Option<bool>,
    /// Whether the version that the last initialisation has agreed on has batches.
    has_batches: bool,
}

impl Reader {
    /// Answers the messages of a line, or passes them on.
    fn take(&mut self, line: Line) -> Result<(), Gone> {
        let text = match line {
            Line::Whole(text) if text.is_empty() => return Ok(()),
            Line::Whole(text) => text,
            Line::TooLong => {
                let message = format!("The message is longer than {MAX_LINE_BYTES} bytes: send it in parts");
                return Ok(say(&refusal(None, Refused::new(INVALID_REQUEST, message)))?);
            }
        };
        match batches::members(&text).filter(|_| self.has_batches) {
            None => self.take_message(text, Reply::Output, message::read),
            Some(members) => match members.checked() {
                Ok(members) => self.take_batch(&members),
                Err(reason) => Ok(say(&refusal(None, reason))?),
            },
        }
    }

    fn take_batch(&mut self, members: &[&RawValue]) -> Result<(), Gone> {
        let batch = Batch::new(say);
        let mut taken = Ok(());
        for member in members {
            let reply = Reply::Batched(batch.clone());
            // After the end of the server, the others are refused, too.
            taken = taken.and(self.take_message(member.get().to_owned(), reply, batches::read_member));
        }
        batch.end()?;
        taken
    }

    /// Answers a message, or passes it on.
    ///
    /// # Arguments
    /// * `read` - parses it.
    fn take_message(
        &mut self,
        text: String,
        reply: Reply,
        read: fn(&str) -> Result<Message<'_>, Refusal<'_>>,
    ) -> Result<(), Gone> {
        match self.read(read(&text)) {
            Read::Nothing => Ok(()),
            Read::Answer(answer) => Ok(reply.say(answer)?),
            Read::Greeting { client, answer } => {
                let introduced = self.events.send(Event::Introduced(client));
                reply.say(answer)?;
                introduced.map_err(|_| Gone::Server)
            }
            Read::Request(envelope) => {
                let message = ClientMessage { text, client: None, envelope, reply };
                self.events.send(Event::Received(message)).map_err(|SendError(event)| {
                    if let Event::Received(message) = event {
                        message.refuse(stopping::refusal());
                    }
                    Gone::Server
                })
            }
        }
    }

    fn read(&mut self, message: Result<Message<'_>, Refusal<'_>>) -> Read {
        match message {
            Ok(Message::Silent) => Read::Nothing,
            Ok(Message::Cancelled { id }) => {
                self.cancelled.note(None, id);
                Read::Request(None)
            }
            Err(refusal) => Read::Answer(message::refusal(&refusal)),
            Ok(Message::Request { id, method, params }) => match envelope::envelope_of(params) {
                Err(reason) => refused(Some(id), reason),
                Ok(Some(envelope)) => self.read_modern(id, &method, params, envelope),
                Ok(None) if self.is_modern == Some(true) => {
                    refused(Some(id), without_version(&method, params))
                }
                Ok(None) => {
                    self.is_modern = Some(false);
                    if method == "initialize" {
                        return self.greet(id, params);
                    }
                    match self.protocol.answer(&method, params) {
                        None => Read::Request(None),
                        Some(Err(reason)) => refused(Some(id), reason),
                        Some(Ok(result)) => Read::Answer(message::answer(id, &result)),
                    }
                }
            },
        }
    }

    fn greet(&mut self, id: &RawValue, params: Option<&RawValue>) -> Read {
        match self.protocol.greet(params) {
            Ok(Greeting { client, has_batches, result }) => {
                self.has_batches = has_batches;
                Read::Greeting { client, answer: message::answer(id, &result) }
            }
            Err(reason) => refused(Some(id), reason),
        }
    }

    fn read_modern(
        &mut self,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        envelope: Envelope,
    ) -> Read {
        if let Err(reason) = envelope.require_version() {
            return refused(Some(id), reason);
        }
        if method != "server/discover" {
            self.is_modern.get_or_insert(true);
        }
        if let Err(reason) = require_first_page(method, params) {
            return refused(Some(id), reason);
        }
        match self.protocol.answer_modern(method, Cache::List) {
            None => Read::Request(Some(envelope)),
            Some(Ok(result)) => Read::Answer(message::answer(id, &result)),
            Some(Err(reason)) => refused(Some(id), reason),
        }
    }
}

fn refused(id: Option<&RawValue>, reason: Refused) -> Read {
    Read::Answer(refusal(id, reason))
}

fn refusal(id: Option<&RawValue>, reason: Refused) -> String {
    message::refusal(&Refusal { id, reason })
}

/// The refusal of a request up to 2025-11-25 of a client that has begun with the later protocol.
fn without_version(method: &str, params: Option<&RawValue>) -> Refused {
    if method != "initialize" {
        return envelope::missing();
    }
    let [version] = params_of(params, ["protocolVersion"]);
    envelope::unsupported(version.and_then(text_of).as_deref())
}

fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if input.take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_cut = u64::try_from(line.len()) == Ok(MAX_LINE_BYTES) && line.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    Ok(Some(Line::Whole(String::from_utf8_lossy(&line).trim().to_owned())))
}
