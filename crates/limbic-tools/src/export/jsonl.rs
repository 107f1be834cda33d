//! The reference server's file, byte for byte: entities, then relations, without a line break after the last.

use limbic_core::{
    Result, Transaction,
    store::graph::{entities, observations, relations},
};
use serde::Serialize;

use super::pieces::Pieces;

/// Number of entities read at once.
const PAGE: usize = 200;

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Item<'a> {
    #[serde(rename_all = "camelCase")]
    Entity { name: &'a str, entity_type: &'a str, observations: Vec<String> },
    #[serde(rename_all = "camelCase")]
    Relation { from: &'a str, to: &'a str, relation_type: &'a str },
}

/// Writes what the format can represent: current observations and active relations.
pub fn write(tx: &Transaction<'_>, pieces: &mut Pieces<'_>) -> Result<(u64, Option<String>)> {
    let mut lines = 0;
    let mut first_id = 0;
    loop {
        let page = entities::page(tx, first_id, PAGE)?;
        let Some(last) = page.last() else { break };
        first_id = last.id + 1;
        // A name that only relations mention is not an entity there.
        for entity in page.iter().filter(|entity| !entity.is_placeholder()) {
            let observations =
                observations::current(tx, entity.id)?.into_iter().map(|known| known.content).collect();
            let item = Item::Entity { name: &entity.name, entity_type: &entity.entity_type, observations };
            put(&item, &mut lines, pieces)?;
        }
    }
    relations::each_active(tx, |relation| {
        let (from, to) = (&relation.from, &relation.to);
        let item = Item::Relation { from, to, relation_type: &relation.relation_type };
        put(&item, &mut lines, pieces)
    })?;
    let note = "This format contains names, types, current observations and active relations; the format limbic \
                contains everything";
    Ok((lines, Some(note.into())))
}

fn put(item: &Item<'_>, lines: &mut u64, pieces: &mut Pieces<'_>) -> Result<()> {
    let line = serde_json::to_vec(item).map_err(|error| limbic_core::Error::Internal(error.to_string()))?;
    if *lines > 0 {
        pieces.put(b"\n")?;
    }
    *lines += 1;
    pieces.put(&line)
}
