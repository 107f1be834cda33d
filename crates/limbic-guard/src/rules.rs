//! The known forms of credentials, as data.
//!
//! `example` shows the form, with `·` where the test removes it: hosting services refuse text that looks like a
//! live key.

mod keys;
mod clouds;
mod forges;
mod models;
mod messages;
mod commerce;
mod tools;
mod hashes;
mod commands;

use std::sync::LazyLock;

/// All forms. Where two share a beginning, the narrower stands first.
///
/// Forms are those that the services document, compared with the rule sets of gitleaks and detect-secrets.
pub(super) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    [
        keys::RULES,
        clouds::RULES,
        forges::RULES,
        models::RULES,
        messages::RULES,
        commerce::RULES,
        tools::RULES,
        keys::JSON_WEB_TOKENS,
        hashes::RULES,
        commands::RULES,
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// What kind of secret was found. The secret itself is not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecretKind(&'static str);

impl SecretKind {
    pub(super) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// What people call it: "AWS access key", "password assignment".
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// Where a match begins.
pub(super) enum Begins {
    /// With the literal, where no name goes through.
    With,
    /// With the literal, and the pattern looks at the rest of the line: once for each line is enough.
    WithCommand,
    /// With a run of such bytes before the literal, from so many to so many.
    Before(fn(u8) -> bool, usize, usize),
}

/// What a match needs besides its form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// The form is enough.
    Nothing,
    /// Letters of both cases and digits, mixed as by chance: its beginning is also that of names.
    Mixed,
    /// A digit: long names begin in the same way and have none.
    Digit,
    /// No word before it that announces the id of a thing: ids have the same form.
    NoIdBefore,
}

/// One form.
pub(super) struct Rule {
    /// What people call it.
    pub kind: &'static str,
    /// One of these stands in every match.
    pub literals: &'static [&'static str],
    /// Where the match begins, seen from its literal.
    pub begins: Begins,
    /// A group in it is a value that somebody chose, so a placeholder there is no secret.
    pub pattern: &'static str,
    /// What a match needs besides the form.
    pub asks: Asks,
    /// A made-up one.
    #[cfg_attr(not(test), allow(dead_code, reason = "read by tests"))]
    pub example: &'static str,
}

const fn rule(
    kind: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    Rule { kind, literals, begins: Begins::With, pattern, asks: Asks::Nothing, example }
}

/// A form that names share: only what looks random counts.
const fn random(
    kind: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    asking(Asks::Mixed, rule(kind, literals, pattern, example))
}

const fn asking(asks: Asks, rule: Rule) -> Rule {
    Rule { asks, ..rule }
}

const fn inner(
    kind: &'static str,
    literals: &'static [&'static str],
    begins: Begins,
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    Rule { begins, ..rule(kind, literals, pattern, example) }
}

/// Letters, digits and dashes of both sorts.
fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_of_azure(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.')
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}
