//! Calls that read a file. They run in steps, one after the other, so that other calls are answered in between.

use std::collections::VecDeque;

use limbic_tools::{Answer, SessionId};
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::Call;
use super::reply::Reply;
use limbic_memory::session::{Reading, Session};

/// A call that is not answered yet.
struct Running {
    session: SessionId,
    id: Box<RawValue>,
    reply: Reply,
    is_modern: bool,
    tool: String,
    arguments: String,
    progress_token: Option<Box<RawValue>>,
    call: Reading,
}

/// A finished call.
pub struct Done {
    /// The id as received.
    pub id: Box<RawValue>,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, as received.
    pub arguments: String,
    /// The result.
    pub answer: Answer,
    /// Whether it is of protocol 2026-07-28.
    pub is_modern: bool,
    /// Where the answer goes.
    pub reply: Reply,
}

/// The calls in the order of arrival; only the first one runs.
#[derive(Default)]
pub struct LongCalls(VecDeque<Running>);

impl LongCalls {
    /// Adds a call, and runs its first step if it is the only one.
    pub fn add(
        &mut self,
        session: &mut Session,
        id: &RawValue,
        call: &Call<'_>,
        file: Reading,
        reply: Reply,
        is_modern: bool,
    ) -> Option<Done> {
        let progress_token = call.progress_token.map(ToOwned::to_owned);
        self.0.push_back(Running {
            session: session.id().clone(),
            id: id.to_owned(),
            reply,
            is_modern,
            tool: call.name.clone(),
            arguments: call.arguments.to_owned(),
            progress_token,
            call: file,
        });
        if self.0.len() == 1 { self.step(session) } else { None }
    }

    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the next step. A call whose client has gone is stopped.
    pub fn step(&mut self, session: &mut Session) -> Option<Done> {
        if self.0.front().is_some_and(|running| running.reply.is_unread())
            && let Some(running) = self.0.pop_front()
        {
            return Some(running.interrupted(session));
        }
        let Running { progress_token, call, reply, .. } = self.0.front_mut()?;
        let mut progress = |done: u64, total: u64| {
            let Some(token) = progress_token else { return };
            reply.notify(format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{done},"total":{total}}}}}"#,
                token.get()
            ));
        };
        let answer = session.step(call, &mut progress)?;
        self.0.pop_front().map(|running| running.done(answer))
    }

    /// Cancels a call of the current session, or of the client on standard input if `by` belongs to it. Returns the
    /// call, which has no response on standard output.
    pub fn cancel(&mut self, session: &mut Session, id: &RawValue, by: &Reply) -> Option<Done> {
        let is_own = |running: &Running| match running.reply.is_output() {
            true => by.is_output(),
            false => running.session == *session.id(),
        };
        let is_meant = |running: &Running| running.id.get() == id.get() && is_own(running);
        let index = self.0.iter().position(is_meant)?;
        Some(self.0.remove(index)?.interrupted(session))
    }

    /// Stops all calls.
    pub fn interrupt(&mut self, session: &mut Session) -> Vec<Done> {
        let running = self.0.drain(..);
        running
            .map(|Running { id, tool, arguments, call, reply, is_modern, .. }| {
                let answer = session.interrupt(call);
                Done { id, tool, arguments, answer, is_modern, reply }
            })
            .collect()
    }
}

impl Running {
    /// Stops the call because its client has cancelled it or gone, and logs what it has stored: no answer may say it.
    fn interrupted(self, session: &mut Session) -> Done {
        let Self { session: _, id, reply, is_modern, tool, arguments, progress_token: _, call } = self;
        let answer = session.interrupt(call);
        let failure: Value = serde_json::from_str(&answer.json).unwrap_or_default();
        log!("a call of {tool} was stopped by its client. {}", failure["error"].as_str().unwrap_or_default());
        Done { id, tool, arguments, answer, is_modern, reply }
    }

    fn done(self, answer: Answer) -> Done {
        let Self { id, tool, arguments, reply, is_modern, .. } = self;
        Done { id, tool, arguments, answer, is_modern, reply }
    }
}
