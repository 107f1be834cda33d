//! Rust: names in format strings, such as `{MAX}` and `{:width$}`.

use std::ops::Range;

use tree_sitter::Node;

use super::super::super::builder::Builder;
use crate::facts::ReferenceKind;

/// The position of the format string among the arguments of macros of the standard library, and of common ones of
/// others.
const FORMATS: [(&str, usize); 27] = [
    ("anyhow", 0),
    ("assert", 1),
    ("assert_eq", 2),
    ("assert_ne", 2),
    ("bail", 0),
    ("debug", 0),
    ("debug_assert", 1),
    ("debug_assert_eq", 2),
    ("debug_assert_ne", 2),
    ("ensure", 1),
    ("eprint", 0),
    ("eprintln", 0),
    ("error", 0),
    ("format", 0),
    ("format_args", 0),
    ("info", 0),
    ("panic", 0),
    ("print", 0),
    ("println", 0),
    ("todo", 0),
    ("trace", 0),
    ("unimplemented", 0),
    ("unreachable", 0),
    ("warn", 0),
    ("warning", 0),
    ("write", 1),
    ("writeln", 1),
];

/// Names of one string that are read.
const MAX_NAMES: usize = 50;

/// Adds references for the constants that the format string of a macro captures. `arguments` are the tokens between
/// commas. Other names are those of variables, which are no symbols, but may have the name of a function.
pub fn captured_names<'t>(builder: &mut Builder<'_>, macro_name: &str, arguments: &[&[Node<'t>]]) {
    let name = macro_name.rsplit("::").next().unwrap_or(macro_name);
    let Some((_, position)) = FORMATS.iter().find(|(known, _)| *known == name) else { return };
    let Some([string]) = arguments.get(*position) else { return };
    if !matches!(string.kind(), "string_literal" | "raw_string_literal") {
        return;
    }
    let given: Vec<&str> = arguments.iter().filter_map(|tokens| label(builder, tokens)).collect();
    let text = builder.text(*string);
    let captured = names(text, string.kind() == "raw_string_literal").into_iter();
    for bytes in captured.filter(|bytes| is_constant(&text[bytes.clone()])).take(MAX_NAMES) {
        let name = &text[bytes.clone()];
        if !given.contains(&name) {
            let target = builder.lookup(name);
            builder.reference_within(*string, bytes, ReferenceKind::Use, target);
        }
    }
}

/// Whether a name is written like that of a constant.
fn is_constant(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

/// The name of an argument `name = value`.
fn label<'b>(builder: &Builder<'b>, tokens: &[Node<'_>]) -> Option<&'b str> {
    match tokens {
        [name, sign, ..] if name.kind() == "identifier" && sign.kind() == "=" => Some(builder.text(*name)),
        _ => None,
    }
}

/// The bytes of the names that a format string captures: arguments, widths and precisions.
fn names(text: &str, is_raw: bool) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            // `\u{2014}`
            b'\\' if !is_raw && bytes.get(at + 1) == Some(&b'u') => {
                at =
                    bytes[at..].iter().position(|byte| *byte == b'}').map_or(bytes.len(), |end| at + end + 1);
            }
            b'\\' if !is_raw => at += 2,
            b'{' if bytes.get(at + 1) == Some(&b'{') => at += 2,
            b'{' => {
                let Some(length) = bytes[at..].iter().position(|byte| *byte == b'}') else { break };
                placeholder(text, at + 1..at + length, &mut found);
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}

/// The names in a placeholder: `name:width$.precision$`.
fn placeholder(text: &str, inside: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(content) = text.get(inside.clone()) else { return };
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let mut add = |from: usize, to: usize| {
        let is_name = content[from..to].starts_with(|c: char| c == '_' || c.is_alphabetic());
        if is_name && content[from..to] != *"_" {
            found.push(inside.start + from..inside.start + to);
        }
    };
    let (name, form) = content.split_once(':').unwrap_or((content, ""));
    let start = name.len() - name.trim_start().len();
    let trimmed = name.trim();
    if trimmed.chars().all(is_part) {
        add(start, start + trimmed.len());
    }
    let form_start = content.len() - form.len();
    for (dollar, _) in form.match_indices('$') {
        let before = &form[..dollar];
        let from = before
            .rfind(|c: char| !is_part(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        // A zero in front pads with zeros.
        let from = from + (before.len() - from - before[from..].trim_start_matches('0').len());
        add(form_start + from, form_start + dollar);
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    fn captured(text: &str, is_raw: bool) -> Vec<&str> {
        names(text, is_raw).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn the_names_of_placeholders_are_captured() {
        for (text, expected) in [
            ("\"{MAX}\"", vec!["MAX"]),
            ("\"{ MAX :?} {} {0} {:>5} {:#?}\"", vec!["MAX"]),
            ("\"{{MAX}} {{{MAX}}}\"", vec!["MAX"]),
            ("\"{:WIDTH$.PRECISION$} {value:0WIDTH$} {:1$}\"", vec!["WIDTH", "PRECISION", "value", "WIDTH"]),
            ("\"\\u{AB} \\\"{A} \\\\{B}\"", vec!["A", "B"]),
            ("\"é{Größe:é^W$}\"", vec!["Größe", "W"]),
            ("\"{a.b} {a", vec![]),
            ("\"\\", vec![]),
        ] {
            assert_eq!(captured(text, false), expected, "{text}");
        }
        assert_eq!(captured("r#\"\\{A} \\u{B}\"#", true), ["A", "B"]);
    }
}
