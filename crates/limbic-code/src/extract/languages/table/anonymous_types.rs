//! Types without a name.

use tree_sitter::Node;

use super::super::super::builder::{Builder, Definition};
use super::parts::parts;
use super::rules::Table;
use super::values::type_name;
use crate::expression::TypeName;
use crate::facts::SymbolKind;

/// Adds a type without a name and walks its body. It is called `new Base`, which equals no declared name.
pub fn anonymous_type(
    builder: &mut Builder<'_>,
    table: &Table,
    node: Node<'_>,
    bases: &[Node<'_>],
    body: Node<'_>,
) {
    let bases: Vec<TypeName> = bases.iter().map(|base| type_name(builder, *base)).collect();
    let name = format!("new {}", bases.first().map_or("object", TypeName::last));
    let signature = (node.start_byte(), body.start_byte());
    let definition = Definition { kind: SymbolKind::Class, name: node, node, signature, scope: None };
    // Its members are visible in it alone.
    builder.push_scope();
    match builder.define_named(&definition, &name) {
        Some(index) => {
            builder.symbol_mut(index).bases = bases;
            builder.within(index, |builder| parts(builder, table, body, &[]));
        }
        None => parts(builder, table, body, &[]),
    }
    builder.pop_scope();
}
