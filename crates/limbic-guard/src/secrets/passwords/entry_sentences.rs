//! Passwords that notes state by what a person does with them: a person gets in with one (`you get in with …`), types
//! it at a prompt (`when the NAS asks, type …`), gives it to a device (`sudo wants "…"`), or derives it from other
//! words (`her dog's name plus 2014, so …`).
//!
//! Such phrases are also about releases, hosts and settings. So a word counts by its form alone only if nothing else
//! has that form, such as `brassKettle#31`. Names with a number, joined words and quoted phrases count where the
//! sentence leaves nothing else that they could be. To miss a rare phrasing is better than to refuse a harmless memory.

mod word_lists;

use crate::secrets::keys::rules::SecretKind;
use crate::secrets::literals::Literals;
use crate::secrets::text::Text;
use crate::secrets::value;
use word_lists::{
    ACCESSES, ADMISSIONS, ANSWERS, ASKED, BEFORE_PROMPT, CONFIRMS, DECRYPTS, DETERMINERS, DEVICES,
    DIRECT_ENTRIES, ENTRIES, FILLERS, MADE_OF, NAMINGS, NEEDS, OPENS, PETS, PREPOSITIONS, PRODUCTS, PROMPTS,
    SERVICES, SO, STORES, TECHNICAL, TYPES, UNLOCKS, USERS, WANTS, WITH,
};

/// Maximum number of characters of a phrase in quotation marks.
const MAX_QUOTED_CHARS: usize = 60;
/// Number of words before and after a connector that are read with it, so that the time is linear in the length of a
/// line.
const WORDS_BEFORE_CONNECTOR: usize = 40;
const WORDS_AFTER_CONNECTOR: usize = 12;
/// Maximum number of words between a device and the password that it wants.
const MAX_WORDS_TO_WANTED: usize = 8;
/// Number of words before a prompt that may name what it asks for, as in German.
const WORDS_BEFORE_PROMPT: usize = 4;

/// Returns the kind of the first such password.
pub(crate) fn find(text: &Text) -> Option<SecretKind> {
    text.lines()
        .any(|(line, lower)| states_password(line, lower))
        .then_some(SecretKind::new("password of a login"))
}

fn states_password(line: &str, lower: &str) -> bool {
    // Most lines end here.
    if !line.split_whitespace().any(is_possible) {
        return false;
    }
    let line = Line::new(line, lower);
    let may_connect = |word: &Word<'_>| {
        [&WITH[..], &TYPES, &ANSWERS, &WANTS, &SO].iter().any(|connectors| connectors.contains(&word.lower))
    };
    (1..line.words.len()).any(|word| {
        line.words[word].is_possible && may_connect(&line.words[word - 1]) && {
            let (line, connector) = line.around(word - 1);
            gets_in(&line, connector)
                || unlocks(&line, connector)
                || answers_prompt(&line, connector)
                || is_wanted(&line, connector)
                || is_derived(&line, connector)
        }
    })
}

/// A line, or a part of one, and its words.
struct Line<'a> {
    lower: &'a str,
    words: Vec<Word<'a>>,
}

/// A word of a line.
#[derive(Clone, Copy)]
struct Word<'a> {
    /// Its position in the line in lower case, in bytes.
    start: usize,
    /// In lower case, without punctuation around it.
    lower: &'a str,
    written: &'a str,
    is_possible: bool,
}

impl<'a> Line<'a> {
    fn new(line: &'a str, lower: &'a str) -> Self {
        let start = |word: &str| word.as_ptr().addr() - lower.as_ptr().addr();
        let words = lower.split_whitespace().zip(line.split_whitespace()).map(|(lower, written)| Word {
            start: start(lower),
            lower: trimmed(lower),
            written,
            is_possible: is_possible(written),
        });
        Self { lower, words: words.collect() }
    }

