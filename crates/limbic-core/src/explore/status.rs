//! Whether a memory still says what is so.

use crate::store::memories::{
    self,
    validity::{self, Moment},
};

/// What can be: it holds; it no longer holds; it is past its expiry; it lost against one that contradicts it.
pub const STATUSES: &[&str] = &["current", "ended", "expired", "contradicted"];

/// The first of them, of which recall finds memories.
pub(crate) const CURRENT: &str = "current";

/// One of [`STATUSES`] as SQL, for the memory `m`, where few are asked about; `:now` stands for this moment, as memories
/// keep it.
#[must_use]
pub(crate) fn of_few() -> String {
    status(&memories::is_contradicted(Moment::Present))
}

/// The same where all are asked about: what is contradicted is found once.
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
