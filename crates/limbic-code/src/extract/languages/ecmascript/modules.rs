//! Imports and exports of ES modules.

use tree_sitter::Node;

use super::super::super::builder::{Builder, MAX_EXPRESSION_DEPTH};
use super::super::nodes::{child_of_kind, children, field_children};
use super::ecmascript_walker::EcmascriptWalker;
use super::values::value;
use crate::expression::Expression;
use crate::facts::ReferenceKind;

fn unquoted<'t>(builder: &Builder<'t>, node: Node<'_>) -> &'t str {
    builder.text(node).trim_matches(['"', '\'', '`'])
}

pub fn import(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.es_module();
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

/// `import("module")` and `require("module")` within an expression.
pub fn in_expression(builder: &mut Builder<'_>, call: Node<'_>) {
    if let Some(module) = module_of_call(builder, call) {
        builder.import(call, module, None, "", false);
        builder.import_in_expression(call);
    }
}

/// The module of a call of `import` or `require`.
pub fn module_of_call<'t>(builder: &Builder<'t>, call: Node<'_>) -> Option<&'t str> {
    let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
    let is_require = || {
        builder.text(function) == "require"
            && builder.lookup("require") == Expression::Name("require".to_owned())
    };
    if function.kind() != "import" && !is_require() {
        return None;
    }
    let module = child_of_kind(call.child_by_field_name("arguments")?, "string")?;
    Some(unquoted(builder, module))
}

/// `import name = path.of.names`.
pub fn alias(builder: &mut Builder<'_>, node: Node<'_>) {
    let parts = children(node);
    let [name, target] = parts.as_slice() else { return };
    let name = builder.text(*name);
    if target.kind() == "identifier" {
        builder.import(node, "", Some(builder.text(*target)), name, false);
        return;
    }
    let mut path = builder.text(*target).split('.').map(str::trim);
    let first = builder.lookup(path.next().unwrap_or_default());
    let held = path.fold(first, |object, part| object.member(part));
    builder.variable(name, held);
}

/// The names that a declaration binds.
fn declared_names<'t>(builder: &Builder<'t>, node: Node<'_>, found: &mut Vec<&'t str>, depth: u32) {
    if depth > MAX_EXPRESSION_DEPTH {
        return;
    }
    let mut each = |nodes: Vec<Node<'_>>| {
        nodes.into_iter().for_each(|child| declared_names(builder, child, found, depth + 1));
    };
    match node.kind() {
        "identifier" | "type_identifier" | "shorthand_property_identifier_pattern" => {
            found.push(builder.text(node));
        }
        "lexical_declaration"
        | "variable_declaration"
        | "ambient_declaration"
        | "object_pattern"
        | "array_pattern"
        | "rest_pattern" => each(children(node)),
        "assignment_pattern" | "object_assignment_pattern" => each(field_children(node, "left")),
        "pair_pattern" => each(field_children(node, "value")),
        "import_alias" => each(children(node).into_iter().take(1).collect()),
        _ => each(field_children(node, "name")),
    }
}

pub fn export(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.es_module();
    for decorator in field_children(node, "decorator") {
        builder.visit(decorator);
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
            match specifier.child_by_field_name("alias") {
                Some(alias) => builder.import(specifier, "", Some(text), unquoted(builder, alias), true),
                None => builder.export(text),
            }
        }
        return;
    }
    if let Some(declaration) = node.child_by_field_name("declaration") {
        let name = declaration.child_by_field_name("name").map_or("", |name| builder.text(name));
        builder.statement(declaration);
        if !is_default {
            let mut names = Vec::new();
            declared_names(builder, declaration, &mut names, 0);
            names.into_iter().for_each(|name| builder.export(name));
        } else if !name.is_empty() {
            builder.import(node, "", Some(name), "default", true);
        }
        return;
    }
    let exported = node.child_by_field_name("value").or_else(|| children(node).into_iter().last());
    if let Some(exported) = exported {
        builder.visit(exported);
        // The names of the exported value are visible, too.
        builder.is_common_js |= tokens.contains(&"=");
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
