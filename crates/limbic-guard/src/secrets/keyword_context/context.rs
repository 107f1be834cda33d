//! Context in which a keyword does not name a secret.

/// Length of the text before a name that is examined, in bytes.
const REACH_BYTES: usize = 100;
/// Number of words before a name that are examined.
const MAX_WORDS: usize = 6;
/// Words directly before `pass` that do not determine its meaning.
const OPEN: [&str; 24] = [
    "the", "a", "my", "our", "your", "his", "her", "its", "their", "new", "old", "and", "or", "with", "la",
    "el", "mi", "su", "tu", "y", "con", "mein", "das", "is",
];
/// Systems with a login, whose `pass` is a password.
const SYSTEMS: [&str; 44] = [
    "wifi",
    "wi",
    "fi",
    "wlan",
    "ssid",
    "router",
    "vpn",
    "nas",
    "db",
    "database",
    "sql",
    "mysql",
    "postgres",
    "redis",
    "mongo",
    "root",
    "admin",
    "sudo",
    "user",
    "username",
    "usuario",
    "login",
    "account",
    "ssh",
    "sftp",
    "ftp",
    "smtp",
    "imap",
    "mail",
    "email",
    "server",
    "host",
    "ldap",
    "rdp",
    "jenkins",
    "grafana",
    "github",
    "gitlab",
    "proxy",
    "backup",
    "staging",
    "prod",
    "production",
    "app",
];
/// Words that say that a value was rejected.
const REFUSALS: [&str; 14] = [
    "reject",
    "refus",
    "denied",
    "denies",
    "invalid",
    "too short",
    "too weak",
    "too common",
    " 400",
    " 401",
    " 422",
    "rechaza",
    "refusé",
    "abgelehnt",
];

/// Whether `pass` after this text is a ticket or a step of work: words precede it, and none of them has a login.
pub(super) fn is_ticket(before: &str) -> bool {
    let line = end_of_line(before);
    let trimmed = line.trim_end_matches([' ', '-']);
    if trimmed.len() == line.len() || !trimmed.ends_with(char::is_alphabetic) {
        return false;
    }
    let mut words = trimmed
        .rsplit(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .take(MAX_WORDS)
        .peekable();
    let is_open = words.peek().is_none_or(|word| OPEN.contains(&word.as_str()));
    !is_open && !words.any(|word| SYSTEMS.contains(&word.as_str()))
}

/// Whether the word, in lower case, names a system with a login.
pub(super) fn is_system(word: &str) -> bool {
    SYSTEMS.contains(&word)
}

/// Whether this text ends within an Amazon resource name: `arn:aws:secretsmanager:…:`.
pub(super) fn is_within_arn(before: &str) -> bool {
    let chunk = end_of_line(before).rsplit(char::is_whitespace).next().unwrap_or_default();
    chunk.contains("arn:")
}

/// Whether a line says that its value was rejected.
pub(super) fn mentions_rejection(before: &str, after: &str) -> bool {
    let line = format!("{} {after}", end_of_line(before)).to_lowercase();
    REFUSALS.iter().any(|word| line.contains(word))
}

/// Returns the end of a text, within its last line.
fn end_of_line(text: &str) -> &str {
    let mut from = text.len().saturating_sub(REACH_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].rsplit('\n').next().unwrap_or_default()
}

/// Whether the text around a name speaks of a blockchain or its addresses, as in `token program on Solana`.
pub(super) fn mentions_chain(before: &str, after: &str) -> bool {
    const CHAINS: [&str; 17] = [
        "solana",
        "tron",
        "trc20",
        "bitcoin",
        "ethereum",
        "spl",
        "blockchain",
        "wallet",
        "program",
        "programme",
        "programm",
        "mint",
        "contract",
        "address",
        "adresse",
        "account",
        "contrato",
    ];
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    let line_after = after.lines().next().unwrap_or_default();
    [line_before, line_after].iter().any(|part| {
        part.split(|letter: char| !letter.is_alphanumeric())
            .any(|word| word.len() <= 10 && CHAINS.contains(&word.to_lowercase().as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_are_distinguished_from_logins() {
        for before in ["the ski ", "Boarding ", "in the first ", "abono: bus "] {
            assert!(is_ticket(before), "{before}");
        }
        for before in ["", "user: admin, ", "the ", "wifi ", "WIFI: SSID CasaLopez ", "a sentence. ", "smtp-"]
        {
            assert!(!is_ticket(before), "{before}");
        }
    }

    #[test]
    fn arns_and_rejected_values_are_excluded() {
        assert!(is_within_arn("SECRET_ARN=arn:aws:secretsmanager:eu-west-1:1:") && !is_within_arn("arn: "));
        assert!(mentions_rejection("The API rejects ", "") && !mentions_rejection("rejects\n", ""));
    }
}
