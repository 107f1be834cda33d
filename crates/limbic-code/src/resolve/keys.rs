//! Keys of lookups, and which of them a change touches.

use std::collections::{BTreeMap, BTreeSet};

use limbic_protocol::fnv1a;

use crate::expression::{Expression, TypeName};
use crate::facts::{Outline, Parameters, Symbol};

/// Key of a name: symbols, variables, imports and implementations of that name, in any file.
pub fn name_key(name: &str) -> u64 {
    key(b'n', name)
}

/// Key of a path: whether there is such a file, its package, wildcard imports and manifest.
pub fn path_key(path: &str) -> u64 {
    key(b'f', path)
}

/// Key of the list of files in a folder.
pub fn folder_key(folder: &str) -> u64 {
    key(b'd', folder)
}

/// Key of the list of files of one name.
pub fn file_name_key(file_name: &str) -> u64 {
    key(b'b', file_name)
}

fn key(kind: u8, text: &str) -> u64 {
    fnv1a([kind, b':'].into_iter().chain(text.bytes()))
}

/// The keys that a change of a file touches, sorted and without duplicates. `None` stands for a file that did not exist
/// or is gone. Files whose [`crate::Resolution::lookups`] contain one of them, and the file itself, have to be resolved
/// again.
#[must_use]
pub fn changed_keys(path: &str, old: Option<&Outline>, new: Option<&Outline>) -> Vec<u64> {
    let (before, after) = (fingerprints(path, old), fingerprints(path, new));
    let mut keys: BTreeSet<u64> = BTreeSet::new();
    for key in before.keys().chain(after.keys()) {
        if before.get(key) != after.get(key) {
            keys.insert(*key);
        }
    }
    if old.is_some() != new.is_some() {
        let (folder, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        keys.extend([path_key(path), folder_key(folder), file_name_key(file_name)]);
    }
    keys.into_iter().collect()
}

/// A hash of the facts behind each key: all that resolution reads of a symbol that it finds by the key. Lines and
/// documentation are not part of them, and signatures are only in languages with overloads.
fn fingerprints(path: &str, outline: Option<&Outline>) -> BTreeMap<u64, u64> {
    let mut found: BTreeMap<u64, u64> = BTreeMap::new();
    let Some(outline) = outline else { return found };
    let mut add = |key: u64, print: Print<'_>| {
        let entry = found.entry(key).or_insert(0xcbf2_9ce4_8422_2325);
        *entry = fnv1a(entry.to_le_bytes().into_iter().chain(print.bytes));
    };
    let mut head = Print::new(outline);
    head.text(outline.package.as_deref().unwrap_or_default());
    head.text(outline.language.as_str());
    if let Some(manifest) = &outline.manifest {
        head.text(&manifest.name);
        head.count(manifest.entries.len());
        manifest.entries.iter().for_each(|entry| head.text(entry));
        manifest.aliases.iter().for_each(|(from, to)| {
            head.text(from);
            head.text(to);
        });
    }
    for import in outline.imports.iter().filter(|import| import.local.is_empty()) {
        head.import(import);
    }
    head.flags([outline.exports.is_some()]);
    for name in outline.exports.iter().flatten() {
        let mut print = Print::new(outline);
        print.tag(24);
        add(name_key(name), print);
    }
    add(path_key(path), head);
    for symbol in &outline.symbols {
        let mut print = Print::new(outline);
        print.text(symbol.kind.as_str());
        print.text(&symbol.qualified_name);
        print.symbol(symbol.parent);
        print.flags([symbol.is_static, symbol.is_property, symbol.is_local, symbol.is_in_block]);
        for name in [&symbol.owner, &symbol.implements, &symbol.value_type] {
            print.optional_name(name.as_ref());
        }
        print.names(&symbol.bases);
        print.count(symbol.values.len());
        symbol.values.iter().for_each(|value| print.expression(value));
        print.count(symbol.type_parameters.len());
        for parameter in &symbol.type_parameters {
            print.text(&parameter.name);
            print.names(&parameter.bounds);
        }
        print.parameters(symbol);
        add(name_key(&symbol.name), print);
    }
    for import in outline.imports.iter().filter(|import| !import.local.is_empty()) {
        let mut print = Print::new(outline);
        print.import(import);
        add(name_key(&import.local), print);
    }
    for variable in &outline.variables {
        let mut print = Print::new(outline);
        print.symbol(variable.scope);
        print.flags([variable.is_field, variable.is_local]);
        print.expression(&variable.value);
        add(name_key(&variable.name), print);
    }
    for implementation in &outline.implementations {
        let mut print = Print::new(outline);
        print.name(&implementation.of);
        print.name(&implementation.base);
        for (name, set) in &implementation.associated {
            print.text(name);
            print.name(set);
        }
        print.symbol(implementation.scope);
        add(name_key(implementation.of.last()), print);
    }
    found
}

