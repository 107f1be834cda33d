//! The nearest known name to a mistyped one.

/// The known name with the fewest letters to change, when at most a third of them (but two in short names) differ.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (distance(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(changes, name)| *changes <= (name.chars().count() / 3).max(2))
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein's distance.
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
    fn a_slip_of_the_keys_is_recognised() {
        assert_eq!(nearest("entityNmae", ["entityName", "contents"]), Some("entityName"));
        assert_eq!(nearest("observation", ["name", "observations"]), Some("observations"));
        assert_eq!(nearest("colour", ["name", "observations"]), None);
    }
}
