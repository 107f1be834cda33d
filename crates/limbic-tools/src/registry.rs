//! The list of tools, in reading order.

use limbic_core::{Error, Result};

use crate::{ADVANCED, Options, Tool, Toolset, tools};

/// Every tool, in reading order.
pub const TOOLS: &[Tool] = &[
    tools::graph::create_entities::TOOL,
    tools::graph::create_relations::TOOL,
    tools::graph::add_observations::TOOL,
    tools::graph::delete_entities::TOOL,
    tools::graph::delete_observations::TOOL,
    tools::graph::delete_relations::TOOL,
    tools::graph::read_graph::TOOL,
    tools::graph::search_nodes::TOOL,
    tools::graph::open_nodes::TOOL,
    tools::graph::search_semantic::TOOL,
    tools::graph::migrate::TOOL,
    tools::graph::analyze_entity_split::TOOL,
    tools::graph::propose_entity_split::TOOL,
    tools::graph::execute_entity_split::TOOL,
    tools::graph::find_split_candidates::TOOL,
    tools::graph::find_duplicate_observations::TOOL,
    tools::graph::consolidation_report::TOOL,
    tools::graph::end_relation::TOOL,
    tools::graph::add_reflection::TOOL,
    tools::graph::search_reflections::TOOL,
    tools::graph::search_quality_report::TOOL,
    tools::graph::graph_neighbors::TOOL,
    tools::graph::graph_communities::TOOL,
    tools::memory::memory_store::TOOL,
    tools::memory::memory_recall::TOOL,
    tools::memory::memory_get::TOOL,
    tools::memory::memory_list::TOOL,
    tools::memory::memory_update::TOOL,
    tools::memory::memory_invalidate::TOOL,
    tools::memory::memory_forget::TOOL,
    tools::memory::memory_link::TOOL,
    tools::memory::memory_traverse::TOOL,
    tools::memory::memory_diagram::TOOL,
    tools::memory::memory_maintain::TOOL,
    tools::domain::list_domains::TOOL,
    tools::domain::create_domain::TOOL,
    tools::domain::select_domain::TOOL,
    tools::domain::delete_domain::TOOL,
    tools::more_tools::TOOL,
    tools::code::index_project::TOOL,
    tools::code::get_index_status::TOOL,
    tools::code::list_projects::TOOL,
    tools::code::delete_project::TOOL,
    tools::code::search_code::TOOL,
    tools::code::search_symbols::TOOL,
    tools::code::symbol_graph::TOOL,
    tools::explorer::explore_graph::TOOL,
    tools::explorer::explore_records::TOOL,
    tools::explorer::explore_entity::TOOL,
    tools::explorer::explore_memory::TOOL,
    tools::explorer::explore_timeline::TOOL,
    tools::explorer::explore_events::TOOL,
    tools::explorer::explore_stats::TOOL,
    tools::explorer::query_sql::TOOL,
    tools::explorer::explore_schema::TOOL,
    tools::explorer::explore_inbox::TOOL,
    tools::explorer::review_inbox::TOOL,
    tools::explorer::explore_code::TOOL,
    tools::explorer::explore_source::TOOL,
    tools::explorer::explore_code_memories::TOOL,
];

/// The default toolsets.
const DEFAULT_TOOLSETS: &[Toolset] = &[Toolset::Graph, Toolset::Memory, Toolset::Domain, Toolset::More];

/// Returns every tool, of other servers as well, of which several may have the same name.
pub(crate) fn all() -> Vec<&'static Tool> {
    let others = [
        tools::compat::server_memory::TOOLS,
        tools::compat::memory_graph::TOOLS,
        tools::compat::memory_mcp_server::TOOLS,
    ];
    TOOLS.iter().chain(others.into_iter().flatten()).collect()
}

/// Returns the tools that these options offer, in reading order.
#[must_use]
pub fn offered(options: &Options) -> Vec<&'static Tool> {
    let allowed = |tool: &&Tool| is_allowed(tool, options);
    // The tools of other servers have no argument for a user.
    if options.compat.is_some() && options.user.is_some() {
        return Vec::new();
    }
    if options.is_server_memory() {
        return tools::compat::server_memory::TOOLS.iter().filter(allowed).collect();
    }
    if options.is_memory_graph() {
        return tools::compat::memory_graph::TOOLS.iter().filter(allowed).collect();
    }
    let has_originals = options.is_memory_mcp_server();
    let originals = if has_originals { tools::compat::memory_mcp_server::TOOLS } else { &[] };
    let mut offered: Vec<&Tool> = TOOLS
        .iter()
        .chain(originals)
        .filter(allowed)
        .filter(|tool| options.code || tool.toolset != Toolset::Code)
        .filter(|tool| match options.toolsets.as_slice() {
            _ if has_originals && tool.toolset == Toolset::Code => true,
            [] => is_default(tool),
            named => named
                .iter()
                .any(|name| tool.is_in(name) || (name == ALL_TOOLSETS && tool.toolset.is_for_agents())),
        })
        .collect();
    if !offered.iter().any(|tool| tool.toolset == Toolset::Code) {
        offered.retain(|tool| !tool.needs_code);
    }
    offered
}

