//! What a shell chooses when it opens a memory.

use limbic_core::{Error, Result, search::Ranking, store::logs::search_log::Policy};
use serde::Deserialize;

/// What `redact` may be.
const PERSONAL_DATA: &str = "pii";

/// What a shell chooses when it opens a memory. Everything has a default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// Refuse and hide every tool that changes something.
    pub read_only: bool,
    /// Toolsets to offer; none named means those on by default, `all` means every one for
    /// agents, which leaves out `explorer`.
    pub toolsets: Vec<String>,
    /// Offer another server's tools in their place: `server-memory` or `memory-graph`.
    pub compat: Option<String>,
    /// For how many days searches stay in the log, 90 unless said otherwise; with 0 none are logged.
    pub search_log_days: Option<u32>,
    /// Leave the words of the questions out of that log.
    pub private_log: bool,
    /// What is taken out of memories before they are stored or imported, and out of the reasons for what is done to
    /// them: `pii` for e-mail addresses, phone and card numbers and IP addresses. Any other word is refused.
    pub redact: Option<String>,
    /// Whose memories hooks tell of and store; everybody's, and nobody's, when not given.
    pub user: Option<String>,
    /// For tests: a clock that starts here (Unix milliseconds) and moves on one second with each call.
    pub test_clock: Option<i64>,
    /// For benches: what orders search results (`lexical`, `vector`, `late`, `rrf`, `fusion`, `limbic`).
    pub ranking: Option<String>,
}

impl Options {
    pub(crate) fn search_log(&self) -> Policy {
        let default = Policy::default();
        Policy { days: self.search_log_days.unwrap_or(default.days), private: self.private_log }
    }

    /// That what is to be taken out is known.
    pub(crate) fn check(&self) -> Result<()> {
        match self.redact.as_deref() {
            None | Some(PERSONAL_DATA) => Ok(()),
            Some(other) => Err(Error::invalid(format!(
                "redact must be {PERSONAL_DATA:?}; it got {other:?}. Writes are refused until it is corrected"
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
            Some("fusion") => Ranking::Fusion,
            _ => Ranking::Limbic,
        }
    }
}
