//! The input of a hook.

use limbic_core::{Error, Result, store::project_folders::canonical_project};
use serde::Deserialize;
use serde_json::Value;

/// Maximum length of a tool's input or failure that is used for queries, in characters.
const MAX_TEXT_CHARS: usize = 500;

/// Maximum number of queries per text.
const MAX_QUERIES: usize = 4;

/// Minimum length of a code: shorter words of capitals and digits are rarely codes.
const MIN_CODE_BYTES: usize = 4;

/// The error for input that is no object, and the start of that for wrong fields.
const NO_EVENT: &str = "A hook needs one JSON object on standard input";

/// The host's event after a tool that failed.
const FAILURE_EVENT: &str = "PostToolUseFailure";

/// Words that may precede those of [`EXIT_CODE`].
const FAILED: [&str; 4] = ["error", "command", "shell", "failed"];

/// The texts before the exit code in a host's message.
const EXIT_CODE: [&str; 6] = ["exit", "exited", "code", "status", "with", "process"];

/// The host's tool that reads a file.
const READ: &str = "Read";

/// The host's tools that read or change one file.
const FILE_TOOLS: [&str; 5] = [READ, "Edit", "MultiEdit", "Write", "NotebookEdit"];

/// Fields that must be strings if present.
const TEXTS: [&str; 8] = [
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "tool_name",
    "prompt",
    "limbic_project",
    "limbic_folder",
];

/// The input of a hook; unknown fields are ignored.
#[derive(Debug, Deserialize)]
pub struct Event {
    /// The host's session id, the same for all hooks of a session.
    #[serde(default)]
    pub session_id: String,
    /// The working directory of the session.
    #[serde(default)]
    pub cwd: String,
    /// The project's name, from the shell; or else the last component of the working directory, unless the shell
    /// states a folder, which then has no project. In its canonical form.
    #[serde(default, rename = "limbic_project")]
    project_name: String,
    /// The folder of the project, from the shell: the digest and the last component of its path.
    #[serde(default, rename = "limbic_folder")]
    pub folder: String,
    /// The project that the folder is until a person confirms it.
    #[serde(skip)]
    pub unconfirmed: Option<String>,
    /// The user's prompt.
    #[serde(default)]
    prompt: String,
    /// The host's name of the hook event.
    #[serde(default)]
    pub hook_event_name: String,
    /// The tool's name.
    #[serde(default)]
    pub tool_name: String,
    /// The tool's input.
    #[serde(default)]
    pub tool_input: Value,
    /// The result.
    #[serde(default)]
    pub tool_response: Value,
    /// The error, if the host has a separate event for failures.
    #[serde(default)]
    pub error: Value,
}

impl Event {
    /// Parses the host's JSON.
    pub fn read(input: &str) -> Result<Self> {
        let refused = |why: String| Error::invalid(format!("{NO_EVENT} ({why})"));
        let event: Value = serde_json::from_str(input).map_err(|error| refused(error.to_string()))?;
        // Serde would take a list for the fields in their order.
        let Some(fields) = event.as_object() else { return Err(Error::invalid(NO_EVENT)) };
        if let Some(key) = TEXTS.iter().find(|key| fields.get(**key).is_some_and(|value| !value.is_string()))
        {
            return Err(refused(format!("{key} must be a string")));
        }
        let mut event: Self = serde_json::from_value(event).map_err(|error| refused(error.to_string()))?;
        let last_component =
            || event.cwd.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
        let is_stated = !event.project_name.is_empty() || !event.folder.is_empty();
        let name = if is_stated { event.project_name.as_str() } else { last_component() };
        event.project_name = canonical_project(name);
        Ok(event)
    }

    /// Returns the project: its name, unless its folder waits for a person.
    pub fn project(&self) -> Option<&str> {
        self.unconfirmed.as_deref().or_else(|| self.project_name())
    }

    /// Returns the name of the project, if there is one.
    pub fn project_name(&self) -> Option<&str> {
        Some(self.project_name.as_str()).filter(|name| !name.is_empty())
    }

