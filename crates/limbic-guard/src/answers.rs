//! Keys of wireless networks without a word for a password (`rete Casa, chiave WPA Xq7m…`), and answers to questions
//! that restore an account (`security question: first pet, answer "Fritz"`).

use super::{rules::SecretKind, value};

/// Parts of lines about a wireless network, in lower case.
const NETWORKS: [&str; 12] = [
    "wifi", "wi-fi", "wlan", "ssid", "hotspot", "fritzbox", "rete ", "réseau", "netzwerk", "red de ",
    "rede ", "wpa",
];
/// Words before the key of a network, in lower case.
const KEYS: [&str; 14] = [
    "code",
    "código",
    "codice",
    "key",
    "clave",
    "chiave",
    "clé",
    "chave",
    "schlüssel",
    "netzwerkschlüssel",
    "wpa-schlüssel",
    "sleutel",
    "kod",
    "psk",
];
/// Words between such a word and the key.
const BETWEEN: [&str; 16] = [
    "is", "es", "est", "ist", "è", "é", "lautet", "wpa", "wpa2", "wpa3", "wifi", "wi-fi", "wlan", "de",
    "del", "la",
];
/// Names of questions that restore an account, in lower case.
const QUESTIONS: [&str; 12] = [
    "security question",
    "secret question",
    "sicherheitsfrage",
    "geheimfrage",
    "question secrète",
    "question de sécurité",
    "pregunta de seguridad",
    "pregunta secreta",
    "domanda di sicurezza",
    "domanda segreta",
    "pergunta de segurança",
    "pergunta secreta",
];
/// Words before the answer, in lower case.
const ANSWERS: [&str; 7] = ["answer", "antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord"];
/// Words between `answer` and the answer.
const COPULAS: [&str; 9] = ["is", "ist", "lautet", "est", "es", "è", "é", "was", "war"];

/// Returns the kind of the first such key or answer.
pub(super) fn find(text: &str) -> Option<SecretKind> {
    text.lines().find_map(|line| {
        let lower = line.to_lowercase();
        if NETWORKS.iter().any(|name| lower.contains(name)) && states_key(line) {
            return Some(SecretKind::new("password assignment"));
        }
        (QUESTIONS.iter().any(|name| lower.contains(name)) && states_answer(line))
            .then_some(SecretKind::new("password assignment"))
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', ':', '(', ')', '.', '*', '!', '?', '„', '“', '”', '«', '»'])
}

fn states_key(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().any(|(index, word)| {
        KEYS.contains(&trimmed(word).to_lowercase().as_str())
            && !word.ends_with(['.', ','])
            && words[index + 1..]
                .iter()
                .take(4)
                .find(|next| !BETWEEN.contains(&trimmed(next).to_lowercase().as_str()))
                .is_some_and(|next| is_key(trimmed(next)))
    })
}

/// Whether it may be the key of a network: letters with digits that are no name, or the digits of a router's label.
fn is_key(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_label = (16..=24).contains(&word.len()) && digits == word.len();
    is_label
        || ((8..=63).contains(&word.len())
            && digits >= 2
            && value::is_chosen(word, false)
            && !value::is_reference(word)
            && !value::is_placeholder(word))
}

fn states_answer(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().enumerate().any(|(index, word)| {
        let next = words.get(index + 1).filter(|next| COPULAS.contains(&next.to_lowercase().as_str()));
        let at = index + 1 + usize::from(next.is_some());
        let is_announced = word.ends_with(':') || next.is_some();
        ANSWERS.contains(&trimmed(word).to_lowercase().as_str())
            && words.get(at).is_some_and(|answer| {
                let is_quoted = answer.starts_with(['"', '\'', '`', '„', '“', '«']);
                let name = trimmed(answer);
                let is_name = is_announced && name.len() >= 3 && name.starts_with(char::is_uppercase);
                (is_quoted || is_name) && !value::is_reference(name) && !value::is_placeholder(name)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_networks_and_answers_are_found() {
        for text in [
            "rete Casa, chiave WPA Xq7mTbV2pLw9",
            "le wifi du chalet : Fjordhytta, code coppertundra944",
            "WLAN: Netzwerkschlüssel lautet 48213395710384627715",
            "security question: first pet, answer is \"Kanarienvogel\"",
            "Sicherheitsfrage Geburtsort der Mutter: Antwort \"Quedlinburg 1949\"",
            "pregunta de seguridad, respuesta: Bruno",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn sentences_about_networks_and_questions_are_not() {
        for text in [
            "wifi error code 0x80070005",
            "the wifi driver has a key feature in v2.4.1",
            "the code of the wifi module is in net/wifi2.rs",
            "wifi key is in the vault",
            "answers to the security question are hashed",
            "the security question has no answer yet",
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
