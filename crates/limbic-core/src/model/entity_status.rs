//! Statuses of entities.

/// A status that Limbic treats in a way of its own. An entity's status is free text: any other word is a status, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityStatus {
    /// Default.
    Active,
    /// Ranks lower.
    Paused,
    /// Ranks lower still.
    Completed,
    /// Ranks lowest and is never reported as stale.
    Archived,
    /// The entity exists only because a relation of the reference server names it. It becomes a normal entity when it
    /// is created or gets an observation.
    Placeholder,
}

impl EntityStatus {
    const ALL: [Self; 5] = [Self::Active, Self::Paused, Self::Completed, Self::Archived, Self::Placeholder];

    /// Returns the word that Limbic stores. All but the last are words of MCP Memory v2's format.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "activo",
            Self::Paused => "pausado",
            Self::Completed => "completado",
            Self::Archived => "archivado",
            Self::Placeholder => "placeholder",
        }
    }

    /// Returns the English word, which a caller may store as well.
    pub(crate) const fn english_word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Archived => "archived",
            Self::Placeholder => "placeholder",
        }
    }

    /// Returns the status with this stored word, in Spanish or English; `None` for a word without a meaning to Limbic.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| [status.word(), status.english_word()].contains(&word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_is_found_by_its_spanish_and_its_english_word() {
        for status in EntityStatus::ALL {
            assert_eq!(EntityStatus::of(status.word()), Some(status));
            assert_eq!(EntityStatus::of(status.english_word()), Some(status));
        }
        assert_eq!(EntityStatus::of("archived"), EntityStatus::of("archivado"));
        assert_eq!(EntityStatus::of("Activo"), None);
        assert_eq!(EntityStatus::of("done"), None);
    }
}
