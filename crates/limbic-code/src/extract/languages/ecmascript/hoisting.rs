//! Functions and classes of a block, which are visible in all of it.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::children;
use super::definitions;
use super::values::unparenthesized;
use crate::expression::Expression;
use crate::facts::SymbolKind;

/// Defines and binds the functions and classes of a statement. Their bodies are not walked: what names them may stand
/// in a function above them.
pub fn define(builder: &mut Builder<'_>, node: Node<'_>) {
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            define_one(builder, SymbolKind::Function, node, node, node);
        }
        "class_declaration" | "abstract_class_declaration" => {
            define_one(builder, SymbolKind::Class, node, node, node);
        }
        "lexical_declaration" | "variable_declaration" => {
            for (declarator, whole) in declarators(node) {
                let Some(assigned) = declarator.child_by_field_name("value").map(unparenthesized) else {
                    continue;
                };
                let is_named =
                    declarator.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier");
                let kind = match assigned.kind() {
                    "arrow_function" | "function_expression" | "generator_function" => SymbolKind::Function,
                    "class" => SymbolKind::Class,
                    _ => continue,
                };
                if is_named {
                    define_one(builder, kind, declarator, assigned, whole);
                }
            }
        }
        _ => {}
    }
}

fn define_one(builder: &mut Builder<'_>, kind: SymbolKind, named: Node<'_>, node: Node<'_>, whole: Node<'_>) {
    let Some(name) = named.child_by_field_name("name") else { return };
    if let Some(index) = definitions::define(builder, kind, name, node, whole) {
        builder.bind(builder.text(name), Expression::Symbol(index));
        builder.hoisted.insert(name.start_byte(), index);
    }
}

/// The declarators of `const`, `let` or `var`, each with the node that its definition covers.
pub fn declarators<'t>(declaration: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
    let all: Vec<Node<'t>> =
        children(declaration).into_iter().filter(|child| child.kind() == "variable_declarator").collect();
    let is_single = all.len() == 1;
    all.into_iter().map(|declarator| (declarator, if is_single { declaration } else { declarator })).collect()
}
