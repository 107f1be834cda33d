//! The hook at the end of a session: stores marked lines.
//!
//! A mark is a line that the user typed and that begins with `@keep`: `@keep Tests need --release`. A category may
//! follow, with a colon: `@keep decision: One file per tool`. The assistant's own lines count with an option. Quoted
//! text never counts: the text of a file or a page must not become a memory because it was shown in a conversation. For
//! the same reason, no mark counts in or after a line with an element of the host, such as `<bash-stdout>`, in the same
//! text.

mod directives;
mod line_edges;
mod list_markers;
mod listings;
mod mail;
mod quotations;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use limbic_core::{Error, Result, model::memory_words::Category};
use serde_json::{Value, json};

use super::{event::Event, project_domains::home, recalled::of_user};
use crate::Limbic;
use directives::Directives;
use line_edges::without_invisible_edges;
use list_markers::{after_list_markers, columns};
use listings::{
    Block, ENCLOSED, End, begins_literal, fence, first_word, here_document, is_customary, is_delimiter,
};
use mail::{is_above_answered, is_above_quoted};
use quotations::{
    COMMENT, QUOTATION_OF_GITLAB, QUOTATIONS, begins_quotation, end_of_earlier, end_of_quotation,
    is_above_forwarded, last_end, may_end, quotation_at, raw_string,
};

const MARK: &str = "@keep";

/// Maximum number of memories per session.
const MAX_MEMORIES: usize = 100;

/// Stores the marked lines of a transcript in the project's domain, with the project as subject. Duplicates confirm
/// the existing memory.
///
/// # Errors
/// [`Error::MarksRefused`] if some marks are refused; the others are stored.
pub fn keep(limbic: &mut Limbic, event: &Event, transcript: &[u8]) -> Result<()> {
    let project = event.project_name().unwrap_or_default();
    let domain = home(limbic, event)?;
    let mut seen = BTreeSet::new();
    let mut refused = Vec::new();
    for (category, text) in marks(transcript, limbic.keeps_assistant_marks()) {
        if !seen.insert(text.clone()) {
            continue;
        }
        if seen.len() > MAX_MEMORIES {
            refused.push(format!("only the first {MAX_MEMORIES} marks of a session are stored"));
            break;
        }
        let memory = json!({
            "content": text, "category": category.name(), "subject": project, "domain": domain, "source": "session_end",
        });
        let memory = of_user(limbic, memory);
        match limbic.ask("memory_store", &memory) {
            Ok(_) => {}
            // A mark that is refused must not prevent the others from being stored.
            Err(Error::SecretRefused(kind)) => {
                refused.push(format!("mark {} may contain a secret ({kind})", seen.len()));
            }
            Err(error @ Error::InvalidArgument { .. }) => {
                refused.push(format!("mark {}: {error}", seen.len()));
            }
            Err(error) => return Err(error),
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(Error::MarksRefused(refused.join("; "))) }
}

/// Returns the marked lines of a transcript, with their categories: those that the user typed, and the assistant's if
/// `from_assistant`.
fn marks(transcript: &[u8], from_assistant: bool) -> Vec<(Category, String)> {
    String::from_utf8_lossy(transcript)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|entry| is_own_message(entry, from_assistant))
        .flat_map(|entry| texts(&entry["message"]["content"]))
        .filter(|text| text.contains(MARK))
        .map(|text| without_invisible_edges(&text))
        .flat_map(|text| own_lines(&text).into_iter().filter_map(mark).collect::<Vec<_>>())
        .collect()
}

/// Whether an entry is a message of the main conversation that the user (or the assistant) wrote, rather than one that
/// the host added.
fn is_own_message(entry: &Value, from_assistant: bool) -> bool {
    let is_by = |who: &str| {
        entry["type"] == who && (entry["message"]["role"].is_null() || entry["message"]["role"] == who)
    };
    let is_added = ["isMeta", "isSidechain", "isSynthetic", "isCompactSummary", "isVisibleInTranscriptOnly"]
        .iter()
        .any(|flag| is_set(&entry[flag]) || is_set(&entry["message"][flag]))
        || !is_of_person(&entry["origin"])
        || ["agentId", "parent_tool_use_id", "parentToolUseID", "sourceToolUseID"]
            .iter()
            .any(|source| !entry[source].is_null());
    (is_by("user") || (from_assistant && is_by("assistant"))) && !is_added && entry["toolUseResult"].is_null()
}

