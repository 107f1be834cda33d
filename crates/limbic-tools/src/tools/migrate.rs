//! The tool migrate.

use limbic_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    context::Context,
    import::{Import, Report},
    tool::{Steps, tool, value_of},
};

tool! {
    /// Import another memory, told by its content: a Limbic export, the reference server's JSONL file, a database of MCP Memory v2, Memory Graph or the SQLite Persistent Memory specification, Memory Graph's JSON folder or a file of it, lines of Memory MCP Server.
    /// Merges with what is there; running it again changes nothing more, and completes an import that was interrupted.
    /// With dry_run it says what would happen.
    name: "migrate",
    title: "Import a memory",
    toolset: Graph,
    access: Write,
    idempotent: true,
    file_argument: "source_path",
    steps: Migration::new,
    example: r#"{"source_path": "memory.jsonl", "dry_run": true}"#,
    handler: migrate,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Path of the file, or of the folder, to import, as the server's machine knows it; ~ is the home folder.
    #[schemars(length(min = 1, max = 4096))]
    pub source_path: String,
    /// Whether only to say what would happen.
    #[serde(default)]
    pub dry_run: bool,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What the file is: "server-memory", "mcp-memory-v2", "memory-graph", "persistent-memory", "memory-mcp-server" or "limbic".
    pub format: &'static str,
    /// Whether nothing was stored because of dry_run.
    pub dry_run: bool,
    /// Entities created or updated.
    pub entities_imported: u64,
    /// Observations that were new.
    pub observations_imported: u64,
    /// Relations that were new.
    pub relations_imported: u64,
    /// Reflections that were new.
    pub reflections_imported: u64,
    /// Memories that were new or changed.
    pub memories_imported: u64,
    /// Domains that were new.
    pub domains_imported: u64,
    /// Links between memories that were new.
    pub links_imported: u64,
    /// What failed.
    pub errors: u64,
    /// What was passed over: what cannot be read, and what was there.
    pub skipped: u64,
    /// The first reasons, each with its place.
    pub problems: Vec<String>,
}

/// A call.
struct Migration {
    path: String,
    dry_run: bool,
    import: Import,
}

impl Migration {
    fn new(Input { source_path, dry_run }: Input) -> Self {
        Self { import: Import::new(source_path.clone(), dry_run), path: source_path, dry_run }
    }

    fn next(&mut self, context: &mut Context<'_>) -> Result<Option<Output>> {
        let Some(file) = context.file.take() else {
            return Err(Error::UnreadableSource {
                path: self.path.clone(),
                reason: "this program passes no files to its memory".into(),
            });
        };
        let done = self.import.step(context, &mut *file);
        context.file = Some(file);
        Ok(done?.map(|(format, report)| output(format, self.dry_run, report)))
    }
}

impl Steps for Migration {
    fn step(&mut self, context: &mut Context<'_>) -> Result<Option<Value>> {
        self.next(context)?.map(value_of).transpose()
    }

    fn interrupted(&self) -> Error {
        self.import.interrupted()
    }
}

fn migrate(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut migration = Migration::new(input);
    loop {
        if let Some(output) = migration.next(context)? {
            return Ok(output);
        }
    }
}

fn output(format: &'static str, dry_run: bool, report: Report) -> Output {
    let Report {
        entities,
        observations,
        relations,
        reflections,
        memories,
        domains,
        links,
        errors,
        skipped,
        problems,
    } = report;
    Output {
        format,
        dry_run,
        entities_imported: entities,
        observations_imported: observations,
        relations_imported: relations,
        reflections_imported: reflections,
        memories_imported: memories,
        domains_imported: domains,
        links_imported: links,
        errors,
        skipped,
        problems,
    }
}
