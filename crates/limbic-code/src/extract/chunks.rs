//! Chunks of code: one for each function and method, the rest of each type, and the text between symbols.

use super::header::{self, Header};
use super::text::number;
use crate::facts::{Chunk, ChunkType, Symbol, SymbolKind};

/// Symbols and gaps longer than this are split.
const MAX_LINES: u32 = 100;
/// Approximate number of lines of a part of a split text.
const PART_LINES: u32 = 60;
/// Maximum number of lines of a type that is one chunk with its members.
const MAX_WHOLE_TYPE: u32 = 12;
/// Maximum number of lines of a gap that is joined to its neighbour.
const MAX_JOINED_LINES: usize = 2;

/// A range of lines that becomes one or more chunks. Lines count from 1, the last one is included.
pub struct Span {
    pub start: u32,
    pub end: u32,
    pub chunk_type: ChunkType,
    pub symbol: Option<u32>,
    pub name: Option<String>,
    pub scope: String,
}

/// Chunks of a file with symbols.
pub fn of_symbols(path: &str, text: &str, symbols: &[Symbol]) -> Vec<Chunk> {
    let lines: Vec<&str> = text.lines().collect();
    let mut order: Vec<u32> = (0..number(symbols.len())).filter(|index| has_chunk(symbols, *index)).collect();
    order.sort_by_key(|index| {
        let symbol = &symbols[*index as usize];
        (symbol.start_line, u32::MAX - symbol.end_line, *index)
    });
    let mut cutter = Cutter { lines: &lines, symbols, order: &order, spans: Vec::new() };
    cutter.level(0, order.len(), 1, number(lines.len()), None);
    let spans = cutter.spans;
    finish(path, &lines, spans, symbols)
}

fn has_chunk(symbols: &[Symbol], index: u32) -> bool {
    let symbol = &symbols[index as usize];
    !symbol.is_local && !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Type)
}

struct Cutter<'a> {
    lines: &'a [&'a str],
    symbols: &'a [Symbol],
    /// Symbols by their first lines, outer ones first.
    order: &'a [u32],
    spans: Vec<Span>,
}

impl Cutter<'_> {
    /// Cuts the lines from `start` to `end`, in which the symbols `order[first..last]` lie.
    fn level(&mut self, first: usize, last: usize, start: u32, end: u32, container: Option<u32>) {
        let mut at = start;
        let mut index = first;
        while index < last {
            let symbol = &self.symbols[self.order[index] as usize];
            let mut next = index + 1;
            while next < last && self.symbols[self.order[next] as usize].start_line <= symbol.end_line {
                next += 1;
            }
            if symbol.start_line >= at && symbol.end_line <= end {
                let from = self.gap(at, symbol.start_line, container, at == start, true);
                self.symbol(index, next, from);
                at = symbol.end_line + 1;
            }
            index = next;
        }
        if at <= end {
            self.gap(at, end + 1, container, at == start, false);
        }
    }

    /// Cuts a symbol whose members are `order[index + 1..next]`; its chunk begins in line `from`.
    fn symbol(&mut self, index: usize, next: usize, from: u32) {
        let number = self.order[index];
        let symbol = &self.symbols[number as usize];
        let is_container = symbol.kind.is_type() || symbol.kind == SymbolKind::Module;
        let is_small =
            symbol.end_line - symbol.start_line < MAX_WHOLE_TYPE && symbol.kind != SymbolKind::Module;
        if is_container && next > index + 1 && !is_small {
            self.level(index + 1, next, from, symbol.end_line, Some(number));
        } else {
            self.spans.push(self.span(from, symbol.end_line, Some(number)));
        }
    }

    fn span(&self, start: u32, end: u32, symbol: Option<u32>) -> Span {
        let found = symbol.map(|index| &self.symbols[index as usize]);
        Span {
            start,
            end,
            chunk_type: found.map_or(ChunkType::Module, |symbol| type_of(symbol.kind)),
            symbol,
            name: found.map(|symbol| symbol.name.clone()),
            scope: found.map(scope_of).unwrap_or_default(),
        }
    }

    /// Adds the lines from `at` before `to` as a chunk, or joins them to a neighbour. Returns where the next symbol's
    /// chunk begins.
    fn gap(&mut self, at: u32, to: u32, container: Option<u32>, is_first: bool, has_next: bool) -> u32 {
        // Comments and attributes right above a symbol belong to it.
        let mut from = to;
        while has_next && from > at && is_lead(self.line(from - 1)) {
            from -= 1;
        }
        let texts: Vec<u32> = (at..from).filter(|line| !self.line(*line).trim().is_empty()).collect();
        let (Some(first), Some(last)) = (texts.first().copied(), texts.last().copied()) else {
            return from;
        };
        if (texts.iter().all(|line| self.is_closer(*line)) || texts.len() <= MAX_JOINED_LINES && !has_next)
            && let Some(span) = self.spans.last_mut()
        {
            span.end = last;
            return from;
        }
        if texts.len() <= MAX_JOINED_LINES && has_next {
            return first;
        }
        let mut span = self.span(first, last, container);
        if !is_first && container.is_some() {
            span.chunk_type = ChunkType::Other;
        }
        self.spans.push(span);
        from
    }

    fn line(&self, line: u32) -> &str {
        self.lines.get(line as usize - 1).copied().unwrap_or_default()
    }

    /// Whether a line has no letters and digits.
    fn is_closer(&self, line: u32) -> bool {
        let text = self.line(line).trim();
        text == "end" || !text.chars().any(char::is_alphanumeric)
    }
}

