//! Splits a Markdown document into statements: a bullet, or the prose of a short section.

use std::rc::Rc;

use super::blocks::{Block, Item, is_reference};

/// Prose of a section up to this length is one statement, in bytes.
const MAX_SECTION_BYTES: usize = 1200;

/// Maximum length of a statement, in bytes.
const MAX_STATEMENT_BYTES: usize = 8000;

/// Maximum length of a bullet that is repeated before those below it, in characters.
const MAX_CONTEXT_CHARS: usize = 120;

/// Maximum number of parent bullets that are repeated before a bullet.
const MAX_CONTEXT_DEPTH: usize = 3;

/// Maximum length of a heading, in characters: that of a path, the longest field that it is part of. Every statement
/// below it has it.
const MAX_HEADING_CHARS: usize = 500;

/// Maximum length of a heading that is no statement, in characters: that of a subject.
const MAX_SUBJECT_CHARS: usize = 200;

/// Separates the context of a statement from its text.
const COLON: &str = ": ";

/// A statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement {
    /// The headings above it, the outermost first, which those below the same heading share.
    pub headings: Rc<[String]>,
    /// Its text, preceded by the text of its parent bullets.
    pub text: String,
    /// Whether it is a bullet without a parent bullet.
    pub is_bullet: bool,
    /// Whether a task is done; `None` for other statements.
    pub is_done: Option<bool>,
}

/// Returns the statements of a document, in its order; at least one more than `most` if there are more.
pub fn statements(blocks: &[Block], most: usize) -> Vec<Statement> {
    let mut reader = Reader { most, ..Reader::default() };
    for block in blocks {
        if reader.found.len() > most {
            break;
        }
        reader.take(block);
    }
    reader.end_prose();
    reader.end_heading(0);
    reader.found
}

#[derive(Default)]
struct Reader {
    headings: Vec<(u8, String)>,
    /// Their texts; `None` if they have changed.
    texts: Option<Rc<[String]>>,
    /// Number of statements that are enough.
    most: usize,
    /// The prose of the section so far.
    prose: Vec<Part>,
    found: Vec<Statement>,
    /// Whether the last block was a list: code that follows belongs to its last item.
    follows_list: bool,
    /// The last heading, if nothing stands below it so far.
    bare: Option<String>,
}

/// Prose, and how it may be divided.
#[derive(Clone)]
struct Part {
    text: String,
    /// The header of a table, repeated in each part but the first.
    head: Option<String>,
    is_paragraph: bool,
}

impl Reader {
    fn take(&mut self, block: &Block) {
        let follows_list = std::mem::take(&mut self.follows_list);
        match block {
            Block::Heading { level, text } => {
                self.end_prose();
                self.end_heading(*level);
                self.texts = None;
                self.headings.retain(|(known, _)| known < level);
                if !text.is_empty() {
                    self.headings.push((*level, text.chars().take(MAX_HEADING_CHARS).collect()));
                    self.bare = Some(text.clone());
                    // No field has room for a longer one.
                    if text.chars().nth(MAX_SUBJECT_CHARS).is_some() {
                        self.prose.push(Part { text: text.clone(), head: None, is_paragraph: true });
                    }
                }
            }
            Block::Code(code) if follows_list => {
                if let Some(last) = self.found.last_mut() {
                    last.text = format!("{}\n{code}", last.text);
                }
            }
            // Steps stay together, unless the document consists of them.
            Block::List { is_ordered: true, source, .. }
                if source.len() <= MAX_SECTION_BYTES
                    && !(self.headings.is_empty() && self.prose.is_empty()) =>
            {
                self.prose.push(Part { text: source.clone(), head: None, is_paragraph: false });
            }
            Block::List { items, .. } => {
                let lead = match self.prose.last() {
                    Some(part) if part.is_paragraph && part.text.ends_with(':') => self.prose.pop(),
                    _ => None,
                };
                self.end_prose();
                let context: Vec<String> = lead.iter().map(|part| shortened(&part.text)).collect();
                let before = self.found.len();
                for item in items {
                    self.item(item, &context);
                }
                self.follows_list = self.found.len() > before;
            }
            Block::Text(text) if text.lines().any(is_reference) => self.paragraph(text),
            other => self.prose.push(part(other)),
        }
    }

