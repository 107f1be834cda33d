//! Text files: Markdown with or without front matter, basic-memory's notes, Limbic's own Markdown, and lists of
//! memories that a person copied from another assistant.

mod basic_memory;
mod blocks;
mod exported;
mod front_matter;
mod memory_list;
mod statements;

use limbic_core::{Error, Result, model::memory_words::Category, records::Memory};
use limbic_guard::find_secret;

use super::parsed_records::ParsedRecords;
use crate::source::{Part, Source};
use blocks::Block;
use front_matter::FrontMatter;
use statements::{Statement, statements};

/// Maximum size of a text file, in bytes.
const MAX_TEXT_BYTES: u64 = 8 * 1024 * 1024;

/// Maximum size of all text files of a folder, in bytes.
pub const MAX_FOLDER_BYTES: u64 = 64 * 1024 * 1024;

/// Fields of a front matter that are fields of its memories; others are their metadata.
const OF_MEMORIES: [&str; 10] = [
    "title",
    "name",
    "description",
    "category",
    "type",
    "metadata.type",
    "tags",
    "created",
    "created_at",
    "date",
];

/// The two byte order marks of UTF-16.
const UTF_16: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Reads a text file. Returns the name of its format; `None` if it has none of these.
///
/// # Errors
/// [`Error::UnreadableSource`]; [`Error::UnknownSource`] for a file in UTF-16 or another encoding.
pub fn read(source: &mut dyn Source, path: &str) -> Result<Option<(&'static str, ParsedRecords)>> {
    let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let Some(text) = text_of(source, path)? else { return Ok(None) };
    let mut parsed = ParsedRecords::default();
    let format = document(&text, &File { name, prefix: "" }, &mut parsed);
    Ok(format.map(|format| (format, parsed)))
}

/// Reads the text files of a folder; others are skipped.
///
/// # Errors
/// [`Error::UnreadableSource`]; [`Error::UnknownSource`] if none has a known format or they are too large.
pub fn read_folder(source: &mut dyn Source, path: &str) -> Result<Option<(&'static str, ParsedRecords)>> {
    let files = source.files().unwrap_or_default().to_vec();
    let is_text =
        |path: &str| [".md", ".markdown"].iter().any(|ending| path.to_lowercase().ends_with(ending));
    let total: u64 = files.iter().filter(|file| is_text(&file.path)).map(|file| file.size_bytes).sum();
    if total > MAX_FOLDER_BYTES {
        let message = format!(
            "The Markdown files of this folder have more than {} MB together: import its subfolders one by one",
            MAX_FOLDER_BYTES >> 20
        );
        return Err(Error::UnknownSource { message });
    }
    let (mut parsed, mut known, mut offset) = (ParsedRecords::default(), None, 0);
    for found in files {
        let start = offset;
        offset += found.size_bytes;
        if !is_text(&found.path) {
            continue;
        }
        if parsed.is_too_large() {
            break;
        }
        let mut part = Part::new(source, start, found.size_bytes);
        let file = File { name: &found.path, prefix: &format!("{}: ", found.path) };
        let text = match text_of(&mut part, &format!("{path}/{}", found.path)) {
            Err(Error::UnknownSource { message }) => {
                parsed.report.skip(|| format!("{}{message}", file.prefix));
                continue;
            }
            text => text?,
        };
        match text.as_deref().and_then(|text| document(text, &file, &mut parsed)) {
            // One note is enough: the rest of such a folder is prose about them.
            Some(format) if known != Some(basic_memory::FORMAT) => known = Some(format),
            Some(_) => {}
            None => parsed.report.skip(|| format!("{}: no headings, lists or front matter", found.path)),
        }
    }
    Ok(known.map(|format| (format, parsed)))
}

/// Adds the memories of a Markdown text in a file of another format.
pub fn add_markdown(text: &str, base: &Base<'_>, parsed: &mut ParsedRecords) {
    let text = unified(text);
    let (front, body) = front_matter::split(&text).unwrap_or((FrontMatter::default(), &text));
    match blocks::parse(body) {
        Some((blocks, comments)) => {
            report_comments(comments, &base.location, parsed);
            add_statements(&statements(&blocks, parsed.room()), &front, base, parsed);
        }
        None => parsed.exceed(blocks::limits),
    }
}

