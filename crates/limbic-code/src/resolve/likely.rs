//! References whose receiver is not known: by name.

use std::rc::Rc;

use super::Tier;
use super::file::{File, SymbolRef};
use super::resolver::Resolver;
use crate::expression::Expression;
use crate::facts::{Reference, ReferenceKind, SymbolKind};

impl Resolver<'_> {
    /// Definitions that an unresolved reference may mean, with their tier.
    pub fn candidates(&self, file: &Rc<File>, reference: &Reference) -> (Vec<SymbolRef>, Tier) {
        let is_call = reference.kind == ReferenceKind::Call;
        if !is_call && reference.kind != ReferenceKind::Use || reference.kind == ReferenceKind::Import {
            return (Vec::new(), Tier::Name);
        }
        let name = reference.name.as_str();
        if !is_call || is_common(name) {
            return (Vec::new(), Tier::Name);
        }
        let family = file.outline.language.family();
        let mut found: Vec<SymbolRef> = Vec::new();
        for path in self.paths_defining(name).iter() {
            let Some(other) = self.file(path).filter(|other| other.outline.language.family() == family)
            else {
                continue;
            };
            for index in other.named(name) {
                let Some(symbol) = other.symbol(*index) else { continue };
                let fits = match symbol.kind {
                    SymbolKind::Method => has_receiver(reference),
                    SymbolKind::Function | SymbolKind::Class | SymbolKind::Struct => !symbol.is_local,
                    _ => false,
                };
                if fits {
                    found.push(SymbolRef { file: other.clone(), index: *index });
                }
            }
        }
        // With a receiver, methods are preferred to functions.
        if has_receiver(reference) && found.iter().any(|symbol| symbol.get().kind == SymbolKind::Method) {
            found.retain(|symbol| symbol.get().kind == SymbolKind::Method);
        }
        let tier = if found.len() == 1 { Tier::Likely } else { Tier::Name };
        (found, tier)
    }
}

/// Whether a reference names its target behind a receiver.
fn has_receiver(reference: &Reference) -> bool {
    matches!(reference.target, Expression::Member(..))
}

/// Names that the types of every standard library have: a method of the project is not a likely target.
fn is_common(name: &str) -> bool {
    const NAMES: [&str; 60] = [
        "get",
        "set",
        "add",
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "push",
        "items",
        "keys",
        "values",
        "update",
        "copy",
        "clear",
        "join",
        "split",
        "strip",
        "replace",
        "format",
        "encode",
        "decode",
        "read",
        "write",
        "close",
        "open",
        "find",
        "index",
        "count",
        "sort",
        "reverse",
        "lower",
        "upper",
        "startswith",
        "endswith",
        "len",
        "map",
        "filter",
        "reduce",
        "forEach",
        "concat",
        "slice",
        "toString",
        "then",
        "catch",
        "unwrap",
        "clone",
        "into",
        "iter",
        "next",
        "collect",
        "to_string",
        "as_str",
        "is_empty",
        "contains",
        "from",
        "default",
        "equals",
        "hashCode",
        "size",
    ];
    NAMES.contains(&name)
}
