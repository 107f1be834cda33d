//! Databases of other programs, made in memory.

use limbic_core::{
    Result, Transaction,
    records::export_database::{self, Census, memory_graph, persistent_memory},
};

use super::Pieces;

/// Writes a database of MCP Memory v2.
pub fn write(tx: &Transaction<'_>, pieces: &mut Pieces<'_>) -> Result<(u64, Option<String>)> {
    let mut database = export_database::build(tx)?;
    pieces.put(&database.serialize("main")?)?;
    let Census { records, entities, vectors } = export_database::census(&database)?;
    let note = format!(
        "{vectors} of {entities} entities have their vector with them, made by the encoder that db_metadata names; \
         descriptions, users, weights of relations and the log of searches have no place in this format"
    );
    Ok((records, Some(note)))
}

/// Writes a database of Memory Graph.
pub fn write_memory_graph(
    tx: &Transaction<'_>,
    user: Option<&str>,
    pieces: &mut Pieces<'_>,
) -> Result<(u64, Option<String>)> {
    let mut database = memory_graph::build(tx, user)?;
    pieces.put(&database.serialize("main")?)?;
    let note = "This format holds domains, memories that hold, their tags, paths, summaries and links; \
                the format limbic holds everything";
    Ok((memory_graph::records(&database)?, Some(note.into())))
}

/// Writes a database of the SQLite Persistent Memory specification.
pub fn write_persistent_memory(
    tx: &Transaction<'_>,
    user: Option<&str>,
    pieces: &mut Pieces<'_>,
) -> Result<(u64, Option<String>)> {
    let mut database = persistent_memory::build(tx, user)?;
    pieces.put(&database.serialize("main")?)?;
    let note = "This format holds memories that hold, with their use and one link between two of them; domains, tags, \
                users and links across domains have no place in it; the format limbic holds everything";
    Ok((persistent_memory::records(&database)?, Some(note.into())))
}