    /// A paragraph with lines that name other files, each of which is a statement of its own.
    fn paragraph(&mut self, text: &str) {
        let mut prose: Vec<&str> = Vec::new();
        for line in text.lines().map(Some).chain([None]) {
            if let Some(line) = line.filter(|line| !is_reference(line)) {
                prose.push(line);
                continue;
            }
            if !prose.is_empty() {
                self.prose.push(Part { text: prose.join("\n"), head: None, is_paragraph: true });
                prose.clear();
            }
            if let Some(reference) = line {
                self.end_prose();
                self.push(reference.to_owned(), false, None);
            }
        }
    }

    fn item(&mut self, item: &Item, context: &[String]) {
        if self.found.len() > self.most {
            return;
        }
        let (lists, own): (Vec<&Block>, Vec<&Block>) =
            item.blocks.iter().partition(|block| matches!(block, Block::List { is_ordered: false, .. }));
        let mut references = Vec::new();
        let parts: Vec<Part> =
            own.into_iter().filter_map(|block| without_references(part(block), &mut references)).collect();
        let first = parts.first().map_or("", |part| part.text.as_str());
        let is_label = first.ends_with(':') && parts.len() == 1 && !lists.is_empty();
        if !parts.is_empty() && !is_label {
            let start = context.len().saturating_sub(MAX_CONTEXT_DEPTH);
            for (number, text) in divided(&parts, MAX_STATEMENT_BYTES).into_iter().enumerate() {
                let words = context[start..].iter().cloned().chain([text]);
                let is_bullet = context.is_empty() && number == 0;
                self.push(words.collect::<Vec<_>>().join(COLON), is_bullet, item.is_done);
            }
        }
        for reference in references {
            self.push(reference, false, None);
        }
        let mut inner = context.to_vec();
        if !first.is_empty() {
            inner.push(shortened(first));
        }
        for list in lists {
            if let Block::List { items, .. } = list {
                items.iter().for_each(|item| self.item(item, &inner));
            }
        }
    }

    fn end_prose(&mut self) {
        let parts = std::mem::take(&mut self.prose);
        for text in divided(&parts, MAX_SECTION_BYTES) {
            self.push(text, false, None);
        }
    }

    /// Makes a statement of the last heading if nothing stands below it, and a heading of this level or the end of the
    /// document follows. A single word is the name of an empty section.
    fn end_heading(&mut self, level: u8) {
        let is_last = self.headings.last().is_some_and(|(last, _)| *last >= level);
        let Some(text) = self.bare.take().filter(|_| is_last) else { return };
        self.headings.pop();
        self.texts = None;
        if !text.is_ascii() || text.split_whitespace().count() > 1 {
            self.prose.push(Part { text, head: None, is_paragraph: true });
            self.end_prose();
        }
    }

    fn push(&mut self, text: String, is_bullet: bool, is_done: Option<bool>) {
        if text.trim().is_empty() {
            return;
        }
        self.bare = None;
        let current = &self.headings;
        let headings =
            self.texts.get_or_insert_with(|| current.iter().map(|(_, text)| text.clone()).collect()).clone();
        self.found.push(Statement { headings, text, is_bullet, is_done });
    }
}

fn part(block: &Block) -> Part {
    let (text, head) = match block {
        Block::Heading { text, .. } | Block::Text(text) => (text.clone(), None),
        Block::Code(code) => (code.clone(), None),
        Block::List { source, .. } => (source.clone(), None),
        Block::Table { head, rows } => (format!("{head}\n{}", rows.join("\n")), Some(head.clone())),
    };
    Part { text, head, is_paragraph: matches!(block, Block::Text(_)) }
}

