//! Macros in declarations of C and C++ that stand where the grammars expect none: `class API name {`, `EXPORT int f()`,
//! `BEGIN_EXPORT` on a line of its own, `int f() ATTRIBUTE {`.

use std::borrow::Cow;

use super::repair::with_blanks;

/// How far a decision looks ahead, in bytes: the work stays linear.
const MAX_LOOK_AHEAD: usize = 600;

/// Words with which a declaration begins, or goes on behind an attribute.
const STARTS: [&str; 37] = [
    "alignas",
    "auto",
    "bool",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "consteval",
    "constexpr",
    "constinit",
    "double",
    "enum",
    "explicit",
    "extern",
    "float",
    "friend",
    "inline",
    "int",
    "long",
    "namespace",
    "private",
    "protected",
    "public",
    "register",
    "short",
    "signed",
    "static",
    "struct",
    "template",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
];
/// Words of [`STARTS`] that leave room for another attribute.
const SPECIFIERS: [&str; 12] = [
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "explicit",
    "extern",
    "friend",
    "inline",
    "static",
    "typedef",
    "virtual",
    "thread_local",
];

/// The text with blanks for such macros.
pub fn without_macros(text: &str) -> Cow<'_, str> {
    let mut scanner = Scanner::new(text);
    scanner.run();
    if scanner.blanks.is_empty() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(with_blanks(text, &scanner.blanks))
}

