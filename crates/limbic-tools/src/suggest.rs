//! Suggestions for misspelled names.

/// Maximum length of a text to compare: longer ones are not misspellings, and the cost is the product of both
/// lengths.
const MAX_CHARS: usize = 200;

/// Returns the known name with the smallest edit distance, if at most a third of its letters (two in short names)
/// differ; of several, the first in alphabetical order. `None` for a text of more than [`MAX_CHARS`]. The same rule as
/// `suggest` in `node/src/suggest.ts`.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let wrong = wrong.to_lowercase();
    let length = wrong.chars().count();
    known
        .into_iter()
        .filter_map(|name| {
            let max_changes = (name.chars().count() / 3).max(2);
            let lower = name.to_lowercase();
            // The difference in length is a lower bound of the distance.
            let differs = lower.chars().count().abs_diff(length);
            let changes = (differs <= max_changes).then(|| distance(&wrong, &lower))?;
            (changes <= max_changes).then_some((changes, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// Returns the Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let cost = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_gets_a_suggestion() {
        assert_eq!(nearest("entityNmae", ["entityName", "contents"]), Some("entityName"));
        assert_eq!(nearest("observation", ["name", "observations"]), Some("observations"));
        assert_eq!(nearest("colour", ["name", "observations"]), None);
        assert_eq!(nearest("abcdefxyz", ["abcdef"]), None);
        assert_eq!(nearest("abcxyz", ["abcdefxyz"]), Some("abcdefxyz"));
        assert_eq!(nearest("tas", ["tax", "tab"]), Some("tab"));
    }

    #[test]
    fn long_texts_get_no_suggestion() {
        let long = "x".repeat(MAX_CHARS + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None);
        let longest = "x".repeat(MAX_CHARS);
        let near = format!("{longest}y");
        assert_eq!(nearest(&longest, [near.as_str(), "x"]), Some(near.as_str()));
    }
}
