//! Passwords behind their label, in the languages and scripts that the keywords of code do not have: `Kata sandi:
//! Rendang!99`, `Adgangskoden er …`, `Parola veritabanı için …`. Labels are compared without case and accents.

mod names;
mod phrases;
mod values;

use crate::normalize::{folded, folded_with_positions};
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;
use names::{
    ABOUT, ABOUT_ENDINGS, AFTER, CHANGED, COMPOUNDED, COPULAS, FINAL, FOR, INTO, KEYWORD, LABELS, NOW,
    OWN_COPULAS,
};
use values::{is_assigned, is_assigned_phrase, is_marked, is_stated, is_unmistakable};

/// Length of the text after a label that is examined, in bytes.
const REACH_BYTES: usize = 300;
/// Length of the text before a label that is examined, in bytes.
const BEFORE_BYTES: usize = 60;
/// Maximum number of words between a label and its value.
const MAX_WORDS: usize = 8;
/// Maximum number of letters of an inflection: `parolası`, `jelszavam`.
const MAX_INFLECTION: usize = 5;
/// Maximum number of letters before a label in scripts that write articles and prepositions with the word.
const MAX_PREFIX: usize = 3;
/// Signs between a label and its value.
const SIGNS: [&str; 9] = ["=>", "->", ":=", ":", "=", "→", "—", "–", "- "];
/// What may enclose or end a label.
const CLOSERS: [char; 8] = ['"', '\'', '`', '*', ')', ']', '」', '\\'];

/// Returns the kind of the first such password.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.lines().find_map(|line| {
        let (copy, positions) = if line.is_ascii() {
            (line.to_ascii_lowercase(), None)
        } else {
            let (copy, positions) = folded_with_positions(line);
            (copy, Some(positions))
        };
        LABELS.matches(&copy).find_map(|(index, label)| {
            let end = end_of_label(&copy, index, label)?;
            let rest = &line[positions.as_ref().map_or(end, |positions| positions[end])..];
            let rest = &rest[..rest.floor_char_boundary(REACH_BYTES)];
            if holds_password(label, rest) {
                Some(SecretKind::new("password assignment"))
            } else {
                phrases::is_stated(label, rest).then_some(SecretKind::new("passphrase"))
            }
        })
    })
}

/// Returns the end of a label with its inflection, or `None` if the word is another one.
fn end_of_label(copy: &str, index: usize, label: &str) -> Option<usize> {
    let first = label.chars().next().unwrap_or_default();
    let before = &copy[..index];
    let prefix =
        before.chars().rev().take_while(|letter| letter.is_alphabetic()).take(MAX_PREFIX + 1).count();
    let may_begin = prefix == 0
        || has_no_spaces(first)
        || COMPOUNDED.contains(&label)
        || (prefix <= MAX_PREFIX && matches!(first, '\u{590}'..='\u{6FF}'));
    let last = &before[before.ceil_char_boundary(before.len().saturating_sub(BEFORE_BYTES))..];
    // `hash of the password: …`
    let words = last.rsplit(char::is_whitespace).filter(|word| !word.is_empty()).take(4);
    if !may_begin || words.into_iter().any(|word| word.contains("hash") || word.contains("regex")) {
        return None;
    }
    let after = &copy[index + label.len()..];
    let after = &after[..after.floor_char_boundary(REACH_BYTES)];
    let length = after.find(|letter| !is_of_word(letter)).unwrap_or(after.len());
    let ending = &after[..length];
    let is_ending = has_no_spaces(first) || ending.chars().count() <= MAX_INFLECTION;
    (is_ending && !ABOUT_ENDINGS.iter().any(|about| ending.starts_with(about)))
        .then_some(index + label.len() + length)
}

/// Whether a letter, or a sign of a vowel in an Indic script.
fn is_of_word(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '\u{900}'..='\u{DFF}' | '\u{E31}'..='\u{E4E}')
}

/// Whether the script of this letter has no spaces between words.
const fn has_no_spaces(letter: char) -> bool {
    matches!(letter, '\u{E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{9FFF}')
}

