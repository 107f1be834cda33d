//! The layout of texts with several lines: in source code, YAML and nested lists, line breaks and indentation carry
//! meaning.

/// Whether two texts are laid out alike: each has at most one line, or both have as many lines with the same
/// indentation, and `agree` is true for each pair of lines. Blank lines and white space behind a line do not count.
pub(crate) fn agrees(one: &str, other: &str, agree: impl Fn(&str, &str) -> bool) -> bool {
    let (one, other) = (lines(one), lines(other));
    (one.len() <= 1 && other.len() <= 1)
        || (one.len() == other.len()
            && one.iter().zip(&other).all(|(one, other)| one.0 == other.0 && agree(one.1, other.1)))
}

/// Whether any line of a text with several is indented.
pub(crate) fn is_indented(text: &str) -> bool {
    let lines = lines(text);
    lines.len() > 1 && lines.iter().any(|(indentation, _)| !indentation.is_empty())
}

/// The lines that are not blank, each as its indentation and the rest.
fn lines(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_at(line.len() - line.trim_start().len()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_and_line_breaks_count_in_texts_of_several_lines() {
        let agree = |one: &str, other: &str| {
            agrees(one, other, |one, other| one.split_whitespace().eq(other.split_whitespace()))
        };
        for (one, other) in [(" one  line ", "one line"), ("a\n\n  b  ", "a\r\n  b\n"), ("\na\n", "a")] {
            assert!(agree(one, other) && agree(other, one), "{one:?} {other:?}");
        }
        for (one, other) in [
            ("if ready:\n    build()\n    deploy()", "if ready:\n    build()\ndeploy()"),
            ("cd x\nls", "cd x ls"),
            ("a b\nc", "a\nb c"),
            ("a\n\tb", "a\n b"),
        ] {
            assert!(!agree(one, other) && !agree(other, one), "{one:?} {other:?}");
        }
        assert!(is_indented("a\n b") && !is_indented("a\nb") && !is_indented(" a"));
    }
}
