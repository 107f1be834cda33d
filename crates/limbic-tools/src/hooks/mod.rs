//! Hooks of Claude Code: context at the start of a session, with a prompt and around tool calls, and memories at its
//! end.
//!
//! A hook calls tools as a client would and returns their answers in the host's format. It returns nothing rather
//! than irrelevant memories.

mod event;
mod file_memories;
mod marks;
mod project_domains;
mod recalled;
mod session_start;
mod tool_use;
mod user_prompt;

use limbic_core::{
    Caller, Error, Result, Transaction,
    store::{origins::Kind, project_folders},
};
use limbic_protocol::{EncodingResult, Task};
use serde_json::{Value, json};

use crate::{Limbic, framing::item, tools::memory::memory_recall};
use event::Event;
use recalled::memories;

/// The names of the hooks on the command line.
pub const HOOKS: [&str; 5] = ["session-start", USER_PROMPT, "session-end", "pre-tool-use", "post-tool-use"];

/// The hook for a prompt of the user.
const USER_PROMPT: &str = "user-prompt-submit";

impl Limbic {
    /// Runs one of [`HOOKS`]. `input` is the host's JSON, `transcript` the session's transcript, one JSON object per
    /// line, if the host names one. Returns the text for the host, if any.
    ///
    /// With a user in the options, it reads and stores only that user's memories.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown hook or invalid input; [`Error::MarksRefused`] if some marks were
    /// refused; errors of the tools.
    pub fn hook(&mut self, hook: &str, input: &str, transcript: Option<&[u8]>) -> Result<Option<String>> {
        self.encoded_hook(hook, input, transcript, &[])
    }

    /// Returns the texts to embed before [`Limbic::encoded_hook`]: those of a prompt; none for other hooks and for
    /// invalid input, which the hook reports.
    pub fn hook_texts(&mut self, hook: &str, input: &str) -> Vec<Task> {
        let question = match Event::read(input) {
            Ok(event) if hook == USER_PROMPT => event.prompt_question(),
            _ => None,
        };
        let Some(question) = question else { return Vec::new() };
        self.texts(memory_recall::TOOL.name, &json!({ "query": question }).to_string())
    }

    /// As [`Limbic::hook`]. `encodings` are those of [`Limbic::hook_texts`], in order, or empty.
    ///
    /// # Errors
    /// As [`Limbic::hook`].
    pub fn encoded_hook(
        &mut self,
        hook: &str,
        input: &str,
        transcript: Option<&[u8]>,
        encodings: &[EncodingResult],
    ) -> Result<Option<String>> {
        let mut event = Event::read(input)?;
        event.unconfirmed = self.unconfirmed_name(&event)?;
        // Each hook is a separate process; statistics by session use the host's session.
        if let Some(session_id) = event.stored_session_id() {
            self.memory.session_mut().set_id(session_id);
        }
        let project = event.project().unwrap_or_default().to_owned();
        let before = self.memory.session().caller().cloned();
        self.memory.session_mut().set_caller(Some(Caller {
            kind: Kind::Hook,
            client: String::new(),
            project: event.project_name().unwrap_or_default().to_owned(),
            folder: event.folder.clone(),
        }));
        let output = self.as_hook_of(&project, |limbic| limbic.run_hook(hook, &event, transcript, encodings));
        self.memory.session_mut().set_caller(before);
        Ok(output?.map(|(name, text)| {
            json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } }).to_string()
        }))
    }

    /// Records the first use of the project's name by its folder. Returns the name that the folder has instead until a
    /// person confirms it.
    fn unconfirmed_name(&mut self, event: &Event) -> Result<Option<String>> {
        let (name, folder) = (event.project_name().unwrap_or_default(), event.folder.as_str());
        if !self.memory.read(|tx| project_folders::is_known(tx, name, folder))? {
            // Where this fails, a hook that only reads still answers, and the next one tries again.
            let claim = |tx: &Transaction<'_>| project_folders::claim(tx, name, folder);
            let _ = self.memory.briefly(|memory| memory.write(claim));
        }
        self.memory.read(|tx| project_folders::unconfirmed_name(tx, name, folder))
    }

    /// Calls a tool for a hook or a prompt, with every field of recalled memories; errors keep their kind.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.ask_encoded(tool, arguments, &[])
    }

    /// As [`Limbic::ask`], with the encodings of the tool's texts, in order, or none.
    fn ask_encoded(&mut self, tool: &str, arguments: &Value, encodings: &[EncodingResult]) -> Result<Value> {
        let mut arguments = arguments.clone();
        if tool == memory_recall::TOOL.name {
            arguments["detail"] = "full".into();
        }
        let (tool, arguments) = self.prepare(tool, &arguments.to_string())?;
        let output =
            self.with_context(encodings, None, &mut |_, _| {}, |context| (tool.run)(context, arguments))?;
        Ok(self.shown(tool, output))
    }

    /// Returns the host's name of the event and the text for it, if there is one.
    fn run_hook(
        &mut self,
        hook: &str,
        event: &Event,
        transcript: Option<&[u8]>,
        encodings: &[EncodingResult],
    ) -> Result<Option<(&'static str, String)>> {
        Ok(match hook {
            "session-start" => session_start::run(self, event)?.map(|text| ("SessionStart", text)),
            USER_PROMPT => user_prompt::run(self, event, encodings)?.map(|text| ("UserPromptSubmit", text)),
            "session-end" => {
                marks::keep(self, event, transcript.unwrap_or_default())?;
                None
            }
            "pre-tool-use" => tool_use::before(self, event)?.map(|text| ("PreToolUse", text)),
            "post-tool-use" => tool_use::after(self, event)?.map(|text| (event.name_after(), text)),
            _ => {
                return Err(Error::invalid(format!(
                    "There is no hook {hook:?}; there are {}",
                    HOOKS.join(", ")
                )));
            }
        })
    }
}

/// Calls a tool and returns the memories of its answer, each with the fields for a model.
pub(crate) fn items(limbic: &mut Limbic, tool: &str, arguments: &Value) -> Result<Vec<Value>> {
    Ok(memories(&limbic.ask(tool, arguments)?).map(item).collect())
}
