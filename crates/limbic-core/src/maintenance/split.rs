//! Splitting large entities: analysis, proposal and execution.
//!
//! score = count / threshold + min(topics / count, 0.5). An entity needs a split when it has more observations than
//! its type's threshold, a score above 1 and at least two topics.

use std::collections::{BTreeMap, BTreeSet};

use super::topics::{self, Topic};
use crate::{
    Error, Result, Transaction,
    model::text,
    mutations::{self, relations::Created},
    store::{
        counts,
        graph::{
            entities::{self, Description, Entity},
            observations,
            relations::Triple,
        },
    },
};

/// Relation from the whole to its part.
pub const CONTAINS: &str = "contiene";

/// Relation from the part to its whole.
pub const PART_OF: &str = "parte_de";

/// The threshold of most types.
const THRESHOLD: usize = 20;

/// The lowest threshold of all types.
const MIN_THRESHOLD: usize = 15;

/// Maximum that topics add to a score.
const MAX_FOR_TOPICS: f64 = 0.5;

/// Maximum length of a name, in characters.
const MAX_NAME_CHARS: usize = 500;

/// Number of characters of a text that an error shows.
const SHOWN: usize = 80;

/// Size of an entity relative to its type's threshold, and its topics.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The entity.
    pub entity: Entity,
    /// Number of current observations.
    pub count: usize,
    /// The number of observations above which it is large.
    pub threshold: usize,
    /// Whether it should be split.
    pub needs_split: bool,
    /// Topics of its observations, the largest first; observations without a topic are omitted.
    pub topics: Vec<Topic>,
    /// Score, rounded to four digits.
    pub score: f64,
}

/// Returns the number of observations above which an entity of this type is large.
#[must_use]
pub(crate) fn threshold(entity_type: &str) -> usize {
    match text::fold(entity_type).as_str() {
        "sesion" | "sesión" => MIN_THRESHOLD,
        "proyecto" => 25,
        _ => THRESHOLD,
    }
}

/// Analyses an entity.
pub fn analyze(tx: &Transaction<'_>, entity: Entity) -> Result<Analysis> {
    let current = observations::current(tx, entity.id)?;
    let topics = topics::of(tx, &entity, &current)?;
    let (count, threshold) = (current.len(), threshold(&entity.entity_type));
    let score = score(count, threshold, topics.len());
    let needs_split = count > threshold && score > 1.0 && topics.len() > 1;
    Ok(Analysis { entity, count, threshold, needs_split, topics, score })
}

#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn score(count: usize, threshold: usize, topics: usize) -> f64 {
    let variety = topics as f64 / count.max(1) as f64;
    crate::model::numbers::round(count as f64 / threshold as f64 + variety.min(MAX_FOR_TOPICS), 4)
}

/// Returns all entities that need a split, highest score first, then by row number.
pub fn candidates(tx: &Transaction<'_>) -> Result<Vec<Analysis>> {
    let mut found = Vec::new();
    for (entity, count) in counts::larger_than(tx, MIN_THRESHOLD)? {
        if count > threshold(&entity.entity_type) {
            found.push(analyze(tx, entity)?);
        }
    }
    found.retain(|analysis| analysis.needs_split);
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.entity.id.cmp(&b.entity.id)));
    Ok(found)
}

/// Returns the entities with more than 1.5 times as many observations as their threshold, whatever their topics, with
/// that count: the largest first, then by row number.
pub(crate) fn large(tx: &Transaction<'_>) -> Result<Vec<(Entity, usize)>> {
    let mut found = counts::larger_than(tx, MIN_THRESHOLD)?;
    found.retain(|(entity, count)| 2 * count > 3 * threshold(&entity.entity_type));
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.id.cmp(&b.0.id)));
    Ok(found)
}

/// Returns a name for each topic's new entity: the entity's name and the topic's. The names are unique and not in use.
pub fn names(tx: &Transaction<'_>, analysis: &Analysis) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(analysis.topics.len());
    for topic in &analysis.topics {
        let mut number = 1;
        let name = loop {
            let name = name(&analysis.entity.name, &topic.name, number);
            if !names.contains(&name) && entities::find(tx, &name)?.is_none() {
                break name;
            }
            number += 1;
        };
        names.push(name);
    }
    Ok(names)
}

fn name(whole: &str, topic: &str, number: u32) -> String {
    let topic: String = topic.chars().take(MAX_NAME_CHARS / 2).collect();
    let end = if number == 1 { format!(" - {topic}") } else { format!(" - {topic} {number}") };
    let start: String = whole.chars().take(MAX_NAME_CHARS - end.chars().count()).collect();
    format!("{start}{end}")
}

