//! A text without what only formats it: Markdown around words, angle brackets around addresses, full-width letters, and
//! spaces between scripts.

use std::borrow::Cow;

use super::script;

/// Marks of Markdown around words; not `__`, which names of Python have.
const MARKS: [&str; 2] = ["**", "`"];

/// Returns the text without formatting.
#[must_use]
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains(['`', '*', '_', '<']) {
        return Cow::Borrowed(text);
    }
    let mut plain: String = text.chars().map(half_width).collect();
    // A fence is a block, whose lines are what they are.
    if !plain.contains("```") {
        for mark in MARKS {
            plain = without_pairs(&plain, mark);
        }
    }
    Cow::Owned(without_spaces_between_scripts(&without_brackets(&plain)))
}

/// The ASCII character of a full-width one.
fn half_width(letter: char) -> char {
    match u32::from(letter) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(letter),
        _ => letter,
    }
}

/// Removes marks that open before a word and close behind one; all others stay, as in `src/**/*.rs` or `2 ** 3`.
fn without_pairs(text: &str, mark: &str) -> String {
    let is_inside =
        |letter: Option<char>| letter.is_some_and(|letter| !letter.is_whitespace() && !mark.contains(letter));
    let is_outside = |letter: Option<char>| {
        letter.is_none_or(|letter| !letter.is_alphanumeric() && !"/*_`\\".contains(letter))
    };
    let at: Vec<usize> = text.match_indices(mark).map(|(at, _)| at).collect();
    if at.len() % 2 == 1 {
        return text.to_owned();
    }
    let before = |at: usize| text[..at].chars().next_back();
    let behind = |at: usize| text[at + mark.len()..].chars().next();
    let mut removed = Vec::new();
    for pair in at.chunks_exact(2) {
        let (open, close) = (pair[0], pair[1]);
        let is_pair = is_outside(before(open))
            && is_inside(behind(open))
            && is_inside(before(close))
            && is_outside(behind(close));
        if is_pair {
            removed.extend([open, close]);
        }
    }
    let mut kept = String::with_capacity(text.len());
    let mut start = 0;
    for at in removed {
        kept.push_str(&text[start..at]);
        start = at + mark.len();
    }
    kept + &text[start..]
}

/// Removes the brackets around an address: `<ops@example.org>`, `<https://example.org>`.
fn without_brackets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let (before, behind) = rest.split_at(open);
        kept.push_str(before);
        let inner = behind[1..].find(|letter: char| letter == '>' || letter == '<' || letter.is_whitespace());
        match inner.map(|end| (&behind[1..=end], &behind[end + 1..])) {
            Some((address, after))
                if after.starts_with('>') && (address.contains('@') || address.contains("://")) =>
            {
                kept.push_str(address);
                rest = &after[1..];
            }
            _ => {
                kept.push('<');
                rest = &behind[1..];
            }
        }
    }
    kept + rest
}

/// Removes spaces between a letter of a script without spaces and a Latin letter or digit: `端口 8080`.
fn without_spaces_between_scripts(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_solid = |letter: char| script::is_unspaced(letter) && !script::is_hangul(letter);
    let is_boundary = |index: usize| {
        let (Some(before), Some(behind)) =
            (index.checked_sub(1).map(|at| letters[at]), letters.get(index + 1))
        else {
            return false;
        };
        (is_solid(before) && behind.is_ascii_alphanumeric())
            || (before.is_ascii_alphanumeric() && is_solid(*behind))
    };
    let kept = (0..letters.len()).filter(|index| letters[*index] != ' ' || !is_boundary(*index));
    kept.map(|index| letters[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatting_is_removed() {
        for (text, expected) in [
            ("Run `npm test` before pushing", "Run npm test before pushing"),
            ("The user is called **Ada**.", "The user is called Ada."),
            ("Contact: <ops@example.org>", "Contact: ops@example.org"),
            ("服务器使用端口 ８０８０", "服务器使用端口8080"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn what_is_no_formatting_stays() {
        for text in [
            "Ignore src/**/*.rs and lib/**/*.rs",
            "2 ** 3 and 3 ** 2",
            "Call __init__.py and __main__.py",
            "`x` and `y",
            "a <b> c",
            "```\nx\n```",
            "서버는 포트 8080을 사용한다",
        ] {
            assert_eq!(plain(text), text);
        }
    }
}
