//! Accesses to memories, and the ranks to which they rise by them.

use super::mark_risen;
use crate::{Result, Transaction, store::memories};

/// Records that memories were found in a session. One that hooks show elsewhere from now on waits for review if its
/// first writer is not trusted.
pub fn record_access(tx: &Transaction<'_>, ids: &[String], session_id: &str) -> Result<()> {
    memories::record_access(tx, ids, session_id)?.iter().try_for_each(|before| mark_risen(tx, before))
}
