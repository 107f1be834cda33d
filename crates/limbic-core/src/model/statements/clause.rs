//! Clauses: the order of words that a statement has in several equivalent forms.
//!
//! A statement is split at prepositions, forms of `be` and conjunctions into chunks. From these follow equivalent
//! clauses: the active voice of a passive one, `Y is X` for `X is Y`, an adverbial at the end for one in front, `the
//! name of X` for `X is called`. Two statements are paraphrases if they have a clause in common. Each transformation
//! needs its own marks (`by`, a comma behind the adverbial, `'s`), so a plain exchange of roles (`Alice reports to
//! Bob`) is none; but phrases with different prepositions can be exchanged unnoticed, so a paraphrase never hides a
//! statement.

mod forms;
mod parts;

use super::{
    lexicon::{self, Tense},
    word::{Class, Word},
};
use parts::{Agent, Chunk, Clause, Item, adjuncts, literal, plain, verb_stem};

/// Maximum words of a statement that is transformed.
const MAX_WORDS: usize = 60;

/// Whether two statements have a clause in common.
pub(super) fn are_equivalent(one: &[Word], other: &[Word]) -> bool {
    if one.len().max(other.len()) > MAX_WORDS {
        return false;
    }
    let (one, other) = (clauses(one), clauses(other));
    one.iter().any(|a| other.iter().any(|b| a.equals(b)))
}

/// Returns the equivalent clauses of a statement.
fn clauses(words: &[Word]) -> Vec<Clause> {
    let words = with_possessors_behind(&in_general(words));
    let chunks = with_event_as_noun(with_adverbial_behind(chunks(&words)));
    let is_plain = chunks.iter().all(|chunk| match chunk.class {
        Class::Conjunction => chunk.marker == "and" || chunk.marker == "or",
        Class::Mark => false,
        _ => true,
    });
    let mut clauses = vec![literal(&chunks)];
    if !is_plain {
        return clauses;
    }
    if let Some(sorted) = with_sorted_names(&chunks) {
        clauses = vec![literal(&sorted)];
    }
    if chunks.iter().any(|chunk| chunk.class == Class::Conjunction) {
        return clauses;
    }
    clauses.push(plain(&chunks));
    clauses.extend(by_anybody(&chunks));
    if let Some(chunks) = with_particle_behind(&chunks) {
        clauses.push(plain(&chunks));
        clauses.extend(by_anybody(&chunks));
    }
    if let Some(chunks) = with_not_before_verb(&chunks) {
        clauses.push(plain(&chunks));
    }
    clauses.extend(active(&chunks));
    clauses.extend(forms::of(&chunks));
    clauses
}

/// `every X does` and `all Xs do` in one form: without the `s` of nouns and verbs.
fn in_general(words: &[Word]) -> Vec<Word> {
    let is_general = |word: &Word| matches!(word.text.as_str(), "all" | "every" | "each");
    if !words.iter().any(|word| word.class == Class::Quantity && is_general(word)) {
        return words.to_vec();
    }
    words
        .iter()
        .map(|word| {
            let mut word = word.clone();
            if word.class == Class::Quantity && is_general(&word) {
                word.text = "all".into();
            } else if word.class == Class::Content && word.text.len() > 3 && !word.text.ends_with("ss") {
                let is_lower = word.text.bytes().all(|byte| byte.is_ascii_lowercase());
                if let Some(one) = word.text.strip_suffix('s').filter(|_| is_lower) {
                    word.text = one.to_owned();
                }
            }
            word
        })
        .collect()
}

/// Writes `X's Y` as `the Y of X`.
fn with_possessors_behind(words: &[Word]) -> Vec<Word> {
    let mut words = words.to_vec();
    while let Some(index) = words.iter().position(|word| word.class == Class::Possessive) {
        let is_noun = |word: &Word| matches!(word.class, Class::Content | Class::The | Class::Number);
        let start = words[..index].iter().rposition(|word| !is_noun(word)).map_or(0, |before| before + 1);
        let length = words[index + 1..].iter().take_while(|word| is_noun(word)).count();
        let end = index + 1 + length;
        let (owner, owned) = (words[start..index].to_vec(), words[index + 1..end].to_vec());
        let the = Word { text: "the".into(), class: Class::The, is_start: false };
        let of = Word { text: "of".into(), class: Class::Preposition, is_start: false };
        let phrase = std::iter::once(the).chain(owned).chain([of]).chain(owner);
        words.splice(start..end, phrase.collect::<Vec<_>>());
    }
    words
}

