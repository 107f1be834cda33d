//! The list of connected clients, for the explorer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::access::Access;
use super::sessions::ClientSession;
use crate::tokens::{now_millis, timestamp};

/// Clients that are remembered; the least recently used is forgotten for a new one.
const MAX_CLIENTS: usize = 64;
const MAX_NAME_CHARS: usize = 200;
const LABEL_CHARS: usize = 8;

/// The clients that have called tools since the server started. Their sessions are known to every server of the memory,
/// so that none is ended here: its token is revoked instead.
#[derive(Default)]
pub struct Clients(Mutex<Vec<ClientRecord>>);

struct ClientRecord {
    session: String,
    label: String,
    name: String,
    kind: &'static str,
    token: Option<String>,
    since_millis: i64,
    last_call_millis: i64,
    calls: u64,
}

impl Clients {
    /// Counts a call.
    pub fn called(&self, session: &ClientSession, access: &Access) {
        let mut clients = self.clients();
        let now = now_millis();
        let index = clients.iter().position(|known| known.session == session.id);
        let mut known = index.map(|index| clients.remove(index)).unwrap_or_else(|| ClientRecord {
            session: session.id.clone(),
            label: label(session),
            name: session.name.chars().take(MAX_NAME_CHARS).collect(),
            kind: match access {
                Access { token: Some(_), .. } => "token",
                Access { is_for_agents: true, .. } => "agents",
                _ => "explorer",
            },
            token: access.token.as_ref().map(|token| token.name.clone()),
            since_millis: now,
            last_call_millis: now,
            calls: 0,
        });
        known.calls += 1;
        known.last_call_millis = now;
        clients.push(known);
        if clients.len() > MAX_CLIENTS {
            clients.remove(0);
        }
    }

    /// The number of clients.
    pub fn count(&self) -> usize {
        self.clients().len()
    }

    /// All clients.
    pub fn list(&self) -> Vec<Value> {
        let shown = |known: &ClientRecord| {
            let mut shown = json!({
                "label": known.label,
                "client": known.name,
                "kind": known.kind,
                "token": known.token,
                "since": timestamp(known.since_millis),
                "last_call": timestamp(known.last_call_millis),
                "calls": known.calls,
            });
            if let Some(fields) = shown.as_object_mut() {
                fields.retain(|_, value| !value.is_null());
            }
            shown
        };
        self.clients().iter().map(shown).collect()
    }

    /// Forgets the clients of a named token.
    pub fn forget_token(&self, name: &str) {
        self.clients().retain(|known| known.token.as_deref() != Some(name));
    }

    fn clients(&self) -> MutexGuard<'_, Vec<ClientRecord>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session's label in the log of calls.
pub fn label(session: &ClientSession) -> String {
    // The label of a client without a session is followed by an id of its token.
    session.id.split(' ').next().unwrap_or_default().chars().take(LABEL_CHARS).collect()
}
