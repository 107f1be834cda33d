//! What a host tells a hook.

use limbic_core::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

/// The most characters of a tool's input or failure that are looked up.
const LONGEST: usize = 500;

/// Fields that are texts wherever a host gives them.
const TEXTS: [&str; 5] = ["session_id", "transcript_path", "cwd", "hook_event_name", "tool_name"];

/// What a host tells a hook; fields that a hook does not need are passed over.
#[derive(Debug, Deserialize)]
pub struct Event {
    /// The folder that the session works in.
    #[serde(default)]
    pub cwd: String,
    /// The hook's name on the host's side.
    #[serde(default)]
    pub hook_event_name: String,
    /// The tool that is about to run or has run.
    #[serde(default)]
    pub tool_name: String,
    /// What it gets.
    #[serde(default)]
    pub tool_input: Value,
    /// What came of it.
    #[serde(default)]
    pub tool_response: Value,
    /// Why it failed, where the host has an event of its own for that.
    #[serde(default)]
    pub error: Value,
}

impl Event {
    /// Reads the host's JSON.
    pub fn read(input: &str) -> Result<Self> {
        let refused =
            |why: String| Error::invalid(format!("A hook reads one JSON object on standard input ({why})"));
        let event: Value = serde_json::from_str(input).map_err(|error| refused(error.to_string()))?;
        // Serde would take a list for the fields in their order.
        let Some(fields) = event.as_object() else { return Err(refused("it got another value".into())) };
        if let Some(key) = TEXTS.iter().find(|key| fields.get(**key).is_some_and(|value| !value.is_string()))
        {
            return Err(refused(format!("its {key} is no text")));
        }
        serde_json::from_value(event).map_err(|error| refused(error.to_string()))
    }

    /// The project: the last part of the folder's path.
    pub fn project(&self) -> Option<&str> {
        self.cwd.rsplit(['/', '\\']).find(|part| !part.is_empty())
    }

    /// What the host calls the event after a tool.
    pub fn name_after(&self) -> &'static str {
        if self.hook_event_name == "PostToolUseFailure" { "PostToolUseFailure" } else { "PostToolUse" }
    }

    /// What the tool gets, as words.
    pub fn input_words(&self) -> String {
        words(&self.tool_input)
    }

    /// How the tool failed, as words; nothing when it did not.
    pub fn failure(&self) -> Option<String> {
        if !self.error.is_null() {
            return Some(words(&self.error));
        }
        let response = &self.tool_response;
        let says_so = ["is_error", "isError", "interrupted"].iter().any(|key| response[key] == true)
            || response["success"] == false
            || !response["error"].is_null();
        let code = ["exit_code", "exitCode", "code"].iter().find_map(|key| response[key].as_i64());
        let failed = says_so || code.is_some_and(|code| code != 0);
        failed.then(|| {
            let told =
                ["error", "stderr", "message", "stdout", "content"].iter().map(|key| words(&response[key]));
            told.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| words(response))
        })
    }
}

/// All texts of a value, as far as they are looked up.
fn words(value: &Value) -> String {
    fn collect(value: &Value, into: &mut String) {
        match value {
            Value::String(text) => {
                into.push_str(text);
                into.push(' ');
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
            Value::Object(fields) => fields.values().for_each(|field| collect(field, into)),
            _ => {}
        }
    }
    let mut text = String::new();
    collect(value, &mut text);
    text.replace('\0', " ").split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: &str) -> Event {
        Event::read(json).expect("the test's JSON is read")
    }

    #[test]
    fn a_failure_shows_in_many_ways() {
        for json in [
            r#"{"tool_response": {"exit_code": 1, "stderr": "no such file"}}"#,
            r#"{"tool_response": {"is_error": true, "content": [{"text": "no such file"}]}}"#,
            r#"{"error": "no such file"}"#,
            r#"{"tool_response": {"success": false, "message": "no such file"}}"#,
        ] {
            assert_eq!(event(json).failure().as_deref(), Some("no such file"), "{json}");
        }
        assert_eq!(event(r#"{"tool_response": {"exit_code": 0, "stderr": "warning"}}"#).failure(), None);
        assert_eq!(event(r#"{"tool_response": "done"}"#).failure(), None);
        assert_eq!(event("{}").failure(), None);
    }

    #[test]
    fn what_no_host_gives_is_refused() {
        for json in ["", "garbage", "[]", "null", "7", r#"{"session_id": 5}"#, r#"{"transcript_path": null}"#]
        {
            assert!(Event::read(json).is_err(), "{json}");
        }
    }

    #[test]
    fn the_project_is_the_last_part_of_the_folder() {
        assert_eq!(event(r#"{"cwd": "/srv/ada/atlas/"}"#).project(), Some("atlas"));
        assert_eq!(event(r#"{"cwd": "C:\\work\\atlas"}"#).project(), Some("atlas"));
        assert_eq!(event(r#"{"cwd": "/"}"#).project(), None);
    }
}
