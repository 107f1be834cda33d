//! Source code in answers, without secrets.

use std::ops::Range;

use limbic_guard::{SecretKind, find_secret};

/// The last line of a PEM-encoded key.
const END_OF_KEY: &str = "-----END ";

/// Maximum number of multi-line secrets in a file; above it, the whole text is replaced.
const MAX_LONG_SECRETS: usize = 50;

/// Replaces lines that contain a secret by a note of its kind; the whole text if the secret spans lines.
pub fn redacted(text: String) -> String {
    let Some(kind) = find_secret(&text) else { return text };
    let lines: Vec<String> = text
        .lines()
        .map(|line| match find_secret(line) {
            Some(kind) => note(kind),
            None => line.to_owned(),
        })
        .collect();
    let text = lines.join("\n");
    if find_secret(&text).is_some() { note(kind) } else { text }
}

/// Replaces the lines of a file that contain secrets by notes of their kind, so that the others keep their numbers.
/// Returns how many lines are replaced.
pub fn redacted_file(text: &str) -> (String, usize) {
    if find_secret(text).is_none() {
        return (text.to_owned(), 0);
    }
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let original = lines.clone();
    for line in &mut lines {
        if let Some(kind) = find_secret(line) {
            *line = note(kind);
        }
    }
    for _ in 0..=MAX_LONG_SECRETS {
        let Some(kind) = find_secret(&lines.join("\n")) else { break };
        let range = long_secret(&lines).unwrap_or(0..lines.len());
        lines[range].fill(note(kind));
    }
    if let Some(kind) = find_secret(&lines.join("\n")) {
        lines.fill(note(kind));
    }
    let count = lines.iter().zip(&original).filter(|(shown, line)| shown != line).count();
    (lines.join("\n"), count)
}

/// Returns the lines of the first multi-line secret, up to the end of its paragraph or PEM block.
fn long_secret(lines: &[String]) -> Option<Range<usize>> {
    let has_secret = |range: Range<usize>| find_secret(&lines[range].join("\n")).is_some();
    let end = first_that_fits(lines.len(), |end| has_secret(0..end))?;
    let start = end - first_that_fits(end, |length| has_secret(end - length..end))?;
    let rest = || lines.iter().enumerate().skip(end);
    let is_armoured = lines[start].contains("-----BEGIN ");
    let armour = rest().find(|(_, line)| is_armoured && line.contains(END_OF_KEY)).map(|(at, _)| at + 1);
    let paragraph = || rest().find(|(_, line)| line.trim().is_empty()).map(|(at, _)| at);
    Some(start..armour.or_else(paragraph).unwrap_or(lines.len()))
}

/// Returns the least number up to `max` for which a monotonic predicate holds.
fn first_that_fits(max: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if !fits(max) {
        return None;
    }
    let (mut low, mut high) = (0, max);
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

fn note(kind: SecretKind) -> String {
    format!("[redacted: {}]", kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_secrets_are_replaced() {
        let text = "let a = 1;\nlet password = \"kestrel-99-Blue\";\nlet b = 2;";
        let shown = redacted(text.to_owned());
        assert!(shown.starts_with("let a = 1;\n[redacted: ") && shown.ends_with("let b = 2;"), "{shown}");
        assert_eq!(redacted("fn main() {}".to_owned()), "fn main() {}");
    }

    #[test]
    fn the_other_lines_of_a_file_keep_their_numbers() {
        let key = [
            "-----BEGIN RSA",
            " PRIVATE KEY-----\nMIIEpAIBAAKCAQEAq83kzPw1Lx0d\nq83kzPw1\n-----END RSA PRIVATE KEY-----",
        ];
        let text = format!("a\nlet password = \"kestrel-99-Blue\";\n{}\nb\n\nc\n", key.concat());
        let (shown, count) = redacted_file(&text);
        let lines: Vec<&str> = shown.split('\n').collect();
        assert_eq!((lines.len(), count), (text.split('\n').count(), 5), "{shown}");
        assert!(lines[1..6].iter().all(|line| line.starts_with("[redacted: ")), "{shown}");
        assert_eq!((lines[0], &lines[6..]), ("a", ["b", "", "c", ""].as_slice()), "{shown}");
        assert_eq!(redacted_file("a\r\nb\n"), ("a\r\nb\n".to_owned(), 0));
    }
}
