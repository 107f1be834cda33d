//! A known format, and how it is stated.

/// The kind of a secret, without the secret itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SecretKind(&'static str);

impl SecretKind {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the display name: "AWS access key", "password assignment".
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// The start of a match.
pub(crate) enum Begins {
    /// At the literal, at the start of a word.
    With,
    /// At the literal; the pattern examines the rest of the line, once per line.
    WithCommand,
    /// At a run of such bytes before the literal, of a length within these bounds.
    Before(fn(u8) -> bool, usize, usize),
}

/// Additional conditions of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// No condition.
    Nothing,
    /// Random letters of both cases and digits, because names have the same prefix.
    Mixed,
    /// A digit, because long names have the same prefix and no digits.
    Digit,
    /// No word before it that names an object with an id, because ids have the same format.
    NoIdBefore,
}

/// A format.
pub(crate) struct Rule {
    /// Its display name.
    pub kind: &'static str,
    /// Every match contains one of these.
    pub literals: &'static [&'static str],
    /// The start of the match relative to its literal.
    pub begins: Begins,
    /// A group captures a chosen value: a placeholder there is not a secret.
    pub pattern: &'static str,
    /// An additional condition.
    pub asks: Asks,
    /// A made-up example.
    #[cfg_attr(not(test), allow(dead_code, reason = "read by tests"))]
    pub example: &'static str,
}

pub(super) const fn rule(
    kind: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    Rule { kind, literals, begins: Begins::With, pattern, asks: Asks::Nothing, example }
}

/// A format shared with names: only random values match.
pub(super) const fn random(
    kind: &'static str,
    literals: &'static [&'static str],
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    asking(Asks::Mixed, rule(kind, literals, pattern, example))
}

pub(super) const fn asking(asks: Asks, rule: Rule) -> Rule {
    Rule { asks, ..rule }
}

pub(super) const fn inner(
    kind: &'static str,
    literals: &'static [&'static str],
    begins: Begins,
    pattern: &'static str,
    example: &'static str,
) -> Rule {
    Rule { begins, ..rule(kind, literals, pattern, example) }
}

/// Letters, digits, hyphens and underscores.
pub(super) fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn is_of_azure(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.')
}

pub(super) fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'*')
}

pub(super) fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}