    /// The part of the line around a word, and the index of the word in it.
    fn around(&self, connector: usize) -> (Self, usize) {
        let from = connector.saturating_sub(WORDS_BEFORE_CONNECTOR);
        let to = (connector + WORDS_AFTER_CONNECTOR).min(self.words.len());
        let start = self.words[from].start;
        let end = self.words.get(to).map_or(self.lower.len(), |word| word.start);
        let words = self.words[from..to].iter().map(|word| Word { start: word.start - start, ..*word });
        (Self { lower: &self.lower[start..end], words: words.collect() }, connector - from)
    }

    /// The words between two positions.
    fn between(&self, start: usize, end: usize) -> impl Iterator<Item = &Word<'a>> {
        self.words.iter().filter(move |word| (start..end).contains(&word.start))
    }
}

/// Whether a person gets in with the word behind a connector: `you get in with Marmelade1962`.
fn gets_in(line: &Line<'_>, connector: usize) -> bool {
    let (with, word) = (&line.words[connector], &line.words[connector + 1]);
    if !WITH.contains(&with.lower) {
        return false;
    }
    let before = &line.lower[..word.start];
    let gets_into = |(start, entry): (usize, &str)| {
        let between = line.lower.get(start + entry.len()..with.start).unwrap_or_default();
        line.between(start + entry.len(), with.start)
            .any(|word| DETERMINERS.contains(&word.lower) || word.lower.starts_with("l'"))
            && (has_word(&ACCESSES, between) || has_device(between))
    };
    (is_password_by_form(word.written) && ENTRIES.are_in(before))
        || DIRECT_ENTRIES.iter().any(|entry| before.ends_with(entry))
        || ADMISSIONS.are_in(before)
        || ENTRIES.matches(before).filter(|(_, entry)| !entry.starts_with("getting")).any(gets_into)
}

/// Whether the word behind a connector unlocks something: `the tablet unlocks with Minka2011`, `open the safe with …`.
fn unlocks(line: &Line<'_>, connector: usize) -> bool {
    let word = &line.words[connector + 1];
    if !WITH.contains(&line.words[connector].lower) {
        return false;
    }
    let before = &line.lower[..word.start];
    (UNLOCKS.are_in(before) && (is_password_by_form(word.written) || has_word(&DEVICES, line.lower)))
        || (value::is_strong(trimmed(word.written))
            && (DECRYPTS.are_in(before)
                || (has_word(&STORES, before) && (UNLOCKS.are_in(before) || OPENS.are_in(before)))))
}

/// Whether the word behind a verb of typing answers a prompt that asks for nothing else: `when the NAS asks, type …`.
fn answers_prompt(line: &Line<'_>, connector: usize) -> bool {
    let (verb, word) = (&line.words[connector], &line.words[connector + 1]);
    let is_typed = TYPES.contains(&verb.lower);
    if !is_typed && !ANSWERS.contains(&verb.lower) {
        return false;
    }
    if is_password_by_form(word.written) {
        return PROMPTS.are_in(line.lower) || CONFIRMS.are_in(line.lower);
    }
    let gets_in_by_typing = || {
        value::is_strong(trimmed(word.written))
            && PROMPTS.are_in(line.lower)
            && (ENTRIES.are_in(line.lower) || ADMISSIONS.are_in(line.lower))
            && !USERS.are_in(line.lower)
    };
    if is_typed && gets_in_by_typing() {
        return true;
    }
    (is_typed || has_device(line.lower))
        && PROMPTS
            .matches(&line.lower[..verb.start])
            .any(|(start, prompt)| asks_for_password(line, (start, start + prompt.len()), verb.start))
}

