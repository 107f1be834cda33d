//! Lines from standard input. Requests that need no database are answered here, so that long calls do not delay them;
//! the others are queued in order.

use std::io::{self, BufRead, Read as _};
use std::sync::mpsc::{SendError, Sender};
use std::thread;

use limbic_protocol::EncodingResult;
use limbic_tools::SessionId;
use serde_json::Value;
use serde_json::value::RawValue;

use super::cancellations::Cancellations;
use super::envelope::{self, Cache, Envelope};
use super::message::{self, INVALID_REQUEST, Message, Refusal, Refused};
use super::protocol::{Protocol, require_first_page};
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
        let mut reader = Reader { protocol, cancelled, is_modern: None };
        while let Ok(Some(line)) = next(&mut input) {
            let passed_on = match reader.read(&line) {
                Read::Nothing => Ok(()),
                // A client that no longer reads has disconnected.
                Read::Answer(answer) => match say(&answer) {
                    Ok(()) => Ok(()),
                    Err(_) => break,
                },
                Read::Greeting { client, answer } => {
                    let introduced = events.send(Event::Introduced(client));
                    if say(&answer).is_err() {
                        break;
                    }
                    introduced
                }
                Read::Request(envelope) => {
                    let Line::Whole(text) = line else { continue };
                    let message = ClientMessage { text, client: None, envelope, reply: Reply::Output };
                    let sent = events.send(Event::Received(message));
                    if let Err(SendError(Event::Received(message))) = &sent {
                        refuse_late(&message.text);
                    }
                    sent
                }
            };
            if passed_on.is_err() {
                return;
            }
        }
        // The server may have ended already.
        let _ = events.send(Event::End);
    });
}

/// Refuses a request to a server that has ended.
fn refuse_late(text: &str) {
    if let Ok(Message::Request { id, .. }) = message::read(text) {
        // As above.
        let _ = say(&message::refusal(&Refusal { id: Some(id), reason: stopping::refusal() }));
    }
}

enum Line {
    Whole(String),
    TooLong,
}

/// The result of reading a line.
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
    /// Whether the client's first request was of protocol 2026-07-28. Then all must be; `server/discover` only looks.
    is_modern: Option<bool>,
}

impl Reader {
    fn read(&mut self, line: &Line) -> Read {
        let line = match line {
            Line::Whole(line) if line.is_empty() => return Read::Nothing,
            Line::Whole(line) => line,
            Line::TooLong => {
                let message = format!("The message is longer than {MAX_LINE_BYTES} bytes: send it in parts");
                return refused(None, Refused::new(INVALID_REQUEST, message));
            }
        };
        match message::read(line) {
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
                    if let Err(reason) = require_first_page(&method, params) {
                        return refused(Some(id), reason);
                    }
                    let Some(result) = self.protocol.answer(&method, params) else {
                        return Read::Request(None);
                    };
                    let answer = message::answer(id, &result);
                    if method == "initialize" {
                        return Read::Greeting { client: client_name(params), answer };
                    }
                    Read::Answer(answer)
                }
            },
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
    Read::Answer(message::refusal(&Refusal { id, reason }))
}

/// The refusal of a request up to 2025-11-25 of a client that has begun with the later protocol.
fn without_version(method: &str, params: Option<&RawValue>) -> Refused {
    if method != "initialize" {
        return envelope::missing();
    }
    envelope::unsupported(parsed(params)["protocolVersion"].as_str())
}

/// The name of a client that introduces itself.
fn client_name(params: Option<&RawValue>) -> String {
    parsed(params)["clientInfo"]["name"].as_str().unwrap_or_default().to_owned()
}

fn parsed(params: Option<&RawValue>) -> Value {
    params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default()
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
