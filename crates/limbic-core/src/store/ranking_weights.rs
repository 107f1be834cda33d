//! The weights of importance and co-occurrence, as last tuned: stored in `db_metadata`.

use rusqlite::{OptionalExtension, ToSql, params};

use crate::{Result, Transaction, model::usage::Weights};

const BETA: &str = "limbic.beta";
const GAMMA: &str = "limbic.gamma";
const TUNED_AT: &str = "limbic.tuned_at";
const JUDGED: &str = "limbic.judged_since_tuning";

/// Returns the current weights: the default for a weight that was never tuned or is invalid.
pub(crate) fn load(tx: &Transaction<'_>) -> Result<Weights> {
    let default = Weights::default();
    Ok(Weights {
        beta: number(tx, BETA, Weights::BETA_RANGE)?.unwrap_or(default.beta),
        gamma: number(tx, GAMMA, Weights::GAMMA_RANGE)?.unwrap_or(default.gamma),
    })
}

/// When the weights were last tuned: ISO 8601, UTC, with milliseconds.
pub(crate) fn tuned_at(tx: &Transaction<'_>) -> Result<Option<String>> {
    value(tx, TUNED_AT)
}

/// Stores tuned weights and the time of tuning.
pub(crate) fn store(tx: &Transaction<'_>, weights: Weights) -> Result<()> {
    set(tx, BETA, &weights.beta.to_string())?;
    set(tx, GAMMA, &weights.gamma.to_string())?;
    let now: String = tx
        .prepare_cached("SELECT strftime('%Y-%m-%dT%H:%M:%S', ?1, 'unixepoch') || printf('.%03dZ', ?2)")?
        .query_row([tx.now_seconds(), tx.now_millis().rem_euclid(1000)], |row| row.get(0))?;
    set(tx, TUNED_AT, &now)
}

/// Adds to the number of judged searches since the last tuning. Returns whether it has reached `due`; it then restarts
/// at zero.
pub(crate) fn count_judged(tx: &Transaction<'_>, judged: u32, due: u32) -> Result<bool> {
    if judged == 0 {
        return Ok(false);
    }
    let before = value(tx, JUDGED)?.and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let now = before.saturating_add(judged);
    let is_due = now >= due;
    set(tx, JUDGED, &if is_due { 0 } else { now })?;
    Ok(is_due)
}

fn number(tx: &Transaction<'_>, key: &str, (least, most): (f64, f64)) -> Result<Option<f64>> {
    let number = value(tx, key)?.and_then(|text| text.parse::<f64>().ok());
    Ok(number.filter(|number| (least..=most).contains(number)))
}

fn value(tx: &Transaction<'_>, key: &str) -> Result<Option<String>> {
    Ok(tx
        .prepare_cached("SELECT CAST(value AS TEXT) FROM db_metadata WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?)
}

fn set(tx: &Transaction<'_>, key: &str, value: &dyn ToSql) -> Result<()> {
    tx.prepare_cached(
        "INSERT INTO db_metadata (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value",
    )?
    .execute(params![key, value])?;
    Ok(())
}