/// A new entity of a split.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Name of the entity, which must not exist yet.
    pub name: &'a str,
    /// Its type.
    pub entity_type: &'a str,
    /// Exact texts of the current observations that move to it.
    pub observations: &'a [String],
}

/// The result of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// Names of the parts.
    pub new_entities: Vec<String>,
    /// Number of current observations moved.
    pub moved: usize,
    /// Number of relations created.
    pub relations_created: usize,
    /// Number of current observations that remain with the entity.
    pub remaining: usize,
}

/// Splits an entity: creates the parts with its status, moves observations with their kind, dates and history, and
/// relates each part to the whole in both directions. `whole` is that entity, or another existing one.
///
/// # Errors
/// [`Error::EntityNotFound`]; [`Error::NoSuchText`] for an observation that does not exist (any more);
/// [`Error::Conflict`] for a part that already exists and an observation that is moved twice. The caller's transaction
/// must then be rolled back.
pub fn execute(
    tx: &Transaction<'_>,
    entity_name: &str,
    parts: &[Part<'_>],
    whole: Option<&str>,
) -> Result<Executed> {
    let entity = entities::require(tx, entity_name)?;
    let whole_id = match whole {
        Some(name) => entities::require(tx, name)?.id,
        None => entity.id,
    };
    let mut ids_of: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let current = observations::current(tx, entity.id)?;
    for known in &current {
        ids_of.entry(text::compose(&known.content).into_owned()).or_default().push(known.id);
    }
    let mut executed = Executed { new_entities: Vec::new(), moved: 0, relations_created: 0, remaining: 0 };
    let mut changed = BTreeSet::from([entity.id]);
    let mut moved_texts = BTreeSet::new();
    for part in parts {
        let mut ids = Vec::new();
        for content in part.observations {
            let composed = observations::stored_as(|text| ids_of.contains_key(text), content);
            ids.extend(ids_of.get(&composed).ok_or_else(|| Error::NoSuchText {
                entity: entity.name.clone(),
                start: content.chars().take(SHOWN).collect(),
            })?);
            if !moved_texts.insert(composed) {
                let start: String = content.chars().take(SHOWN).collect();
                return Err(Error::Conflict(format!(
                    "An observation can move to one entity only, and this one is given twice: {start:?}"
                )));
            }
        }
        let part_id = create(tx, part, &entity.status)?;
        observations::move_to(tx, &ids, part_id)?;
        changed.insert(part_id);
        executed.moved += ids.len();
        executed.relations_created += relate(tx, whole_id, part_id)?;
        executed.new_entities.push(part.name.to_owned());
    }
    for id in changed {
        mutations::similarity_flags::duplicate_removed(tx, id)?;
        mutations::entities::text_changed(tx, id)?;
    }
    executed.remaining = observations::current(tx, entity.id)?.len();
    Ok(executed)
}

fn create(tx: &Transaction<'_>, part: &Part<'_>, status: &str) -> Result<i64> {
    if entities::find(tx, part.name)?.is_some_and(|known| !known.is_placeholder()) {
        return Err(Error::Conflict(format!(
            "A split makes new entities, but {:?} exists already: choose another name for the new one",
            part.name
        )));
    }
    let description =
        Description { name: part.name, entity_type: Some(part.entity_type), status: Some(status) };
    Ok(mutations::entities::upsert(tx, description)?.0.id)
}

fn relate(tx: &Transaction<'_>, whole_id: i64, part_id: i64) -> Result<usize> {
    let mut created = 0;
    for triple in [
        Triple { from_id: whole_id, to_id: part_id, relation_type: CONTAINS },
        Triple { from_id: part_id, to_id: whole_id, relation_type: PART_OF },
    ] {
        created +=
            usize::from(matches!(mutations::relations::create(tx, triple, None, None)?, Created::Active(_)));
    }
    Ok(created)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_go_by_type_however_it_is_written() {
        assert_eq!([threshold("Sesion"), threshold("sesión"), threshold("Proyecto")], [15, 15, 25]);
        assert_eq!([threshold("Generic"), threshold("")], [20, 20]);
    }

    #[test]
    fn the_score_grows_with_observations_and_topics() {
        assert!((score(28, 25, 3) - 1.2271).abs() < 1e-9);
        assert!((score(10, 20, 9) - 1.0).abs() < 1e-9, "topics add half at most");
        assert!(score(0, 20, 0).abs() < 1e-9);
    }

    #[test]
    fn names_stay_within_their_limit() {
        assert_eq!(name("Atlas", "Deploy Vercel", 1), "Atlas - Deploy Vercel");
        assert_eq!(name("Atlas", "Deploy", 2), "Atlas - Deploy 2");
        assert_eq!(name(&"é".repeat(500), "Deploy", 1).chars().count(), 500);
        assert_eq!(name("a", &"b".repeat(900), 3).chars().count(), 256);
    }
}
