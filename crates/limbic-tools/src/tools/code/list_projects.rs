//! The tool list_projects.

use limbic_core::{Result, model::timestamps::stored_form, store::code::projects};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// List the indexed projects with their folders and sizes.
    name: "list_projects",
    title: "List projects",
    toolset: Code,
    access: Read,
    idempotent: true,
    example: r"{}",
    handler: list_projects,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// A project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectView {
    /// Id.
    pub project_id: String,
    /// Folder.
    pub path: String,
    /// Patterns of files that are indexed; all if absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub include: Vec<String>,
    /// Patterns of files that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub exclude: Vec<String>,
    /// indexing, completed or failed.
    pub status: &'static str,
    /// Count of files.
    pub files: u64,
    /// Count of chunks.
    pub chunks: u64,
    /// Count of symbols.
    pub symbols: u64,
    /// When the last run was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_at: Option<String>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// By id.
    pub projects: Vec<ProjectView>,
    /// Count of projects.
    pub count: usize,
}

pub(crate) fn list_projects(context: &mut Context<'_>, _: Input) -> Result<Output> {
    context.memory.read(|tx| {
        let mut found = Vec::new();
        for project in projects::all(tx)? {
            let counts = projects::counts(tx, project.number)?;
            found.push(ProjectView {
                project_id: project.id,
                path: project.path,
                include: project.include,
                exclude: project.exclude,
                status: project.status.name(),
                files: counts.files,
                chunks: counts.chunks,
                symbols: projects::symbols(tx, project.number)?,
                indexed_at: project.completed_at.map(stored_form),
            });
        }
        Ok(Output { count: found.len(), projects: found })
    })
}
