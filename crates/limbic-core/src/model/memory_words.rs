//! The enumerated values of some columns of a memory. Rows of other programs may contain others, so rows keep them
//! as [`Word`]; the status is computed and always one of [`MemoryStatus`].

pub use super::words::Word;
use super::words::{words, words_of_rows};

words! {
    /// The kind of statement of a memory.
    #[derive(Default)]
    Category { #[default] Fact = "fact", Preference = "preference", Decision = "decision", Convention = "convention" }
}
words! {
    /// The kind of memory: of events, knowledge, or procedures.
    #[derive(Default)]
    MemoryType { Episodic = "episodic", #[default] Semantic = "semantic", Procedural = "procedural" }
}
words! {
    /// The tier of a memory: `l0` is always loaded, `l4` only found by searches.
    #[derive(Default)]
    Tier { L0 = "l0", L1 = "l1", L2 = "l2", L3 = "l3", #[default] L4 = "l4" }
}
words! {
    /// How often a memory is used.
    #[derive(Default)]
    Heat { #[default] Cold = "cold", Warm = "warm", Hot = "hot" }
}
words! {
    /// The status of a memory: valid; invalidated; past its expiry; hidden by a contradiction.
    MemoryStatus { Current = "current", Ended = "ended", Expired = "expired", Contradicted = "contradicted" }
}
words_of_rows!(MemoryStatus);

/// The subject of memories about errors and their fixes, which hooks look up after a failure.
pub const ERROR_SUBJECT: &str = "error-kb";

impl Word<MemoryType> {
    /// Returns the type by which a memory decays: semantic if another program has stored another word.
    #[must_use]
    pub fn or_semantic(&self) -> MemoryType {
        self.known().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::words::UnknownWord, *};

    #[test]
    fn words_are_read_as_they_are_written() {
        assert!(Tier::ALL.iter().all(|tier| tier.name().parse() == Ok(*tier)));
        assert_eq!(Category::WORDS.join(" "), "fact preference decision convention");
        assert_eq!("L0".parse::<Tier>(), Err(UnknownWord));
        assert!(Tier::L0 < Tier::L4);
    }

    #[test]
    fn words_of_other_programs_are_kept() {
        assert_eq!(Word::of("l1"), Word::Known(Tier::L1));
        let other = Word::<MemoryType>::of("dream");
        assert_eq!(
            (other.as_str(), other.known(), other.or_semantic()),
            ("dream", None, MemoryType::Semantic)
        );
        assert_eq!(Word::<MemoryType>::of("procedural").or_semantic(), MemoryType::Procedural);
        assert_ne!(other, MemoryType::Semantic);
    }
}
