//! Blocks of code without fences: of AsciiDoc and Textile, here-documents of a shell, literals of reStructuredText,
//! block scalars of YAML, documentation of Perl and Ruby, and hunks of a diff.

/// The characters of which AsciiDoc makes the lines around a listing, a literal, a quotation, raw text and a comment.
const DELIMITERS: [char; 5] = ['-', '.', '_', '+', '/'];

/// The styles of AsciiDoc that show the block below as it is, or as a quotation.
const STYLES: [&str; 8] = ["source", "listing", "literal", "quote", "verse", "pass", "comment", "stem"];

/// The signatures of Textile that begin code, a quotation or raw text.
const SIGNATURES: [&str; 4] = ["bc", "bq", "pre", "notextile"];

/// What begins documentation of Perl; the first one also a comment of Ruby.
const DOCUMENTATION: [&str; 7] = ["=begin", "=pod", "=head", "=over", "=item", "=for", "=encoding"];

/// What begins a line above a part of a file, and what begins the line after it: a conflict that git could not merge,
/// and a message in ASCII armour.
pub(super) const ENCLOSED: [(&str, &str); 2] = [("<<<<<<< ", ">>>>>>> "), ("-----BEGIN ", "-----END ")];

/// A block whose lines have no mark of their own.
#[derive(Default)]
pub(super) enum Block<'a> {
    #[default]
    None,
    /// The block of AsciiDoc below a line with its style: a paragraph, unless a delimiter follows.
    Styled,
    Paragraph,
    /// Everything up to this line.
    Until(&'a str),
    /// Everything up to Textile's next signature.
    UntilSignature,
    /// Everything up to a line that begins so.
    Documentation(&'static str),
    /// A hunk of a diff, with the number of lines of the old and the new text that are left.
    Hunk(usize, usize),
}

impl<'a> Block<'a> {
    /// Returns the block that a line begins. `is_later` returns whether a later line equals its argument, apart from
    /// blanks around it, `is_enclosed` whether one ends this part of [`ENCLOSED`].
    pub(super) fn at(
        line: &str,
        is_later: impl Fn(&str) -> bool,
        is_enclosed: impl Fn(usize) -> bool,
    ) -> Block<'a> {
        match signature(line) {
            Some((name, true)) if SIGNATURES.contains(&name) => return Block::UntilSignature,
            Some((name, false)) if SIGNATURES.contains(&name) => return Block::Paragraph,
            _ => {}
        }
        if has_style(line) {
            return Block::Styled;
        }
        if DOCUMENTATION.iter().any(|begin| line.starts_with(begin)) {
            let is_comment = line.starts_with("=begin") && !is_later("=cut");
            return Block::Documentation(if is_comment { "=end" } else { "=cut" });
        }
        let enclosed = ENCLOSED.iter().enumerate();
        let mut begun = enclosed.filter(|(kind, (begin, _))| line.starts_with(begin) && is_enclosed(*kind));
        if let Some((_, (_, end))) = begun.next() {
            return Block::Documentation(end);
        }
        hunk(line).map_or(Block::None, |(old, new)| Block::Hunk(old, new))
    }

    /// Whether a line is in the block, which it may end. A line that is not ends it, too.
    pub(super) fn contains(&mut self, line: &'a str) -> bool {
        let trimmed = line.trim();
        let (is_in, next) = match *self {
            Block::None => (false, Block::None),
            Block::Styled if trimmed.is_empty() => (true, Block::Styled),
            Block::Styled if is_other_delimiter(trimmed) => (true, Block::Until(trimmed)),
            Block::Styled if is_delimiter(trimmed) || fence(trimmed).is_some() => (false, Block::None),
            Block::Styled | Block::Paragraph if trimmed.is_empty() => (true, Block::None),
            // Another style, or a title.
            Block::Styled if trimmed.starts_with(['[', '.']) => (true, Block::Styled),
            Block::Styled | Block::Paragraph => (true, Block::Paragraph),
            Block::Until(end) if trimmed == end => (true, Block::None),
            Block::Until(end) => (true, Block::Until(end)),
            Block::UntilSignature if signature(line).is_some() => (false, Block::None),
            Block::UntilSignature => (true, Block::UntilSignature),
            Block::Documentation(end) if line.starts_with(end) => (true, Block::None),
            Block::Documentation(end) => (true, Block::Documentation(end)),
            Block::Hunk(0, 0) => (false, Block::None),
            Block::Hunk(old, new) => match line.chars().next() {
                None => (true, Block::Hunk(old.saturating_sub(1), new.saturating_sub(1))),
                Some(letter) if letter.is_whitespace() => {
                    (true, Block::Hunk(old.saturating_sub(1), new.saturating_sub(1)))
                }
                Some('-' | '!') => (true, Block::Hunk(old.saturating_sub(1), new)),
                Some('+') => (true, Block::Hunk(old, new.saturating_sub(1))),
                Some('\\') => (true, Block::Hunk(old, new)),
                Some(_) => (false, Block::None),
            },
        };
        *self = next;
        is_in
    }
}

/// Returns the character and the length of the fence of the code block that a line begins.
pub(super) fn fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    // Inline code may be enclosed in as many backticks as a fence.
    let is_inline = mark == '`' && line[length..].contains('`');
    (length >= 3 && !is_inline).then_some((mark, length))
}

/// Whether a line may begin, and then also end, a listing or the like of AsciiDoc.
pub(super) fn is_delimiter(line: &str) -> bool {
    line.len() >= 4 && DELIMITERS.iter().any(|mark| line.chars().all(|letter| letter == *mark))
}

