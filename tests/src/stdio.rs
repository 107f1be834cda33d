//! Back ends behind MCP: a server as a child process, one JSON message a line.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json, value::RawValue};

use crate::{BackEnd, START_MILLIS, project, transcript};

/// Options with the test encoder: each call waits until the embedding queue is empty.
const WITH_ENCODER: [&str; 2] = ["--test-encoder", "--settle"];
/// Options without an encoder: no call waits.
const WITHOUT_ENCODER: &str = "--no-model";

/// The name of the client.
pub const CLIENT: &str = "limbic-tests";

/// A build of Limbic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `limbic`.
    Native,
    /// `limbic-memory` on Node.
    Node,
}

impl Program {
    /// The command and arguments that precede a subcommand.
    ///
    /// # Errors
    /// When it has not been built.
    pub fn words(self) -> Result<Vec<PathBuf>> {
        Ok(match self {
            Program::Native => vec![limbic_binary()?],
            Program::Node => vec!["node".into(), node_main()?],
        })
    }
}

/// A server that speaks MCP over its standard input and output.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    /// The methods of the received notifications.
    notices: Vec<String>,
}

impl Server {
    /// The native server, `limbic serve`, on a database file.
    ///
    /// # Errors
    /// When it has not been built or does not answer.
    pub fn native(database: &Path) -> Result<Self> {
        Self::native_offering(database, &[])
    }

    /// The native server on a database file, with these toolsets (none: the default ones).
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_offering(database: &Path, toolsets: &[&str]) -> Result<Self> {
        let binary = limbic_binary()?;
        Self::start(offering(Command::new(binary).arg("serve").args(WITH_ENCODER), toolsets), database)
    }

