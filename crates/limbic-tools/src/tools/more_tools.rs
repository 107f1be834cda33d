//! The tool more_tools.

use limbic_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Tool, Toolset, context::Context, schema, suggest::nearest, tool::tool};

tool! {
    /// List and call further tools: paths between entities and memories, communities, entity splits, duplicates,
    /// reports, reflections, maintenance, diagrams, import of other programs' memories. Without arguments, lists them.
    /// With name, returns the description and all arguments of that tool, or of one already listed. With name and
    /// arguments, calls it and returns its answer.
    name: "more_tools",
    title: "More tools",
    toolset: More,
    access: Destroy,
    idempotent: false,
    offered_read_only: true,
    example: r#"{"name": "consolidation_report"}"#,
    handler: more_tools,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of a tool.
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// Arguments of the call; {} for none.
    pub arguments: Option<Map<String, Value>>,
}

/// Answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The further tools, without name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tools: Vec<Line>,
    /// Name of the tool, with name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub input_schema: Option<Value>,
}

/// A tool in one line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line {
    /// Name.
    pub name: &'static str,
    /// What it does.
    pub does: String,
}

/// Returns the tool and the arguments that a call of this tool names; `None` for other tools, and for a call that asks
/// for a list or a schema.
pub fn named_call<'a>(tool: &Tool, arguments: &'a Value) -> Option<(&'a str, &'a Value)> {
    let called = arguments.get("arguments").filter(|called| called.is_object())?;
    let name = arguments.get("name")?.as_str()?;
    (tool.toolset == Toolset::More && name != tool.name).then_some((name, called))
}

fn more_tools(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let Some(name) = input.name else {
        if input.arguments.is_some() {
            return Err(Error::invalid("arguments needs name: the tool to call"));
        }
        let is_offered = |tool: &Tool| context.offered.iter().any(|other| other.name == tool.name);
        let tools = context
            .callable
            .iter()
            .filter(|tool| !is_offered(tool))
            .map(|tool| Line { name: tool.name, does: tool.first_sentence() })
            .collect();
        return Ok(Output { tools, ..Output::default() });
    };
    let Some(tool) = context.callable.iter().find(|tool| tool.answers_to(&name)) else {
        let nearest = nearest(&name, context.callable.iter().map(|tool| tool.name)).map(Into::into);
        return Err(Error::UnknownTool { name, nearest });
    };
    if input.arguments.is_some() {
        return Err(Error::invalid("name must be another tool than more_tools"));
    }
    Ok(Output {
        name: Some(tool.name),
        description: Some(tool.description()),
        input_schema: Some(json!(schema::for_agents((tool.input)()))),
        ..Output::default()
    })
}
