//! Which of two memories was stated last, as SQL: stored, confirmed by storing it again, or given its text. Recalls,
//! feedback, decay and maintenance are no statements.

use super::validity::ValidAt;
use crate::store::timestamps::{self, kept_form};

/// Returns SQL for the time at which the memory of this alias was last stated. For a time in a query, statements after
/// `:now` do not count: the time of the last known text until then does.
#[must_use]
pub(super) fn at(alias: &str, moment: ValidAt) -> String {
    let last = kept_form(&format!("coalesce({alias}.stated_at, {alias}.timestamp)"));
    match moment {
        ValidAt::Now => last,
        ValidAt::Given => format!(
            "(CASE WHEN {last} <= :now THEN {last} ELSE coalesce((SELECT max(h.replaced_at) FROM memory_history AS h
                WHERE h.memory_id = {alias}.id AND h.replaced_at <= :now AND h.content IS NOT coalesce(
                    (SELECT x.content FROM memory_history AS x WHERE x.memory_id = h.memory_id
                        AND (x.replaced_at, x.seq) > (h.replaced_at, h.seq)
                        ORDER BY x.replaced_at, x.seq LIMIT 1), {alias}.content)), {}) END)",
            kept_form(&format!("{alias}.timestamp"))
        ),
    }
}

/// Returns SQL for: the memory of one alias was stated later than that of the other. Of two statements of one time,
/// and where the clock was far ahead at one of them, the order in which the memories were stored counts, and the id at
/// last.
#[must_use]
pub(super) fn is_later(one: &str, other: &str, moment: ValidAt) -> String {
    let [first, second] = [one, other].map(|alias| at(alias, moment));
    let [rank, other_rank] = [one, other].map(|alias| {
        format!("(coalesce((SELECT number FROM memory_numbers WHERE id = {alias}.id), 0), {alias}.id)")
    });
    let bound = timestamps::latest_plausible(":now");
    format!(
        "CASE WHEN max({first}, {second}) <= {bound} AND {first} <> {second}
            THEN {first} > {second} ELSE {rank} > {other_rank} END"
    )
}
