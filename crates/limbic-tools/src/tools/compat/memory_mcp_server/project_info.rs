//! The tool project_info.

use limbic_core::{
    Error, Result,
    explore::project_files::{self, LanguageRow},
    store::code::projects,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    tool::tool,
    tools::code::{get_index_status, index_project, list_projects},
};

tool! {
    /// List projects, index one, or show the progress or the counts of one: action list, index, status or stats.
    name: "project_info",
    title: "Project info",
    toolset: Code,
    access: Write,
    idempotent: true,
    offered_read_only: true,
    example: r#"{"action": "list"}"#,
    handler: project_info,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Action {
    List,
    Index,
    Status,
    Stats,
}

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// list: all projects; index: the folder at path; status: progress; stats: counts.
    pub action: Action,
    /// Id of the project, for status and stats.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: Option<String>,
    /// The same as project_id.
    #[serde(rename = "projectId")]
    #[schemars(length(min = 1, max = 200))]
    pub project: Option<String>,
    /// Folder of the project, for index.
    #[schemars(length(min = 1, max = 4096))]
    pub path: Option<String>,
    /// For index: re-index unchanged files, too.
    #[serde(default)]
    pub force: bool,
}

/// Counts of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Stats {
    /// Id.
    pub project_id: String,
    /// Count of files.
    pub total_files: u64,
    /// Count of chunks.
    pub total_chunks: u64,
    /// Count of symbols.
    pub total_symbols: u64,
    /// Languages, by size.
    pub languages: Vec<LanguageRow>,
}

/// Answer: the fields of the action.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// Of list.
    #[serde(flatten)]
    pub list: Option<list_projects::Output>,
    /// Of index.
    #[serde(flatten)]
    pub index: Option<index_project::Output>,
    /// Of status.
    #[serde(flatten)]
    pub status: Option<get_index_status::Output>,
    /// Of stats.
    #[serde(flatten)]
    pub stats: Option<Stats>,
}

fn project_info(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let Input { action, project_id, project, path, force } = input;
    let named = |argument: &str, value: Option<String>| {
        value.ok_or_else(|| Error::invalid(format!("{argument} is missing: this action needs it")))
    };
    let nothing = Output::default();
    Ok(match action {
        Action::List => {
            Output { list: Some(list_projects::list_projects(context, list_projects::Input {})?), ..nothing }
        }
        Action::Index => {
            let path = named("path", path)?;
            let input = index_project::Input {
                path,
                project_id: project_id.or(project),
                include: None,
                exclude: None,
                force,
                wait: false,
                watch: None,
            };
            Output { index: Some(index_project::index_project(context, input)?), ..nothing }
        }
        Action::Status => {
            let project_id = named("project_id", project_id.or(project))?;
            let input = get_index_status::Input { project_id };
            Output { status: Some(get_index_status::get_index_status(context, input)?), ..nothing }
        }
        Action::Stats => {
            let id = named("project_id", project_id.or(project))?;
            Output { stats: Some(stats(context, &id)?), ..nothing }
        }
    })
}

fn stats(context: &mut Context<'_>, id: &str) -> Result<Stats> {
    context.memory.read(|tx| {
        let project = projects::get(tx, id)?;
        let counts = projects::counts(tx, project.number)?;
        Ok(Stats {
            total_files: counts.files,
            total_chunks: counts.chunks,
            total_symbols: projects::symbols(tx, project.number)?,
            languages: project_files::languages(tx, project.number, "")?,
            project_id: project.id,
        })
    })
}
