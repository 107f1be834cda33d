//! What a shell chooses when it opens a memory.

use limbic_core::search::Ranking;
use serde::Deserialize;

/// What a shell chooses when it opens a memory. Everything has a default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// Refuse and hide every tool that changes something.
    pub read_only: bool,
    /// Toolsets to offer; none named means those on by default, `all` means every one.
    pub toolsets: Vec<String>,
    /// Offer another server's tools in their place: `server-memory`.
    pub compat: Option<String>,
    /// For tests: a clock that starts here (Unix milliseconds) and moves on one second with each call.
    pub test_clock: Option<i64>,
    /// For benches: what orders search results (`lexical`, `vector`, `late`, `rrf`, `fusion`, `limbic`).
    pub ranking: Option<String>,
}

impl Options {
    pub(crate) fn ranking(&self) -> Ranking {
        match self.ranking.as_deref() {
            Some("lexical") => Ranking::Lexical,
            Some("vector") => Ranking::Vector,
            Some("late") => Ranking::Late,
            Some("rrf") => Ranking::Rrf,
            Some("fusion") => Ranking::Fusion,
            _ => Ranking::Limbic,
        }
    }
}
