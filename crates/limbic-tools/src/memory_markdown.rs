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
//!   <!-- limbic {"id":"0190...","tags":["release"],"created_at":"...","sum":"...","fields":"..."} -->
//! ```
//!
//! The comment below a bullet contains the other fields. `sum` is the hash of the text, and `fields` that of the other
//! fields: if one differs, they were edited after the export. Exports of earlier versions have no `fields`: there
//! another field was edited if it differs from that of a memory which has not changed since.
//! Headings of the second level are subjects: a bullet that was moved below another one gets that. A bullet without a
//! comment is a new memory. What editors and formatters change by themselves is no edit: blanks at the ends of lines,
//! the mark of a bullet, blank lines, the indentation of a comment, backslashes before punctuation in the heading of a
//! subject, further front matter.

use limbic_core::{
    Error, Result,
    records::{Domain, Edits, Memory},
};
use serde_json::{Map, Value, json};

/// The front matter, by which the format is recognised.
pub const HEADER: &str = "---\nlimbic: memories\nversion: 1\n---\n";

/// The line of the front matter by which it is recognised, and that with the version.
const FORMAT_LINE: &str = "limbic: memories";
const VERSION_LINE: &str = "version:";
const VERSION: &str = "1";

/// Maximum number of lines of the front matter.
const MAX_HEADER_LINES: usize = 200;

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

/// The fields of a comment that are about the text, and the hash of the others.
const TEXT: &str = "text";
const SUM: &str = "sum";
const FIELDS_SUM: &str = "fields";

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
    /// Lines that are none of these.
    Other,
}

/// Returns the number of lines of a text's front matter, if that is the one of this format.
///
/// # Errors
/// A sentence if the version is another one.
pub fn header(text: &str) -> std::result::Result<Option<usize>, String> {
    let mut lines =
        text.lines().zip(1..).take(MAX_HEADER_LINES).skip_while(|(line, _)| line.trim().is_empty());
    if lines.next().is_none_or(|(line, _)| line.trim_end() != "---") {
        return Ok(None);
    }
    let (mut is_known, mut version) = (false, VERSION);
    for (line, number) in lines {
        let line = line.trim_end();
        if line == "---" {
            return match version {
                _ if !is_known => Ok(None),
                VERSION => Ok(Some(number)),
                other => Err(format!("expected version {VERSION} of the format, but got {other:?}")),
            };
        }
        is_known |= line == FORMAT_LINE;
        version = line.strip_prefix(VERSION_LINE).map_or(version, str::trim);
    }
    Ok(None)
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
    let fields_sum = sum_of_fields(&fields);
    let visible = visible(&memory.content);
    if visible != memory.content {
        fields.insert(TEXT.to_owned(), json!(memory.content));
    }
    fields.insert(SUM.to_owned(), json!(sum(&visible)));
    fields.insert(FIELDS_SUM.to_owned(), json!(fields_sum));
    let mut text = "- ".to_owned();
    for (number, line) in visible.split('\n').enumerate() {
        if number > 0 {
            text.push_str(if line.is_empty() { "\n" } else { "\n  " });
        }
        text.push_str(line);
    }
    Ok(format!("\n{text}\n  {}\n", comment("limbic", &Value::Object(fields))))
}

/// Reads the fields of a memory. Returns also what of it was edited.
///
/// # Errors
/// A sentence that explains why the comment cannot be read.
pub fn memory(content: &str, fields: &str) -> std::result::Result<(Memory, Edits), String> {
    // The comment may contain a secret.
    let wrong = |_: serde_json::Error| "the comment below it cannot be read".to_owned();
    let mut fields: Map<String, Value> = serde_json::from_str(fields).map_err(wrong)?;
    let shown = visible(content);
    let known = fields.remove(SUM);
    let is_shown = known.as_ref().is_some_and(|known| *known == sum(&shown));
    // Earlier versions counted blanks at the ends of lines.
    let is_edited = !is_shown && known.is_some_and(|known| known != sum(content));
    let exact = fields.remove(TEXT).and_then(|text| text.as_str().map(str::to_owned));
    let known_fields = fields.remove(FIELDS_SUM);
    let edits = Edits { text: is_edited, fields: known_fields.map(|known| known != sum_of_fields(&fields)) };
    let text = match exact.filter(|text| visible(text) == shown) {
        Some(exact) => exact,
        None if is_shown => shown,
        None if is_edited => content.trim_end().to_owned(),
        None => content.to_owned(),
    };
    fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    fields.insert("content".to_owned(), json!(text));
    serde_json::from_value(Value::Object(fields)).map(|memory| (memory, edits)).map_err(wrong)
}

