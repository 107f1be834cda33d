//! Lines that mail programs write above a message that is answered.

/// What such a line says of the writer at its end, in lower case.
const WROTE: [&str; 28] = [
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
    "skrev",
    "skriver",
    "kirjoitti",
    "napsal",
    "napsal(a)",
    "napsala",
    "píše",
    "yazdı",
    "пишет",
    "написал",
    "написал(а)",
    "пише",
    "написав",
    "написав(-ла)",
];

/// Those of [`WROTE`] that are nouns, too: "Database writes:", "Par écrit :".
const NOUNS: [&str; 3] = ["writes", "écrit", "skriver"];

/// [`WROTE`] in languages that write no blank before it.
const WROTE_WITHOUT_BLANK: [&str; 5] = ["写道", "寫道", "書きました", "작성", "쓴 글"];

/// [`WROTE`] before the name, or between name and time.
const WROTE_BEFORE: [&str; 5] = ["schrieb", "schreibt", "schreef", "skrev", "kirjoitti"];

/// What begins a line that continues in the next one, in lower case.
const BEGINS: [&str; 11] =
    ["on ", "am ", "le ", "el ", "il ", "em ", "op ", "w dniu ", "dnia ", "den ", "dne "];

/// What begins a line that names a person whom the text below quotes, in lower case.
const QUOTE_OF: [&str; 9] = [
    "zitat von ",
    "quoting ",
    "quote from ",
    "citation de ",
    "cita de ",
    "citazione di ",
    "citação de ",
    "citaat van ",
    "citat från ",
];

/// First words of persons that quote themselves, or nobody, in lower case.
const NOT_OTHERS: [&str; 14] =
    ["i", "we", "what", "who", "ich", "wir", "je", "nous", "yo", "io", "eu", "ik", "wij", "jag"];

/// Words in names that are not capitalized.
const PARTICLES: [&str; 16] =
    ["van", "von", "de", "der", "den", "da", "di", "du", "del", "della", "la", "le", "el", "al", "bin", "zu"];

/// Maximum number of words of a name.
const MAX_WORDS: usize = 5;

/// Names of the field for the sender, in lower case.
const FROM: [&str; 22] = [
    "from",
    "von",
    "de",
    "da",
    "van",
    "od",
    "från",
    "fra",
    "lähettäjä",
    "kimden",
    "gönderen",
    "от",
    "від",
    "差出人",
    "送信者",
    "发件人",
    "發件人",
    "寄件者",
    "寄件人",
    "보낸 사람",
    "보낸사람",
    "отправитель",
];

/// Names of the field for the time, in lower case.
const SENT: [&str; 39] = [
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
    "skickat",
    "sendt",
    "dato",
    "lähetetty",
    "päivämäärä",
    "päiväys",
    "odesláno",
    "tarih",
    "gönderildi",
    "gönderilme tarihi",
    "отправлено",
    "дата",
    "відправлено",
    "надіслано",
    "日付",
    "日時",
    "送信日時",
    "日期",
    "时间",
    "发送时间",
    "寄件日期",
    "傳送時間",
    "날짜",
    "보낸 날짜",
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
    if next.ends_with([':', '：']) && !line.ends_with(':') && has_date(line) {
        let lower = line.to_lowercase();
        let begins =
            BEGINS.iter().any(|begin| lower.starts_with(begin)) || line.contains('@') || has_time(line);
        // The line is broken before the verb, or before the address.
        let ends = next.contains('@') || says_who_wrote(next);
        if begins && ends && is_attribution(&format!("{line} {next}")) {
            return true;
        }
    }
    is_field(line, &FROM) && following.iter().take(MAX_FIELDS).any(|line| is_field(line, &SENT))
}

/// Whether a line says no more than whose words are below it: "Bob Smith wrote:", "Quoting Bob:".
pub(super) fn is_above_quoted(line: &str) -> bool {
    // Most lines end here.
    let Some(text) = line.strip_suffix([':', '：']) else { return false };
    let text = text.trim_end();
    let lower = text.to_lowercase();
    if let Some(begin) = QUOTE_OF.iter().find(|begin| lower.starts_with(**begin)) {
        let words: Vec<&str> = text.get(begin.len()..).unwrap_or_default().split_whitespace().collect();
        // A date may follow the name.
        return words.len() <= MAX_WORDS + 1
            && words.iter().all(|word| is_name(word) || has_date(word))
            && words.iter().any(|word| is_capitalized(word) || is_handle(word) || is_address(word));
    }
    let Some(verb) = verb(&lower) else { return false };
    let Some(name) = text.get(..text.len() - verb.len()) else { return false };
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_person = if NOUNS.contains(&verb) {
        // A noun in a title is capitalized.
        text.ends_with(verb)
            && words.iter().all(|word| is_name(word))
            && (words.iter().filter(|word| is_capitalized(word)).count() >= 2
                || words.iter().any(|word| is_handle(word) || is_address(word)))
    } else {
        words.len() == 1 || words.iter().all(|word| is_name(word))
    };
    name.ends_with(char::is_whitespace)
        && (1..=MAX_WORDS).contains(&words.len())
        && is_person
        && !words.iter().any(|word| NOT_OTHERS.contains(&word.to_lowercase().as_str()))
        && !lower.starts_with("j'")
        && !lower.starts_with("j’")
}