    /// The native server without an encoder, with these toolsets, and a limit of each call's time in milliseconds; by
    /// default that of the tool.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_limited(database: &Path, toolsets: &[&str], limit_millis: Option<&str>) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        command.args(["serve", WITHOUT_ENCODER]);
        if let Some(limit) = limit_millis {
            command.env("LIMBIC_TEST_LIMIT", limit);
        }
        Self::start(offering(&mut command, toolsets), database)
    }

    /// The native server without an encoder.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_alone(database: &Path) -> Result<Self> {
        Self::start(Command::new(limbic_binary()?).arg("serve").arg(WITHOUT_ENCODER), database)
    }

    /// The native server without an encoder, on the real clock: several at once give their memories different ids.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_of_several(database: &Path) -> Result<Self> {
        Self::start_as_is(Command::new(limbic_binary()?).arg("serve").arg(WITHOUT_ENCODER), database)
    }

    /// The native server with the test encoder and a test clock that starts at this time.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_at(database: &Path, start_millis: i64) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        let clock = start_millis.to_string();
        Self::start_as_is(command.arg("serve").args(WITH_ENCODER).args(["--test-clock", &clock]), database)
    }

    /// The Node server on a database file.
    ///
    /// # Errors
    /// When it has not been built or does not answer.
    pub fn node(database: &Path) -> Result<Self> {
        Self::node_offering(database, &[])
    }

    /// The Node server on a database file, with these toolsets (none: the default ones).
    ///
    /// # Errors
    /// As [`Server::node`].
    pub fn node_offering(database: &Path, toolsets: &[&str]) -> Result<Self> {
        let main = node_main()?;
        Self::start(offering(Command::new("node").arg(main).args(WITH_ENCODER), toolsets), database)
    }

    /// The Node server without an encoder.
    ///
    /// # Errors
    /// As [`Server::node`].
    pub fn node_alone(database: &Path) -> Result<Self> {
        Self::start(Command::new("node").arg(node_main()?).arg(WITHOUT_ENCODER), database)
    }

    /// A server without an encoder.
    ///
    /// # Errors
    /// As [`Server::native`] and [`Server::node`].
    pub fn alone(program: Program, database: &Path) -> Result<Self> {
        match program {
            Program::Native => Self::native_alone(database),
            Program::Node => Self::node_alone(database),
        }
    }

    /// A server without an encoder, with this environment variable.
    ///
    /// # Errors
    /// As [`Server::alone`].
    pub fn alone_with(program: Program, database: &Path, (name, value): (&str, &str)) -> Result<Self> {
        let words = program.words()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if program == Program::Native {
            command.arg("serve");
        }
        Self::start(command.arg(WITHOUT_ENCODER).env(name, value), database)
    }

    /// A server with the test encoder, with this environment variable.
    ///
    /// # Errors
    /// As [`Server::alone`].
    pub fn encoding_with(program: Program, database: &Path, (name, value): (&str, &str)) -> Result<Self> {
        let words = program.words()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if program == Program::Native {
            command.arg("serve");
        }
        Self::start(command.args(WITH_ENCODER).env(name, value), database)
    }

    /// A server without an encoder that reads only.
    ///
    /// # Errors
    /// As [`Server::alone`].
    pub fn reading(program: Program, database: &Path) -> Result<Self> {
        let mut command = match program {
            Program::Native => Command::new(limbic_binary()?),
            Program::Node => Command::new("node"),
        };
        match program {
            Program::Native => command.arg("serve"),
            Program::Node => command.arg(node_main()?),
        };
        Self::start(command.args([WITHOUT_ENCODER, "--read-only"]), database)
    }

    /// A server without an encoder in namespaces of its own (options of `unshare`), after a shell script that mounts.
    ///
    /// # Errors
    /// As [`Server::alone`].
    pub fn alone_in(program: Program, namespaces: &[&str], script: &str, database: &Path) -> Result<Self> {
        let script = format!("set -e; {script}\nexec \"$@\"");
        let mut command = Command::new("unshare");
        command.args(namespaces).args(["sh", "-c", &script, "sh"]).args(program.words()?);
        if program == Program::Native {
            command.arg("serve");
        }
        Self::start(command.arg(WITHOUT_ENCODER), database)
    }

    /// The native server on a database file, with the toolsets of a transcript.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_for(database: &Path, case: &Path) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        Self::start_for(command.arg("serve").args(WITH_ENCODER), database, case)
    }

    /// The Node server on a database file, with the toolsets of a transcript.
    ///
    /// # Errors
    /// As [`Server::node`].
    pub fn node_for(database: &Path, case: &Path) -> Result<Self> {
        let mut command = Command::new("node");
        Self::start_for(command.arg(node_main()?).args(WITH_ENCODER), database, case)
    }

    /// The native server without an encoder, for source code below a folder.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_below(database: &Path, code_root: &Path) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        let command = command.args(["serve", WITHOUT_ENCODER, "--toolsets", "code,explorer", "--code-root"]);
        Self::start(command.arg(code_root), database)
    }

    /// The Node server without an encoder, for source code below a folder, which an environment variable names.
    ///
    /// # Errors
    /// As [`Server::node`].
    pub fn node_below(database: &Path, code_root: &Path) -> Result<Self> {
        let mut command = Command::new("node");
        let command = command.arg(node_main()?).args([WITHOUT_ENCODER, "--toolsets", "code,explorer"]);
        Self::start(command.env("LIMBIC_CODE_ROOT", code_root), database)
    }

    /// A server without an encoder, for source code below a folder, on the real clock: those of several servers agree.
    ///
    /// # Errors
    /// As [`Server::native`] and [`Server::node`].
    pub fn one_of_several_below(program: Program, database: &Path, code_root: &Path) -> Result<Self> {
        let words = program.words()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        if program == Program::Native {
            command.arg("serve");
        }
        let command = command.args([WITHOUT_ENCODER, "--toolsets", "code,explorer", "--code-root"]);
        Self::start_as_is(command.arg(code_root), database)
    }

    /// The native server without an encoder, for one user.
    ///
    /// # Errors
    /// As [`Server::native`].
    pub fn native_of_user(database: &Path, user: &str) -> Result<Self> {
        let mut command = Command::new(limbic_binary()?);
        Self::start(command.args(["serve", WITHOUT_ENCODER, "--user", user]), database)
    }

    /// The Node server without an encoder, for one user, which an environment variable names.
    ///
    /// # Errors
    /// As [`Server::node`].
    pub fn node_of_user(database: &Path, user: &str) -> Result<Self> {
        let mut command = Command::new("node");
        let command = command.arg(node_main()?).arg(WITHOUT_ENCODER);
        Self::start(command.env("LIMBIC_USER", user), database)
    }

    /// The id of its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The number of received notifications of a method.
    #[must_use]
    pub fn notices(&self, method: &str) -> usize {
        self.notices.iter().filter(|notice| *notice == method).count()
    }

    /// Closes the server's input and waits for it to exit.
    ///
    /// # Errors
    /// If it exits with a failure.
    pub fn stop(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    fn start(command: &mut Command, database: &Path) -> Result<Self> {
        Self::start_as_is(with_test_clock(command), database)
    }

    /// Starts the server of a transcript in a folder that names no project, as a memory in the test's process has none.
    fn start_for(command: &mut Command, database: &Path, case: &Path) -> Result<Self> {
        Self::start_in(with_test_clock(needing(command, case)), database, &std::env::temp_dir())
    }

    fn start_as_is(command: &mut Command, database: &Path) -> Result<Self> {
        let folder = database.parent().filter(|folder| folder.is_dir());
        Self::start_in(command, database, &folder.map_or_else(std::env::temp_dir, Path::to_path_buf))
    }

    fn start_in(command: &mut Command, database: &Path, folder: &Path) -> Result<Self> {
        let mut child = command
            .arg("--db")
            .arg(database)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .context("the server does not start")?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the server has no output")?);
        let mut server = Self { child, input, output, last_id: 0, notices: Vec::new() };
        let client = json!({ "name": CLIENT, "version": "0" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.request("initialize", &hello.to_string())?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string())?;
        Ok(server)
    }

    fn send(&mut self, message: &str) -> Result<()> {
        let input = self.input.as_mut().context("the server's input has ended")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    /// Sends a request without waiting. Returns its id.
    ///
    /// # Errors
    /// If the server has exited.
    pub fn ask(&mut self, method: &str, parameters: &str) -> Result<u64> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{parameters}}}"#))?;
        Ok(id)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// If the server has exited.
    pub fn notify(&mut self, method: &str, parameters: &str) -> Result<()> {
        self.send(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{parameters}}}"#))
    }

    /// Closes the server's input; its further output can be read.
    pub fn end_input(&mut self) {
        drop(self.input.take());
    }

    /// The next message of the server: an answer or a notification.
    ///
    /// # Errors
    /// If the server has exited, or writes an invalid message.
    pub fn next_message(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the server has ended its output");
        serde_json::from_str(&line).with_context(|| format!("the server wrote an invalid message: {line}"))
    }

    /// Sends a request and waits for its result, or the error in its place.
    ///
    /// # Errors
    /// As [`Server::next_message`].
    pub fn answer(&mut self, method: &str, parameters: &str) -> Result<std::result::Result<Value, Value>> {
        let id = self.ask(method, parameters)?;
        loop {
            let mut message = self.next_message()?;
            if message["id"] == id {
                return Ok(match message.get("error") {
                    None => Ok(message["result"].take()),
                    Some(_) => Err(message["error"].take()),
                });
            }
            self.notices.extend(message["method"].as_str().map(str::to_owned));
        }
    }

    /// Sends all calls at once, then reads the answers in order of arrival.
    ///
    /// # Errors
    /// As [`Server::next_message`], and when an answer is out of order.
    pub fn call_all(&mut self, calls: &[(String, String)]) -> Result<Vec<(bool, String)>> {
        let first = self.last_id + 1;
        self.last_id += calls.len() as u64;
        let mut input = self.input.take().context("the server's input has ended")?;
        let (input, answers) = thread::scope(|scope| {
            // The pipes' buffers are smaller than all calls and answers together.
            let writer = scope.spawn(move || -> Result<ChildStdin> {
                for (id, (tool, arguments)) in (first..).zip(calls) {
                    let name = serde_json::to_string(tool)?;
                    writeln!(
                        input,
                        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{name},"arguments":{arguments}}}}}"#
                    )?;
                }
                input.flush()?;
                Ok(input)
            });
            let mut answers = Vec::with_capacity(calls.len());
            for (id, _) in (first..).zip(calls) {
                let message = self.next_message()?;
                ensure!(message["id"] == id, "{} was answered, {id} expected", message["id"]);
                answers.push(checked_answer(&message["result"])?);
            }
            let input = writer.join().map_err(|_| anyhow::anyhow!("the writer has panicked"))??;
            Ok((input, answers))
        })?;
        self.input = Some(input);
        Ok(answers)
    }

    fn request(&mut self, method: &str, parameters: &str) -> Result<Value> {
        match self.answer(method, parameters)? {
            Ok(result) => Ok(result),
            Err(error) => bail!("{method} failed: {error}"),
        }
    }
}

