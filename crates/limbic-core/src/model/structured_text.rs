//! The values of a JSON text. They are encoded instead of the whole text, and compared one by one.
//!
//! Keys, quotes and braces are the same in all notes of a kind. They carry no information about one of them, but
//! dominate the sentence vector and make all notes similar.

use std::borrow::Cow;

/// Maximum size of all paths of a text together, in bytes. In deeply nested JSON, each is as long as the text.
const MAX_PATH_BYTES: usize = 1_000_000;

/// Returns the text that an encoder reads: for a JSON object, or an array that contains one, the values in order,
/// separated by periods; any other text unchanged.
#[must_use]
pub(crate) fn readable(text: &str) -> Cow<'_, str> {
    values(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether a text is a JSON object with at least one value, or an array that contains one.
#[must_use]
pub(crate) fn is_structured(text: &str) -> bool {
    values(text).is_some()
}

fn values(text: &str) -> Option<String> {
    let fields = fields(text)?;
    let values = fields.iter().filter_map(|field| field.value.as_deref().map(str::trim));
    let values: Vec<String> = values.filter(|value| !value.is_empty()).map(in_one_line).collect();
    (!values.is_empty()).then(|| values.join(". "))
}

/// A value with a space for each line break and tabulator.
fn in_one_line(value: &str) -> String {
    value.replace(['\n', '\r', '\t', '\u{8}', '\u{c}'], " ")
}

/// A scalar value of a JSON text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Where it is: the keys and indices that lead to it, as a JSON Pointer (RFC 6901). The scalars of an array have
    /// the path of the array.
    pub path: String,
    /// The value, a string without quotation marks and escapes; `None` for `null`.
    pub value: Option<String>,
    /// Whether it is a string: `"8080"` is not `8080`.
    pub is_string: bool,
}

/// Returns the scalar values of a JSON object or array in order; `None` for a text that is neither, or that has no key,
/// or whose paths are too long together.
pub(crate) fn fields(text: &str) -> Option<Vec<Field>> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut scanner = Scanner {
        rest: text,
        open: Vec::new(),
        key: None,
        has_key: false,
        fields: Vec::new(),
        path_bytes: 0,
    };
    while !scanner.rest.is_empty() {
        scanner.step()?;
    }
    (scanner.open.is_empty() && scanner.has_key).then_some(scanner.fields)
}

/// Reads the tokens of JSON. It does not validate: commas and colons may occur anywhere.
struct Scanner<'a> {
    rest: &'a str,
    /// The objects and arrays around the current position, outermost first.
    open: Vec<Open>,
    /// The key of the next value; `None` in an array.
    key: Option<String>,
    has_key: bool,
    fields: Vec<Field>,
    /// Size of the paths of the fields.
    path_bytes: usize,
}

/// An object or array that has begun.
struct Open {
    /// The bracket that ends it.
    closing: char,
    /// Its own key or index.
    step: String,
    /// Number of its elements so far, if it is an array.
    elements: usize,
}

impl Scanner<'_> {
    /// Reads one token; `None` where there is none, or where brackets do not match.
    fn step(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            '{' => self.begin('}'),
            '[' => self.begin(']'),
            '}' | ']' => {
                if self.open.pop()?.closing != first {
                    return None;
                }
                self.key = None;
                // Text after the first value is not valid JSON.
                if self.open.is_empty() && self.rest.len() > 1 {
                    return None;
                }
            }
            ',' | ':' | ' ' | '\n' | '\r' | '\t' => {}
            '"' => return self.string(),
            _ => return self.literal(),
        }
        self.rest = &self.rest[1..];
        Some(())
    }

    fn begin(&mut self, closing: char) {
        let step = match (self.key.take(), self.open.last_mut()) {
            (Some(key), _) => key,
            (None, Some(array)) => {
                array.elements += 1;
                (array.elements - 1).to_string()
            }
            (None, None) => String::new(),
        };
        self.open.push(Open { closing, step, elements: 0 });
    }

    fn string(&mut self) -> Option<()> {
        let (value, rest) = unquoted(&self.rest[1..])?;
        self.rest = rest.trim_start();
        if self.rest.starts_with(':') && self.open.last().is_some_and(|open| open.closing == '}') {
            self.has_key = true;
            self.key = Some(value.replace('~', "~0").replace('/', "~1"));
            return Some(());
        }
        self.add(Some(value), true)
    }

    /// A number, `true`, `false` or `null`.
    fn literal(&mut self) -> Option<()> {
        let end = self.rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "+-.".contains(letter)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        match word {
            "null" => self.add(None, false)?,
            "true" | "false" => self.add(Some(word.to_owned()), false)?,
            _ if word.parse::<f64>().is_ok() && !word.starts_with(|letter: char| letter.is_alphabetic()) => {
                self.add(Some(word.to_owned()), false)?;
            }
            _ => return None,
        }
        self.rest = rest;
        Some(())
    }

    /// Adds a scalar; `None` if the paths are then too long.
    fn add(&mut self, value: Option<String>, is_string: bool) -> Option<()> {
        let key = self.key.take();
        match (self.open.last_mut(), &key) {
            (Some(array), None) => array.elements += 1,
            // A scalar outside of objects and arrays is not a record.
            (None, _) => return Some(()),
            _ => {}
        }
        let steps = self.open.iter().skip(1).map(|open| open.step.as_str()).chain(key.as_deref());
        let path = steps.fold(String::new(), |path, step| path + "/" + step);
        self.path_bytes += path.len();
        self.fields.push(Field { path, value, is_string });
        (self.path_bytes <= MAX_PATH_BYTES).then_some(())
    }
}

