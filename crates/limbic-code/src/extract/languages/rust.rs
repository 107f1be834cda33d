//! Rust: items. Expressions, patterns and types are in `rust/`.

mod context;
mod evaluation;
mod expressions;
mod format_strings;
mod macros;
mod path_references;
mod patterns;
mod rust_walker;
mod types;

use tree_sitter::Node;

use super::super::builder::{Builder, Definition};
use super::nodes::{child_of_kind, children, comments_above, parts_and_errors};
use crate::expression::{Expression, TypeName};
use crate::facts::{ReferenceKind, SymbolKind, TypeParameter};
use context::Context;
use rust_walker::RustWalker;
use types::{type_name, type_references};

pub fn walk(builder: &mut Builder<'_>, root: Node<'_>) {
    items(builder, root, &Context::default());
}

/// Walks the items of a file, module, trait or `impl` block.
fn items(builder: &mut Builder<'_>, node: Node<'_>, context: &Context) {
    // Attributes precede their item.
    let mut start = None;
    for child in parts_and_errors(node) {
        match child.kind() {
            "attribute_item" => {
                start = start.or(Some(child));
            }
            _ => {
                item(builder, child, start.take(), context);
            }
        }
    }
}

impl RustWalker for Builder<'_> {
    fn item(&mut self, node: Node<'_>, first: Option<Node<'_>>, context: &Context) {
        item(self, node, first, context);
    }
}

/// Walks an item or statement.
fn item(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>, context: &Context) {
    builder.nested(|builder| match node.kind() {
        "function_item" | "function_signature_item" => function(builder, node, first, context),
        "struct_item" | "union_item" => structure(builder, node, first, SymbolKind::Struct),
        "enum_item" => structure(builder, node, first, SymbolKind::Enum),
        "trait_item" => trait_item(builder, node, first),
        "impl_item" => implementation(builder, node),
        "mod_item" => module(builder, node, first),
        "const_item" | "static_item" => constant(builder, node, first, context),
        "type_item" | "associated_type" => alias(builder, node, first, context),
        "macro_definition" => {
            define(builder, node, first, SymbolKind::Function, None);
        }
        "use_declaration" => {
            let is_exported = child_of_kind(node, "visibility_modifier").is_some();
            if let Some(argument) = node.child_by_field_name("argument") {
                use_tree(builder, argument, "", is_exported);
            }
        }
        "extern_crate_declaration" => {
            let name = builder.field_text(node, "name");
            let alias = builder.field_text(node, "alias");
            builder.import(node, name, None, if alias.is_empty() { name } else { alias }, false);
        }
        "foreign_mod_item" => {
            node.child_by_field_name("body").into_iter().for_each(|body| items(builder, body, context));
        }
        "declaration_list" | "ERROR" => items(builder, node, context),
        "inner_attribute_item" | "line_comment" | "block_comment" => {}
        "attribute_item" => {}
        _ => expressions::visit(builder, node, context),
    });
}

/// Adds the symbol of an item, with its documentation.
fn define(
    builder: &mut Builder<'_>,
    node: Node<'_>,
    first: Option<Node<'_>>,
    kind: SymbolKind,
    scope: Option<String>,
) -> Option<u32> {
    let name = node.child_by_field_name("name")?;
    let body = node.child_by_field_name("body").or_else(|| child_of_kind(node, "macro_rule"));
    // Words of a macro: `struct enum name`.
    if body.is_none() && name.prev_sibling().is_some_and(|before| before.is_error()) {
        return None;
    }
    let definition = Definition {
        kind,
        name,
        node,
        signature: (node.start_byte(), body.map_or(node.end_byte(), |body| body.start_byte())),
        scope,
    };
    let index = builder.define(&definition)?;
    let symbol = builder.symbol_mut(index);
    let length = symbol.signature.trim_end_matches([' ', ';', '{']).len();
    symbol.signature.truncate(length);
    if let Some(first) = first {
        builder.start_at(index, first);
    }
    let doc = comments_above(builder, first.unwrap_or(node), |text| {
        text.starts_with("///") || text.starts_with("/**")
    });
    builder.document(index, &doc);
    if let Some(parameters) = node.child_by_field_name("type_parameters") {
        type_references(builder, parameters);
    }
    let parameters = type_parameters(builder, node);
    builder.symbol_mut(index).type_parameters = parameters;
    Some(index)
}

