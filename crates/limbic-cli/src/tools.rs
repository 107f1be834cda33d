//! `limbic tools`: lists the tools.

use std::process::ExitCode;

use anyhow::{Context, Result};
use limbic_tools::Options;
use serde_json::{Value, json};

use crate::options::Settings;
use crate::output;

/// Returns the tools as MCP lists them, without the fields for shells.
pub fn listed(options: &Options) -> Result<Vec<Value>> {
    Ok(without_marks(marked(options)?))
}

/// As [`listed`], without the tools whose purpose is to change the session.
pub fn without_sessions(options: &Options) -> Result<Vec<Value>> {
    let mut tools = marked(options)?;
    tools.retain(|tool| tool["_limbic"]["session"] != true);
    Ok(without_marks(tools))
}

/// As [`listed`], with example arguments, for forms.
pub fn with_examples(options: &Options) -> Result<Vec<Value>> {
    let mut tools = marked(options)?;
    for tool in &mut tools {
        let example = tool["_limbic"]["example"].take();
        tool["_meta"] = json!({"limbic/example": example});
    }
    Ok(without_marks(tools))
}

fn marked(options: &Options) -> Result<Vec<Value>> {
    serde_json::from_str(&limbic_tools::tools_json(options)).context("the list of tools is JSON")
}

fn without_marks(mut tools: Vec<Value>) -> Vec<Value> {
    for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
        // `remove` would put the last field in the gap.
        tool.shift_remove("_limbic");
    }
    tools
}

/// Prints the tools.
pub fn run(settings: &Settings, json: bool) -> Result<ExitCode> {
    let tools = listed(&settings.tools)?;
    if json {
        output::line(&serde_json::to_string_pretty(&tools)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for tool in &tools {
        let description = tool["description"].as_str().unwrap_or_default();
        let first = description.lines().next().unwrap_or_default();
        output::line(&format!("{:<24} {first}", tool["name"].as_str().unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}
