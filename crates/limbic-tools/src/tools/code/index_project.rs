//! The tool index_project.

mod moved_project;

use limbic_core::{
    Error, Result, Transaction,
    model::{globs, text::echo},
    store::code::projects::{self, Patterns, Project},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    code_files::{FolderProblem, ProjectFolder},
    context::Context,
    indexing::{self, IndexStep},
    tool::{Steps, tool, value_of},
};

tool! {
    /// Index a folder's source code for search_code, search_symbols and symbol_graph; call it again to index changes.
    /// Indexes in the background: get_index_status shows the progress. Skips what .gitignore or .memoryignore excludes.
    name: "index_project",
    title: "Index a project",
    toolset: Code,
    access: Write,
    idempotent: true,
    steps: IndexCall::new,
    example: r#"{"path": "."}"#,
    handler: index_project,
}

/// Maximum number of patterns of one kind.
const MAX_PATTERNS: usize = 100;

/// Maximum number of characters of the patterns of one kind with their braces expanded: each file's path is compared
/// with all of them.
const MAX_PATTERN_CHARS: usize = 10_000;

/// Arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder of the project.
    #[schemars(length(min = 1, max = 4096))]
    pub path: String,
    /// Id for other tools. Default: name of the git repository, or of the folder.
    #[schemars(length(min = 1, max = 100))]
    pub project_id: Option<String>,
    /// Patterns of files to index, such as "src/**" or "*.py". Default: unchanged.
    pub include: Option<Vec<String>>,
    /// Patterns of files and folders to leave out. Default: unchanged.
    pub exclude: Option<Vec<String>>,
    /// Re-index unchanged files, too.
    #[serde(default)]
    pub force: bool,
    /// Return when indexing is complete.
    #[serde(default)]
    pub wait: bool,
    /// Index files as they change, while a server runs. Default: unchanged.
    pub watch: Option<bool>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Id of the project.
    pub project_id: String,
    /// indexing, completed or failed.
    pub status: &'static str,
    /// Count of files indexed so far.
    pub files_indexed: u64,
    /// Count of files found so far.
    pub total_files: u64,
    /// Count of chunks.
    pub chunks_created: u64,
    /// Patterns of files that are indexed; all if absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub include: Vec<String>,
    /// Patterns of files that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub exclude: Vec<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

pub(crate) fn index_project(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let wait = input.wait;
    let project = start(context, &input)?;
    let mut reported = 0;
    while wait && step(context, &project)? {
        report(context, &project, &mut reported)?;
    }
    answer(context, &project.id)
}

/// A call that waits until a project is indexed.
pub struct IndexCall {
    input: Input,
    project: Option<Project>,
    /// The progress that was reported last.
    reported: u64,
}

impl IndexCall {
    fn new(input: Input) -> Self {
        Self { input, project: None, reported: 0 }
    }
}

impl Steps for IndexCall {
    fn step(&mut self, context: &mut Context<'_>) -> Result<Option<Value>> {
        let Some(project) = &self.project else {
            self.project = Some(start(context, &self.input)?);
            return Ok(None);
        };
        if self.input.wait && step(context, project)? {
            report(context, project, &mut self.reported)?;
            return Ok(None);
        }
        Ok(Some(value_of(answer(context, &project.id)?)?))
    }

    fn interrupted(&self, cause: Option<Error>) -> Error {
        cause.unwrap_or(Error::IndexInterrupted)
    }
}

/// Registers the project and starts a sweep.
fn start(context: &mut Context<'_>, input: &Input) -> Result<Project> {
    for (argument, given) in [("include", &input.include), ("exclude", &input.exclude)] {
        check_patterns(argument, given.as_deref().unwrap_or_default())?;
    }
    if let Some(id) = &input.project_id {
        check_id(id)?;
    }
    let is_remote = context.options.remote;
    let folder = context.code_files()?.project(&input.path).map_err(|problem| {
        Error::invalid(if is_remote { NOT_INDEXABLE.to_owned() } else { invalid_path(&input.path, problem) })
    })?;
    let moved = moved_project::find(context, &folder.path, input.project_id.as_deref())?;
    context.memory.write(|tx| {
        if let Some(number) = moved {
            projects::relocate(tx, number, &folder.path)?;
        }
        let id = match &input.project_id {
            Some(id) => id.clone(),
            None => default_id(tx, &folder)?,
        };
        let patterns = Patterns { include: input.include.as_deref(), exclude: input.exclude.as_deref() };
        let project = projects::start(tx, &id, &folder.path, patterns, input.force)?;
        if let Some(watch) = input.watch {
            projects::set_watched(tx, project.number, watch)?;
        }
        Ok(project)
    })
}

