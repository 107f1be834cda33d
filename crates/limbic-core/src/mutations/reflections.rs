//! Adding and deleting reflections, with their embeddings.

use limbic_protocol::TextKind;

use crate::{
    Error, Result, Transaction,
    store::{
        graph::{
            entities,
            reflections::{self, Reflection, Target},
            relations,
        },
        memories::mentions,
        vectors::{embedding_queue, embeddings},
    },
};

/// Stores a reflection and queues its embedding. Its target must exist.
///
/// # Errors
/// [`Error::EntityIdNotFound`] and [`Error::RelationNotFound`].
pub fn add(
    tx: &Transaction<'_>,
    target: Target,
    author: &str,
    content: &str,
    mood: Option<&str>,
) -> Result<Reflection> {
    match target {
        Target::Entity(id) => {
            entities::get(tx, id)?.ok_or(Error::EntityIdNotFound(id))?;
            mentions::make_real(tx, id)?;
        }
        Target::Relation(id) => {
            relations::get(tx, id)?;
        }
        Target::Session(_) | Target::Global => {}
    }
    let added = reflections::insert(tx, target, author, content, mood, None)?;
    embedding_queue::mark(tx, TextKind::Reflection, added.id)?;
    Ok(added)
}

/// Deletes a reflection with its words and vector.
pub(crate) fn delete(tx: &Transaction<'_>, id: i64) -> Result<()> {
    embeddings::forget(tx, TextKind::Reflection, id)?;
    reflections::delete_row(tx, id)
}

/// Deletes the reflections on a target that is being deleted, with their words and vectors. These do not cascade.
pub(crate) fn delete_on(tx: &Transaction<'_>, target: Target) -> Result<()> {
    for reflection in reflections::on(tx, target)? {
        delete(tx, reflection.id)?;
    }
    Ok(())
}
