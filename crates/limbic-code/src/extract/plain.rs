//! Files without a grammar: headings of Markdown, sections and top keys of data, blocks of everything else.

use super::chunks::{Span, finish};
use super::manifests;
use super::text::number;
use crate::facts::{ChunkType, FileFacts, Outline};
use crate::language::Language;

/// Maximum number of lines of joined blocks.
const MAX_BLOCK_LINES: u32 = 40;
/// Sections of data shorter than this are joined with the next.
const MIN_SECTION_LINES: u32 = 8;

/// The facts of a file without a grammar: chunks, and for a manifest its module paths.
pub fn facts(path: &str, text: &str, language: Language) -> FileFacts {
    let lines: Vec<&str> = text.lines().collect();
    let spans = match language {
        Language::Markdown => headings(&lines),
        Language::Toml => sections(&lines, |line| line.starts_with('[')),
        Language::Yaml | Language::Json => sections(&lines, is_top_key),
        Language::Css => sections(&lines, |line| line.ends_with('{') && !line.starts_with([' ', '\t'])),
        Language::Sql => sections(&lines, is_statement),
        _ => blocks(&lines),
    };
    let manifest = manifests::read(path, text);
    FileFacts {
        language,
        skipped: None,
        syntax_errors: 0,
        lines: number(lines.len()),
        chunks: finish(path, &lines, spans, &[]),
        references: Vec::new(),
        outline: Outline { language, manifest, ..Outline::default() },
    }
}

fn span(start: u32, end: u32, name: Option<String>, scope: String) -> Span {
    Span { start, end, chunk_type: ChunkType::Other, symbol: None, name, scope }
}

/// A chunk for each heading, with the headings above it as its scope.
fn headings(lines: &[&str]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in lines.iter().enumerate() {
        let at = number(index) + 1;
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading =
            fence.is_none() && (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
        if is_heading {
            path.retain(|(above, _)| *above < level);
            let title = line[level..].trim().trim_end_matches('#').trim_end().to_owned();
            let scope: Vec<&str> = path.iter().map(|(_, title)| title.as_str()).collect();
            spans.push(span(at, at, Some(title.clone()), scope.join(" ")));
            path.push((level, title));
        } else if let Some(last) = spans.last_mut() {
            last.end = at;
        } else {
            spans.push(span(at, at, None, String::new()));
        }
    }
    spans
}

/// Chunks that begin at the lines that `begins` selects; short ones are joined.
fn sections(lines: &[&str], begins: impl Fn(&str) -> bool) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let at = number(index) + 1;
        let starts = begins(line);
        match spans.last_mut() {
            Some(last) if !starts || at - last.start < MIN_SECTION_LINES => last.end = at,
            _ => spans.push(span(at, at, starts.then(|| title(line)).flatten(), String::new())),
        }
    }
    spans
}

/// The name of a section: its first line without brackets and what follows the key.
fn title(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['[', '"', '-', ' ']);
    let end = line.find(['"', ']', ':', '{', '(', '=']).unwrap_or(line.len());
    let title: String = line[..end].trim().chars().take(80).collect();
    (!title.is_empty()).then_some(title)
}

/// A key of the outermost mapping: not indented, or by at most two blanks in front of a quote.
fn is_top_key(line: &str) -> bool {
    let indent = line.len() - line.trim_start().len();
    let text = line.trim_start();
    match text.chars().next() {
        Some('"') => indent <= 2 && text.contains("\":"),
        Some('#') | None => false,
        Some(first) => indent == 0 && (first.is_alphanumeric() || first == '_' || first == '-'),
    }
}

fn is_statement(line: &str) -> bool {
    const WORDS: [&str; 9] =
        ["create", "alter", "insert", "select", "update", "delete", "drop", "with", "grant"];
    let word: String = line.chars().take_while(char::is_ascii_alphabetic).collect();
    WORDS.contains(&word.to_ascii_lowercase().as_str())
}

/// Blocks separated by blank lines, joined up to [`MAX_BLOCK_LINES`]; a block begins at the least indentation.
fn blocks(lines: &[&str]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut is_after_blank = true;
    let mut min_indent = usize::MAX;
    for (index, line) in lines.iter().enumerate() {
        let at = number(index) + 1;
        let text = line.trim_start();
        if text.is_empty() {
            is_after_blank = true;
            continue;
        }
        let indent = line.len() - text.len();
        min_indent = min_indent.min(indent);
        match spans.last_mut() {
            Some(last)
                if !(is_after_blank && indent <= min_indent && at - last.start >= MAX_BLOCK_LINES / 2) =>
            {
                last.end = at;
            }
            _ => spans.push(span(at, at, None, String::new())),
        }
        is_after_blank = false;
    }
    spans
}
