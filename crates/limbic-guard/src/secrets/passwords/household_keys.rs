//! Keys by a word for them in the same line: of a network (`clé wifi du salon 6A4B73…`), and of a program in groups
//! (`Lizenzschlüssel: TCTSR0-D4GWAI-…`).

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about a wireless network, in lower case.
static NETWORKS: Literals =
    Literals::new(&["wifi", "wi-fi", "wlan", "ssid", "hotspot", "wpa", "psk", "ipsec", "вайфай", "вай-фай"]);
/// Words for the key of a network, in lower case; in German also as the end of a word.
const KEYS: [&str; 28] = [
    "key",
    "code",
    "código",
    "codice",
    "clave",
    "chiave",
    "clé",
    "clef",
    "chave",
    "schlüssel",
    "sleutel",
    "psk",
    "contraseña",
    "password",
    "passwort",
    "kennwort",
    "senha",
    "pass",
    "passe",
    "parola",
    "pw",
    "klíč",
    "passphrase",
    "netzwerkschlüssel",
    "klucz",
    "hasło",
    "ключ",
    "пароль",
];
/// Words for a network before its name, in lower case: its key may follow without a connector.
const NAMED: [&str; 13] = [
    "network", "netz", "netzwerk", "netwerk", "red", "réseau", "rete", "rede", "sieć", "сеть", "ssid",
    "name", "имя",
];
/// Words for the key of a program, in lower case.
static LICENCES: Literals = Literals::new(&[
    "licence",
    "license",
    "licencia",
    "lizenz",
    "licenza",
    "licença",
    "product key",
    "produktschlüssel",
    "produktkey",
    "clé de produit",
    "clave de producto",
    "clave del producto",
    "codice prodotto",
    "chave do produto",
    "chave de produto",
    "serial",
    "seriennummer",
    "número de serie",
    "numero di serie",
    "numéro de série",
    "activation",
    "activación",
    "attivazione",
    "ativação",
    "aktivierung",
    "freischalt",
    "registration key",
    "registrierungs",
    "cd-key",
    "cd key",
    "licentie",
    "licencja",
    "лиценз",
    "ライセンス",
    "许可证",
]);
/// Parts of lines about other groups of hexadecimal digits, in lower case.
static DIGESTS: Literals = Literals::new(&[
    "fingerprint",
    "fingerabdruck",
    "huella",
    "empreinte",
    "checksum",
    "prüfsumme",
    "sha",
    "md5",
    "hash",
    "digest",
    "memory",
    "dump",
    "crash",
    "commit",
]);
/// Minimum number of groups of hexadecimal digits between spaces.
const MIN_HEX_GROUPS: usize = 5;
/// Maximum number of words between the word and the key.
const MAX_DISTANCE_WORDS: usize = 9;
/// Words between them that say that a key is elsewhere.
const ELSEWHERE: [&str; 26] = [
    "in",
    "on",
    "auf",
    "unter",
    "steht",
    "liegt",
    "en",
    "está",
    "dans",
    "sous",
    "sur",
    "nel",
    "sotto",
    "trova",
    "vault",
    "bitwarden",
    "lost",
    "verloren",
    "perdue",
    "perdida",
    "perduta",
    "model",
    "modell",
    "version",
    "driver",
    "channel",
];

/// Returns the kind of the first such key.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines().find_map(|(line, lower)| {
        // Most lines end here.
        let has_candidate = line.split(' ').any(|word| {
            word.len() >= 8
                && word.bytes().any(|byte| byte.is_ascii_digit() || b"!#$%&*+?^=@~".contains(&byte))
        });
        if !has_candidate {
            return None;
        }
        if NETWORKS.are_in(lower) && states_key(line) {
            return Some(SecretKind::new("password assignment"));
        }
        // `chiave del programma: 9XKQ-22LM-TT7P-W0RZ`
        let named = || lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| KEYS.contains(&word));
        let is_key = |word: &str| {
            is_licence(word) && (LICENCES.are_in(lower) || word.split('-').count() >= 4 && named())
        };
        (line.split_whitespace().any(|word| is_key(trimmed(word)))
            || LICENCES.are_in(lower) && !DIGESTS.are_in(lower) && has_hex_groups(line))
        .then_some(SecretKind::new("license key"))
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', ':', '(', ')', '.', '*', '<', '>'])
}

fn states_key(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = words.iter().position(|word| is_named(word));
    words.iter().enumerate().any(|(index, word)| {
        let lower = trimmed(word).to_lowercase();
        let is_key = KEYS.contains(&lower.as_str())
            || lower.ends_with("schlüssel")
            || lower.ends_with("passwort")
            || lower.ends_with("kennwort")
            || lower.ends_with("-key");
        const TYPES: [&str; 8] = ["type", "enter", "tippe", "tippst", "tape", "teclea", "digita", "escribe"];
        let is_typed = TYPES.contains(&lower.as_str())
            && words.get(index + 1).is_some_and(|next| value::is_strong_or_named(trimmed(next)));
        is_typed
            || is_key && {
                let after = &words[index + 1..(index + 1 + MAX_DISTANCE_WORDS).min(words.len())];
                let mut is_connected = word.ends_with(':');
                let is_beside = named.is_some_and(|named| named < index)
                    && after.first().is_some_and(|next| {
                        value::is_leet_phrase(trimmed(next)) || value::is_strong(trimmed(next))
                    });
                if is_beside {
                    return true;
                }
                for (at, next) in after.iter().enumerate() {
                    let before = if at == 0 { *word } else { after[at - 1] };
                    is_connected = is_connected || is_connector(before) || is_connector(next);
                    let candidate = trimmed(next);
                    // `password wifi della baita, Stella_Alpina44`
                    let is_last =
                        before.ends_with(',') && at + 1 == after.len() && value::is_strong(candidate);
                    if is_label(candidate)
                        || is_last
                        || (is_connected && (is_connector(before)) && value::is_strong_or_named(candidate))
                    {
                        return true;
                    }
                    if next.ends_with(['.', ';', '?', '!'])
                        || ELSEWHERE.contains(&candidate.to_lowercase().as_str())
                    {
                        return false;
                    }
                }
                false
            }
    })
}