/// Whether a call failed, and its answer in JSON.
fn checked_answer(result: &Value) -> Result<(bool, String)> {
    let is_error = result["isError"].as_bool().unwrap_or(false);
    let text = result["content"][0]["text"].as_str().context("an answer without text")?.to_owned();
    if !is_error {
        let structured: Value = serde_json::from_str(&text)?;
        ensure!(
            same(&result["structuredContent"], &structured),
            "text and structured content differ\n{}",
            transcript::json_diff(&text, &result["structuredContent"].to_string())
        );
    }
    Ok((is_error, text))
}

impl BackEnd for Server {
    fn call(&mut self, tool: &str, arguments: &str) -> Result<(bool, String)> {
        let arguments = RawValue::from_string(arguments.to_owned())?;
        let name = serde_json::to_string(tool)?;
        let arguments = format!(r#"{{"name":{name},"arguments":{arguments},"_meta":{{"progressToken":1}}}}"#);
        checked_answer(&self.request("tools/call", &arguments)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        // A server that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn offering<'a>(command: &'a mut Command, toolsets: &[&str]) -> &'a mut Command {
    if toolsets.is_empty() { command } else { command.args(["--toolsets", &toolsets.join(",")]) }
}

fn with_test_clock(command: &mut Command) -> &mut Command {
    command.args(["--test-clock", &START_MILLIS.to_string()])
}

fn needing<'a>(command: &'a mut Command, case: &Path) -> &'a mut Command {
    if transcript::has_code(case) {
        command.arg("--code-root").arg(project("tests/files"));
    }
    match transcript::compat(case) {
        Some(name) => command.args(["--compat", name]),
        None => offering(command, &transcript::toolsets(case)),
    }
}

/// Whether two values are equal, numbers by value: JavaScript writes 0.0 as 0.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// The Node server's program.
///
/// # Errors
/// When it has not been built.
pub fn node_main() -> Result<PathBuf> {
    let main = project("node/dist/main.js");
    ensure!(main.exists(), "node/dist/main.js is missing: run cargo xtask build");
    Ok(main)
}

/// The binary that this test run was built with.
///
/// # Errors
/// When it has not been built.
pub fn limbic_binary() -> Result<PathBuf> {
    let folder = std::env::current_exe()?;
    let folder = folder.parent().and_then(Path::parent).context("the test program is in a folder")?;
    let binary = folder.join("limbic");
    ensure!(binary.exists(), "{} is missing: run cargo build -p limbic-cli", binary.display());
    Ok(binary)
}