    /// Returns the host's name of the event after a tool.
    pub fn name_after(&self) -> &'static str {
        if self.is_failure_event() { FAILURE_EVENT } else { "PostToolUse" }
    }

    fn is_failure_event(&self) -> bool {
        self.hook_event_name == FAILURE_EVENT
    }

    /// Returns the host's session id in the stored format, 32 hexadecimal digits, or `None` without one.
    pub fn stored_session_id(&self) -> Option<String> {
        if self.session_id.is_empty() {
            return None;
        }
        let digits: String = self.session_id.chars().filter(|letter| *letter != '-').collect();
        if digits.len() == 32 && digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
            return Some(digits.to_ascii_lowercase());
        }
        Some(format!("{:032x}", limbic_protocol::fnv1a_128(self.session_id.bytes())))
    }

    /// Returns the user's prompt as a query; `None` if it has no word.
    pub fn prompt_question(&self) -> Option<String> {
        Some(question(&self.prompt)).filter(|question| question.contains(char::is_alphanumeric))
    }

    /// Returns the absolute path of the file that the tool reads or changes, with `/` between its parts.
    pub fn file(&self) -> Option<String> {
        if !FILE_TOOLS.contains(&self.tool_name.as_str()) {
            return None;
        }
        let path = ["file_path", "notebook_path"].iter().find_map(|key| self.tool_input[key].as_str())?;
        let path = path.replace('\\', "/");
        let is_absolute = path.starts_with('/') || path.get(1..2) == Some(":");
        if is_absolute || self.cwd.is_empty() {
            return Some(path);
        }
        Some(format!(
            "{}/{}",
            self.cwd.replace('\\', "/").trim_end_matches('/'),
            path.trim_start_matches("./")
        ))
    }

    /// Whether the tool only reads a file.
    pub fn only_reads(&self) -> bool {
        self.tool_name == READ
    }

    /// Returns queries from the tool's input: each simple command of a shell command line, and each other text.
    pub fn input_questions(&self) -> Vec<String> {
        let mut texts = Vec::new();
        collect(&self.tool_input, &mut texts);
        let command = self.tool_input["command"].as_str();
        let (commands, others): (Vec<&str>, Vec<&str>) =
            texts.into_iter().partition(|text| Some(*text) == command);
        let commands = commands.into_iter().flat_map(simple_commands);
        distinct(commands.chain(others.into_iter().map(question)))
    }

    /// Returns queries from the tool's failure: its first lines. `None` if it did not fail.
    pub fn failure_questions(&self) -> Option<Vec<String>> {
        let failure = self.failure()?;
        Some(distinct(failure.lines().map(question)))
    }

    /// Returns the error codes in a failure, such as `NU1301`, each as a query.
    pub fn failure_codes(&self) -> Vec<String> {
        let failure = self.failure().unwrap_or_default();
        let is_code = |word: &&str| {
            word.len() >= MIN_CODE_BYTES
                && word.chars().any(|letter| letter.is_ascii_digit())
                && word.chars().any(|letter| letter.is_ascii_uppercase())
                && !word.chars().any(|letter| letter.is_ascii_lowercase())
        };
        let words = failure.split(|letter: char| !letter.is_alphanumeric()).filter(is_code);
        distinct(words.map(str::to_owned))
    }

    /// Returns the failure's message; `None` if the tool did not fail.
    fn failure(&self) -> Option<String> {
        let response = &self.tool_response;
        let says_so = ["is_error", "isError", "interrupted"].iter().any(|key| response[key] == true)
            || response["success"] == false
            || !response["error"].is_null();
        let code = ["exit_code", "exitCode", "code"].iter().find_map(|key| response[key].as_i64());
        let failed = self.is_failure_event()
            || !self.error.is_null()
            || says_so
            || code.is_some_and(|code| code != 0)
            || response.as_str().is_some_and(begins_with_exit_code);
        failed.then(|| {
            let fields = ["error", "stderr", "message", "stdout", "content"];
            let mut texts =
                [&self.error].into_iter().chain(fields.iter().map(|key| &response[key])).map(text_of);
            texts.find(|text| !text.trim().is_empty()).unwrap_or_else(|| text_of(response))
        })
    }
}

/// Whether a text begins with an exit code other than 0, such as "Exit code 1" or "Command failed with exit code 2".
fn begins_with_exit_code(text: &str) -> bool {
    let mut has_exit = false;
    for word in text.lines().next().unwrap_or_default().split_whitespace().map(bare) {
        if let Ok(code) = word.parse::<i64>() {
            return has_exit && code != 0;
        }
        if !EXIT_CODE.contains(&word.as_str()) && !FAILED.contains(&word.as_str()) {
            return false;
        }
        has_exit |= word == "exit" || word == "exited";
    }
    false
}

/// A word in lower case, without the punctuation around it.
fn bare(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
}

/// Returns the commands of a shell command line, as queries.
fn simple_commands(line: &str) -> Vec<String> {
    let line: String = line.chars().take(MAX_TEXT_CHARS).collect();
    line.split(['\n', ';', '|', '&']).map(question).collect()
}

