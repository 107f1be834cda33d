//! Deleting the graph's records of one origin.

use std::collections::{BTreeMap, BTreeSet};

use super::{entities, observations, placeholders, reflections, relations};
use crate::{
    Result, Transaction,
    store::graph::{
        origin_records::GraphRecord,
        relations::{self as rows, Triple},
    },
};

/// Deletes records, which must exist: reflections first, then relations, observations and entities. Placeholders that
/// no relation names any more are deleted with them.
pub(crate) fn delete(tx: &Transaction<'_>, records: &[GraphRecord]) -> Result<()> {
    let mut by_entity: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    let mut ends = BTreeSet::new();
    for record in records {
        match *record {
            GraphRecord::Reflection(id) => reflections::delete(tx, id)?,
            GraphRecord::Relation(id) => {
                let relation = rows::get(tx, id)?;
                let (from_id, to_id) = (relation.from_id, relation.to_id);
                relations::delete(tx, Triple { from_id, to_id, relation_type: &relation.relation_type })?;
                ends.extend([from_id, to_id]);
            }
            GraphRecord::Observation(entity_id, id) => {
                by_entity.entry(entity_id).or_default().insert(id);
            }
            GraphRecord::Entity(id) => {
                for relation in rows::touching(tx, id, true)? {
                    ends.extend([relation.from_id, relation.to_id]);
                }
                entities::delete(tx, id)?;
            }
        }
    }
    for (entity_id, ids) in by_entity {
        observations::delete_ids(tx, entity_id, &ids)?;
    }
    ends.into_iter().try_for_each(|id| placeholders::delete_unused(tx, id))
}
