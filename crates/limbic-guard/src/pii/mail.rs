//! E-mail addresses.

use super::spans::Span;

/// Suffixes of files and systemd units whose names contain `@`.
const NO_DOMAINS: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "service", "socket", "timer", "target", "mount", "js"];

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for (index, _) in text.match_indices('@') {
        let start = text[..index]
            .char_indices()
            .rev()
            .take_while(|(_, letter)| is_of_local_part(*letter))
            .last()
            .map_or(index, |(start, _)| start);
        let start = start + text[start..index].len() - text[start..index].trim_start_matches('.').len();
        let Some(length) = domain_length(&text[index + 1..]) else { continue };
        let end = index + 1 + length;
        if start < index && !is_login(&text[..start], &text[start..index], &text[end..]) {
            spans.push(Span { start, end, label: "[e-mail]" });
        }
    }
}

fn is_of_local_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '_' | '%' | '+' | '-')
}

/// Returns the length of the domain at the start of a text: labels and dots, with a last label of letters.
fn domain_length(text: &str) -> Option<usize> {
    let end = text
        .find(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '.'))
        .unwrap_or(text.len());
    let domain = text[..end].trim_end_matches(['.', '-']);
    let (name, last) = domain.rsplit_once('.')?;
    let is_top = last.chars().count() >= 2 && last.chars().all(char::is_alphabetic);
    let is_named = name.split('.').all(|label| !label.is_empty() && !label.starts_with('-'));
    (is_top && is_named && !NO_DOMAINS.contains(&last)).then_some(domain.len())
}

/// Whether it is the login of a URL or a clone address, which are not e-mail addresses: `https://user@host`,
/// `git@host:path`.
fn is_login(before: &str, local: &str, after: &str) -> bool {
    before.ends_with("://") || (local == "git" && after.starts_with([':', '/']))
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn addresses_are_replaced() {
        for (text, wanted) in [
            ("ana@acme.dev", "[e-mail]"),
            ("Write to j.perez+news@mail.acme.co.uk.", "Write to [e-mail]."),
            ("mailto:ana_maria@acme.dev?subject=hi", "mailto:[e-mail]?subject=hi"),
            ("josé@correo.es y maría.núñez@año.es", "[e-mail] y [e-mail]"),
            ("(ops@acme.dev,dev@acme.dev)", "([e-mail],[e-mail])"),
        ] {
            assert_eq!(redact_personal(text), wanted);
        }
    }

    #[test]
    fn similar_texts_are_kept() {
        for text in [
            "git clone git@github.com:acme/api.git",
            "ssh://git@github.com/acme/api.git",
            "npm i react@latest @scope/pkg@1.2.3",
            "icon@2x.png and logo@3x.webp",
            "systemctl status getty@tty1.service",
            "@app.route and a @ b.c",
            "me@localhost",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