/// Whether a heading is that of a subject, also if a formatter has escaped punctuation in it.
pub fn is_heading_of(heading: &str, subject: &str) -> bool {
    let written = line_of(subject);
    heading == written || without_escapes(heading) == written
}

/// Returns a text without the backslashes before punctuation, as Markdown shows it.
fn without_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = letters.next_if(|next| letter == '\\' && next.is_ascii_punctuation());
        shown.push(escaped.unwrap_or(letter));
    }
    shown
}

/// Splits an export behind its front matter into its headings and bullets, each with the number of its first line.
pub fn lines(text: &str, header_lines: usize) -> impl Iterator<Item = (usize, Line<'_>)> {
    let mut lines = text.lines().zip(1..).skip(header_lines).peekable();
    std::iter::from_fn(move || {
        loop {
            let (line, number) = lines.next()?;
            if let Some(heading) = heading(line, "#") {
                // A formatter may have separated the comment from the heading.
                let mut ahead = lines.clone();
                let after = ahead.find(|(next, _)| !next.trim().is_empty());
                let fields = after.and_then(|(next, _)| json_in(next, DOMAIN));
                if fields.is_some() {
                    lines = ahead;
                }
                return Some((number, Line::Domain(heading, fields)));
            }
            if let Some(heading) = heading(line, "##") {
                return Some((number, Line::Subject(heading)));
            }
            if let Some(first) = bullet(line) {
                let mut content = first.to_owned();
                // Where the last line that is not empty begins, and that line, if it is not the first.
                let mut last = None;
                let mut end = content.len();
                while let Some((line, _)) = lines.next_if(|(line, _)| inner(line).is_some()) {
                    let line = inner(line).unwrap_or_default();
                    content.push('\n');
                    if !line.trim().is_empty() {
                        last = Some((content.len() - 1, line));
                        end = content.len() + line.len();
                    }
                    content.push_str(line);
                }
                // A formatter may have taken the indentation of the comment.
                let fields = match lines.peek().and_then(|(next, _)| json_in(next, MEMORY)) {
                    Some(after) => {
                        lines.next();
                        Some((end, after))
                    }
                    None => last.and_then(|(start, line)| Some((start, json_in(line, MEMORY)?))),
                };
                content.truncate(fields.map_or(end, |(start, _)| start));
                return Some((number, Line::Memory { content, fields: fields.map(|(_, fields)| fields) }));
            }
            if !line.trim().is_empty() {
                let is_other = |line: &str| {
                    !line.trim().is_empty()
                        && heading(line, "#")
                            .or_else(|| heading(line, "##"))
                            .or_else(|| bullet(line))
                            .is_none()
                };
                while lines.next_if(|(line, _)| is_other(line)).is_some() {}
                return Some((number, Line::Other));
            }
        }
    })
}

/// Returns the text of a heading of this level.
fn heading<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let text = line.strip_prefix(mark)?;
    (text.is_empty() || text.starts_with([' ', '\t'])).then(|| text.trim())
}

/// Returns the text of the first line of a bullet.
fn bullet(line: &str) -> Option<&str> {
    let text = line.strip_prefix(['-', '*', '+'])?;
    if text.is_empty() { Some("") } else { text.strip_prefix(' ') }
}

/// Returns a further line of a bullet without its indentation; `None` for another line.
fn inner(line: &str) -> Option<&str> {
    let text = line.strip_prefix("  ").or_else(|| line.strip_prefix('\t'));
    text.or_else(|| line.trim().is_empty().then_some(""))
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

/// Returns a text without what Markdown, git or an editor may change: control characters, blanks at the ends of lines,
/// and blank lines at the end.
fn visible(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\t' => letter,
        _ if letter.is_control() => '\u{fffd}',
        _ => letter,
    };
    let lines = text.split('\n').map(|line| line.trim_end_matches([' ', '\t']).chars().map(shown).collect());
    let mut shown = lines.collect::<Vec<String>>().join("\n");
    shown.truncate(shown.trim_end_matches('\n').len());
    shown
}

