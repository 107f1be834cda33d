//! Types read off their text, in the syntax that the languages have in common.

use crate::expression::TypeName;
use crate::language::Language;

/// Types nested deeper than this are unknown.
const MAX_TYPE_DEPTH: u32 = 8;
/// Most arguments of a type.
const MAX_ARGUMENTS: usize = 8;

/// Reads a type: `const a::b<C, D>&`, `[T]`, `[K: V]`, `(A, B)`, `a.B[C]?`, `(A) -> B`.
pub fn parse(text: &str, scope: Option<u32>, language: Language) -> TypeName {
    Reader { scope, language }.single(text, 0)
}

struct Reader {
    scope: Option<u32>,
    language: Language,
}

impl Reader {
    fn single(&self, text: &str, depth: u32) -> TypeName {
        let scope = self.scope;
        let unknown = TypeName { scope, ..TypeName::default() };
        let mut text = text.trim();
        for word in [
            "const ",
            "typename ",
            "struct ",
            "class ",
            "any ",
            "some ",
            "inout ",
            "readonly ",
            "ref ",
            "out ",
            "in ",
            "suspend ",
            "@escaping ",
            "@Sendable ",
        ] {
            text = text.strip_prefix(word).unwrap_or(text).trim_start();
        }
        let text = text.trim_start_matches(['?', '&', '*', '\\', ':', ' ']);
        let text = text.trim_end_matches(['?', '&', '*', '!', ' ']);
        if depth > MAX_TYPE_DEPTH {
            return unknown;
        }
        let inner = |text: &str| self.single(text, depth + 1);
        if let Some(result) = self.result(text) {
            return TypeName::with("fn", vec![inner(result)], scope);
        }
        if matches!(self.language, Language::Php | Language::Scala)
            && let several = split(text, '|')
            && several.len() > 1
        {
            let several = several.into_iter().take(MAX_ARGUMENTS).map(inner);
            return TypeName::with("|", several.collect(), scope);
        }
        if let Some(list) = text.strip_prefix('(').and_then(|list| list.strip_suffix(')')) {
            let items = split(list, ',').into_iter().take(MAX_ARGUMENTS);
            let mut items: Vec<TypeName> = items.map(|item| inner(without_label(item))).collect();
            return if items.len() == 1 { items.remove(0) } else { TypeName::with("()", items, scope) };
        }
        if let Some(list) = text.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            return match split(list, ':').as_slice() {
                [key, value] => TypeName::with("Dictionary", vec![inner(key), inner(value)], scope),
                _ => TypeName::with("[]", vec![inner(list)], scope),
            };
        }
        if let Some(element) = text.strip_suffix("[]") {
            return TypeName::with("[]", vec![inner(element)], scope);
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '$');
        let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        let path = text[..end].split(['.', ':', '\\']).filter(|part| !part.is_empty());
        let mut name = TypeName { path: path.map(str::to_owned).collect(), arguments: Vec::new(), scope };
        // The type around, of which the text says no more.
        let is_own = match self.language {
            Language::Php => matches!(&text[..end], "self" | "static" | "$this"),
            Language::Scala => &text[..end] == "this.type",
            _ => false,
        };
        if is_own {
            return TypeName::simple("Self", scope);
        }
        let rest = text[end..].trim();
        for (open, close) in [('<', '>'), ('[', ']')] {
            if let Some(list) = rest.strip_prefix(open) {
                let list = list.rfind(close).map_or(list, |end| &list[..end]);
                let arguments = split(list, ',').into_iter().take(MAX_ARGUMENTS);
                name.arguments = arguments.map(inner).collect();
            }
        }
        name
    }

    /// The result of a type of functions.
    fn result<'t>(&self, text: &'t str) -> Option<&'t str> {
        let arrow = match self.language {
            Language::Kotlin | Language::Swift => "->",
            Language::Scala => "=>",
            _ => return None,
        };
        if !text.contains(arrow) {
            return None;
        }
        let at = outside_of_brackets(text).find(|(at, _)| text[*at..].starts_with(arrow));
        at.map(|(at, _)| &text[at + arrow.len()..])
    }
}

/// An item of a tuple without its label: `name: Type`.
fn without_label(item: &str) -> &str {
    match item.split_once(':') {
        Some((label, rest)) if label.trim().chars().all(|c| c.is_alphanumeric() || c == '_') => {
            if rest.starts_with(':') { item } else { rest }
        }
        _ => item,
    }
}

/// The characters outside of brackets. The `>` of an arrow is no bracket.
fn outside_of_brackets(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0_u32;
    let mut before = ' ';
    text.char_indices().filter(move |(_, c)| {
        let is_outside = depth == 0;
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = *c;
        is_outside
    })
}

/// Splits at a separator outside of brackets. `::` is no `:`.
fn split(list: &str, separator: char) -> Vec<&str> {
    let mut start = 0;
    let mut found = Vec::new();
    for (at, c) in outside_of_brackets(list) {
        let is_doubled = list[at + c.len_utf8()..].starts_with(separator) || list[..at].ends_with(separator);
        if c == separator && !(c == ':' && is_doubled) {
            found.push(&list[start..at]);
            start = at + 1;
        }
    }
    found.push(&list[start..]);
    found
}
