//! How two statements can be related.

/// The relation of two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Both say the same, up to spelling: one may represent the other.
    Same,
    /// Both seem to say the same in other words, and neither corrects the other. Rules about clauses cannot be certain,
    /// so none represents the other.
    Paraphrase,
    /// They differ in several words, but not in a number, name or negation: one statement if their vectors are similar.
    /// Neither represents the other.
    Reworded,
    /// Both cannot be true, or one has another value in one place.
    Contradiction,
    /// One adds to the other.
    Extension,
    /// They differ in one word and share only one: two values of one thing, or two things that are true of it.
    OtherWord,
    /// Of different things or events: JSON with other keys, or statements with another subject, date or label, and
    /// another value; or of values that one thing can have at once.
    OtherThing,
    /// Undecided by the texts, and not [`Relation::Reworded`]: a contradiction if the vectors are very similar.
    Unclear,
}

impl Relation {
    /// Whether the words decide nothing unless the vectors are similar.
    pub(crate) fn needs_vectors(self) -> bool {
        matches!(self, Self::Reworded | Self::OtherWord | Self::Unclear)
    }
}