/// Whether a prompt at this position, before a verb of typing at another, names no other thing that it asks for.
fn asks_for_password(line: &Line<'_>, (start, end): (usize, usize), verb: usize) -> bool {
    // The position in a phrase may be that of the blank before a word, or within it.
    let prompt = line.words.iter().rposition(|word| word.start < end).unwrap_or_default();
    let earlier = &line.words[prompt.saturating_sub(WORDS_BEFORE_PROMPT)..prompt];
    let object_start = earlier.iter().find(|word| matches!(word.lower, "nach" | "um")).map(|word| word.start);
    let asks_for = |object: &str| ASKED.are_in(object) && !USERS.are_in(object);
    if let Some(object) = object_start {
        return asks_for(&line.lower[object..start]);
    }
    let is_noun = line.words[prompt].lower == "prompt";
    if is_noun && !earlier.last().is_some_and(|word| BEFORE_PROMPT.contains(&word.lower)) {
        return false;
    }
    let mut between = line.between(end, verb);
    between.all(|word| word.lower.is_empty() || FILLERS.contains(&word.lower) || has_device(word.lower))
        || asks_for(&line.lower[end..verb])
}

/// Whether a device wants the word behind a verb: `the laptop in the hall wants "tulip-anchor-saddle"`.
fn is_wanted(line: &Line<'_>, connector: usize) -> bool {
    let (verb, word) = (&line.words[connector], &line.words[connector + 1]);
    let is_password = is_password_by_form(word.written);
    let is_quoted = word.written.starts_with(['"', '\'', '“', '«']) && !NEEDS.contains(&verb.lower);
    if !WANTS.contains(&verb.lower) || !(is_password || is_quoted) {
        return false;
    }
    let is_subject = |end: usize| {
        let mut between = line.between(end, verb.start);
        between.next().is_none_or(|first| PREPOSITIONS.contains(&first.lower))
            && between.count() < MAX_WORDS_TO_WANTED
    };
    let before = &line.lower[..verb.start];
    words_of(&DEVICES, before).any(is_subject) || (is_password && words_of(&SERVICES, before).any(is_subject))
}

/// Whether a clause ends with a word that it derives from others: `her dog's name plus 2014, so Balou2014.`
fn is_derived(line: &Line<'_>, connector: usize) -> bool {
    let word = line.words[connector + 1].written;
    let is_end = connector + 2 == line.words.len() || word.ends_with(['.', ',', ';', '!', ')', '"', '\'']);
    is_end
        && SO.contains(&line.words[connector].lower)
        && MADE_OF.are_in(line.lower)
        && !NAMINGS.are_in(line.lower)
        && (is_password_by_form(word)
            || (is_password(trimmed(word))
                && (ENTRIES.are_in(line.lower) || UNLOCKS.are_in(line.lower) || has_word(&PETS, line.lower))))
}

/// Whether a word may be a password: by its form, as a name with a number, or as a phrase in quotation marks.
fn is_possible(word: &str) -> bool {
    is_password(trimmed(word)) || is_quoted_phrase(word)
}

/// Whether a word is a password by its form, unlike names of resources such as `acme-billing-2024`.
fn is_password_by_form(word: &str) -> bool {
    let word = trimmed(word);
    is_password(word) && value::is_strong(word) && (value::has_mark(word) || !word.contains(['-', '_', '.']))
}

fn is_password(word: &str) -> bool {
    value::is_strong_or_named(word) && {
        let lower = word.to_lowercase();
        !PRODUCTS.iter().any(|name| lower.starts_with(name))
    }
}

/// Whether it is a phrase of words in quotation marks, joined by hyphens: `"correct-llama-battery"`. Backticks enclose
/// code.
fn is_quoted_phrase(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    let inner = ['"', '\''].iter().find_map(|mark| word.strip_prefix(*mark)?.strip_suffix(*mark));
    inner.is_some_and(|phrase| {
        phrase.chars().count() <= MAX_QUOTED_CHARS
            && value::is_phrase_of_letters(phrase)
            && !phrase.split('-').any(|part| TECHNICAL.contains(&part.to_lowercase().as_str()))
    })
}

fn has_device(text: &str) -> bool {
    has_word(&DEVICES, text) || has_word(&SERVICES, text)
}

/// Whether a text has one of these words, not as a part of another.
fn has_word(list: &'static Literals, text: &str) -> bool {
    words_of(list, text).next().is_some()
}

