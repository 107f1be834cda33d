//! Decisions of a person about memories that wait for review, and about origins, with the audit log.

use super::forget;
use crate::{
    Result, Transaction,
    store::{
        logs::audit::{self, Action, Actor},
        memories, origins,
    },
};

/// Confirms a memory: hooks of every project show it. Returns whether it waited.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn accept(tx: &Transaction<'_>, id: &str, actor: Actor<'_>) -> Result<bool> {
    memories::get(tx, id)?;
    let has_waited = memories::accept(tx, id)?;
    if has_waited {
        audit::record(tx, Action::Accept, id, actor)?;
    }
    Ok(has_waited)
}

/// The result of rejecting a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejected {
    /// It is deleted.
    Deleted,
    /// It existed before the change that made it wait: it stays, neither pinned nor always loaded.
    Demoted,
    /// It did not wait, and is unchanged.
    NotWaiting,
}

/// Rejects a memory that waits.
///
/// # Errors
/// [`Error::MemoryNotFound`](crate::Error::MemoryNotFound).
pub fn reject(tx: &Transaction<'_>, id: &str, actor: Actor<'_>) -> Result<Rejected> {
    if !memories::get(tx, id)?.is_unconfirmed {
        return Ok(Rejected::NotWaiting);
    }
    if memories::was_written_by_waiting(tx, id)? {
        forget(tx, id, false, actor)?;
        return Ok(Rejected::Deleted);
    }
    memories::demote(tx, id)?;
    audit::record(tx, Action::Update, id, actor)?;
    Ok(Rejected::Demoted)
}

/// Sets or removes the trust in the origins with this label. Returns whether this is a change.
pub fn set_trusted(tx: &Transaction<'_>, label: &str, is_trusted: bool, actor: Actor<'_>) -> Result<bool> {
    let is_changed = if is_trusted { origins::trust(tx, label)? } else { origins::distrust(tx, label)? };
    if is_changed {
        let action = if is_trusted { Action::Trust } else { Action::Distrust };
        let reason = match actor.reason {
            Some(given) => format!("{label}: {given}"),
            None => label.to_owned(),
        };
        audit::record_decision(tx, action, Actor { reason: Some(&reason), ..actor })?;
    }
    Ok(is_changed)
}