/// Whether a flag is set, whichever type its value has.
fn is_set(flag: &Value) -> bool {
    match flag {
        Value::Null => false,
        Value::Bool(is_set) => *is_set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            !matches!(text.trim().to_ascii_lowercase().as_str(), "" | "false" | "0" | "no")
        }
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Whether an entry comes from a person, as far as its host says from whom.
fn is_of_person(origin: &Value) -> bool {
    let kind = if origin.is_object() { &origin["kind"] } else { origin };
    match kind {
        Value::Null => true,
        Value::String(kind) => {
            matches!(kind.trim().to_ascii_lowercase().as_str(), "" | "user" | "human" | "person")
        }
        _ => false,
    }
}

/// Returns the texts of a message, without tool inputs and results. A message with a result is the host's.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) if parts.iter().any(|part| part["type"] == "tool_result") => Vec::new(),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| part["type"] == "text")
            .filter_map(|part| part["text"].as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

/// Elements of HTML whose content is shown as a quotation, or not at all.
const QUOTING: [&str; 12] = [
    "blockquote",
    "code",
    "details",
    "kbd",
    "pre",
    "q",
    "samp",
    "script",
    "style",
    "template",
    "textarea",
    "xmp",
];

/// What begins and ends a text that is not shown: a comment, a processing instruction, a section of characters.
const HIDDEN: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// What begins texts that a host adds to a conversation as if the user had typed them, where it sets no flag.
const OF_HOST: [&str; 2] = [
    "This session is being continued from a previous conversation that ran out of context",
    "Caveat: The messages below were generated by the user while running local commands",
];

/// A code block between fences.
struct Fence {
    mark: char,
    length: usize,
    /// The column in which its first fence begins.
    column: usize,
}

/// What encloses a line.
enum Enclosing {
    /// A text up to this mark.
    Until(Cow<'static, str>),
    /// A quotation, by its index in [`QUOTATIONS`].
    Quotation(usize),
    /// This element of HTML, in `depth` others of the same name.
    Element { name: String, depth: usize },
}

/// The block structure around a line of a text.
#[derive(Default)]
struct Surroundings<'a> {
    /// The fence of the current code block.
    fence: Option<Fence>,
    /// The current element or comment.
    enclosing: Option<Enclosing>,
    /// The number of backticks that end the inline code in which the line begins.
    inline_code: Option<usize>,
    is_quote: bool,
    /// Whether nothing counts any more: the host has written an element, whose end tag may be a part of what it shows,
    /// or it is uncertain where a code block ends.
    is_over: bool,
    /// The number of lines taken.
    taken: usize,
    /// The last lines that may end each of [`QUOTATIONS`].
    last_ends: Vec<Option<usize>>,
    /// The last lines that may end each of [`ENCLOSED`].
    last_enclosed: [Option<usize>; ENCLOSED.len()],
    /// The last place of each line.
    last_lines: BTreeMap<&'a str, usize>,
    /// The last place of each first word of a line that may end a here-document, as [`first_word`].
    last_words: BTreeMap<&'a str, usize>,
    /// What ends the current listing or here-document.
    listing: Option<End<'a>>,
    /// The column of the line that introduced the current literal.
    literal: Option<usize>,
    /// The current block that is neither a code block between fences nor a listing, a here-document or a literal.
    block: Block<'a>,
    /// The current blocks between lines of colons.
    directives: Directives,
}

impl<'a> Surroundings<'a> {
    /// Whether the next line is the writer's own: in no code, quote, element or comment. `following` are the lines
    /// after it.
    fn take(&mut self, line: &'a str, following: &[&str]) -> bool {
        self.taken += 1;
        let trimmed = line.trim();
        let (column, content) = after_list_markers(line);
        if trimmed.is_empty() {
            self.is_quote = false;
            self.block.contains(line);
            return false;
        }
        if self.is_over || self.is_in_code_block(line) || self.is_in_listing(line) {
            return false;
        }
        if OF_HOST.iter().any(|begin| trimmed.starts_with(begin))
            || (self.taken == 1 && self.is_front_matter(trimmed, following))
            || is_above_forwarded(trimmed)
            || is_above_quoted(trimmed)
            || is_above_answered(trimmed, following)
            || (!content.starts_with('>') && has_host_element(content))
        {
            self.is_over = true;
            return false;
        }
        // An element, a quotation or inline code also begins and ends within a block, and in its first line.
        let mut is_in_block = self.block.contains(line);
        let is_hidden = matches!(self.enclosing, Some(Enclosing::Until(_)));
        let is_within = self.enclosing.is_some() || self.inline_code.is_some();
        if !is_hidden && let Some(is_uncertain) = self.directives.take(line, is_within) {
            self.is_over = is_uncertain;
            return false;
        }
        is_in_block |= self.directives.is_in_block();
        if let Some((mark, length)) = fence(content).filter(|_| !is_hidden) {
            self.fence = Some(Fence { mark, length, column });
            self.inline_code = None;
            return false;
        }
        if !is_hidden {
            if self.begins_listing(line, trimmed) {
                return false;
            }
            is_in_block = is_in_block || self.begins_block(line);
        }
        if let Some(enclosing) = self.enclosing.take() {
            match after_end(enclosing, trimmed) {
                Ok(rest) => self.enter(rest, following),
                Err(enclosing) => self.enclosing = Some(enclosing),
            }
            return false;
        }
        if let Some(length) = self.inline_code {
            if let Some(rest) = after_backticks(trimmed, length) {
                self.inline_code = None;
                self.enter(rest, following);
            }
            return false;
        }
        // The lines of a paragraph that begins with a quotation mark belong to the quotation.
        let begins_quote = content.starts_with('>');
        self.is_quote |= begins_quote;
        if !begins_quote {
            self.enter(content, following);
        }
        // Four columns make a line code, however they are written.
        !is_in_block && !self.is_quote && !content.starts_with('<') && columns(line) < 4
    }

    /// Whether the first line of a text begins front matter of YAML or TOML: what follows is a file.
    fn is_front_matter(&self, first: &str, following: &[&str]) -> bool {
        let separator = match first {
            "---" => ':',
            "+++" => '=',
            _ => return false,
        };
        let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let is_field = |line: &str| {
            line.split_once(separator).is_some_and(|(name, _)| {
                let name = name.trim().trim_matches(['"', '\'']);
                !name.is_empty() && name.chars().all(is_of_name)
            })
        };
        let mut fields = following.iter().map(|line| line.trim());
        let field = fields.find(|line| !line.is_empty() && !line.starts_with('#'));
        self.is_ended(End::Line(first)) && field.is_some_and(is_field)
    }

    /// Whether a line is in a code block, or ends it. Nothing counts after a line of which that is uncertain, because
    /// it may belong to the list item of the block or not: the next fence may then end a block or begin one.
    fn is_in_code_block(&mut self, line: &str) -> bool {
        let Some(fence) = &self.fence else { return false };
        let (column, trimmed) = (columns(line), line.trim());
        let is_end = trimmed.len() >= fence.length && trimmed.chars().all(|letter| letter == fence.mark);
        self.is_over = column < fence.column || (is_end && column > fence.column + 3);
        if is_end {
            self.fence = None;
        }
        true
    }

    /// Whether a line is in a listing, a here-document or a literal, or ends one of the first two.
    fn is_in_listing(&mut self, line: &str) -> bool {
        if let Some(end) = self.listing {
            if end.is_at(line) {
                self.listing = None;
            }
            return true;
        }
        let is_literal = self.literal.is_some_and(|column| columns(line) > column);
        if !is_literal {
            self.literal = None;
        }
        is_literal
    }

    /// Enters a listing, a here-document or a literal that a line begins. Returns whether the line consists of nothing
    /// but the delimiter of a listing.
    fn begins_listing(&mut self, line: &'a str, trimmed: &'a str) -> bool {
        let is_ended = self.is_ended(End::Line(trimmed));
        if is_delimiter(trimmed) || (trimmed == QUOTATION_OF_GITLAB && is_ended) {
            if is_ended {
                self.listing = Some(End::Line(trimmed));
            }
            return true;
        }
        match here_document(trimmed) {
            Some(end) if self.is_ended(end) => self.listing = Some(end),
            // Its end is not shown. `<<<NAME` may be another thing than a here-document of PHP.
            Some(End::Line(name)) if is_customary(name) => self.is_over = true,
            _ => {}
        }
        if begins_literal(trimmed) {
            self.literal = Some(columns(line));
        }
        // The end of a comment may not be shown, either.
        let is_comment = trimmed.strip_prefix("/*").is_some_and(|rest| rest.bytes().all(|mark| mark == b'*'));
        self.is_over |= is_comment && self.last_ends[COMMENT].is_none_or(|last| last < self.taken);
        false
    }

    /// Whether a line after the current one ends a listing, a here-document or a block.
    fn is_ended(&self, end: End<'_>) -> bool {
        let last = match end {
            End::Line(line) => self.last_lines.get(line),
            End::Word(word) => self.last_lines.get(word).max(self.last_words.get(word)),
        };
        last.is_some_and(|last| *last >= self.taken)
    }

    /// Enters a block that a line begins. Returns whether the line begins one.
    fn begins_block(&mut self, line: &'a str) -> bool {
        // `[quote]` of a forum, which a later line ends, rather than of AsciiDoc.
        let is_quotation = quotation_at(line, 0)
            .is_some_and(|kind| self.last_ends[kind].is_some_and(|last| last >= self.taken));
        if is_quotation {
            return false;
        }
        let is_enclosed = |kind: usize| self.last_enclosed[kind].is_some_and(|last| last >= self.taken);
        self.block = Block::at(line, |text| self.is_ended(End::Line(text)), is_enclosed);
        !matches!(self.block, Block::None)
    }

    /// Enters what a line, or the rest of one, begins and does not end: an element, a comment, inline code or a
    /// quotation that a later line ends.
    fn enter(&mut self, line: &str, following: &[&str]) {
        let mut rest = line;
        // An element at the start of a line, or behind one, begins a block.
        let mut is_start = true;
        let mut ends = None;
        while let Some(place) = rest.find(|c| matches!(c, '<' | '`' | 'R') || begins_quotation(c)) {
            is_start &= rest[..place].trim().is_empty();
            rest = &rest[place..];
            let start = line.len() - rest.len();
            if let Some((end, inner)) = raw_string(line, start) {
                is_start = false;
                match after_end(Enclosing::Until(Cow::Owned(end)), inner) {
                    Ok(after) => rest = after,
                    Err(enclosing) => {
                        self.enclosing = Some(enclosing);
                        return;
                    }
                }
                continue;
            }
            if let Some(kind) = quotation_at(line, start) {
                is_start = false;
                let inner = start + QUOTATIONS[kind].0.len();
                let ends: &mut Vec<_> = ends.get_or_insert_with(|| vec![None; QUOTATIONS.len()]);
                // Found once for a line, which may begin many.
                let last = *ends[kind].get_or_insert_with(|| last_end(line, kind));
                if last.is_some_and(|last| last >= inner) {
                    rest = end_of_quotation(line, kind, inner).map_or("", |end| &line[end..]);
                } else if self.last_ends[kind].is_some_and(|last| last >= self.taken) {
                    self.enclosing = Some(Enclosing::Quotation(kind));
                    return;
                } else {
                    rest = &line[inner..];
                }
                continue;
            }
            if rest.starts_with('`') {
                is_start = false;
                let length = backticks(rest);
                rest = match after_backticks(&rest[length..], length) {
                    Some(after) => after,
                    None if ends_inline_code(following, length) => {
                        self.inline_code = Some(length);
                        return;
                    }
                    None => &rest[length..],
                };
                continue;
            }
            let hidden = HIDDEN.iter().find(|(begin, _)| rest.starts_with(begin));
            let (enclosing, inner) = match (hidden, element(rest)) {
                (Some((begin, end)), _) => (Enclosing::Until(Cow::Borrowed(end)), &rest[begin.len()..]),
                (None, Some(name)) if is_start || QUOTING.contains(&name.to_ascii_lowercase().as_str()) => {
                    (Enclosing::Element { name: name.to_owned(), depth: 1 }, &rest[1 + name.len()..])
                }
                _ => {
                    is_start = false;
                    rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
                    continue;
                }
            };
            match after_end(enclosing, inner) {
                Ok(after) => rest = after,
                Err(enclosing) => {
                    self.enclosing = Some(enclosing);
                    return;
                }
            }
        }
    }
}

/// Returns the lines of a text that its writer does not quote.
fn own_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().skip_while(|line| line.trim().is_empty()).collect();
    let last_enclosed = ENCLOSED.map(|(_, end)| lines.iter().rposition(|line| line.starts_with(end)));
    let last_ends = (0..QUOTATIONS.len())
        .map(|kind| {
            let is_end = |line: &&str| end_of_earlier(line, kind).is_some();
            if may_end(text, kind) { lines.iter().rposition(is_end) } else { None }
        })
        .collect();
    let trimmed = || lines.iter().map(|line| line.trim()).enumerate();
    let last_lines = trimmed().map(|(index, line)| (line, index)).collect();
    let last_words = trimmed().filter_map(|(index, line)| Some((first_word(line)?, index))).collect();
    let mut surroundings =
        Surroundings { last_ends, last_enclosed, last_lines, last_words, ..Surroundings::default() };
    let mut own = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if surroundings.take(line, &lines[index + 1..]) {
            own.push(*line);
        }
    }
    own
}

