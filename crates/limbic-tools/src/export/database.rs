//! A database of MCP Memory v2, made in memory.

use limbic_core::{
    Result, Unit,
    store::mirror::{self, Census},
};

use super::Pieces;

/// Writes the bytes of the database.
pub fn write(unit: &Unit<'_>, pieces: &mut Pieces<'_>) -> Result<(u64, Option<String>)> {
    let mut database = mirror::build(unit)?;
    pieces.put(&database.serialize("main")?)?;
    let Census { records, entities, vectors } = mirror::census(&database)?;
    let note = format!(
        "{vectors} of {entities} entities have their vector with them, made by the encoder that db_metadata names; \
         descriptions, users, weights of relations and the log of searches have no place in this format"
    );
    Ok((records, Some(note)))
}