fn line_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the hash of fields in alphabetical order.
fn sum_of_fields(fields: &Map<String, Value>) -> String {
    let mut sorted: Vec<String> =
        fields.iter().map(|(name, value)| json!([name, value]).to_string()).collect();
    sorted.sort_unstable();
    sum(&sorted.join("\n"))
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
            "a hard break  \n\tcode \t\n   \nend ",
            "\n\nbegins late",
            "---\nlimbic: memories\nversion: 2\n---\n# x\n## y\n* z\n+ w",
            "<!-- a comment\n\nof lines -->\n1. one\n   - two",
        ] {
            let memory = Memory { id: "a--b".to_owned(), content: content.to_owned(), ..Memory::default() };
            let text = format!("{HEADER}{}", item(&memory).expect("it is written"));
            let mut found: Vec<_> = lines(&text, 4).collect();
            assert_eq!(found.len(), 1, "{text}");
            let Some((_, Line::Memory { content: read, fields: Some(fields) })) = found.pop() else {
                panic!("{text}")
            };
            let edits = Edits { text: false, fields: Some(false) };
            assert_eq!(super::memory(&read, fields), Ok((memory, edits)), "{text}");
        }
    }

    #[test]
    fn what_editors_change_by_themselves_is_no_edit() {
        let content = "one  \n\n    code\n  - two \n\nend\n";
        let memory = Memory { id: "a".to_owned(), content: content.to_owned(), ..Memory::default() };
        let text = format!("{HEADER}{}", item(&memory).expect("it is written"));
        let without_blanks =
            |text: &str| text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>();
        for (what, changed) in [
            ("nothing", text.clone()),
            ("blanks at the ends of lines", without_blanks(&text)),
            ("another mark", text.replace("\n- one", "\n* one")),
            ("no indentation of the comment", text.replace("\n  <!--", "\n<!--")),
            ("a blank line before the comment", text.replace("\n  <!--", "\n\n<!--")),
        ] {
            let mut found: Vec<_> = lines(&changed, 4).collect();
            assert_eq!(found.len(), 1, "{what}: {changed}");
            let Some((_, Line::Memory { content, fields: Some(fields) })) = found.pop() else {
                panic!("{what}: {changed}")
            };
            let (read, edits) = super::memory(&content, fields).expect("it is read");
            assert_eq!(edits, Edits { text: false, fields: Some(false) }, "{what}: {changed}");
            assert_eq!(read.content, memory.content, "{what}");
        }
    }

    #[test]
    fn the_front_matter_may_have_further_fields() {
        for (text, expected) in [
            (HEADER.to_owned(), Ok(Some(4))),
            ("\n---\ntags: [x]\nlimbic: memories\nversion: 1\n---\n".to_owned(), Ok(Some(6))),
            ("---\nlimbic: memories\nversion: 2\n---\n".to_owned(), Err(())),
            ("---\ntitle: limbic: memories\n---\n".to_owned(), Ok(None)),
            ("---\nlimbic: memories\n".to_owned(), Ok(None)),
            ("# x\n".to_owned(), Ok(None)),
        ] {
            assert_eq!(header(&text).map_err(drop), expected, "{text}");
        }
    }

    #[test]
    fn an_edited_bullet_is_known_by_its_sum() {
        let memory =
            Memory { id: "a".to_owned(), content: "Ships on Mondays".to_owned(), ..Memory::default() };
        let text =
            format!("{HEADER}{}", item(&memory).expect("it is written")).replace("Mondays", "Tuesdays");
        let Some((_, Line::Memory { content, fields: Some(fields) })) = lines(&text, 4).next() else {
            panic!("{text}")
        };
        let (read, edits) = super::memory(&content, fields).expect("it is read");
        assert_eq!(edits, Edits { text: true, fields: Some(false) });
        assert!(read.content == "Ships on Tuesdays" && read.id == "a");
    }

    #[test]
    fn edited_fields_are_recognised_by_their_hash() {
        let memory = Memory {
            id: "a".to_owned(),
            content: "Ships on Mondays".to_owned(),
            tags: vec!["x".to_owned()],
            ..Memory::default()
        };
        let text = item(&memory).expect("it is written").replace(r#"["x"]"#, r#"["x", "y"]"#);
        let text = format!("{HEADER}{text}");
        let Some((_, Line::Memory { content, fields: Some(fields) })) = lines(&text, 4).next() else {
            panic!("{text}")
        };
        let (read, edits) = super::memory(&content, fields).expect("it is read");
        assert_eq!(edits, Edits { text: false, fields: Some(true) });
        assert_eq!(read.tags, ["x", "y"]);
        // An export of an earlier version has no such hash.
        let mut earlier: Map<String, Value> = serde_json::from_str(fields).expect("an object");
        earlier.remove(FIELDS_SUM).expect("the hash");
        let earlier = Value::Object(earlier).to_string();
        let (_, edits) = super::memory(&content, &earlier).expect("it is read");
        assert_eq!(edits, Edits { text: false, fields: None });
    }
}