/// What is in front of the next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The end of another declaration, or specifiers.
    Start,
    /// `class`, `struct` or `union`.
    Key,
    /// `if`.
    Condition,
    /// Another name or keyword.
    Word,
    /// The end of a parameter list, or a word behind it.
    Parameters,
    Other,
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    before: Before,
    /// The open braces: for those of a type or namespace, its name.
    braces: Vec<Option<&'t str>>,
    /// The number of braces at each open `#if`.
    conditions: Vec<usize>,
    /// Whether the declaration so far is the head of a type or namespace.
    is_head: bool,
    /// The name in the head.
    name: &'t str,
    parentheses: usize,
    blanks: Vec<(usize, usize)>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            before: Before::Start,
            braces: Vec::new(),
            conditions: Vec::new(),
            is_head: false,
            name: "",
            parentheses: 0,
            blanks: Vec::new(),
        }
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let start = self.at;
            if let Some(end) = skip(self.text, start, self.bytes.len()) {
                self.directive(start, end);
                self.at = end;
                continue;
            }
            match self.bytes[start] {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
                quote @ (b'"' | b'\'') => {
                    self.at = quoted(self.bytes, start, quote);
                    self.before = if self.is_head { self.before } else { Before::Other };
                }
                b'0'..=b'9' => {
                    self.at = number(self.bytes, start);
                    self.before = Before::Other;
                }
                byte => {
                    self.at += 1;
                    self.punctuation(byte);
                }
            }
        }
    }

    /// Whether the scanner is where declarations are, outside of functions.
    fn is_outside(&self) -> bool {
        self.parentheses == 0 && self.braces.last().is_none_or(Option::is_some)
    }

    fn directive(&mut self, start: usize, end: usize) {
        if self.bytes[start] != b'#' {
            return;
        }
        let word = self.text[start + 1..end].trim_start();
        if word.starts_with("if") {
            self.conditions.push(self.braces.len());
        } else if word.starts_with("el") {
            // The branches of a condition have the same braces.
            self.braces.truncate(self.conditions.last().copied().unwrap_or(usize::MAX));
        } else if word.starts_with("endif") {
            self.conditions.pop();
        }
    }

    fn punctuation(&mut self, byte: u8) {
        self.before = match byte {
            b'{' => {
                self.braces.push((self.is_head && self.is_outside()).then_some(self.name));
                self.name = "";
                (self.is_head, self.parentheses) = (false, 0);
                Before::Start
            }
            b'}' => {
                self.braces.pop();
                (self.is_head, self.parentheses) = (false, 0);
                Before::Start
            }
            b';' if self.parentheses == 0 => {
                self.is_head = false;
                Before::Start
            }
            b'(' => {
                self.parentheses += 1;
                self.is_head = false;
                Before::Other
            }
            b')' => {
                self.parentheses = self.parentheses.saturating_sub(1);
                Before::Parameters
            }
            b'=' => {
                self.is_head = false;
                Before::Other
            }
            // Access of the members that follow.
            b':' if self.before == Before::Start => Before::Start,
            _ => Before::Other,
        };
    }

    fn word(&mut self) {
        let start = self.at;
        let end = word_end(self.bytes, start);
        let word = &self.text[start..end];
        self.at = end;
        if self.before == Before::Condition && is_macro(word) && look(self.text, end).starts_with('(') {
            self.blanks.push((start, end));
            return;
        }
        if is_macro(word) && self.is_outside() {
            let whole = arguments_end(self.bytes, end).unwrap_or(end);
            if self.is_attribute(start, end, whole) {
                self.blanks.push((start, whole));
                self.at = whole;
                return;
            }
        }
        if self.before == Before::Key {
            self.name = word;
        }
        self.before = match word {
            "if" => Before::Condition,
            "class" | "struct" | "union" => {
                self.is_head = true;
                Before::Key
            }
            // The names in an enumeration look like macros.
            "enum" => {
                self.at = enum_key_end(self.text, end);
                self.is_head = false;
                Before::Word
            }
            "namespace" => {
                self.is_head = true;
                Before::Word
            }
            "extern" => {
                self.is_head |= look(self.text, end).starts_with("\"C");
                self.before
            }
            "template" => {
                self.at = angles_end(self.bytes, self.at).unwrap_or(self.at);
                self.before
            }
            "public" | "private" | "protected" if self.before == Before::Start => Before::Start,
            "const" | "noexcept" | "override" | "final" if self.before == Before::Parameters => {
                Before::Parameters
            }
            _ if self.before == Before::Start && SPECIFIERS.contains(&word) => Before::Start,
            _ => Before::Word,
        };
    }

    /// Whether the macro is neither a type nor a name.
    fn is_attribute(&self, start: usize, end: usize, whole: usize) -> bool {
        let rest = look(self.text, whole);
        match self.before {
            Before::Key => names_type(rest),
            Before::Word => self.is_head && end == whole && opens_body(rest),
            Before::Parameters => {
                rest.starts_with('{')
                    || rest.starts_with("->")
                    || rest.starts_with(':') && !rest.starts_with("::")
            }
            Before::Start => {
                let before = self.text[..start].trim_end_matches([' ', '\t']);
                let is_first = before.is_empty() || before.ends_with('\n');
                let after = &self.text[whole..];
                let is_alone =
                    is_first && after.trim_start_matches([' ', '\t', '\r']).starts_with(['\n', '/']);
                let own = self.braces.last().copied().flatten().unwrap_or_default();
                declares(self.text, whole, is_alone, own)
            }
            Before::Condition | Before::Other => false,
        }
    }
}

/// A name in capitals, as macros have.
fn is_macro(word: &str) -> bool {
    word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn word_end(bytes: &[u8], start: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    start + bytes[start..].iter().take_while(|byte| is_part(byte)).count()
}

fn number(bytes: &[u8], start: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'_' | b'.' | b'\'');
    start + bytes[start..].iter().take_while(|byte| is_part(byte)).count()
}

/// The end of a blank, comment or directive that starts here.
fn skip(text: &str, start: usize, limit: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let rest = &bytes[start..limit];
    let comment_end = |from: usize| text[from + 2..limit].find("*/").map_or(limit, |at| from + at + 4);
    // A line goes on behind a backslash, and a directive behind a comment in it.
    let line_end = |from: usize, may_have_comments: bool| {
        let mut at = from;
        while at < limit && (bytes[at] != b'\n' || text[..at].trim_end_matches('\r').ends_with('\\')) {
            let is_comment = may_have_comments && bytes[at..limit].starts_with(b"/*");
            at = if is_comment { comment_end(at) } else { at + 1 };
        }
        at
    };
    match rest {
        [byte, ..] if byte.is_ascii_whitespace() => Some(start + 1),
        [b'/', b'/', ..] => Some(line_end(start + 2, false)),
        [b'/', b'*', ..] => Some(comment_end(start)),
        [b'#', ..] => Some(line_end(start + 1, true)),
        _ => None,
    }
}