/// The location of the memories of a text.
#[derive(Default)]
pub struct Base<'a> {
    /// Subject of text without a heading.
    pub subject: &'a str,
    /// Path above the headings; empty or with a leading slash.
    pub path: String,
    /// Name of the file.
    pub source: &'a str,
    pub created_at: Option<String>,
    /// Precedes the location of each memory.
    pub location: String,
}

/// A file that contains memories.
struct File<'a> {
    /// Its path within the folder, or its name.
    name: &'a str,
    /// Precedes its locations.
    prefix: &'a str,
}

/// Reads a document. Returns the name of its format.
fn document(text: &str, file: &File<'_>, parsed: &mut ParsedRecords) -> Option<&'static str> {
    if exported::read(text, file.prefix, parsed) {
        return Some("markdown");
    }
    let (front, body) = match front_matter::split(text) {
        Some((front, body)) => (Some(front), body),
        None => (None, text),
    };
    if memory_list::read(body, file.name, file.prefix, parsed) {
        return Some("memory-list");
    }
    if body.trim_start().starts_with('{') {
        return None;
    }
    let Some((blocks, comments)) = blocks::parse(body) else {
        parsed.exceed(blocks::limits);
        return Some("markdown");
    };
    let is_marked = |block: &Block| matches!(block, Block::Heading { .. } | Block::List { .. });
    if front.is_none() && !blocks.iter().any(is_marked) {
        return memory_list::read_sentences(text, file.name, file.prefix, parsed).then_some("memory-list");
    }
    let front = front.unwrap_or_default();
    for problem in &front.problems {
        parsed.report.skip(|| format!("{}front matter, {problem}", file.prefix));
    }
    report_comments(comments, file.prefix, parsed);
    let statements = statements(&blocks, parsed.room());
    if let Some(note) = basic_memory::note(&front, (&blocks, &statements), file.name, parsed.room()) {
        parsed.push_note(note);
        return Some(basic_memory::FORMAT);
    }
    let base = Base { source: file.name, location: file.prefix.to_owned(), ..Base::default() };
    add_statements(&statements, &front, &base, parsed);
    Some("markdown")
}

/// Counts the comments of a text as one record that is skipped.
fn report_comments(count: usize, prefix: &str, parsed: &mut ParsedRecords) {
    let left_out = match count {
        0 => return,
        1 => "an HTML comment is left out".to_owned(),
        _ => format!("{count} HTML comments are left out"),
    };
    parsed.report.skip(|| format!("{prefix}{left_out}"));
}

fn add_statements(
    statements: &[Statement],
    front: &FrontMatter,
    base: &Base<'_>,
    parsed: &mut ParsedRecords,
) {
    let title = front.text(&["title", "name"]).unwrap_or(base.subject);
    let description = front.text(&["description"]);
    let kind = front.text(&["category", "type", "metadata.type"]).map(str::to_lowercase);
    let category = kind.as_deref().and_then(|kind| kind.parse::<Category>().ok());
    let mut tags = front.list("tags");
    tags.extend(kind.clone().filter(|_| category.is_none()));
    let date = front.text(&["created", "created_at", "date"]).map(str::to_owned);
    let mut metadata = serde_json::Map::new();
    for (name, values) in front.others(&OF_MEMORIES) {
        let value: serde_json::Value = match values {
            [value] => value.as_str().into(),
            values => values.into(),
        };
        // One field with a secret would have all memories refused.
        match find_secret(&format!("{name}: {}", values.join(", "))) {
            Some(kind) => parsed.report.skip(|| {
                format!("{}front matter: a field seems to hold a secret ({})", base.location, kind.name())
            }),
            None => drop(metadata.insert(name.to_owned(), value)),
        }
    }
    let template = Memory {
        metadata: (!metadata.is_empty()).then(|| serde_json::Value::Object(metadata).to_string()),
        category: category.unwrap_or_default().into(),
        source: Some(base.source.to_owned()).filter(|name| !name.is_empty()),
        created_at: date.or_else(|| base.created_at.clone()),
        ..Memory::default()
    };
    let is_single = statements.len() == 1;
    // The headings of the statement before, and where below them it is.
    let mut below: (&[String], String) = (&[], String::new());
    for (number, statement) in statements.iter().enumerate() {
        if parsed.is_too_large() {
            return;
        }
        if !std::ptr::eq(below.0, &*statement.headings) {
            // A heading that contains a secret is not repeated.
            let named = statement.headings.last().filter(|heading| find_secret(heading).is_none());
            below =
                (&statement.headings, named.map_or(String::new(), |heading| format!(", below {heading:?}")));
        }
        let location = format!("{}statement {}{}", base.location, number + 1, below.1);
        if blocks::is_reference(&statement.text) {
            parsed.report.skip(|| format!("{location}: names another file, which is not read"));
            continue;
        }
        let mut memory = Memory {
            content: statement.text.clone(),
            subject: statement.headings.last().map_or(title, String::as_str).to_owned(),
            path: path_of(base, &statement.headings),
            tags: tags.clone(),
            summary: description.filter(|_| is_single).map(str::to_owned),
            ..template.clone()
        };
        memory.tags.extend(statement.is_done.map(|is_done| if is_done { "done" } else { "todo" }.to_owned()));
        parsed.push(memory, location);
    }
    // Of a single statement it is the summary.
    if let (Some(text), false) = (description, is_single) {
        let memory = Memory { content: text.to_owned(), subject: title.to_owned(), tags, ..template };
        parsed.push(memory, format!("{}description", base.location));
    }
}

fn path_of(base: &Base<'_>, headings: &[String]) -> String {
    let parts = headings.iter().map(|heading| format!("/{}", heading.replace('/', "-")));
    let path = base.path.clone() + &parts.collect::<String>();
    if path.is_empty() { "/".to_owned() } else { path }
}

/// Returns the text of a file with line breaks as `\n`; `None` if it is not text, or too long.
fn text_of(source: &mut dyn Source, path: &str) -> Result<Option<String>> {
    let unreadable = |reason: String| Error::UnreadableSource { path: path.to_owned(), reason };
    let size = source.size();
    let max_bytes = usize::try_from(size.min(MAX_TEXT_BYTES)).unwrap_or_default();
    let mut bytes = vec![0; max_bytes];
    let count = source.read_at(&mut bytes, 0).map_err(unreadable)?;
    bytes.truncate(count);
    if UTF_16.iter().any(|mark| bytes.starts_with(mark)) || is_unmarked_utf_16(&bytes) {
        let message = "The file is text in UTF-16: save it as UTF-8, then import it again".into();
        return Err(Error::UnknownSource { message });
    }
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    if bytes.contains(&0) {
        return Ok(None);
    }
    if size > MAX_TEXT_BYTES {
        let is_text = match std::str::from_utf8(&bytes[start..]) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none(),
        };
        let is_markdown =
            is_text && bytes[start..].split(|byte| *byte == b'\n').take(100).any(is_marked_line);
        if !is_markdown {
            return Ok(None);
        }
        let message = format!(
            "A text file must have at most {MAX_TEXT_BYTES} bytes, but got {size}: divide it into several"
        );
        return Err(Error::UnknownSource { message });
    }
    match std::str::from_utf8(&bytes[start..]) {
        Ok(text) => Ok(Some(unified(text))),
        Err(_) if bytes.iter().all(|byte| is_of_text(*byte)) => Err(Error::UnknownSource {
            message: "The file is text, but not in UTF-8, perhaps in Windows-1252 or ISO 8859-1: save it as UTF-8, then \
                      import it again"
                .into(),
        }),
        Err(_) => Ok(None),
    }
}

/// Whether bytes look like text in UTF-16 without a mark: in the first characters, most of every second byte are zero,
/// and none of the others.
fn is_unmarked_utf_16(bytes: &[u8]) -> bool {
    const SAMPLE: usize = 64;
    let pairs = || bytes.chunks_exact(2).take(SAMPLE);
    let is_zero_at = |index: usize| pairs().filter(|pair| pair[index] == 0).count();
    let (first, second) = (is_zero_at(0), is_zero_at(1));
    pairs().count() >= 4 && first.min(second) == 0 && first.max(second) * 2 > pairs().count()
}

/// Whether text in some encoding has this byte: it is no control character.
fn is_of_text(byte: u8) -> bool {
    byte >= b' ' && byte != 0x7f || matches!(byte, b'\t'..=b'\r' | 0x1b)
}

fn is_marked_line(line: &[u8]) -> bool {
    [&b"# "[..], b"## ", b"- ", b"* "].iter().any(|mark| line.starts_with(mark))
}

/// Returns a text with line breaks as `\n`.
fn unified(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}
