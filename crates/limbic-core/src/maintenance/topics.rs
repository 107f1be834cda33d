//! Topics of the observations of one entity.

use std::collections::BTreeSet;

use super::{average_linkage, tf_idf::Terms};
use crate::{
    Result, Transaction,
    model::numbers::cosine,
    store::{
        graph::{entities::Entity, observations::Observation},
        vectors::observation_similarity,
    },
};

/// Minimum mean cosine of sentence vectors within a topic.
const MIN_VECTOR_COSINE: f64 = 0.35;

/// Minimum mean cosine of TF-IDF weights within a topic, if there are no vectors.
const MIN_WORD_COSINE: f64 = 0.25;

/// A topic has at least two observations, and at least the number of all observations divided by this.
const TOPIC_DIVISOR: usize = 25;

/// Observations on the same topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its two strongest terms; no other topic of the entity has the same name.
    pub name: String,
    /// Their texts, oldest first.
    pub observations: Vec<String>,
}

/// Returns the topics of an entity's current observations, the largest first. Some observations may have no topic.
///
/// Compares sentence vectors if all observations have one, else words.
pub(crate) fn of(tx: &Transaction<'_>, entity: &Entity, observations: &[Observation]) -> Result<Vec<Topic>> {
    let contents: Vec<&str> = observations.iter().map(|known| known.content.as_str()).collect();
    let terms = Terms::of(&contents);
    let known = observation_similarity::vectors(tx, entity.id)?;
    let vectors: Option<Vec<&[f32]>> =
        observations.iter().map(|observation| known.get(&observation.id).map(Vec::as_slice)).collect();
    let groups = match vectors {
        Some(vectors) => {
            average_linkage::groups(vectors.len(), MIN_VECTOR_COSINE, |a, b| cosine(vectors[a], vectors[b]))
        }
        None => average_linkage::groups(contents.len(), MIN_WORD_COSINE, |a, b| terms.cosine(a, b)),
    };
    Ok(named(&entity.name, &contents, groups, &terms))
}

fn named(entity_name: &str, contents: &[&str], mut groups: Vec<Vec<usize>>, terms: &Terms) -> Vec<Topic> {
    let smallest = (contents.len() / TOPIC_DIVISOR).max(2);
    groups.retain(|group| group.len() >= smallest);
    groups.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let mut taken = BTreeSet::new();
    groups
        .into_iter()
        .map(|group| Topic {
            name: name(&terms.strongest(&group, entity_name), &mut taken),
            observations: group.into_iter().map(|index| contents[index].to_owned()).collect(),
        })
        .collect()
}

/// Returns the two strongest terms, with a third or a number if another topic has that name.
fn name(terms: &[String], taken: &mut BTreeSet<String>) -> String {
    let words: Vec<String> = terms.iter().take(3).map(|term| capitalised(term)).collect();
    let base = if words.is_empty() { "Topic".into() } else { words[..words.len().min(2)].join(" ") };
    let numbered = (2..).map(|number| format!("{base} {number}"));
    let name = [base.clone(), words.join(" ")]
        .into_iter()
        .chain(numbered)
        .find(|name| !name.is_empty() && !taken.contains(name))
        .unwrap_or(base);
    taken.insert(name.clone());
    name
}

fn capitalised(term: &str) -> String {
    let mut letters = term.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_named_by_their_terms_and_the_largest_comes_first() {
        let contents = [
            "Deploy runs on Vercel",
            "Schema lives in SQLite",
            "Vercel deploy needs a token",
            "Lunch was good",
            "SQLite schema has nine tables",
            "The deploy to Vercel takes a minute",
        ];
        let terms = Terms::of(&contents);
        let groups = average_linkage::groups(contents.len(), MIN_WORD_COSINE, |a, b| terms.cosine(a, b));
        let topics = named("Atlas", &contents, groups, &terms);
        assert_eq!(
            topics.iter().map(|topic| topic.name.as_str()).collect::<Vec<_>>(),
            ["Deploy Vercel", "Schema SQLite"]
        );
        assert_eq!(topics[0].observations, [contents[0], contents[2], contents[5]]);
    }

    #[test]
    fn no_two_topics_have_the_same_name() {
        let mut taken = BTreeSet::new();
        let terms: Vec<String> = ["red", "green", "blue"].map(Into::into).to_vec();
        assert_eq!(name(&terms, &mut taken), "Red Green");
        assert_eq!(name(&terms, &mut taken), "Red Green Blue");
        assert_eq!(name(&terms, &mut taken), "Red Green 2");
        assert_eq!(name(&[], &mut taken), "Topic");
        assert_eq!(name(&[], &mut taken), "Topic 2");
    }
}
