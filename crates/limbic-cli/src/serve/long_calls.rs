//! Calls that read a file. They go on step by step, one after the other, so that other calls are answered in between.

use std::collections::VecDeque;

use limbic_tools::{Answer, FileCall};
use serde_json::value::RawValue;

use super::message::Call;
use super::reader::say;
use crate::session::Session;

/// A call that has come, but is not answered.
struct Running {
    id: Box<RawValue>,
    tool: String,
    progress_token: Option<Box<RawValue>>,
    call: FileCall,
}

/// A call that is over.
pub struct Done {
    /// As it came.
    pub id: Box<RawValue>,
    /// The tool's name.
    pub tool: String,
    /// What came of it.
    pub answer: Answer,
}

/// The calls in the order of their arrival; only the first makes steps.
#[derive(Default)]
pub struct LongCalls(VecDeque<Running>);

impl LongCalls {
    /// Takes in a call. It makes its first step at once if none is before it.
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Goes one step on.
    pub fn step(&mut self, session: &mut Session) -> Option<Done> {
        let Running { progress_token, call, .. } = self.0.front_mut()?;
        let mut progress = |done: u64, total: u64| {
            let Some(token) = progress_token else { return };
            // A client that is gone shows at the next answer.
            let _ = say(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{done},"total":{total}}}}}"#,
                token.get()
            ));
        };
        let answer = session.step(call, &mut progress)?;
        self.0.pop_front().map(|Running { id, tool, .. }| Done { id, tool, answer })
    }

    /// The client wants no answer any more: the call makes no further step.
    pub fn cancel(&mut self, session: &mut Session, id: &RawValue) {
        if let Some(index) = self.0.iter().position(|running| running.id.get() == id.get())
            && let Some(running) = self.0.remove(index)
        {
            // Who calls it off gets no answer.
            let _ = session.call_off(running.call);
        }
    }

    /// Makes no further step of any.
    pub fn call_off(&mut self, session: &mut Session) -> Vec<Done> {
        let running = self.0.drain(..);
        running
            .map(|Running { id, tool, call, .. }| Done { id, tool, answer: session.call_off(call) })
            .collect()
    }
}
