//! Closures that are arguments of calls: the callee gives their parameters their values.

use tree_sitter::Node;

use super::super::super::builder::Builder;
use super::super::nodes::children;
use super::destructuring::bind_pattern;
use super::parts::parts;
use super::rules::Table;
use crate::expression::Expression;

/// Nodes between a call and a closure.
const LISTS: [&str; 9] = [
    "argument_list",
    "arguments",
    "value_arguments",
    "call_suffix",
    "argument",
    "value_argument",
    "annotated_lambda",
    "block",
    "parenthesized_expression",
];

/// Remembers the callee for the closures among the arguments of a call.
pub fn note_closures(
    builder: &mut Builder<'_>,
    table: &Table,
    call: Node<'_>,
    callee: &dyn Fn(&Builder<'_>) -> Expression,
) {
    if table.closures.kinds.is_empty() {
        return;
    }
    let found = children(call).into_iter().flat_map(|part| closures(table, part, 0)).collect::<Vec<_>>();
    if found.is_empty() {
        return;
    }
    let callee = callee(builder).bounded();
    for closure in found {
        builder.closure(closure, callee.clone());
    }
}

fn closures<'t>(table: &Table, node: Node<'t>, depth: u32) -> Vec<Node<'t>> {
    if table.closures.kinds.contains(&node.kind()) {
        return vec![node];
    }
    if let Some(placeholder) = placeholder(node).filter(|_| depth > 0) {
        return vec![placeholder];
    }
    if depth > 4 || !LISTS.contains(&node.kind()) {
        return Vec::new();
    }
    children(node).into_iter().flat_map(|part| closures(table, part, depth + 1)).collect()
}

/// The `_` of Scala that a chain of members and calls begins with.
fn placeholder(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..20 {
        at = match at.kind() {
            "wildcard" if at != node => return Some(at),
            "call_expression" | "generic_function" => at.child_by_field_name("function")?,
            "field_expression" => at.child_by_field_name("value")?,
            "infix_expression" => at.child_by_field_name("left")?,
            _ => return None,
        };
    }
    None
}

/// Walks a closure in a scope of its own.
pub fn closure(builder: &mut Builder<'_>, table: &Table, node: Node<'_>) {
    let callee = builder.closure_callee(node);
    let value = |index: u32, count: u32| match &callee {
        Some(callee) => Expression::ClosureParameter(Box::new(callee.clone()), index, count),
        None => Expression::Unknown,
    };
    let (parameters, list) = (table.closures.parameters)(node);
    builder.push_scope();
    builder.returns.push(None);
    let count = u32::try_from(parameters.len()).unwrap_or(u32::MAX);
    for (index, parameter) in (0..count).zip(&parameters) {
        bind_pattern(builder, table, *parameter, value(index, count));
    }
    if list.is_none() {
        let text = builder.text(node);
        let used = table.closures.implicit.iter().rposition(|name| text.contains(name));
        let count = used.map_or(0, |last| last + 1);
        for (index, name) in (0_u32..).zip(table.closures.implicit.iter().take(count)) {
            builder.variable(name, value(index, u32::try_from(count).unwrap_or(1)));
        }
    }
    let receivers = builder.receivers.len();
    if let Some(Expression::Member(_, name)) = &callee
        && table.closures.receivers.contains(&name.as_str())
    {
        let receiver = builder.variable("this", value(0, 0));
        builder.receivers.push(Expression::Variable(receiver));
    }
    parts(builder, table, node, &[list]);
    builder.receivers.truncate(receivers);
    builder.returns.pop();
    builder.pop_scope();
}