/// Moves the lines of a paragraph that name other files. Returns what remains.
fn without_references(part: Part, references: &mut Vec<String>) -> Option<Part> {
    if !part.is_paragraph || !part.text.lines().any(is_reference) {
        return Some(part);
    }
    let (named, kept): (Vec<&str>, Vec<&str>) = part.text.lines().partition(|line| is_reference(line));
    references.extend(named.into_iter().map(str::to_owned));
    (!kept.is_empty()).then(|| Part { text: kept.join("\n"), ..part.clone() })
}

/// Joins parts to texts of at most `most` bytes, and divides longer parts. Code is divided only if it exceeds the
/// maximum length of a statement.
fn divided(parts: &[Part], max_bytes: usize) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in parts {
        let limit = if part.is_paragraph || part.head.is_some() { max_bytes } else { MAX_STATEMENT_BYTES };
        for piece in pieces(part, limit) {
            match texts.last_mut() {
                Some(last) if is_open && last.len() + piece.len() + 2 <= limit => {
                    last.push_str(if part.is_paragraph { "\n\n" } else { "\n" });
                    last.push_str(&piece);
                }
                _ => texts.push(piece),
            }
            is_open = true;
        }
    }
    texts
}

/// Divides a part at its lines, sentences or words, whichever is the coarsest that fits.
fn pieces(part: &Part, max_bytes: usize) -> Vec<String> {
    if part.text.len() <= max_bytes {
        return vec![part.text.clone()];
    }
    let head = part.head.as_deref().filter(|head| head.len() < max_bytes / 2);
    let mut found: Vec<String> = Vec::new();
    let mut open = String::new();
    for unit in units(&part.text, max_bytes - head.map_or(0, |head| head.len() + 1)) {
        let start = if open.is_empty() { head.filter(|_| !found.is_empty()) } else { None };
        if let Some(head) = start {
            open = format!("{head}\n");
        }
        if !open.is_empty() && open.len() + unit.len() > max_bytes {
            found.push(std::mem::take(&mut open).trim_end().to_owned());
            if let Some(head) = head {
                open = format!("{head}\n");
            }
        }
        open.push_str(unit);
    }
    found.push(open.trim_end().to_owned());
    found.retain(|text| !text.is_empty());
    found
}

/// Splits a text into lines, longer ones into sentences, and longer ones still anywhere; each with its separator
/// from the next.
fn units(text: &str, max_bytes: usize) -> Vec<&str> {
    let mut units = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.len() <= max_bytes {
            units.push(line);
            continue;
        }
        for sentence in line.split_inclusive(". ") {
            let mut rest = sentence;
            while rest.len() > max_bytes {
                let end = (1..=max_bytes).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
                let end = rest[..end].rfind(' ').map_or(end, |blank| blank + 1);
                let (piece, after) = rest.split_at(end);
                units.push(piece);
                rest = after;
            }
            units.push(rest);
        }
    }
    units
}

