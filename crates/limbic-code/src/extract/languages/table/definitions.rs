//! Definitions and variables by a table.

use tree_sitter::Node;

use super::super::super::builder::{Builder, Definition};
use super::super::arity;
use super::super::nodes::{children, comments_above};
use super::parts::parts;
use super::places::{At, last_name};
use super::rules::{Role, SymbolRule, Table, VariableRule};
use super::table_walker::TableWalker;
use super::types::visit_type;
use super::values::{type_name, value};
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind};

/// Names of a path in front of its last one, by the separators of all languages. Arguments are left out; what is not a
/// path of names has none.
fn scope_of(text: &str) -> Option<TypeName> {
    let mut depth = 0_u32;
    let mut bare = String::new();
    for c in text.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => bare.push(c),
            _ => {}
        }
    }
    let end = bare.rfind(['.', ':', '\\'])?;
    let names = bare[..end].split(['.', ':', '\\']).map(str::trim).filter(|part| !part.is_empty());
    let path: Vec<String> = names.map(str::to_owned).collect();
    let is_name =
        |part: &String| part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '`'));
    (!path.is_empty() && path.iter().all(is_name)).then_some(TypeName {
        path,
        arguments: Vec::new(),
        scope: None,
    })
}

/// Where the body of a definition begins.
fn body_of(table: &Table, node: Node<'_>) -> usize {
    let body = node
        .child_by_field_name("body")
        .or_else(|| children(node).into_iter().find(|child| table.bodies.contains(&child.kind())));
    body.map_or(node.end_byte(), |body| body.start_byte())
}

/// Where a definition begins behind its annotations.
fn head_of(node: Node<'_>) -> usize {
    let mut start = node.start_byte();
    for child in children(node) {
        let lead = if child.kind() == "modifiers" { children(child).into_iter().next() } else { Some(child) };
        match lead.filter(|lead| {
            matches!(lead.kind(), "annotation" | "attribute" | "attribute_list" | "attribute_declaration")
        }) {
            Some(lead) => start = lead.end_byte(),
            None => break,
        }
    }
    start
}

fn kind_of(builder: &Builder<'_>, node: Node<'_>, rule: &SymbolRule) -> SymbolKind {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let is_modifier = child.kind().contains("modifier");
        if child.is_named() && !is_modifier {
            continue;
        }
        let words = if is_modifier { builder.text(child) } else { child.kind() };
        for word in words.split_whitespace() {
            if let Some((_, kind)) = rule.keywords.iter().find(|(keyword, _)| *keyword == word) {
                return *kind;
            }
        }
    }
    rule.kind
}