/// Type parameters of an item with the bounds of their list and of the `where` clause.
fn type_parameters(builder: &Builder<'_>, node: Node<'_>) -> Vec<TypeParameter> {
    let list = node.child_by_field_name("type_parameters").map(children).unwrap_or_default();
    let bounds_of = |node: Node<'_>| {
        let bounds = node.child_by_field_name("bounds").map(children).unwrap_or_default();
        bounds.into_iter().map(|bound| type_name(builder, bound, None, 0)).collect::<Vec<_>>()
    };
    let mut parameters: Vec<TypeParameter> = list
        .into_iter()
        .filter(|parameter| parameter.kind() == "type_parameter")
        .map(|parameter| TypeParameter {
            name: builder.field_text(parameter, "name").to_owned(),
            bounds: bounds_of(parameter),
        })
        .collect();
    for predicate in child_of_kind(node, "where_clause").map(children).unwrap_or_default() {
        let left = builder.field_text(predicate, "left");
        if let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == left) {
            parameter.bounds.extend(bounds_of(predicate));
        }
    }
    parameters
}

fn function(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>, context: &Context) {
    let in_trait = builder.current().is_some_and(|index| builder.symbol(index).kind == SymbolKind::Trait);
    let is_method = in_trait || context.owner.is_some();
    let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
    let scope = context.owner.as_ref().filter(|_| !in_trait).map(|owner| scope_of(builder, owner));
    let Some(function) = define(builder, node, first, kind, scope) else { return };
    let parameters = node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let has_self = parameters.iter().any(|parameter| {
        parameter.kind() == "self_parameter"
            || parameter.child_by_field_name("pattern").is_some_and(|pattern| pattern.kind() == "self")
    });
    let symbol = builder.symbol_mut(function);
    symbol.is_static = is_method && !has_self;
    if !in_trait {
        symbol.owner.clone_from(&context.owner);
        symbol.implements.clone_from(&context.implements);
    }
    symbol.type_parameters.extend(context.parameters.iter().cloned());
    if !is_method {
        builder.bind(builder.field_text(node, "name"), Expression::Symbol(function));
    }
    builder.push_scope();
    // The parameters of the block are those of its functions: types are looked up from there.
    let context = &context.within(function);
    builder.within(function, |builder| {
        if let Some(result) = node.child_by_field_name("return_type") {
            type_references(builder, result);
            let result = type_name(builder, result, context.owner.as_ref(), 0);
            builder.symbol_mut(function).value_type = Some(result);
        }
        if let Some(clause) = child_of_kind(node, "where_clause") {
            type_references(builder, clause);
        }
        for parameter in parameters {
            if parameter.kind() == "self_parameter" {
                builder.bind("self", self_value(builder, context));
            }
            let declared = parameter.child_by_field_name("type").map(|declared| {
                type_references(builder, declared);
                Expression::Typed(type_name(builder, declared, context.owner.as_ref(), 0))
            });
            if let Some(pattern) = parameter.child_by_field_name("pattern") {
                if pattern.kind() == "self" {
                    builder.bind("self", self_value(builder, context));
                } else {
                    patterns::bind(builder, pattern, declared.unwrap_or_default(), context);
                }
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            expressions::visit(builder, body, context);
        }
    });
    builder.pop_scope();
}

/// Returns the value of `self`: an instance of the block's type, or of the trait.
fn self_value(builder: &Builder<'_>, context: &Context) -> Expression {
    match &context.owner {
        // `impl<T> Trait for T`: only the trait of `self` is known.
        Some(owner) if context.parameters.iter().any(|parameter| owner.path == [parameter.name.clone()]) => {
            let types = [Some(owner), context.implements.as_ref()];
            Expression::Either(types.into_iter().flatten().cloned().map(Expression::Typed).collect())
        }
        Some(owner) => Expression::Typed(owner.clone()),
        None => builder
            .enclosing(|symbol| symbol.kind == SymbolKind::Trait)
            .map_or(Expression::Unknown, Expression::Instance),
    }
}

/// The scope in the qualified names of an `impl` block's methods.
fn scope_of(builder: &Builder<'_>, owner: &TypeName) -> String {
    let name = owner.last();
    match builder.current() {
        Some(current) => format!("{}.{name}", builder.symbol(current).qualified_name),
        None => name.to_owned(),
    }
}

fn structure(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>, kind: SymbolKind) {
    let Some(index) = define(builder, node, first, kind, None) else { return };
    builder.bind(builder.field_text(node, "name"), Expression::Symbol(index));
    if let Some(clause) = child_of_kind(node, "where_clause") {
        type_references(builder, clause);
    }
    let own = TypeName::simple(builder.field_text(node, "name"), builder.current());
    let Some(body) = node.child_by_field_name("body") else { return };
    builder.within(index, |builder| match body.kind() {
        "ordered_field_declaration_list" => tuple_fields(builder, body, index, &own),
        "enum_variant_list" => {
            for variant in children(body).into_iter().filter(|child| child.kind() == "enum_variant") {
                builder.field(index, builder.field_text(variant, "name"), Expression::Typed(own.clone()));
                if let Some(fields) = variant.child_by_field_name("body") {
                    variant_fields(builder, fields, index, builder.field_text(variant, "name"), &own);
                }
            }
        }
        _ => {
            for field in children(body).into_iter().filter(|child| child.kind() == "field_declaration") {
                if let Some(declared) = field.child_by_field_name("type") {
                    type_references(builder, declared);
                    let declared = type_name(builder, declared, Some(&own), 0);
                    builder.field(index, builder.field_text(field, "name"), Expression::Typed(declared));
                }
            }
        }
    });
}

/// Fields of a variant, called `Variant.name` or `Variant.0`.
fn variant_fields(builder: &mut Builder<'_>, fields: Node<'_>, index: u32, variant: &str, own: &TypeName) {
    type_references(builder, fields);
    let named = children(fields).into_iter().filter(|child| child.kind() == "field_declaration");
    let named = named.filter_map(|field| {
        Some((builder.field_text(field, "name").to_owned(), field.child_by_field_name("type")?))
    });
    let types = super::nodes::field_children(fields, "type").into_iter().enumerate();
    let tuple = types.map(|(position, declared)| (position.to_string(), declared));
    let is_tuple = fields.kind() == "ordered_field_declaration_list";
    let all: Vec<_> = if is_tuple { tuple.collect() } else { named.collect() };
    for (name, declared) in all {
        let declared = type_name(builder, declared, Some(own), 0);
        builder.field(index, &format!("{variant}.{name}"), Expression::Typed(declared));
    }
}

fn tuple_fields(builder: &mut Builder<'_>, body: Node<'_>, index: u32, own: &TypeName) {
    let fields = super::nodes::field_children(body, "type");
    for (position, field) in fields.into_iter().enumerate() {
        type_references(builder, field);
        let declared = type_name(builder, field, Some(own), 0);
        builder.field(index, &position.to_string(), Expression::Typed(declared));
    }
}

fn trait_item(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>) {
    let Some(index) = define(builder, node, first, SymbolKind::Trait, None) else { return };
    let bounds = node.child_by_field_name("bounds").map(children).unwrap_or_default();
    let names: Vec<TypeName> = bounds
        .iter()
        .filter(|bound| bound.kind() != "lifetime")
        .map(|bound| type_name(builder, *bound, None, 0))
        .collect();
    builder.symbol_mut(index).bases = names;
    for bound in bounds {
        types::references(builder, bound, ReferenceKind::Extends);
    }
    if let Some(body) = node.child_by_field_name("body") {
        builder.within(index, |builder| items(builder, body, &Context::default()));
    }
}

fn implementation(builder: &mut Builder<'_>, node: Node<'_>) {
    let Some(of) = node.child_by_field_name("type") else { return };
    let owner = type_name(builder, of, None, 0);
    type_references(builder, of);
    let implements = node.child_by_field_name("trait").map(|base| {
        types::references(builder, base, ReferenceKind::Implements);
        type_name(builder, base, Some(&owner), 0)
    });
    for part in [node.child_by_field_name("type_parameters"), child_of_kind(node, "where_clause")] {
        part.into_iter().for_each(|part| type_references(builder, part));
    }
    if let Some(base) = &implements {
        let body = node.child_by_field_name("body").map(children).unwrap_or_default();
        let aliases = body.into_iter().filter(|item| item.kind() == "type_item").filter_map(|item| {
            let set = type_name(builder, item.child_by_field_name("type")?, Some(&owner), 0);
            Some((builder.field_text(item, "name").to_owned(), set))
        });
        let associated = aliases.collect();
        builder.implementation(owner.clone(), base.clone(), associated);
    }
    let parameters = type_parameters(builder, node);
    let context = Context { owner: Some(owner), implements, parameters };
    if let Some(body) = node.child_by_field_name("body") {
        items(builder, body, &context);
    }
}

fn module(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>) {
    let Some(index) = define(builder, node, first, SymbolKind::Module, None) else { return };
    if let Some(body) = node.child_by_field_name("body") {
        builder.within(index, |builder| items(builder, body, &Context::default()));
    } else {
        // `mod a;` is in a file of its own: the name is an import of `./a`.
        let name = builder.field_text(node, "name");
        let is_exported = child_of_kind(node, "visibility_modifier").is_some();
        builder.import(node, &format!("./{name}"), None, name, is_exported);
    }
}

fn constant(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>, context: &Context) {
    let scope = context.owner.as_ref().map(|owner| scope_of(builder, owner));
    let index = define(builder, node, first, SymbolKind::Constant, scope);
    let declared = node.child_by_field_name("type").map(|declared| {
        type_references(builder, declared);
        type_name(builder, declared, context.owner.as_ref(), 0)
    });
    if let Some(index) = index {
        let symbol = builder.symbol_mut(index);
        symbol.value_type = declared;
        symbol.owner.clone_from(&context.owner);
    }
    if let Some(value) = node.child_by_field_name("value") {
        expressions::visit(builder, value, context);
    }
}

fn alias(builder: &mut Builder<'_>, node: Node<'_>, first: Option<Node<'_>>, context: &Context) {
    let target = node.child_by_field_name("type");
    if context.owner.is_some() || node.kind() == "associated_type" {
        // An associated type is named through its trait.
        target.into_iter().for_each(|target| type_references(builder, target));
        if let Some(bounds) = node.child_by_field_name("bounds") {
            type_references(builder, bounds);
        }
        return;
    }
    let index = define(builder, node, first, SymbolKind::Type, None);
    if let (Some(index), Some(target)) = (index, target) {
        type_references(builder, target);
        let target = type_name(builder, target, None, 0);
        builder.symbol_mut(index).value_type = Some(target);
    }
}

/// Adds the imports of a `use` tree below `prefix`.
fn use_tree(builder: &mut Builder<'_>, node: Node<'_>, prefix: &str, is_exported: bool) {
    let join = |path: &str| match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}::{path}"),
    };
    builder.nested(|builder| match node.kind() {
        "use_list" => {
            for child in children(node) {
                use_tree(builder, child, prefix, is_exported);
            }
        }
        "scoped_use_list" => {
            let path = node.child_by_field_name("path");
            let prefix = join(path.map_or("", |path| builder.text(path)));
            if let Some(list) = node.child_by_field_name("list") {
                use_tree(builder, list, &prefix, is_exported);
            }
        }
        "use_wildcard" => {
            let path = children(node).into_iter().next();
            let path = join(path.map_or("", |path| builder.text(path)));
            builder.import(node, &path, Some("*"), "", is_exported);
        }
        "use_as_clause" => {
            let alias = builder.field_text(node, "alias");
            if let Some(path) = node.child_by_field_name("path") {
                use_path(builder, path, &join(builder.text(path)), Some(alias), is_exported);
            }
        }
        "self" => use_path(builder, node, prefix, None, is_exported),
        _ => {
            let path = join(builder.text(node));
            use_path(builder, node, &path, None, is_exported);
        }
    });
}

/// Adds the import of one path.
fn use_path(builder: &mut Builder<'_>, node: Node<'_>, path: &str, alias: Option<&str>, is_exported: bool) {
    let path: String = path.split_whitespace().collect();
    let path = path.strip_suffix("::self").unwrap_or(&path);
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    let local = alias.unwrap_or(name);
    let local = if local == "_" { "" } else { local };
    // A path of one name is a crate or a module of this scope.
    if module.is_empty() {
        builder.import(node, name, None, local, is_exported);
    } else {
        builder.import(node, module, Some(name), local, is_exported);
    }
    let last = node.child_by_field_name("name").unwrap_or(node);
    if last.kind() == "identifier" {
        builder.import_reference(last);
    }
}
