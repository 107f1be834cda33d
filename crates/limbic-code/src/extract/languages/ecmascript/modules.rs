//! Imports and exports of ES modules.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::{child_of_kind, children, field_children};
use super::values::value;
use super::{statement, visit};
use crate::facts::ReferenceKind;

fn unquoted<'t>(builder: &Builder<'t>, node: Node<'_>) -> &'t str {
    builder.text(node).trim_matches(['"', '\'', '`'])
}

pub fn import(builder: &mut Builder<'_>, node: Node<'_>) {
    let required = child_of_kind(node, "import_require_clause");
    if let Some(clause) = required {
        if let (Some(source), Some(name)) =
            (clause.child_by_field_name("source"), child_of_kind(clause, "identifier"))
        {
            let module = unquoted(builder, source);
            builder.import(node, module, None, builder.text(name), false);
        }
        return;
    }
    let Some(source) = node.child_by_field_name("source") else { return };
    let module = unquoted(builder, source);
    let Some(clause) = child_of_kind(node, "import_clause") else {
        builder.import(node, module, None, "", false);
        return;
    };
    for part in children(clause) {
        match part.kind() {
            "identifier" => {
                builder.import(part, module, Some("default"), builder.text(part), false);
                builder.import_reference(part);
            }
            "namespace_import" => {
                if let Some(name) = children(part).into_iter().next() {
                    builder.import(part, module, None, builder.text(name), false);
                }
            }
            "named_imports" => {
                for specifier in children(part).into_iter().filter(|child| child.kind() == "import_specifier")
                {
                    specified(builder, specifier, module, false);
                }
            }
            _ => {}
        }
    }
}

/// One name of an import or a re-export.
fn specified(builder: &mut Builder<'_>, specifier: Node<'_>, module: &str, is_exported: bool) {
    let Some(name) = specifier.child_by_field_name("name") else { return };
    let text = unquoted(builder, name);
    let local = specifier.child_by_field_name("alias").map_or(text, |alias| unquoted(builder, alias));
    builder.import(specifier, module, Some(text), local, is_exported);
    builder.import_reference(name);
}

pub fn export(builder: &mut Builder<'_>, node: Node<'_>) {
    for decorator in field_children(node, "decorator") {
        visit(builder, decorator);
    }
    let mut cursor = node.walk();
    let tokens: Vec<&str> = node.children(&mut cursor).map(|child| child.kind()).collect();
    let is_default = tokens.contains(&"default");
    if let Some(source) = node.child_by_field_name("source") {
        let module = unquoted(builder, source);
        match (child_of_kind(node, "namespace_export"), child_of_kind(node, "export_clause")) {
            (Some(namespace), _) => {
                let name = children(namespace).into_iter().next().map_or("", |name| unquoted(builder, name));
                builder.import(node, module, None, name, true);
            }
            (None, Some(clause)) => {
                for specifier in children(clause) {
                    specified(builder, specifier, module, true);
                }
            }
            (None, None) => builder.import(node, module, Some("*"), "", true),
        }
        return;
    }
    if let Some(clause) = child_of_kind(node, "export_clause") {
        for specifier in children(clause) {
            let Some(name) = specifier.child_by_field_name("name") else { continue };
            let text = builder.text(name);
            let target = builder.lookup(text);
            builder.reference(name, ReferenceKind::Use, None, target);
            if let Some(alias) = specifier.child_by_field_name("alias") {
                builder.import(specifier, "", Some(text), unquoted(builder, alias), true);
            }
        }
        return;
    }
    if let Some(declaration) = node.child_by_field_name("declaration") {
        let name = declaration.child_by_field_name("name").map_or("", |name| builder.text(name));
        statement(builder, declaration);
        if is_default && !name.is_empty() {
            builder.import(node, "", Some(name), "default", true);
        }
        return;
    }
    let exported = node.child_by_field_name("value").or_else(|| children(node).into_iter().last());
    if let Some(exported) = exported {
        visit(builder, exported);
        if is_default || tokens.contains(&"=") {
            if exported.kind() == "identifier" {
                builder.import(node, "", Some(builder.text(exported)), "default", true);
            } else {
                let held = value(builder, exported, 0);
                builder.variable("default", held);
            }
        }
    }
}
