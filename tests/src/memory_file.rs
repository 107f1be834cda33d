//! A memory in a file, accessed by tools and by SQL.

use std::path::PathBuf;

use anyhow::{Context, Result};
use limbic_core::rusqlite::types::FromSql;
use limbic_support::success;
use limbic_tools::{Limbic, Options};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{
    BackEnd, START_MILLIS,
    memory::{Native, connect},
};

const DAY_MILLIS: i64 = 86_400_000;

/// A memory in a file that SQL can read.
pub struct MemoryFile {
    _folder: TempDir,
    /// The database file.
    pub path: PathBuf,
}

impl MemoryFile {
    /// A memory that does not exist yet.
    ///
    /// # Errors
    /// When no folder can be made.
    pub fn new() -> Result<Self> {
        let folder = tempdir()?;
        let path = folder.path().join("memory.db");
        Ok(Self { _folder: folder, path })
    }

    /// Opens it with these options, `days` days after the start.
    ///
    /// # Errors
    /// As [`Native::with`].
    pub fn open(&self, days: i64, options: Options) -> Result<Native> {
        let clock = START_MILLIS + days * DAY_MILLIS;
        Native::with(connect(&self.path)?, Options { test_clock: Some(clock), ..options })
    }

    /// The first value that a query finds.
    ///
    /// # Errors
    /// If the query fails or finds nothing.
    pub fn one<T: FromSql>(&self, query: &str) -> Result<T> {
        connect(&self.path)?.query_row(query, [], |row| row.get(0)).with_context(|| query.to_owned())
    }
}

/// The answer of a call that must succeed.
///
/// # Errors
/// When it fails.
pub fn ask(server: &mut impl BackEnd, tool: &str, arguments: &Value) -> Result<Value> {
    let (is_error, answer) = server.call(tool, &arguments.to_string())?;
    success(tool, arguments, is_error, &answer)
}

/// As [`ask`], as a shell without an encoder calls: the query is not embedded.
///
/// # Errors
/// When it fails.
pub fn ask_by_words(limbic: &mut Limbic, tool: &str, arguments: &Value) -> Result<Value> {
    let answer = limbic.call(tool, &arguments.to_string(), &[]);
    success(tool, arguments, answer.is_error, &answer.json)
}

/// Three entities that a search for tea finds.
///
/// # Errors
/// When they cannot be made.
pub fn filled(memory: &mut Native) -> Result<()> {
    let entities = ["Green", "Black", "White"].map(
        |name| json!({ "name": name, "entityType": "Tea", "observations": [format!("{name} tea is good")] }),
    );
    ask(memory, "create_entities", &json!({ "entities": entities }))?;
    Ok(())
}

/// Searches by meaning.
///
/// # Errors
/// When it fails.
pub fn search(memory: &mut Native, query: &str) -> Result<Value> {
    ask(memory, "search_semantic", &json!({ "query": query }))
}

/// Opens an entity.
///
/// # Errors
/// When it fails.
pub fn open(memory: &mut Native, name: &str) -> Result<Value> {
    ask(memory, "open_nodes", &json!({ "names": [name] }))
}

/// Lets seconds pass, one for each call.
pub fn wait(memory: &mut Native, seconds: u32) {
    for _ in 0..seconds {
        memory.limbic().call("no such tool", "", &[]);
    }
}
