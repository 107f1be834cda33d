//! Collects the facts of one file while a language's walk goes through the syntax tree.

#[cfg(feature = "more")]
mod branches;

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::text::{cut, one_line};
use super::{chunks, shape};
use crate::expression::{Expression, TypeName};
use crate::facts::{
    FileFacts, Implementation, Import, Outline, Reference, ReferenceKind, Symbol, SymbolKind, Variable,
};
use crate::language::Language;

pub use super::text::number;

/// Nodes nested deeper than this are passed over, so that no text can exhaust the stack.
const MAX_DEPTH: u32 = 300;
/// Expressions nested deeper than this are unknown.
pub const MAX_EXPRESSION_DEPTH: u32 = 24;
/// Longest signature, in characters.
const MAX_SIGNATURE: usize = 300;
/// Longest documentation, in characters.
const MAX_DOC: usize = 1000;
/// Longest text of a receiver, in characters.
const MAX_RECEIVER: usize = 80;
/// Maximum number of return expressions of a function.
const MAX_RETURNS: usize = 6;
/// Receivers of closures in which a name is looked up.
const MAX_RECEIVERS: usize = 3;
/// Longest name, in bytes; longer ones are data.
const MAX_NAME: usize = 300;
/// Longest scope in a qualified name, in characters: deep nesting would make facts of the square of the text's length.
const MAX_SCOPE: usize = 500;

/// The facts so far, and the scopes around the current node.
pub struct Builder<'t> {
    pub text: &'t str,
    pub language: Language,
    pub outline: Outline,
    pub references: Vec<Reference>,
    /// Local scopes, innermost last.
    scopes: Vec<HashMap<String, Expression>>,
    /// Enclosing symbols, innermost last.
    enclosing: Vec<u32>,
    /// The number of local scopes around each enclosing symbol.
    outer_scopes: Vec<usize>,
    /// The functions around the current node, innermost last; `None` for one without a symbol.
    pub returns: Vec<Option<u32>>,
    depth: u32,
    /// Bytes of each symbol, for its shape.
    ranges: Vec<(usize, usize)>,
    qualified: HashMap<String, u32>,
    /// Whether the file assigns to `module.exports` or `exports`, so that all its names may be visible to importers.
    pub is_common_js: bool,
    /// Imports within expressions, by the id of their call's node.
    calls_of_import: HashMap<usize, u32>,
    /// The callees of calls with closures, by the ids of the closures' nodes.
    closures: HashMap<usize, Expression>,
    /// The receivers of the closures around the current node, innermost last.
    pub receivers: Vec<Expression>,
    /// Symbols that were defined ahead of the walk of their definition, by the first byte of their name.
    pub hoisted: HashMap<usize, u32>,
    /// Where the part of the text ends that is walked. A node may end behind it, see [`super::parse::parse_range`].
    end: usize,
}

/// The argument of [`Builder::define`].
pub struct Definition<'n> {
    pub kind: SymbolKind,
    /// The name's node.
    pub name: Node<'n>,
    /// The whole definition, with decorators and attributes.
    pub node: Node<'n>,
    /// Where the signature starts and the body begins.
    pub signature: (usize, usize),
    /// Scope in the qualified name where it is not that of the enclosing symbol.
    pub scope: Option<String>,
}

impl<'t> Builder<'t> {
    pub fn new(text: &'t str, language: Language) -> Self {
        Self {
            text,
            language,
            outline: Outline { language, ..Outline::default() },
            references: Vec::new(),
            scopes: Vec::new(),
            enclosing: Vec::new(),
            outer_scopes: Vec::new(),
            returns: Vec::new(),
            depth: 0,
            ranges: Vec::new(),
            qualified: HashMap::new(),
            is_common_js: false,
            calls_of_import: HashMap::new(),
            closures: HashMap::new(),
            receivers: Vec::new(),
            hoisted: HashMap::new(),
            end: text.len(),
        }
    }

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a field of a node.
    pub fn field_text(&self, node: Node<'_>, field: &str) -> &'t str {
        node.child_by_field_name(field).map_or("", |child| self.text(child))
    }

    /// Runs `walk` unless the nesting is too deep.
    pub fn nested(&mut self, walk: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            walk(self);
            self.depth -= 1;
        }
    }

    /// Line and column of a node, both from 1; columns in characters.
    pub fn position(&self, node: Node<'_>) -> (u32, u32) {
        let point = node.start_position();
        let line_start = node.start_byte().saturating_sub(point.column);
        let before = self.text.get(line_start..node.start_byte()).unwrap_or_default();
        (number(point.row) + 1, number(before.chars().count()) + 1)
    }

