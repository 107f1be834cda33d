//! Requests that were cancelled before their cancellation has its turn, so that the call that runs is stopped.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

/// The cancellations that wait in the queue of events.
#[derive(Clone, Default)]
pub struct Cancellations(Arc<Mutex<HashSet<Request>>>);

/// A request: the session of its client, `None` on standard input, and its id as received.
type Request = (Option<String>, String);

impl Cancellations {
    /// Notes a cancellation, before it is queued.
    pub fn note(&self, session: Option<&str>, id: &RawValue) {
        self.requests().insert(request(session, id));
    }

    /// Forgets a cancellation that has its turn: a later request with this id is another one.
    pub fn forget(&self, session: Option<&str>, id: &RawValue) {
        self.requests().remove(&request(session, id));
    }

    /// Whether a request was cancelled.
    pub fn contain(&self, session: Option<&str>, id: &RawValue) -> bool {
        let requests = self.requests();
        !requests.is_empty() && requests.contains(&request(session, id))
    }

    fn requests(&self) -> MutexGuard<'_, HashSet<Request>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn request(session: Option<&str>, id: &RawValue) -> Request {
    (session.map(str::to_owned), id.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    #[test]
    fn a_cancellation_concerns_one_request_of_one_client_until_it_has_its_turn() {
        let cancelled = Cancellations::default();
        cancelled.note(None, &id("1"));
        cancelled.note(Some("ada"), &id("2"));
        assert!(cancelled.contain(None, &id("1")) && cancelled.contain(Some("ada"), &id("2")));
        assert!(!cancelled.contain(None, &id("\"1\"")) && !cancelled.contain(Some("ada"), &id("1")));
        cancelled.forget(None, &id("1"));
        assert!(!cancelled.contain(None, &id("1")) && cancelled.contain(Some("ada"), &id("2")));
    }
}
