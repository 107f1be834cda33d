//! Ranges of a text, runs of digits, and what stands around them.

/// A range of a text and its replacement.
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) label: &'static str,
}

/// A run of digits with single separators between them.
pub(super) struct Digits<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'a str,
}

impl Digits<'_> {
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = u32> {
        self.text.chars().filter_map(|letter| letter.to_digit(10))
    }

    pub(super) fn count(&self) -> usize {
        self.values().count()
    }

    /// The run without its last group and the separators before it; `None` if it has one group.
    pub(super) fn without_last_group(&self) -> Option<Self> {
        let first = self.text.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let text = first.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        (!text.is_empty()).then_some(Digits { start: self.start, end: self.start + text.len(), text })
    }

    /// Lengths of the groups between separators.
    pub(super) fn groups(&self) -> Vec<usize> {
        self.text
            .split(|letter: char| !letter.is_ascii_digit())
            .map(str::len)
            .filter(|length| *length > 0)
            .collect()
    }
}

/// Returns runs of digits with at most `max` separators between them, outside names.
pub(super) fn digit_runs<'a>(
    text: &'a str,
    separators: &'a [u8],
    max: usize,
) -> impl Iterator<Item = Digits<'a>> {
    let bytes = text.as_bytes();
    let mut index = 0;
    std::iter::from_fn(move || {
        while index < bytes.len() && !bytes[index].is_ascii_digit() {
            index += 1;
        }
        let start = index;
        let mut end = index;
        while index < bytes.len() {
            if bytes[index].is_ascii_digit() {
                index += 1;
                end = index;
            } else if separators.contains(&bytes[index]) && index - end < max {
                index += 1;
            } else {
                break;
            }
        }
        (start < end).then(|| Digits { start, end, text: &text[start..end] })
    })
}

/// Returns the characters before and after a range.
pub(super) fn around(text: &str, start: usize, end: usize) -> (Option<char>, Option<char>) {
    (text[..start].chars().next_back(), text[end..].chars().next())
}

pub(super) fn is_of_a_name(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}
