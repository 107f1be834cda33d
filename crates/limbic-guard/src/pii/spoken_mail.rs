//! E-mail addresses without brackets, as they are said: `ana at gmail dot com`, `jperez arroba correo punto es`.

use super::mail::start_of_local_part;
use super::spans::Span;
use super::spelled_mail::{MAX_PARTS, end_of_domain, without_blanks};

/// Words for the sign that mean nothing else.
const SIGNS: [&str; 4] = ["arroba", "arobase", "chiocciola", "klammeraffe"];
/// The word for the sign that is a preposition as well.
const PREPOSITION: &str = "at";
/// Words between the parts of a name.
const JOINTS: [&str; 10] =
    ["dot", "punto", "punkt", "ponto", "point", "underscore", "unterstrich", "dash", "hyphen", "guion"];
/// Common top-level domains which, after a spelled dot, are no words of a sentence.
const TOPS: [&str; 42] = [
    "com", "org", "net", "edu", "gov", "info", "biz", "dev", "io", "ai", "app", "eu", "uk", "de", "at", "ch",
    "fr", "es", "it", "pt", "nl", "be", "pl", "cz", "se", "dk", "fi", "ie", "us", "ca", "mx", "br", "ar",
    "cl", "au", "nz", "jp", "kr", "cn", "ru", "tr", "gr",
];
/// Hosts of mail for everybody.
const MAIL_HOSTS: [&str; 16] = [
    "gmail",
    "googlemail",
    "outlook",
    "hotmail",
    "live",
    "yahoo",
    "icloud",
    "proton",
    "protonmail",
    "gmx",
    "web",
    "posteo",
    "fastmail",
    "mailbox",
    "aol",
    "zoho",
];
/// Parts of a text about an address, in lower case.
const ABOUT: [&str; 12] = [
    "mail", "correo", "courriel", "posta", "write to", "write me", "contact", "reach ", "address", "adresse",
    "schreib", "escrib",
];
/// Bytes before a name that are searched for them.
const REACH: usize = 48;
/// Words before "at" that are no names.
const NO_NAMES: [&str; 74] = [
    "a",
    "about",
    "account",
    "all",
    "am",
    "anyone",
    "anything",
    "app",
    "are",
    "arrive",
    "arrived",
    "available",
    "be",
    "blog",
    "bought",
    "buy",
    "check",
    "contact",
    "day",
    "docs",
    "everything",
    "find",
    "form",
    "found",
    "from",
    "further",
    "good",
    "help",
    "her",
    "here",
    "him",
    "hosted",
    "is",
    "it",
    "job",
    "jobs",
    "join",
    "listed",
    "live",
    "lives",
    "look",
    "looking",
    "me",
    "meet",
    "met",
    "more",
    "office",
    "one",
    "online",
    "order",
    "page",
    "people",
    "read",
    "register",
    "reset",
    "see",
    "server",
    "service",
    "shop",
    "sign",
    "site",
    "someone",
    "store",
    "that",
    "them",
    "there",
    "this",
    "us",
    "visit",
    "was",
    "website",
    "work",
    "works",
    "you",
];

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    for (index, _) in text.match_indices(' ') {
        let word = text[index + 1..].split(' ').next().unwrap_or_default();
        let is_sign = SIGNS.iter().any(|sign| word.eq_ignore_ascii_case(sign));
        if !is_sign && !word.eq_ignore_ascii_case(PREPOSITION) {
            continue;
        }
        let from = index + 1 + word.len();
        let Some((start, is_joined)) = name(&text[..index]) else { continue };
        let Some(end) = end_of_domain(text, from) else { continue };
        let domain = text[from..end].trim().to_lowercase();
        if is_sign || (is_domain(&domain) && is_address(text, (start, index), is_joined, &domain)) {
            spans.push(Span { start, end, label: "[e-mail]" });
        }
    }
}

/// Returns the start of the name at the end of a text, and whether it has several parts or marks of a name in an
/// address.
fn name(text: &str) -> Option<(usize, bool)> {
    let text = without_blanks(text);
    let mut start = start_of_local_part(text);
    if start == text.len() {
        return None;
    }
    let mut is_joined = text[start..].contains(|letter: char| !letter.is_alphabetic());
    for _ in 1..MAX_PARTS {
        let before = without_blanks(&text[..start]);
        let Some((rest, joint)) = before.rsplit_once(' ') else { break };
        let part = start_of_local_part(rest);
        if before.len() == start
            || part == rest.len()
            || !JOINTS.iter().any(|it| joint.eq_ignore_ascii_case(it))
        {
            break;
        }
        (start, is_joined) = (part, true);
    }
    Some((start, is_joined))
}

/// Whether a domain in lower case has a spelled dot and ends with a known domain.
fn is_domain(domain: &str) -> bool {
    domain.contains(' ')
        && domain.rsplit([' ', '.', ')', ']', '}', '>']).next().is_some_and(|top| TOPS.contains(&top))
}

/// Whether a name and a domain are an address: one of a host of mail, of a name in several parts, or in a text about
/// addresses.
fn is_address(text: &str, (start, end): (usize, usize), is_joined: bool, domain: &str) -> bool {
    let name = text[start..end].trim_end().to_lowercase();
    if NO_NAMES.contains(&name.as_str()) {
        return false;
    }
    let host = domain.split([' ', '.']).next().unwrap_or_default();
    is_joined || MAIL_HOSTS.contains(&host) || {
        let reach = text.ceil_char_boundary(start.saturating_sub(REACH));
        let before = text[reach..start].rsplit('\n').next().unwrap_or_default().to_lowercase();
        ABOUT.iter().any(|part| before.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn spoken_addresses_are_replaced() {
        for (text, wanted) in [
            ("write to ana at acme dot dev", "write to [e-mail]"),
            ("ana dot ruiz at mail dot acme dot co dot uk please", "[e-mail] please"),
            ("john underscore doe at yahoo dot com", "[e-mail]"),
            ("her mail is Ana AT Example DOT org, use it", "her mail is [e-mail], use it"),
            ("it was marta at gmail dot com, I think", "it was [e-mail], I think"),
            ("jperez arroba correo punto es", "[e-mail]"),
            ("contact: max.mustermann at web dot de", "contact: [e-mail]"),
            ("bob7 at acme dot io", "[e-mail]"),
        ] {
            assert_eq!(redact_personal(text), wanted);
        }
    }

    #[test]
    fn prose_stays() {
        for text in [
            "meet at noon dot",
            "meet me at noon dot com is a joke",
            "look at github dot com for it",
            "I work at acme dot com",
            "contact us at acme dot dev",
            "we met at example.com",
            "the point at infinity dot product",
            "e-mail is due at noon dot then we go",
            "see it at line dot two",
            "John at Google dot com said hi",
            "write to the office at home dot that works",
            "el arroba es un signo",
            " at  at dot com",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }

    #[test]
    fn long_texts_of_signs_are_read_to_their_end() {
        for part in ["a at ", "a dot ", "at dot ", "ana at gmail ", "arroba 1 2 punto "] {
            let text = part.repeat(300_000 / part.len());
            // With quadratic running time, this test would not end in practice.
            assert!(redact_personal(&text) == text, "{part}");
        }
    }
}
