//! Suggestions for misspelled names.

/// Maximum length of a text to compare: longer ones are not misspellings, and the cost is the product of both
/// lengths.
const MAX_CHARS: usize = 200;

/// Returns the known name with the smallest edit distance, ignoring case, if it is near enough: at most a third of its
/// letters differ, or two in names of five letters, one in names of three or four, and none in shorter ones. A swap of
/// neighbours counts as one. Of several names, the first in alphabetical order. `None` for a text of more than
/// [`MAX_CHARS`]. The same rule as `suggest` in `node/src/suggest.ts`; both are tested with
/// `tests/files/suggestions.json`.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let wrong = wrong.to_lowercase();
    let length = wrong.chars().count();
    known
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let name_length = lower.chars().count();
            let max_changes = max_changes(name_length);
            // The difference in length is a lower bound of the distance.
            let differs = name_length.abs_diff(length);
            let changes = (differs <= max_changes).then(|| distance(&wrong, &lower))?;
            (changes <= max_changes).then_some((changes, name))
        })
        .min()
        .map(|(_, name)| name)
}

/// Returns the maximum distance of a misspelling from a name of this length.
fn max_changes(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=4 => 1,
        _ => (length / 3).max(2),
    }
}

/// Returns the number of letters to insert, remove or replace, and of neighbours to swap (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last = None;
    for left in a.chars() {
        let mut next = vec![row[0] + 1];
        for (j, right) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(left != *right);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && last == Some(*right) && left == b[j - 1] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        last = Some(left);
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A case of `tests/files/suggestions.json`.
    #[derive(serde::Deserialize)]
    struct Case<'a> {
        given: &'a str,
        known: Vec<&'a str>,
        suggested: Option<&'a str>,
    }

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near_enough() {
        let cases: Vec<Case<'_>> =
            serde_json::from_str(include_str!("../../../tests/files/suggestions.json"))
                .expect("the file is JSON");
        for Case { given, known, suggested } in cases {
            assert_eq!(nearest(given, known.iter().copied()), suggested, "{given:?} of {known:?}");
        }
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
