//! The recursive entry points of the walk over JavaScript and TypeScript: statements contain expressions, and these
//! contain functions and classes with statements.

use tree_sitter::Node;

/// The walk, which `ecmascript.rs` implements. Modules that `ecmascript.rs` imports call this, so that they need not
/// import it.
pub trait EcmascriptWalker {
    /// Walks statements; functions and classes are visible before their definition, except at the top of a file.
    fn statements(&mut self, nodes: Vec<Node<'_>>, is_top: bool);

    /// Walks a statement.
    fn statement(&mut self, node: Node<'_>);

    /// Walks an expression and adds its references.
    fn visit(&mut self, node: Node<'_>);
}
