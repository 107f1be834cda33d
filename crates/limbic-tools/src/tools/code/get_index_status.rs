//! The tool get_index_status.

use limbic_core::{
    Result,
    model::{project_status::ProjectStatus, timestamps::stored_form},
    store::code::{files, projects},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Show a project's indexing progress, and each skipped file with the reason. Use list_projects for the ids.
    name: "get_index_status",
    title: "Index status",
    toolset: Code,
    access: Read,
    idempotent: true,
    example: r#"{"project_id": "shop"}"#,
    handler: get_index_status,
}

/// Maximum number of skipped files in an answer.
const MAX_SKIPPED: usize = 100;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the project.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: String,
}

/// A file without chunks, or one that could not be read the last time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Skipped {
    /// Path of the file in its project.
    pub file: String,
    /// Why it was not indexed.
    pub why: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Id.
    pub project_id: String,
    /// indexing, completed or failed.
    pub status: &'static str,
    /// True if files are indexed as they change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<bool>,
    /// Count of files found.
    pub total_files: u64,
    /// Count of files read.
    pub indexed_files: u64,
    /// Count of chunks.
    pub total_chunks: u64,
    /// When the last run started.
    pub started_at: String,
    /// When it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// Why it failed or waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Share of the files that are read.
    pub progress_percent: u64,
    /// Estimated seconds until the files are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta_seconds: Option<i64>,
    /// Count of new or changed files that wait to be read.
    pub pending_files: u64,
    /// Count of chunks that wait for a vector; search_code finds them by their words.
    pub pending_embeddings: u64,
    /// Files without chunks and files and folders that cannot be read, up to 100.
    pub skipped: Vec<Skipped>,
    /// Count of these.
    pub skipped_files: u64,
}

pub(crate) fn get_index_status(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let paused = context.indexing_problem.as_ref().map(|problem| format!("Indexing waits: {problem}"));
    context.memory.read(|tx| {
        let project = projects::get(tx, &input.project_id)?;
        let counts = projects::counts(tx, project.number)?;
        let (skipped, skipped_files) = files::skipped(tx, project.number, MAX_SKIPPED)?;
        let is_indexing = project.status == ProjectStatus::Indexing;
        let read = counts.files - counts.pending;
        let progress_percent = match counts.files {
            _ if project.status == ProjectStatus::Completed => 100,
            0 => 0,
            files => (read * 100 / files).min(if is_indexing { 99 } else { 100 }),
        };
        let elapsed = (tx.now_millis() - project.started_at).max(0);
        let left = |read: u64| {
            let (read, pending) = (i64::try_from(read).ok()?, i64::try_from(counts.pending).ok()?);
            Some(elapsed.saturating_mul(pending) / read.max(1) / 1000)
        };
        let waits_for = paused.clone().filter(|_| is_indexing);
        let eta_seconds = (is_indexing && waits_for.is_none() && read > 0).then(|| left(read)).flatten();
        Ok(Output {
            project_id: project.id,
            status: project.status.name(),
            watched: project.is_watched.then_some(true),
            total_files: counts.files,
            indexed_files: read,
            total_chunks: counts.chunks,
            started_at: stored_form(project.started_at),
            completed_at: project.completed_at.map(stored_form),
            error_message: project.error_message.or(waits_for),
            progress_percent,
            eta_seconds,
            pending_files: counts.pending,
            pending_embeddings: counts.embeddings,
            skipped: skipped.into_iter().map(|(file, why)| Skipped { file, why }).collect(),
            skipped_files,
        })
    })
}
