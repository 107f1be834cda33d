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

/// The variable with the path of certificates that Node reads in addition to its own.
const CERTIFICATES: &str = "NODE_EXTRA_CA_CERTS";

/// Node for a measurement: without certificates that the environment adds. Node reads all of them at each start, which
/// takes longer than the rest of its start: every ratio to it would be too small.
pub(super) fn node(tools: &Toolbox) -> Command {
    let mut command = tools.command("node");
    command.env_remove(CERTIFICATES);
    command
}

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
            Self::Node | Self::Reference => node(tools),
            Self::Native => tools.command(project::target().join("release").join("limbic")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_programs_get_no_certificates_of_the_environment() -> Result<()> {
        let mut tools = Toolbox::new();
        tools.set(CERTIFICATES, "certificates.pem");
        let command = Server::Node.command(&tools, Path::new("memory.db"), &[])?;
        for command in [command, node(&tools)] {
            let given = command.get_envs().find(|(name, _)| *name == CERTIFICATES);
            assert_eq!(given, Some((CERTIFICATES.as_ref(), None)));
        }
        Ok(())
    }
}
