//! Definitions of links, `[label]: target`, of which the parser has no events. Of several with one label it knows only
//! the first; all are found here.

use std::{collections::BTreeMap, ops::Range};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Returns the definitions of a text, their ends by their starts, without those in blocks whose source is kept as a
/// whole, such as quotes, and lists nested deeper than `max_depth`.
pub fn find(text: &str, options: Options, max_depth: usize) -> BTreeMap<usize, usize> {
    if !text.contains("]:") {
        return BTreeMap::new();
    }
    let parser = Parser::new_ext(text, options);
    let spans = parser.reference_definitions().iter().map(|(_, definition)| definition.span.clone());
    let mut known: Vec<Range<usize>> = spans.collect();
    known.sort_by_key(|span| span.start);
    let covered = covered(parser, max_depth);
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    for span in known.iter().filter(|span| !contains(&covered, span.start)) {
        found.insert(span.start, span.end);
    }
    // Where a definition that the parser leaves out starts, if the line before is one.
    let mut open = None;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let rest = without_marks(line);
        let start = line_start + line.len() - rest.len();
        line_start += line.len();
        let end = start + rest.trim_end().len();
        if rest.trim().is_empty() || contains(&covered, start) || contains(&known, start) {
            open = None;
        } else if is_definition(rest) {
            found.insert(start, end);
            open = Some(start);
        } else if let Some(first) = open.filter(|_| rest.starts_with(['"', '\'', '('])) {
            // Its title.
            found.insert(first, end);
        }
    }
    found
}

/// Returns the ranges of what the parser has events of, except lists and their items, in order.
fn covered(parser: Parser<'_>, max_depth: usize) -> Vec<Range<usize>> {
    let (mut covered, mut depth): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for (event, range) in parser.into_offset_iter() {
        if covered.last().is_some_and(|last| last.start <= range.start && range.end <= last.end) {
            continue;
        }
        match event {
            Event::Start(Tag::List(_)) if depth < max_depth => depth += 1,
            Event::End(TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Item) | Event::End(_) => {}
            _ => covered.push(range),
        }
    }
    covered
}

/// Whether one of these ranges, which are in order, contains a position.
fn contains(ranges: &[Range<usize>], position: usize) -> bool {
    let index = ranges.partition_point(|range| range.end <= position);
    ranges.get(index).is_some_and(|range| range.start <= position)
}

/// Removes the marks of items of lists from the start of a line.
fn without_marks(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let digits = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let after = match digits.len() == rest.len() {
            true => rest.strip_prefix(['-', '*', '+']),
            false => digits.strip_prefix(['.', ')']),
        };
        match after.filter(|after| after.starts_with([' ', '\t'])) {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

/// Whether a line starts with a label and a colon.
fn is_definition(line: &str) -> bool {
    let Some(inner) = line.strip_prefix('[') else { return false };
    let mut is_escaped = false;
    let end = inner.find(|letter: char| {
        let is_end = !is_escaped && matches!(letter, '[' | ']');
        is_escaped = !is_escaped && letter == '\\';
        is_end
    });
    end.is_some_and(|end| inner[end..].starts_with("]:") && !inner[..end].trim().is_empty())
}
