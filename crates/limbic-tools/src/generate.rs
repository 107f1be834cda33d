//! What is generated from the registry: `tools.json`, `types.ts` and the README's table.

mod typescript;

use serde_json::{Value, json};

use crate::{Access, Options, TOOLS, Tool, registry, schema};

pub use typescript::types_ts;

/// The tools that these options offer, as a JSON array in the form of MCP's tools/list. `_limbic` adds toolset and
/// access, for shells that choose among them.
#[must_use]
pub fn tools_json(options: &Options) -> String {
    Value::Array(
        registry::offered(options).into_iter().map(|tool| describe(tool, options.read_only)).collect(),
    )
    .to_string()
}

/// The table of tools, in Markdown.
#[must_use]
pub fn readme_table() -> String {
    let mut table = String::from("| tool | toolset | does |\n|---|---|---|\n");
    for tool in TOOLS {
        let description = tool.description();
        let first = description.split(". ").next().unwrap_or_default().trim_end_matches('.');
        table.push_str(&format!("| `{}` | {} | {first} |\n", tool.name, tool.toolset.name()));
    }
    table
}

/// A tool in the form of MCP's tools/list. Where the memory is open for reading only, every tool only reads.
fn describe(tool: &Tool, read_only: bool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description(),
        "inputSchema": schema::published((tool.input)()),
        "outputSchema": schema::published_answer(&(tool.output)()),
        "annotations": {
            "readOnlyHint": read_only || tool.access == Access::Read,
            "destructiveHint": !read_only && tool.access == Access::Destroy,
            "idempotentHint": tool.idempotent,
            "openWorldHint": false,
        },
        "_limbic": marks(tool),
    })
}

/// What a shell needs to choose, and arguments to try the tool with: `named` says that `all` and the default
/// leave the tool out, `read_only` that it is offered, though it may write, where the memory is open for reading only.
fn marks(tool: &Tool) -> Value {
    let mut marks = json!({
        "toolset": tool.toolset.name(),
        "access": tool.access.name(),
        "example": serde_json::from_str::<Value>(tool.example).unwrap_or_default(),
    });
    if tool.offered_read_only {
        marks["read_only"] = true.into();
    }
    if !tool.toolset.is_for_agents() {
        marks["named"] = true.into();
    }
    marks
}
