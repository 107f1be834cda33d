//! Parsing with limits of work and memory, because some texts take the parser more than linear time and memory.
//!
//! All limits are of counts that are the same on every machine and build, so that the facts of a file are, too.

mod allocator;

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{Language as Grammar, ParseOptions, ParseState, Parser, Point, Range, Tree};

/// The length of the pieces in which the parser reads the text. It reads a piece again to look ahead from another
/// place.
const PIECE_BYTES: usize = 1024;

/// Bytes that the parser may have in use at a time. The sources of 1 MB with the most symbols need 60 MB.
const MAX_LIVE_BYTES: isize = 180_000_000;

/// Nodes that the parser's stack may have. Source code has at most 850, in a long doc comment. At the end of a text
/// with syntax errors, the parser copies all paths through the stack: a single operation takes the square of its depth.
const MAX_STACK_NODES: isize = 4000;

/// What a parse may take. Source code takes less than a third of each.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Calls of the progress callback, which the parser makes every hundred operations. Source code has at most three
    /// operations for a byte.
    checks: usize,
    /// Bytes that are read. Source code is read about twice, and 34 times where a scanner searches a long comment.
    read_bytes: usize,
    /// Allocations. Source code needs at most 1.3 for a byte.
    allocations: usize,
    /// The size of all large blocks that are allocated. Source code needs at most 40 bytes for a byte.
    large_bytes: usize,
}

impl Budget {
    /// The budget for a text of `bytes` bytes.
    fn of(bytes: usize) -> Self {
        Self {
            checks: 1000 + bytes * 6 / 100,
            read_bytes: 4_000_000 + bytes * 100,
            allocations: 100_000 + bytes * 3,
            large_bytes: 4_000_000 + bytes * 128,
        }
    }

    /// Whether a parse has stayed within the budget.
    fn has(&self, checks: usize, read_bytes: usize) -> bool {
        let usage = allocator::usage();
        checks <= self.checks
            && read_bytes <= self.read_bytes
            && usage.allocations <= self.allocations
            && usage.large_bytes <= self.large_bytes
            && usage.peak_bytes <= MAX_LIVE_BYTES
            && usage.peak_stack_nodes <= MAX_STACK_NODES
    }
}

/// A parser for a grammar; `None` if the grammar is of another version.
pub fn parser(grammar: &Grammar) -> Option<Parser> {
    allocator::install();
    let mut parser = Parser::new();
    parser.set_language(grammar).ok()?;
    Some(parser)
}

/// Parses a text in the language of the parser. Returns `None` if that takes more work or memory than source code
/// needs.
pub fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    parse_within(parser, &Input::of(text), &Budget::of(text.len()))
}

/// Parses a range of a text as if it stood between `before` and `behind`, which take the place of the bytes around it.
/// Nodes with these have a range in the text, but not its bytes. Returns `None` as [`parse`] does, and if there are too
/// few bytes in front of the range.
pub fn parse_range(
    parser: &mut Parser,
    text: &str,
    range: Range,
    (before, behind): (&str, &str),
) -> Option<Tree> {
    let start = range.start_byte.checked_sub(before.len())?;
    let end_byte = range.end_byte + behind.len();
    let end_point = Point { column: range.end_point.column + behind.len(), ..range.end_point };
    let lead = Range {
        start_byte: start,
        end_byte: range.start_byte,
        start_point: range.start_point,
        end_point: range.start_point,
    };
    let included = [lead, Range { end_byte, end_point, ..range }];
    parser.set_included_ranges(&included[usize::from(before.is_empty())..]).ok()?;
    let input = Input {
        before: before.as_bytes(),
        start: range.start_byte,
        text: text.as_bytes().get(..range.end_byte)?,
        behind: behind.as_bytes(),
    };
    parse_within(parser, &input, &Budget::of(range.end_byte - range.start_byte))
}

/// What the parser reads.
struct Input<'t> {
    /// Read in place of the bytes in front of `start`.
    before: &'t [u8],
    start: usize,
    text: &'t [u8],
    /// Read behind the end of the text.
    behind: &'t [u8],
}