    /// Runs `walk` for a part of the text that ends at `end`.
    pub fn until(&mut self, end: usize, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.end, end);
        walk(self);
        self.end = outer;
    }

    // --- scopes

    pub fn push_scope(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    /// Whether the current node is in a local scope.
    pub fn is_local(&self) -> bool {
        !self.scopes.is_empty()
    }

    /// Whether the current node is in a block or closure inside of the innermost enclosing function.
    fn is_in_block(&self) -> bool {
        // The scopes of a function's parameters and body.
        let own = match self.language {
            Language::Python => 0,
            Language::CSharp
            | Language::Go
            | Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::Swift => 2,
            _ => 1,
        };
        let is_function =
            |index: u32| matches!(self.symbol(index).kind, SymbolKind::Function | SymbolKind::Method);
        let outer = self.outer_scopes.last().copied().unwrap_or_default();
        self.current().is_some_and(is_function) && self.scopes.len().saturating_sub(outer) > own
    }

    /// Binds a name in the innermost local scope, if there is one.
    pub fn bind(&mut self, name: &str, value: Expression) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), value);
        }
    }

    /// Resolves a name: a local binding, or a name of the file.
    pub fn lookup(&self, name: &str) -> Expression {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).cloned()).unwrap_or_else(|| {
            let inner = self.receivers.len().saturating_sub(MAX_RECEIVERS);
            self.receivers[inner..].iter().fold(Expression::Name(name.to_owned()), |other, receiver| {
                Expression::Implicit(Box::new(receiver.clone()), name.to_owned(), Box::new(other))
            })
        })
    }

    /// The innermost enclosing symbol.
    pub fn current(&self) -> Option<u32> {
        self.enclosing.last().copied()
    }

    /// The innermost enclosing symbol of which `test` holds.
    pub fn enclosing(&self, test: impl Fn(&Symbol) -> bool) -> Option<u32> {
        self.enclosing.iter().rev().copied().find(|index| test(self.symbol(*index)))
    }

    pub fn symbol(&self, index: u32) -> &Symbol {
        &self.outline.symbols[index as usize]
    }

    pub fn symbol_mut(&mut self, index: u32) -> &mut Symbol {
        &mut self.outline.symbols[index as usize]
    }

    /// Runs `walk` inside of the symbol.
    pub fn within(&mut self, symbol: u32, walk: impl FnOnce(&mut Self)) {
        // The names of a definition are looked up in it before those around it are.
        let receivers = std::mem::take(&mut self.receivers);
        self.enclosing.push(symbol);
        self.outer_scopes.push(self.scopes.len());
        walk(self);
        self.outer_scopes.pop();
        self.enclosing.pop();
        self.receivers = receivers;
    }

    // --- facts

    /// Adds a symbol. `None` when it has no usable name.
    pub fn define(&mut self, definition: &Definition<'_>) -> Option<u32> {
        let name = self.text(definition.name).trim();
        self.define_named(definition, name)
    }

    /// Adds a symbol whose name is not the text of its node.
    pub fn define_named(&mut self, definition: &Definition<'_>, name: &str) -> Option<u32> {
        if name.is_empty() || name.len() > MAX_NAME || definition.name.is_missing() {
            return None;
        }
        let name = without_controls(name);
        let parent = self.current();
        let scope = definition
            .scope
            .clone()
            .or_else(|| parent.map(|index| self.symbol(index).qualified_name.clone()))
            .unwrap_or_default();
        let scope = without_controls(&cut(&scope, MAX_SCOPE));
        let full = if scope.is_empty() { name.clone() } else { format!("{scope}.{name}") };
        let count = self.qualified.entry(full.clone()).or_default();
        *count += 1;
        let qualified_name = if *count == 1 { full } else { format!("{full}~{count}") };
        let (line, column) = self.position(definition.name);
        let (from, to) = definition.signature;
        let node = definition.node;
        let symbol = Symbol {
            kind: definition.kind,
            name,
            qualified_name,
            parent,
            start_line: number(node.start_position().row) + 1,
            end_line: end_line(node),
            line,
            column,
            signature: one_line(self.text.get(from..to.min(self.end)).unwrap_or_default(), MAX_SIGNATURE),
            is_local: self.is_local(),
            is_in_block: self.is_in_block(),
            ..Symbol::default()
        };
        let index = number(self.outline.symbols.len());
        self.outline.symbols.push(symbol);
        self.ranges.push((node.start_byte(), node.end_byte().min(self.end)));
        Some(index)
    }

    /// Moves the start of a symbol to the first of the attributes in front of it.
    pub fn start_at(&mut self, symbol: u32, first: Node<'_>) {
        self.symbol_mut(symbol).start_line = number(first.start_position().row) + 1;
        self.ranges[symbol as usize].0 = first.start_byte();
    }

    /// Moves the end of a symbol to the end of a node behind it.
    #[cfg(feature = "more")]
    pub fn end_at(&mut self, symbol: u32, last: Node<'_>) {
        self.symbol_mut(symbol).end_line = end_line(last);
        self.ranges[symbol as usize].1 = last.end_byte();
    }

    /// Sets the documentation of a symbol, without comment markers.
    pub fn document(&mut self, symbol: u32, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.symbol_mut(symbol).doc = Some(cut(text, MAX_DOC));
        }
    }

    /// Adds a variable and binds its name in the local scope, if there is one.
    pub fn variable(&mut self, name: &str, value: Expression) -> u32 {
        let is_local = self.is_local();
        let index = self.push_variable(Variable {
            name: name.to_owned(),
            scope: self.current(),
            is_field: false,
            is_local,
            value,
        });
        self.bind(name, Expression::Variable(index));
        index
    }

    /// Adds a return expression of the innermost function.
    pub fn returned(&mut self, result: Expression) {
        if let Some(Some(function)) = self.returns.last().copied()
            && result != Expression::Unknown
        {
            let values = &mut self.symbol_mut(function).values;
            if values.len() < MAX_RETURNS {
                values.push(result);
            }
        }
    }

    /// Adds a field of a type.
    pub fn field(&mut self, owner: u32, name: &str, value: Expression) {
        self.push_variable(Variable {
            name: name.to_owned(),
            scope: Some(owner),
            is_field: true,
            is_local: false,
            value,
        });
    }

    fn push_variable(&mut self, variable: Variable) -> u32 {
        let index = number(self.outline.variables.len());
        self.outline.variables.push(variable);
        index
    }

    /// Adds an import; binds its name if it is in a local scope.
    pub fn import(
        &mut self,
        node: Node<'_>,
        module: &str,
        name: Option<&str>,
        local: &str,
        is_exported: bool,
    ) {
        let index = number(self.outline.imports.len());
        self.outline.imports.push(Import {
            line: number(node.start_position().row) + 1,
            module: module.to_owned(),
            name: name.map(str::to_owned),
            local: local.to_owned(),
            is_exported,
            scope: self.current(),
        });
        if !local.is_empty() {
            self.bind(local, Expression::Import(index));
        }
    }

    /// Makes the import that was added last the value of a call.
    pub fn import_in_expression(&mut self, call: Node<'_>) {
        let index = number(self.outline.imports.len().saturating_sub(1));
        self.calls_of_import.insert(call.id(), index);
    }

    /// The import that a call is, if it was walked before.
    pub fn imported_in_expression(&self, call: Node<'_>) -> Option<u32> {
        self.calls_of_import.get(&call.id()).copied()
    }

    /// Remembers the callee of the call that a closure is an argument of.
    pub fn closure(&mut self, closure: Node<'_>, callee: Expression) {
        self.closures.insert(closure.id(), callee.bounded());
    }

    /// The callee of the call that a closure is an argument of, if its arguments were walked.
    pub fn closure_callee(&self, closure: Node<'_>) -> Option<Expression> {
        self.closures.get(&closure.id()).cloned()
    }

    /// Makes the file an ES module.
    pub fn es_module(&mut self) {
        self.outline.exports.get_or_insert_default();
    }

    /// Exports a name of an ES module.
    pub fn export(&mut self, name: &str) {
        if self.current().is_none() && !name.is_empty() {
            self.outline.exports.get_or_insert_default().push(name.to_owned());
        }
    }

    /// Adds a reference to the import that was added last.
    pub fn import_reference(&mut self, node: Node<'_>) {
        let index = number(self.outline.imports.len().saturating_sub(1));
        self.reference(node, ReferenceKind::Import, None, Expression::Import(index));
    }

    /// Adds a reference. `receiver` is the node before the name.
    pub fn reference(
        &mut self,
        name: Node<'_>,
        kind: ReferenceKind,
        receiver: Option<Node<'_>>,
        target: Expression,
    ) {
        // A local variable is not a symbol, and its value is not the referenced name.
        if matches!(target, Expression::Variable(_) | Expression::Unknown | Expression::Instance(_))
            && receiver.is_none()
        {
            return;
        }
        let text = self.text(name);
        if text.is_empty() || text.len() > MAX_NAME {
            return;
        }
        let (line, column) = self.position(name);
        let receiver = receiver.map(|node| one_line(self.text(node), MAX_RECEIVER));
        let enclosing = self.current();
        self.references.push(Reference {
            line,
            column,
            name: text.to_owned(),
            kind,
            receiver,
            enclosing,
            target,
            arguments: None,
        });
    }

    /// Adds a reference to what a name within a node denotes, such as a string: `bytes` are the name's in the node.
    pub fn reference_within(
        &mut self,
        node: Node<'_>,
        bytes: Range<usize>,
        kind: ReferenceKind,
        target: Expression,
    ) {
        if matches!(target, Expression::Variable(_) | Expression::Unknown | Expression::Instance(_)) {
            return;
        }
        let text = self.text(node);
        let (Some(before), Some(name)) = (text.get(..bytes.start), text.get(bytes)) else { return };
        if name.is_empty() || name.len() > MAX_NAME {
            return;
        }
        let (line, column) = self.position(node);
        let (line, column) = match before.rsplit_once('\n') {
            Some((above, last)) => {
                (line + number(above.matches('\n').count()) + 1, number(last.chars().count()) + 1)
            }
            None => (line, column + number(before.chars().count())),
        };
        self.references.push(Reference {
            line,
            column,
            name: name.to_owned(),
            kind,
            receiver: None,
            enclosing: self.current(),
            target,
            arguments: None,
        });
    }

    /// Sets the number of arguments of the last call that was added after the first `before` references.
    pub fn count_arguments(&mut self, before: usize, arguments: Option<u8>) {
        let added = self.references.get_mut(before..).unwrap_or_default();
        let call = added.iter_mut().rfind(|reference| reference.kind == ReferenceKind::Call);
        if let Some(call) = call.filter(|call| call.arguments.is_none()) {
            call.arguments = arguments;
        }
    }

    /// Adds references for the names of a type; `name` is the node of its path's last part.
    pub fn type_reference(&mut self, name: Node<'_>, kind: ReferenceKind, path: TypeName) {
        self.reference(name, kind, None, Expression::Type(path));
    }

    /// Adds that a type implements a trait or extends a base outside of its own definition.
    pub fn implementation(&mut self, of: TypeName, base: TypeName, associated: Vec<(String, TypeName)>) {
        let scope = self.current();
        self.outline.implementations.push(Implementation { of, base, associated, scope });
    }

    /// A type path looked up from the current scope.
    pub fn type_name(&self, path: &str) -> TypeName {
        TypeName { path: vec![path.to_owned()], arguments: Vec::new(), scope: self.current() }
    }

    /// Ends the walk: attaches methods to their types, adds shapes and chunks.
    pub fn finish(mut self, path: &str, root: Node<'_>) -> FileFacts {
        attach_owners(&mut self.outline.symbols);
        if self.is_common_js {
            self.outline.exports = None;
        }
        if let Some(exports) = &mut self.outline.exports {
            exports.sort_unstable();
            exports.dedup();
        }
        let leaves = shape::leaves(root, self.text, self.language);
        for (symbol, range) in self.outline.symbols.iter_mut().zip(&self.ranges) {
            symbol.shape_hash = shape::hash(&leaves, self.text, *range);
        }
        self.references.sort_by_key(|reference| (reference.line, reference.column));
        let chunks = chunks::of_symbols(path, self.text, &self.outline.symbols);
        FileFacts {
            language: self.language,
            skipped: None,
            syntax_errors: count_errors(root),
            lines: number(self.text.lines().count()),
            chunks,
            references: self.references,
            outline: self.outline,
        }
    }
}

/// A text with blanks for line breaks and other control characters.
fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Makes the type of an `impl` block the parent of its methods where both are in one file and scope.
fn attach_owners(symbols: &mut [Symbol]) {
    let types: HashMap<(String, Option<u32>), u32> = symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.kind.is_type())
        .map(|(index, symbol)| ((symbol.name.clone(), symbol.parent), number(index)))
        .collect();
    for symbol in symbols.iter_mut() {
        if let Some(owner) = &symbol.owner
            && let [name] = owner.path.as_slice()
            && let Some(parent) = types.get(&(name.clone(), owner.scope))
        {
            symbol.parent = Some(*parent);
        }
    }
}

/// The last line of a node; one that ends with its line break ends on the line before.
pub fn end_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let row = if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row };
    number(row) + 1
}

/// Number of places that the parser could not read, nested ones counted once.
fn count_errors(root: Node<'_>) -> u32 {
    number(errors(root).len())
}

/// The outermost places that the parser could not read, and those where it has added a token.
pub fn errors(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        if is_error {
            found.push(node);
        }
        if !is_error && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
