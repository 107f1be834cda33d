//! The tool memory_link.

use limbic_core::{
    Result, Transaction, mutations,
    store::memories::{self, Link, Linked},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    fields::{check_type, one},
    memory_get::{EdgeView, ReferenceView},
};
use crate::{context::Context, tool::tool};

tool! {
    /// Link two memories, change a link's strength, or remove it. contradicts hides the memory stated first from
    /// recall unless pinned; supersedes ends the target; removing possible_contradiction states that both hold.
    /// Across domains a link becomes a reference, at most one per ordered pair, without these effects.
    name: "memory_link",
    title: "Link memories",
    toolset: Memory,
    brief: &["from_id", "to_id", "type", "strength", "description", "remove"],
    access: Write,
    idempotent: true,
    example: r#"{"from_id": "0190d2a0-0000-7000-8000-000000000000", "to_id": "0190d2a0-0000-7000-8000-000000000001", "type": "supports", "strength": 0.8}"#,
    handler: memory_link,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id of the source memory.
    #[schemars(length(min = 1, max = 200))]
    pub from_id: String,
    /// Id of the target memory.
    #[schemars(length(min = 1, max = 200))]
    pub to_id: String,
    /// Type: supports, contradicts, refines, supersedes or another word.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 100))]
    pub link_type: String,
    /// 0 to 1; references have none.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub strength: f64,
    /// Purpose of a reference, in place of its type; links within a domain have none.
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// Also create it in the other direction.
    #[serde(default)]
    pub bidirectional: bool,
    /// Remove the link; a reference regardless of its type.
    #[serde(default)]
    pub remove: bool,
    /// Only if both are this user's memories.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
}

/// Answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// The link within a domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<EdgeView>,
    /// The reference across domains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceView>,
    /// With remove: whether a link existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<bool>,
    /// The existing links, if the one to remove was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

fn memory_link(context: &mut Context<'_>, input: Input) -> Result<Output> {
    check_type("type", &input.link_type)?;
    let link = Link {
        target_id: input.to_id,
        link_type: input.link_type,
        strength: input.strength,
        description: context.storable(input.description),
        bidirectional: input.bidirectional,
    };
    let writer = context.memory.session().writer();
    let actor = writer.actor(None);
    context.memory.write(|tx| {
        for id in [&input.from_id, &link.target_id] {
            // Another program may have left a reference to a deleted memory, which can be removed.
            if !input.remove || input.user_id.is_some() {
                memories::require(tx, id, input.user_id.as_deref())?;
            }
        }
        if input.remove {
            let removed = memories::unlink(tx, &input.from_id, &link, actor)?;
            let note = if removed { None } else { Some(missing(tx, &input.from_id, &link)?) };
            return Ok(Output { removed: Some(removed), note, ..Output::default() });
        }
        Ok(match mutations::memories::link(tx, &input.from_id, &link, actor)? {
            Linked::Edge(edge) => Output { edge: Some(edge.into()), ..Output::default() },
            Linked::Reference(reference) => Output { reference: Some(reference.into()), ..Output::default() },
        })
    })
}

/// Returns the hint for a link that does not exist: the existing links.
fn missing(tx: &Transaction<'_>, from: &str, link: &Link) -> Result<String> {
    let to = &link.target_id;
    let mut known: Vec<String> = memories::edges_touching(tx, from)?
        .into_iter()
        .filter(|edge| edge.source == *to || edge.target == *to)
        .map(|edge| format!("{} from {} to {}", edge.link_type, edge.source, edge.target))
        .collect();
    known.extend(
        memories::refs_touching(tx, from)?.into_iter().filter(|reference| reference.node_id == *to).map(
            |reference| format!("a reference from {} to {}", reference.node_id, reference.target_node_id),
        ),
    );
    let known = if known.is_empty() { "none".to_owned() } else { known.join("; ") };
    Ok(format!(
        "There is no link {} from {from} to {to}; nothing was changed. Links between the two: {known}",
        link.link_type
    ))
}
