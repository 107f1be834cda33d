//! How much of an answer fits into a context window.

use serde::Serialize;

/// Characters of JSON that count as one token.
const CHARACTERS_PER_TOKEN: usize = 4;

/// What is left of an answer's budget.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    left: usize,
    untouched: bool,
}

impl Budget {
    /// A budget of so many tokens.
    pub fn new(max_tokens: usize) -> Self {
        Self { left: max_tokens.saturating_mul(CHARACTERS_PER_TOKEN), untouched: true }
    }

    /// Takes the room that an item needs, if it is there. The first item always fits: a reader must get on.
    pub fn take(&mut self, item: &impl Serialize) -> bool {
        let needed = serde_json::to_string(item).map_or(0, |text| text.chars().count() + 1);
        if needed > self.left && !self.untouched {
            return false;
        }
        self.left = self.left.saturating_sub(needed);
        self.untouched = false;
        true
    }
}
