//! Passwords after a label in further languages: `Kata sandi: …`, `Passordet er …`, `Mật khẩu: …`.
//!
//! The words of `keyword_context` are names in code as well; these are words of prose, with their articles and cases.

use crate::secrets::{keys::rules::SecretKind, literals::Literals, text::Text, value};

/// Labels, in lower case.
static LABELS: Literals = Literals::new(&[
    "kata sandi",
    "kata laluan",
    "mật khẩu",
    "passordet",
    "passord",
    "adgangskoden",
    "adgangskode",
    "kodeordet",
    "lösenordet",
    "lösenord",
    "lykilorð",
    "salasana",
    "salasanan",
    "parool",
    "slaptažodis",
    "hasło",
    "hasła",
    "heslo",
    "jelszó",
    "jelszava",
    "parolası",
    "şifre",
    "şifresi",
    "lozinka",
    "zaporka",
    "geslo",
    "лозинка",
    "парола",
    "паролата",
    "пароль",
    "пароля",
    "κωδικός πρόσβασης",
    "סיסמה",
    "סיסמא",
    "הסיסמה",
    "הסיסמא",
    "كلمة المرور",
    "كلمة السر",
    "كلمة مرور",
    "رمز عبور",
    "گذرواژه",
    "پاس ورڈ",
    "पासवर्ड",
    "पासवर्ड़",
    "পাসওয়ার্ড",
    "கடவுச்சொல்",
    "รหัสผ่าน",
    "nenosiri",
    "neno la siri",
    "contrasenya",
    "pasahitza",
    "wagwoord",
    "fjalëkalimi",
    "გასაღები სიტყვა",
    "պաղտնաբառ",
]);

/// Words between a label and its value, in lower case.
const CONNECTORS: [&str; 36] = [
    "is",
    "er",
    "är",
    "ist",
    "on",
    "jest",
    "to",
    "je",
    "este",
    "e",
    "é",
    "è",
    "es",
    "est",
    "là",
    "adalah",
    "ialah",
    "ni",
    "yra",
    "ir",
    "είναι",
    "это",
    "є",
    "це",
    "е",
    "هو",
    "هي",
    "است",
    "היא",
    "הוא",
    "है",
    "হল",
    "হলো",
    "คือ",
    "da",
    "az",
];

/// Maximum number of words between a label and a connector: `till databasen`.
const MAX_WORDS: usize = 4;

/// Maximum number of bytes after a label that are read.
const MAX_BYTES: usize = 200;

/// Minimum length of a value, in characters.
const MIN_CHARS: usize = 8;

/// Minimum length of a generated value.
const MIN_GENERATED: usize = 16;

/// Returns the kind if a password follows a label in the same line.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    let is_stated = text.lines().any(|(written, lower)| {
        LABELS.matches(lower).any(|(index, label)| {
            let end = index + label.len();
            // As it was written, unless lower case moved it.
            let is_same = written.len() == lower.len();
            let rest = if is_same { written.get(end..) } else { None }.unwrap_or(&lower[end..]);
            is_word(&lower[..index]) && value_after(rest).is_some_and(is_password)
        })
    });
    is_stated.then_some(SecretKind::new("password assignment"))
}

/// Whether no letter precedes a label.
fn is_word(before: &str) -> bool {
    !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-')
}

/// Returns the word after the colon or connector that follows a label within [`MAX_WORDS`].
fn value_after(rest: &str) -> Option<&str> {
    let rest = &rest[..rest.floor_char_boundary(MAX_BYTES)];
    // Of a longer word, the label is a part.
    if rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-') {
        return None;
    }
    let mut words = rest.split_whitespace();
    for _ in 0..=MAX_WORDS {
        let word = words.next()?;
        if let Some((before, after)) =
            word.split_once([':', '：', '=']).filter(|(before, _)| !before.contains('/'))
        {
            return if after.is_empty() { words.next() } else { Some(after) }
                .filter(|_| !before.contains(['"', '`']));
        }
        if CONNECTORS.contains(&word.to_lowercase().as_str()) {
            return words.next();
        }
        if word.ends_with(['.', ',', ';', '?', '!', ')']) {
            return None;
        }
    }
    None
}

fn is_password(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'', '`', '«', '»', '“', '”', '„']);
    let word = word.trim_end_matches(['.', ',', ';', ')', '!', '?', '।', '。']);
    !value::is_reference(word)
        && !value::is_placeholder(word)
        && !value::is_common_example(word)
        && (value::is_generated(word, MIN_GENERATED) || (value::is_chosen(word, false) && has_form(word)))
}

/// Whether a word has digits and small letters, and punctuation within it or capitals: prose after such a label names
/// products (`KeePass2`), channels (`#drift`), variables and rules (`letters+digits`) as well.
fn has_form(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let has_capital = word.chars().any(char::is_uppercase);
    let has_mark = word.contains(['!', '#', '$', '%', '^', '&', '*', '+', '_', '-', '~']);
    word.chars().count() >= MIN_CHARS
        && word.starts_with(|letter: char| letter.is_alphanumeric())
        && word
            .chars()
            .any(|letter| letter.is_lowercase() || (letter.is_alphabetic() && !letter.is_uppercase()))
        && digits > 0
        && (has_mark || (has_capital && digits > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(text: &str) -> bool {
        find(&Text::new(text)).is_some()
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
            assert!(states(text), "{text}");
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
            assert!(!states(text), "{text}");
        }
    }
}
