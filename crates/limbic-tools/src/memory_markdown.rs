//! Memories as Markdown: one bullet each, in an order that does not depend on the database, so that versions can be
//! compared line by line.
//!
//! ```text
//! ---
//! limbic: memories
//! version: 1
//! ---
//!
//! # general
//! <!-- limbic-domain {"id":"general","name":"general"} -->
//!
//! ## release
//!
//! - Ships on Mondays,
//!   after the tests
//!   <!-- limbic {"id":"0190...","tags":["release"],"created_at":"...","sum":"..."} -->
//! ```
//!
//! The comment below a bullet contains the other fields. `sum` is the hash of the text: if it differs, the text was
//! edited after the export. Headings of the second level are subjects, for readers; a bullet without a comment is a new
//! memory.

use limbic_core::{
    Error, Result,
    records::{Domain, Memory},
};
use serde_json::{Map, Value, json};

/// The front matter, by which the format is recognised.
pub const HEADER: &str = "---\nlimbic: memories\nversion: 1\n---\n";

/// Fields that are stored elsewhere, or that usage changes.
const LEFT_OUT: [&str; 13] = [
    "content",
    "domain",
    "confidence",
    "confidence_at",
    "tier",
    "heat",
    "access_count",
    "last_accessed",
    "promotion_count",
    "last_promoted_at",
    "stated_at",
    "summary_at",
    "written_by",
];

const MEMORY: &str = "<!-- limbic {";
const DOMAIN: &str = "<!-- limbic-domain {";
const END: &str = "} -->";

/// The content of a line or several lines.
pub enum Line<'a> {
    /// The heading of a domain, and its fields as JSON.
    Domain(&'a str, Option<&'a str>),
    /// The heading of a subject.
    Subject(&'a str),
    /// A bullet, and the fields of its comment as JSON.
    Memory { content: String, fields: Option<&'a str> },
}

/// Returns the heading of a domain.
pub fn domain(domain: &Domain) -> String {
    let mut fields = json!({ "id": domain.id, "name": domain.name });
    if let Some(description) = &domain.description {
        fields["description"] = json!(description);
    }
    format!("\n# {}\n{}\n", line_of(&domain.name), comment("limbic-domain", &fields))
}

/// Returns the heading of a subject.
pub fn subject(subject: &str) -> String {
    format!("\n## {}\n", line_of(subject))
}

/// Returns a memory as a bullet with its comment.
///
/// # Errors
/// [`Error::Internal`].
pub fn item(memory: &Memory) -> Result<String> {
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let usual = serde_json::to_value(Memory::default()).map_err(internal)?;
    let Value::Object(mut fields) = serde_json::to_value(memory).map_err(internal)? else {
        return Err(Error::Internal("a memory is not an object".into()));
    };
    fields.retain(|name, value| !LEFT_OUT.contains(&name.as_str()) && usual.get(name) != Some(value));
    let visible = visible(&memory.content);
    if visible != memory.content {
        fields.insert("text".to_owned(), json!(memory.content));
    }
    fields.insert("sum".to_owned(), json!(sum(&visible)));
    let mut text = "- ".to_owned();
    for (number, line) in visible.split('\n').enumerate() {
        if number > 0 {
            text.push_str(if line.is_empty() { "\n" } else { "\n  " });
        }
        text.push_str(line);
    }
    Ok(format!("\n{text}\n  {}\n", comment("limbic", &Value::Object(fields))))
}

/// Reads the fields of a memory. Returns also whether its text was edited.
///
/// # Errors
/// A sentence that explains why the comment cannot be read.
pub fn memory(content: &str, fields: &str) -> std::result::Result<(Memory, bool), String> {
    // The comment may contain a secret.
    let wrong = |_: serde_json::Error| "the comment below it cannot be read".to_owned();
    let mut fields: Map<String, Value> = serde_json::from_str(fields).map_err(wrong)?;
    let is_edited = fields.remove("sum").is_some_and(|known| known != sum(content));
    let exact = fields.remove("text").and_then(|text| text.as_str().map(str::to_owned));
    let text = exact.filter(|text| visible(text) == content).unwrap_or_else(|| content.to_owned());
    fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    fields.insert("content".to_owned(), json!(text));
    serde_json::from_value(Value::Object(fields)).map(|memory| (memory, is_edited)).map_err(wrong)
}

/// Splits an export into its headings and bullets, each with the number of its first line.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, Line<'_>)> {
    let mut lines = text.lines().zip(1..).skip(HEADER.lines().count()).peekable();
    std::iter::from_fn(move || {
        loop {
            let (line, number) = lines.next()?;
            if let Some(heading) = line.strip_prefix("# ") {
                let fields = lines.peek().and_then(|(next, _)| json_in(next, DOMAIN));
                if fields.is_some() {
                    lines.next();
                }
                return Some((number, Line::Domain(heading.trim(), fields)));
            } else if let Some(heading) = line.strip_prefix("## ") {
                return Some((number, Line::Subject(heading.trim())));
            } else if let Some(first) = line.strip_prefix("- ").or_else(|| (line == "-").then_some("")) {
                let is_inner = |line: &str| line.is_empty() || line.starts_with("  ");
                let mut content = first.to_owned();
                // Where the last line that is not empty begins, and that line, if it is not the first.
                let mut last = None;
                let mut end = content.len();
                while let Some((line, _)) = lines.next_if(|(line, _)| is_inner(line)) {
                    let line = line.strip_prefix("  ").unwrap_or(line);
                    content.push('\n');
                    if !line.is_empty() {
                        last = Some((content.len() - 1, line));
                        end = content.len() + line.len();
                    }
                    content.push_str(line);
                }
                let fields = last.and_then(|(start, line)| Some((start, json_in(line, MEMORY)?)));
                content.truncate(fields.map_or(end, |(start, _)| start));
                return Some((number, Line::Memory { content, fields: fields.map(|(_, fields)| fields) }));
            }
        }
    })
}

