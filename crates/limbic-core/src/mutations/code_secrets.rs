//! Facts of source code without credentials, which the index must not store.

use std::collections::{BTreeSet, HashSet};

use limbic_code::FileFacts;
use limbic_guard::redact_code;

/// Stands for a text that contains a hidden word.
const NOTE: &str = "[redacted]";

/// Returns the text and the facts of a file without credentials; `None` if it has none.
///
/// Lines that contain a credential are replaced by notes of its kind. The facts lose every text with a word that only
/// these lines have, and headers lose the word. Names of definitions stay, unless they are no identifiers.
pub(crate) fn without_secrets(text: &str, facts: &FileFacts) -> Option<(String, FileFacts)> {
    let shown = redact_code(text)?;
    let known: HashSet<&str> = words(&shown).collect();
    let mut hidden = Hidden::default();
    for (number, (line, shown)) in (1..).zip(text.lines().zip(shown.lines())) {
        if line != shown {
            hidden.lines.insert(number);
            hidden.words.extend(words(line).filter(|word| !known.contains(word)));
        }
    }
    let mut facts = facts.clone();
    hidden.remove_from(&mut facts);
    Some((shown, facts))
}

/// The words of a text: runs of letters, digits and underscores.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// What is not stored.
#[derive(Default)]
struct Hidden<'a> {
    /// The numbers of the lines with credentials.
    lines: BTreeSet<u32>,
    /// The words that only these lines have.
    words: HashSet<&'a str>,
}

impl Hidden<'_> {
    fn is_in(&self, text: &str) -> bool {
        words(text).any(|word| self.words.contains(word))
    }

    fn remove_from(&self, facts: &mut FileFacts) {
        for chunk in &mut facts.chunks {
            if self.lines.range(chunk.start_line..=chunk.end_line).next().is_some() {
                // A hash of the text would confirm a guess.
                chunk.content_hash = String::new();
            }
            let kept: Vec<&str> = chunk.header.split(' ').filter(|word| !self.is_in(word)).collect();
            chunk.header = kept.join(" ");
            chunk.name.iter_mut().for_each(|name| self.replace_unless_name(name));
            self.replace_unless_name(&mut chunk.scope);
        }
        for reference in &mut facts.references {
            reference.receiver = reference.receiver.take().filter(|receiver| !self.is_in(receiver));
        }
        let outline = &mut facts.outline;
        for symbol in &mut outline.symbols {
            self.replace(&mut symbol.signature);
            symbol.doc.iter_mut().for_each(|doc| self.replace(doc));
        }
        for import in &mut outline.imports {
            self.replace_unless_name(&mut import.module);
        }
    }

    fn replace(&self, text: &mut String) {
        if self.is_in(text) {
            NOTE.clone_into(text);
        }
    }

    /// Replaces a text that is no name or path of names, such as a heading or an address.
    fn replace_unless_name(&self, text: &mut String) {
        let is_name = words(text).count() == text.split(['.', '/']).count()
            && text.chars().all(|letter| letter.is_alphanumeric() || "_./~".contains(letter));
        if !is_name {
            self.replace(text);
        }
    }
}
