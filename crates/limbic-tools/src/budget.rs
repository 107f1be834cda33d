//! How much of an answer fits into a context window.

use serde::Serialize;

/// Characters of JSON that count as one token.
const CHARACTERS_PER_TOKEN: usize = 4;

/// The most tokens of an answer that has no max_tokens of its own.
pub const ANSWER_TOKENS: usize = 8000;

/// The most tokens of the observations of one search result.
const ITEM_TOKENS: usize = 2000;

/// The most tokens of what a write shows of the entities that it has changed: enough for small ones as a whole.
pub const WRITE_TOKENS: usize = 1000;

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

    /// A budget for one of several items of an answer of so many tokens: a quarter of it, and 2,000 tokens at most.
    pub fn part_of(max_tokens: usize) -> Self {
        Self::new((max_tokens / 4).min(ITEM_TOKENS))
    }

    /// Whether an item did not fit, so that nothing should follow.
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// Takes the room that all these items need together, if it is there.
    pub fn take_all(&mut self, items: &[impl Serialize]) -> bool {
        let needed: usize = items.iter().map(characters).sum();
        let fits = needed <= self.left;
        if fits && !items.is_empty() {
            self.left -= needed;
            self.untouched = false;
        }
        fits
    }

    /// Cuts a list to its first items, as many as there is room for. Answers how many are gone.
    pub fn cut<T: Serialize>(&mut self, items: &mut Vec<T>) -> usize {
        let before = items.len();
        let fitting = items.iter().take_while(|item| !self.spent && self.take(*item)).count();
        items.truncate(fitting);
        before - fitting
    }

    /// Takes the room that an item needs, if it is there. The first item always fits: a reader must get on.
    pub fn take(&mut self, item: &impl Serialize) -> bool {
        let needed = characters(item);
        if needed > self.left && !self.untouched {
            self.spent = true;
            return false;
        }
        self.left = self.left.saturating_sub(needed);
        self.untouched = false;
        true
    }
}

/// How many characters an item takes in an answer, the comma after it included.
fn characters(item: &impl Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |text| text.chars().count() + 1)
}
