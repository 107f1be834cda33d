//! The memories of a tool's answer, for hooks.

use std::collections::{BTreeMap, btree_map::Entry};

use limbic_core::{
    Error, Result, Transaction,
    mutations::memories::may_correct_in,
    search,
    store::memories::{self as rows, Filter, MemoryNode},
};
use serde_json::Value;

use super::{event::Event, project_domains::withheld};
use crate::{
    Limbic,
    views::memory::{MemoryView, Texts},
};

/// Why a hook shows memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// They answer a prompt or a failure.
    Question,
    /// A session starts, or a tool is about to run: see [`may_correct_in`].
    Unasked,
}

/// Adds to the memories of an answer those that may correct them, each before the memory that it corrects, so that a
/// session does not rely on the older one. Memories of a domain that is withheld are left out.
pub fn with_corrections(
    limbic: &mut Limbic,
    event: &Event,
    occasion: Occasion,
    found: Vec<Value>,
) -> Result<Vec<Value>> {
    let withheld = withheld(limbic, event)?;
    let user = limbic.user().map(str::to_owned);
    let project = event.project().unwrap_or_default();
    let filter = Filter { user_id: user.as_deref(), visible_in: Some(project), ..Filter::default() };
    let mut by_id: BTreeMap<String, Value> = BTreeMap::new();
    let mut ids = Vec::with_capacity(found.len());
    for memory in found {
        let Some(id) = memory["id"].as_str().map(str::to_owned) else { continue };
        if let Entry::Vacant(entry) = by_id.entry(id) {
            ids.push(entry.key().clone());
            entry.insert(memory);
        }
    }
    limbic.memory.read(|tx| {
        let mut nodes = Vec::with_capacity(ids.len());
        for id in &ids {
            nodes.extend(rows::find(tx, id)?);
        }
        let mut memories = Vec::with_capacity(nodes.len());
        for node in search::memories::with_corrections(tx, nodes, &filter)? {
            if withheld.as_ref() == Some(&node.domain) {
                continue;
            }
            match by_id.remove(&node.id) {
                Some(memory) => memories.push(memory),
                None if occasion == Occasion::Question || may_correct_in(tx, project, &node)? => {
                    memories.push(viewed(tx, node)?);
                }
                None => {}
            }
        }
        Ok(memories)
    })
}

/// Returns the view of a memory in answers.
pub fn viewed(tx: &Transaction<'_>, memory: MemoryNode) -> Result<Value> {
    let view = MemoryView::marked(tx, memory, Texts::Escaped)?;
    serde_json::to_value(view).map_err(|error| Error::Internal(error.to_string()))
}

/// Adds the user of the options, if any, to a tool's arguments.
pub fn of_user(limbic: &Limbic, mut arguments: Value) -> Value {
    if let Some(user) = limbic.user() {
        arguments["user_id"] = user.into();
    }
    arguments
}

/// Returns the memories of an answer.
pub fn memories(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["memories"].as_array().into_iter().flatten()
}
