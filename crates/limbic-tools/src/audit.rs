//! The audit log, for the command line.

use limbic_core::{Engine, Result, store::logs::audit};
use serde_json::{Value, json};

/// Returns the latest entries of the audit log, newest first, as a JSON array: of one memory, of one user, of one
/// origin, or all.
pub fn latest(
    memory: &mut Engine,
    memory_id: Option<&str>,
    user_id: Option<&str>,
    origin: Option<&str>,
    limit: usize,
) -> Result<Value> {
    let entries = memory.read(|tx| audit::latest(tx, memory_id, user_id, origin, limit))?;
    let lines: Vec<Value> = entries
        .into_iter()
        .map(|entry| {
            json!({
                "at": entry.at,
                "action": entry.action,
                "memory_id": entry.memory_id,
                "user_id": entry.user_id,
                "session_id": entry.session_id,
                "reason": entry.reason,
                "origin": entry.origin,
            })
        })
        .collect();
    Ok(Value::Array(lines))
}
