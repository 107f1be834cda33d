//! Connection service files as libpq has them: `[name]` and lines `key=value`.

use std::collections::BTreeMap;

/// The settings of a service, if the file has it.
pub fn find(text: &str, service: &str) -> Option<BTreeMap<String, String>> {
    let mut found: Option<BTreeMap<String, String>> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if found.is_some() {
                break;
            }
            found = (name == service).then(BTreeMap::new);
        } else if let (Some(settings), Some((key, value))) = (&mut found, line.split_once('=')) {
            settings.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_the_settings_of_its_section() {
        let file = "# ours\n[other]\nhost=a\n[team]\nhost=db.example\nport = 5433\n\n[third]\nhost=b\n";
        let team = find(file, "team").expect("the file has it");
        assert_eq!(team.get("host").map(String::as_str), Some("db.example"));
        assert_eq!(team.get("port").map(String::as_str), Some("5433"));
        assert_eq!(team.len(), 2);
        assert_eq!(find(file, "none"), None);
    }
}
