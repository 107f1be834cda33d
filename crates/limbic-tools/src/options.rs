//! Options of a shell when it opens a database.

use limbic_core::{Error, Result, search::Ranking, store::logs::search_log::Policy};
use serde::Deserialize;

use crate::views::memory::Texts;

/// The accepted value of `redact`.
const PERSONAL_DATA: &str = "pii";

/// The accepted values of `output_schemas`.
pub const OUTPUT_SCHEMAS: [&str; 3] = ["full", "short", "none"];

/// The accepted values of `compat`.
pub const COMPAT_NAMES: [&str; 3] = ["server-memory", "memory-graph", "memory-mcp-server"];

/// The kind of shell, on which the remedies that hints name depend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// Start a command with other options or variables.
    #[default]
    Command,
    /// Change the program, which uses the library `limbic-memory` in Rust.
    Library,
    /// Choose another file or memory in the page, which has no server.
    Page,
    /// Give the command `inbox` another id or label, or start it otherwise.
    Inbox,
}

/// What refuses writes besides the option for that, and so what a hint names as the remedy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteRights {
    /// The file and its folder.
    #[default]
    File,
    /// The server of a store, such as a standby.
    Store,
    /// The client's token, where another one could write.
    Token,
}

/// Options of a shell when it opens a database. Each has a default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// Refuse and hide every writing tool.
    pub read_only: bool,
    /// Toolsets to offer; empty for the default ones, `all` for every one for agents, without `explorer`.
    pub toolsets: Vec<String>,
    /// Offer another server's tools instead: `server-memory` or `memory-graph`; or beside Limbic's, those of
    /// `memory-mcp-server` for source code.
    pub compat: Option<String>,
    /// Output schemas in the list of tools: `full`, `short` without descriptions, or `none`. Default `none`, or `full`
    /// with `compat` and for pages.
    pub output_schemas: Option<String>,
    /// Retention of the search log in days; default 90, 0 disables it.
    pub search_log_days: Option<u32>,
    /// Log searches without their queries.
    pub private_log: bool,
    /// Data to remove from memories and reasons before they are stored or imported: `pii` for e-mail addresses, phone
    /// and card numbers and IP addresses. Other values are rejected.
    pub redact: Option<String>,
    /// Refuse secrets in the graph also with the tools of the reference server, which otherwise store what they are
    /// given.
    pub scan_graph: bool,
    /// The only user whose memories calls, prompts, hooks and exports reach, and the owner of what they store; default
    /// all memories, stored without an owner unless a call names one.
    pub user: Option<String>,
    /// Whether the hook at the end of a session also stores lines that the assistant marked.
    pub assistant_marks: bool,
    /// Whether a client over HTTP calls: errors then do not reveal which files of the server exist.
    pub remote: bool,
    /// Whether the shell can read and parse source code; else the toolset `code` is not offered.
    pub code: bool,
    /// Whether answers have texts as they are stored, without escapes, for a program that stores them again.
    pub as_stored: bool,
    /// The kind of shell, for hints.
    pub shell: Shell,
    /// What refuses writes, for hints.
    pub write_rights: WriteRights,
    /// For tests: a clock that starts here (Unix milliseconds) and advances one second per call.
    pub test_clock: Option<i64>,
    /// For benchmarks: how search results are ranked (`lexical`, `vector`, `late`, `rrf`, `linear`, `fusion`,
    /// `limbic`).
    pub ranking: Option<String>,
}

impl Options {
    /// Whether they offer the reference server's tools.
    pub(crate) fn is_server_memory(&self) -> bool {
        self.compat.as_deref() == Some("server-memory")
    }

    /// How answers have the texts that are stored.
    pub(crate) fn texts(&self) -> Texts {
        if self.as_stored { Texts::AsStored } else { Texts::Escaped }
    }

    /// Whether they offer Memory Graph's tools.
    pub(crate) fn is_memory_graph(&self) -> bool {
        self.compat.as_deref() == Some("memory-graph")
    }

    /// Whether they also offer the code tools of Memory MCP Server.
    pub(crate) fn is_memory_mcp_server(&self) -> bool {
        self.compat.as_deref() == Some("memory-mcp-server")
    }

    /// Whether secrets in the graph are refused: the reference server stores what it is given.
    pub(crate) fn refuses_graph_secrets(&self) -> bool {
        self.scan_graph || !self.is_server_memory()
    }

    pub(crate) fn search_log(&self) -> Policy {
        let default = Policy::default();
        Policy { days: self.search_log_days.unwrap_or(default.days), private: self.private_log }
    }

    /// Checks that the values of `compat`, `output_schemas` and `redact` are known.
    pub(crate) fn check(&self) -> Result<()> {
        for (name, value, known) in
            [("compat", &self.compat, COMPAT_NAMES), ("output_schemas", &self.output_schemas, OUTPUT_SCHEMAS)]
        {
            if let Some(other) = value.as_deref().filter(|value| !known.contains(value)) {
                return Err(Error::invalid(format!(
                    "{name} must be one of {}, but got {other:?}",
                    known.join(", ")
                )));
            }
        }
        match self.redact.as_deref() {
            None | Some(PERSONAL_DATA) => Ok(()),
            Some(other) => Err(Error::invalid(format!(
                "redact must be {PERSONAL_DATA:?}, but got {other:?}. Writes are refused until it is corrected"
            ))),
        }
    }

    pub(crate) fn redacts_personal_data(&self) -> bool {
        self.redact.as_deref() == Some(PERSONAL_DATA)
    }

    pub(crate) fn ranking(&self) -> Ranking {
        match self.ranking.as_deref() {
            Some("lexical") => Ranking::Lexical,
            Some("vector") => Ranking::Vector,
            Some("late") => Ranking::Late,
            Some("rrf") => Ranking::Rrf,
            Some("linear") => Ranking::Linear,
            Some("fusion") => Ranking::Fusion,
            _ => Ranking::Limbic,
        }
    }
}