/// Whether a line is a comment, decorator or attribute.
fn is_lead(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "* ", "*/", "#", "@", "--", "///", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        || line == "*"
}

fn type_of(kind: SymbolKind) -> ChunkType {
    match kind {
        SymbolKind::Function | SymbolKind::Method => ChunkType::Function,
        SymbolKind::Class | SymbolKind::Interface | SymbolKind::Trait => ChunkType::Class,
        SymbolKind::Struct | SymbolKind::Enum => ChunkType::Struct,
        SymbolKind::Module => ChunkType::Module,
        SymbolKind::Constant | SymbolKind::Type => ChunkType::Other,
    }
}

fn scope_of(symbol: &Symbol) -> String {
    symbol.qualified_name.rsplit_once('.').map_or(String::new(), |(scope, _)| scope.to_owned())
}

/// Splits long spans and makes chunks of all.
pub fn finish(path: &str, lines: &[&str], spans: Vec<Span>, symbols: &[Symbol]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for span in spans {
        let symbol = span.symbol.map(|index| &symbols[index as usize]);
        for (start, end) in parts(lines, span.start, span.end) {
            let text = &lines[start as usize - 1..end as usize];
            if text.iter().all(|line| line.trim().is_empty()) {
                continue;
            }
            let content = text.join("\n");
            let signature = symbol.map(|symbol| symbol.signature.clone()).filter(|text| !text.is_empty());
            let doc = symbol.and_then(|symbol| symbol.doc.as_deref()).map(header::first_paragraph);
            // The header has the signature already.
            let behind = symbol.filter(|symbol| symbol.line >= start).map_or(start, |symbol| symbol.line + 1);
            let rest = &lines[(behind.min(end + 1) as usize - 1)..end as usize];
            let header = header::of(&Header {
                path,
                scope: &span.scope,
                name: span.name.as_deref(),
                signature: signature.as_deref(),
                doc: doc.as_deref(),
                text: &rest.join("\n"),
            });
            chunks.push(Chunk {
                start_line: start,
                end_line: end,
                chunk_type: span.chunk_type,
                name: span.name.clone(),
                scope: span.scope.clone(),
                symbol: span.symbol,
                signature,
                doc,
                header,
                content_hash: blake3::hash(content.as_bytes()).to_hex().to_string(),
            });
        }
    }
    chunks
}

/// Splits a range of lines into parts of about [`PART_LINES`], at blank lines and small indentation.
fn parts(lines: &[&str], start: u32, end: u32) -> Vec<(u32, u32)> {
    let mut parts = Vec::new();
    let mut at = start;
    while end >= at && end - at + 1 > MAX_LINES {
        // The best cut between half a part and one and a half: before the least indented line after a blank one.
        let candidates = at + PART_LINES / 2..=at + PART_LINES * 3 / 2;
        let cost = |line: &u32| {
            let text = lines[*line as usize - 1];
            let blank_before = lines[*line as usize - 2].trim().is_empty();
            let indent = text.len() - text.trim_start().len();
            (text.trim().is_empty(), !blank_before, indent, line.abs_diff(at + PART_LINES))
        };
        let cut = candidates.min_by_key(cost).unwrap_or(at + PART_LINES);
        parts.push((at, cut - 1));
        at = cut;
    }
    parts.push((at, end));
    // Blank lines at the edges belong to no chunk.
    let blank = |line: u32| lines[line as usize - 1].trim().is_empty();
    for (from, to) in &mut parts {
        while *from < *to && blank(*from) {
            *from += 1;
        }
        while *to > *from && blank(*to) {
            *to -= 1;
        }
    }
    parts
}
