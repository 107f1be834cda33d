//! CommonJS modules, and methods that are assigned to prototypes and objects.

use tree_sitter::Node;

use super::super::super::builder::{Builder, Definition};
use super::super::nodes::children;
use super::definitions::anonymous;
use super::ecmascript_walker::EcmascriptWalker;
use super::modules::module_of_call;
use super::patterns::bind_pattern;
use super::values::{properties, unparenthesized, value};
use crate::expression::{Expression, TypeName};
use crate::facts::SymbolKind;

/// `const name = require("module")` and `const name = await import("module")`; returns whether it is one of these.
pub fn require(builder: &mut Builder<'_>, name: Node<'_>, assigned: Node<'_>) -> bool {
    let mut call = assigned;
    let mut taken = None;
    if call.kind() == "member_expression" {
        taken = call.child_by_field_name("property");
        match call.child_by_field_name("object") {
            Some(object) => call = unparenthesized(object),
            None => return false,
        }
    }
    let mut is_awaited = false;
    if call.kind() == "await_expression"
        && let Some(awaited) = children(call).into_iter().next()
    {
        call = awaited;
        is_awaited = true;
    }
    let Some(module) = module_of_call(builder, call) else { return false };
    // Without `await`, `import` gives a promise.
    if !is_awaited && builder.field_text(call, "function") == "import" {
        return false;
    }
    match name.kind() {
        "identifier" => {
            let taken = taken.map(|taken| builder.text(taken));
            builder.import(name, module, taken, builder.text(name), false);
        }
        "object_pattern" => {
            for part in children(name) {
                match part.kind() {
                    "shorthand_property_identifier_pattern" => {
                        let text = builder.text(part);
                        builder.import(part, module, Some(text), text, false);
                        builder.import_reference(part);
                    }
                    "pair_pattern" => {
                        let key = builder.field_text(part, "key");
                        let Some(mut local) = part.child_by_field_name("value") else { continue };
                        // `key: local = default`
                        if let Some(left) = local.child_by_field_name("left") {
                            let default = local.child_by_field_name("right");
                            default.into_iter().for_each(|default| builder.visit(default));
                            local = left;
                        }
                        builder.import(part, module, Some(key), builder.text(local), false);
                        if let Some(key) = part.child_by_field_name("key") {
                            builder.import_reference(key);
                        }
                    }
                    _ => bind_pattern(builder, part, Expression::Unknown),
                }
            }
        }
        _ => return false,
    }
    true
}

/// `exports.a = ...`, `module.exports = ...`, `A.prototype.b = function ...`, `a.b = function ...`. Returns whether it
/// is one of these and was walked.
pub fn assignment(builder: &mut Builder<'_>, node: Node<'_>, left: Node<'_>, right: Node<'_>) -> bool {
    if left.kind() != "member_expression" || builder.is_local() {
        return false;
    }
    let path: Vec<&str> = builder.text(left).split('.').map(str::trim).collect();
    let is_function = matches!(
        unparenthesized(right).kind(),
        "function_expression" | "arrow_function" | "generator_function"
    );
    match path.as_slice() {
        ["module", "exports"] | ["exports"] => {
            builder.is_common_js = true;
            export_whole(builder, right);
            true
        }
        ["module", "exports", _] | ["exports", _] if is_function => {
            builder.is_common_js = true;
            method(builder, node, left, right, None);
            true
        }
        ["module", "exports", name] | ["exports", name] => {
            builder.is_common_js = true;
            builder.visit(right);
            match right.kind() {
                "identifier" => builder.import(node, "", Some(builder.text(right)), name, true),
                _ => {
                    let held = value(builder, right, 0);
                    builder.variable(name, held);
                }
            }
            true
        }
        [class, "prototype", _] | [class, _] if is_function && *class != "this" => {
            let class = (*class).to_owned();
            method(builder, node, left, right, Some(&class));
            true
        }
        _ => false,
    }
}

fn export_whole(builder: &mut Builder<'_>, right: Node<'_>) {
    builder.visit(right);
    match right.kind() {
        "identifier" => builder.import(right, "", Some(builder.text(right)), "default", true),
        "object" => {
            for property in properties(right) {
                if property.kind() == "pair"
                    && let (Some(key), Some(held)) =
                        (property.child_by_field_name("key"), property.child_by_field_name("value"))
                    && held.kind() == "identifier"
                    && builder.text(key) != builder.text(held)
                {
                    builder.import(property, "", Some(builder.text(held)), builder.text(key), true);
                }
            }
        }
        _ => {
            let held = value(builder, right, 0);
            builder.variable("default", held);
        }
    }
}

/// A function that is assigned to a member.
fn method(builder: &mut Builder<'_>, node: Node<'_>, left: Node<'_>, right: Node<'_>, class: Option<&str>) {
    let function = unparenthesized(right);
    let Some(name) = left.child_by_field_name("property") else { return };
    let body = function.child_by_field_name("body");
    let definition = Definition {
        kind: if class.is_some() { SymbolKind::Method } else { SymbolKind::Function },
        name,
        node,
        signature: (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte())),
        scope: class.map(str::to_owned),
    };
    let Some(index) = builder.define(&definition) else { return };
    if let Some(class) = class {
        builder.symbol_mut(index).owner = Some(TypeName::simple(class, None));
    }
    let statement = node.parent().unwrap_or(node);
    let doc = super::super::nodes::comments_above(builder, statement, |text| {
        text.starts_with("/**") || text.starts_with("//")
    });
    builder.document(index, &doc);
    builder.within(index, |builder| anonymous(builder, function, None));
}