/// Bytes of facts in which indices are replaced by names, so that a definition above moves nothing.
struct Print<'a> {
    outline: &'a Outline,
    bytes: Vec<u8>,
}

impl<'a> Print<'a> {
    fn new(outline: &'a Outline) -> Self {
        Self { outline, bytes: Vec::new() }
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    fn tag(&mut self, tag: u8) {
        self.bytes.push(tag);
    }

    fn flags(&mut self, flags: impl IntoIterator<Item = bool>) {
        self.bytes.extend(flags.into_iter().map(u8::from));
    }

    fn count(&mut self, count: usize) {
        self.bytes.extend((count as u64).to_le_bytes());
    }

    /// A symbol that is referred to. Its kind decides what it means to be in it.
    fn symbol(&mut self, index: Option<u32>) {
        let symbol = index.and_then(|index| self.outline.symbols.get(index as usize));
        self.text(symbol.map_or("", |symbol| symbol.qualified_name.as_str()));
        self.text(symbol.map_or("", |symbol| symbol.kind.as_str()));
    }

    /// What distinguishes a function from others of its name.
    fn parameters(&mut self, symbol: &Symbol) {
        if let Some(Parameters { least, most }) = symbol.parameters {
            self.bytes.extend([1, least, u8::from(most.is_some()), most.unwrap_or_default()]);
        }
        if self.outline.language.has_overloads() {
            self.text(&symbol.signature);
        }
        self.flags([symbol.is_rust_macro()]);
    }

    fn names(&mut self, names: &[TypeName]) {
        self.count(names.len());
        names.iter().for_each(|name| self.name(name));
    }

    fn optional_name(&mut self, name: Option<&TypeName>) {
        self.flags([name.is_some()]);
        name.into_iter().for_each(|name| self.name(name));
    }

    fn import(&mut self, import: &crate::facts::Import) {
        self.text(&import.module);
        self.text(import.name.as_deref().unwrap_or("\u{1}"));
        self.text(&import.local);
        self.flags([import.is_exported]);
        self.symbol(import.scope);
    }

    fn name(&mut self, name: &TypeName) {
        self.tag(1);
        name.path.iter().for_each(|part| self.text(part));
        self.symbol(name.scope);
        name.arguments.iter().for_each(|argument| self.name(argument));
        self.tag(2);
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Unknown => self.tag(3),
            Expression::Name(name) => {
                self.tag(4);
                self.text(name);
            }
            Expression::Variable(index) => {
                self.tag(5);
                let variable = self.outline.variables.get(*index as usize);
                let (name, scope) =
                    variable.map_or(("", None), |variable| (variable.name.as_str(), variable.scope));
                self.text(name);
                self.symbol(scope);
            }
            Expression::Symbol(index) => {
                self.tag(6);
                self.symbol(Some(*index));
            }
            Expression::Import(index) => {
                self.tag(7);
                if let Some(import) = self.outline.imports.get(*index as usize) {
                    self.import(import);
                }
            }
            Expression::Instance(index) => {
                self.tag(8);
                self.symbol(Some(*index));
            }
            Expression::Super(index) => {
                self.tag(9);
                self.symbol(Some(*index));
            }
            Expression::Type(name) => {
                self.tag(10);
                self.name(name);
            }
            Expression::Typed(name) => {
                self.tag(11);
                self.name(name);
            }
            Expression::Member(inner, name) => {
                self.tag(12);
                self.expression(inner);
                self.text(name);
            }
            Expression::Call(inner) => self.wrapped(13, inner),
            Expression::Index(inner) => self.wrapped(14, inner),
            Expression::Item(inner, index) => {
                self.wrapped(15, inner);
                self.bytes.extend(index.to_le_bytes());
            }
            Expression::Element(inner) => self.wrapped(16, inner),
            Expression::Inner(inner) => self.wrapped(17, inner),
            Expression::Entered(inner) => self.wrapped(18, inner),
            Expression::ListOf(inner) => self.wrapped(19, inner),
            Expression::ClosureParameter(inner, index, count) => {
                self.wrapped(20, inner);
                self.bytes.extend(index.to_le_bytes());
                self.bytes.extend(count.to_le_bytes());
            }
            Expression::Implicit(receiver, name, other) => {
                self.wrapped(24, receiver);
                self.text(name);
                self.expression(other);
            }
            Expression::Either(several) => {
                self.tag(21);
                several.iter().for_each(|one| self.expression(one));
                self.tag(2);
            }
            Expression::Tuple(items) => {
                self.tag(22);
                items.iter().for_each(|item| self.expression(item));
                self.tag(2);
            }
            Expression::Literal(name) => {
                self.tag(23);
                self.text(name);
            }
        }
    }

    fn wrapped(&mut self, tag: u8, inner: &Expression) {
        self.tag(tag);
        self.expression(inner);
    }
}