/// Turns a text into a query: without separate numbers, which match any text with the same number, and without the
/// exit code that hosts prepend to failures.
fn question(text: &str) -> String {
    let text = text.replace('\0', " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_digit());
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    for word in words {
        if is_number(&bare(word)) {
            let is_exit = |word: &str| EXIT_CODE.contains(&bare(word).as_str());
            if kept.last().is_some_and(|word| is_exit(word)) {
                let is_report = |word: &str| is_exit(word) || FAILED.contains(&bare(word).as_str());
                let reported = kept.iter().rev().take_while(|word| is_report(word)).count();
                kept.truncate(kept.len() - reported);
            }
        } else {
            kept.push(word);
        }
    }
    kept.join(" ").chars().take(MAX_TEXT_CHARS).collect()
}

/// Returns the first queries that contain a word, without duplicates.
fn distinct(questions: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for question in questions.filter(|question| question.contains(char::is_alphanumeric)) {
        if found.len() < MAX_QUERIES && !found.contains(&question) {
            found.push(question);
        }
    }
    found
}

/// Returns all texts of a value, one per line, up to the maximum length.
fn text_of(value: &Value) -> String {
    let mut texts = Vec::new();
    collect(value, &mut texts);
    texts.join("\n").chars().take(MAX_TEXT_CHARS).collect()
}

fn collect<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: &str) -> Event {
        Event::read(json).expect("the test's JSON is read")
    }

    #[test]
    fn every_form_of_failure_is_recognised() {
        for json in [
            r#"{"tool_response": {"exit_code": 1, "stderr": "no such file"}}"#,
            r#"{"tool_response": {"is_error": true, "content": [{"text": "no such file"}]}}"#,
            r#"{"error": "no such file"}"#,
            r#"{"tool_response": {"success": false, "message": "no such file"}}"#,
            r#"{"hook_event_name": "PostToolUseFailure", "tool_response": "no such file"}"#,
            r#"{"hook_event_name": "PostToolUseFailure", "error": "", "tool_response": {"stderr": "no such file"}}"#,
            r#"{"tool_response": "Exit code 1\nno such file"}"#,
            r#"{"tool_response": "Error: Command failed with exit code 127\nno such file"}"#,
        ] {
            assert_eq!(event(json).failure_questions(), Some(vec!["no such file".to_owned()]), "{json}");
        }
        for json in [
            r#"{"tool_response": {"exit_code": 0, "stderr": "warning"}}"#,
            r#"{"tool_response": "done"}"#,
            r#"{"tool_response": "Exit code 0\nwarning"}"#,
            r#"{"tool_response": "The exit code 1 means no match"}"#,
            r#"{"tool_response": "error: 5 warnings"}"#,
            "{}",
        ] {
            assert_eq!(event(json).failure_questions(), None, "{json}");
        }
    }

    #[test]
    fn a_failure_without_any_text_is_a_failure() {
        for json in [
            r#"{"hook_event_name": "PostToolUseFailure", "tool_input": {"command": "make"}}"#,
            r#"{"tool_response": "Exit code 2", "tool_input": {"command": "make"}}"#,
        ] {
            let event = event(json);
            assert_eq!(event.failure_questions(), Some(vec![]), "{json}");
            assert_eq!(event.input_questions(), ["make"], "{json}");
        }
    }

    #[test]
    fn separate_numbers_are_removed_from_queries() {
        let failed = |error: &str| {
            let event = event(&serde_json::json!({ "error": error }).to_string());
            (event.failure_questions().unwrap_or_default(), event.failure_codes())
        };
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(failed("Exit code 1"), (vec![], vec![]));
        assert_eq!(failed("Process exited with status 127."), (vec![], vec![]));
        assert_eq!(
            failed("Exit code 1\nerror NU1301: no index at line 42"),
            (texts(&["error NU1301: no index at line"]), texts(&["NU1301"]))
        );
    }

    #[test]
    fn each_command_of_a_command_line_is_a_query() {
        let given = |json: &str| event(&format!(r#"{{"tool_input": {json}}}"#)).input_questions();
        assert_eq!(
            given(
                r#"{"command": "cd app && dotnet restore | tail -5; dotnet restore", "description": "Restore"}"#
            ),
            ["cd app", "dotnet restore", "tail", "Restore"]
        );
        assert_eq!(given(r#"{"file_path": "a.rs", "old_string": "7"}"#), ["a.rs"]);
        assert!(given("7").is_empty());
    }

    #[test]
    fn a_session_is_stored_under_hexadecimal_digits() {
        let stored = |id: &str| event(&format!(r#"{{"session_id": "{id}"}}"#)).stored_session_id();
        let uuid = stored("0190D2A0-0000-7000-8000-00000000000a");
        assert_eq!(uuid.as_deref(), Some("0190d2a000007000800000000000000a"));
        assert_eq!(stored("session one").map(|id| id.len()), Some(32));
        assert_ne!(stored("session one"), stored("session two"));
        assert_eq!(stored(""), None);
    }

    #[test]
    fn the_file_of_a_tool_is_an_absolute_path() {
        let file = |json: &str| event(json).file();
        let at = r#"{"cwd": "/srv/shop/", "tool_name": "Edit", "tool_input": {"file_path": "./src/a.rs"}}"#;
        assert_eq!(file(at).as_deref(), Some("/srv/shop/src/a.rs"));
        let windows =
            r#"{"cwd": "C:\\x", "tool_name": "Read", "tool_input": {"file_path": "C:\\shop\\a.rs"}}"#;
        assert_eq!(file(windows).as_deref(), Some("C:/shop/a.rs"));
        assert_eq!(file(r#"{"tool_name": "Bash", "tool_input": {"file_path": "/a.rs"}}"#), None);
        assert_eq!(file(r#"{"tool_name": "Read", "tool_input": {"file_path": 7}}"#), None);
    }

    #[test]
    fn invalid_hook_input_is_rejected() {
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
        let named = event(r#"{"cwd": "/srv/ada/worktree", "limbic_project": "atlas"}"#);
        assert_eq!(named.project(), Some("atlas"));
        let nameless = event(r#"{"cwd": "/srv/ada", "limbic_folder": "aaaaaaaaaaaaaaaa/ada"}"#);
        assert_eq!(nameless.project(), None);
    }
}
