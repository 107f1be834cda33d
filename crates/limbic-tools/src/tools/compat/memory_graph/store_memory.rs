//! The tool store_memory.

use limbic_core::{
    Error, Result,
    store::{
        domains,
        memories::{Stored, traverse::newest},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node::{DomainRef, Node, Relationships, refer};
use crate::{
    context::Context,
    tool::tool,
    tools::memory::{fields::Fields, memory_store::store},
};

tool! {
    /// Store a new memory in the knowledge graph. A duplicate confirms the existing memory instead of creating a new
    /// one.
    name: "store_memory",
    title: "Store Memory",
    toolset: Memory,
    access: Write,
    idempotent: false,
    example: r#"{"content": "Independent services scale independently", "path": "/architecture", "tags": ["scaling"]}"#,
    handler: store_memory,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// The memory content
    #[schemars(length(min = 1))]
    content: String,
    /// Optional organization path
    #[schemars(length(max = 500))]
    path: Option<String>,
    /// Optional categorization tags
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    tags: Option<Vec<String>>,
    /// Optional connections to other memories, by type
    relationships: Option<Relationships>,
    /// References to memories in other domains
    #[serde(default)]
    domain_refs: Vec<DomainRef>,
    /// Domain pointer
    domain_pointer: Option<DomainPointer>,
    /// Summary
    #[schemars(length(max = 2000))]
    summary: Option<String>,
}

/// A pointer from a memory to another domain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DomainPointer {
    /// Target domain
    #[schemars(length(min = 1, max = 200))]
    domain: String,
    /// ID of the target memory; default the newest one of the domain
    #[schemars(length(min = 1, max = 200))]
    entry_point_id: Option<String>,
    /// Whether it is followed in both directions
    #[serde(default = "yes")]
    bidirectional: bool,
    /// Purpose
    #[schemars(length(max = 1000))]
    description: Option<String>,
}

fn yes() -> bool {
    true
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The memory.
    node: Node,
}

fn store_memory(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let mut references = input.domain_refs;
    if let Some(pointer) = input.domain_pointer {
        let node_id = match pointer.entry_point_id {
            Some(id) => id,
            None => context
                .memory
                .read(|tx| newest(tx, &domains::resolve(tx, &pointer.domain)?, None, false))?
                .ok_or_else(|| {
                    Error::invalid(format!(
                        "domainPointer names a domain without memories: {}",
                        pointer.domain
                    ))
                })?,
        };
        references.push(DomainRef {
            domain: pointer.domain,
            node_id,
            description: pointer.description,
            bidirectional: pointer.bidirectional,
        });
    }
    require(context, &references)?;
    let fields = Fields {
        content: Some(input.content),
        path: input.path,
        tags: input.tags,
        summary: input.summary,
        relationships: input.relationships,
        ..Fields::default()
    };
    let memory = match store(context, vec![(fields, None)])?.pop() {
        Some(Stored::New(memory) | Stored::Confirmed(memory)) => memory,
        None => return Err(Error::Internal("nothing was stored".into())),
    };
    Ok(Output { node: refer(context, &memory.id, references)? })
}

/// Checks that all references can be created, before anything is stored.
fn require(context: &mut Context<'_>, references: &[DomainRef]) -> Result<()> {
    context.memory.read(|tx| {
        references
            .iter()
            .try_for_each(|reference| limbic_core::store::memories::get(tx, &reference.node_id).map(drop))
    })
}
