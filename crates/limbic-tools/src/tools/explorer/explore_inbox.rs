//! The tool explore_inbox.

use limbic_core::{
    Result, Transaction,
    explore::lists::memory_list::{self, MemoryRow},
    store::{
        memories::{self, Position},
        origins,
        project_folders::{self, ProjectFolder},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::Context,
    cursor,
    tool::tool,
    views::{memory::shown, origin::OriginView},
};

tool! {
    /// List the memories that await review, because an untrusted origin wrote, pinned or changed them. Until reviewed,
    /// hooks show them only in that origin's project. review_inbox accepts or rejects them. Also list folders that use
    /// a project's name.
    name: "explore_inbox",
    title: "Explore the inbox",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"limit": 20}"#,
    handler: explore_inbox,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only memories that the origin with this label wrote, pinned or changed.
    #[schemars(length(min = 1, max = 500))]
    pub origin: Option<String>,
    /// Maximum number of memories.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
}

fn default_limit() -> usize {
    100
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Newest first.
    pub memories: Vec<WaitingView>,
    /// Total count.
    pub total: usize,
    /// Untrusted origins of waiting memories, those with the most memories first.
    pub origins: Vec<WaitingOrigin>,
    /// Labels of trusted origins.
    pub trusted: Vec<String>,
    /// Folders of each project's name that several folders use, or whose folder is not confirmed. In a folder that is
    /// not confirmed, hooks withhold the project's memories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub folders: Vec<FolderView>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A folder that uses the name of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FolderView {
    /// Label, as review_inbox takes it.
    pub label: String,
    /// Name of the project.
    pub project: String,
    /// Last component of the path; empty if unknown.
    pub title: String,
    /// First 16 hexadecimal digits of the SHA-256 of the path.
    pub digest: String,
    /// Whether it may use the name: it was the first one, or was confirmed.
    pub confirmed: bool,
    /// Time of its first use.
    pub since: String,
}

impl From<ProjectFolder> for FolderView {
    fn from(folder: ProjectFolder) -> Self {
        Self {
            label: shown(folder.label()),
            project: shown(folder.project),
            title: shown(folder.title),
            digest: folder.digest,
            confirmed: folder.is_confirmed,
            since: folder.first_seen,
        }
    }
}

/// A memory that waits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingView {
    /// The memory.
    #[serde(flatten)]
    pub row: MemoryRow,
    /// Origin whose change has not been confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<OriginView>,
}

/// An untrusted origin of waiting memories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingOrigin {
    /// Label, as review_inbox takes it.
    pub label: String,
    /// Count of memories.
    pub waiting: usize,
}

fn explore_inbox(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(position).transpose()?;
    context.memory.read(|tx| {
        let found = memories::waiting(tx, input.origin.as_deref(), input.limit, after.as_ref())?;
        let memories = found.memories.into_iter().map(|memory| {
            let waits_for = origins::unconfirmed_of(tx, &memory.id)?.map(OriginView::from);
            Ok(WaitingView { row: memory_list::of(tx, memory)?, waits_for })
        });
        Ok(Output {
            memories: memories.collect::<Result<_>>()?,
            total: found.total,
            origins: waiting_origins(tx)?,
            trusted: origins::trusted(tx)?.into_iter().map(shown).collect(),
            folders: project_folders::contested(tx)?.into_iter().map(FolderView::from).collect(),
            next_cursor: found.last.as_ref().and_then(cursor_after),
        })
    })
}

/// Returns the cursor of the page after a memory.
fn cursor_after(last: &Position) -> Option<String> {
    Some(cursor::after(&[&cursor::key_of(&last.key)?, &last.row.to_string()]))
}

/// Parses a cursor.
fn position(text: &str) -> Result<Position> {
    let [key, row] = cursor::keys(text)?;
    let parsed = cursor::value_of(&key).zip(row.parse().ok());
    parsed.map(|(key, row)| Position { key, row }).ok_or_else(|| cursor::invalid(text))
}

fn waiting_origins(tx: &Transaction<'_>) -> Result<Vec<WaitingOrigin>> {
    let counts = memories::waiting_by_origin(tx)?.into_iter();
    Ok(counts.map(|(label, waiting)| WaitingOrigin { label: shown(label), waiting }).collect())
}