/// A JSON string after its opening quotation mark, without its escapes, and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let end = rest.find(['"', '\\'])?;
        let (plain, marked) = rest.split_at(end);
        value.push_str(plain);
        rest = &marked[1..];
        if marked.starts_with('"') {
            return Some((value, rest));
        }
        let escape = rest.chars().next()?;
        rest = &rest[escape.len_utf8()..];
        match escape {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            'b' => value.push('\u{8}'),
            'f' => value.push('\u{c}'),
            'u' => rest = push_escaped(&mut value, rest)?,
            other => value.push(other),
        }
    }
}

/// Adds the character of `\u` with the four digits that a text begins with, and of a second one if both are a surrogate
/// pair. Returns what follows. Half a pair is no character and stays an escape.
fn push_escaped<'a>(value: &mut String, text: &'a str) -> Option<&'a str> {
    let unit = |text: &str| u16::from_str_radix(text.get(..4)?, 16).ok();
    let first = unit(text)?;
    let rest = &text[4..];
    let second = rest.strip_prefix("\\u").and_then(unit);
    let mut letters = char::decode_utf16([first].into_iter().chain(second));
    match letters.next()? {
        Ok(letter) => {
            value.push(letter);
            Some(if letter.len_utf16() == 2 { &rest[6..] } else { rest })
        }
        Err(_) => {
            value.push_str("\\u");
            value.push_str(&text[..4]);
            Some(rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_values_of_json_are_read() {
        let note = r#"{"name": "hub.load", "arguments": ["url", 3], "score": {"top1": 0.5, "none": null}, "text": "a\n\"b\" \u00e9"}"#;
        assert_eq!(readable(note), "hub.load. url. 3. 0.5. a \"b\" é");
        assert_eq!(readable(r#"[{"a": true}, {"a": ""}]"#), "true");
        assert_eq!(readable(r#"{"a": "\ud83d\udc4d \ud83d", "b": "1\t2"}"#), "👍 \\ud83d. 1 2");
    }

    #[test]
    fn each_value_has_the_keys_and_indices_that_lead_to_it() {
        let text = r#"{"a": 1, "b": {"c": [{"d": "x"}, "y", [2, 3]], "e": null}, "f/~": "", "g": {}}"#;
        let found = fields(text).expect("it is JSON");
        let found: Vec<(&str, Option<&str>)> =
            found.iter().map(|field| (field.path.as_str(), field.value.as_deref())).collect();
        let expected = [
            ("/a", Some("1")),
            ("/b/c/0/d", Some("x")),
            ("/b/c", Some("y")),
            ("/b/c/2", Some("2")),
            ("/b/c/2", Some("3")),
            ("/b/e", None),
            ("/f~1~0", Some("")),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn texts_whose_paths_are_long_are_prose() {
        let nested = |depth: usize| {
            let values = "1,".repeat(depth);
            format!("{{\"a\":{}{values}2{}}}", "[".repeat(depth), "]".repeat(depth))
        };
        // Each of the values has a path of twice as many bytes as there are brackets.
        assert!(is_structured(&nested(600)));
        assert!(!is_structured(&nested(800)));
        let wide = |key: usize| format!("{{\"{}\":[{}1]}}", "k".repeat(key), "1,".repeat(10_000));
        assert!(is_structured(&wide(90)));
        assert!(!is_structured(&wide(110)));
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "",
            "{",
            "{}",
            "[1, 2]",
            "[note] buy milk",
            "{name} is a placeholder",
            r#"{"a": 1} and more"#,
            r#"{"a": 1]"#,
            r#"{"a": "open}"#,
            "fn main() { println!(\"hi\"); }",
            "[link](https://example.org)",
            "{'a': 1}",
            r#"{"a": inf}"#,
        ] {
            assert_eq!(readable(text), text);
            assert!(!is_structured(text), "{text}");
        }
    }
}