/// The ends of these words in a text, where they are no part of another.
fn words_of<'a>(list: &'static Literals, text: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    list.matches(text).filter_map(move |(start, word)| {
        let end = start + word.len();
        (!is_letter(text[..start].chars().next_back()) && !is_letter(text[end..].chars().next()))
            .then_some(end)
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['"', '\'', '`', ',', ';', '(', ')', '.', ':', '<', '>', '?', '“', '”', '«', '»'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_entries_prompts_and_devices_are_found() {
        for text in [
            "the guest net is Heron-Guest and you get in with Marmelade1962",
            "ins Gäste-WLAN kommt man rein mit Zwetschge1974",
            "en el portal se entra con Membrillo1988",
            "when the scanner asks, type copperKettle#21 and press enter",
            "wenn der Drucker fragt, tippe Hagebutte#12",
            "if the NAS asks for the password, enter Schneeball1978",
            "the laptop wants \"tulip-anchor-saddle\" after each update",
            "der Rechner im Keller will \"wolke-kessel-anker\"",
            "decrypt backups using osprey-cradle-118",
            "open the safe with plum-otter-93, it sticks a bit",
            "Den Tresor öffnest du mit Kessel-Anker-47",
            "to get into the intranet type marble-falcon-12 when it asks",
            "her tablet unlocks by the cat's name plus 2011, so Minka2011.",
            "Name der Katze und Geburtsjahr, also Minka2011",
        ] {
            assert!(find(&Text::new(text)).is_some(), "{text}");
        }
    }

    #[test]
    fn long_lines_of_ties_are_read_to_their_end() {
        for part in [
            "with Marmelade1962 ",
            "type Marmelade1962 ",
            "the laptop in Marmelade1962 ",
            "takes Marmelade1962 ",
        ] {
            let line = part.repeat(300_000 / part.len());
            // With quadratic running time, this test would not end in practice.
            assert!(find(&Text::new(&line)).is_none(), "{part}");
        }
    }

    #[test]
    fn products_terms_and_ways_are_accepted() {
        for text in [
            "you get in with your fingerprint or the card",
            "get into the admin area with Keycloak26 and two factors",
            "when the installer asks, type yes and press enter",
            "the router expects \"content-type-header\" in each request",
            "sudo wants \"no-new-privileges\" off",
            "her name plus the year, so it is easy to guess",
            "when asked, enter the version Release2024",
            "the laptop needs Windows11",
            "the printer takes A4 and A3",
            "unlock the vault with the hardware key",
            "open the project with vscode-insiders-42",
            "open the safe at room-number-12 with care",
            "to get past the wizard, type project-alpha-12 when it asks for a name",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn names_of_releases_hosts_rooms_and_files_are_accepted() {
        for text in [
            "The router accepts `stale-while-revalidate` (backticks)",
            "The service discovery needs `blue-green-deployment`",
            "The root eslint config needs \"prefer-arrow-callback\"",
            "If the generator asks for a name, type \"my-first-project\"",
            "When the wizard asks for a database name, type Northwind2022",
            "When the script asks for the host, type webserver01",
            "Wenn das Skript nach dem Host fragt, tippe webserver01",
            "When gcloud asks for the project, enter acme-billing-2024",
            "She is getting into game development with Unity2022",
            "Getting on with Milestone12",
            "An die Mails kommt man an mit Thunderbird115",
            "Files are named by customer and the year, so Mueller2024.",
            "The printer is in the annex, i.e. Building12.",
            "Der Drucker steht im Anbau, also Zimmer204.",
            "The VPN box runs Debian, i.e. Bookworm12.",
            "The client wants the report; say Budget2025 if asked",
            "cuando el asistente pregunta por la base, escribe Ventas2024",
            "quand le script demande le dossier, tape Factures2024",
            "quando lo script chiede la cartella, digita Fatture2024",
            "se o script pede a pasta, digite Faturas2024",
        ] {
            assert!(find(&Text::new(text)).is_none(), "{text}");
        }
    }
}
