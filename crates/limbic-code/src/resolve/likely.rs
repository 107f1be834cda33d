//! References whose receiver is not known: by name.

use std::rc::Rc;

use super::Tier;
use super::file::{File, SymbolRef, is_declaration_file};
use super::overloads;
use super::resolver::{MAX_CANDIDATES, Resolver};
use crate::expression::Expression;
use crate::facts::{Reference, ReferenceKind, SymbolKind};

/// Maximum number of definitions of one name that are looked at.
const MAX_EXAMINED: usize = 500;

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
        // A declaration file describes what another one defines.
        let mut declared: Vec<SymbolRef> = Vec::new();
        let mut methods = 0;
        for path in self.paths_defining(name).iter() {
            let preferred = if has_receiver(reference) { methods } else { found.len() };
            if preferred > MAX_CANDIDATES || found.len() + declared.len() > MAX_EXAMINED {
                break;
            }
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
                let symbol_ref = SymbolRef { file: other.clone(), index: *index };
                if fits && is_declaration_file(&other.path) {
                    declared.push(symbol_ref);
                } else if fits {
                    methods += usize::from(symbol.kind == SymbolKind::Method);
                    found.push(symbol_ref);
                }
            }
        }
        if found.is_empty() {
            found = declared;
        }
        // With a receiver, methods are preferred to functions.
        if has_receiver(reference) && found.iter().any(|symbol| symbol.get().kind == SymbolKind::Method) {
            found.retain(|symbol| symbol.get().kind == SymbolKind::Method);
        }
        if !file.outline.language.has_overloads() {
            let tier = if found.len() == 1 { Tier::Likely } else { Tier::Name };
            return (found, tier);
        }
        // One that cannot be called so is another one of that name, outside of the project.
        let fitting = overloads::fitting(&found, reference.arguments);
        let is_likely = fitting.len() == 1 && (found.len() == 1 || overloads::have_one_scope(&found));
        let tier = if is_likely { Tier::Likely } else { Tier::Name };
        (if fitting.is_empty() { found } else { fitting }, tier)
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
