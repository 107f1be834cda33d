//! Renders a traversal as an outline for models.

use std::collections::{BTreeMap, BTreeSet};

use limbic_core::store::memories::traverse::Step;
use limbic_guard::one_line;

use super::walk_view::{NodeView, View};

/// Maximum length of a type in a line, in characters.
const MAX_TYPE_CHARS: usize = 100;

/// Returns the memories as a tree, each below the one it was reached from, followed by the links outside the tree and
/// the counts of what is not shown.
pub fn outline(view: &View) -> String {
    let Some(start) = view.nodes.first() else {
        return "There are no memories yet.\n".into();
    };
    let domains: BTreeSet<&str> = view.nodes.iter().map(|node| node.domain.as_str()).collect();
    let mut text = format!(
        "{} from {}, in {}\n\n",
        count(view.nodes.len(), "memory", "memories"),
        one_line(&start.id, MAX_TYPE_CHARS),
        count(domains.len(), "domain", "domains"),
    );
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, node) in view.nodes.iter().enumerate() {
        if let Some(step) = &node.step {
            children.entry(step.parent).or_default().push(index);
        }
    }
    // A list in place of calls: the last one is the next.
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        if let Some(node) = view.nodes.get(index) {
            text.push_str(&line(node, start));
            open.extend(children.get(&index).into_iter().flatten().rev());
        }
    }
    also_linked(view, &mut text);
    for omitted in &view.omitted {
        let domain = one_line(&omitted.domain, MAX_TYPE_CHARS);
        if omitted.over_cap > 0 {
            text.push_str(&format!(
                "\nNot shown of {domain}: {} over max_nodes_per_domain",
                omitted.over_cap
            ));
        }
        if omitted.over_tokens > 0 {
            text.push_str(&format!("\nNot shown of {domain}: {} over max_tokens", omitted.over_tokens));
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn line(node: &NodeView, start: &NodeView) -> String {
    let indent = "  ".repeat(node.depth);
    let link = node.step.as_ref().map(link).unwrap_or_default();
    let domain = if node.domain == start.domain && node.depth > 0 {
        String::new()
    } else {
        format!(" in {}", one_line(&node.domain, MAX_TYPE_CHARS))
    };
    let ended = if node.valid_until.is_some() { ", no longer holds" } else { "" };
    let id = one_line(&node.id, MAX_TYPE_CHARS);
    format!("{indent}- {link}{} [{id}{domain}{ended}]\n", node.title)
}

/// Returns `supports 0.8 →` for a link to the memory, `← supports 0.8` for a link from it.
fn link(step: &Step) -> String {
    let link_type = one_line(&step.link_type, MAX_TYPE_CHARS);
    let label = if step.strength < 1.0 { format!("{link_type} {}", step.strength) } else { link_type };
    if step.is_outgoing { format!("{label} → ") } else { format!("← {label} ") }
}

/// The links that no step of the traversal has shown.
fn also_linked(view: &View, text: &mut String) {
    let is_step = |source: &str, target: &str, link_type: &str| {
        view.nodes.iter().any(|node| {
            node.step.as_ref().is_some_and(|step| {
                let parent = view.nodes.get(step.parent).map_or("", |parent| &parent.id);
                let (from, to) = if step.is_outgoing { (parent, &*node.id) } else { (&*node.id, parent) };
                from == source && to == target && step.link_type == link_type
            })
        })
    };
    let edges = view.edges.iter().map(|edge| (&edge.source, &edge.target, edge.link_type.as_str()));
    let references = view.references.iter().map(|reference| {
        let link_type = reference.description.as_deref().filter(|text| !text.is_empty()).unwrap_or("related");
        (&reference.source, &reference.target, link_type)
    });
    let others: Vec<_> =
        edges.chain(references).filter(|(from, to, kind)| !is_step(from, to, kind)).collect();
    if others.is_empty() {
        return;
    }
    text.push_str("\nAlso linked:\n");
    for (from, to, kind) in others {
        let [from, to, kind] = [from, to, kind].map(|part| one_line(part, MAX_TYPE_CHARS));
        text.push_str(&format!("- [{from}] {kind} → [{to}]\n"));
    }
}

fn count(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
