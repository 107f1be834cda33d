//! Lines from standard input. Requests that need no database are answered here, so that long calls do not delay them;
//! the others are queued in order.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::Sender;
use std::thread;

use limbic_protocol::EncodingResult;
use limbic_tools::SessionId;
use serde_json::Value;

use super::message::{self, INVALID_REQUEST, Message, Refusal};
use super::protocol::Protocol;
use super::reply::{Asked, Reply, say};
use crate::session::Session;

/// An event that the server handles, in the order of arrival.
pub enum Event {
    /// The client has introduced itself with a name.
    Introduced(String),
    /// A message.
    Asked(Asked),
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
}

/// Maximum length of a line; longer ones are rejected.
const LINE_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Reads on its own thread until the input ends.
pub fn start(protocol: Protocol, events: Sender<Event>) {
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(line)) = next(&mut input) {
            if let Some(name) = client_name(&line)
                && events.send(Event::Introduced(name)).is_err()
            {
                return;
            }
            match answer(&protocol, &line) {
                // A client that no longer reads has disconnected.
                Some(said) if say(&said).is_err() => break,
                Some(_) => {}
                None => {
                    let Line::Whole(line) = line else { continue };
                    let asked = |text| Asked { text, client: None, reply: Reply::Output };
                    if !line.is_empty() && events.send(Event::Asked(asked(line))).is_err() {
                        return;
                    }
                }
            }
        }
        // The server may have ended already.
        let _ = events.send(Event::End);
    });
}

/// Returns the name of the client, if the line introduces it.
fn client_name(line: &Line) -> Option<String> {
    let Line::Whole(line) = line else { return None };
    match message::read(line) {
        Ok(Message::Request { method, params, .. }) if method == "initialize" => {
            let params: Value = serde_json::from_str(params?.get()).ok()?;
            Some(params["clientInfo"]["name"].as_str().unwrap_or_default().to_owned())
        }
        _ => None,
    }
}

enum Line {
    Whole(String),
    TooLong,
}

/// Returns the immediate answer to a line; `None` if it is for the server, or needs no answer.
fn answer(protocol: &Protocol, line: &Line) -> Option<String> {
    let line = match line {
        Line::Whole(line) if line.is_empty() => return None,
        Line::Whole(line) => line,
        Line::TooLong => {
            let message = format!("The message is longer than {LINE_BYTES_MAX} bytes: send it in parts");
            return Some(message::refusal(&Refusal { id: None, code: INVALID_REQUEST, message }));
        }
    };
    match message::read(line) {
        Ok(Message::Silent | Message::Cancelled { .. }) => None,
        Err(refusal) => Some(message::refusal(&refusal)),
        Ok(Message::Request { id, method, params }) => {
            protocol.answer(&method, params).map(|result| message::answer(id, &result))
        }
    }
}

fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_cut = u64::try_from(line.len()) == Ok(LINE_BYTES_MAX) && line.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    Ok(Some(Line::Whole(String::from_utf8_lossy(&line).trim().to_owned())))
}
