//! `limbic inbox`: lists the memories that wait for review, and accepts or rejects them.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;
use limbic_tools::{Answer, Caller, CallerKind, Options, SessionId};
use serde_json::{Value, json};

use crate::{options::Settings, output};
use limbic_memory::files;

/// Maximum number of memories that are listed.
const MAX_LISTED: usize = 1000;

/// What to do with the inbox.
#[derive(Subcommand)]
pub enum Action {
    /// Print the memories that wait, one JSON object per line; the default
    List,
    /// Confirm memories: hooks of every project show them
    Accept {
        /// Ids of memories
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Delete memories that wait; those that existed before become unpinned facts in a low tier
    Reject {
        /// Ids of memories
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Trust past and future memories of an origin
    Trust {
        /// Labels such as client:NAME, hook:PROJECT or import:FILE#ID
        #[arg(required = true)]
        origins: Vec<String>,
    },
    /// End the trust in an origin
    Distrust {
        /// Labels
        #[arg(required = true)]
        origins: Vec<String>,
    },
}

/// Runs the action and prints its result.
pub fn run(action: Option<&Action>, settings: &Settings) -> Result<ExitCode> {
    if settings.db.is_missing() {
        bail!("the database does not exist: {}", settings.db);
    }
    let options = Options { toolsets: vec!["explorer".to_owned()], compat: None, ..settings.tools.clone() };
    let mut limbic = files::open(&settings.db, &options, settings.accepts_shared_disk)?;
    limbic.introduce(&SessionId::default(), Caller { kind: CallerKind::Cli, ..Caller::default() });
    let (tool, arguments) = match action {
        None | Some(Action::List) => ("explore_inbox", json!({ "limit": MAX_LISTED })),
        Some(Action::Accept { ids }) => ("review_inbox", json!({ "accept": ids })),
        Some(Action::Reject { ids }) => ("review_inbox", json!({ "reject": ids })),
        Some(Action::Trust { origins }) => ("review_inbox", json!({ "trust": origins })),
        Some(Action::Distrust { origins }) => ("review_inbox", json!({ "distrust": origins })),
    };
    let Answer { is_error, json } = limbic.call(tool, &arguments.to_string(), &[]);
    limbic.close()?;
    if is_error || tool == "review_inbox" {
        output::line(&json)?;
        return Ok(if is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    let answer: Value = serde_json::from_str(&json)?;
    for memory in answer["memories"].as_array().into_iter().flatten() {
        let waits_for = &memory["waits_for"];
        let shown = json!({
            "id": memory["id"], "origin": waits_for["label"], "project": waits_for["project"],
            "domain": memory["domain"], "tier": memory["tier"], "pinned": memory["pinned"],
            "content": memory["content"],
        });
        output::line(&shown.to_string())?;
    }
    eprintln!("limbic: {} memories wait for confirmation", answer["total"]);
    Ok(ExitCode::SUCCESS)
}
