//! The compared servers and the commands that start them.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use super::peers;
use crate::mcp::Client;
use crate::project;
use crate::tools::Toolbox;

/// The options with which Limbic takes the place of the reference server.
pub(super) const DROP_IN: [&str; 2] = ["--compat", "server-memory"];

/// A server to measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// Limbic on Node, as published.
    Node,
    /// Limbic's native program.
    Native,
    /// The reference memory server.
    Reference,
}

impl Server {
    /// The command that starts the server on this database file.
    pub fn command(self, tools: &Toolbox, file: &Path, extra: &[&str]) -> Result<Command> {
        let mut command = match self {
            Self::Node => tools.command("node"),
            Self::Native => tools.command(project::target().join("release").join("limbic")),
            Self::Reference => tools.command("node"),
        };
        match self {
            Self::Node => command.arg(project::node_main()).arg("--db").arg(file).args(extra),
            Self::Native => command.arg("serve").arg("--db").arg(file).args(extra),
            Self::Reference => command.arg(peers::reference_server(tools)?).env("MEMORY_FILE_PATH", file),
        };
        // What servers log is not part of the tables.
        command.stderr(Stdio::null());
        Ok(command)
    }

    /// Starts the server and initialises the session.
    pub fn start(self, tools: &Toolbox, file: &Path, extra: &[&str]) -> Result<Client> {
        let mut client = Client::start(&mut self.command(tools, file, extra)?)?;
        client.initialize()?;
        Ok(client)
    }
}
