//! The activity of this server for the explorer: the last calls, and streams of events.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hyper::body::Bytes;
use limbic_tools::{Access, Answer, TOOLS, arguments_without_secrets, without_secrets};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::event_stream::{self, comment};
use crate::tokens::{now_millis, random_text, timestamp};

const MAX_CALLS: usize = 500;
const MAX_TEXT_CHARS: usize = 16_000;
const MAX_NAME_CHARS: usize = 200;
/// A page with this many unread events is disconnected; it requests missed calls when it reconnects.
const MAX_UNREAD: usize = 256;

/// Stores the last calls, and notifies pages of calls and changes.
pub struct Activity {
    /// Identifies this start of the server; ids of calls begin again with it.
    pub instance: String,
    state: Mutex<State>,
    /// Whether pages have not yet been notified of a change.
    has_changed: AtomicBool,
}

#[derive(Default)]
struct State {
    last_id: u64,
    calls: VecDeque<(u64, Value)>,
    pages: Vec<Sender<Bytes>>,
}

/// A call that has not been answered yet.
pub struct ObservedCall {
    activity: Arc<Activity>,
    client: String,
    session: String,
    start: Instant,
    started_millis: i64,
}

impl Activity {
    /// Without calls.
    pub fn new() -> Self {
        Self { instance: random_text(), state: Mutex::default(), has_changed: AtomicBool::new(false) }
    }

    /// The stored calls with a greater id, oldest first.
    pub fn calls_after(&self, id: u64) -> Vec<Value> {
        self.state().calls.iter().filter(|(known, _)| *known > id).map(|(_, call)| call.clone()).collect()
    }

    /// Adds a page. Returns its stream of events, which begins with a greeting.
    pub fn listen(&self) -> Receiver<Bytes> {
        let (sender, events) = mpsc::channel(MAX_UNREAD);
        let mut state = self.state();
        let hello = json!({"type": "hello", "instance": self.instance, "last_call": state.last_id});
        // The stream is empty.
        let _ = sender.try_send(event(&hello));
        state.pages.push(sender);
        events
    }

    /// Whether pages are connected.
    pub fn is_wanted(&self) -> bool {
        let mut state = self.state();
        state.pages.retain(|page| !page.is_closed());
        !state.pages.is_empty()
    }

    /// Starts to record a call of a client, whose session has this label.
    pub fn observe(self: &Arc<Self>, client: &str, session: String) -> ObservedCall {
        ObservedCall {
            activity: self.clone(),
            client: cut(client, MAX_NAME_CHARS).to_owned(),
            session,
            start: Instant::now(),
            started_millis: now_millis(),
        }
    }

    /// Records a change of the database.
    pub fn changed(&self) {
        self.has_changed.store(true, Ordering::Relaxed);
    }

    /// Notifies pages of unreported changes: many changes are one event.
    pub fn tell_of_change(&self) {
        if self.has_changed.swap(false, Ordering::Relaxed) {
            self.state().send(&event(&json!({"type": "changed"})));
        }
    }

    /// Keeps the connections of pages open.
    pub fn comment(&self) {
        self.state().send(&comment());
    }

    /// Ends the streams of all pages.
    pub fn close(&self) {
        self.state().pages.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn send(&mut self, event: &Bytes) {
        self.pages.retain(|page| page.try_send(event.clone()).is_ok());
    }
}

impl ObservedCall {
    /// Records the answer. Secrets in it and in the arguments are withheld: calls that are refused for a secret are
    /// recorded, too, and pages may be open to others than the caller.
    pub fn completed(&self, tool: &str, arguments: &str, answer: &Answer) {
        let shown_arguments = arguments_without_secrets(arguments, answer, MAX_TEXT_CHARS);
        let shown_answer = without_secrets(&answer.json, MAX_TEXT_CHARS);
        let mut state = self.activity.state();
        state.last_id += 1;
        let call = json!({
            "id": state.last_id,
            "client": self.client,
            "session": self.session,
            "tool": cut(tool, MAX_NAME_CHARS),
            "arguments": shown_arguments,
            "arguments_chars": arguments.chars().count(),
            "answer": shown_answer,
            "answer_chars": answer.json.chars().count(),
            "isError": answer.is_error,
            "started": timestamp(self.started_millis),
            "duration_ms": (self.start.elapsed().as_secs_f64() * 10_000.0).round() / 10.0,
        });
        let id = state.last_id;
        state.calls.push_back((id, call.clone()));
        if state.calls.len() > MAX_CALLS {
            state.calls.pop_front();
        }
        let mut message = json!({"type": "call"});
        if let (Some(fields), Value::Object(call)) = (message.as_object_mut(), call) {
            fields.extend(call);
        }
        state.send(&event(&message));
        drop(state);
        // A failed call may have changed something, so it counts.
        if may_change(tool, answer) {
            self.activity.changed();
        }
    }
}

fn may_change(tool: &str, answer: &Answer) -> bool {
    match TOOLS.iter().find(|known| known.answers_to(tool)) {
        Some(tool) => tool.access != Access::Read,
        None => !answer.is_error,
    }
}

fn event(value: &Value) -> Bytes {
    event_stream::event(&value.to_string())
}

/// The beginning of a text.
fn cut(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}
