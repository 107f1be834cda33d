//! Calls that read a file. They run in steps, one after the other, so that other calls are answered in between.

use std::collections::VecDeque;

use limbic_tools::{Answer, FileCall};
use serde_json::value::RawValue;

use super::message::Call;
use super::reader::say;
use crate::session::Session;

/// A call that is not answered yet.
struct Running {
    id: Box<RawValue>,
    tool: String,
    progress_token: Option<Box<RawValue>>,
    call: FileCall,
}

/// A finished call.
pub struct Done {
    /// The id as received.
    pub id: Box<RawValue>,
    /// The tool's name.
    pub tool: String,
    /// The result.
    pub answer: Answer,
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
        file: FileCall,
    ) -> Option<Done> {
        self.0.push_back(Running {
            id: id.to_owned(),
            tool: call.name.clone(),
            progress_token: call.progress_token.map(ToOwned::to_owned),
            call: file,
        });
        if self.0.len() == 1 { self.step(session) } else { None }
    }

    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the next step.
    pub fn step(&mut self, session: &mut Session) -> Option<Done> {
        let Running { progress_token, call, .. } = self.0.front_mut()?;
        let mut progress = |done: u64, total: u64| {
            let Some(token) = progress_token else { return };
            // A disconnected client is noticed at the next answer.
            let _ = say(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{done},"total":{total}}}}}"#,
                token.get()
            ));
        };
        let answer = session.step(call, &mut progress)?;
        self.0.pop_front().map(|Running { id, tool, .. }| Done { id, tool, answer })
    }

    /// Cancels a call.
    pub fn cancel(&mut self, session: &mut Session, id: &RawValue) {
        if let Some(index) = self.0.iter().position(|running| running.id.get() == id.get())
            && let Some(running) = self.0.remove(index)
        {
            // A cancelled request gets no response.
            let _ = session.call_off(running.call);
        }
    }

    /// Stops all calls.
    pub fn call_off(&mut self, session: &mut Session) -> Vec<Done> {
        let running = self.0.drain(..);
        running
            .map(|Running { id, tool, call, .. }| Done { id, tool, answer: session.call_off(call) })
            .collect()
    }
}
