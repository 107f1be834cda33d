//! Whether a memory holds, as SQL.
//!
//! The host's clock may be set back, and what was stored before must not vanish for it. So at present a moment that lies
//! ahead of the clock counts as reached where the row itself shows that the clock had passed it: a memory that held when
//! it was stored has begun to hold, and one that was ended by a decision has ended. A moment that a caller gave for later
//! is still to come. For a moment that a caller asks about (`as_of`), the stored moments alone count.

use crate::store::timestamps::kept_form;

/// For when memories must hold. `:now` is that moment, as memories keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// This moment.
    Present,
    /// One that a caller named: as it was known then.
    Named,
}

/// That the memory of this alias has begun to hold at `:now`.
#[must_use]
pub(crate) fn has_begun(alias: &str, moment: Moment) -> String {
    let (start, stored) = (format!("{alias}.valid_from"), format!("{alias}.timestamp"));
    // Of two moments more than a day apart text tells which comes first, in whatever form they are; most are.
    match moment {
        Moment::Present => format!(
            "({start} IS NULL OR {start} < date(:now, '-1 day') OR {start} = {stored} OR {kept} <= :now
                OR {kept} <= {} OR {kept} <= {})",
            kept_form(&stored),
            kept_form(&format!("{alias}.updated_at")),
            kept = kept_form(&start),
        ),
        Moment::Named => {
            let start = format!("coalesce({start}, {stored})");
            format!(
                "({} <= :now AND ({start} < date(:now, '-1 day') OR {} <= :now))",
                kept_form(&stored),
                kept_form(&start)
            )
        }
    }
}

/// That the memory of this alias has not ended at `:now`.
#[must_use]
pub(crate) fn has_not_ended(alias: &str, moment: Moment) -> String {
    let end = format!("{alias}.valid_until");
    let kept = kept_form(&end);
    match moment {
        Moment::Present => format!(
            "({end} IS NULL OR {kept} > :now AND {alias}.superseded_by IS NULL
                AND {kept} > coalesce({}, ''))",
            kept_form(&format!("{alias}.updated_at")),
        ),
        Moment::Named => format!("({end} IS NULL OR {kept} > :now)"),
    }
}

/// That the memory of this alias is not past its expiry at `:now`.
#[must_use]
pub(crate) fn has_not_expired(alias: &str) -> String {
    let end = format!("{alias}.expires_at");
    format!("({end} IS NULL OR {} > :now)", kept_form(&end))
}

/// That the memory of this alias holds at `:now`.
#[must_use]
pub fn holds(alias: &str, moment: Moment) -> String {
    format!(
        "{} AND {} AND {}",
        has_begun(alias, moment),
        has_not_ended(alias, moment),
        has_not_expired(alias)
    )
}
