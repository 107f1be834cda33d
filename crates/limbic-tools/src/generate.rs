//! Generates `tools.json`, `types.ts` and the README's table from the registry.

mod typescript;

use serde_json::{Value, json};

use crate::{Access, Options, TOOLS, Tool, registry, schema};

pub use typescript::types_ts;

/// Returns the tools that these options offer, as a JSON array in the format of MCP's tools/list. `_limbic` adds
/// toolset and access, for shells that filter them.
#[must_use]
pub fn tools_json(options: &Options) -> String {
    Value::Array(registry::offered(options).into_iter().map(|tool| describe(tool, options)).collect())
        .to_string()
}

/// Returns the table of tools, in Markdown.
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

/// Returns a tool in the format of MCP's tools/list. With a read-only database, every tool is read-only.
fn describe(tool: &Tool, options: &Options) -> Value {
    let read_only = options.read_only;
    // The reference server's schemas are published as they are.
    let publish =
        if registry::is_server_memory(options) { schema::published } else { schema::published_answer };
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description(),
        "inputSchema": schema::published((tool.input)()),
        "outputSchema": publish(&(tool.output)()),
        "annotations": {
            "readOnlyHint": read_only || tool.access == Access::Read,
            "destructiveHint": !read_only && tool.access == Access::Destroy,
            "idempotentHint": tool.idempotent,
            "openWorldHint": false,
        },
        "_limbic": marks(tool),
    })
}

/// Returns the fields that shells filter by, and example arguments. `named`: the tool is not part of `all` and the
/// default. `read_only`: a writing tool that is offered with a read-only database.
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
