//! Removes locks of owners whose state is unknown, at a person's decision.

use std::{collections::BTreeSet, fmt::Write, sync::Arc};

use super::folder::{Folder, Owners};
use crate::{Host, HostError, mounts::Disk};

/// The result of [`unlock`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlocked {
    /// A description of several lines for a person.
    pub report: String,
    /// Whether files of owners that are not known to be alive remain.
    pub needs_confirmation: bool,
}

/// Describes the owners of the lock files of the database at `path`, and, if `confirmed`, removes the files of those
/// that are not known to be alive. Nothing but lock files is ever removed, and none of a living owner: what an owner
/// that is removed by mistake had not committed is rolled back, and it notices before its next commit.
///
/// # Errors
/// As [`Host::list`], [`Host::read`], [`Host::create`] and [`Host::delete`].
pub fn unlock(host: Arc<dyn Host>, path: &str, confirmed: bool) -> Result<Unlocked, HostError> {
    // Whether the disk is shared or not: only what is certain in either case counts as certain.
    let mut folder = Folder::new(host, path, Disk::Shared);
    let Owners { named: owners, nameless } = folder.owners()?;
    let mut report = match owners.len() + nameless.len() {
        0 => format!("No program has {path} open.\n"),
        _ => format!("Lock files of {path}:\n"),
    };
    let mut doubtful = BTreeSet::new();
    for (owner, files) in &owners {
        let state = match folder.is_alive(owner)? {
            Some(true) => "is running; end it to release its locks",
            Some(false) => "has ended",
            None => "may have ended: this cannot be determined from here",
        };
        writeln!(report, "  {owner}: {}; it {state}", held(files)).expect("a text grows");
        if folder.is_alive(owner)? != Some(true) {
            doubtful.insert(owner.nonce.clone());
        }
    }
    for name in &nameless {
        writeln!(report, "  {name} has an unknown format and is not removed").expect("a text grows");
    }
    let count = doubtful.len();
    let needs_confirmation = count > 0 && !confirmed;
    if needs_confirmation {
        writeln!(
            report,
            "Nothing was removed. If you know that the programs which are not running have ended, confirm it."
        )
        .expect("a text grows");
    } else if count > 0 {
        folder.enter_declaring_dead(doubtful)?;
        folder.leave();
        let what = if count == 1 { "1 owner".to_owned() } else { format!("{count} owners") };
        writeln!(report, "Removed the lock files of {what}.").expect("a text grows");
    } else if !owners.is_empty() {
        writeln!(report, "Nothing was removed.").expect("a text grows");
    }
    Ok(Unlocked { report, needs_confirmation })
}

/// Describes a program that has the database at `path` open, unless none is known or all have ended.
///
/// # Errors
/// As [`Host::list`] and [`Host::read`].
pub fn opened_by(host: Arc<dyn Host>, path: &str) -> Result<Option<String>, HostError> {
    let folder = Folder::new(host, path, Disk::Shared);
    for (owner, _) in &folder.owners()?.named {
        if folder.is_alive(owner)? != Some(false) {
            return Ok(Some(owner.to_string()));
        }
    }
    Ok(None)
}

/// Describes the files of an owner.
fn held(files: &[String]) -> &'static str {
    let has = |start: &str| files.iter().any(|name| name.starts_with(start) && !name.contains(".break-"));
    if has("pending") || has("reserved") {
        "holds the lock for writing"
    } else if has("shared-") {
        "holds the lock for reading"
    } else {
        "holds no lock"
    }
}
