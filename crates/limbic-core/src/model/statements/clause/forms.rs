//! Further clauses of a statement: other words with the same meaning in another order.

use super::parts::{Agent, Chunk, Clause, Item, adjuncts, plain};
use crate::model::{
    statements::{lexicon::Tense, word::Class},
    stems,
};

/// Returns the further clauses of a statement without conjunctions.
pub(super) fn of(chunks: &[Chunk]) -> Vec<Clause> {
    let mut clauses = of_copula(chunks);
    clauses.extend(of_agent_noun(chunks));
    clauses.extend(of_use(chunks));
    clauses.extend(of_existence(chunks));
    clauses.extend(of_nominal(chunks));
    clauses.extend(of_cleft(chunks));
    clauses.extend(of_property(chunks));
    clauses.extend(symmetric(chunks));
    clauses.extend(compound(chunks));
    clauses
}

/// A noun with what it is of: `[godmother, of, Finn]`.
fn noun_phrase(chunks: &[Chunk]) -> Vec<Item> {
    let mut items = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        if index > 0 {
            items.push(Item::new(&chunk.marker));
        }
        items.extend(chunk.items.iter().cloned());
    }
    items
}

/// Measures, by the adjective behind a number: `31 metres tall`.
const MEASURES: [(&str, &str); 7] = [
    ("tall", "height"),
    ("high", "height"),
    ("long", "length"),
    ("wide", "width"),
    ("deep", "depth"),
    ("thick", "thickness"),
    ("old", "age"),
];

/// `X is Y` and `Y is X`, if one is definite; `X is called Y` as `the name of X is Y`, `X is 3 metres tall` as `the
/// height of X is 3 metres`.
fn of_copula(chunks: &[Chunk]) -> Vec<Clause> {
    let Some(index) = chunks.iter().position(|chunk| chunk.class == Class::Be) else { return Vec::new() };
    let (left, right) = chunks.split_at(index);
    let are_of = |chunks: &[Chunk]| chunks.iter().all(|chunk| chunk.marker == "of");
    let is_copula =
        !left.is_empty() && left[0].class == Class::Content && are_of(&left[1..]) && are_of(&right[1..]);
    if !is_copula || left[0].items.is_empty() || right[0].items.is_empty() {
        return Vec::new();
    }
    let be = Item::new(&right[0].marker);
    let clause = |subject: &[Item], object: &[Item]| Clause {
        agent: Agent::Stated,
        core: subject.iter().chain([&be]).chain(object).cloned().collect(),
        adjuncts: Vec::new(),
    };
    let (subject, object) = (noun_phrase(left), noun_phrase(right));
    let property = |name: &str, value: &[Item]| {
        let of = [Item::new(name), Item::new("of")];
        clause(&of.iter().chain(&subject).cloned().collect::<Vec<_>>(), value)
    };
    let mut clauses = vec![clause(&subject, &object)];
    let is_number = |item: &Item| item.text().starts_with(|first: char| first.is_ascii_digit());
    if object.len() > 1 && (object[0].is("called") || object[0].is("named")) {
        clauses.push(property("name", &object[1..]));
    }
    if let Some((last, value)) = object.split_last()
        && value.first().is_some_and(is_number)
        && let Some((_, measure)) = MEASURES.iter().find(|(adjective, _)| last.is(adjective))
    {
        clauses.push(property(measure, value));
    }
    let is_vague = |items: &[Item]| {
        items
            .iter()
            .any(|item| ["a", "an", "not", "no", "never", "only", "all"].iter().any(|word| item.is(word)))
    };
    let is_definite = |chunk: &Chunk| {
        let owner = ["my", "your", "his", "her", "its", "their"];
        chunk.is_definite || chunk.items.first().is_some_and(|first| owner.iter().any(|word| first.is(word)))
    };
    if (is_definite(&left[0]) || is_definite(&right[0])) && !is_vague(&subject) && !is_vague(&object) {
        clauses.push(clause(&object, &subject));
    }
    clauses
}

