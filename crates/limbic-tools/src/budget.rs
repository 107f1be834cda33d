//! Budgets of answers, in tokens.

use serde::Serialize;

/// Characters of JSON that count as one token.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Maximum size of an answer without max_tokens, in tokens.
pub const MAX_ANSWER_TOKENS: usize = 8000;

/// Returns [`MAX_ANSWER_TOKENS`], the default of max_tokens.
pub fn answer_tokens() -> usize {
    MAX_ANSWER_TOKENS
}

/// Maximum size of the observations of one search result, in tokens.
const MAX_ITEM_TOKENS: usize = 2000;

/// Maximum size of the entities that a write returns, in tokens: small entities fit as a whole.
pub const MAX_WRITE_TOKENS: usize = 1000;

/// The rest of an answer's budget.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    left: usize,
    untouched: bool,
    spent: bool,
}

impl Budget {
    /// Creates a budget of `tokens`.
    pub fn new(max_tokens: usize) -> Self {
        Self { left: max_tokens.saturating_mul(CHARACTERS_PER_TOKEN), untouched: true, spent: false }
    }

    /// Creates the budget of one of several items of an answer of `tokens`: a quarter of it, at most 2,000 tokens.
    pub fn part_of(max_tokens: usize) -> Self {
        Self::new((max_tokens / 4).min(MAX_ITEM_TOKENS))
    }

    /// Whether an item did not fit, so that no other should be added.
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    /// Charges all these items together. Returns whether they fit.
    pub fn take_all(&mut self, items: &[impl Serialize]) -> bool {
        let needed: usize = items.iter().map(characters).sum();
        let fits = needed <= self.left;
        if fits && !items.is_empty() {
            self.left -= needed;
            self.untouched = false;
        }
        fits
    }

    /// Truncates a list to the first items that fit. Returns the number of items removed.
    pub fn cut<T: Serialize>(&mut self, items: &mut Vec<T>) -> usize {
        let before = items.len();
        let fitting = items.iter().take_while(|item| !self.spent && self.take(*item)).count();
        items.truncate(fitting);
        before - fitting
    }

    /// Charges an item. Returns whether it fits. The first item always fits, so that paging makes progress.
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

/// The length of an item in an answer in characters, including the following comma.
fn characters(item: &impl Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |text| text.chars().count() + 1)
}
