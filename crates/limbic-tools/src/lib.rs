//! The registry and every tool.
//!
//! A tool is declared once, in its file under `tools/`: name, title, doc, toolset, access, input and output types,
//! handler. The JSON Schemas, `tools.json`, `types.ts`, MCP's tools/list, the CLI and the READMEs' tables are
//! generated from that. Only this crate reads and writes JSON; it depends on neither MCP nor files nor threads.

mod arguments;
mod audit;
mod budget;
mod call_limits;
mod code_files;
mod comparisons;
mod test_clock;
mod timed_calls;
mod context;
mod event_ids;
mod cursor;
mod deferred;
mod empty_database;
mod export;
mod failure;
mod file_call;
mod framing;
mod generate;
mod secret_check;
mod hooks;
mod import;
mod index_between_calls;
mod indexing;
mod instructions;
mod limbic;
mod memory_markdown;
mod suggest;
mod options;
mod percent_encoding;
mod phrasings;
mod prompts;
mod records;
mod redact;
mod registry;
mod resources;
mod scan_limits;
mod schema;
mod source;
mod surreal_ids;
mod tool;
mod topic_secrets;
mod user_scope;
mod tools;
mod views;
mod watching;
mod withheld;

pub use call_limits::{Stop, TimeLimits, call_limits_ts};
pub use code_files::{
    CodeFiles, FileStat, FolderProblem, Found, PathState, ProjectFolder, StaticVectors, UNWANTED_FACTOR,
    Walk, Walked,
};
pub use empty_database::{CREATED, empty_database};
pub use export::{DATABASE_FORMATS, EXPORT_FORMATS, Exported, ReadingCopy};
pub use failure::{error_json, error_json_for, hint};
pub use file_call::FileCall;
pub use generate::{catalog_json, tool_table, tools_json, toolset_table, types_ts};
pub use hooks::HOOKS;
pub use indexing::IndexStep;
pub use instructions::{instructions, instructions_ts, instructions_without_sessions};
pub use limbic::{Answer, Limbic};
pub use limbic_core::{
    Caller, Error, Host, SessionDomain, SessionId, db::IsAbandoned, db::erasing::Compacted,
    db::integrity::Integrity, store::origins::Kind as CallerKind,
};
pub use options::{COMPAT_NAMES, OUTPUT_SCHEMAS, Options, Shell, WriteRights};
pub use prompts::prompts_json;
pub use registry::{ALL_TOOLSETS, TOOLS, is_toolset, offered, toolset_names};
pub use resources::{resource_templates_json, resources_json};
pub use source::{FolderFile, Neighbour, Source};
pub use suggest::nearest;
pub use tool::{ADVANCED, Access, Tool, Toolset};
pub use watching::WatchedProject;
pub use withheld::{arguments_without_secrets, without_secrets};
