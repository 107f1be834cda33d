//! A database of MCP Memory v2: read as it is, stored by the same functions as everything else.

use limbic_core::{Error, Result, store::foreign};

use super::Report;
use crate::context::Context;

/// Imports the graph of a database; its embeddings are made anew.
pub fn import(context: &mut Context<'_>, file: &[u8], dry_run: bool) -> Result<Report> {
    let source = foreign::read(file).map_err(|error| match error {
        known @ Error::UnknownSource { .. } => known,
        other => Error::UnknownSource {
            message: format!(
                "The database to import is damaged, or not one of MCP Memory v2 ({}): it was not changed",
                other.code()
            ),
        },
    })?;
    let total = file.len() as u64;
    let work = |unit: &limbic_core::Unit<'_>| foreign::store(unit, &source);
    let counts = if dry_run { context.memory.rehearse(work)? } else { context.memory.write(work)? };
    (context.progress)(total, total);
    Ok(Report {
        entities: counts.entities,
        observations: counts.observations,
        relations: counts.relations,
        skipped: counts.skipped,
        ..Report::default()
    })
}
