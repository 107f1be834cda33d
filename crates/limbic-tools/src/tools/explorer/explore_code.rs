//! The tool explore_code.

use limbic_core::{
    Error, Result,
    explore::project_files::{self, FileRow, FolderRow, LanguageRow},
    model::text::echo,
    store::code::projects,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{comparisons::Lack, context::Context, indexing::Shown, tool::tool, tools::code::current};

tool! {
    /// List the folders and files of a folder of an indexed project, with sizes and languages.
    name: "explore_code",
    title: "Explore a project's files",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    needs_code: true,
    example: r#"{"project_id": "shop", "folder": "server"}"#,
    handler: explore_code,
}

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the project.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: String,
    /// Path of the folder in the project. Default: the project's folder.
    #[serde(default)]
    #[schemars(length(max = 4096))]
    pub folder: String,
    /// Maximum number of files.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10000))]
    pub limit: usize,
}

fn default_limit() -> usize {
    1000
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Id of the project.
    pub project_id: String,
    /// Path of the folder, empty for the project's.
    pub folder: String,
    /// Folders in it, by name.
    pub folders: Vec<FolderRow>,
    /// Files in it, by name.
    pub files: Vec<FileRow>,
    /// Count of files in it beyond the limit.
    pub omitted_files: u64,
    /// Languages of all files below it, by size.
    pub languages: Vec<LanguageRow>,
    /// Count of new or changed files of the project that wait to be read.
    pub pending_files: u64,
    /// Seconds since the files outside of this answer were last compared with the index. Omitted if they were compared
    /// for this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked_seconds: Option<u64>,
}

fn explore_code(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let project = input.project_id.clone();
    let mut output =
        current::answer(context, Some(&project), |context, left_out| draft(context, &input, left_out))?;
    if is_empty(&output) && !output.folder.is_empty() {
        return Err(Error::invalid(format!(
            "folder must contain indexed files; there are none in {:?}",
            echo(&output.folder)
        )));
    }
    output.unchecked_seconds = context.unchecked_seconds;
    Ok(output)
}

fn is_empty(output: &Output) -> bool {
    output.folders.is_empty() && output.files.is_empty() && output.omitted_files == 0
}

fn draft(context: &mut Context<'_>, input: &Input, left_out: &Shown) -> Result<current::Draft<Output>> {
    let unstored = context.unstored.clone();
    // In a read-only database, these may be files that were deleted.
    let unseen = if context.memory.database().is_read_only() { Shown::new() } else { context.unseen.clone() };
    context.memory.read(|tx| {
        let project = projects::get(tx, &input.project_id)?;
        let folder = input.folder.trim_end_matches('/');
        let folders = project_files::folders(tx, project.number, folder)?;
        let (mut files, count) = project_files::files(tx, project.number, folder, input.limit)?;
        let omitted_files = count.saturating_sub(u64::try_from(files.len()).unwrap_or(u64::MAX));
        let key = |file: &FileRow| (project.number, file.path.clone());
        // One that cannot be read is there nevertheless.
        files.retain(|file| !left_out.contains(&key(file)) || unseen.contains(&key(file)));
        for file in files.iter_mut().filter(|file| left_out.contains(&key(file)) && file.skipped.is_none()) {
            file.is_pending = true;
        }
        let shown = files.iter().map(key).collect();
        let languages = project_files::languages(tx, project.number, folder)?;
        let folder = folder.to_owned();
        let answer = Output {
            project_id: project.id,
            folder,
            folders,
            files,
            omitted_files,
            languages,
            pending_files: projects::pending_files(tx, Some(project.number))?
                + current::uncounted(tx, &unstored, Some(project.number))?,
            unchecked_seconds: None,
        };
        let lack = if is_empty(&answer) { Lack::Answer } else { Lack::Results };
        Ok(current::Draft { answer, shown, lack })
    })
}
