//! Databases of other programs, created in memory.

use limbic_core::{
    Result, Transaction,
    records::export_database::{self, Counts, memory_graph, persistent_memory},
};

use super::pieces::Pieces;

/// Writes a database of MCP Memory v2.
pub fn write(tx: &Transaction<'_>, pieces: &mut Pieces<'_>) -> Result<(u64, Option<String>)> {
    let mut database = export_database::build(tx)?;
    pieces.put(&database.serialize("main")?)?;
    let Counts { records, entities, vectors } = export_database::counts(&database)?;
    let note = format!(
        "{vectors} of {entities} entities have a vector of the encoder named in db_metadata; this format has no \
         descriptions, users, weights of relations or search log"
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
    let note = "This format contains domains and valid memories with tags, paths, summaries and links; the format \
                limbic contains everything";
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
    let note = "This format contains valid memories with access counts and one link per pair, without domains, tags, \
                users and links across domains; the format limbic contains everything";
    Ok((persistent_memory::records(&database)?, Some(note.into())))
}
