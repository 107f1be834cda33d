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

/// Creates an entity, or updates the one with that name. Returns it, and whether it is new. The caller must call
/// [`text_changed`], which updates full-text index and embedding.
pub fn upsert(tx: &Transaction<'_>, description: Description<'_>) -> Result<(Entity, bool)> {
    let existing = entities::find(tx, description.name)?;
    let id = if let Some(entity) = &existing {
        entities::set(tx, entity.id, description.entity_type, description.status)?;
        if entity.is_placeholder() {
            entities::set_origin(tx, entity.id)?;
            mentions::new_entity(tx, entity.id, &entity.name)?;
        }
        entity.id
    } else {
        let id = entities::insert(tx, description)?;
        mentions::new_entity(tx, id, description.name)?;
        id
    };
    let entity = entities::get(tx, id)?
        .ok_or_else(|| Error::Internal(format!("entity {id} was not found after it was stored")))?;
    Ok((entity, existing.is_none()))
}

/// Updates an entity's full-text index and queues its embedding. Must be called after every change of its texts.
pub fn text_changed(tx: &Transaction<'_>, id: i64) -> Result<()> {
    entities::set_updated(tx, id)?;
    entity_fts::index_entity(tx, id)?;
    embedding_queue::mark(tx, TextKind::Entity, id)
}

/// Deletes an entity with all its records, including reflections on it and on its relations. Vectors and full-text rows
/// are deleted here, because foreign keys do not cover them.
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
