//! Lists of literals that are searched together, in one pass over a text.

use std::sync::OnceLock;

/// A list of literals of at least two bytes. It is sorted at its first use.
pub(crate) struct Literals {
    list: &'static [&'static str],
    by_first_byte: OnceLock<Vec<Vec<&'static str>>>,
}

impl Literals {
    pub(crate) const fn new(list: &'static [&'static str]) -> Self {
        Self { list, by_first_byte: OnceLock::new() }
    }

    /// Returns the literals in the order of their list.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.list.iter().copied()
    }

    /// Returns every literal in a text, with its position in bytes. Literals may overlap.
    pub(crate) fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'static str)> + 'a {
        let by_first_byte = self.by_first_byte.get_or_init(|| {
            let mut sorted = vec![Vec::new(); 256];
            for literal in self.list {
                sorted[usize::from(literal.as_bytes()[0])].push(*literal);
            }
            sorted
        });
        let bytes = text.as_bytes();
        bytes.windows(2).enumerate().flat_map(move |(index, first)| {
            let starts_here = move |literal: &&&str| {
                // The second byte tells most of them apart, without a call.
                literal.as_bytes()[1] == first[1] && bytes[index..].starts_with(literal.as_bytes())
            };
            by_first_byte[usize::from(first[0])]
                .iter()
                .filter(starts_here)
                .map(move |literal| (index, *literal))
        })
    }

    /// Whether a text contains one of the literals.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.matches(text).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_literal_is_found_where_it_is() {
        static LITERALS: Literals = Literals::new(&["pin", "pin code", "é", "code"]);
        let found: Vec<_> = LITERALS.matches("a pin codé, pin code").collect();
        assert_eq!(found, [(2, "pin"), (9, "é"), (13, "pin"), (13, "pin code"), (17, "code")]);
        assert!(LITERALS.are_in("tapping"));
        assert!(!LITERALS.are_in("pi n cod"));
        assert!(!LITERALS.are_in(""));
    }
}
