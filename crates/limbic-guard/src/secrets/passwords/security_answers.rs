//! Keys of wireless networks without a word for a password (`rete Casa, chiave WPA Xq7m…`), and answers to questions
//! that restore an account (`security question: first pet, answer "Fritz"`).

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about a wireless network, in lower case.
static NETWORKS: Literals = Literals::new(&[
    "wifi", "wi-fi", "wlan", "ssid", "hotspot", "fritzbox", "rete ", "réseau", "netzwerk", "red de ",
    "rede ", "wpa",
]);
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
static QUESTIONS: Literals = Literals::new(&[
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
]);
/// Words before the answer, in lower case.
const ANSWERS: [&str; 7] = ["answer", "antwort", "réponse", "respuesta", "risposta", "resposta", "antwoord"];
/// Words between `answer` and the answer.
const COPULAS: [&str; 9] = ["is", "ist", "lautet", "est", "es", "è", "é", "was", "war"];

/// Contents of such questions, in lower case.
static CONTENTS: Literals = Literals::new(&[
    "first pet",
    "first car",
    "first school",
    "maiden name",
    "first teacher",
    "childhood friend",
    "city of birth",
    "erstes haustier",
    "ersten haustier",
    "erstes auto",
    "ersten auto",
    "erste schule",
    "mädchenname",
    "geburtsname",
    "ersten lehrer",
    "primera mascota",
    "primer coche",
    "primer colegio",
    "primera escuela",
    "apellido de soltera",
    "primer profesor",
    "mejor amigo",
    "premier animal",
    "première voiture",
    "première école",
    "nom de jeune fille",
    "premier chien",
    "premier chat",
    "primo animale",
    "prima auto",
    "prima macchina",
    "prima scuola",
    "cognome da nubile",
    "primeiro animal",
    "primeiro carro",
    "primeira escola",
    "nome de solteira",
    "meu primeiro cão",
    "mio primo cane",
    "street you grew up",
    "street i grew up",
    "pregunta del colegio",
    "pregunta de la mascota",
    "primer perro",
    "primer maestro",
    "primeira professora",
    "primeiro professor",
    "prima maestra",
    "première maîtresse",
    "erste lehrerin",
    "ersten lehrerin",
    "mein geburtsort",
    "mother's birthplace",
]);
/// Parts of a line in which somebody asks such a question.
static ASKS: Literals = Literals::new(&[
    "asks",
    "question",
    "bank",
    "insur",
    "reset",
    "account",
    "frag",
    "konto",
    "versicher",
    "pregunta",
    "piden",
    "pide",
    "banco",
    "banca",
    "cuenta",
    "demande",
    "banque",
    "assur",
    "chied",
    "domanda",
    "assicura",
    "conto",
    "pergunta",
    "pede",
    "segur",
    "sicherheit",
]);
/// Words before an answer that somebody gave.
static GAVE: Literals = Literals::new(&[
    "i always say",
    "i say",
    "i put",
    "i answer",
    "i answered",
    "i gave",
    "i entered",
    "i typed",
    "habe ich",
    "hab ich",
    "ich habe",
    "ich hab",
    "sage ich",
    "ich sage",
    "antworte ich",
    "ich antworte",
    "nehme ich",
    "puse",
    "pongo",
    "digo",
    "respondo",
    "respondí",
    "contesto",
    "contesté",
    "he puesto",
    "siempre pongo",
    "j'ai mis",
    "je mets",
    "je réponds",
    "j'ai répondu",
    "je dis",
    "j'ai choisi",
    "ho messo",
    "metto",
    "rispondo",
    "ho risposto",
    "dico",
    "pus",
    "coloquei",
    "respondi",
    "ponho",
    "my answer is",
    "my answer is always",
    "mi respuesta es",
    "meine antwort ist",
    "ma réponse est",
    "la mia risposta è",
    "minha resposta é",
    "a minha resposta é",
]);
/// What introduces an answer only in a line that names such a question: elsewhere somebody may write to a person.
static WROTE: Literals = Literals::new(&[
    "i wrote",
    "ich schreibe",
    "schreibe ich",
    "j'ai écrit",
    "j'écris",
    "ho scritto",
    "scrivo",
    "escribí",
    "escrevi",
    "escrevo",
]);
/// Words that are capitals and no answers.
const NO_ANSWERS: [&str; 14] =
    ["no", "yes", "nein", "ja", "sí", "oui", "non", "sim", "não", "sì", "thursday", "monday", "friday", "i"];

