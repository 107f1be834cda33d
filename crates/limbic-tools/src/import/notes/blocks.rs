//! Markdown as a tree of blocks, with the inline text as it is written.

mod definitions;

use std::{collections::BTreeMap, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// Lists nested deeper than this are kept as text.
const MAX_DEPTH: usize = 8;

/// Maximum number of blocks and items of lists: fifty thousand memories have fewer.
const MAX_BLOCKS: usize = 200_000;

/// Maximum number of marks and line breaks: the parser keeps several nodes for each.
const MAX_MARKS: usize = 1_000_000;

/// The level of a line in bold type that serves as a heading.
const BOLD_LEVEL: u8 = 7;

/// A block.
#[derive(Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading; level 7 is a paragraph in bold type.
    Heading { level: u8, text: String },
    /// A paragraph or a quote.
    Text(String),
    /// A code block with its fences.
    Code(String),
    /// A table: the header with the line below it, and the rows.
    Table { head: String, rows: Vec<String> },
    /// A list; only of an ordered one the source is kept.
    List { is_ordered: bool, source: String, items: Vec<Item> },
}

/// An item of a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Whether a task is done; `None` for other items.
    pub is_done: Option<bool>,
    pub blocks: Vec<Block>,
}

/// Parses a text. Returns its blocks, and the number of comments beside them, which are left out; `None` if it has too
/// many blocks or marks.
pub fn parse(text: &str) -> Option<(Vec<Block>, usize)> {
    if has_many_marks(text) {
        return None;
    }
    let mut builder = Builder {
        text,
        stack: Vec::new(),
        root: Vec::new(),
        starts: Vec::new(),
        start: 0,
        inline: None,
        leaf: None,
        count: 0,
        comments: 0,
        definitions: definitions::find(text, options(), MAX_DEPTH),
    };
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        builder.take(event, range);
        if builder.count > MAX_BLOCKS {
            return None;
        }
    }
    builder.end_inline();
    builder.add_definitions();
    Some((builder.root, builder.comments))
}

/// The extensions of Markdown that are read.
fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH
}

/// Describes the limits of a text.
pub fn limits() -> String {
    format!("{MAX_BLOCKS} blocks, or {MAX_MARKS} marks and line breaks")
}

/// Whether a text has more than [`MAX_MARKS`].
fn has_many_marks(text: &str) -> bool {
    let is_mark = |byte: &u8| b"\n*_~`[]!<>&|\\#+-".contains(byte);
    // Also the numbers of items in one line.
    let is_number = |pair: &[u8]| pair[0].is_ascii_digit() && matches!(pair[1], b'.' | b')');
    let bytes = text.as_bytes();
    bytes.iter().filter(|byte| is_mark(byte)).count()
        + bytes.windows(2).filter(|pair| is_number(pair)).count()
        > MAX_MARKS
}

/// An unfinished list and its unfinished item.
struct Frame {
    is_ordered: bool,
    range: Range<usize>,
    items: Vec<Item>,
}

/// A block whose events are skipped.
struct Leaf {
    end: TagEnd,
    /// Number of nested blocks of its kind that are open.
    nested: usize,
    kind: LeafKind,
}

enum LeafKind {
    Heading(u8),
    Paragraph,
    Code { info: String, text: String },
    Quote,
    Table,
    Html,
    Other,
}

