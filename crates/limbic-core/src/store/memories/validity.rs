//! Validity of memories, as SQL.
//!
//! The host's clock may be set back, and memories stored before must not disappear. So for the present, a time after
//! the clock counts as past if the row itself shows that the clock had passed it: a memory that was valid when it was
//! stored has started to be valid, and one that was ended by a decision has ended. A later time that a caller gave is
//! in the future. For a time in a query (`as_of`), only the stored times count.

use crate::store::timestamps::kept_form;

/// The time at which memories must be valid. `:now` is that time, in the format of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValidAt {
    /// The present.
    Now,
    /// A time that a caller gave: according to what was stored then.
    Given,
}

/// Returns SQL for: the validity of the memory of this alias has started at `:now`.
#[must_use]
pub(crate) fn has_begun(alias: &str, moment: ValidAt) -> String {
    let (start, stored) = (format!("{alias}.valid_from"), format!("{alias}.timestamp"));
    // Of two times more than a day apart, comparing the texts is enough, in whatever form they are; most are.
    match moment {
        ValidAt::Now => format!(
            "({start} IS NULL OR {start} < date(:now, '-1 day') OR {start} = {stored} OR {kept} <= :now
                OR {kept} <= {} OR {kept} <= {})",
            kept_form(&stored),
            kept_form(&format!("{alias}.updated_at")),
            kept = kept_form(&start),
        ),
        ValidAt::Given => {
            let start = format!("coalesce({start}, {stored})");
            format!(
                "({} <= :now AND ({start} < date(:now, '-1 day') OR {} <= :now))",
                kept_form(&stored),
                kept_form(&start)
            )
        }
    }
}

/// Returns SQL for: the validity of the memory of this alias has not ended at `:now`.
#[must_use]
pub(crate) fn has_not_ended(alias: &str, moment: ValidAt) -> String {
    let end = format!("{alias}.valid_until");
    let kept = kept_form(&end);
    match moment {
        ValidAt::Now => format!(
            "({end} IS NULL OR {kept} > :now AND {alias}.superseded_by IS NULL
                AND {kept} > coalesce({}, ''))",
            kept_form(&format!("{alias}.updated_at")),
        ),
        ValidAt::Given => format!("({end} IS NULL OR {kept} > :now)"),
    }
}

/// Returns SQL for: the memory of this alias has not expired at `:now`.
#[must_use]
pub(crate) fn has_not_expired(alias: &str) -> String {
    let end = format!("{alias}.expires_at");
    format!("({end} IS NULL OR {} > :now)", kept_form(&end))
}

/// Returns SQL for: the memory of this alias is valid at `:now`.
#[must_use]
pub(crate) fn holds(alias: &str, moment: ValidAt) -> String {
    format!(
        "{} AND {} AND {}",
        has_begun(alias, moment),
        has_not_ended(alias, moment),
        has_not_expired(alias)
    )
}