/// Returns the verb of [`WROTE`] at the end of a text in lower case.
fn verb(lower: &str) -> Option<&'static str> {
    WROTE.into_iter().filter(|wrote| lower.ends_with(wrote)).max_by_key(|wrote| wrote.len())
}

/// Whether a word may be a part of a name or of an address.
fn is_name(word: &str) -> bool {
    PARTICLES.contains(&word)
        || is_capitalized(word)
        || is_address(word)
        || word.starts_with(['@', '"', '<', '('])
}

/// Whether a word begins with a capital letter, or with a letter of a script that has none.
fn is_capitalized(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase() || (c.is_alphabetic() && !c.is_lowercase()))
}

/// Whether a word is the name of a user, such as `@bob`, rather than of a package, such as `@types/node`.
fn is_handle(word: &str) -> bool {
    word.strip_prefix('@').is_some_and(|name| name.starts_with(char::is_alphanumeric) && !name.contains('/'))
}

/// Whether a word is or encloses an address with a top-level domain: `<bob@acme.dev>`, not `node@20.11.0`.
fn is_address(word: &str) -> bool {
    let Some((name, host)) = word.rsplit_once('@') else { return false };
    let host = host.trim_end_matches(|c: char| !c.is_alphanumeric());
    name.ends_with(char::is_alphanumeric)
        && host.rsplit_once('.').is_some_and(|(_, domain)| domain.chars().all(char::is_alphabetic))
}

/// Whether a line names a writer and a time or an address, and ends with a colon. With a time and an address no word
/// is needed, whatever the language.
fn is_attribution(line: &str) -> bool {
    let is_written = says_who_wrote(line)
        && if ends_with_noun(line) {
            has_time(line) || has_year(line) || line.split_whitespace().any(is_address)
        } else {
            has_date(line) || line.contains('@')
        };
    is_written || (line.ends_with([':', '：']) && has_time_and_address(line))
}

/// Whether a text has an address between brackets, and a time of day elsewhere.
fn has_time_and_address(text: &str) -> bool {
    let mut parts = text.split(['<', '(', '[']);
    let mut others = parts.next().unwrap_or_default().to_owned();
    let mut has_address = false;
    for part in parts {
        let enclosed = part.split_once(['>', ')', ']']).filter(|(inner, _)| inner.contains('@'));
        has_address |= enclosed.is_some_and(|(inner, _)| {
            let inner = inner.trim();
            is_address(inner) && !inner.contains(char::is_whitespace)
        });
        others.push(' ');
        others.push_str(enclosed.map_or(part, |(_, after)| after));
    }
    has_address && has_time(&others)
}

/// Whether a text has a time of day: `9:00`, `09.00`.
fn has_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(4).any(|part| {
        part[0].is_ascii_digit()
            && matches!(part[1], b':' | b'.')
            && part[2].is_ascii_digit()
            && part[3].is_ascii_digit()
    })
}

fn says_who_wrote(line: &str) -> bool {
    let Some(text) = line.strip_suffix([':', '：']) else { return false };
    let lower = text.trim_end().to_lowercase();
    let is_end_of_word = |before: &str| !before.ends_with(char::is_alphanumeric);
    WROTE.iter().any(|wrote| lower.strip_suffix(wrote).is_some_and(is_end_of_word))
        || WROTE_WITHOUT_BLANK.iter().any(|wrote| lower.ends_with(wrote))
        || lower.split_whitespace().any(|word| WROTE_BEFORE.contains(&word))
}

/// Whether a line ends with one of [`NOUNS`] and a colon.
fn ends_with_noun(line: &str) -> bool {
    let lower = line.trim_end_matches([':', '：']).trim_end().to_lowercase();
    verb(&lower).is_some_and(|verb| NOUNS.contains(&verb))
}

