//! JavaScript, TypeScript and JSX: statements. Definitions, patterns, expressions and types are in `ecmascript/`.

mod common_js;
mod definitions;
mod ecmascript_walker;
mod hoisting;
mod modules;
mod patterns;
mod references;
mod type_names;
mod values;

use tree_sitter::Node;

use super::super::builder::Builder;
use super::nodes::{children, parts_and_errors};
use crate::expression::Expression;
use definitions::{class, enumeration, function, interface, namespace, type_alias};
use ecmascript_walker::EcmascriptWalker;
use patterns::bind_pattern;
use references::visit;
use type_names::{type_name, type_references};
use values::{unparenthesized, value};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    statements(builder, parts_and_errors(root), true);
}

impl EcmascriptWalker for Builder<'_> {
    fn statements(&mut self, nodes: Vec<Node<'_>>, is_top: bool) {
        statements(self, nodes, is_top);
    }

    fn statement(&mut self, node: Node<'_>) {
        statement(self, node);
    }

    fn visit(&mut self, node: Node<'_>) {
        visit(self, node);
    }
}

/// Walks statements. Within a function or block, its functions and classes are defined before anything that may name
/// them is walked; names of the top are looked up when references are resolved.
fn statements(builder: &mut Builder<'_>, nodes: Vec<Node<'_>>, is_top: bool) {
    if !is_top && builder.is_local() {
        nodes.iter().for_each(|node| hoisting::define(builder, *node));
    }
    for node in nodes {
        statement(builder, node);
    }
}

/// Walks a statement.
fn statement(builder: &mut Builder<'_>, node: Node<'_>) {
    builder.nested(|builder| match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            function(builder, node, node, node.child_by_field_name("name"));
        }
        "class_declaration" | "abstract_class_declaration" => {
            class(builder, node, node, node.child_by_field_name("name"));
        }
        "interface_declaration" => interface(builder, node, node),
        "type_alias_declaration" => type_alias(builder, node, node),
        "enum_declaration" => enumeration(builder, node, node),
        "internal_module" | "module" => namespace(builder, node, node),
        "import_statement" => modules::import(builder, node),
        "import_alias" => modules::alias(builder, node),
        "export_statement" => modules::export(builder, node),
        "lexical_declaration" | "variable_declaration" => declarations(builder, node),
        "ambient_declaration" => statements(builder, parts_and_errors(node), false),
        "statement_block" => {
            builder.push_scope();
            statements(builder, parts_and_errors(node), false);
            builder.pop_scope();
        }
        "for_statement" => {
            builder.push_scope();
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
            builder.pop_scope();
        }
        "for_in_statement" => {
            builder.push_scope();
            if let (Some(left), Some(right)) =
                (node.child_by_field_name("left"), node.child_by_field_name("right"))
            {
                visit(builder, right);
                let list = value(builder, right, 0);
                let is_of =
                    node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "of");
                let element = if is_of { Expression::Element(Box::new(list)) } else { Expression::Unknown };
                bind_pattern(builder, left, element);
            }
            node.child_by_field_name("body").into_iter().for_each(|body| statement(builder, body));
            builder.pop_scope();
        }
        "catch_clause" => {
            builder.push_scope();
            if let Some(parameter) = node.child_by_field_name("parameter") {
                bind_pattern(builder, parameter, Expression::Unknown);
            }
            node.child_by_field_name("body").into_iter().for_each(|body| statement(builder, body));
            builder.pop_scope();
        }
        "return_statement" => {
            for child in children(node) {
                visit(builder, child);
                let result = value(builder, child, 0);
                builder.returned(result);
            }
        }
        "if_statement"
        | "else_clause"
        | "while_statement"
        | "do_statement"
        | "try_statement"
        | "finally_clause"
        | "switch_statement"
        | "switch_body"
        | "switch_case"
        | "switch_default"
        | "labeled_statement"
        | "ERROR"
        | "expression_statement"
        | "with_statement" => {
            parts_and_errors(node).into_iter().for_each(|child| statement(builder, child));
        }
        "comment" | "statement_identifier" | "empty_statement" => {}
        _ => visit(builder, node),
    });
}

/// `const`, `let` and `var`.
fn declarations(builder: &mut Builder<'_>, node: Node<'_>) {
    let is_constant = node.child_by_field_name("kind").is_some_and(|kind| kind.kind() == "const");
    for (declarator, outer) in hoisting::declarators(node) {
        let Some(name) = declarator.child_by_field_name("name") else { continue };
        let assigned = declarator.child_by_field_name("value");
        if let Some(assigned) = assigned {
            if common_js::require(builder, name, assigned) {
                continue;
            }
            let unwrapped = unparenthesized(assigned);
            match unwrapped.kind() {
                "arrow_function" | "function_expression" | "generator_function"
                    if name.kind() == "identifier" =>
                {
                    if let Some(declared) = declarator.child_by_field_name("type") {
                        type_references(builder, declared);
                    }
                    function(builder, unwrapped, outer, Some(name));
                    continue;
                }
                "class" if name.kind() == "identifier" => {
                    class(builder, unwrapped, outer, Some(name));
                    continue;
                }
                _ => {}
            }
        }
        let declared = declarator.child_by_field_name("type").map(|declared| {
            type_references(builder, declared);
            type_name(builder, declared, 0)
        });
        let at_top = !builder.is_local()
            && builder.current().is_none_or(|index| !builder.symbol(index).kind.is_type());
        if name.kind() == "identifier"
            && (is_constant || builder.language != crate::Language::JavaScript)
            && at_top
        {
            definitions::constant(builder, name, outer, assigned, declared);
            continue;
        }
        let mut held = assigned.map_or(Expression::Unknown, |assigned| {
            visit(builder, assigned);
            value(builder, assigned, 0)
        });
        if let Some(declared) = declared {
            held = Expression::Typed(declared);
        }
        bind_pattern(builder, name, held);
    }
}
