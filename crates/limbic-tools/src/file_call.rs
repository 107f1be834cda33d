//! Calls that read a file, step by step, so that a shell can run other calls in between.

use limbic_core::{Error, Result, SessionId};
use serde_json::Value;

use crate::{Access, Answer, Limbic, Source, Tool, tool::Steps, user_scope::INCLUDE_CODE};

/// A call that reads a file, and its state. What its steps have stored remains if it is dropped.
pub struct FileCall {
    session: SessionId,
    tool: String,
    arguments: String,
    file: Option<Box<dyn Source>>,
    /// `None` before the first step.
    begun: Option<(&'static Tool, Box<dyn Steps>)>,
}

impl FileCall {
    /// Creates a call of this session, with the file named by [`Limbic::file_argument`]. Reads nothing yet.
    #[must_use]
    pub fn new(session: SessionId, tool: &str, arguments: &str, file: Box<dyn Source>) -> Self {
        Self {
            session,
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            file: Some(file),
            begun: None,
        }
    }

    /// Returns the error for a call that a failure outside of its tool has ended, such as a panic: that of an import
    /// says what is stored.
    #[must_use]
    pub fn failed(&self, cause: Error) -> Error {
        match &self.begun {
            Some((_, steps)) => steps.interrupted(Some(cause)),
            None => cause,
        }
    }

    /// Describes what an import has stored so far, as its error would; `None` if that is nothing.
    #[must_use]
    pub fn stored(&self) -> Option<String> {
        match self.failed(Error::Stopping) {
            Error::ImportInterrupted { stored, .. } => stored,
            _ => None,
        }
    }

    /// Creates a call of this session that waits for something other than a file; see [`Limbic::waits`].
    #[must_use]
    pub fn without_file(session: SessionId, tool: &str, arguments: &str) -> Self {
        Self { session, tool: tool.to_owned(), arguments: arguments.to_owned(), file: None, begun: None }
    }
}

impl Limbic {
    /// Whether a call is to be run with [`FileCall::without_file`], so that other calls
    /// are answered while it waits for the code index.
    #[must_use]
    pub fn waits(&self, tool: &str, arguments: &str) -> bool {
        let waits = || {
            let (tool, arguments) = self.find(tool, arguments).ok()?;
            let takes_steps_without_file = tool.steps.is_some() && tool.file_argument.is_none();
            Some(takes_steps_without_file && self.fitting(tool, arguments).ok()?.get("wait")?.as_bool()?)
        };
        waits().unwrap_or(false)
    }

    /// Whether a call reads the code index. A shell that watches folders reports their changes before it, with
    /// [`Limbic::files_changed`].
    #[must_use]
    pub fn reads_code(&self, tool: &str, arguments: &str) -> bool {
        self.find(tool, arguments).is_ok_and(|(tool, arguments)| {
            (tool.is_for_code() && tool.access == Access::Read)
                || arguments.get(INCLUDE_CODE).and_then(Value::as_bool).unwrap_or(false)
        })
    }

    /// Returns the file named in a call's arguments: the shell opens it and creates a [`FileCall`].
    #[must_use]
    pub fn file_argument(&self, tool: &str, arguments: &str) -> Option<String> {
        let (tool, arguments) = self.find(tool, arguments).ok()?;
        let name = tool.file_argument?;
        Some(self.fitting(tool, arguments).ok()?.get(name)?.as_str()?.to_owned())
    }

    /// Returns the answer if that file cannot be read.
    #[must_use]
    pub fn file_error(&self, path: &str, reason: &str) -> Answer {
        self.answer(Err(Error::UnreadableSource { path: path.to_owned(), reason: reason.to_owned() }))
    }

    /// Runs the next step of a call. Returns the answer after the last one. A step stores at most some thousand
    /// lines, unless a file can only be stored as a whole. Other calls may run between two steps and see what is
    /// stored so far.
    ///
    /// `progress` receives bytes done and total bytes; a file that is read twice counts twice. The call of a tool
    /// without a file has units of its own.
    pub fn step(&mut self, call: &mut FileCall, progress: &mut dyn FnMut(u64, u64)) -> Option<Answer> {
        self.enter(&call.session);
        let result = self.try_step(call, progress).transpose()?;
        Some(self.answer(result.map(|value| value.to_string())))
    }

    /// Stops a call, and returns its answer.
    #[must_use]
    pub fn interrupt(&self, call: FileCall) -> Answer {
        let error = match call.begun {
            Some((_, steps)) => steps.interrupted(None),
            None if call.file.is_none() => Error::IndexInterrupted,
            None => Error::ImportInterrupted { cause: None, stored: None },
        };
        self.answer(Err(error))
    }

    fn try_step(&mut self, call: &mut FileCall, progress: &mut dyn FnMut(u64, u64)) -> Result<Option<Value>> {
        // Shortens the lifetime behind the reference, which an option does not do by itself.
        let file = call.file.as_mut().map(|file| file.as_mut() as &mut dyn Source);
        let bytes = file.as_ref().map(|file| file.size());
        let (tool, steps) = match &mut call.begun {
            Some(begun) => begun,
            none => {
                let (tool, arguments) = self.prepare(&call.tool, &call.arguments)?;
                let Some(begin) = tool.steps else {
                    let is_read = tool.only_reads(&arguments);
                    let output = self.in_time(tool, is_read, bytes, |limbic| {
                        limbic.with_context(&[], file, progress, |context| (tool.run)(context, arguments))
                    })?;
                    return Ok(Some(self.shown(tool, output)));
                };
                none.insert((tool, begin(arguments)?))
            }
        };
        let tool = *tool;
        // Deferred writes of another call of this session that ran in between.
        self.finish_first();
        let is_read = tool.access == Access::Read;
        let output = self.in_time(tool, is_read, bytes, |limbic| {
            limbic.with_context(&[], file, progress, |context| steps.step(context))
        })?;
        Ok(output.map(|output| self.shown(tool, output)))
    }
}