/// `X is the leader of Y` and `X is a Y leader` as `X leads Y`.
fn of_agent_noun(chunks: &[Chunk]) -> Vec<Clause> {
    let [subject, be, rest @ ..] = chunks else { return Vec::new() };
    if be.class != Class::Be || be.marker != "is" || subject.class != Class::Content {
        return Vec::new();
    }
    let (noun, object, rest) = match (&be.items[..], rest) {
        ([noun], [of, rest @ ..]) if be.is_definite && of.marker == "of" => (noun, &of.items[..], rest),
        ([a, object @ .., noun], rest) if a.is("a") && !object.is_empty() => (noun, object, rest),
        _ => return Vec::new(),
    };
    let text = noun.text();
    let verbs = [text.strip_suffix("er"), text.strip_suffix("or"), text.strip_suffix('r')];
    let clause = |verb: &str| Clause {
        agent: Agent::Stated,
        core: subject
            .items
            .iter()
            .chain(&[Item::verb(verb, Tense::Present)])
            .chain(object)
            .cloned()
            .collect(),
        adjuncts: adjuncts(rest.iter()),
    };
    verbs.into_iter().flatten().filter(|verb| verb.len() >= 3).map(clause).collect()
}

/// `Use X to do Y` as `do Y with X`.
fn of_use(chunks: &[Chunk]) -> Option<Clause> {
    let [used, to, rest @ ..] = chunks else { return None };
    let [verb, tool @ ..] = &used.items[..] else { return None };
    if !verb.is("use")
        || used.class != Class::Content
        || to.marker != "to"
        || tool.is_empty()
        || to.items.is_empty()
    {
        return None;
    }
    let mut all = adjuncts(rest.iter());
    all.push(("with".into(), tool.to_vec()));
    Some(Clause { agent: Agent::Stated, core: to.items.clone(), adjuncts: all })
}

/// `There is X in Y` as `Y has X`.
fn of_existence(chunks: &[Chunk]) -> Option<Clause> {
    let [there, be, rest @ ..] = chunks else { return None };
    let is_there = there.items.len() == 1 && there.items[0].is("there") && be.marker == "is";
    let in_index = rest.iter().position(|chunk| chunk.marker == "in").filter(|_| is_there)?;
    let verb = [Item::verb("have", Tense::Present)];
    let others = rest.iter().enumerate().filter(|(index, _)| *index != in_index).map(|(_, chunk)| chunk);
    Some(Clause {
        agent: Agent::Stated,
        core: rest[in_index].items.iter().chain(&verb).chain(&be.items).cloned().collect(),
        adjuncts: adjuncts(others),
    })
}

/// `X's deployments are on Friday` as `X deploys on Friday`, `deployments occur` as `anybody deploys`.
fn of_nominal(chunks: &[Chunk]) -> Option<Clause> {
    let [subject, rest @ ..] = chunks else { return None };
    let (owner, rest) = match rest {
        [of, rest @ ..] if of.marker == "of" => (&of.items[..], rest),
        _ => (&[][..], rest),
    };
    let (noun, occurs) = match (&subject.items[..], &owner) {
        ([noun], _) => (noun, false),
        ([noun, verb], []) if verb.is("occur") || verb.is("occurs") => (noun, true),
        _ => return None,
    };
    let is_be =
        rest.first().is_some_and(|be| be.class == Class::Be && be.marker == "is" && be.items.is_empty());
    if !(occurs || (is_be && !owner.is_empty())) {
        return None;
    }
    let verb = [Item::Verb { stem: stems::of_english(noun.text()), tense: Tense::Present }];
    Some(Clause {
        agent: if owner.is_empty() { Agent::Unstated } else { Agent::Stated },
        core: owner.iter().chain(&verb).cloned().collect(),
        adjuncts: adjuncts(rest.iter()),
    })
}

