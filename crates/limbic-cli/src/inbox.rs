//! `limbic inbox`: lists the memories and folders that wait for review, and decides about them.

use std::{env, process::ExitCode};

use anyhow::{Result, bail};
use clap::Subcommand;
use limbic_tools::{Answer, Caller, CallerKind, Options, SessionId, Shell};
use serde_json::{Value, json};

use crate::{
    options::{Existing, is_read_only, require_writable},
    output, project,
};

/// Maximum number of memories that are listed.
const MAX_LISTED: usize = 1000;

/// The working directory, as the label of its project's folder.
const HERE: &str = ".";

/// What to do with the inbox.
#[derive(Subcommand)]
pub enum Action {
    /// Print the memories that wait and the folders whose project has others, one JSON object per line; the default
    List,
    /// Confirm memories: hooks of every project show them
    Accept {
        /// Ids of memories
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Delete memories that wait; those that existed before get back the state before the change
    Reject {
        /// Ids of memories
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Trust past and future memories of an origin, or confirm a folder as that of its project
    Trust {
        /// Labels such as client:NAME, hook:PROJECT, import:FILE#ID or project:NAME#DIGEST; . is this folder
        #[arg(required = true)]
        origins: Vec<String>,
    },
    /// End the trust in an origin or a folder
    Distrust {
        /// Labels; . is this folder
        #[arg(required = true)]
        origins: Vec<String>,
    },
}

impl Action {
    /// Returns the name of the action if it changes the database.
    fn changing(&self) -> Option<&'static str> {
        match self {
            Self::List => None,
            Self::Accept { .. } => Some("accept"),
            Self::Reject { .. } => Some("reject"),
            Self::Trust { .. } => Some("trust"),
            Self::Distrust { .. } => Some("distrust"),
        }
    }
}

/// Runs the action and prints its result.
pub fn run(action: Option<&Action>, database: &Existing) -> Result<ExitCode> {
    let changing = action.and_then(Action::changing);
    if let Some(changing) = changing {
        require_writable(&format!("inbox {changing}"))?;
    }
    database.require()?;
    let options = Options {
        toolsets: vec!["explorer".to_owned()],
        shell: Shell::Inbox,
        read_only: is_read_only()?,
        ..Options::default()
    };
    let mut limbic = match changing {
        Some(_) => database.open_to_change(&options)?,
        None => database.open_to_read(&options)?,
    };
    limbic.introduce(&SessionId::default(), Caller { kind: CallerKind::Cli, ..Caller::default() });
    let (tool, arguments) = match action {
        None | Some(Action::List) => ("explore_inbox", json!({ "limit": MAX_LISTED })),
        Some(Action::Accept { ids }) => ("review_inbox", json!({ "accept": ids })),
        Some(Action::Reject { ids }) => ("review_inbox", json!({ "reject": ids })),
        Some(Action::Trust { origins }) => ("review_inbox", json!({ "trust": labels(origins)? })),
        Some(Action::Distrust { origins }) => ("review_inbox", json!({ "distrust": labels(origins)? })),
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
    let folders = answer["folders"].as_array().map_or(&[][..], Vec::as_slice);
    for folder in folders {
        output::line(&folder.to_string())?;
    }
    let waiting = folders.iter().filter(|folder| folder["confirmed"] == json!(false)).count();
    log!("{} memories and {waiting} folders wait for confirmation", answer["total"]);
    Ok(ExitCode::SUCCESS)
}

/// Returns labels, with that of the working directory in the place of [`HERE`].
fn labels(given: &[String]) -> Result<Vec<String>> {
    given.iter().map(|label| if label == HERE { label_here() } else { Ok(label.clone()) }).collect()
}

fn label_here() -> Result<String> {
    let folder = env::current_dir()?;
    let found = project::of_folder(&folder);
    let Some(name) = found.name else {
        bail!(
            "{} has no name that a project could have: add a .limbic.toml with domain = \"NAME\"",
            folder.display()
        );
    };
    let digest = found.folder.split('/').next().unwrap_or_default();
    Ok(format!("project:{name}#{digest}"))
}