/// Adds a definition and walks its parts.
pub fn define(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, rule: &SymbolRule) -> Option<u32> {
    let place = rule.name.of(node);
    let Some(name) = place.and_then(last_name).or_else(|| (!rule.fixed_name.is_empty()).then_some(node))
    else {
        parts(builder, table, node, &[]);
        return None;
    };
    let mut kind = kind_of(builder, node, rule);
    let enclosing = builder.current().map(|index| (index, builder.symbol(index).kind));
    let is_module = kind == SymbolKind::Module;
    // `Shop.Orders` is one namespace; `Circle::area` is a method.
    let mut owner = None;
    if !is_module {
        owner = rule.owner.of(node).map(|owner| type_name(builder, owner));
        let path = place.filter(|place| *place != name);
        owner = owner.or_else(|| path.and_then(|path| scope_of(builder.text(path))));
        if let Some(owner) = &mut owner {
            owner.scope = builder.current();
        }
    }
    let is_member = owner.is_some() || enclosing.is_some_and(|(_, kind)| kind.is_type());
    if kind == SymbolKind::Function && is_member {
        kind = SymbolKind::Method;
    }
    let scope = owner.as_ref().map(|owner| {
        let outer = enclosing.map(|(index, _)| builder.symbol(index).qualified_name.clone());
        outer.into_iter().chain(owner.path.iter().cloned()).collect::<Vec<_>>().join(".")
    });
    let text = match (rule.fixed_name, place) {
        ("", Some(place)) if is_module => builder.text(place),
        ("", _) => builder.text(name),
        (fixed, _) => fixed,
    };
    let definition = Definition { kind, name, node, signature: (head_of(node), body_of(table, node)), scope };
    let Some(index) = builder.define_named(&definition, text) else {
        parts(builder, table, node, &[place]);
        return None;
    };
    let is_type = kind.is_type();
    let is_static = kind == SymbolKind::Method && has_modifier(builder, node, &["static", "singleton"]);
    let parameters = match kind {
        SymbolKind::Function | SymbolKind::Method => arity::parameters(builder, node),
        _ => None,
    };
    let symbol = builder.symbol_mut(index);
    symbol.parameters = parameters;
    let length = symbol.signature.trim_end_matches([' ', ';', '{', '=', ':']).len();
    symbol.signature.truncate(length);
    symbol.is_static = is_static;
    symbol.owner = owner.clone().filter(|_| !is_type);
    let doc = comments_above(builder, documented(node), |_| true);
    builder.document(index, &without_tags(&doc));
    if !is_member {
        builder.bind(text, Expression::Symbol(index));
    }
    // Bases are looked up around the type, not in it.
    let lists: Vec<Node<'_>> = children(node)
        .into_iter()
        .filter(|part| matches!((table.role)(part.kind()), Role::Bases(_)))
        .collect();
    for list in &lists {
        let bases: Vec<TypeName> = children(*list)
            .into_iter()
            .filter(|base| base.kind() != "access_specifier" && !base.kind().contains("argument"))
            .map(|base| type_name(builder, base))
            .filter(|base| !base.path.is_empty())
            .collect();
        builder.visit(table, *list);
        builder.symbol_mut(index).bases.extend(bases);
    }
    let result = rule.result.of(node);
    builder.within(index, |builder| {
        if let Some(result) = result {
            visit_type(builder, table, result, ReferenceKind::Type);
            let result = type_name(builder, result);
            builder.symbol_mut(index).value_type = Some(result);
        }
        let except: Vec<Option<Node<'_>>> =
            lists.iter().copied().map(Some).chain([place, result, rule.owner.of(node)]).collect();
        if kind.is_type() || kind == SymbolKind::Module {
            parts(builder, table, node, &except);
            return;
        }
        builder.push_scope();
        let instance = match (&owner, enclosing) {
            (Some(owner), _) => Some(Expression::Typed(owner.clone())),
            (None, Some((class, kind))) if kind.is_type() => Some(Expression::Instance(class)),
            _ => None,
        };
        for receiver in table.receivers {
            match (is_static, &instance) {
                (false, Some(instance)) => builder.bind(receiver, instance.clone()),
                (true, Some(Expression::Instance(class))) => {
                    builder.bind(receiver, Expression::Symbol(*class));
                }
                _ => {}
            }
        }
        let class = match (&owner, enclosing) {
            (Some(owner), _) => Some(Expression::Type(owner.clone())),
            (None, Some((class, kind))) if kind.is_type() => Some(Expression::Symbol(class)),
            _ => None,
        };
        for name in table.own_type {
            class.iter().for_each(|class| builder.bind(name, class.clone()));
        }
        builder.returns.push(Some(index).filter(|_| result.is_none()));
        parts(builder, table, node, &except);
        if let Some(last) = (table.returned)(node) {
            let last = value(builder, table, last, 0);
            builder.returned(last);
        }
        builder.returns.pop();
        builder.pop_scope();
    });
    Some(index)
}

