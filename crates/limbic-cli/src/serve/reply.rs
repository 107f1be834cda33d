//! Messages to answer, and where their answers go.

use std::io::{self, Write};
use std::sync::Arc;

use limbic_tools::{Answer, CallerKind, IsAbandoned};

use super::batches::Batch;
use super::envelope::Envelope;
use super::message::{self, Message, Refusal, Refused};
use crate::client_access::ClientAccess;

/// A message of a client.
pub struct ClientMessage {
    /// JSON.
    pub text: String,
    /// Who sent it; `None` for the client on standard input.
    pub client: Option<Client>,
    /// The description of its client; `None` up to 2025-11-25.
    pub envelope: Option<Envelope>,
    /// Where the answer goes.
    pub reply: Reply,
}

impl ClientMessage {
    /// Refuses it, if it is a request.
    pub fn refuse(self, reason: Refused) {
        if let Ok(Message::Request { id, .. }) = message::read(&self.text) {
            // A client that no longer reads has disconnected.
            let _ = self.reply.say(message::refusal(&Refusal { id: Some(id), reason }));
        }
    }
}

/// A client over HTTP.
#[derive(Clone)]
pub struct Client {
    /// Its access.
    pub client_access: Arc<ClientAccess>,
    /// An agent, or a person in the explorer.
    pub kind: CallerKind,
    /// Its session, the key of plans and feedback.
    pub session: String,
    /// The name that it gave; may be empty.
    pub name: String,
    /// Identifies the token.
    pub holder: String,
}

/// Where the answer to a message goes.
pub enum Reply {
    /// A line on standard output.
    Output,
    /// A part of such a line: the responses to a batch.
    Batched(Batch),
    /// A response that a client waits for.
    Response(Box<dyn Waiting>),
}

/// A client that waits for a response.
pub trait Waiting: Send {
    /// Records the answer of a call, before the response is sent.
    fn completed(&self, tool: &str, arguments: &str, answer: &Answer);

    /// Sends a message before the response, if the client can receive any and few are unread.
    fn notify(&self, message: String);

    /// The number of sent messages that were not passed on to the connection so far.
    fn unread(&self) -> usize;

    /// Stops to count the bytes of the request, whose text is not kept any longer.
    fn release_bytes(&mut self);

    /// Sends the response.
    fn answer(self: Box<Self>, message: String);

    /// Whether the client has disconnected.
    fn is_gone(&self) -> bool;

    /// Returns a check, for any thread, of whether the client has disconnected.
    fn watch(&self) -> IsAbandoned;
}

/// Writes a complete message to standard output, from any thread.
pub fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

impl Reply {
    /// Sends the answer.
    ///
    /// # Errors
    /// When standard output cannot be written. A disconnected HTTP client is not an error.
    pub fn say(self, message: String) -> io::Result<()> {
        match self {
            Reply::Output => say(&message),
            Reply::Batched(batch) => batch.answer(message),
            Reply::Response(waiting) => {
                waiting.answer(message);
                Ok(())
            }
        }
    }

    /// Sends a message before the answer. A client that has gone is noticed at the answer.
    pub fn notify(&self, message: String) {
        match self {
            Reply::Output | Reply::Batched(_) => drop(say(&message)),
            Reply::Response(waiting) => waiting.notify(message),
        }
    }

    /// The number of messages that wait because the client does not read; none on standard output, which waits.
    pub fn unread(&self) -> usize {
        match self {
            Reply::Output | Reply::Batched(_) => 0,
            Reply::Response(waiting) => waiting.unread(),
        }
    }

    /// Stops to count the bytes of a request that stays open, whose text is not kept any longer.
    pub fn release_bytes(&mut self) {
        if let Reply::Response(waiting) = self {
            waiting.release_bytes();
        }
    }

    /// Records the answer of a call, before it is sent.
    pub fn completed(&self, tool: &str, arguments: &str, answer: &Answer) {
        if let Reply::Response(waiting) = self {
            waiting.completed(tool, arguments, answer);
        }
    }

    /// Whether the client has disconnected.
    pub fn is_unread(&self) -> bool {
        matches!(self, Reply::Response(waiting) if waiting.is_gone())
    }

    /// Returns a check of whether the client has disconnected; `None` for standard input, whose client may still read
    /// when it has ended its input.
    pub fn watch(&self) -> Option<IsAbandoned> {
        match self {
            Reply::Output | Reply::Batched(_) => None,
            Reply::Response(waiting) => Some(waiting.watch()),
        }
    }

    /// Whether it belongs to the client on standard input.
    pub fn is_output(&self) -> bool {
        matches!(self, Reply::Output | Reply::Batched(_))
    }
}
