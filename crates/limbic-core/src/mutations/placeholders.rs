//! Placeholders: entities that stand for a name in a relation until an entity of that name is created.
//!
//! The reference server allows relations to entities that do not exist; here both ends of a relation are rows.

use super::entities as mutations;
use crate::{
    Error, Result, Transaction,
    model::entity_status::EntityStatus,
    store::{
        graph::{
            entities::{self, Description, Entity},
            reflections, relations,
        },
        memories::mentions,
    },
};

/// Returns the entity with exactly this name, or creates a placeholder.
pub fn find_or_create(tx: &Transaction<'_>, name: &str) -> Result<Entity> {
    match entities::find_exact(tx, name)? {
        Some(entity) => Ok(entity),
        None => {
            let placeholder = insert(
                tx,
                Description { name, entity_type: None, status: Some(EntityStatus::Placeholder.word()) },
            )?;
            mutations::text_changed(tx, placeholder.id)?;
            Ok(placeholder)
        }
    }
}

/// Creates an entity with exactly this name; `None` if it exists. The entity takes over the relations of a placeholder
/// in a new row, because entities are listed in the order of their row numbers. The caller must add its observations,
/// or call [`mutations::text_changed`] if there are none: indexing here as well would write and erase its words once
/// more, which takes longer the more entities there are.
pub fn create(tx: &Transaction<'_>, name: &str, entity_type: &str) -> Result<Option<Entity>> {
    let description = Description { name, entity_type: Some(entity_type), status: None };
    let placeholder = match entities::find_exact(tx, name)? {
        Some(entity) if !entity.is_placeholder() => return Ok(None),
        Some(placeholder) => placeholder,
        None => {
            let entity = insert(tx, description)?;
            mentions::new_entity(tx, entity.id, name)?;
            return Ok(Some(entity));
        }
    };
    // Names are unique, so the old row is renamed first.
    entities::release_name(tx, placeholder.id)?;
    let entity = insert(tx, description)?;
    mentions::new_entity(tx, entity.id, name)?;
    mentions::copy_given(tx, placeholder.id, entity.id)?;
    relations::move_ends(tx, placeholder.id, entity.id)?;
    reflections::move_to_entity(tx, placeholder.id, entity.id)?;
    mutations::delete(tx, placeholder.id)?;
    Ok(Some(entity))
}

/// Deletes an entity if it is a placeholder without relations.
pub fn delete_unused(tx: &Transaction<'_>, id: i64) -> Result<()> {
    if entities::is_unused_placeholder(tx, id)? { mutations::delete(tx, id) } else { Ok(()) }
}

fn insert(tx: &Transaction<'_>, description: Description<'_>) -> Result<Entity> {
    let id = entities::insert(tx, description)?;
    entities::get(tx, id)?
        .ok_or_else(|| Error::Internal(format!("entity {id} was not found after it was stored")))
}
