//! Rules that no compiler checks, as tests.
//!
//! Some rules have a list of known exceptions. Such a list is exact: what is not on it fails, and so does an entry that is
//! no longer needed. Lists get shorter, never longer.

mod cycles;
mod dependencies;
mod files;
mod manifests;
mod modules;

/// Fails unless `found` is what the list `name` holds; the message is the list to paste.
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
