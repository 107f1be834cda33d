//! What a tool is.

use limbic_core::{Error, Result};
use schemars::{JsonSchema, Schema};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{context::Context, schema};

/// A group of tools that is offered or not as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// Entities, observations, relations, reflections.
    Graph,
    /// Memories, their links and their life.
    Memory,
    /// The domains that keep them apart.
    Domain,
    /// What a page needs to draw, list and count.
    Explorer,
}

impl Toolset {
    /// Its name in options and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Memory => "memory",
            Self::Domain => "domain",
            Self::Explorer => "explorer",
        }
    }

    /// Whether `all` means it too. One for pages would only fill the contexts of agents.
    #[must_use]
    pub fn is_for_agents(self) -> bool {
        match self {
            Self::Graph | Self::Memory | Self::Domain => true,
            Self::Explorer => false,
        }
    }
}

/// What a tool may do to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Changes nothing that was said; a search may record that it took place.
    Read,
    /// Adds or changes.
    Write,
    /// Takes away.
    Destroy,
}

impl Access {
    /// Its name in `tools.json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "destroy",
        }
    }
}

/// One tool. Made by `tool!`, which takes types and schemas from the handler.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The name that clients call.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// What it does and when to use it: the text that a model chooses by.
    pub doc: &'static str,
    /// Where it belongs.
    pub toolset: Toolset,
    /// What it may do.
    pub access: Access,
    /// Whether calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// Whether it is offered, though it may write, where the memory is open for reading only: some of its calls only read.
    pub offered_read_only: bool,
    /// Other names that are answered, but not listed.
    pub aliases: &'static [&'static str],
    /// Arguments that a test calls it with, as JSON.
    pub example: &'static str,
    /// JSON Schema of the arguments. Made once: every call is held against it, and making it takes longer than that.
    pub input: fn() -> &'static Schema,
    /// JSON Schema of the answer.
    pub output: fn() -> Schema,
    /// What must be embedded before the call, where something may have to.
    pub texts: Option<fn(&Value) -> Vec<String>>,
    /// The argument that names a file which the shell must read.
    pub file_argument: Option<&'static str>,
    /// Begins a call on such arguments that goes on step by step, where calls may take long.
    pub steps: Option<Begin>,
    /// Runs it on arguments that fit the schema, to the end.
    pub run: fn(&mut Context<'_>, Value) -> Result<Value>,
}

/// Begins a call that goes on step by step.
pub type Begin = fn(Value) -> Result<Box<dyn Steps>>;

/// A call that goes on step by step; others may be run in between.
pub trait Steps {
    /// Goes one step on; answers after the last. The context has the call's file each time.
    ///
    /// # Errors
    /// Those of the tool; no further step is made then.
    fn step(&mut self, context: &mut Context<'_>) -> Result<Option<Value>>;

    /// What the caller is told when no further step is made.
    fn interrupted(&self) -> Error;
}

impl Tool {
    /// Whether it is offered where the memory is open for reading only.
    #[must_use]
    pub fn is_offered_read_only(&self) -> bool {
        self.access == Access::Read || self.offered_read_only
    }

    /// Whether a call of this name is for it.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// The doc in one line.
    #[must_use]
    pub fn description(&self) -> String {
        self.doc.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// States a tool. The doc comment is its description; everything about types comes from the handler.
macro_rules! tool {
    (
        $(#[doc = $doc:literal])+
        name: $name:literal,
        title: $title:literal,
        toolset: $toolset:ident,
        access: $access:ident,
        idempotent: $idempotent:literal,
        $(offered_read_only: $read_only:literal,)?
        $(aliases: $aliases:expr,)?
        $(texts: $texts:expr,)?
        $(file_argument: $file:literal,)?
        $(steps: $steps:expr,)?
        example: $example:literal,
        handler: $handler:expr $(,)?
    ) => {
        #[doc = concat!("The tool `", $name, "`.")]
        pub const TOOL: $crate::tool::Tool = $crate::tool::Tool {
            name: $name,
            title: $title,
            doc: concat!($($doc, "\n"),+),
            toolset: $crate::tool::Toolset::$toolset,
            access: $crate::tool::Access::$access,
            idempotent: $idempotent,
            offered_read_only: $crate::tool::tool!(@read_only $($read_only)?),
            aliases: $crate::tool::tool!(@aliases $($aliases)?),
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
            run: |context, arguments| $crate::tool::run($handler, context, arguments),
        };
    };
    (@read_only) => { false };
    (@read_only $read_only:literal) => { $read_only };
    (@aliases) => { &[] };
    (@aliases $aliases:expr) => { $aliases };
    (@texts) => { None };
    (@texts $texts:expr) => { Some($texts) };
    (@file) => { None };
    (@file $file:literal) => { Some($file) };
    (@steps) => { None };
    (@steps $steps:expr) => { Some(|arguments| $crate::tool::begin($steps, arguments)) };
}
pub(crate) use tool;

/// How every tool is written.
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

pub(crate) fn begin<I: DeserializeOwned, S: Steps + 'static>(
    begin: fn(I) -> S,
    arguments: Value,
) -> Result<Box<dyn Steps>> {
    Ok(Box::new(begin(input_of(arguments)?)))
}

fn input_of<I: DeserializeOwned>(arguments: Value) -> Result<I> {
    serde_json::from_value(arguments)
        .map_err(|error| Error::invalid(format!("The arguments do not fit this tool: {error}")))
}

/// An answer as a value.
pub(crate) fn value_of<O: Serialize>(output: O) -> Result<Value> {
    serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()))
}
