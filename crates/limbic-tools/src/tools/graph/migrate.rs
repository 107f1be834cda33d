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
    /// Import a memory and merge it with the present one. Recognises by content: Limbic exports; CLAUDE.md, AGENTS.md,
    /// MEMORY.md and other Markdown, one file or a folder; basic-memory's notes; exports of the reference server, MCP
    /// Memory v2, Memory Graph, Memory MCP Server, mcp-memory-service, mem0, Letta, Claude and ChatGPT. Idempotent: a
    /// second run completes an interrupted import.
    name: "migrate",
    title: "Import a memory",
    toolset: Graph,
    advanced: true,
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
    /// Path of the file or folder on the server's machine; ~ is the home folder.
    #[schemars(length(min = 1, max = 4096))]
    pub source_path: String,
    /// Report what would be imported and store nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Format: "server-memory", "mcp-memory-v2", "memory-graph", "persistent-memory", "memory-mcp-server",
    /// "mcp-memory-service", "mem0", "letta", "claude", "memory-list", "markdown", "basic-memory" or "limbic".
    pub format: &'static str,
    /// Whether it was a dry run.
    pub dry_run: bool,
    /// Count of entities created or updated.
    pub entities_imported: u64,
    /// Count of new observations.
    pub observations_imported: u64,
    /// Count of new relations.
    pub relations_imported: u64,
    /// Count of new reflections.
    pub reflections_imported: u64,
    /// Count of new or changed memories.
    pub memories_imported: u64,
    /// Count of new domains.
    pub domains_imported: u64,
    /// Count of new links between memories.
    pub links_imported: u64,
    /// Count of records that failed.
    pub errors: u64,
    /// Count of records skipped: unreadable or already present.
    pub skipped: u64,
    /// First problems, each with its location.
    pub problems: Vec<String>,
    /// Origin of the imported records: memory_list lists its memories, memory_maintain deletes all.
    /// The memories wait for confirmation by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
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
                reason: "this program cannot read files".into(),
            });
        };
        let done = self.import.step(context, &mut *file);
        context.file = Some(file);
        let origin = self.import.label().filter(|_| !self.dry_run);
        Ok(done?.map(|(format, report)| output(format, self.dry_run, report, origin)))
    }
}

impl Steps for Migration {
    fn step(&mut self, context: &mut Context<'_>) -> Result<Option<Value>> {
        self.next(context)?.map(value_of).transpose()
    }

    fn interrupted(&self, cause: Option<Error>) -> Error {
        self.import.interrupted(cause)
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

fn output(format: &'static str, dry_run: bool, report: Report, origin: Option<String>) -> Output {
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
    let stored = memories + entities + observations + relations + reflections;
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
        origin: origin.filter(|_| stored > 0),
    }
}
