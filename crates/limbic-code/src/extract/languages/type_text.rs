//! Types read off their text: `a.b.C[D, E] | None`.

use crate::expression::TypeName;

/// Types nested deeper than this are unknown.
const MAX_DEPTH: u32 = 8;

/// Reads a type in the syntax of Python; quotes around parts are ignored.
pub fn python(text: &str, scope: Option<u32>) -> TypeName {
    Reader { text, at: 0, scope }.union(0)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    scope: Option<u32>,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let blank = rest.find(|c: char| !c.is_whitespace() && c != '"' && c != '\'').unwrap_or(rest.len());
        self.at += blank;
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn union(&mut self, depth: u32) -> TypeName {
        let mut members = vec![self.single(depth)];
        while self.take('|') {
            members.push(self.single(depth));
        }
        match members.len() {
            1 => members.remove(0),
            _ => TypeName::with("|", members, self.scope),
        }
    }

    fn single(&mut self, depth: u32) -> TypeName {
        let mut name = TypeName { scope: self.scope, ..TypeName::default() };
        if depth > MAX_DEPTH {
            return name;
        }
        if self.take('[') {
            let arguments = self.arguments(depth);
            return TypeName::with("()", arguments, self.scope);
        }
        loop {
            self.peek();
            let rest = &self.text[self.at..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if end == 0 {
                break;
            }
            name.path.push(rest[..end].to_owned());
            self.at += end;
            if !self.take('.') {
                break;
            }
        }
        if self.take('[') {
            name.arguments = self.arguments(depth);
        }
        match name.last() {
            "Union" => name.path = vec!["|".to_owned()],
            "Callable" => {
                name = TypeName::with("fn", name.arguments.pop().into_iter().collect(), self.scope);
            }
            _ => {}
        }
        name
    }

    fn arguments(&mut self, depth: u32) -> Vec<TypeName> {
        let mut arguments = Vec::new();
        while self.peek().is_some_and(|next| next != ']') && arguments.len() < 20 {
            let before = self.at;
            arguments.push(self.union(depth + 1));
            if !self.take(',') && self.at == before {
                // Something that is not a type: skip it.
                let Some(next) = self.peek() else { break };
                self.at += next.len_utf8();
            }
        }
        self.take(']');
        arguments
    }
}