/// Whether a text has a number of four digits that is a year.
fn has_year(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_digit())
        .any(|number| number.len() == 4 && (number.starts_with("19") || number.starts_with("20")))
}

fn has_date(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit())
}

/// Whether a line is a field with one of these names, also a bold one.
fn is_field(line: &str, names: &[&str]) -> bool {
    let Some((name, _)) = line.split_once([':', '：']) else { return false };
    let name = name.trim().trim_matches('*').trim_end();
    name.len() < 40 && names.contains(&name.to_lowercase().as_str())
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
            "Den mån 23 nov. 2026 kl 09:00 skrev Bob <b@acme.dev>:",
            "man. 23. nov. 2026 kl. 09.00 skrev Bob:",
            "ma 23. marrask. 2026 klo 9.00 Bob (b@acme.dev) kirjoitti:",
            "po 23. 11. 2026 v 9:00 odesílatel Bob <b@acme.dev> napsal:",
            "Dne 23. 11. 2026 v 9:00 Bob napsal(a):",
            "Bob <b@acme.dev>, 23 Kas 2026 Pzt, 09:00 tarihinde şunu yazdı:",
            "2026년 11월 23일 (월) 오전 9:00, Bob <b@acme.dev>님이 작성:",
            "2026-11-23 오전 9:00에 Bob 이(가) 쓴 글:",
            "пн, 23 нояб. 2026 г. в 09:00, Bob <b@acme.dev>:",
            "пн, 23 нояб. 2026 г. в 09:00, Bob With-A-Long-Name\n<b@acme.dev>:",
            "23.11.2026 09:00, Bob пишет:",
            "пн, 23 лист. 2026 р. о 09:00 Bob <b@acme.dev> пише:",
            "2026年11月23日(月) 9:00 Bob <b@acme.dev>:",
            "[2026-11-23 09:00] Bob <b@acme.dev>:",
            "On 23 Nov 2026, Bob writes:",
            "Bob, 9:00, writes:",
            "在 2026/11/23 9:00, Bob 写道:",
            "Bob <b@acme.dev> 于2026年11月23日周一 09:00写道：",
            "Från: Bob\nSkickat: den 23 november",
            "От: Bob\nОтправлено: 23 ноября",
            "发件人：Bob\n发送时间：2026年11月23日",
            "差出人: Bob\n送信日時: 2026年11月23日",
            "보낸 사람: Bob\n보낸 날짜: 2026년",
            "Kimden: Bob\nTarih: 23 Kasım",
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
            "Mail bob@acme.dev at 9:00 about:",
            "At 9:00 Bob <bob@acme.dev> starts",
            "Version 1.20 has:",
            "Upgraded (node@20.11.0):",
            "At 9:00 upgraded (node@20.11.0):",
            "Moved (a@20.11.dev):",
            "S3 writes:",
            "Postgres 16 writes:",
            "With vite@5 all writes:",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert!(!is_above_answered(lines[0], &lines[1..]), "{text}");
        }
    }

    #[test]
    fn lines_that_say_whose_words_follow_are_distinguished_from_others() {
        for line in [
            "Bob wrote:",
            "bob wrote:",
            "Bob Smith writes:",
            "Bob van der Berg schreef:",
            "Bob a écrit :",
            "Ada Łoś napisał(a):",
            "Боб написал:",
            "Zitat von Bob:",
            "Quoting Bob:",
            "Quoting bob@acme.dev:",
            "Quoting @bob:",
            "Quoting Bob Smith <bob@acme.dev>:",
            "Quote from Bob, 23 Nov 2026:",
            "Citation de M. de la Tour :",
            "@bob writes:",
            "bob@acme.dev writes:",
            "Bob <bob@acme.dev> writes:",
        ] {
            assert!(is_above_quoted(line), "{line}");
        }
        for line in [
            "I wrote:",
            "This is what I wrote:",
            "What we wrote:",
            "We wrote:",
            "J’ai écrit :",
            "The tests that the team wrote:",
            "Rules for whoever writes:",
            "Bob wrote the plan:",
            "Please remember:",
            "Note:",
            "Unwrote:",
            "Quoting rules:",
            "Quoting in shell scripts:",
            "Quoting 2:",
            "Quoting (again):",
            "Cita de seguimiento:",
            "Database writes:",
            "Slow Database Writes:",
            "Redis writes:",
            "redis writes:",
            "Concurrent writes:",
            "Par écrit :",
            "Ny skriver:",
            "wrote:",
        ] {
            assert!(!is_above_quoted(line), "{line}");
        }
    }
}