/// Runs one step for the project. Returns whether more remains to be done.
fn step(context: &mut Context<'_>, project: &Project) -> Result<bool> {
    let server = context.server;
    let Some(files) = &mut context.code else { return Ok(false) };
    Ok(match indexing::step(context.memory, &mut **files, server, Some(project.number))? {
        IndexStep::Worked => {
            *context.indexing_problem = None;
            true
        }
        IndexStep::Busy => {
            files.pause();
            true
        }
        IndexStep::Idle => false,
    })
}

/// Reports the progress, unless it is less than before: a file may be resolved again.
fn report(context: &mut Context<'_>, project: &Project, reported: &mut u64) -> Result<()> {
    let (done, total) = context.memory.read(|tx| projects::work(tx, project.number))?;
    if done > *reported {
        *reported = done;
        (context.progress)(done, total);
    }
    Ok(())
}

fn answer(context: &mut Context<'_>, id: &str) -> Result<Output> {
    context.memory.read(|tx| {
        let project = projects::get(tx, id)?;
        let counts = projects::counts(tx, project.number)?;
        Ok(Output {
            project_id: project.id,
            status: project.status.name(),
            files_indexed: counts.files - counts.pending,
            total_files: counts.files,
            chunks_created: counts.chunks,
            include: project.include,
            exclude: project.exclude,
            error_message: project.error_message,
        })
    })
}

fn check_patterns(argument: &str, given: &[String]) -> Result<()> {
    let is_pattern = |text: &String| !text.trim().is_empty() && !text.chars().any(char::is_control);
    if given.len() > MAX_PATTERNS {
        return Err(Error::invalid(format!(
            "{argument} must have at most {MAX_PATTERNS} patterns, but got {}",
            given.len()
        )));
    }
    if let Some(wrong) = given.iter().find(|text| !is_pattern(text)) {
        return Err(Error::invalid(format!(
            "{argument} must hold patterns such as \"src/**\" or \"*.py\", but got {:?}",
            echo(wrong)
        )));
    }
    if let Some((wrong, problem)) = given.iter().find_map(|text| Some((text, globs::problem(text)?))) {
        return Err(Error::invalid(format!(
            "{argument} must hold patterns such as \"src/**\" or \"*.py\", but {:?} {}",
            echo(wrong),
            problem.message()
        )));
    }
    let chars: usize = given.iter().map(|pattern| globs::expanded_chars(pattern)).sum();
    if chars > MAX_PATTERN_CHARS {
        return Err(Error::invalid(format!(
            "The patterns of {argument} may have at most {MAX_PATTERN_CHARS} characters with their braces expanded, \
             but have {chars}: use fewer or shorter ones"
        )));
    }
    Ok(())
}

/// Checks the id of a project: in the ids of symbols it precedes a colon.
fn check_id(id: &str) -> Result<()> {
    let is_id =
        !id.trim().is_empty() && !id.chars().any(|letter| letter.is_control() || ":#".contains(letter));
    if is_id {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "project_id must not be blank and must contain neither ':' nor '#' nor control characters, but got {:?}",
        echo(id)
    )))
}

/// Returns the id of the folder's project, or else the folder's name, with a number if another project has that id.
fn default_id(tx: &Transaction<'_>, folder: &ProjectFolder) -> Result<String> {
    if let Some(known) = projects::at(tx, &folder.path)? {
        return Ok(known.id);
    }
    let name: String = folder
        .name
        .chars()
        .map(|letter| if letter.is_control() || ":#".contains(letter) { '-' } else { letter })
        .take(90)
        .collect();
    let name = if name.trim().is_empty() { "project".to_owned() } else { name };
    let taken: Vec<String> = projects::all(tx)?.into_iter().map(|project| project.id).collect();
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    Ok(std::iter::once(name.clone())
        .chain(numbered)
        .find(|id| !taken.contains(id))
        .unwrap_or_else(|| name.clone()))
}

/// The one answer for every path that a client over HTTP may not index, so that it does not learn which exist.
const NOT_INDEXABLE: &str = "Invalid path: clients over HTTP may index only folders that the server can read, below \
     the one that it was started with (--code-root)";

fn invalid_path(path: &str, problem: FolderProblem) -> String {
    let path = echo(path);
    match problem {
        FolderProblem::Missing => {
            format!("Invalid path: there is nothing at {path}. Give the folder of a project")
        }
        FolderProblem::NotAFolder => {
            format!("Invalid path: {path} is not a folder. Give the folder of a project")
        }
        FolderProblem::Outside { root } => format!(
            "Invalid path: {path} is outside {root}. Give a folder in it, or start the server with another \
             --code-root"
        ),
        FolderProblem::Other(reason) => format!("Invalid path: {path} cannot be read ({reason})"),
    }
}