struct Builder<'a> {
    text: &'a str,
    stack: Vec<Frame>,
    root: Vec<Block>,
    /// Where the blocks of the root start, and where the present one does.
    starts: Vec<usize>,
    start: usize,
    /// The inline text directly in an item of a list.
    inline: Option<Range<usize>>,
    leaf: Option<Leaf>,
    /// Number of blocks and items.
    count: usize,
    /// Number of comments that are left out.
    comments: usize,
    /// Definitions of links that are not added yet: their ends by their starts.
    definitions: BTreeMap<usize, usize>,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.leaf.is_some() {
            self.continue_leaf(&event, &range);
            return;
        }
        if self.stack.len() <= 1 {
            self.start = range.start;
        }
        match event {
            Event::Start(tag) if is_inline(&tag) => self.add_inline(range),
            Event::Start(Tag::List(start)) if self.stack.len() < MAX_DEPTH => {
                self.end_inline();
                self.stack.push(Frame { is_ordered: start.is_some(), range, items: Vec::new() });
            }
            Event::Start(Tag::Item) => {
                self.end_inline();
                if let Some(frame) = self.stack.last_mut() {
                    self.count += 1;
                    frame.items.push(Item::default());
                }
            }
            Event::Start(tag) => {
                self.end_inline();
                self.leaf = Some(Leaf { end: tag.to_end(), nested: 0, kind: LeafKind::of(&tag) });
            }
            Event::End(TagEnd::Item) => {
                self.end_inline();
                // The source of an ordered list has them, and so have its items, of which one of both is used.
                if self.stack.iter().any(|frame| frame.is_ordered) {
                    self.add_definitions_of_item(&range);
                }
            }
            Event::End(TagEnd::List(_)) => {
                self.end_inline();
                if let Some(Frame { is_ordered, range, items }) = self.stack.pop() {
                    let source = match is_ordered {
                        true => dedented(&self.text[range.clone()], self.text, range.start),
                        false => String::new(),
                    };
                    self.push(Block::List { is_ordered, source, items });
                }
            }
            Event::TaskListMarker(is_done) => {
                if let Some(item) = self.stack.last_mut().and_then(|frame| frame.items.last_mut()) {
                    item.is_done = Some(is_done);
                }
            }
            Event::Rule | Event::End(_) => {}
            _ => self.add_inline(range),
        }
    }

    fn continue_leaf(&mut self, event: &Event<'_>, range: &Range<usize>) {
        let Some(leaf) = &mut self.leaf else { return };
        match event {
            Event::Start(tag) if tag.to_end() == leaf.end => leaf.nested += 1,
            Event::End(end) if *end == leaf.end && leaf.nested > 0 => leaf.nested -= 1,
            Event::End(end) if *end == leaf.end => {
                if let Some(leaf) = self.leaf.take() {
                    self.end_leaf(leaf.kind, range.clone());
                }
            }
            Event::Text(part) => {
                if let LeafKind::Code { text, .. } = &mut leaf.kind {
                    text.push_str(part);
                }
            }
            Event::TaskListMarker(is_done) => {
                let is_done = *is_done;
                if let Some(item) = self.stack.last_mut().and_then(|frame| frame.items.last_mut()) {
                    item.is_done = Some(is_done);
                }
            }
            _ => {}
        }
    }

    fn end_leaf(&mut self, kind: LeafKind, range: Range<usize>) {
        let source = &self.text[range.clone()];
        let block = match kind {
            LeafKind::Heading(level) => heading(level, source),
            LeafKind::Paragraph => match bold_line(source) {
                Some(text) if self.stack.is_empty() => Block::Heading { level: BOLD_LEVEL, text },
                _ => Block::Text(joined(without_task(source))),
            },
            LeafKind::Code { info, text } => Block::Code(fenced(&info, &text)),
            LeafKind::Quote => {
                let lines = source.lines().map(|line| line.trim_start().trim_start_matches(['>', ' ']));
                Block::Text(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
            }
            LeafKind::Table => {
                let mut lines = source.lines().map(|line| line.trim().to_owned());
                let head: Vec<String> = lines.by_ref().take(2).collect();
                Block::Table { head: head.join("\n"), rows: lines.filter(|row| !row.is_empty()).collect() }
            }
            LeafKind::Html if source.trim_start().starts_with("<!--") => {
                self.comments += source.matches("<!--").count();
                let text = joined(&without_comments(source));
                if text.is_empty() {
                    return;
                }
                Block::Text(text)
            }
            LeafKind::Html | LeafKind::Other => {
                Block::Text(dedented(source, self.text, range.start).trim().to_owned())
            }
        };
        self.push(block);
    }

    fn add_inline(&mut self, range: Range<usize>) {
        let start = self.inline.as_ref().map_or(range.start, |inline| inline.start.min(range.start));
        let end = self.inline.as_ref().map_or(range.end, |inline| inline.end.max(range.end));
        self.inline = Some(start..end);
    }

    fn end_inline(&mut self) {
        if let Some(range) = self.inline.take() {
            let text = joined(&self.text[range]);
            if !text.is_empty() {
                self.push(Block::Text(text));
            }
        }
    }

    fn push(&mut self, block: Block) {
        self.count += 1;
        match self.stack.last_mut().and_then(|frame| frame.items.last_mut()) {
            Some(item) => item.blocks.push(block),
            None => {
                self.root.push(block);
                self.starts.push(self.start);
            }
        }
    }

    fn end_definitions(&mut self, lines: &mut Vec<&str>) {
        if !lines.is_empty() {
            self.root.push(Block::Text(lines.join("\n")));
            lines.clear();
        }
    }

    /// Adds the definitions of links in an item to it.
    fn add_definitions_of_item(&mut self, range: &Range<usize>) {
        let found: Vec<(usize, usize)> =
            self.definitions.range(range.clone()).map(|(start, end)| (*start, *end)).collect();
        if found.is_empty() {
            return;
        }
        let lines: Vec<&str> = found.iter().map(|(start, end)| self.text[*start..*end].trim()).collect();
        let text = lines.join("\n");
        for (start, _) in &found {
            self.definitions.remove(start);
        }
        self.push(Block::Text(text));
    }

    /// Adds the definitions of links, of which there are no events, where they stand: `[1]: https://example.com`. A
    /// label with one word behind it is one, too.
    fn add_definitions(&mut self) {
        let definitions = std::mem::take(&mut self.definitions);
        let starts = std::mem::take(&mut self.starts);
        let mut blocks = std::mem::take(&mut self.root).into_iter().zip(starts).peekable();
        let mut lines: Vec<&str> = Vec::new();
        for range in definitions.into_iter().map(|(start, end)| start..end) {
            if blocks.peek().is_some_and(|(_, start)| *start < range.start) {
                self.end_definitions(&mut lines);
            }
            while let Some((block, _)) = blocks.next_if(|(_, start)| *start < range.start) {
                self.root.push(block);
            }
            lines.push(self.text[range].trim());
        }
        self.end_definitions(&mut lines);
        self.root.extend(blocks.map(|(block, _)| block));
    }
}