/// Whether a line does so below a style only: elsewhere, it is a rule, underlines a title or ends a letter.
fn is_other_delimiter(line: &str) -> bool {
    let is_of = |mark: char| line.chars().all(|letter| letter == mark);
    line == "--" || (line.len() >= 4 && (is_of('=') || is_of('*')))
}

/// Whether a line is the attributes of a block of AsciiDoc with one of [`STYLES`]: `[source,sh]`, `[,sh]`.
fn has_style(line: &str) -> bool {
    let Some(attributes) = line.trim_end().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return false;
    };
    let end = attributes.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(attributes.len());
    let (style, rest) = attributes.split_at(end);
    let is_named =
        STYLES.contains(&style) && (rest.is_empty() || rest.starts_with([',', '%', '.', '#', ' ']));
    // The style is omitted before a language.
    (is_named || (style.is_empty() && rest.starts_with([',', '%']))) && !rest.contains(']')
}

/// Returns the name of Textile's signature at the start of a line, and whether its block goes over blank lines: `p. `,
/// `bc.. `, `bq(note).:https://example.com `.
fn signature(line: &str) -> Option<(&str, bool)> {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric())?;
    let (name, rest) = line.split_at(end);
    let is_heading = name.len() == 2 && name.starts_with('h') && name.ends_with(|c: char| c.is_ascii_digit());
    if !is_heading && name != "p" && !SIGNATURES.contains(&name) {
        return None;
    }
    let attributes = if rest.starts_with(['(', '{', '[', '<', '>', '=']) { rest.find('.')? } else { 0 };
    let rest = rest[attributes..].strip_prefix('.')?;
    let (is_extended, rest) = rest.strip_prefix('.').map_or((false, rest), |rest| (true, rest));
    let is_ended = rest.is_empty() || rest.starts_with(|c: char| c == ':' || c.is_whitespace());
    is_ended.then_some((name, is_extended))
}

/// Returns the number of lines in the hunk below its header, of the old and the new text: `@@ -1,2 +1,3 @@`. A patch of
/// an agent (`@@ fn main`), a merge (`@@@ ...`) and a diff with context (`*** 1,2 ****`) give none.
fn hunk(line: &str) -> Option<(usize, usize)> {
    let unknown = Some((usize::MAX, usize::MAX));
    if let Some(rest) = line.strip_prefix("@@") {
        let lines = |range: &str, sign: char| {
            let range = range.strip_prefix(sign)?;
            range.split_once(',').map_or("1", |(_, lines)| lines).parse().ok()
        };
        let mut ranges = rest.split_whitespace();
        let counted = ranges.next().zip(ranges.next());
        let counted = counted.and_then(|(old, new)| Some((lines(old, '-')?, lines(new, '+')?)));
        return if rest.is_empty() || rest.starts_with([' ', '@']) { counted.or(unknown) } else { None };
    }
    let is_context = |mark: &str, end: &str| {
        let range = line.strip_prefix(mark).and_then(|rest| rest.trim_end().strip_suffix(end));
        range.is_some_and(|range| range.starts_with(|c: char| c.is_ascii_digit()))
    };
    if is_context("*** ", " ****") || is_context("--- ", " ----") { unknown } else { None }
}

/// What ends a listing, a here-document or a block.
#[derive(Clone, Copy)]
pub(super) enum End<'a> {
    /// A line of nothing else.
    Line(&'a str),
    /// The first word of a line, as in PHP.
    Word(&'a str),
}

impl<'a> End<'a> {
    /// Returns the line or the word.
    pub(super) const fn name(self) -> &'a str {
        match self {
            End::Line(name) | End::Word(name) => name,
        }
    }

    /// Whether a line ends what this ends.
    pub(super) fn is_at(self, line: &str) -> bool {
        let trimmed = line.trim();
        trimmed == self.name() || (matches!(self, End::Word(_)) && first_word(trimmed) == Some(self.name()))
    }
}

/// Returns the first word of a line before punctuation that may follow the end of a here-document: `EOT;`.
pub(super) fn first_word(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (word, rest) = line.split_at(end);
    let is_ended = rest.trim_start().starts_with([';', ')', ',', '.', ']', '}']);
    (is_ended && !word.is_empty()).then_some(word)
}

/// Returns what ends the here-document that a line begins, as far as it may begin one: `cat <<'EOF'`, and `<<<'EOT'` in
/// PHP.
pub(super) fn here_document(line: &str) -> Option<End<'_>> {
    let (_, rest) = line.split_once("<<")?;
    let php = rest.strip_prefix('<');
    let rest = php.or_else(|| rest.strip_prefix(['-', '~'])).unwrap_or(rest).trim_start();
    let rest = rest.trim_start_matches(['\'', '"', '\\']);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    is_name.then_some(if php.is_some() { End::Word(name) } else { End::Line(name) })
}

/// Whether the name of a here-document is one by custom, so that what follows is one even if its end is missing.
pub(super) fn is_customary(name: &str) -> bool {
    name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Whether the lines after this one are literal as far as they are indented by more than it.
pub(super) fn begins_literal(line: &str) -> bool {
    line.ends_with("::") || (line.starts_with(".. ") && line.contains("::")) || begins_scalar(line)
}

/// Whether a line of YAML begins a block scalar: `key: |`, `- >2-  # folded`.
fn begins_scalar(line: &str) -> bool {
    let line = line.split_once(" #").map_or(line, |(content, _)| content.trim_end());
    let Some((before, indicator)) = line.rsplit_once(' ') else { return false };
    let before = before.trim_end();
    let is_indicator = indicator.strip_prefix(['|', '>']).is_some_and(|rest| {
        rest.len() <= 2 && rest.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '+' | '-'))
    });
    // Not a row of a table.
    is_indicator && !before.starts_with('|') && (before.ends_with([':', '-']) || before.contains(": "))
}
