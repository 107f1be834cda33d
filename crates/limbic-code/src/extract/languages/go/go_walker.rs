//! The recursive entry points of the walk over Go: statements contain expressions, and these contain functions with
//! statements.

use tree_sitter::Node;

/// The walk, which `go.rs` implements. Modules that `go.rs` imports call this, so that they need not import it.
pub trait GoWalker {
    /// Walks a declaration or statement.
    fn statement(&mut self, node: Node<'_>);
}