/// Whether a password follows the label.
fn holds_password(label: &str, rest: &str) -> bool {
    // What is assigned to a keyword of code is found by it, apart from words.
    let is_assigned = if label == KEYWORD { is_assigned_phrase } else { is_assigned };
    let closed = rest.trim_start_matches(CLOSERS);
    if let Some(after) = after_sign(closed.trim_start()) {
        // `"sifre": sifreAlani2`: of code.
        let is_variable = |value: &str| {
            rest.starts_with(['"', '\''])
                && !after.trim_start().starts_with(['"', '\'', '`'])
                && value::is_identifier(value)
        };
        return value_after(after).is_some_and(|value| is_assigned(value) && !is_variable(value));
    }
    if !closed.starts_with([' ', '\t', '-', '\'']) {
        return false;
    }
    let mut before = String::new();
    let mut left = closed;
    for place in 0..MAX_WORDS {
        let start = left.trim_start();
        let length = start.find(char::is_whitespace).unwrap_or(start.len());
        let (word, after) = start.split_at(length);
        if word.is_empty() {
            return false;
        }
        let bare = word.trim_matches(['"', '\'', '`', '*', '(', ')', '«', '»', ',', '.', ':', ';']);
        let lower = folded(bare);
        // `yönetici parolası …`, `पासवर्ड … है`
        let is_value = match place {
            0 => is_stated(bare) && label != KEYWORD,
            1 | 2 => is_marked(bare) && label != KEYWORD,
            _ => false,
        };
        let is_at_end = || !AFTER.contains(&before.as_str()) && is_end(word, after);
        if is_value && ((place == 0 && is_unmistakable(bare)) || is_at_end()) {
            return true;
        }
        let is_new =
            INTO.contains(&lower.as_str()) && CHANGED.iter().any(|change| before.starts_with(change));
        if (is_copula(&lower, label) || bare == "là" || FOR.contains(&lower.as_str()) || is_new)
            && value_after(after_now(after)).is_some_and(is_stated)
        {
            return true;
        }
        if ABOUT.iter().any(|about| lower.starts_with(about)) {
            return false;
        }
        if word.ends_with(':') || matches!(word, "=" | "—" | "–" | "→" | "->" | "=>") {
            return value_after(after).is_some_and(is_assigned);
        }
        if word.ends_with(['.', ';', '!', '?', ',']) {
            return false;
        }
        (before, left) = (lower, after);
    }
    false
}

/// Whether a word is a copula in some language, or in that of a label.
fn is_copula(word: &str, label: &str) -> bool {
    let is_own = |(copula, labels): &(&str, &[&str])| {
        word == *copula && labels.iter().any(|own| label.starts_with(own))
    };
    COPULAS.contains(&word) || OWN_COPULAS.iter().any(is_own)
}

fn after_sign(text: &str) -> Option<&str> {
    let after = SIGNS.iter().find_map(|sign| text.strip_prefix(sign))?;
    (!after.starts_with([':', '='])).then_some(after)
}

/// Returns the text after a word such as `now`.
fn after_now(after: &str) -> &str {
    let start = after.trim_start();
    match start.split_once(' ') {
        Some((word, rest)) if NOW.contains(&folded(word).as_str()) => rest,
        _ => after,
    }
}

/// Whether a clause ends after a word, or only a verb follows it.
fn is_end(word: &str, after: &str) -> bool {
    let next = after.split_whitespace().next().unwrap_or_default();
    let next = next.trim_end_matches(['.', ',', '!', ';', '。', '।']);
    word.ends_with(['.', ',', ';', '!', ')'])
        || next.is_empty()
        || next.starts_with(['(', '-', '–', '—'])
        || FINAL.contains(&folded(next).as_str())
}

