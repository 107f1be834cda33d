//! HTML: elements with an id are modules, files that a page names are imports.

use tree_sitter::Node;

use super::super::builder::{Builder, Definition};
use super::nodes::{child_of_kind, children, parts_and_errors};
use crate::facts::SymbolKind;

/// Attributes that name a file that the page needs, by the element.
const FILES: [(&str, &str); 3] = [("script", "src"), ("link", "href"), ("iframe", "src")];

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    parts_and_errors(root).into_iter().for_each(|child| visit(builder, child));
}

fn visit(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.nested(|builder| match node.kind() {
        "element" | "script_element" | "style_element" => element(builder, node),
        _ => parts_and_errors(node).into_iter().for_each(|child| visit(builder, child)),
    });
}

fn element(builder: &mut Builder<'_>, node: Node<'_>) {
    let tag = child_of_kind(node, "start_tag").or_else(|| child_of_kind(node, "self_closing_tag"));
    let Some(tag) = tag else {
        return parts_and_errors(node).into_iter().for_each(|child| visit(builder, child));
    };
    let name = child_of_kind(tag, "tag_name").map_or("", |name| builder.text(name));
    let mut id = None;
    for attribute in children(tag).into_iter().filter(|part| part.kind() == "attribute") {
        let key = child_of_kind(attribute, "attribute_name").map_or("", |key| builder.text(key));
        let quoted = child_of_kind(attribute, "quoted_attribute_value").unwrap_or(attribute);
        let Some(held) = child_of_kind(quoted, "attribute_value") else { continue };
        let text = builder.text(held);
        if key == "id" {
            id = Some(held);
        } else if FILES.contains(&(name, key)) && !text.contains("://") && !text.starts_with("//") {
            let path = text.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
            if !path.is_empty() {
                builder.import(attribute, path, None, "", false);
            }
        }
    }
    let symbol = id.and_then(|id| {
        let signature = (tag.start_byte(), tag.end_byte());
        builder.define(&Definition { kind: SymbolKind::Module, name: id, node, signature, scope: None })
    });
    let inner = |builder: &mut Builder<'_>| {
        children(node).into_iter().filter(|child| *child != tag).for_each(|child| visit(builder, child));
    };
    match symbol {
        Some(index) => builder.within(index, inner),
        None => inner(builder),
    }
}
