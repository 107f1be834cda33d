//! Status of a memory.

use crate::{
    model::memory_words::MemoryStatus,
    store::memories::{
        self,
        validity::{self, ValidAt},
    },
};

/// Returns SQL for the [`MemoryStatus`] of the memory `m`, for few rows; `:now` is the current time in the format of
/// memories.
#[must_use]
pub(crate) fn of_few() -> String {
    status(&memories::is_contradicted(ValidAt::Now))
}

/// As [`of_few`], for all rows: the contradicted memories are computed once.
#[must_use]
pub(crate) fn of_all() -> String {
    status(&format!("m.id IN {}", memories::contradicted_ids(ValidAt::Now)))
}

fn status(is_contradicted: &str) -> String {
    format!(
        "CASE WHEN NOT {} THEN '{}' WHEN NOT {} THEN '{}' WHEN {is_contradicted} THEN '{}' ELSE '{}' END",
        validity::has_not_ended("m", ValidAt::Now),
        MemoryStatus::Ended,
        validity::has_not_expired("m"),
        MemoryStatus::Expired,
        MemoryStatus::Contradicted,
        MemoryStatus::Current,
    )
}
