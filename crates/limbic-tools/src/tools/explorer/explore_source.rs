//! The tool explore_source.

use limbic_code::SkipReason;
use limbic_core::{
    Error, Result, Transaction,
    explore::project_files::{self, DefinitionRow},
    model::text::echo,
    mutations::code::content_hash,
    store::code::{
        files::{self, CodeFile},
        projects::{self, Project},
    },
};
use limbic_guard::redact_secret_lines;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    code_files::Found,
    context::Context,
    indexing::Shown,
    tool::tool,
    tools::code::{
        current,
        linked_memories::{LinkedMemory, SymbolMemories},
    },
};

tool! {
    /// Return the text of an indexed file as it is on disk now, with the definitions in it and their memories. Lines
    /// that contain secrets are replaced.
    name: "explore_source",
    title: "Explore a source file",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    needs_code: true,
    example: r#"{"project_id": "shop", "file_path": "server/orders.py"}"#,
    handler: explore_source,
}

/// Maximum number of attempts to read a file that changes meanwhile.
const MAX_READS: usize = 4;

/// Maximum number of memories of a file.
const MAX_MEMORIES: usize = 100;

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the project.
    #[schemars(length(min = 1, max = 200))]
    pub project_id: String,
    /// Path of the file in the project.
    #[schemars(length(min = 1, max = 4096))]
    pub file_path: String,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Id of the project.
    pub project_id: String,
    /// Path of the file in the project.
    pub file_path: String,
    /// Language.
    pub language: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Text.
    pub text: String,
    /// Count of lines that are replaced because they contain a secret.
    pub redacted_lines: usize,
    /// Definitions, in the order of the text.
    pub definitions: Vec<DefinitionRow>,
    /// Up to 100 memories of these definitions.
    pub memories: Vec<LinkedMemory>,
}

/// The index's data about a file.
struct Indexed {
    project: Project,
    file: CodeFile,
    language: String,
    skipped: Option<String>,
    definitions: Vec<DefinitionRow>,
    memories: Vec<LinkedMemory>,
}

fn explore_source(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let number = context.memory.read(|tx| Ok(projects::get(tx, &input.project_id)?.number))?;
    let mut shown = Shown::from([(number, input.file_path.clone())]);
    for _ in 0..MAX_READS {
        current::refresh(context, &shown)?;
        let mut linked = SymbolMemories::new(context);
        let Indexed { project, file, language, skipped, definitions, memories } =
            context.memory.read(|tx| indexed(tx, &input, &mut linked))?;
        let files = linked.into_files();
        if !files.is_subset(&shown) {
            // Links may lead to other files, too, where a symbol was before it moved.
            shown.extend(files);
            continue;
        }
        // A file whose language has no parser in this build is text nevertheless.
        if let Some(why) = skipped.filter(|why| why != SkipReason::NoGrammar.message()) {
            return Err(not_shown(&input.file_path, &why));
        }
        let bytes = match context.code_files()?.read(&project.path, &file.path) {
            Found::File((_, bytes)) => bytes,
            Found::Gone => continue,
            Found::Unreadable(reason) => return Err(not_shown(&file.path, &reason)),
            Found::NoProject => {
                return Err(not_shown(&file.path, "this server cannot reach the folder of the project"));
            }
        };
        // Only the indexed content was checked for whether it may be shown.
        if content_hash(&bytes) != file.hash {
            continue;
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let (text, redacted_lines) = redact_secret_lines(&String::from_utf8_lossy(text));
        return Ok(Output {
            project_id: project.id,
            file_path: file.path,
            language,
            bytes: bytes.len(),
            text,
            redacted_lines,
            definitions,
            memories,
        });
    }
    Err(not_shown(&input.file_path, "it has changed since it was indexed; try again later"))
}

fn indexed(tx: &Transaction<'_>, input: &Input, linked: &mut SymbolMemories) -> Result<Indexed> {
    let project = projects::get(tx, &input.project_id)?;
    let Some(file) = files::at(tx, project.number, &input.file_path)? else {
        return Err(Error::invalid(format!(
            "file_path must be an indexed file of the project; {:?} is not indexed",
            echo(&input.file_path)
        )));
    };
    let (language, skipped) = project_files::language_and_error(tx, file.id)?;
    let definitions = project_files::definitions(tx, file.id)?;
    let memories = linked.of_file(tx, &input.project_id, &input.file_path, MAX_MEMORIES)?;
    Ok(Indexed { project, file, language, skipped, definitions, memories })
}

fn not_shown(path: &str, why: &str) -> Error {
    Error::invalid(format!("{} cannot be shown: {why}", echo(path)))
}
