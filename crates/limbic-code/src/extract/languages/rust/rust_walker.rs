//! The recursive entry points of the walk over Rust: functions contain expressions, and these contain macros, patterns
//! and items.

use tree_sitter::Node;

use super::context::Context;

/// The walk, which `rust.rs` implements. Modules that `rust.rs` imports call this, so that they need not import it.
pub trait RustWalker {
    /// Walks an item or statement; `first` is the first of the attributes in front of it.
    fn item(&mut self, node: Node<'_>, first: Option<Node<'_>>, context: &Context);
}
