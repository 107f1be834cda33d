//! Resources, which clients read and subscribe to without calling a tool.

mod address;

use limbic_core::{Engine, Error, Result, store::graph::entities};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    Options, registry,
    tools::{
        compat::server_memory::{Graph, Omitted},
        explorer::{explore_entity, explore_stats},
    },
    views::memory::shown_value,
};
use address::{Address, ENTITY_TEMPLATE, KNOWLEDGE_GRAPH, STATS};

const JSON: &str = "application/json";

/// Maximum size of a resource in tokens: larger than that of a tool's answer, because people choose resources.
const MAX_RESOURCE_TOKENS: usize = 50_000;

/// The graph in the format of the reference server, and counts of what did not fit.
#[derive(Serialize)]
struct KnowledgeGraph {
    #[serde(flatten)]
    graph: Graph,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<Omitted>,
}

/// Maximum number of completions.
const MAX_COMPLETIONS: usize = 100;

/// Returns the resources, as a JSON array in the format of MCP's resources/list.
#[must_use]
pub fn resources_json(options: &Options) -> String {
    if options.user.is_some() {
        return "[]".into();
    }
    let graph = json!({
        "name": "knowledge-graph",
        "title": "Knowledge Graph",
        "uri": KNOWLEDGE_GRAPH,
        "description": if options.is_server_memory() {
            "The full knowledge graph with all entities and relations"
        } else {
            "The knowledge graph with entities and relations; of a large one the first 50,000 tokens"
        },
        "mimeType": JSON,
    });
    let stats = json!({
        "name": "stats",
        "title": "Statistics",
        "uri": STATS,
        "description": "Statistics: records, file, encoder, embedding queue, types and statuses, usage per day",
        "mimeType": JSON,
    });
    let resources = [(Address::KnowledgeGraph, graph), (Address::Stats, stats)];
    resources
        .into_iter()
        .filter_map(|(address, resource)| is_offered(&address, options).then_some(resource))
        .collect::<Value>()
        .to_string()
}

/// Whether a client may read a resource: if it may call tools that return the same.
fn is_offered(address: &Address, options: &Options) -> bool {
    let shows = |tool| registry::shows(options, tool);
    match address {
        Address::KnowledgeGraph => shows("read_graph") || shows("explore_graph"),
        _ if options.is_server_memory() => false,
        Address::Stats => shows("explore_stats") || (shows("read_graph") && shows("memory_list")),
        Address::Entity(_) => shows("open_nodes") || shows("explore_entity"),
    }
}

/// Whether a client may read the entities of the template.
fn offers_entities(options: &Options) -> bool {
    options.user.is_none() && is_offered(&Address::Entity(String::new()), options)
}

/// Returns the resource templates, as a JSON array in the format of MCP's resources/templates/list.
#[must_use]
pub fn resource_templates_json(options: &Options) -> String {
    if !offers_entities(options) {
        return "[]".into();
    }
    json!([{
        "name": "entity",
        "title": "Entity",
        "uriTemplate": ENTITY_TEMPLATE,
        "description": "One entity with all its data, by exact name",
        "mimeType": JSON,
    }])
    .to_string()
}

/// Returns the content of a resource, as indented JSON.
///
/// # Errors
/// [`Error::ResourceNotFound`], also for what the toolsets do not include; [`Error::OneUserOnly`] with a user in the
/// options, because resources show the graph and the statistics of all users.
pub fn read(memory: &mut Engine, options: &Options, uri: &str) -> Result<String> {
    if options.user.is_some() {
        return Err(Error::OneUserOnly(format!("The resource {uri}")));
    }
    let not_found = || Error::ResourceNotFound(uri.to_owned());
    let address = Address::parse(uri).ok_or_else(not_found)?;
    if !is_offered(&address, options) {
        return Err(not_found());
    }
    match address {
        Address::KnowledgeGraph if options.is_server_memory() => as_stored(&memory.read(Graph::whole)?),
        Address::KnowledgeGraph => {
            let mut graph = memory.read(Graph::whole)?;
            let omitted = graph.cut(MAX_RESOURCE_TOKENS);
            written(&KnowledgeGraph { graph, omitted })
        }
        Address::Stats => written(&memory.read(explore_stats::stats)?),
        Address::Entity(name) => {
            let mut found = memory.read(|tx| match entities::find(tx, &name)? {
                Some(entity) => explore_entity::inspect(tx, entity.id),
                None => Err(not_found()),
            })?;
            found.cut(MAX_RESOURCE_TOKENS);
            written(&found)
        }
    }
}

/// Completes an argument of a template, in the format of MCP's completion/complete.
pub fn complete(
    memory: &mut Engine,
    options: &Options,
    template: &str,
    part: &str,
    begun: &str,
) -> Result<Value> {
    if template != ENTITY_TEMPLATE || part != "name" || !offers_entities(options) {
        return Ok(json!({ "values": [], "total": 0, "hasMore": false }));
    }
    let (total, names) = memory.read(|tx| entities::beginning_with(tx, begun, MAX_COMPLETIONS))?;
    Ok(json!({ "hasMore": total > names.len(), "total": total, "values": names }))
}

fn written(value: &impl Serialize) -> Result<String> {
    let value = serde_json::to_value(value).map_err(|error| Error::Internal(error.to_string()))?;
    as_stored(&shown_value(value))
}

fn as_stored(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(|error| Error::Internal(error.to_string()))
}
