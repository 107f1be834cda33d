//! IP addresses of both versions.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::spans::{Span, around, is_of_a_name};

/// Words after which four dotted numbers are a version or a section.
const VERSION_WORDS: [&str; 14] = [
    "v",
    "ver",
    "version",
    "versión",
    "versions",
    "release",
    "build",
    "upgrade",
    "section",
    "sección",
    "chapter",
    "clause",
    "apartado",
    "paragraph",
];

/// Minimum length of a number that is not part of an address; those of IPv6 have four digits, ports five.
const MIN_LONG_NUMBER: usize = 12;

pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let is_of_address = |letter: char| letter.is_ascii_hexdigit() || matches!(letter, '.' | ':');
    let mut index = 0;
    while let Some(found) = text[index..].find(is_of_address) {
        let start = index + found;
        let end =
            text[start..].find(|letter| !is_of_address(letter)).map_or(text.len(), |length| start + length);
        index = end;
        // A long number between colons belongs to no address: `4242424242424242:2001:db8::1`.
        let mut first = start;
        let mut part = start;
        for segment in text[start..end].split(':') {
            if segment.len() >= MIN_LONG_NUMBER && segment.bytes().all(|byte| byte.is_ascii_digit()) {
                check(text, first, part.saturating_sub(1).max(first), spans);
                first = part + segment.len();
            }
            part += segment.len() + 1;
        }
        check(text, first, end, spans);
    }
}

/// Checks a run of address characters: IPv6, or IPv4 with or without a port.
fn check(text: &str, start: usize, end: usize, spans: &mut Vec<Span>) {
    let run = &text[start..end];
    // A lone colon before an address belongs to the sentence: `host:10.0.0.1`.
    let is_lone = run.starts_with(':') && !run.starts_with("::");
    let start = start + usize::from(is_lone);
    let (before, after) = around(text, start, end);
    // Adjacent letters belong to a name, as in `v1.2.3.4`.
    if is_of_a_name(after) || is_of_a_name(before) {
        return;
    }
    let trimmed = text[start..end].trim_end_matches(['.', ':']);
    let span = |length: usize| Span { start, end: start + length, label: "[IP address]" };
    if trimmed.matches(':').count() >= 2 {
        if trimmed.parse::<Ipv6Addr>().is_ok_and(identifies_machine_6) {
            spans.push(span(trimmed.len()));
        }
        return;
    }
    let host = trimmed.split_once(':').map_or(trimmed, |(host, _port)| host);
    if host.parse::<Ipv4Addr>().is_ok_and(identifies_machine_4)
        && !is_version(&text[..start], &text[start + host.len()..])
    {
        spans.push(span(host.len()));
    }
}

/// Whether an address identifies a machine: it is not loopback, unspecified, a mask or broadcast.
fn identifies_machine_4(address: Ipv4Addr) -> bool {
    let first = address.octets()[0];
    first != 0 && first != 127 && first != 255
}

/// Whether an IPv6 address is in an assigned range: global, unique local, link-local or multicast; or the mapped form
/// of an IPv4 address that identifies a machine.
///
/// Other ranges are unassigned, and `dead::beef` may be a path in Rust.
fn identifies_machine_6(address: Ipv6Addr) -> bool {
    let in_use = matches!(address.segments()[0], 0x2000..=0x3FFF | 0xFC00..=0xFDFF | 0xFE80..=0xFEBF | 0xFF00..=0xFFFF);
    in_use || address.to_ipv4_mapped().is_some_and(identifies_machine_4)
}

/// Whether the context says that this is a version.
fn is_version(before: &str, after: &str) -> bool {
    let mut behind = after.chars();
    if behind.next() == Some('-') && behind.next().is_some_and(char::is_alphabetic) {
        return true;
    }
    // `Chrome/120.0.0.0`, `tool-1.2.3.4.tar.gz`, `>=1.2.3.4`; an address in a URL has two slashes before it.
    let mut last = before.chars().rev();
    match (last.next(), last.next()) {
        (Some('/' | '-'), Some(letter)) if letter.is_alphanumeric() => return true,
        (Some('=' | '^' | '~' | '<' | '>'), Some('=' | '<' | '>' | '!' | '~' | ' ' | '"' | '\'')) => {
            return true;
        }
        _ => {}
    }
    let word_end = before.trim_end_matches([' ', ':', '=', '.', '"']);
    let word = word_end.rsplit(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    VERSION_WORDS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use crate::redact_personal;

    #[test]
    fn addresses_are_replaced() {
        for (text, wanted) in [
            ("10.0.3.7", "[IP address]"),
            ("http://192.168.1.10:8080/x", "http://[IP address]:8080/x"),
            ("ssh root@203.0.113.9.", "ssh root@[IP address]."),
            ("host:10.2.3.4, subnet 10.0.0.0/8", "host:[IP address], subnet [IP address]/8"),
            ("fe80::1%eth0 and 2001:db8::8a2e:370:7334", "[IP address]%eth0 and [IP address]"),
            ("[2001:db8::1]:443", "[[IP address]]:443"),
            ("::ffff:10.1.2.3", "[IP address]"),
            ("IP=10.1.2.3", "IP=[IP address]"),
        ] {
            assert_eq!(redact_personal(text), wanted);
        }
    }

    #[test]
    fn addresses_that_identify_no_machine_are_kept() {
        for text in [
            "127.0.0.1:8080, 0.0.0.0, ::1, ::, 255.255.255.0",
            "v1.2.3.4, version 1.2.3.4, versión: 1.2.3.4, build 10.0.19041.1",
            "Chrome/120.0.0.0 and tool-1.2.3.4.tar.gz",
            "pkg>=1.2.3.4 and pkg==1.2.3.4, 1.2.3.4-beta",
            "section 4.2.1.3",
            "OID 1.3.6.1.4.1.311",
            "300.1.2.3 and 1.2.3",
            "std::net::Ipv4Addr, dead::beef, a::b",
            "12:30:45 and 00:1b:44:11:3a:b7",
            "sha256:ab12::",
        ] {
            assert_eq!(redact_personal(text), text);
        }
    }
}