/// Returns what follows the end of an element or a hidden text in a line, or what encloses the next line.
fn after_end(enclosing: Enclosing, line: &str) -> std::result::Result<&str, Enclosing> {
    match enclosing {
        Enclosing::Until(end) => match line.find(&*end) {
            Some(place) => Ok(&line[place + end.len()..]),
            None => Err(Enclosing::Until(end)),
        },
        Enclosing::Quotation(kind) => match end_of_earlier(line, kind) {
            Some(end) => Ok(&line[end..]),
            None => Err(enclosing),
        },
        Enclosing::Element { name, mut depth } => {
            for (place, _) in line.match_indices('<') {
                let rest = &line[place..];
                let is_same =
                    |found: Option<&str>| found.is_some_and(|found| found.eq_ignore_ascii_case(&name));
                if is_same(rest.strip_prefix("</").and_then(element_name)) {
                    depth -= 1;
                } else if is_same(element(rest)) {
                    depth += 1;
                }
                if depth == 0 {
                    return Ok(rest.split_once('>').map_or("", |(_, after)| after));
                }
            }
            Err(Enclosing::Element { name, depth })
        }
    }
}

/// The number of backticks at the start of a text.
fn backticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// Returns what follows the first run of exactly `length` backticks.
fn after_backticks(text: &str, length: usize) -> Option<&str> {
    let mut rest = text;
    while let Some(place) = rest.find('`') {
        let found = backticks(&rest[place..]);
        rest = &rest[place + found..];
        if found == length {
            return Some(rest);
        }
    }
    None
}

