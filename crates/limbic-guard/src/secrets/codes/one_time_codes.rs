//! Codes for one use that a service sends: `Der Einmalcode der Sparkasse ist 690 636`, `690636 is your OTP`.

use crate::secrets::codes::clauses::{Clause, clauses, is_digits};
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::text::Text;

/// Names of such codes of one word.
const WORDS: [&str; 31] = [
    "authenticator",
    "einmalcode",
    "einmalpasswort",
    "einmalkennwort",
    "bestätigungscode",
    "sicherheitscode",
    "verifizierungscode",
    "verifikationscode",
    "prüfcode",
    "freischaltcode",
    "anmeldecode",
    "aktivierungscode",
    "authentifizierungscode",
    "logincode",
    "smscode",
    "verificatiecode",
    "bevestigingscode",
    "beveiligingscode",
    "inlogcode",
    "otp",
    "totp",
    "mtan",
    "pushtan",
    "chiptan",
    "phototan",
    "smstan",
    "itan",
    "tan",
    "einmal",
    "2fa",
    "mfa",
];
/// Words for a code.
const CODES: [&str; 14] = [
    "code",
    "código",
    "codigo",
    "codice",
    "kod",
    "код",
    "passcode",
    "password",
    "clave",
    "contraseña",
    "pin",
    "codes",
    "passwort",
    "kode",
];
/// Beginnings of words beside a code that make it one for a single use.
const SINGLE_USE: [&str; 72] = [
    "accesso",
    "acceso",
    "acesso",
    "accès",
    "texted",
    "llega",
    "mandad",
    "enviad",
    "cheg",
    "arriv",
    "came",
    "sent",
    "geschickt",
    "bekommen",
    "gekommen",
    "envoyé",
    "inviat",
    "ricevut",
    "reçu",
    "recebid",
    "erhalten",
    "signal",
    "paypal",
    "amazon",
    "apple",
    "microsoft",
    "temporá",
    "verif",
    "vérif",
    "verificaç",
    "confirm",
    "conferma",
    "bestätig",
    "one",
    "authent",
    "autent",
    "authoris",
    "authoriz",
    "sms",
    "otp",
    "2fa",
    "mfa",
    "google",
    "whatsapp",
    "telegram",
    "login",
    "sign",
    "connexion",
    "activ",
    "attivaz",
    "ativaç",
    "usage",
    "uso",
    "usa",
    "único",
    "monouso",
    "temp",
    "tempora",
    "descart",
    "sécurité",
    "seguridad",
    "segurança",
    "sicurezza",
    "security",
    "validation",
    "validación",
    "validaç",
    "dinámica",
    "einmal",
    "pairing",
    "подтверж",
    "weryfik",
];
/// Words beside a code that make it one of another meaning.
const OTHERS: [&str; 28] = [
    "port", "ports", "timeout", "ttl", "expiry", "limit", "length", "interval", "users", "http", "error",
    "exit", "status", "zip", "postal", "source", "review", "line", "bar", "country", "product", "version",
    "erreur", "errore", "erro", "build", "coverage", "module",
];
/// Maximum number of words between a name and its number.
const MAX_DISTANCE_WORDS: usize = 11;

/// Returns the kind if a clause states such a code.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    clauses(&text.lower).any(|clause| states_code(&clause)).then_some(SecretKind::new("one-time code"))
}

fn states_code(clause: &Clause) -> bool {
    let tokens = &clause.tokens;
    (0..tokens.len()).any(|index| {
        clause.number_at(index).is_some_and(|number| {
            let digits: usize = tokens[index..index + number.words].iter().map(|it| it.word.len()).sum();
            let is_plain = tokens[index..index + number.words].iter().all(|it| is_digits(it.word));
            let is_google = tokens[index].gap == "-" && index > 0 && tokens[index - 1].word == "g";
            is_plain
                && ((!number.is_year && follows_name(clause, index, digits, number.ends))
                    || (is_google && names_code(clause, 0, index))
                    || precedes_name(clause, index + number.words, digits))
        })
    })
}

/// Whether the words from one position to another contain the name of a code for one use.
fn names_code(clause: &Clause, from: usize, to: usize) -> bool {
    let words = &clause.tokens[from..to];
    words.iter().enumerate().any(|(at, it)| {
        let around = &words[at.saturating_sub(3)..(at + 5).min(words.len())];
        // A part of a name: `password_reset_token_ttl`.
        let next = clause.tokens.get(from + at + 1);
        if it.gap == "_" || next.is_some_and(|next| next.gap == "_") {
            return false;
        }
        let is_other = around.iter().any(|it| OTHERS.contains(&it.word));
        let is_single = || around.iter().any(|it| SINGLE_USE.iter().any(|part| it.word.starts_with(part)));
        !is_other && (WORDS.contains(&it.word) || (CODES.contains(&it.word) && is_single()))
    })
}