impl LeafKind {
    fn of(tag: &Tag<'_>) -> Self {
        match tag {
            Tag::Heading { level, .. } => Self::Heading(match level {
                HeadingLevel::H1 => 1,
                HeadingLevel::H2 => 2,
                HeadingLevel::H3 => 3,
                HeadingLevel::H4 => 4,
                HeadingLevel::H5 => 5,
                HeadingLevel::H6 => 6,
            }),
            Tag::Paragraph => Self::Paragraph,
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                Self::Code { info, text: String::new() }
            }
            Tag::BlockQuote(_) => Self::Quote,
            Tag::Table(_) => Self::Table,
            Tag::HtmlBlock => Self::Html,
            _ => Self::Other,
        }
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

/// Removes comments; one without an end reaches to the end.
fn without_comments(source: &str) -> String {
    let mut parts = source.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.filter_map(|part| Some(part.split_once("-->")?.1)).collect::<String>()
}

/// Reads a heading. One that is underlined may have several lines; prose directly above a rule is underlined by it, and
/// stays prose.
fn heading(level: u8, source: &str) -> Block {
    let Some((lines, underline)) = source.trim().rsplit_once('\n') else {
        let text = source.trim().trim_start_matches('#').trim();
        // Marks at the end close it only after a blank.
        let before = text.trim_end_matches('#');
        let text = if before.is_empty() || before.ends_with([' ', '\t']) { before.trim() } else { text };
        return Block::Heading { level, text: text.to_owned() };
    };
    let text = joined(lines);
    let is_prose = underline.trim_start().starts_with('-') && (lines.contains('\n') || text.ends_with('.'));
    if is_prose { Block::Text(text) } else { Block::Heading { level, text: text.replace('\n', " ") } }
}

/// Returns the text of a line in bold type that serves as a heading.
fn bold_line(source: &str) -> Option<String> {
    let line = source.trim();
    let inner = line.trim_end_matches(':').strip_prefix("**")?.strip_suffix("**")?;
    let is_heading = !inner.is_empty() && inner.len() <= 100 && !inner.contains(['\n', '*']);
    is_heading.then(|| inner.trim_end_matches(':').trim().to_owned())
}

/// Removes the mark of a task, which precedes the text of its paragraph.
fn without_task(source: &str) -> &str {
    let marks = ["[ ] ", "[x] ", "[X] "];
    marks.iter().find_map(|mark| source.strip_prefix(mark)).unwrap_or(source)
}

/// Whether a text only names another file, as `@docs/style.md` does in `CLAUDE.md`.
pub fn is_reference(text: &str) -> bool {
    text.strip_prefix('@').is_some_and(|path| {
        !path.is_empty() && path.chars().all(|letter| letter.is_alphanumeric() || "./~_-".contains(letter))
    })
}

/// Joins the lines of a paragraph; hard line breaks stay, and lines that name another file.
fn joined(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.lines() {
        let names_file = is_reference(line.trim());
        if !text.is_empty() && !text.ends_with('\n') {
            text.push(if names_file { '\n' } else { ' ' });
        }
        let is_broken = names_file || line.ends_with("  ") || line.ends_with('\\');
        text.push_str(line.trim().trim_end_matches('\\').trim_end());
        if is_broken {
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

/// Encloses code in a fence that it does not contain.
fn fenced(info: &str, code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{info}\n{}\n{fence}", code.trim_end_matches('\n'))
}

/// Removes the indentation of the first line from all lines.
fn dedented(source: &str, text: &str, start: usize) -> String {
    let line_start = text[..start].rfind('\n').map_or(0, |index| index + 1);
    let indent = text[line_start..start].chars().count();
    let strip = |line: &str| {
        let blank = line.chars().take_while(|letter| *letter == ' ').count().min(indent);
        line[blank..].trim_end().to_owned()
    };
    source.trim_end().lines().map(strip).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<Block> {
        parse(text).expect("few blocks").0
    }

    fn text(text: &str) -> Block {
        Block::Text(text.to_owned())
    }

    #[test]
    fn lists_keep_their_code_and_their_depth() {
        let blocks =
            blocks("# A `b`\n- one\n  two\n\n  ```sh\n  npm test\n  ```\n  - [x] inner **bold**\n- last\n");
        assert_eq!(blocks[0], Block::Heading { level: 1, text: "A `b`".to_owned() });
        let Block::List { items, is_ordered: false, .. } = &blocks[1] else { panic!("{blocks:?}") };
        assert_eq!(items[0].blocks[0], text("one two"));
        assert_eq!(items[0].blocks[1], Block::Code("```sh\nnpm test\n```".to_owned()));
        let Block::List { items: inner, .. } = &items[0].blocks[2] else { panic!("{items:?}") };
        assert_eq!(inner[0], Item { is_done: Some(true), blocks: vec![text("inner **bold**")] });
        assert_eq!(items[1].blocks, [text("last")]);
    }

    #[test]
    fn quotes_tables_and_bold_lines_are_blocks() {
        let blocks = blocks(
            "**Work context**\n\n> a\n> b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n<!-- no -->\n\nTitle\n=====\n",
        );
        assert_eq!(blocks[0], Block::Heading { level: 7, text: "Work context".to_owned() });
        assert_eq!(blocks[1], text("a\nb"));
        let table =
            Block::Table { head: "| x | y |\n|---|---|".to_owned(), rows: vec!["| 1 | 2 |".to_owned()] };
        assert_eq!(blocks[2], table);
        assert_eq!(blocks[3], Block::Heading { level: 1, text: "Title".to_owned() });
        assert_eq!(blocks.len(), 4);
    }

    #[test]
    fn marks_in_a_heading_and_text_after_a_comment_are_kept() {
        let heading = |text: &str| Block::Heading { level: 2, text: text.to_owned() };
        let found =
            blocks("## C#\n## Closed ##\n## F# #\n##\n<!-- no --> Use tabs. <!-- nor this --> Always.\n");
        let expected =
            [heading("C#"), heading("Closed"), heading("F#"), heading(""), text("Use tabs.  Always.")];
        assert_eq!(found, expected);
    }

    #[test]
    fn comments_that_are_left_out_are_counted() {
        for (text, count) in [
            ("<!-- no -->\n\n- one\n  <!-- no\n\n  more -->\n", 2),
            ("<!-- a --> Use tabs. <!-- b -->\n", 2),
            ("Kept <!-- as it is --> here.\n\n```\n<!-- code -->\n```\n", 0),
            ("# X\n<!-- without an end\n\n- one\n", 1),
        ] {
            assert_eq!(parse(text).expect("few blocks").1, count, "{text}");
        }
    }

    #[test]
    fn underlined_lines_keep_all_their_text() {
        let found = blocks("Deploys on Tuesdays.\nBackups kept 30 days.\n---\n- x\n");
        assert_eq!(found[0], text("Deploys on Tuesdays. Backups kept 30 days."));
        let found = blocks("Deploys on Tuesdays.\n---\nA title\n---\nOf two\nlines\n===\n");
        let heading = |level, text: &str| Block::Heading { level, text: text.to_owned() };
        assert_eq!(found, [text("Deploys on Tuesdays."), heading(2, "A title"), heading(1, "Of two lines")]);
    }

    #[test]
    fn definitions_of_links_are_kept_where_they_stand() {
        let found = blocks(
            "See [the docs][1].\n\n[1]: https://example.com/a\n[b]: /c \"d\"\n\n# X\n- [stack]: Rust\n- y\n",
        );
        assert_eq!(found[0], text("See [the docs][1]."));
        assert_eq!(found[1], text("[1]: https://example.com/a\n[b]: /c \"d\""));
        assert_eq!(found[2], Block::Heading { level: 1, text: "X".to_owned() });
        assert!(matches!(&found[3], Block::List { items, .. } if items.len() == 2), "{found:?}");
        assert_eq!(found[4], text("[stack]: Rust"));
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn each_definition_of_a_link_is_kept_once() {
        // The parser knows one definition for a label, whose letters may be small or capital.
        let found = blocks("[todo]: milk\n[Todo]: eggs\n[todo]: /x\n  \"title\"\n\nText\n[a]: b\n");
        assert_eq!(found, [text("[todo]: milk\n[Todo]: eggs\n[todo]: /x\n  \"title\""), text("Text [a]: b")]);
        let found = blocks("- [todo]: milk\n- [Todo]: eggs\n- [x] see [y]: z\n- \\[q]: r\n");
        assert_eq!(found[1..], [text("[todo]: milk\n[Todo]: eggs")]);
        // A quote is kept as it is written, and so is a block of code.
        let quote = blocks("> [1]: /a\n> and [b][1]\n\n```\n[1]: /c\n```\n");
        assert_eq!(quote, [text("[1]: /a\nand [b][1]"), Block::Code("```\n[1]: /c\n```".to_owned())]);
        let ordered = blocks("Steps:\n\n1. [stack]: Rust\n2. build\n   - [Stack]: C\n");
        let Block::List { source, items, .. } = &ordered[1] else { panic!("{ordered:?}") };
        assert_eq!(source, "1. [stack]: Rust\n2. build\n   - [Stack]: C");
        assert_eq!(items[0].blocks, [text("[stack]: Rust")]);
        let Block::List { items: inner, .. } = &items[1].blocks[1] else { panic!("{items:?}") };
        assert_eq!(inner[0].blocks, [text("[Stack]: C")]);
        assert_eq!(ordered.len(), 2);
    }

    #[test]
    fn deep_nesting_ends_in_text() {
        let deep: String = (0..2_000).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect();
        assert_eq!(blocks(&deep).len(), 1);
        assert_eq!(blocks(&"> ".repeat(50_000)).len(), 1);
    }

    #[test]
    fn too_many_blocks_or_marks_are_refused() {
        let too_many = MAX_BLOCKS + 1;
        for text in ["- a\n".repeat(too_many / 2 + 1), "a\n\n".repeat(too_many), "[".repeat(MAX_MARKS + 1)] {
            assert_eq!(parse(&text), None, "{:?}", &text[..8]);
        }
        assert_eq!(blocks(&"a\n\n".repeat(1000)).len(), 1000);
    }

    #[test]
    fn a_fence_is_longer_than_the_ones_in_the_code() {
        for (code, fence) in [("a", 3), ("``", 3), ("```", 4), ("a ````` b ``", 6)] {
            assert!(fenced("", code).starts_with(&format!("{}\n", "`".repeat(fence))), "{code}");
        }
        // Each length was tried in turn before.
        let long = "`".repeat(1_000_000);
        assert_eq!(fenced("", &format!("{}{long}", "a".repeat(1_000_000))).len(), 4_000_004);
    }
}
