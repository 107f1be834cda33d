//! Passwords in URLs: `scheme://user:password@host`.

use crate::secrets::value;

/// Whether a URL in the text contains a password that is not a placeholder or default.
pub(crate) fn has_password(text: &str) -> bool {
    text.match_indices("://").any(|(index, mark)| {
        let before = &text[..index];
        let after = &text[index + mark.len()..];
        before.ends_with(|letter: char| letter.is_ascii_alphanumeric()) && authority_has_password(after)
    }) || text.split_whitespace().any(is_login_at_host)
}

/// Whether it is `user:password@host` without a scheme.
fn is_login_at_host(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', '`', ',', ';', '(', ')']);
    let Some((login, host)) = word.rsplit_once('@') else { return false };
    let Some((user, password)) = login.split_once(':') else { return false };
    let has = |is: fn(&u8) -> bool| password.bytes().any(|byte| is(&byte));
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-/\\".contains(&byte);
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-:/".contains(&byte);
    !user.is_empty()
        && user.bytes().all(is_user)
        && host.contains('.')
        && host.bytes().all(is_host)
        && password.len() >= 8
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && !password.contains(['/', ':'])
        && !value::is_reference(password)
        && !value::is_placeholder(password)
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
        assert!(has_password("psexec.py acme/marta:Kuchen7Blech@10.0.0.5"));
        assert!(!has_password("ghcr.io/acme/api:Release2024@sha256:9fceb02d"));
        assert!(!has_password("https://host:8080/a@b"));
        assert!(!has_password("postgres://postgres:postgres@localhost/app"));
        assert!(!has_password("https://$USER:$PASS@host"));
        assert!(!has_password("postgres://app:postgres@localhost/app"));
        assert!(!has_password("https://bot:$CI_LOGIN@host"));
        assert!(!has_password("https://user@host/path:x@y"));
    }
}
