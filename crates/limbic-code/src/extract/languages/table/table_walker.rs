//! The recursive entry point of a walk by a table: definitions and types have parts of every kind.

use tree_sitter::Node;

use super::rules::Table;

/// The walk, which `table.rs` implements. Modules that `table.rs` imports call this, so that they need not import it.
pub trait TableWalker {
    /// Walks a declaration, statement or expression.
    fn visit(&mut self, table: &Table, node: Node<'_>);
}
