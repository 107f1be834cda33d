//! Batches of protocol 2025-03-26: one response with the responses to all requests, in their order.

use std::sync::Arc;

use hyper::HeaderMap;
use serde_json::value::RawValue;
use tokio::sync::mpsc::Receiver;

use super::modern_request::SESSION;
use super::pending::Part;
use super::queued_bytes::Reservation;
use super::refusal::Refusal;
use super::response::{Answered, json_response};
use super::sessions::ClientSession;
use super::{Endpoint, Sender, require_version};
use crate::serve::batches;
use crate::serve::message::{self, INVALID_REQUEST, Message, NO_BATCHES, Refused};

/// A request of a batch.
enum Begun {
    /// Its response.
    Answered(String),
    /// Its id, and the parts of its response.
    PassedOn(Box<RawValue>, Receiver<Part>),
}

/// Why a batch is not served.
enum Unserved {
    /// Its session or its headers.
    Request(Refusal),
    /// Its content.
    Content(Refused),
}

impl From<Refusal> for Unserved {
    fn from(refusal: Refusal) -> Self {
        Self::Request(refusal)
    }
}

impl From<Refused> for Unserved {
    fn from(refused: Refused) -> Self {
        Self::Content(refused)
    }
}

impl Endpoint {
    /// Answers a batch. If one of its messages is invalid, none is served.
    pub async fn post_batch(
        &self,
        headers: &HeaderMap,
        text: String,
        sender: Sender<'_>,
        bytes: Reservation,
    ) -> Answered {
        let begun = match self.begin_batch(headers, &text, &sender, bytes) {
            Ok(begun) => begun,
            Err(Unserved::Request(refusal)) => return Err(refusal),
            Err(Unserved::Content(reason)) => {
                let refusal = message::Refusal { id: None, reason };
                return Ok(json_response(400, message::refusal(&refusal)));
            }
        };
        // Each request has its own text.
        drop(text);
        let mut responses = Vec::with_capacity(begun.len());
        for request in begun {
            responses.push(match request {
                Begun::Answered(response) => response,
                Begun::PassedOn(id, mut parts) => match self.next_part(sender.access, &mut parts).await {
                    Ok(Part::Answer(response) | Part::Notification(response)) => response,
                    // A revoked token gets no part of the batch.
                    Err(refusal) if refusal.status == 401 => return Err(refusal),
                    Err(refusal) => refusal.of_request(&id).body(),
                },
            });
        }
        Ok(match responses.is_empty() {
            true => json_response(202, String::new()),
            false => json_response(200, batches::list(&responses)),
        })
    }

    /// Passes on the messages of a batch. Returns its requests.
    fn begin_batch(
        &self,
        headers: &HeaderMap,
        text: &str,
        sender: &Sender<'_>,
        bytes: Reservation,
    ) -> Result<Vec<Begun>, Unserved> {
        let none = || Refused::new(INVALID_REQUEST, NO_BATCHES);
        // Clients without a session have agreed on no version.
        if !headers.contains_key(&SESSION) {
            return Err(none().into());
        }
        require_version(headers)?;
        let session = self.session_of(headers, &sender.access.holder)?;
        let members = batches::members(text).filter(|_| session.has_batches).ok_or_else(none)?.checked()?;
        let mut messages = Vec::with_capacity(members.len());
        for member in members {
            messages.push((member, batches::read_member(member.get()).map_err(|refusal| refusal.reason)?));
        }
        let bytes = Arc::new(bytes);
        let mut begun = Vec::new();
        for (member, message) in messages {
            match message {
                Message::Silent => {}
                Message::Cancelled { id } => {
                    self.cancel(id, member.get().to_owned(), &session, sender, bytes.clone())?;
                }
                Message::Request { id, method, params } => {
                    begun.push(match sender.cached.protocol.answer(&method, params) {
                        Some(Ok(result)) => Begun::Answered(message::answer(id, &result)),
                        Some(Err(reason)) => {
                            let refusal = message::Refusal { id: Some(id), reason };
                            Begun::Answered(message::refusal(&refusal))
                        }
                        None => self.begin(id, &method, member, &session, sender, bytes.clone()),
                    });
                }
            }
        }
        Ok(begun)
    }

    /// Passes on a request that needs the database.
    fn begin(
        &self,
        id: &RawValue,
        method: &str,
        member: &RawValue,
        session: &ClientSession,
        sender: &Sender<'_>,
        bytes: Arc<Reservation>,
    ) -> Begun {
        match self.submit(method, member.get().to_owned(), session, sender, bytes) {
            Ok(parts) => Begun::PassedOn(id.to_owned(), parts),
            Err(refusal) => Begun::Answered(refusal.of_request(id).body()),
        }
    }
}