fn quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    // `R"mark(...)mark"`.
    if quote == b'"' && start > 0 && bytes[start - 1] == b'R' {
        let mark = bytes[start + 1..].iter().take(17).position(|byte| *byte == b'(');
        if let Some(mark) = mark {
            let end = [b")", &bytes[start + 1..=start + mark], b"\""].concat();
            let body = start + 2 + mark;
            let found = bytes[body..].windows(end.len()).position(|window| window == end);
            return found.map_or(bytes.len(), |at| body + at + end.len());
        }
    }
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The end of arguments in parentheses right behind a macro.
fn arguments_end(bytes: &[u8], start: usize) -> Option<usize> {
    brackets_end(bytes, start, b'(', b')')
}

/// The end of a list in angle brackets, behind blanks.
fn angles_end(bytes: &[u8], start: usize) -> Option<usize> {
    let blanks = bytes[start..].iter().take(MAX_LOOK_AHEAD).take_while(|byte| byte.is_ascii_whitespace());
    brackets_end(bytes, start + blanks.count(), b'<', b'>')
}

fn brackets_end(bytes: &[u8], start: usize, open: u8, close: u8) -> Option<usize> {
    if bytes.get(start) != Some(&open) {
        return None;
    }
    let bytes = &bytes[..bytes.len().min(start + MAX_LOOK_AHEAD)];
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = quoted(bytes, at, b'"');
                continue;
            }
            byte if byte == open => depth += 1,
            byte if byte == close && (close != b'>' || bytes[at - 1] != b'-') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// What follows blanks, comments and directives: a limited piece.
fn look(text: &str, start: usize) -> &str {
    let mut limit = text.len().min(start + MAX_LOOK_AHEAD);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let mut at = start;
    while at < limit {
        match skip(text, at, limit) {
            Some(end) => at = end,
            None => break,
        }
    }
    text.get(at..limit).unwrap_or_default()
}

/// Whether the body of a type, or its bases, come next.
fn opens_body(rest: &str) -> bool {
    rest.starts_with('{') || rest.starts_with(':') && !rest.starts_with("::")
}

/// Whether a type's name comes next, with its body or bases.
fn names_type(rest: &str) -> bool {
    let mut rest = rest;
    let mut is_named = false;
    for _ in 0..8 {
        let bytes = rest.as_bytes();
        let end = word_end(bytes, 0);
        if end == 0 || bytes[0].is_ascii_digit() {
            break;
        }
        let is_macro = is_macro(&rest[..end]);
        is_named = true;
        let end = if is_macro { arguments_end(bytes, end) } else { angles_end(bytes, end) }.unwrap_or(end);
        rest = look(rest, end);
        rest = rest.strip_prefix("::").map_or(rest, |rest| look(rest, 0));
    }
    is_named && opens_body(rest)
}

/// Whether a whole declaration, its type included, comes behind a macro. `own` is the name of the enclosing type.
fn declares(text: &str, start: usize, is_alone: bool, own: &str) -> bool {
    let rest = look(text, start);
    let bytes = rest.as_bytes();
    match bytes.first() {
        None => return is_alone && text[start..].trim_start().is_empty(),
        Some(b'~') => return true,
        Some(b'}') => return is_alone,
        Some(b'[') => return rest.starts_with("[["),
        Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' => {}
        Some(_) => return false,
    }
    let end = word_end(bytes, 0);
    let (word, behind) = (&rest[..end], look(rest, end));
    // Behind `TYPE const` comes what is declared, and behind `EXPORT const` a type.
    if matches!(word, "const" | "volatile") {
        return declares(rest, end, false, own);
    }
    let is_constructor = word == own && behind.starts_with('(');
    let is_conversion = word == "operator" && behind.starts_with(|c: char| c.is_ascii_alphabetic());
    if STARTS.contains(&word) || is_constructor || is_conversion {
        return true;
    }
    // `std::vector<int> *name`.
    let mut rest = rest;
    for _ in 0..8 {
        let end = word_end(rest.as_bytes(), 0);
        let end = angles_end(rest.as_bytes(), end).unwrap_or(end);
        rest = look(rest, end);
        match rest.strip_prefix("::") {
            Some(inner) => rest = look(inner, 0),
            None => break,
        }
    }
    let behind = rest.trim_start_matches(['*', '&', ' ', '\n', '\t', '\r']);
    behind.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '~'))
}

