//! Creating, changing and deleting entities, with their full-text index, embeddings and mentions.

use limbic_protocol::TextKind;

use super::reflections;
use crate::{
    Error, Result, Transaction,
    store::{
        graph::{
            entities::{self, Description, Entity},
            entity_fts, observations,
            reflections::Target,
            relations,
        },
        memories::mentions,
        vectors::{embedding_queue, embeddings},
    },
};

/// Creates the entity, or updates the one of that name. Answers whether it is new. Words and embedding are not brought up
/// to date: [`text_changed`] does that.
///
/// # Errors
/// Those of the database.
pub fn upsert(tx: &Transaction<'_>, description: Description<'_>) -> Result<(Entity, bool)> {
    let existing = entities::find(tx, description.name)?;
    let id = if let Some(entity) = &existing {
        entities::set(tx, entity.id, description.entity_type, description.status)?;
        entity.id
    } else {
        let id = entities::insert(tx, description)?;
        mentions::new_entity(tx, id, description.name)?;
        id
    };
    let entity = entities::get(tx, id)?
        .ok_or_else(|| Error::Internal(format!("entity {id} vanished while stored")))?;
    Ok((entity, existing.is_none()))
}

/// Must follow every change of an entity's texts: brings its words up to date and queues its embedding.
///
/// # Errors
/// Those of the database.
pub fn text_changed(tx: &Transaction<'_>, id: i64) -> Result<()> {
    entities::set_updated(tx, id)?;
    entity_fts::index_entity(tx, id)?;
    embedding_queue::mark(tx, TextKind::Entity, id)
}

/// Deletes an entity with all that belongs to it, including reflections on it and on its relations. Vectors and words do
/// not cascade from the row.
///
/// # Errors
/// Those of the database.
pub fn delete(tx: &Transaction<'_>, id: i64) -> Result<()> {
    for observation in observations::ids_of(tx, id)? {
        embeddings::forget(tx, TextKind::Observation, observation)?;
    }
    // The embedded text of the entities at the other ends contains its name.
    for relation in relations::touching(tx, id, true)? {
        if relation.active {
            let other = if relation.from_id == id { relation.to_id } else { relation.from_id };
            embedding_queue::mark(tx, TextKind::Entity, other)?;
        }
        reflections::delete_on(tx, Target::Relation(relation.id))?;
    }
    reflections::delete_on(tx, Target::Entity(id))?;
    embeddings::forget(tx, TextKind::Entity, id)?;
    entity_fts::forget_entity(tx, id)?;
    entities::delete_row(tx, id)
}
