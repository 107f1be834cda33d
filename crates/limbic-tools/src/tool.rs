//! The declaration of tools.

use limbic_core::{Error, Result};
use schemars::{JsonSchema, Schema};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{context::Context, schema};

/// A group of tools that is offered as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// Entities, observations, relations, reflections.
    Graph,
    /// Memories, their links and their maintenance.
    Memory,
    /// Domains, which separate memories.
    Domain,
    /// The code index.
    Code,
    /// Tools for the explorer's pages.
    Explorer,
    /// The tool that lists and calls the tools that are not offered.
    More,
}

impl Toolset {
    /// Returns its name in options and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Memory => "memory",
            Self::Domain => "domain",
            Self::Code => "code",
            Self::Explorer => "explorer",
            Self::More => "more",
        }
    }

    /// Whether `all` includes it. Toolsets for pages would only fill the context of agents, and `all` leaves no more
    /// tools to list.
    #[must_use]
    pub fn is_for_agents(self) -> bool {
        match self {
            Self::Graph | Self::Memory | Self::Domain | Self::Code => true,
            Self::Explorer | Self::More => false,
        }
    }
}

/// The toolset of tools that are part of another toolset as well, but not offered by default.
pub const ADVANCED: &str = "advanced";

/// The former name of [`ADVANCED`], which is accepted for one more version.
pub const FORMER_ADVANCED: &str = "care";

/// A tool's access to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads; a search may be logged and counted.
    Read,
    /// Adds or changes.
    Write,
    /// Deletes.
    Destroy,
}

impl Access {
    /// Returns its name in `tools.json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "destroy",
        }
    }
}

/// The argument of tools with a dry run.
const DRY_RUN: &str = "dry_run";