/// Words before which `the` makes a difference.
fn needs_the(word: Option<&Word>) -> bool {
    word.is_some_and(|word| {
        matches!(word.class, Class::Number | Class::Quantity)
            || crate::model::same_statement::needs_the(&word.folded())
    })
}

fn chunks(words: &[Word]) -> Vec<Chunk> {
    let chunk =
        |marker: &str, class| Chunk { marker: marker.into(), class, items: Vec::new(), is_definite: false };
    let mut chunks = vec![chunk("", Class::Content)];
    let mut frequencies = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let Some(last) = chunks.last_mut() else { break };
        match word.class {
            Class::Preposition | Class::Be | Class::Conjunction | Class::Mark => {
                let is_empty_start = last.class == Class::Content && last.items.is_empty();
                let next = chunk(&word.text, word.class);
                if is_empty_start && word.class != Class::Mark {
                    *last = next;
                } else {
                    chunks.push(next);
                }
            }
            Class::Frequency => {
                let unit = Item::Word { text: word.text.clone(), is_start: false };
                frequencies.push(Chunk { items: vec![unit], ..chunk("every", Class::Preposition) });
            }
            Class::The if last.items.is_empty() && !needs_the(words.get(index + 1)) => {
                last.is_definite = true
            }
            Class::The if !needs_the(words.get(index + 1)) => {}
            _ => last.items.push(Item::Word { text: word.text.clone(), is_start: word.is_start }),
        }
    }
    // A frequency in front: `Every night, the cache is cleared`.
    if chunks[0].items.is_empty()
        && chunks[0].class == Class::Content
        && chunks.get(1).is_some_and(|next| next.marker == ",")
    {
        chunks.remove(0);
        (chunks[0].marker, chunks[0].class) = (String::new(), Class::Content);
    }
    chunks.extend(frequencies);
    chunks
}

/// Moves what stands before the only comma behind the rest: `In May, X does` is `X does in May`.
fn with_adverbial_behind(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let commas: Vec<usize> = (0..chunks.len()).filter(|index| chunks[*index].class == Class::Mark).collect();
    let is_adverbial = |first: &Chunk| {
        matches!(first.class, Class::Preposition)
            || matches!(first.marker.as_str(), "when" | "if" | "because" | "while" | "unless")
    };
    match (commas[..].first(), commas.len()) {
        (Some(comma), 1) if chunks[*comma].marker == "," && is_adverbial(&chunks[0]) => {
            let (front, rest) = chunks.split_at(*comma);
            let mut rest = rest.to_vec();
            rest[0].marker = String::new();
            rest[0].class = Class::Content;
            rest.extend(front.iter().cloned());
            rest
        }
        _ => chunks,
    }
}

/// Writes `when it is uploaded` as `on upload`.
fn with_event_as_noun(mut chunks: Vec<Chunk>) -> Vec<Chunk> {
    let index = chunks.windows(2).position(|pair| {
        pair[0].marker == "when"
            && matches!(&pair[0].items[..], [subject] if subject.is("it") || subject.is("they"))
            && pair[1].marker == "is"
            && matches!(&pair[1].items[..], [participle] if lexicon::is_participle(participle.text()))
    });
    if let Some(index) = index {
        let event = chunks.remove(index + 1);
        let noun = Item::verb(event.items[0].text(), Tense::Present);
        chunks[index] =
            Chunk { marker: "on".into(), class: Class::Preposition, items: vec![noun], is_definite: false };
    }
    chunks
}

/// The order of two names that `and` or `or` joins does not matter.
fn with_sorted_names(chunks: &[Chunk]) -> Option<Vec<Chunk>> {
    let index = chunks.iter().position(|chunk| chunk.class == Class::Conjunction)?;
    let mut sorted = chunks.to_vec();
    let (before, behind) = sorted.split_at_mut(index);
    let (last, first) = (before.last_mut()?.items.last_mut()?, behind[0].items.first_mut()?);
    if !(last.is_name() && first.is_name()) || chunks[index].items.len() != 1 {
        return None;
    }
    if first.text() < last.text() {
        std::mem::swap(first, last);
    }
    Some(sorted)
}

