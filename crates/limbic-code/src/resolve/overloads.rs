//! Functions of one name in one scope, distinguished by the number of their arguments.

use std::rc::Rc;

use super::Tier;
use super::denotation::{Denoted, TypeRef};
use super::file::SymbolRef;
use super::resolver::{Resolver, collect};
use crate::facts::{Reference, ReferenceKind, SymbolKind};
use crate::language::Language;

impl Resolver<'_> {
    /// Of the symbols that a reference denotes, those that it may mean. More than one function is a set of
    /// candidates, unless they are alternatives of one function with the same declaration.
    pub(super) fn overloads(
        &self,
        found: Vec<SymbolRef>,
        denoted: &Denoted,
        reference: &Reference,
    ) -> (Vec<SymbolRef>, Tier) {
        if found.is_empty() || reference.kind == ReferenceKind::Import || !found.iter().all(is_overloadable) {
            return (found, Tier::Resolved);
        }
        let mut fitting = fitting(&found, reference.arguments);
        // The scopes of a type's bases belong to its own.
        if fitting.is_empty()
            && let Some(class) = found_through(denoted)
        {
            fitting = self.inherited(&class, &reference.name, reference.arguments);
        }
        let Some(first) = fitting.first() else { return (found, Tier::Name) };
        let signature = &first.get().signature;
        let is_one = fitting.iter().all(|symbol| symbol.get().signature == *signature);
        (fitting, if is_one { Tier::Resolved } else { Tier::Name })
    }

    /// Methods of the nearest base that can be called with this number of arguments.
    fn inherited(&self, class: &Rc<TypeRef>, name: &str, arguments: Option<u8>) -> Vec<SymbolRef> {
        self.touch_name(name);
        let mut found = Vec::new();
        self.lineage(class, |of| {
            let mut symbols = Vec::new();
            if let Some(denoted) = self.own_member(of, name, of, class) {
                collect(&denoted, &mut symbols);
            }
            symbols.retain(is_overloadable);
            found = fitting(&symbols, arguments);
            !found.is_empty()
        });
        found
    }
}

/// The definitions that can be called with this number of arguments.
pub fn fitting(found: &[SymbolRef], arguments: Option<u8>) -> Vec<SymbolRef> {
    let Some(arguments) = arguments else { return found.to_vec() };
    let with = |test: &dyn Fn(&SymbolRef) -> bool| found.iter().filter(|one| test(one)).cloned().collect();
    let fits = |symbol: &SymbolRef| symbol.get().parameters.is_none_or(|it| it.fits(arguments));
    let fitting: Vec<SymbolRef> = with(&fits);
    if !fitting.is_empty() {
        return fitting;
    }
    // The default of a parameter may be in a declaration elsewhere.
    let may_fit = |symbol: &SymbolRef| {
        let most = symbol.get().parameters.and_then(|parameters| parameters.most);
        symbol.file.outline.language == Language::Cpp && most.is_none_or(|most| arguments <= most)
    };
    with(&may_fit)
}

/// Whether definitions are overloads in one scope.
pub fn have_one_scope(found: &[SymbolRef]) -> bool {
    let Some(first) = found.first() else { return false };
    let owner = |symbol: &SymbolRef| symbol.get().owner.as_ref().map(|owner| owner.path.clone());
    found.iter().all(|symbol| {
        symbol.file.path == first.file.path
            && symbol.get().parent == first.get().parent
            && owner(symbol) == owner(first)
    })
}

fn is_overloadable(symbol: &SymbolRef) -> bool {
    matches!(symbol.get().kind, SymbolKind::Function | SymbolKind::Method)
        && symbol.file.outline.language.has_overloads()
}

/// The type through which a method was found.
fn found_through(denoted: &Denoted) -> Option<Rc<TypeRef>> {
    match denoted {
        Denoted::Symbol(_, through) => through.clone(),
        Denoted::Either(several) => several.iter().find_map(found_through),
        _ => None,
    }
}