/// `X is what we use` as `we use X`.
fn of_cleft(chunks: &[Chunk]) -> Option<Clause> {
    let [subject, be, rest @ ..] = chunks else { return None };
    let [what, actor, verb] = &be.items[..] else { return None };
    if be.marker != "is" || !what.is("what") {
        return None;
    }
    Some(Clause {
        agent: Agent::Stated,
        core: [actor, verb].into_iter().chain(&subject.items).cloned().collect(),
        adjuncts: adjuncts(rest.iter()),
    })
}

/// Verbs that state a property, and its noun.
const PROPERTIES: [(&str, &str); 6] = [
    ("costs", "price"),
    ("cost", "price"),
    ("weighs", "weight"),
    ("weigh", "weight"),
    ("lasts", "duration"),
    ("last", "duration"),
];

/// `X costs 3 euros` as `the price of X is 3 euros`, `Y belongs to X` as `X owns Y`.
fn of_property(chunks: &[Chunk]) -> Option<Clause> {
    let items = &chunks.first()?.items;
    let clause = |core: Vec<Item>, rest: &[Chunk]| Clause {
        agent: Agent::Stated,
        core,
        adjuncts: adjuncts(rest.iter()),
    };
    if let [owned @ .., verb] = &items[..]
        && (verb.is("belongs") || verb.is("belong"))
        && let Some(to) = chunks.get(1).filter(|to| to.marker == "to")
    {
        let own = [Item::verb("own", Tense::Present)];
        return Some(clause(to.items.iter().chain(&own).chain(owned).cloned().collect(), &chunks[2..]));
    }
    let noun = |item: &Item| PROPERTIES.iter().find(|(verb, _)| item.is(verb)).map(|(_, noun)| *noun);
    let index = items.iter().position(|item| noun(item).is_some()).filter(|index| *index > 0)?;
    let name = [Item::new(noun(&items[index])?), Item::new("of")];
    let be = [Item::new("is")];
    let core = name.iter().chain(&items[..index]).chain(&be).chain(&items[index + 1..]).cloned().collect();
    Some(clause(core, &chunks[1..]))
}

/// Relations that hold in both directions, with their preposition.
const SYMMETRIC: [(&str, &str); 8] = [
    ("married", "to"),
    ("engaged", "to"),
    ("related", "to"),
    ("connected", "to"),
    ("adjacent", "to"),
    ("next", "to"),
    ("equal", "to"),
    ("incompatible", "with"),
];

/// `X is married to Y` as `Y is married to X`.
fn symmetric(chunks: &[Chunk]) -> Option<Clause> {
    let [subject, be, other] = chunks else { return None };
    let [relation] = &be.items[..] else { return None };
    let is_symmetric =
        SYMMETRIC.iter().any(|(word, preposition)| relation.is(word) && other.marker == *preposition);
    (be.class == Class::Be && is_symmetric).then(|| Clause {
        agent: Agent::Stated,
        core: other.items.iter().chain([&Item::new(&be.marker)]).chain(&be.items).cloned().collect(),
        adjuncts: vec![(other.marker.clone(), subject.items.clone())],
    })
}

/// `the timeout of requests` as `requests timeout`, as in a compound noun or with a name.
fn compound(chunks: &[Chunk]) -> Option<Clause> {
    let index = chunks.iter().position(|chunk| chunk.marker == "of").filter(|index| *index > 0)?;
    let mut chunks = chunks.to_vec();
    let of = chunks.remove(index);
    let head = &chunks[index - 1];
    let names_one = head.items.len() == 1 && of.items.iter().all(|item| !item.is("a"));
    if !names_one || chunks.iter().any(|chunk| chunk.marker == "of") {
        return None;
    }
    let head = &mut chunks[index - 1];
    head.items = of.items.iter().chain(&head.items).cloned().collect();
    Some(plain(&chunks))
}
