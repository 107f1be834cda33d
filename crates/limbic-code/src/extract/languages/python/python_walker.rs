//! The recursive entry points of the walk over Python: statements contain expressions, and these may contain
//! statements.

use tree_sitter::Node;

/// The walk, which `python.rs` implements. Modules that `python.rs` imports call this, so that they need not import it.
pub trait PythonWalker {
    /// Walks a statement or block.
    fn statement(&mut self, node: Node<'_>);
}
