//! Databases of a given size, created once per run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

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

    /// A copy of a database with `entities` and test embeddings for all of them.
    pub fn database(&self, tools: &Toolbox, entities: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, EMBEDDED, entities, copy)
    }

    /// As [`Filled::database`], without embeddings, which take most of the time; their texts are in the queue.
    pub fn without_embeddings(&self, tools: &Toolbox, entities: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, NOT_EMBEDDED, entities, copy)
    }

    /// A copy of a database with `memories` in three domains.
    pub fn memories(&self, tools: &Toolbox, memories: usize, copy: &str) -> Result<PathBuf> {
        self.copied(tools, MEMORIES, memories, copy)
    }

    /// A file of the reference server with the same entities as [`Filled::database`].
    pub fn lines(&self, tools: &Toolbox, entities: usize) -> Result<PathBuf> {
        let filled = self.filled(tools, NOT_EMBEDDED, entities)?;
        let file = self.folder.join(format!("{entities}.jsonl"));
        if !file.exists() {
            let [from, to] = [text(&filled)?, text(&file)?];
            let arguments = ["export", "--format", "jsonl", "--db", from, "--out", to];
            tools.run(&program().to_string_lossy(), &arguments)?;
        }
        Ok(file)
    }

    fn copied(&self, tools: &Toolbox, content: Content, count: usize, copy: &str) -> Result<PathBuf> {
        let filled = self.filled(tools, content, count)?;
        let copied = self.folder.join(format!("{count} {} {copy}.db", content.name));
        fs::copy(&filled, &copied)?;
        Ok(copied)
    }

    fn filled(&self, tools: &Toolbox, content: Content, count: usize) -> Result<PathBuf> {
        let filled = self.folder.join(format!("{count} {}.db", content.name));
        if !filled.exists() {
            say(&format!("filling a memory with {count} {}", content.name));
            let (number, option) = (count.to_string(), format!("--{}", content.counted));
            let arguments = ["bench", content.command, "--db", text(&filled)?, &option, &number];
            tools.run(&program().to_string_lossy(), &[&arguments, content.options].concat())?;
        }
        Ok(filled)
    }
}

/// The content of a filled database.
#[derive(Clone, Copy)]
struct Content {
    name: &'static str,
    /// The command of `limbic bench` that fills it, with the option that takes the number, and others.
    command: &'static str,
    counted: &'static str,
    options: &'static [&'static str],
}

const EMBEDDED: Content = Content { name: "entities", command: "fill", counted: "entities", options: &[] };
const NOT_EMBEDDED: Content =
    Content { name: "entities without embeddings", options: &["--no-embeddings"], ..EMBEDDED };
const MEMORIES: Content =
    Content { name: "memories", command: "fill-memories", counted: "memories", options: &[] };

/// The native program.
fn program() -> PathBuf {
    project::target().join("release").join("limbic")
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("the project's folder must be named in valid text")
}
