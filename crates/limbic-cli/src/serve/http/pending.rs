//! Responses that are still to be sent.

use std::sync::Arc;

use limbic_tools::{Answer, IsAbandoned};
use tokio::sync::mpsc::Sender;

use super::activity::ObservedCall;
use super::queued_bytes::Reservation;
use super::session_quota::OpenRequest;
use crate::serve::reply::Waiting;
use crate::serve::streams::MAX_URIS;

/// Maximum number of parts of a response that its client has not read: more than two for each resource of a stream.
pub const MAX_UNREAD: usize = 2 * MAX_URIS + 64;

/// A response that is still to be sent.
pub struct Pending {
    pub sent: Sender<Part>,
    pub observed: Option<ObservedCall>,
    /// Whether notifications may precede the answer.
    pub is_stream: bool,
    /// The bytes of the request's body, which the requests of a batch share.
    pub bytes: Option<Arc<Reservation>>,
    pub _open: OpenRequest,
}

/// A part of a response.
pub enum Part {
    /// A message before the answer.
    Notification(String),
    /// The last part.
    Answer(String),
}

impl Waiting for Pending {
    fn completed(&self, tool: &str, arguments: &str, answer: &Answer) {
        if let Some(observed) = &self.observed {
            observed.completed(tool, arguments, answer);
        }
    }

    fn notify(&self, message: String) {
        // The last place is for the answer.
        if self.is_stream && self.sent.capacity() > 1 {
            // As below.
            let _ = self.sent.try_send(Part::Notification(message));
        }
    }

    fn unread(&self) -> usize {
        self.sent.max_capacity() - self.sent.capacity()
    }

    fn release_bytes(&mut self) {
        self.bytes = None;
    }

    fn answer(self: Box<Self>, message: String) {
        // A client that has gone needs no answer.
        let _ = self.sent.try_send(Part::Answer(message));
    }

    fn is_gone(&self) -> bool {
        self.sent.is_closed()
    }

    fn watch(&self) -> IsAbandoned {
        // A response that was not sent ends when its sender is dropped.
        let sent = self.sent.downgrade();
        Arc::new(move || sent.upgrade().is_none_or(|sent| sent.is_closed()))
    }
}