/// `We do`: the clause without the pronoun.
fn by_anybody(chunks: &[Chunk]) -> Option<Clause> {
    let mut clause = plain(chunks);
    let is_anybody =
        clause.core.first().is_some_and(|first| ["we", "they", "you"].iter().any(|it| first.is(it)));
    if !is_anybody {
        return None;
    }
    clause.core.remove(0);
    clause.agent = Agent::Anybody;
    Some(clause)
}

/// Writes `turn off the lights` as `turn the lights off`.
fn with_particle_behind(chunks: &[Chunk]) -> Option<Vec<Chunk>> {
    let [verb, particle, ..] = chunks else { return None };
    let is_particle =
        ["off", "on", "up", "down", "out"].contains(&&*particle.marker) && !particle.items.is_empty();
    if verb.class != Class::Content || !is_particle {
        return None;
    }
    let mut chunks = chunks.to_vec();
    let object = std::mem::take(&mut chunks[1].items);
    chunks[0].items.extend(object);
    Some(chunks)
}

/// Writes `drinks no tea` as `not drinks tea`, and `not drinks any tea`, too.
fn with_not_before_verb(chunks: &[Chunk]) -> Option<Vec<Chunk>> {
    let mut chunks = chunks.to_vec();
    let items = &mut chunks.first_mut().filter(|first| first.class == Class::Content)?.items;
    if let Some(not) = items.iter().position(|item| item.is("not")) {
        let any = items.iter().position(|item| item.is("any")).filter(|any| *any > not);
        items.remove(any?);
        let verb = items.get_mut(not + 1)?;
        *verb = Item::verb(verb.text(), Tense::Present);
        return Some(chunks);
    }
    let no = items.iter().position(|item| item.is("no")).filter(|no| *no >= 2)?;
    items.remove(no);
    let tense = lexicon::tense(items[no - 1].text());
    items[no - 1] = Item::verb(items[no - 1].text(), tense);
    items.insert(no - 1, Item::new("not"));
    Some(chunks)
}

/// The active voice of a passive clause, with and without its agent.
fn active(chunks: &[Chunk]) -> Vec<Clause> {
    let Some(be_index) = chunks.iter().position(|chunk| chunk.class == Class::Be) else { return Vec::new() };
    let be = &chunks[be_index];
    let is_other_be = chunks[be_index + 1..].iter().any(|chunk| chunk.class == Class::Be);
    let tense = match be.marker.as_str() {
        "is" | "be" => Tense::Present,
        "was" => Tense::Past,
        _ => return Vec::new(),
    };
    let adverbs = be.items.iter().take_while(|item| item.is("not") || item.is("never")).count();
    let Some(participle) = be.items.get(adverbs).filter(|item| lexicon::is_participle(item.text())) else {
        return Vec::new();
    };
    if is_other_be || be_index == 0 || chunks[0].class != Class::Content {
        return Vec::new();
    }
    // `must be led` is `must lead`.
    let mut subject = chunks[0].items.clone();
    let mut verb: Vec<Item> = Vec::new();
    if be.marker == "be" {
        let Some(modal) = subject.iter().position(|item| lexicon::MODALS.contains(&item.text())) else {
            return Vec::new();
        };
        verb = subject.split_off(modal);
    }
    verb.extend(be.items[..adverbs].iter().cloned());
    verb.push(Item::verb(participle.text(), tense));
    let rest = &be.items[adverbs + 1..];
    let stem = verb_stem(participle.text());
    let agent_markers: &[&str] = match &*stem {
        "need" => &["for", "by"],
        // `The keys are stored in Vault`: a container does what is done in it.
        "store" | "contain" | "hold" | "host" | "keep" => &["by", "in", "at"],
        _ => &["by"],
    };
    let clause = |agent: Agent, actor: &[Item], without: Option<usize>| Clause {
        agent,
        core: actor.iter().chain(&verb).chain(&subject).chain(rest).cloned().collect(),
        adjuncts: adjuncts(
            chunks.iter().enumerate().filter(|(index, _)| Some(*index) != without).map(|(_, chunk)| chunk),
        ),
    };
    let mut clauses = vec![clause(Agent::Unstated, &[], None)];
    for (index, chunk) in chunks.iter().enumerate().skip(be_index + 1) {
        if agent_markers.contains(&&*chunk.marker) {
            clauses.push(clause(Agent::Stated, &chunk.items, Some(index)));
        }
    }
    clauses
}
