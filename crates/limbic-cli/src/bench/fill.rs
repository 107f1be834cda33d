//! Generates any number of entities, with or without embeddings by the test encoder.

use std::path::Path;

use anyhow::Result;
use limbic_encoder::Encoder;
use limbic_tools::Limbic;
use serde_json::{Value, json};

use super::data;

/// Number of entities per call.
const PER_CALL: usize = 1_000;

/// A line of progress is printed after this many entities.
const PER_LINE: usize = 10_000;

const SUBJECTS: [&str; 12] = [
    "harbour",
    "invoice",
    "compiler",
    "garden",
    "orchestra",
    "bicycle",
    "glacier",
    "kitchen",
    "satellite",
    "library",
    "marathon",
    "vineyard",
];
const VERBS: [&str; 8] =
    ["needs", "avoids", "replaces", "delays", "improves", "measures", "shares", "forgets"];
const OBJECTS: [&str; 14] = [
    "permits",
    "memory",
    "rainwater",
    "violins",
    "brakes",
    "batteries",
    "sunlight",
    "contracts",
    "runners",
    "shelves",
    "antennas",
    "recipes",
    "deadlines",
    "visitors",
];

/// Returns an entity with three observations, determined by its number.
pub fn entity(number: usize) -> Value {
    // Steps that share no factor with the lists' lengths, so that all combinations occur.
    let subject = SUBJECTS[number % SUBJECTS.len()];
    let word = |list: &[&'static str], step: usize| list[(number / step) % list.len()];
    let (week, cost) = (number % 53, number * 7 % 1_000);
    json!({
        "name": format!("{subject} {number}"),
        "entityType": subject,
        "observations": [
            format!("The {subject} number {number} {} {} since week {week}", word(&VERBS, 3), word(&OBJECTS, 5)),
            format!("It {} {} as soon as the {} is ready", word(&VERBS, 7), word(&OBJECTS, 11), word(&SUBJECTS, 13)),
            format!("{} for {subject} {number} cost {cost} in all", word(&OBJECTS, 17)),
        ],
    })
}

/// A query that many entities match in part.
pub fn question(number: usize) -> String {
    let object = OBJECTS[number % OBJECTS.len()];
    format!("which {} {} {object}?", SUBJECTS[(number / 2) % SUBJECTS.len()], VERBS[number % VERBS.len()])
}

/// Adds the entities `from..to`. Their embeddings are left to the queue.
fn add(limbic: &mut Limbic, from: usize, to: usize) -> Result<()> {
    for start in (from..to).step_by(PER_CALL) {
        let end = to.min(start + PER_CALL);
        let entities: Vec<Value> = (start..end).map(entity).collect();
        data::call(limbic, "create_entities", &json!({"entities": entities}), &[])?;
        if end.is_multiple_of(PER_LINE) || end == to {
            eprintln!("{end} entities");
        }
    }
    Ok(())
}

/// Fills a database file; `embeds`: drains the embedding queue.
pub fn run(db: &Path, entities: usize, embeds: bool) -> Result<Value> {
    let mut limbic = data::open(db, json!({}))?;
    add(&mut limbic, 0, entities)?;
    if embeds {
        data::drain_queue(&mut limbic, &Encoder::test())?;
    }
    limbic.close()?;
    Ok(json!({"entities": entities}))
}
