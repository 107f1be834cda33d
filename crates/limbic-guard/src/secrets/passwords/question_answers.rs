//! Answers to questions that restore an account, by their place in the sentence: after an arrow, behind the content of
//! the question (`mother's maiden name Ollerenshaw`), as the last part of a line, or in small letters after `I put`.

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;

/// Parts of lines about such a question, in lower case.
static QUESTIONS: Literals = Literals::new(&[
    "security question",
    "secret question",
    "security answer",
    "memorable word",
    "memorable name",
    "memorable place",
    "bank's question",
    "recovery question",
    "sicherheitsfrage",
    "geheimfrage",
    "kontrollfrage",
    "auf die frage nach",
    "question secrète",
    "question de sécurité",
    "à la question",
    "pregunta de seguridad",
    "pregunta secreta",
    "a la pregunta",
    "domanda di sicurezza",
    "domanda segreta",
    "alla domanda",
    "pergunta de segurança",
    "pergunta secreta",
    "à pergunta",
    "bank asks",
    "bank rings and asks",
    "bank calls and asks",
    "asks who i am",
    "if they ask",
    "falls die bank fragt",
    "si la banque demande",
    "si el banco pregunta",
    "si me preguntan",
    "se la banca chiede",
    "se o banco perguntar",
]);
/// Contents of such questions, in lower case.
static CONTENTS: Literals = Literals::new(&[
    "pet",
    "maiden name",
    "first car",
    "school",
    "teacher",
    "birthplace",
    "born",
    "street",
    "childhood",
    "nickname",
    "favourite",
    "favorite",
    "haustier",
    "mädchenname",
    "geburtsname",
    "geburtsort",
    "schule",
    "lehrer",
    "straße",
    "spitzname",
    "lieblings",
    "animal",
    "jeune fille",
    "voiture",
    "école",
    "instit",
    "professeur",
    "maîtresse",
    "naissance",
    "rue de",
    "surnom",
    "préféré",
    "enfance",
    "mascota",
    "soltera",
    "coche",
    "colegio",
    "escuela",
    "maestr",
    "profesor",
    "nacimiento",
    "nací",
    "calle",
    "apodo",
    "favorit",
    "infancia",
    "perro",
    "gato",
    "nubile",
    "scuola",
    "elementar",
    "nascita",
    "via della",
    "soprannome",
    "preferit",
    "infanzia",
    "cane",
    "gatto",
    "macchina",
    "solteira",
    "carro",
    "escola",
    "nascimento",
    "nasceu",
    "rua ",
    "alcunha",
    "cão",
    "cachorro",
    "infância",
    "memorable",
    "chien",
    "chat ",
    "hund",
    "katze",
]);
/// Words before an answer that somebody gave, in lower case.
static GAVE: Literals = Literals::new(&[
    "i put ",
    "i answered ",
    "i gave ",
    "i wrote ",
    "i entered ",
    "i always say ",
    "i say ",
    "i used ",
    "habe ich ",
    "hab ich ",
    "antworte ich ",
    "nehme ich ",
    "puse ",
    "contesté ",
    "contesto ",
    "respondí ",
    "respondo ",
    "he puesto ",
    "pongo ",
    "j'ai mis ",
    "j'ai répondu ",
    "j'ai écrit ",
    "je réponds ",
    "je mets ",
    "j'ai choisi ",
    "ho messo ",
    "ho risposto ",
    "ho scritto ",
    "metto ",
    "rispondo ",
    "pus ",
    "respondi ",
    "coloquei ",
    "escrevi ",
    "ponho ",
    "answer is ",
    "antwort ist ",
    "réponse est ",
    "respuesta es ",
    "risposta è ",
    "resposta é ",
]);
/// First words of a reported clause, which is no answer.
const CLAUSES: [&str; 46] = [
    "that", "it", "no", "yes", "to", "in", "on", "a", "an", "nothing", "him", "her", "them", "you", "dass",
    "ja", "nein", "nicht", "ihm", "ihr", "noch", "que", "qu", "oui", "non", "par", "à", "rien", "si", "sí",
    "sì", "nada", "al", "che", "di", "niente", "sim", "não", "ao", "at", "with", "mit", "avec", "con", "com",
    "too",
];
/// Capitalised words that are no answers.
const NO_ANSWERS: [&str; 26] = [
    "No",
    "Yes",
    "I",
    "Nein",
    "Ja",
    "Oui",
    "Non",
    "Sí",
    "Sì",
    "Sim",
    "Não",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Montag",
    "Dienstag",
    "Mittwoch",
    "Donnerstag",
    "Freitag",
    "TODO",
    "Bitwarden",
    "Answer",
    "Q",
    "A",
];

/// Returns the kind if a line has such an answer.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(line, lower)| {
            ["frage", "quest", "pregunta", "domanda", "pergunta", "memorable", " ask", "demande", "chiede", "answer"]
                .iter()
                .any(|part| lower.contains(part))
                // Positions in the lower case are those of the line only if all letters keep their length.
                && line.len() == lower.len()
                && QUESTIONS.are_in(lower)
                && CONTENTS.are_in(lower)
                && (follows_arrow(line) || is_given(line, lower) || follows_content(line, lower) || is_last(line, lower))
        })
        .then_some(SecretKind::new("password assignment"))
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', ':', '(', ')', '.', '*', '!', '?', '«', '»'])
}