/// The end of `enum`, `enum class` or `enum struct`.
fn enum_key_end(text: &str, end: usize) -> usize {
    let rest = text[end..].trim_start();
    let at = text.len() - rest.len();
    ["class", "struct"].iter().find(|key| rest.starts_with(*key)).map_or(end, |key| at + key.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text without what became blanks, with one blank between words.
    fn left(text: &str) -> String {
        let repaired = without_macros(text);
        assert_eq!(repaired.len(), text.len(), "{text}");
        repaired.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn macros_in_declarations_become_blanks() {
        for (text, expected) in [
            ("class FMT_API buffer : public base {};", "class buffer : public base {};"),
            ("struct EXPORT(\"x\", (1)) name {};", "struct name {};"),
            ("struct A_API B_API a::name<int> {};", "struct a::name<int> {};"),
            ("class Name FINAL { };", "class Name { };"),
            ("API_EXPORT int f(void) { }", "int f(void) { }"),
            ("API_EXPORT std::vector<int> *f(void);", "std::vector<int> *f(void);"),
            ("extern API number f(void);", "extern number f(void);"),
            ("BEGIN_EXPORT\n\n// A type.\nclass a {};", "// A type. class a {};"),
            ("namespace a {\nint b;\nEND_EXPORT\n#if 1\n#endif\n}", "namespace a { int b; #if 1 #endif }"),
            ("EXPORT template <typename T> class a {};", "template <typename T> class a {};"),
            ("template <class T> EXPORT auto f(T) -> T;", "template <class T> auto f(T) -> T;"),
            ("int f(int) ATTRIBUTE(1, 2) { }", "int f(int) { }"),
            (
                "class a { CONSTEXPR a(int b) : c(b) {} CONSTEXPR ~a() {} };",
                "class a { a(int b) : c(b) {} ~a() {} };",
            ),
            ("class a { public: DEPRECATED operator bool(); };", "class a { public: operator bool(); };"),
            ("void f() { if CONSTEXPR (a) { } }", "void f() { if (a) { } }"),
        ] {
            assert_eq!(left(text), expected);
        }
    }

    #[test]
    fn types_names_and_values_in_capitals_stay() {
        for text in [
            "HANDLE thread = open();",
            "BOOL Foo::bar() { return TRUE; }",
            "DWORD\nrun(void) { }",
            "struct FILE file;",
            "struct FILE { int a; };",
            "enum { RED, GREEN\n, BLUE };",
            "enum class Color {\nRED };",
            "void f() { FILE *a; HANDLE b; CHECK(a) int c; }",
            "#define A_API B_API int\n",
            "const char *a = \"class A_API b {\"; // class A_API b {",
            "extern LZMA_API(lzma_ret) lzma_code(int a) { }",
            "TEST(Suite, name) { }",
            "DWORD const MAX_SIZE = 64;",
            "UINT8 const *read(void) { }",
            "STATUS const &get() const { }",
            "LONG volatile counter;",
        ] {
            assert!(matches!(without_macros(text), Cow::Borrowed(_)), "{text}: {}", without_macros(text));
        }
    }

    #[test]
    fn any_text_is_read_to_its_end() {
        for text in [
            "class A_API",
            "A_API ",
            "\"",
            "/*",
            "#",
            "R\"(",
            "template <",
            "class A_API ä {",
            "A(\"\\",
            "#\\",
        ] {
            let _repaired = without_macros(text);
        }
    }
}