/// Whether a bank sent the code: `El código que me ha llegado del banco es 690636`. Codes of banks are shorter.
fn is_of_bank(clause: &Clause, index: usize, digits: usize) -> bool {
    const BANKS: [&str; 6] = ["bank", "banco", "banca", "banque", "sparkasse", "volksbank"];
    let before = &clause.tokens[index.saturating_sub(MAX_DISTANCE_WORDS)..index];
    let has = |words: &[&str]| before.iter().any(|it| words.contains(&it.word));
    digits == 6
        && has(&CODES)
        && has(&BANKS)
        && !has(&OTHERS)
        && !before.windows(2).any(|pair| BANKS.contains(&pair[0].word) && CODES.contains(&pair[1].word))
}

/// Whether it is the code of the person who reads it: `Your code is 690636`.
fn is_yours(clause: &Clause, index: usize, digits: usize) -> bool {
    const YOURS: [&str; 14] =
        ["your", "ihr", "dein", "tu", "su", "votre", "ton", "tuo", "suo", "seu", "teu", "uw", "je", "jouw"];
    let before = &clause.tokens[index.saturating_sub(MAX_DISTANCE_WORDS)..index];
    digits == 6
        && before.windows(2).any(|pair| YOURS.contains(&pair[0].word) && CODES[..5].contains(&pair[1].word))
        && !before.iter().any(|it| OTHERS.contains(&it.word))
}

fn follows_name(clause: &Clause, index: usize, digits: usize, ends: bool) -> bool {
    // `codice usa e getta appena arrivato, 690636`
    let is_after_comma = digits == 6 && clause.tokens[index].gap == ", ";
    let is_beside = digits >= 6 && ends && (clause.tokens[index].gap == " " || is_after_comma);
    let last = index.checked_sub(1).map(|at| clause.tokens[at].word).unwrap_or_default();
    let is_code_beside = is_beside && (digits == 6 || WORDS.contains(&last) || CODES.contains(&last));
    (names_code(clause, index.saturating_sub(MAX_DISTANCE_WORDS), index)
        || is_of_bank(clause, index, digits)
        || is_yours(clause, index, digits))
        && (clause.is_connected(index) || is_code_beside)
}

/// Whether the number is stated to be such a code: `690636 is your Amazon OTP`, `690636 es tu código de verificación`.
fn precedes_name(clause: &Clause, next: usize, digits: usize) -> bool {
    const YOURS: [&str; 18] = [
        "your", "ihr", "dein", "tu", "su", "votre", "ton", "tuo", "suo", "il", "o", "seu", "teu", "uw", "je",
        "the", "el", "le",
    ];
    const COPULAS: [&str; 7] = ["is", "ist", "es", "est", "è", "é", "as"];
    let end = (next + MAX_DISTANCE_WORDS).min(clause.tokens.len());
    digits >= 5
        && clause.tokens.get(next).is_some_and(|it| it.gap == " " && COPULAS.contains(&it.word))
        && (names_code(clause, next, end)
            || (digits == 6
                && clause.tokens.get(next + 1).is_some_and(|it| YOURS.contains(&it.word))
                && clause.tokens[next..end].iter().take(6).any(|it| CODES[..5].contains(&it.word))
                && !clause.tokens[next..end].iter().any(|it| OTHERS.contains(&it.word))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_for_one_use_are_found() {
        for text in [
            "Der Einmalcode der Sparkasse ist 690 636, gilt noch zehn Minuten",
            "Your verification code is 690636",
            "Google code: G-690636",
            "SMS says 690636 is your Amazon OTP",
            "mTAN: 690636 für die Überweisung",
            "código de un solo uso del banco: 690-636",
            "codice usa e getta della banca: 690 636",
            "Codice usa e getta della posta appena arrivato, 690636, inseriscilo tu",
            "código de uso único da Caixa acabado de chegar, 690 636",
            "código que me ha mandado el servicio, 690 636",
            "Einmalcode von der Bank gerade bekommen, 690 636",
            "Votre code à usage unique : 690 636",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_about_such_codes_are_not() {
        for text in [
            "the verification code has 6 digits and expires after 600 seconds",
            "Erlang/OTP 27.1 is required",
            "el código de error es 690636",
            "security code review: 4931 findings",
            "the 2FA rollout reached 12000 users",
            "confirm code in sms.py line 4821",
            "le code postal est 69006",
            "one code review found, 690636 lines later, a bug",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
