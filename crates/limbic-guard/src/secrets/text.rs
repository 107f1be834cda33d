//! A text with its copy in lower case, which most scans read: made once for all of them.

/// A text that is scanned.
pub(crate) struct Text<'a> {
    /// The text as it was written.
    pub written: &'a str,
    /// The text in lower case. Letters may have another length there.
    pub lower: String,
}

impl<'a> Text<'a> {
    pub(crate) fn new(written: &'a str) -> Self {
        Self { written, lower: written.to_lowercase() }
    }

    /// Returns each line as it was written and in lower case.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&'a str, &str)> {
        // No letter becomes a line break, or is made of one.
        self.written.lines().zip(self.lower.lines())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_in_both_cases() {
        let text = Text::new("Ein PIN\r\n\nİSTANBUL ΟΔΟΣ\nẞ");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines, [("Ein PIN", "ein pin"), ("", ""), ("İSTANBUL ΟΔΟΣ", "i̇stanbul οδος"), ("ẞ", "ß")]);
    }
}