/// Returns the next value: the content of quotation marks, or the text up to white space.
fn value_after(after: &str) -> Option<&str> {
    let start = after.trim_start_matches([' ', '\t', '*', '\\']);
    for (begin, end) in [('"', '"'), ('\'', '\''), ('`', '`'), ('「', '」'), ('『', '』')] {
        if let Some((value, _)) = start.strip_prefix(begin).and_then(|rest| rest.split_once(end)) {
            return Some(value);
        }
    }
    let is_end = |letter: char| {
        letter.is_whitespace() || matches!(letter, '"' | '`' | ';' | '<' | '>' | '。' | '、' | '，')
    };
    let end = start.find(is_end).unwrap_or(start.len());
    let value = start[..end].trim_end_matches(['.', ',', ':', ')', ']', '}', '\'', '।']);
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(text: &str) -> bool {
        find(text).is_some()
    }

    #[test]
    fn labels_are_written_as_they_are_compared() {
        let lists =
            [&CHANGED[..], &INTO, &ABOUT, &ABOUT_ENDINGS, &AFTER, &COMPOUNDED, &COPULAS, &FINAL, &FOR, &NOW];
        for label in LABELS.iter().chain(lists.into_iter().flatten().copied()) {
            assert_eq!(folded(label), label);
        }
        for label in COMPOUNDED {
            assert!(LABELS.iter().any(|other| other == label), "{label}");
        }
    }

    #[test]
    fn capitals_and_accents_make_no_difference() {
        for label in
            ["Şifre", "ŞİFRE", "sifre", "s\u{327}ifre", "HASŁO", "Haslo", "ΚΩΔΙΚΟΣ", "ПАРОЛЬ", "Mat khau"]
        {
            assert!(is_found(&format!("{label}: Kebap!4455")), "{label}");
        }
    }

    #[test]
    fn a_label_is_a_word_with_its_inflection_or_the_end_of_a_compound() {
        for text in [
            "passordet er Brunost_2020",
            "wifipassordet er Brunost_2020",
            "yönetici parolası Manti_4417",
            "بكلمة المرور: Zaytun#4411",
        ] {
            assert!(is_found(text), "{text}");
        }
        for text in [
            "Şifreleme: ChaCha20",
            "passordhash: Brunost_2020",
            "hash av passordet: Brunost_2020",
            "Hasło zmienione w Server2019",
            "deşifre: Kebap!4455",
            "sifre1: Kebap!4455",
            "\"sifre\": sifreAlani2,",
            "Κωδικός σφάλματος: ERR_4412",
            "The password prompt appears twice on macOS14",
        ] {
            assert!(!is_found(text), "{text}");
        }
    }

    #[test]
    fn passwords_after_labels_are_found() {
        for text in [
            "Kata sandi server: Rendang!99",
            "Mật khẩu: Phobo_7788",
            "Mật khẩu wifi là Phobo_7788",
            "הסיסמה: Falafel_77",
            "كلمة المرور: Zaytun#4411",
            "पासवर्ड: Chai_masala9",
            "Şifre: Kebap!4455",
            "Passordet er Brunost_2020",
            "Adgangskoden er Smørrebrød12",
            "Lösenordet till databasen är Blåbär-2211",
            "Hasło do serwera: Pierogi!2021",
            "Heslo je Knedlik#77",
            "Salasana on Karjalanpiirakka77",
            "Jelszó: Gulyas_4410",
            "Лозинка: Cevapi!5521",
            "Парола за сървъра: Banitsa#2020",
            "Κωδικός πρόσβασης: Moussaka!77",
            "รหัสผ่าน: Tomyam_9911",
            "neno la siri ni Ugali!5512",
        ] {
            assert!(is_found(text), "{text}");
        }
    }

    #[test]
    fn sentences_about_passwords_are_no_secrets() {
        for text in [
            "Passordet må være minst 12 tegn",
            "Passordet er utløpt",
            "Passordet er lagret i 1Password",
            "Lösenordet är bytt i oktober 2026",
            "Adgangskoden er på 8-16 tegn",
            "Kata sandi: lihat 1Password",
            "Kata sandi minimal 12 karakter",
            "Mật khẩu: xem trong Vault",
            "Mật khẩu là bắt buộc",
            "Hasło: minimum 8 znaków, w tym 1 cyfra",
            "Heslo je povinné",
            "Salasana on vanhentunut 30.11.2026",
            "Jelszó: lásd a KeePassXC-ben",
            "Парола: съхранява се в Bitwarden",
            "Пароль: минимум 12 символов",
            "Κωδικός: υποχρεωτικό πεδίο",
            "Şifre: en az 8 karakter",
            "Şifre alanı için type=password kullan",
            "כתובת הסיסמה: ראה README",
            "كلمة المرور: انظر Vault",
            "पासवर्ड: कम से कम 12 अक्षर",
            "รหัสผ่าน: อย่างน้อย 8 ตัว",
            "lozinka: obavezno polje u v2.3",
            "geslo: shranjeno v AWS-Secrets-Manager",
            "parola: vedi https://wiki.example/a-b-c1",
            "Passordet ligger her: https://wiki.example/Pass!2020",
            "Passordet er utløpt!",
            "Er passordet: ugyldig?",
            "Heslo je povinné!",
            "Parole chiave: React18, Vue",
            "Šifra kupca: KUP00123",
            "Κωδικός προϊόντος: ABC1234",
            "Пароль знает Иван: @ivanpetrov",
            "Passordet ligger i kanalen: #drift-vakt",
            "Kata sandi: huruf+angka",
            "Пароль: KeePass2",
            "Пароль в переменной: KAFKA_SASL2",
            "parole: it means word in Italian and French",
        ] {
            assert!(!is_found(text), "{text}");
        }
    }
}
