//! `limbic tools`: lists the tools.

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::options::Settings;
use crate::output;

/// Returns the tools as MCP lists them, without the fields for shells.
pub fn listed(settings: &Settings) -> Result<Vec<Value>> {
    Ok(without_marks(marked(settings)?))
}

/// As [`listed`], without the tools whose purpose is to change the session.
pub fn without_sessions(settings: &Settings) -> Result<Vec<Value>> {
    let mut tools = marked(settings)?;
    tools.retain(|tool| tool["_limbic"]["session"] != true);
    Ok(without_marks(tools))
}

fn marked(settings: &Settings) -> Result<Vec<Value>> {
    serde_json::from_str(&limbic_tools::tools_json(&settings.tools)).context("the list of tools is JSON")
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
    let tools = listed(settings)?;
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
