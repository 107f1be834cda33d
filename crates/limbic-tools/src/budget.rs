//! How much of an answer fits into a context window.

use serde::Serialize;

/// Characters of JSON that count as one token.
const CHARACTERS_PER_TOKEN: usize = 4;

/// The most tokens of an answer that has no max_tokens of its own.
pub const ANSWER_TOKENS: usize = 8000;

/// What is left of an answer's budget.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    left: usize,
    untouched: bool,
    spent: bool,
}

impl Budget {
    /// A budget of so many tokens.
    pub fn new(max_tokens: usize) -> Self {
        Self { left: max_tokens.saturating_mul(CHARACTERS_PER_TOKEN), untouched: true, spent: false }
    }

    /// Whether an item did not fit, so that nothing should follow.
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// Takes the room that an item needs, if it is there. The first item always fits: a reader must get on.
    pub fn take(&mut self, item: &impl Serialize) -> bool {
        let needed = serde_json::to_string(item).map_or(0, |text| text.chars().count() + 1);
        if needed > self.left && !self.untouched {
            self.spent = true;
            return false;
        }
        self.left = self.left.saturating_sub(needed);
        self.untouched = false;
        true
    }
}
