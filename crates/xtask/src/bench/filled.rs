//! Databases of a given size, created once per run.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;

use crate::project;
use crate::tools::{Toolbox, say};

/// The folder of filled databases.
pub struct Filled {
    folder: PathBuf,
}

impl Filled {
    /// Removes the databases of earlier runs: the schema may have changed.
    pub fn new() -> Result<Self> {
        let folder = project::target().join("bench-data");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// A copy of a database with `count` entities and test embeddings for all of them.
    pub fn database(&self, tools: &Toolbox, entities: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, ("fill", "entities"), entities, copy)
    }

    /// A copy of a database with `count` memories in three domains.
    pub fn memories(&self, tools: &Toolbox, memories: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, ("fill-memories", "memories"), memories, copy)
    }

    fn copied(
        &self,
        tools: &Toolbox,
        (command, what): (&str, &str),
        count: usize,
        copy: &str,
    ) -> Result<PathBuf> {
        let filled = self.folder.join(format!("{count} {what}.db"));
        if !filled.exists() {
            say(&format!("filling a memory with {count} {what}"));
            let program = project::target().join("release").join("limbic");
            let file = filled.to_str().context("the project's folder must be named in valid text")?;
            tools.run(
                &program.to_string_lossy(),
                &["bench", command, "--db", file, &format!("--{what}"), &count.to_string()],
            )?;
        }
        let copied = self.folder.join(format!("{count} {what} {copy}.db"));
        fs::copy(&filled, &copied)?;
        Ok(copied)
    }

    /// A file of the reference server with `count` entities: one JSON object per line.
    pub fn lines(&self, entities: usize) -> Result<PathBuf> {
        let file = self.folder.join(format!("{entities}.jsonl"));
        let line = |number: usize| {
            json!({
                "type": "entity",
                "name": format!("harbour {number}"),
                "entityType": "harbour",
                "observations": [format!("The harbour number {number} needs permits since week {}", number % 53)],
            })
            .to_string()
        };
        fs::write(&file, (0..entities).map(line).collect::<Vec<_>>().join("\n"))?;
        Ok(file)
    }
}