/// Returns the kind of the first such key or answer.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines().find_map(|(line, lower)| {
        if NETWORKS.are_in(lower) && states_key(line) {
            return Some(SecretKind::new("password assignment"));
        }
        let names_question = QUESTIONS.are_in(lower);
        (names_question && states_answer(line)
            || (names_question || (ASKS.are_in(lower) && CONTENTS.are_in(lower)))
                && gives_answer(line, lower, names_question))
        .then_some(SecretKind::new("password assignment"))
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', ':', '(', ')', '.', '*', '!', '?', '„', '“', '”', '«', '»'])
}

/// Whether somebody says what they answered: `j'ai mis Griboulet`.
fn gives_answer(line: &str, lower: &str, names_question: bool) -> bool {
    let from = QUESTIONS.matches(lower).next().into_iter().chain(CONTENTS.matches(lower).next()).min();
    let from = from.map_or(0, |(index, _)| index);
    // `mother's maiden name: Abernathy`
    let has_colon = names_question && lower.contains(':');
    let contents = has_colon.then(|| CONTENTS.matches(lower)).into_iter().flatten();
    let wrote = names_question.then(|| WROTE.matches(lower)).into_iter().flatten();
    let stated = GAVE.matches(lower).chain(wrote).map(|found| (found, false));
    // Positions in the lower case are those of the line only if all letters keep their length.
    line.len() == lower.len()
        && stated.chain(contents.map(|found| (found, true))).any(|((index, words), is_content)| {
            let starts = index >= from && !lower[..index].ends_with(char::is_alphanumeric);
            let rest = line.get(index + words.len()..).unwrap_or_default().trim_start_matches([':', ',']);
            let Some(rest) = rest.strip_prefix(' ') else { return false };
            let is_connected = !is_content || lower[index + words.len()..].starts_with(':');
            let first = rest.split_whitespace().next().unwrap_or_default();
            let name = trimmed(first);
            let answer = rest.split_whitespace().take(3).collect::<Vec<&str>>().join(" ");
            let is_quoted = first.starts_with(['"', '\'', '`', '„', '“', '«']);
            starts
                && is_connected
                && (is_quoted || name.starts_with(char::is_uppercase))
                && name.chars().count() >= 2
                && !NO_ANSWERS.contains(&name.to_lowercase().as_str())
                && !value::is_reference(name)
                && !value::is_placeholder(&answer)
        })
}

/// Whether a key of a network in groups follows a word for it: `Schlüssel auf der Box: 3816-5924-7263-4918`.
fn states_groups(line: &str) -> bool {
    const LEAST: usize = 4;
    let mut named = false;
    let (mut groups, mut length) = (0, 0);
    line.split(|letter: char| letter.is_whitespace() || letter == '-').any(|word| {
        let word = trimmed(word);
        let lower = word.to_lowercase();
        let is_group = (4..=5).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && word.bytes().any(|byte| byte.is_ascii_digit());
        groups = match (is_group, word.len() == length) {
            (true, true) => groups + 1,
            (true, false) => 1,
            _ => 0,
        };
        length = word.len();
        named = named || KEYS.iter().any(|key| lower == *key || (key.len() > 4 && lower.ends_with(key)));
        named && groups >= LEAST
    })
}

fn states_key(line: &str) -> bool {
    if states_groups(line) {
        return true;
    }
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
            "If the bank asks for my first pet, I always say Biscuit the hamster",
            "Question secrète de la banque : j'ai mis Griboulet",
            "Sicherheitsfrage der Post: da habe ich Wolkenburg eingetragen",
            "WLAN Gartenhaus, der Schlüssel steht auf der Box: 3816-5924-7263-4918-6157",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
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
            "the security question feature: I say we drop it",
            "If the bank asks for a statement, I say Thursday works",
            "wifi key renewal on 2026-03-04",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
