//! Rules that no compiler checks, as tests.
//!
//! Some rules have a list of known exceptions. Such a list is exact: an unlisted case fails, and so does an entry that
//! is no longer needed. Lists get shorter, never longer.

mod cycles;
mod dependencies;
mod exports;
mod files;
mod language;
mod manifests;
mod modules;
mod names;
mod sql;

/// Fails unless `found` equals the list `name`; the message contains the list to paste.
fn assert_known(name: &str, found: &[String], known: &[String]) {
    let added: Vec<_> = found.iter().filter(|item| !known.contains(item)).collect();
    let gone: Vec<_> = known.iter().filter(|item| !found.contains(item)).collect();
    assert!(
        added.is_empty() && gone.is_empty(),
        "{name} differs.\nNot allowed: {added:#?}\nNo longer needed, take these out of the list: {gone:#?}\n\
         The list as found:\n{}",
        found.iter().map(|item| format!("    {item},\n")).collect::<String>()
    );
}

#[cfg(test)]
mod tests {
    use super::assert_known;

    #[test]
    #[should_panic(expected = "Not allowed: [\n    \"b\",\n]")]
    fn an_exception_that_is_not_listed_fails() {
        assert_known("LIST", &["a".to_owned(), "b".to_owned()], &["a".to_owned()]);
    }

    #[test]
    #[should_panic(expected = "take these out of the list: [\n    \"a\",\n]")]
    fn a_listed_exception_that_is_no_longer_needed_fails() {
        assert_known("LIST", &[], &["a".to_owned()]);
    }
}