fn is_name(word: &str) -> bool {
    word.chars().count() >= 2
        && word.starts_with(char::is_uppercase)
        && word.chars().skip(1).any(char::is_lowercase)
        && !NO_ANSWERS.contains(&word)
        && !value::is_reference(word)
        && (word.len() < 4 || !value::is_placeholder(word))
}

/// Whether an arrow precedes a name, or the last few words of the line.
fn follows_arrow(line: &str) -> bool {
    ["→", "->", "=>", " = "].iter().any(|arrow| {
        line.split_once(arrow).is_some_and(|(_, answer)| {
            let answer = answer.split([';', '.']).next().unwrap_or_default().trim();
            let words: Vec<&str> = answer.split_whitespace().collect();
            let first = words.first().map_or("", |word| trimmed(word));
            (is_name(first) || (1..=4).contains(&words.len()) && first.chars().all(char::is_alphabetic))
                && !first.is_empty()
                && !value::is_placeholder(first)
                && !CLAUSES.contains(&first)
        })
    })
}

/// Whether somebody says what they answered, also in small letters.
fn is_given(line: &str, lower: &str) -> bool {
    GAVE.matches(lower).any(|(index, gave)| {
        let starts = !lower[..index].ends_with(char::is_alphanumeric);
        let rest = line.get(index + gave.len()..).unwrap_or_default();
        let answer = rest.split([',', ';', '.', '(', '!', '?']).next().unwrap_or_default().trim();
        let words: Vec<&str> = answer.split_whitespace().collect();
        let first = words.first().map_or("", |word| trimmed(word));
        starts
            && (1..=6).contains(&words.len())
            && first.chars().count() >= 3
            && !CLAUSES.contains(&first.to_lowercase().as_str())
            && !NO_ANSWERS.contains(&first)
            && (is_name(first) || words.len() <= 4)
            && !value::is_reference(first)
            && !value::is_placeholder(first)
    })
}

/// Whether a name directly follows the content of a question: `first pet Biscotti`. In German, nouns are capitalised.
fn follows_content(line: &str, lower: &str) -> bool {
    const DIRECT: [&str; 30] = [
        "pet",
        "maiden name",
        "car",
        "school",
        "teacher",
        "birthplace",
        "nickname",
        "jeune fille",
        "animal",
        "voiture",
        "école",
        "maîtresse",
        "naissance",
        "surnom",
        "mascota",
        "soltera",
        "coche",
        "colegio",
        "maestra",
        "maestro",
        "perro",
        "nubile",
        "scuola",
        "cane",
        "macchina",
        "solteira",
        "escola",
        "cão",
        "cachorro",
        "carro",
    ];
    DIRECT.iter().any(|content| {
        lower.match_indices(content).any(|(index, _)| {
            let rest = line.get(index + content.len()..).unwrap_or_default();
            let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix(" :")).unwrap_or(rest);
            !lower[..index].ends_with(char::is_alphanumeric)
                && rest.strip_prefix(' ').is_some_and(|rest| {
                    rest.starts_with(char::is_uppercase)
                        && is_name(trimmed(rest.split_whitespace().next().unwrap_or_default()))
                })
        })
    })
}

/// Whether the last part of a line, after a comma or a colon, is a name of one to three words.
fn is_last(line: &str, lower: &str) -> bool {
    const GERMAN: [&str; 4] = ["frage", "antwort", "ist", "der"];
    let line = line.trim_end_matches(['.', ' ']);
    line.rsplit_once([',', ':', '→']).is_some_and(|(before, answer)| {
        let words: Vec<&str> = answer.split_whitespace().map(trimmed).collect();
        let is_german = GERMAN.iter().any(|word| lower.contains(word)) && lower.contains("frage");
        // `Sicherheitsfrage: Mädchenname` states no answer.
        let is_content = words.iter().any(|word| CONTENTS.are_in(&word.to_lowercase()));
        (1..=3).contains(&words.len())
            && words.first().is_some_and(|word| is_name(word))
            && !is_content
            && (!is_german || before.contains([',', '(']) || before.ends_with(')'))
            && CONTENTS.are_in(&before.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_by_their_place_are_found() {
        for text in [
            "Pregunta secreta de Correos, nombre de mi primera maestra → Eulalia Pastrana",
            "If the bank rings and asks: mother's maiden name Ollerenshaw, first pet Biscotti",
            "à la question de sécurité de La Banque, rue de mon enfance, j'ai répondu allée des Glycines",
            "Question de sécurité (ville de naissance de maman) → Quimperlé",
            "Pregunta secreta de Hacienda: apellido de soltera de mi abuela, Berasategui",
            "Auf die Frage nach der Grundschule habe ich Lindenhofschule geantwortet",
            "alla domanda sulla scuola elementare ho risposto Manzoni Bassa",
            "à pergunta sobre a escola primária respondi Escola do Outeiro",
            "my answer to the bank's question about first school: St Aldhelms",
            "The tax office asked for a memorable word and I put wobblegong",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn questions_without_an_answer_are_accepted() {
        for text in [
            "security questions: mother's maiden name, first pet, first school",
            "Pregunta secreta: es obligatorio elegir una de la lista, el colegio no vale",
            "à la question de sécurité sur l'école, j'ai répondu que je ne savais pas",
            "alla domanda su quando finisce la scuola ho risposto che non lo so",
            "Auf die Frage nach dem Termin in der Schule habe ich noch nicht geantwortet",
            "the security question page lists pet, school and teacher",
            "Sicherheitsfrage: Mädchenname der Mutter",
            "the security question about the first pet is stored as a hash",
            "à pergunta sobre a escola respondi que sim",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
