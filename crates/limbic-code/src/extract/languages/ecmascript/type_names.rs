//! Types of TypeScript.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::children;
use super::ecmascript_walker::EcmascriptWalker;
use crate::expression::TypeName;
use crate::facts::ReferenceKind;

/// Types nested deeper than this are unknown.
const MAX_DEPTH: u32 = 8;

/// The type of a node.
pub fn type_name(builder: &Builder<'_>, node: Node<'_>, depth: u32) -> TypeName {
    let scope = builder.current();
    let unknown = || TypeName { scope, ..TypeName::default() };
    if depth > MAX_DEPTH {
        return unknown();
    }
    let inner = |node: Node<'_>| type_name(builder, node, depth + 1);
    let all = |node: Node<'_>| children(node).into_iter().map(inner).collect::<Vec<_>>();
    let first = || children(node).into_iter().next().map_or_else(unknown, inner);
    match node.kind() {
        "type_annotation" | "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" => first(),
        "type_identifier" | "identifier" | "predefined_type" => TypeName::simple(builder.text(node), scope),
        "nested_type_identifier" | "nested_identifier" | "member_expression" => {
            let path = builder.text(node).split('.').map(|part| part.trim().to_owned()).collect();
            TypeName { path, arguments: Vec::new(), scope }
        }
        "generic_type" => {
            let mut name = node.child_by_field_name("name").map_or_else(unknown, inner);
            name.arguments = node.child_by_field_name("type_arguments").map(all).unwrap_or_default();
            name
        }
        "union_type" | "intersection_type" => {
            let mut members = Vec::new();
            for member in all(node) {
                if member.path == ["|"] { members.extend(member.arguments) } else { members.push(member) }
            }
            TypeName::with("|", members, scope)
        }
        "array_type" => TypeName::with("[]", all(node), scope),
        "tuple_type" => TypeName::with("()", all(node), scope),
        "function_type" => TypeName::with(
            "fn",
            node.child_by_field_name("return_type").map(inner).into_iter().collect(),
            scope,
        ),
        "constructor_type" => {
            TypeName::with("fn", node.child_by_field_name("type").map(inner).into_iter().collect(), scope)
        }
        "this_type" => TypeName::simple("this", scope),
        "type_query" => TypeName::with("typeof", all(node), scope),
        "type_predicate" | "type_predicate_annotation" | "asserts_annotation" => {
            TypeName::simple("boolean", scope)
        }
        "null" | "undefined" => TypeName::simple("null", scope),
        "literal_type" => match children(node).first().map(Node::kind) {
            Some("null" | "undefined") => TypeName::simple("null", scope),
            Some("string") => TypeName::simple("string", scope),
            Some("number") => TypeName::simple("number", scope),
            _ => unknown(),
        },
        _ => unknown(),
    }
}

/// Adds references for the names in a type.
pub fn type_references(builder: &mut Builder<'_>, node: Node<'_>) {
    references(builder, node, ReferenceKind::Type);
}

/// Adds references for the names in a type; the outermost one has the given kind.
pub fn references(builder: &mut Builder<'_>, node: Node<'_>, kind: ReferenceKind) {
    builder.nested(|builder| match node.kind() {
        "type_identifier" => {
            let name = builder.type_name(builder.text(node));
            builder.type_reference(node, kind, name);
        }
        "nested_type_identifier" => {
            let name = type_name(builder, node, 0);
            if let Some(module) =
                node.child_by_field_name("module").filter(|module| module.kind() == "identifier")
            {
                let target = builder.lookup(builder.text(module));
                builder.reference(module, ReferenceKind::Use, None, target);
            }
            if let Some(last) = node.child_by_field_name("name") {
                builder.type_reference(last, kind, name);
            }
        }
        "generic_type" => {
            node.child_by_field_name("name").into_iter().for_each(|name| references(builder, name, kind));
            node.child_by_field_name("type_arguments")
                .into_iter()
                .for_each(|list| type_references(builder, list));
        }
        "type_query" => {
            for child in children(node) {
                builder.visit(child);
            }
        }
        "type_parameter" => {
            for field in ["constraint", "value"] {
                node.child_by_field_name(field).into_iter().for_each(|part| type_references(builder, part));
            }
        }
        "method_signature"
        | "property_signature"
        | "call_signature"
        | "construct_signature"
        | "required_parameter"
        | "optional_parameter" => {
            for field in ["type_parameters", "parameters", "return_type", "type"] {
                node.child_by_field_name(field).into_iter().for_each(|part| type_references(builder, part));
            }
        }
        "identifier" | "property_identifier" | "predefined_type" | "literal_type" | "comment" => {}
        _ => children(node).into_iter().for_each(|child| type_references(builder, child)),
    });
}