impl<'t> Input<'t> {
    fn of(text: &'t str) -> Self {
        Self { before: &[], start: 0, text: text.as_bytes(), behind: &[] }
    }

    /// The bytes at a place.
    fn piece(&self, at: usize) -> &'t [u8] {
        let rest = if at < self.start {
            self.before.get((at + self.before.len()).saturating_sub(self.start)..)
        } else if at < self.text.len() {
            self.text.get(at..)
        } else {
            self.behind.get(at - self.text.len()..)
        };
        let rest = rest.unwrap_or_default();
        &rest[..rest.len().min(PIECE_BYTES)]
    }
}

fn parse_within(parser: &mut Parser, input: &Input<'_>, budget: &Budget) -> Option<Tree> {
    allocator::reset();
    let read_bytes = Cell::new(0);
    let mut checks = 0;
    let mut progress = |_: &ParseState| {
        checks += 1;
        if budget.has(checks, read_bytes.get()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |start: usize, _: Point| {
        let piece = input.piece(start);
        read_bytes.set(read_bytes.get() + piece.len());
        // The end of the text ends a search. The tree is discarded.
        if read_bytes.get() > budget.read_bytes { &[] } else { piece }
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    tree.filter(|_| budget.has(checks, read_bytes.get()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, extract::languages};

    fn parser_of(language: Language) -> Parser {
        let grammar = languages::grammar(language).expect("it is in a module");
        parser(&grammar).expect("the grammar has the parser's version")
    }

    #[test]
    fn source_code_takes_a_third_of_the_budget() {
        for times in [1, 200] {
            let text = include_str!("mod.rs").repeat(times);
            let Budget { checks, read_bytes, allocations, large_bytes } = Budget::of(text.len());
            let third = Budget {
                checks: checks / 3,
                read_bytes: read_bytes / 3,
                allocations: allocations / 3,
                large_bytes: large_bytes / 3,
            };
            assert!(parse_within(&mut parser_of(Language::Rust), &Input::of(&text), &third).is_some());
            assert!(allocator::usage().peak_bytes <= MAX_LIVE_BYTES / 3);
            assert!(allocator::usage().peak_stack_nodes <= MAX_STACK_NODES / 3);
        }
    }

    #[test]
    fn a_text_beyond_one_part_of_the_budget_is_given_up() {
        let text = &include_str!("mod.rs").repeat(20);
        let whole = Budget::of(text.len());
        let parts = [
            Budget { checks: 1, ..whole },
            Budget { read_bytes: 1, ..whole },
            Budget { allocations: 1, ..whole },
            Budget { large_bytes: 1, ..whole },
        ];
        let mut parser = parser_of(Language::Rust);
        for budget in parts {
            assert!(parse_within(&mut parser, &Input::of(text), &budget).is_none(), "{budget:?}");
            parser.reset();
        }
        assert!(parse(&mut parser, text).is_some());
    }

    #[test]
    fn the_nodes_of_the_stack_are_counted() {
        let text = format!("const A: u8 = {}1", "(".repeat(500));
        parse(&mut parser_of(Language::Rust), &text);
        assert!(allocator::usage().peak_stack_nodes >= 450, "{:?}", allocator::usage());
    }

    #[test]
    fn a_parse_that_is_given_up_has_taken_little_memory() {
        let texts = [
            (Language::C, "(a)=>\n".repeat(2000)),
            (Language::C, "(a)=>\n".repeat(160_000)),
            (Language::C, format!("{}{}", ")\n".repeat(200_000), "(a)=>\n".repeat(50_000))),
            (Language::Java, "A<\n".repeat(10_000)),
            (Language::Java, "A<\n".repeat(300_000)),
            (Language::Java, format!("{};\n", "A<\n".repeat(240)).repeat(1300)),
        ];
        for (language, text) in texts {
            let tree = parse(&mut parser_of(language), &text);
            assert!(tree.is_none(), "{language:?}: {:?}", &text[..20]);
            let peak = allocator::usage().peak_bytes;
            assert!(peak < MAX_LIVE_BYTES, "{language:?}: {:?} took {peak} bytes", &text[..20]);
        }
    }
}
