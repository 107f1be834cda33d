//! Lines that mail programs write above a message that is answered, in eight languages.

/// What such a line says of the writer at its end, in lower case.
const WROTE: [&str; 14] = [
    "wrote",
    "writes",
    "schrieb",
    "schreibt",
    "a écrit",
    "écrit",
    "escribió",
    "ha scritto",
    "scrive",
    "escreveu",
    "schreef",
    "napisał",
    "napisał(a)",
    "pisze",
];

/// The same before the name, or between name and time.
const WROTE_BEFORE: [&str; 3] = ["schrieb", "schreibt", "schreef"];

/// What begins a line that continues in the next one, in lower case.
const BEGINS: [&str; 9] = ["on ", "am ", "le ", "el ", "il ", "em ", "op ", "w dniu ", "dnia "];

/// Names of the field for the sender, in lower case.
const FROM: [&str; 6] = ["from", "von", "de", "da", "van", "od"];

/// Names of the field for the time, in lower case.
const SENT: [&str; 15] = [
    "sent",
    "date",
    "gesendet",
    "datum",
    "envoyé",
    "envoyée",
    "enviado",
    "enviado el",
    "fecha",
    "inviato",
    "data",
    "enviada em",
    "enviada",
    "verzonden",
    "wysłano",
];

/// Maximum number of lines after the sender in which the time stands.
const MAX_FIELDS: usize = 4;

/// Whether a line stands above a message that is answered, alone or with the lines after it: "On Mon, Nov 23, 2026 at
/// 9:00 AM Bob <bob@acme.dev> wrote:", or the fields that Outlook writes.
pub(super) fn is_above_answered(line: &str, following: &[&str]) -> bool {
    if is_attribution(line) {
        return true;
    }
    // Most lines end here.
    let Some(next) = following.first().map(|next| next.trim()) else { return false };
    if next.ends_with(':') && !line.ends_with(':') && has_date(line) {
        let lower = line.to_lowercase();
        let begins = BEGINS.iter().any(|begin| lower.starts_with(begin)) || line.contains('@');
        // The line is broken before the verb, or before the address.
        let ends = next.contains('@') || says_who_wrote(next);
        if begins && ends && is_attribution(&format!("{line} {next}")) {
            return true;
        }
    }
    is_field(line, &FROM) && following.iter().take(MAX_FIELDS).any(|line| is_field(line, &SENT))
}

/// Whether a line names a writer and a time or an address, and ends with a colon.
fn is_attribution(line: &str) -> bool {
    (has_date(line) || line.contains('@')) && says_who_wrote(line)
}

fn says_who_wrote(line: &str) -> bool {
    let Some(text) = line.strip_suffix([':', '：']) else { return false };
    let lower = text.trim_end().to_lowercase();
    let is_end_of_word = |before: &str| !before.ends_with(char::is_alphanumeric);
    WROTE.iter().any(|wrote| lower.strip_suffix(wrote).is_some_and(is_end_of_word))
        || lower.split_whitespace().any(|word| WROTE_BEFORE.contains(&word))
}

fn has_date(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit())
}

/// Whether a line is a field with one of these names, also a bold one.
fn is_field(line: &str, names: &[&str]) -> bool {
    let Some((name, _)) = line.split_once(':') else { return false };
    let name = name.trim().trim_matches('*').trim_end();
    name.len() < 20 && names.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_answered_messages_are_distinguished_from_sentences() {
        for text in [
            "On Mon, Nov 23, 2026 at 9:00 AM Bob <b@acme.dev> wrote:",
            "On Mon, Nov 23, 2026 at 9:00 AM Bob With-A-Long-Name <bob@acme.dev>\nwrote:",
            "On 23 Nov 2026, at 09:00, Bob wrote:",
            "Bob <b@acme.dev> writes:",
            "Am 23.11.2026 um 09:00 schrieb Bob <b@acme.dev>:",
            "Am Mo., 23. Nov. 2026 um 09:00 Uhr schrieb Bob\n<bob@acme.dev>:",
            "Bob schrieb am 23.11.2026:",
            "Le 23 nov. 2026 à 09:00, Bob a écrit :",
            "Le lun. 23 nov. 2026 à 09:00, Bob <b@acme.dev> a écrit\u{A0}:",
            "El lun, 23 nov 2026 a las 9:00, Bob (<b@acme.dev>) escribió:",
            "Il giorno lun 23 nov 2026 alle ore 09:00 Bob <b@acme.dev> ha scritto:",
            "Em seg., 23 de nov. de 2026 às 09:00, Bob <b@acme.dev> escreveu:",
            "Op ma 23 nov 2026 om 09:00 schreef Bob <b@acme.dev>:",
            "pon., 23 lis 2026 o 09:00 Bob <b@acme.dev> napisał(a):",
            "W dniu 23.11.2026 o 09:00, Bob pisze:",
            "From: Bob <b@acme.dev>\nSent: Monday\nTo: me\nSubject: x",
            "*From:* Bob\n*Date:* Monday",
            "Von: Bob\nGesendet: Montag\nAn: Ada",
            "De : Bob\nEnvoyé : lundi",
            "De: Bob\nPara: Ada\nEnviado el: lunes",
            "Da: Bob\nInviato: lunedì",
            "Van: Bob\nVerzonden: maandag",
            "Od: Bob\nWysłano: poniedziałek",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert!(is_above_answered(lines[0], &lines[1..]), "{text}");
        }
        for text in [
            "Bob wrote the plan:",
            "On Monday 3 of us wrote tests\nand this:",
            "On 23 Nov 2026 we overwrote:",
            "The 3 people who wrote this need:",
            "Rules for the 2 services:",
            "From: main\nTo: release",
            "Ports: 80, 443\n@keep Mine",
            "It was 9 when Bob wrote: fine",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert!(!is_above_answered(lines[0], &lines[1..]), "{text}");
        }
    }
}
