//! Passwords in URLs: `scheme://user:password@host`.

use super::value;

/// Whether a URL in the text contains a password that is not a placeholder or default.
pub(super) fn has_password(text: &str) -> bool {
    text.match_indices("://").any(|(index, mark)| {
        let before = &text[..index];
        let after = &text[index + mark.len()..];
        before.ends_with(|letter: char| letter.is_ascii_alphanumeric()) && authority_has_password(after)
    })
}

fn authority_has_password(after: &str) -> bool {
    let end = after
        .find(|letter: char| letter.is_whitespace() || matches!(letter, '/' | '?' | '#' | '"' | '\'' | '`'))
        .unwrap_or(after.len());
    let Some((login, host)) = after[..end].rsplit_once('@') else { return false };
    let Some((user, password)) = login.split_once(':') else { return false };
    !host.is_empty()
        && password.chars().count() >= 3
        && password != user
        && !value::is_well_known_default(password)
        && !value::is_reference(password)
        && !value::is_placeholder(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_is_found() {
        assert!(has_password("see postgres://app:Blue-77@db/app"));
        assert!(has_password("redis://:Gr4nite@cache:6379/0"));
        assert!(!has_password("https://host:8080/a@b"));
        assert!(!has_password("postgres://postgres:postgres@localhost/app"));
        assert!(!has_password("https://$USER:$PASS@host"));
        assert!(!has_password("postgres://app:postgres@localhost/app"));
        assert!(!has_password("https://bot:$CI_LOGIN@host"));
        assert!(!has_password("https://user@host/path:x@y"));
    }
}