/// Whether a word names a network, before its name.
fn is_named(word: &str) -> bool {
    NAMED.contains(&trimmed(word).to_lowercase().as_str())
}

/// Whether a word says that the value follows.
fn is_connector(word: &str) -> bool {
    const COPULAS: [&str; 10] = ["is", "es", "est", "ist", "lautet", "è", "é", "=", "→", "type"];
    word.ends_with([':', '=', '→']) || COPULAS.contains(&word.to_lowercase().as_str())
}

/// Whether it is a key as on the label of a router: hexadecimal digits, or sixteen and more digits.
fn is_label(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = word.bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte));
    let is_upper = word.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let letters = word.len() - digits;
    let is_mixed = digits >= 3 && letters >= 3;
    (is_hex && is_mixed && (10..=64).contains(&word.len()))
        || (digits == word.len() && (16..=26).contains(&word.len()))
        || (is_upper && is_mixed && (12..=32).contains(&word.len()) && changes(word) >= 5)
        || (word.len() >= 12
            && value::is_mixed(word)
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns how often a digit and a letter are neighbours.
fn changes(word: &str) -> usize {
    word.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

/// Whether a line has groups of four to eight hexadecimal digits, of the same length, between spaces.
fn has_hex_groups(line: &str) -> bool {
    let is_group = |word: &str| {
        (4..=8).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte))
    };
    let words: Vec<&str> = line.split_whitespace().map(trimmed).collect();
    words.chunk_by(|a, b| a.len() == b.len() && is_group(a) && is_group(b)).any(|run| {
        let has = |is: fn(&u8) -> bool| run.iter().filter(|word| word.bytes().any(|byte| is(&byte))).count();
        run.len() >= MIN_HEX_GROUPS
            && has(u8::is_ascii_digit) * 2 >= run.len()
            && has(u8::is_ascii_uppercase) * 2 >= run.len()
    })
}

/// Whether it has at least three groups of capitals and digits, of the same length, most of which have both.
fn is_licence(word: &str) -> bool {
    if word.len() < 14 || !word.contains('-') {
        return false;
    }
    let groups: Vec<&str> = word.split('-').collect();
    let is_group = |group: &&&str| {
        (4..=8).contains(&group.len())
            && group.len() == groups[0].len()
            && group.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    let has_both = |group: &&&str| {
        group.bytes().any(|byte| byte.is_ascii_digit()) && group.bytes().any(|byte| byte.is_ascii_uppercase())
    };
    (3..=8).contains(&groups.len())
        && groups.iter().filter(is_group).count() == groups.len()
        && groups.iter().filter(has_both).count() * 2 >= groups.len()
        && !value::is_placeholder(word)
        && !value::is_filler(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_networks_and_programs_are_found() {
        for text in [
            "clé wifi de la box du salon 6A4B73E2D01E2301017D83CF15",
            "la clé du wifi chez mamie est 3E90AB17C4D2F05518",
            "WLAN-Schlüssel der Fritzbox 58213390471266840917",
            "clave del wifi del pueblo: higos_con_queso_31",
            "clé WPA de la box : lavande-et-cigales-84",
            "password wifi della baita, Stella_Alpina44",
            "the wifi at the cottage is Heron and you type marshmallow62 to get on",
            "chiave del programma fatture: 9XKQ-22LM-TT7P-W0RZ",
            "chave do wifi da aldeia 5D81FA22C09B7734",
            "Lizenzschlüssel fürs Programm auf dem Rechner: TCTSR0-D4GWAI-AB3R5D-CSXGRG",
            "licencia del antivirus: 8HK2P-Q7LMD-93XZT-ZZ4R6",
            "licence of the editor, one seat: 60582A41 36FA2A27 F82B842F 89BA2AC6 25C38F89 F6CD0C56",
            "вайфай на даче — сеть Berezka, ключ grib0k-pod-elkoy",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_about_networks_and_licences_are_accepted() {
        for text in [
            "clé wifi USB TP-Link AC1300 à 19,90 euros",
            "clé wifi de la Livebox perdue, demander à Orange au 3900",
            "WLAN-Schlüssel steht auf der Rückseite der Fritzbox 7590",
            "the wifi key is in Bitwarden, entry OFFICE0123456789AB",
            "wifi password policy: at least twelve characters",
            "Lizenzschlüssel kommt per Post, Bestellnummer DE-4471-2025",
            "serial number of the sensor: 2024-1187-4402",
            "license key format XXXXX-XXXXX-XXXXX-XXXXX",
            "SHA-256 of the licence: 60582A41 36FA2A27 F82B842F 89BA2AC6 25C38F89 F6CD0C56",
            "wifi on the train: network Birch, key lime-green logo",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
