//! Rust: what surrounds an item or expression.

use crate::expression::TypeName;
use crate::facts::TypeParameter;

/// The type of the `impl` block or trait around an item.
#[derive(Clone, Default)]
pub struct Context {
    /// `Self`.
    pub owner: Option<TypeName>,
    /// The implemented trait.
    pub implements: Option<TypeName>,
    /// Type parameters of the block.
    pub parameters: Vec<TypeParameter>,
}

impl Context {
    /// The context with its types looked up from the scope of a function.
    pub fn within(&self, function: u32) -> Self {
        fn rescope(name: &mut TypeName, scope: u32) {
            name.scope = Some(scope);
            name.arguments.iter_mut().for_each(|argument| rescope(argument, scope));
        }
        let mut context = self.clone();
        context.owner.iter_mut().chain(&mut context.implements).for_each(|name| rescope(name, function));
        context
    }
}
