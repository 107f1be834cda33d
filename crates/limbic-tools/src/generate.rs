//! Generates `tools.json`, `types.ts` and the tables of tools in the READMEs from the registry.

mod typescript;

use schemars::Schema;
use serde_json::{Value, json};

use crate::{Access, Options, TOOLS, Tool, Toolset, registry, schema, tool::ADVANCED};

pub use typescript::types_ts;

/// Returns the tools that these options offer, as a JSON array in the format of MCP's tools/list. `_limbic` adds
/// toolset and access, for shells that filter them.
#[must_use]
pub fn tools_json(options: &Options) -> String {
    let listing = Listing::of(options);
    Value::Array(
        registry::offered(options)
            .into_iter()
            .map(|tool| listing.describe(tool, options.read_only))
            .collect(),
    )
    .to_string()
}

/// Returns every tool with complete schemas, as a JSON array, for shells that choose from it. `_limbic` has what they
/// filter by, and what replaces the description and the schemas in lists for agents.
#[must_use]
pub fn catalog_json() -> String {
    Value::Array(
        TOOLS
            .iter()
            .map(|tool| {
                let mut entry = Listing::COMPLETE.describe(tool, false);
                entry["_limbic"]["agents"] = json!({ "inputSchema": schema::for_agents((tool.input)()) });
                entry["_limbic"]["short"] = json!({ "outputSchema": schema::short_answer(&(tool.output)()) });
                if registry::is_default(tool) && !tool.brief.is_empty() {
                    let brief = Listing { is_brief: true, ..Listing::AGENTS };
                    entry["_limbic"]["brief"] =
                        json!({ "description": brief.description(tool), "inputSchema": brief.input(tool) });
                }
                entry
            })
            .collect(),
    )
    .to_string()
}

/// Returns a table of all tools with what each does, in Markdown.
#[must_use]
pub fn tool_table() -> String {
    let mut table = String::from("| tool | toolset | does |\n|---|---|---|\n");
    for tool in TOOLS {
        table.push_str(&format!("| `{}` | {} | {} |\n", tool.name, toolsets(tool), tool.first_sentence()));
    }
    table
}

/// Returns a table of the toolsets with the names of their tools, in Markdown.
#[must_use]
pub fn toolset_table() -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for tool in TOOLS {
        let (toolsets, name) = (toolsets(tool), format!("`{}`", tool.name));
        match rows.iter_mut().find(|(known, _)| *known == toolsets) {
            Some((_, names)) => names.push(name),
            None => rows.push((toolsets, vec![name])),
        }
    }
    let mut table = String::from("| toolset | tools |\n|---|---|\n");
    for (toolsets, names) in rows {
        table.push_str(&format!("| {toolsets} | {} |\n", names.join(", ")));
    }
    table
}

fn toolsets(tool: &Tool) -> String {
    let toolset = tool.toolset.name();
    if tool.is_advanced { format!("{toolset}, {ADVANCED}") } else { toolset.to_owned() }
}

/// How much of a tool a list shows.
#[derive(Clone, Copy)]
struct Listing {
    /// Whether input schemas have limits of numbers, lengths and counts. Errors name them anyway.
    has_limits: bool,
    /// Whether tools with many arguments show only some, because `more_tools` shows all.
    is_brief: bool,
    output: OutputSchemas,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OutputSchemas {
    /// As the tool declares them, with descriptions that repeat a field's name.
    Declared,
    Full,
    Short,
    None,
}

impl Listing {
    const COMPLETE: Self = Self { has_limits: true, is_brief: false, output: OutputSchemas::Full };
    const AGENTS: Self = Self { has_limits: false, is_brief: false, output: OutputSchemas::None };

    fn of(options: &Options) -> Self {
        if options.is_server_memory() {
            // The reference server's schemas are published unchanged.
            return Self { output: OutputSchemas::Declared, ..Self::COMPLETE };
        }
        if options.compat.is_some() {
            return Self::COMPLETE;
        }
        let is_for_pages = options.toolsets.iter().any(|name| name == Toolset::Explorer.name());
        let base = if is_for_pages { Self::COMPLETE } else { Self::AGENTS };
        let output = match options.output_schemas.as_deref() {
            Some("full") => OutputSchemas::Full,
            Some("short") => OutputSchemas::Short,
            Some("none") => OutputSchemas::None,
            _ => base.output,
        };
        let is_brief = !is_for_pages && registry::has_more_tools(options);
        Self { is_brief, output, ..base }
    }

    /// Returns a tool in the format of MCP's tools/list. With a read-only database, every tool is read-only.
    fn describe(self, tool: &Tool, read_only: bool) -> Value {
        let mut entry = json!({
            "name": tool.name,
            "title": tool.title,
            "description": self.description(tool),
            "inputSchema": self.input(tool),
        });
        match self.output {
            OutputSchemas::Declared => entry["outputSchema"] = json!(schema::published(&(tool.output)())),
            OutputSchemas::Full => entry["outputSchema"] = json!(schema::published_answer(&(tool.output)())),
            OutputSchemas::Short => entry["outputSchema"] = json!(schema::short_answer(&(tool.output)())),
            OutputSchemas::None => {}
        }
        entry["annotations"] = json!({
            "readOnlyHint": read_only || tool.access == Access::Read,
            "destructiveHint": !read_only && tool.access == Access::Destroy,
            "idempotentHint": tool.idempotent,
            "openWorldHint": false,
        });
        entry["_limbic"] = marks(tool);
        entry
    }

    fn description(self, tool: &Tool) -> String {
        let description = tool.description();
        if self.is_brief && !tool.brief.is_empty() {
            format!("{description} {SEE_MORE}")
        } else {
            description
        }
    }

    fn input(self, tool: &Tool) -> Schema {
        let mut schema = if self.has_limits {
            schema::published((tool.input)())
        } else {
            schema::for_agents((tool.input)())
        };
        if self.is_brief && !tool.brief.is_empty() {
            schema::keep_fields(&mut schema, tool.brief);
        }
        schema
    }
}

/// Added to the description of a tool that is listed with some of its arguments.
const SEE_MORE: &str = "More arguments: more_tools.";

/// Returns the fields that shells filter by, and example arguments. `named`: the tool is not part of `all`.
/// `default`: false if it is not offered by default. `also`: a second toolset. `read_only`: a writing tool that is
/// offered with a read-only database. `session`: a tool for clients with sessions. `code`: a tool of another toolset
/// that is offered only together with those of `code`. `users`: a tool that can be limited to one user.
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
    if !registry::is_default(tool) {
        marks["default"] = false.into();
    }
    if tool.has_users() {
        marks["users"] = true.into();
    }
    if tool.is_for_sessions {
        marks["session"] = true.into();
    }
    if tool.needs_code {
        marks["code"] = true.into();
    }
    if tool.is_advanced {
        marks["also"] = ADVANCED.into();
    }
    marks
}
