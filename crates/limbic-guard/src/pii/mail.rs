//! E-mail addresses.

use super::spans::Span;

/// Suffixes of files and systemd units whose names contain `@`.
pub(super) const NO_DOMAINS: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "service", "socket", "timer", "target", "mount", "js"];

/// Maximum length of a local part in quotation marks, in bytes.
const MAX_QUOTED_BYTES: usize = 100;

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for (index, _) in text.match_indices('@') {
        let before = &text[..index];
        let start = start_of_quoted(before).unwrap_or_else(|| start_of_local_part(before));
        let Some(length) = domain_length(&text[index + 1..]) else { continue };
        let end = index + 1 + length;
        if start < index && !is_login(&text[..start], &text[start..index], &text[end..]) {
            spans.push(Span { start, end, label: "[e-mail]" });
        }
    }
}

/// Returns the start of the local part at the end of a text, or the end if there is none.
pub(super) fn start_of_local_part(text: &str) -> usize {
    let others = text.trim_end_matches(is_of_local_part);
    text.len() - text[others.len()..].trim_start_matches('.').len()
}

/// Returns the start of the local part in quotation marks at the end of a text: `"john doe"`. They may be escaped, as
/// in JSON.
fn start_of_quoted(text: &str) -> Option<usize> {
    let quote = if text.ends_with("\\\"") { "\\\"" } else { "\"" };
    let inner = text.strip_suffix(quote)?;
    let reach = &inner[inner.ceil_char_boundary(inner.len().saturating_sub(MAX_QUOTED_BYTES))..];
    let line = reach.rsplit('\n').next()?;
    let is_begin = |(index, _): &(usize, &str)| !line[..*index].ends_with('\\');
    let (index, _) = line.rmatch_indices(quote).find(is_begin)?;
    let name = &line[index + quote.len()..];
    // Not `"$USER"@host` of a shell.
    (!name.is_empty() && !name.contains('$')).then_some(inner.len() - line.len() + index)
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
            ("Write \"john doe\"@example.com!", "Write [e-mail]!"),
            ("“john doe”@example.com", "[e-mail]"),
            (r#""john \"jd\" doe"@example.com"#, "[e-mail]"),
            (r#"{"to": "\"john doe\"@example.com"}"#, r#"{"to": "[e-mail]"}"#),
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
            "ssh \"$USER\"@host.acme.dev",
            "\"\"@acme.dev",
            "He said \"hi\" @noon.today",
            "me@localhost",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
