//! Creating, ending and deleting relations, with the embeddings of both ends.

use limbic_protocol::TextKind;

use super::reflections;
use crate::{
    Result, Transaction,
    store::{
        graph::{
            reflections::Target,
            relations::{self, Relation, Triple},
        },
        vectors::embedding_queue,
    },
};

/// Types of inverse relations: ending one ends its inverse.
const INVERSES: [(&str, &str); 2] = [("contiene", "parte_de"), ("parte_de", "contiene")];

/// The result of creating a relation.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// It was created, or was ended and is active again.
    Active(Relation),
    /// It existed and was active.
    Existed(Relation),
}

/// Creates a relation, or reactivates an ended one.
pub fn create(
    tx: &Transaction<'_>,
    triple: Triple<'_>,
    context: Option<&str>,
    weight: Option<f64>,
) -> Result<Created> {
    let id = match relations::find(tx, triple)? {
        Some(relation) if relation.active => return Ok(Created::Existed(relation)),
        Some(relation) => {
            relations::reactivate(tx, relation.id, context, weight)?;
            relation.id
        }
        None => relations::insert(tx, triple, context, weight)?,
    };
    queue_ends(tx, triple.from_id, triple.to_id)?;
    Ok(Created::Active(relations::get(tx, id)?))
}

/// Deletes a relation permanently, with the reflections on it. Returns whether it existed.
pub fn delete(tx: &Transaction<'_>, triple: Triple<'_>) -> Result<bool> {
    let Some(relation) = relations::find(tx, triple)? else { return Ok(false) };
    reflections::delete_on(tx, Target::Relation(relation.id))?;
    relations::delete_row(tx, relation.id)?;
    queue_ends(tx, triple.from_id, triple.to_id)?;
    Ok(true)
}

/// The result of ending a relation.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// The relation after the call.
    pub relation: Relation,
    /// Whether it had already ended, so that nothing changed.
    pub had_ended: bool,
    /// The inverse relation that was ended with it.
    pub inverse_id: Option<i64>,
}

/// Ends a relation, which is kept as history. The inverse of `contiene` or `parte_de` ends with it.
///
/// # Errors
/// [`RelationNotFound`](crate::Error::RelationNotFound).
pub fn end(tx: &Transaction<'_>, id: i64) -> Result<Ended> {
    let relation = relations::get(tx, id)?;
    if !relation.active {
        return Ok(Ended { relation, had_ended: true, inverse_id: None });
    }
    let inverse = INVERSES
        .iter()
        .find(|(this, _)| *this == relation.relation_type)
        .map(|(_, other)| Triple { from_id: relation.to_id, to_id: relation.from_id, relation_type: other })
        .map(|triple| relations::find(tx, triple))
        .transpose()?
        .flatten()
        .filter(|inverse| inverse.active);
    let inverse_id = inverse.map(|inverse| inverse.id);
    for ending in [Some(id), inverse_id].into_iter().flatten() {
        relations::set_ended(tx, ending)?;
    }
    queue_ends(tx, relation.from_id, relation.to_id)?;
    Ok(Ended { relation: relations::get(tx, id)?, had_ended: false, inverse_id })
}

/// Queues the embeddings of both ends, whose embedded text contains their active relations.
fn queue_ends(tx: &Transaction<'_>, from_id: i64, to_id: i64) -> Result<()> {
    embedding_queue::mark(tx, TextKind::Entity, from_id)?;
    if from_id != to_id {
        embedding_queue::mark(tx, TextKind::Entity, to_id)?;
    }
    Ok(())
}
