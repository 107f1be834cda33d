//! Status of a memory.

use crate::store::memories::{
    self,
    validity::{self, Moment},
};

/// The statuses: valid; invalidated; past its expiry; hidden by a contradiction.
pub const STATUSES: &[&str] = &["current", "ended", "expired", "contradicted"];

/// The status of the memories that recall returns.
pub(crate) const CURRENT: &str = "current";

/// Returns SQL for one of [`STATUSES`] of the memory `m`, for few rows; `:now` is the current time in the format of
/// memories.
#[must_use]
pub(crate) fn of_few() -> String {
    status(&memories::is_contradicted(Moment::Present))
}

/// As [`of_few`], for all rows: the contradicted memories are computed once.
#[must_use]
pub(crate) fn of_all() -> String {
    status(&format!("m.id IN {}", memories::contradicted_ids(Moment::Present)))
}

fn status(is_contradicted: &str) -> String {
    format!(
        "CASE WHEN NOT {} THEN 'ended' WHEN NOT {} THEN 'expired'
            WHEN {is_contradicted} THEN 'contradicted' ELSE '{CURRENT}' END",
        validity::has_not_ended("m", Moment::Present),
        validity::has_not_expired("m"),
    )
}
