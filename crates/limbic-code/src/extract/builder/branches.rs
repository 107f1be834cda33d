//! Scopes of branches, whose names are merged into the scope around them.

use super::Builder;

impl Builder<'_> {
    /// The names that the innermost local scope binds.
    pub fn bound_names(&self) -> Vec<String> {
        self.scopes.last().map(|scope| scope.keys().cloned().collect()).unwrap_or_default()
    }

    /// Ends the innermost local scope, and binds what it has in the one around it, but for some names.
    pub fn merge_scope(&mut self, except: &[String]) {
        let Some(scope) = self.scopes.pop() else { return };
        if let Some(outer) = self.scopes.last_mut() {
            outer.extend(scope.into_iter().filter(|(name, _)| !except.contains(name)));
        }
    }
}