/// Shortens a text that is repeated before others.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim_end_matches(':').trim_end();
    if line.chars().count() <= MAX_CONTEXT_CHARS {
        return line.to_owned();
    }
    line.chars().take(MAX_CONTEXT_CHARS).collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<Statement> {
        statements(&super::super::blocks::parse(text).expect("few blocks").0, usize::MAX)
    }

    fn texts(text: &str) -> Vec<String> {
        parsed(text).into_iter().map(|found| [found.headings.join("/"), found.text].join(" | ")).collect()
    }

    #[test]
    fn bullets_and_short_sections_are_statements() {
        let found = texts(
            "# Atlas\nOne app.\n\nTwo parts.\n## Commands\n- `npm test`\n- Build:\n  - fast: `make`\n  - slow\n- Parent\n  - child\n",
        );
        assert_eq!(
            found,
            [
                "Atlas | One app.\n\nTwo parts.",
                "Atlas/Commands | `npm test`",
                "Atlas/Commands | Build: fast: `make`",
                "Atlas/Commands | Build: slow",
                "Atlas/Commands | Parent",
                "Atlas/Commands | Parent: child",
            ]
        );
    }

    #[test]
    fn code_stays_with_its_text_and_steps_stay_together() {
        let found = texts(
            "# A\nRun it:\n\n```sh\nnpm test\n```\n\n- one:\n\n```\nx\n```\n\n## Release\n1. bump\n2. tag\n",
        );
        assert_eq!(
            found,
            ["A | Run it:\n```sh\nnpm test\n```", "A | one:\n```\nx\n```", "A/Release | 1. bump\n2. tag"]
        );
        assert_eq!(texts("When testing:\n- be fast\n"), [" | When testing: be fast"]);
        assert_eq!(texts("1. likes tea\n2. lives in Bern\n"), [" | likes tea", " | lives in Bern"]);
    }

    #[test]
    fn a_line_that_names_another_file_is_a_statement_of_its_own() {
        let found =
            texts("# A\nSee the style.\n@docs/style.md\nTwo\nlines.\n@a.md\n @b.md\n\nEnd, @c.md too.\n");
        assert_eq!(
            found,
            [
                "A | See the style.",
                "A | @docs/style.md",
                "A | Two lines.",
                "A | @a.md",
                "A | @b.md",
                "A | End, @c.md too."
            ]
        );
        assert_eq!(
            texts("- Style:\n  - @docs/style.md\n- Terse\n  @a.md\n"),
            [" | @docs/style.md", " | Terse", " | @a.md"]
        );
    }

    #[test]
    fn a_heading_without_text_below_it_is_a_statement() {
        assert_eq!(
            texts("# Rules\n\n**IMPORTANT: never push to main**\n\n**Always run the tests**\n"),
            ["Rules | IMPORTANT: never push to main", "Rules | Always run the tests"]
        );
        assert_eq!(
            texts("# A\n## Use pnpm, never npm\n## TODO\n### 使用制表符\n## B\ntext\n# One more rule\n"),
            ["A | Use pnpm, never npm", "A/TODO | 使用制表符", "A/B | text", " | One more rule"]
        );
        assert_eq!(texts("# Only this\n"), [" | Only this"]);
        assert_eq!(texts("# A title\n\n## Part\n- x\n"), ["A title/Part | x"]);
    }

    #[test]
    fn a_heading_that_is_longer_than_a_subject_is_a_statement() {
        let long = format!("Use tabs {}", "and then some ".repeat(50)).trim_end().to_owned();
        let found = parsed(&format!("# {long}\n- one\n## {long}\n"));
        let texts: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
        assert_eq!(texts, [long.as_str(), "one", long.as_str()]);
        let fits = "x".repeat(200);
        assert_eq!(parsed(&format!("# {fits}\n- one\n")).len(), 1);
    }

    #[test]
    fn long_sections_and_tables_are_divided() {
        let sentence = "This is a sentence of prose that says something. ";
        let found = texts(&format!("# Long\n{}\n\n{}\n", sentence.repeat(20), sentence.repeat(60)));
        assert!(
            found.len() >= 4 && found.iter().all(|text| text.len() <= MAX_SECTION_BYTES + 10),
            "{found:?}"
        );
        let words: usize = found.iter().map(|text| text.matches("sentence").count()).sum();
        assert_eq!(words, 80);
        let rows: String = (0..200).map(|row| format!("| row {row} | value |\n")).collect();
        let found = texts(&format!("# T\n| a | b |\n|---|---|\n{rows}"));
        assert!(found.len() > 2, "{found:?}");
        assert!(found.iter().all(|text| text.contains("| a | b |\n|---|---|\n| row")), "{found:?}");
    }

    #[test]
    fn a_line_without_end_is_divided() {
        let found = parsed(&format!("- {}", "é".repeat(60_000)));
        assert!(found.len() > 10 && found.iter().all(|found| found.text.len() <= MAX_STATEMENT_BYTES));
        assert_eq!(found.iter().map(|found| found.text.len()).sum::<usize>(), 120_000);
    }
}