/// Returns the JSON of a comment.
fn json_in<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    let inner = line.trim_start().strip_prefix(start)?.trim_end();
    inner.strip_suffix(END)?;
    let from = line.find(start)? + start.len() - 1;
    let end = line.rfind(END)? + 1;
    line.get(from..end)
}

/// Writes JSON as a comment, without two hyphens, which would end it.
fn comment(name: &str, fields: &Value) -> String {
    format!("<!-- {name} {} -->", fields.to_string().replace("--", "-\\u002d").replace('>', "\\u003e"))
}

/// Returns a text without characters that Markdown or git may change.
fn visible(text: &str) -> String {
    text.chars()
        .map(
            |letter| {
                if letter.is_control() && letter != '\n' && letter != '\t' { '\u{fffd}' } else { letter }
            },
        )
        .collect()
}

fn line_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn sum(text: &str) -> String {
    format!("{:016x}", limbic_protocol::fnv1a(text.bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back_exactly() {
        for content in [
            "one line",
            "two\nlines\n\n  indented\n\n",
            "- a bullet\n# a heading\n<!-- limbic {\"id\":\"other\"} -->",
            "ends with -- and --> and \u{2028} and \r\n",
            "",
            "```sh\nx\n```",
        ] {
            let memory = Memory { id: "a--b".to_owned(), content: content.to_owned(), ..Memory::default() };
            let text = format!("{HEADER}{}", item(&memory).expect("it is written"));
            let mut found: Vec<_> = lines(&text).collect();
            assert_eq!(found.len(), 1, "{text}");
            let Some((_, Line::Memory { content: read, fields: Some(fields) })) = found.pop() else {
                panic!("{text}")
            };
            assert_eq!(super::memory(&read, fields), Ok((memory, false)), "{text}");
        }
    }

    #[test]
    fn an_edited_bullet_is_known_by_its_sum() {
        let memory =
            Memory { id: "a".to_owned(), content: "Ships on Mondays".to_owned(), ..Memory::default() };
        let text =
            format!("{HEADER}{}", item(&memory).expect("it is written")).replace("Mondays", "Tuesdays");
        let Some((_, Line::Memory { content, fields: Some(fields) })) = lines(&text).next() else {
            panic!("{text}")
        };
        let (read, is_edited) = super::memory(&content, fields).expect("it is read");
        assert!(is_edited && read.content == "Ships on Tuesdays" && read.id == "a");
    }
}
