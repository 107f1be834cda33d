//! Rust: types.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::children;
use crate::expression::TypeName;
use crate::facts::ReferenceKind;

/// Types nested deeper than this are unknown.
const MAX_DEPTH: u32 = 8;

/// The type of a node; `own` replaces `Self`.
pub fn type_name(builder: &Builder<'_>, node: Node<'_>, own: Option<&TypeName>, depth: u32) -> TypeName {
    let scope = builder.current();
    if depth > MAX_DEPTH {
        return TypeName { scope, ..TypeName::default() };
    }
    let inner = |node: Node<'_>| type_name(builder, node, own, depth + 1);
    let field = |name: &str| node.child_by_field_name(name);
    let first_type =
        || children(node).into_iter().find(|child| !matches!(child.kind(), "lifetime" | "mutable_specifier"));
    match node.kind() {
        "type_identifier" | "identifier" | "self" | "primitive_type" => {
            let text = builder.text(node);
            match own {
                Some(own) if text == "Self" => own.clone(),
                _ => TypeName::simple(text, scope),
            }
        }
        "scoped_type_identifier" | "scoped_identifier" => {
            let mut path = field("path").map_or_else(TypeName::default, inner).path;
            path.push(builder.field_text(node, "name").to_owned());
            TypeName { path, arguments: Vec::new(), scope }
        }
        "crate" | "super" => TypeName::simple(builder.text(node), scope),
        "generic_type" | "generic_type_with_turbofish" => {
            let mut name = field("type").map_or_else(TypeName::default, inner);
            let arguments = field("type_arguments").map(children).unwrap_or_default();
            name.arguments = arguments
                .into_iter()
                .filter(|argument| !matches!(argument.kind(), "lifetime" | "type_binding" | "line_comment"))
                .map(inner)
                .collect();
            name
        }
        "reference_type" | "pointer_type" => field("type").map_or_else(TypeName::default, inner),
        "dynamic_type" | "abstract_type" => field("trait").map_or_else(TypeName::default, inner),
        "bounded_type" | "bracketed_type" => first_type().map_or_else(TypeName::default, inner),
        "higher_ranked_trait_bound" => field("type").map_or_else(TypeName::default, inner),
        "qualified_type" => field("type").map_or_else(TypeName::default, inner),
        "array_type" => TypeName::with("[]", field("element").map(inner).into_iter().collect(), scope),
        "tuple_type" => TypeName::with("()", children(node).into_iter().map(inner).collect(), scope),
        "function_type" => TypeName::with("fn", field("return_type").map(inner).into_iter().collect(), scope),
        _ => TypeName { scope, ..TypeName::default() },
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
            if name.last() != "Self" {
                builder.type_reference(node, kind, name);
            }
        }
        "scoped_type_identifier" => {
            let name = type_name(builder, node, None, 0);
            if let Some(path) = node.child_by_field_name("path") {
                references(builder, path, ReferenceKind::Type);
            }
            if let Some(last) = node.child_by_field_name("name") {
                builder.type_reference(last, kind, name);
            }
        }
        "identifier" => {
            let name = builder.type_name(builder.text(node));
            builder.type_reference(node, ReferenceKind::Use, name);
        }
        "generic_type" | "generic_type_with_turbofish" => {
            if let Some(base) = node.child_by_field_name("type") {
                references(builder, base, kind);
            }
            if let Some(arguments) = node.child_by_field_name("type_arguments") {
                type_references(builder, arguments);
            }
        }
        "type_parameter" => {
            for field in ["bounds", "default_type"] {
                node.child_by_field_name(field).into_iter().for_each(|part| type_references(builder, part));
            }
        }
        "type_binding" => {
            node.child_by_field_name("type").into_iter().for_each(|part| type_references(builder, part));
        }
        "lifetime" | "line_comment" | "block_comment" | "attribute_item" | "visibility_modifier" => {}
        _ => children(node).into_iter().for_each(|child| type_references(builder, child)),
    });
}
