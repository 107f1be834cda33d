//! The values of a JSON text, which are encoded instead of the whole text.
//!
//! Keys, quotes and braces are the same in all notes of a kind. They carry no information about one of them, but
//! dominate the sentence vector and make all notes similar.

use std::borrow::Cow;

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

/// Returns the scalar values of a JSON object or array without `null` and empty strings; `None` for a text that is
/// neither, or that has no key or no value.
fn values(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut scanner = Scanner { rest: text, open: Vec::new(), has_key: false, values: Vec::new() };
    while !scanner.rest.is_empty() {
        scanner.step()?;
    }
    let is_complete = scanner.open.is_empty() && scanner.has_key && !scanner.values.is_empty();
    is_complete.then(|| scanner.values.join(". "))
}

/// Reads the tokens of JSON. It does not validate: commas and colons may occur anywhere.
struct Scanner<'a> {
    rest: &'a str,
    /// The closing brackets that are still expected.
    open: Vec<char>,
    has_key: bool,
    values: Vec<String>,
}

impl Scanner<'_> {
    /// Reads one token; `None` where there is none, or where brackets do not match.
    fn step(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            '{' => self.open.push('}'),
            '[' => self.open.push(']'),
            '}' | ']' => {
                if self.open.pop()? != first {
                    return None;
                }
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

    fn string(&mut self) -> Option<()> {
        let (value, rest) = unquoted(&self.rest[1..])?;
        self.rest = rest.trim_start();
        if self.rest.starts_with(':') && self.open.last() == Some(&'}') {
            self.has_key = true;
        } else if !value.trim().is_empty() {
            self.values.push(value.trim().to_owned());
        }
        Some(())
    }

    /// A number, `true`, `false` or `null`.
    fn literal(&mut self) -> Option<()> {
        let end = self.rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "+-.".contains(letter)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        match word {
            "null" => {}
            "true" | "false" => self.values.push(word.to_owned()),
            _ if word.parse::<f64>().is_ok() && !word.starts_with(|letter: char| letter.is_alphabetic()) => {
                self.values.push(word.to_owned());
            }
            _ => return None,
        }
        self.rest = rest;
        Some(())
    }
}

/// A JSON string after its opening quotation mark, without its escapes, and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[index + 1..])),
            '\\' => match letters.next()?.1 {
                'n' | 'r' | 't' | 'b' | 'f' => value.push(' '),
                'u' => {
                    let digits: String = letters.by_ref().take(4).map(|(_, digit)| digit).collect();
                    let code = u32::from_str_radix(&digits, 16).ok()?;
                    // A lone surrogate is not a character.
                    value.push(char::from_u32(code).unwrap_or(' '));
                }
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_values_of_json_are_read() {
        let note = r#"{"name": "hub.load", "arguments": ["url", 3], "score": {"top1": 0.5, "none": null}, "text": "a\n\"b\" \u00e9"}"#;
        assert_eq!(readable(note), "hub.load. url. 3. 0.5. a \"b\" é");
        assert_eq!(readable(r#"[{"a": true}, {"a": ""}]"#), "true");
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