/// Whether options allow a tool: with a read-only database only tools that read, with a user only tools with users.
fn is_allowed(tool: &Tool, options: &Options) -> bool {
    (!options.read_only || tool.is_offered_read_only()) && (options.user.is_none() || tool.has_users())
}

/// Checks that there are tools to offer to the user of the options, if there is one.
///
/// # Errors
/// [`Error::InvalidArgument`] with another server's tools, and for a toolset without tools for one user.
pub(crate) fn check_user(options: &Options) -> Result<()> {
    let Some(user) = options.user.as_deref() else { return Ok(()) };
    if user.trim().is_empty() {
        return Err(Error::invalid("user must not be blank"));
    }
    if let Some(compat) = &options.compat {
        return Err(Error::invalid(format!(
            "the tools of {compat} cannot be limited to a user: omit compat or user ({user:?})"
        )));
    }
    match options.toolsets.iter().find(|name| !is_toolset(name, true)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "the toolset {name:?} has no tools for one user: leave it out, or user ({user:?})"
        ))),
    }
}

/// Every toolset for agents.
pub const ALL_TOOLSETS: &str = "all";

/// Returns the names of the toolsets, in reading order; of users, those with tools that can be limited to one user.
#[must_use]
pub fn toolset_names(of_users: bool) -> Vec<&'static str> {
    let mut names = Vec::new();
    for tool in TOOLS.iter().filter(|tool| !of_users || tool.has_users()) {
        let advanced = tool.is_advanced.then_some(ADVANCED);
        for name in [Some(tool.toolset.name()), advanced].into_iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Whether a name is that of a toolset, or the former name of one, or [`ALL_TOOLSETS`]; of users, of one with tools
/// that can be limited to one user.
#[must_use]
pub fn is_toolset(name: &str, of_users: bool) -> bool {
    name == ALL_TOOLSETS || TOOLS.iter().any(|tool| (!of_users || tool.has_users()) && tool.is_in(name))
}

/// Checks that every toolset of the options is known.
///
/// # Errors
/// [`Error::InvalidArgument`].
pub(crate) fn check_toolsets(options: &Options) -> Result<()> {
    match options.toolsets.iter().find(|name| !is_toolset(name, false)) {
        None => Ok(()),
        Some(name) => Err(Error::invalid(format!(
            "toolsets must be one of {}, {ALL_TOOLSETS}, but got {name:?}",
            toolset_names(false).join(", ")
        ))),
    }
}

/// Whether a tool is offered if no toolset is named.
pub(crate) fn is_default(tool: &Tool) -> bool {
    DEFAULT_TOOLSETS.contains(&tool.toolset) && !tool.is_advanced
}

/// Whether these options offer `more_tools`.
pub(crate) fn has_more_tools(options: &Options) -> bool {
    offered(options).iter().any(|tool| tool.toolset == Toolset::More)
}

/// Returns the tools that may be called with these options, in reading order: those offered and, where `more_tools` is
/// one of them, every tool for agents; those of the code index only if they are offered, since only then projects are
/// kept up to date.
pub(crate) fn callable(options: &Options) -> Vec<&'static Tool> {
    let offered = offered(options);
    if !offered.iter().any(|tool| tool.toolset == Toolset::More) {
        return offered;
    }
    let is_offered = |tool: &Tool| offered.iter().any(|other| other.name == tool.name);
    let reached = |tool: &Tool| {
        tool.toolset.is_for_agents() && tool.toolset != Toolset::Code && is_allowed(tool, options)
    };
    let originals = offered.iter().copied().filter(|tool| !TOOLS.iter().any(|known| known.name == tool.name));
    TOOLS.iter().filter(|tool| is_offered(tool) || reached(tool)).chain(originals).collect()
}

/// Whether a tool may be called with these options; see [`callable`].
pub(crate) fn is_callable(options: &Options, tool: &str) -> bool {
    callable(options).iter().any(|callable| callable.name == tool)
}

/// Whether resources and completions may show what a tool returns: if it may be called, and for emulated servers, whose
/// tools belong to no toolset, always.
pub(crate) fn shows(options: &Options, tool: &str) -> bool {
    options.is_server_memory() || options.is_memory_graph() || is_callable(options, tool)
}