/// A tool. Declared by `tool!`, which takes types and schemas from the handler.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The name that clients call.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The description: what it does and when to use it.
    pub doc: &'static str,
    /// Its toolset.
    pub toolset: Toolset,
    /// Whether it is also part of the toolset `advanced`, and not offered by default.
    pub is_advanced: bool,
    /// The arguments to list where `more_tools` shows the others; empty for all. All of them are accepted.
    pub brief: &'static [&'static str],
    /// Its access.
    pub access: Access,
    /// Whether a repeated call with the same arguments has no further effect.
    pub idempotent: bool,
    /// Whether a writing tool is offered with a read-only database, because some of its calls only read.
    pub offered_read_only: bool,
    /// Whether a call of a writing tool only reads unless its argument `dry_run` is false.
    pub dry_run_by_default: bool,
    /// Aliases that are accepted but not listed.
    pub aliases: &'static [&'static str],
    /// Example arguments as JSON, run by a test.
    pub example: &'static str,
    /// JSON Schema of the arguments. Cached, because generating it is slower than validating a call.
    pub input: fn() -> &'static Schema,
    /// JSON Schema of the answer.
    pub output: fn() -> Schema,
    /// Returns the texts to embed before a call, if the tool needs any.
    pub texts: Option<fn(&Value) -> Vec<String>>,
    /// The argument that names a file for the shell to open.
    pub file_argument: Option<&'static str>,
    /// Starts a call in steps, for tools whose calls may take long.
    pub steps: Option<Begin>,
    /// Returns what to ask a person before a call that destroys something.
    pub confirm: Option<Confirm>,
    /// Whether its purpose is to change the session: not listed for clients of protocols without sessions.
    pub is_for_sessions: bool,
    /// Whether a tool of another toolset than `code` needs the code index: offered only together with that toolset.
    pub needs_code: bool,
    /// Runs the tool on validated arguments, to the end.
    pub run: fn(&mut Context<'_>, Value) -> Result<Value>,
    /// As `run`, with the answer as JSON text, where a large answer is written as it is stored: a copy of it as a value
    /// takes longer than everything else.
    pub run_to_text: Option<fn(&mut Context<'_>, Value) -> Result<String>>,
}

/// Returns the question that a person is to answer before the call, as one line; `None` if the call destroys nothing.
pub type Confirm = fn(&mut Context<'_>, Value) -> Result<Option<String>>;

/// Starts a call in steps.
pub type Begin = fn(Value) -> Result<Box<dyn Steps>>;

/// A call in steps; other calls may run in between.
pub trait Steps {
    /// Runs the next step; returns the answer after the last one. The context contains the call's file each time.
    ///
    /// # Errors
    /// Errors of the tool; no further step may be run.
    fn step(&mut self, context: &mut Context<'_>) -> Result<Option<Value>>;

    /// Returns the error for a call that is stopped, by a failure outside of its tool, or else by its client. A step
    /// may have panicked.
    fn interrupted(&self, cause: Option<Error>) -> Error;
}

impl Tool {
    /// The names and aliases that clients may call.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether it is offered with a read-only database.
    #[must_use]
    pub fn is_offered_read_only(&self) -> bool {
        self.access == Access::Read || self.offered_read_only
    }

    /// Whether a call with these arguments only reads.
    #[must_use]
    pub fn only_reads(&self, arguments: &Value) -> bool {
        let is_dry_run = || arguments.get(DRY_RUN).is_none_or(|given| given == &Value::Bool(true));
        self.access == Access::Read || (self.dry_run_by_default && is_dry_run())
    }

    /// Whether it uses the code index.
    #[must_use]
    pub fn is_for_code(&self) -> bool {
        self.toolset == Toolset::Code || self.needs_code
    }

    /// Whether it has this name or alias.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Whether a toolset of this name includes it; `all` is none.
    #[must_use]
    pub fn is_in(&self, toolset: &str) -> bool {
        toolset == self.toolset.name() || (self.is_advanced && [ADVANCED, FORMER_ADVANCED].contains(&toolset))
    }

    /// Returns the first sentence of the description.
    #[must_use]
    pub fn first_sentence(&self) -> String {
        let description = self.description();
        description.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
    }

    /// Returns the description in one line.
    #[must_use]
    pub fn description(&self) -> String {
        self.doc.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Declares a tool. The doc comment is its description; types and schemas come from the handler.
macro_rules! tool {
    (
        $(#[doc = $doc:literal])+
        name: $name:literal,
        title: $title:literal,
        toolset: $toolset:ident,
        $(advanced: $advanced:literal,)?
        $(brief: $brief:expr,)?
        access: $access:ident,
        idempotent: $idempotent:literal,
        $(offered_read_only: $read_only:literal,)?
        $(dry_run_by_default: $dry_run:literal,)?
        $(aliases: $aliases:expr,)?
        $(texts: $texts:expr,)?
        $(file_argument: $file:literal,)?
        $(steps: $steps:expr,)?
        $(confirm: $confirm:expr,)?
        $(for_sessions: $for_sessions:literal,)?
        $(needs_code: $needs_code:literal,)?
        $(large: $large:literal,)?
        example: $example:literal,
        handler: $handler:expr $(,)?
    ) => {
        #[doc = concat!("The tool `", $name, "`.")]
        pub const TOOL: $crate::tool::Tool = $crate::tool::Tool {
            name: $name,
            title: $title,
            doc: concat!($($doc, "\n"),+),
            toolset: $crate::tool::Toolset::$toolset,
            is_advanced: $crate::tool::tool!(@flag $($advanced)?),
            brief: $crate::tool::tool!(@list $($brief)?),
            access: $crate::tool::Access::$access,
            idempotent: $idempotent,
            offered_read_only: $crate::tool::tool!(@flag $($read_only)?),
            dry_run_by_default: $crate::tool::tool!(@flag $($dry_run)?),
            aliases: $crate::tool::tool!(@list $($aliases)?),
            example: $example,
            input: || {
                static SCHEMA: std::sync::LazyLock<schemars::Schema> =
                    std::sync::LazyLock::new(|| $crate::tool::input_schema($handler));
                &SCHEMA
            },
            output: || $crate::tool::output_schema($handler),
            texts: $crate::tool::tool!(@texts $($texts)?),
            file_argument: $crate::tool::tool!(@file $($file)?),
            steps: $crate::tool::tool!(@steps $($steps)?),
            confirm: $crate::tool::tool!(@confirm $($confirm)?),
            is_for_sessions: $crate::tool::tool!(@flag $($for_sessions)?),
            needs_code: $crate::tool::tool!(@flag $($needs_code)?),
            run: |context, arguments| $crate::tool::run($handler, context, arguments),
            run_to_text: $crate::tool::tool!(@text $handler $(, $large)?),
        };
    };
    (@flag) => { false };
    (@flag $flag:literal) => { $flag };
    (@text $handler:expr) => { None };
    (@text $handler:expr, $large:literal) => {
        Some(|context, arguments| $crate::tool::run_to_text($handler, context, arguments))
    };
    (@list) => { &[] };
    (@list $list:expr) => { $list };
    (@texts) => { None };
    (@texts $texts:expr) => { Some($texts) };
    (@file) => { None };
    (@file $file:literal) => { Some($file) };
    (@confirm) => { None };
    (@confirm $confirm:expr) => { Some(|context, arguments| $crate::tool::confirm($confirm, context, arguments)) };
    (@steps) => { None };
    (@steps $steps:expr) => { Some(|arguments| $crate::tool::begin($steps, arguments)) };
}
pub(crate) use tool;

/// The signature of a tool's handler.
pub type Handler<I, O> = fn(&mut Context<'_>, I) -> Result<O>;

pub(crate) fn input_schema<I: JsonSchema, O>(_: Handler<I, O>) -> Schema {
    schema::of::<I>()
}

pub(crate) fn output_schema<I, O: JsonSchema>(_: Handler<I, O>) -> Schema {
    schema::of_answer::<O>()
}

pub(crate) fn run<I: DeserializeOwned, O: Serialize>(
    handler: Handler<I, O>,
    context: &mut Context<'_>,
    arguments: Value,
) -> Result<Value> {
    value_of(handler(context, input_of(arguments)?)?)
}

pub(crate) fn run_to_text<I: DeserializeOwned, O: Serialize>(
    handler: Handler<I, O>,
    context: &mut Context<'_>,
    arguments: Value,
) -> Result<String> {
    limbic_json::to_text(&handler(context, input_of(arguments)?)?)
        .map_err(|error| Error::Internal(error.to_string()))
}

pub(crate) fn confirm<I: DeserializeOwned>(
    confirm: fn(&mut Context<'_>, I) -> Result<Option<String>>,
    context: &mut Context<'_>,
    arguments: Value,
) -> Result<Option<String>> {
    confirm(context, input_of(arguments)?)
}

pub(crate) fn begin<I: DeserializeOwned, S: Steps + 'static>(
    begin: fn(I) -> S,
    arguments: Value,
) -> Result<Box<dyn Steps>> {
    Ok(Box::new(begin(input_of(arguments)?)))
}

fn input_of<I: DeserializeOwned>(arguments: Value) -> Result<I> {
    serde_json::from_value(arguments).map_err(|error| Error::invalid(format!("Invalid arguments: {error}")))
}

/// Serialises an answer.
pub(crate) fn value_of<O: Serialize>(output: O) -> Result<Value> {
    serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()))
}