/// The node that the comments of a definition precede: `template <...>` wraps it, `export` too.
fn documented(node: Node<'_>) -> Node<'_> {
    match node.parent() {
        Some(parent)
            if parent.kind() == "template_declaration"
                || parent.start_byte() == node.start_byte() && parent.parent().is_some() =>
        {
            parent
        }
        _ => node,
    }
}

/// Documentation without the tags of XML comments and without the third mark of Lua's.
fn without_tags(doc: &str) -> String {
    let mut text = doc.to_owned();
    for tag in ["<summary>", "</summary>", "<!--", "-->"] {
        text = text.replace(tag, "");
    }
    let lines = text.lines().map(|line| line.trim().trim_start_matches("-- ").trim_start_matches("--- "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether one of the words is among the modifiers of a declaration.
fn has_modifier(builder: &Builder<'_>, node: Node<'_>, words: &[&str]) -> bool {
    if node.kind().starts_with("singleton") {
        return true;
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| {
        let kind = child.kind();
        let is_modifier = kind.contains("modifier") || kind.contains("specifier") || !child.is_named();
        is_modifier && builder.text(child).split_whitespace().any(|word| words.contains(&word))
    })
}

/// Adds a variable, parameter, field or constant, and walks its type and value.
pub fn declare(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, rule: &VariableRule) {
    let name = rule.name.of(node).and_then(last_name);
    let (declared, assigned) = (rule.declared.of(node), rule.value.of(node));
    let Some(name) = name else { return parts(builder, table, node, &[]) };
    let text = builder.text(name);
    let is_local = builder.is_local();
    let is_constant = !is_local
        && (rule.constant == ["*"] || !rule.constant.is_empty() && is_constant(builder, node, rule.constant));
    // A type in front of several declarators is walked with the declaration.
    if let Some(declared) = declared.filter(|declared| declared.start_byte() >= node.start_byte()) {
        visit_type(builder, table, declared, ReferenceKind::Type);
    }
    let held = match (declared.map(|declared| type_name(builder, declared)), assigned) {
        (Some(name), _) if !matches!(name.last(), "" | "var" | "auto") => Expression::Typed(name),
        (_, Some(assigned)) => value(builder, table, assigned, 0),
        _ => Expression::Unknown,
    };
    let class = builder.current().filter(|index| !is_local && builder.symbol(*index).kind.is_type());
    if is_constant {
        let whole = if node.kind().contains("declarator") || node.kind().contains("element") {
            node.parent().unwrap_or(node)
        } else {
            node
        };
        let signature = (head_of(whole), whole.end_byte());
        let definition = Definition { kind: SymbolKind::Constant, name, node: whole, signature, scope: None };
        if let Some(index) = builder.define(&definition) {
            builder.symbol_mut(index).values.push(held.clone());
        }
    }
    // The value of a field is evaluated in the type, not in a function.
    if class.is_some() {
        builder.push_scope();
        for receiver in table.receivers {
            builder.bind(receiver, class.map_or(Expression::Unknown, Expression::Instance));
        }
    }
    parts(builder, table, node, &[rule.name.of(node), declared]);
    if class.is_some() {
        builder.pop_scope();
    }
    match class {
        _ if is_constant => {}
        Some(class) => builder.field(class, text.trim_start_matches(['$', '@']), held),
        None => {
            builder.variable(text, held);
        }
    }
}

/// Whether a declaration has one of the words in front of its name.
fn is_constant(builder: &Builder<'_>, node: Node<'_>, words: &[&str]) -> bool {
    let mut at = Some(node);
    for _ in 0..3 {
        let Some(node) = at else { break };
        let mut cursor = node.walk();
        let found = node.children(&mut cursor).any(|child| {
            let kind = child.kind();
            let is_word = !child.is_named() || kind.contains("modifier") || kind.contains("binding");
            is_word && builder.text(child).split_whitespace().any(|word| words.contains(&word))
        });
        if found {
            return true;
        }
        // A declarator within its declaration.
        at = node
            .parent()
            .filter(|parent| parent.kind().contains("declaration") && !parent.kind().contains("list"));
        if at.is_some_and(|parent| parent.kind().contains("class")) {
            break;
        }
    }
    false
}

/// Adds a variant of the enclosing enumeration.
pub fn variant(builder: &mut Builder<'_>, table: &Table, node: Node<'_>, name: At) {
    let name = name.of(node);
    if let (Some(name), Some(of)) = (name, builder.current()) {
        let own = TypeName::simple(builder.symbol(of).name.clone(), builder.symbol(of).parent);
        builder.field(of, builder.text(name), Expression::Typed(own));
    }
    parts(builder, table, node, &[name]);
}