/// Whether the paragraph goes on in the following lines with what ends inline code of `length` backticks.
fn ends_inline_code(following: &[&str], length: usize) -> bool {
    following
        .iter()
        .map(|line| line.trim())
        .take_while(|line| !line.is_empty() && fence(line).is_none())
        .any(|line| after_backticks(line, length).is_some())
}

/// Whether a line has an element of the host, outside of inline code. No standard element of HTML has such a name;
/// custom elements do, and count as the host's.
fn has_host_element(line: &str) -> bool {
    let mut rest = line;
    while let Some(place) = rest.find(['<', '`']) {
        rest = &rest[place..];
        if rest.starts_with('`') {
            let length = backticks(rest);
            rest = after_backticks(&rest[length..], length).unwrap_or(&rest[length..]);
            continue;
        }
        // "x <max_len" is no element.
        let is_tag = |name: &&str| {
            let after = &rest[1 + name.len()..];
            after.is_empty() || after.find(['<', '>']).is_some_and(|place| after[place..].starts_with('>'))
        };
        if element(rest).filter(is_tag).is_some_and(|name| name.contains(['-', '_', ':'])) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

/// Returns the name of the element that a line begins, such as `system-reminder`.
fn element(line: &str) -> Option<&str> {
    element_name(line.strip_prefix('<')?)
}

/// Returns the name of an element at the start of a text, as far as it is one.
fn element_name(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':'))
        .unwrap_or(text.len());
    let rest = &text[end..];
    let is_ended = rest.is_empty() || rest.starts_with(['>', ' ', '\t']) || rest.starts_with("/>");
    (is_ended && text.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| &text[..end])
}

fn mark(line: &str) -> Option<(Category, String)> {
    let text = line.trim().strip_prefix(MARK)?;
    let text = text.strip_prefix(':').unwrap_or(text);
    if !text.starts_with(char::is_whitespace) {
        return None;
    }
    let text = text.trim();
    let named = text.split_once(':').and_then(|(word, rest)| {
        let word = word.trim().to_lowercase();
        Some((word.parse().ok()?, rest.trim().to_owned()))
    });
    let (category, text) = named.unwrap_or_else(|| (Category::Fact, text.to_owned()));
    (!text.is_empty()).then_some((category, text))
}
