//! Names of code in prose: texts between back-ticks that have the form of a definition's name.

use std::collections::BTreeSet;

/// Maximum number of names of a text.
const MAX_NAMES: usize = 50;

/// Minimum length of a name, in bytes: shorter ones are rarely the names of definitions.
const MIN_BYTES: usize = 3;

/// Returns the names between back-ticks, outside of fenced blocks, without duplicates: `check_amount`, `Order.total`,
/// `Order::total()`, `src/order.rs#Order.total`.
#[must_use]
pub fn quoted_names(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            // Texts with even numbers of back-ticks before them are outside of quotes.
            let quoted = line.split('`').skip(1).step_by(2);
            found.extend(quoted.filter_map(name));
        }
    }
    while found.len() > MAX_NAMES {
        found.pop_last();
    }
    found
}

/// Returns the name that a text consists of: with dots between scopes, and without arguments.
#[must_use]
pub(crate) fn name(text: &str) -> Option<String> {
    let text = text.trim();
    let (path, name) = text.rsplit_once('#').map_or((None, text), |(path, name)| (Some(path), name));
    let name = name.split_once('(').map_or(name, |(name, _)| name).replace("::", ".");
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '~');
    let is_name = name.len() >= MIN_BYTES
        && name.split('.').all(|part| !part.is_empty() && part.chars().all(is_letter))
        && !name.starts_with(|letter: char| letter.is_ascii_digit());
    match path {
        _ if !is_name => None,
        None => Some(name),
        Some("") => None,
        Some(path) => Some(format!("{path}#{name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_back_ticks_are_found() {
        let text = "Call `check_amount` or `Order::total()`, see `src/order.rs#Order.total`; not total, `a b`, `id`, \
                    `--release`, `src/a.rs` or `#total`.\n```\nlet `fenced`\n```\nA `lone one";
        let found: Vec<String> = quoted_names(text).into_iter().collect();
        assert_eq!(found, ["Order.total", "check_amount", "src/order.rs#Order.total"]);
    }
}
