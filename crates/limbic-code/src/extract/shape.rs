//! The shape of a definition: its tokens without comments and layout, and the structure that layout alone may give
//! them.

use tree_sitter::Node;

use crate::facts::SHAPE_VERSION;
use crate::language::Language;

/// A token of a file.
pub struct Leaf {
    /// First byte.
    start: usize,
    /// The byte behind the last one.
    end: usize,
    /// Number of nodes that the token is in, and of those that the one before it is in as well. Together they tell
    /// where nodes begin and end: whether a statement is in the block before it, where only indentation or a line break
    /// says so.
    depth: usize,
    shared: usize,
    form: Form,
}

/// How the text of a token is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    AsWritten,
    /// Where both kinds of quotes mean the same, they count as one.
    Quoted,
    /// Line breaks, with the blanks around them, are layout.
    Markup,
}

/// The tokens of a file, without comments, docstrings and what formatters add or remove. Text that is in no node of the
/// tree, such as a macro that was left out for the parser, is a token, too.
pub fn leaves(root: Node<'_>, text: &str, language: Language) -> Vec<Leaf> {
    let mut leaves = Leaves { text, language, list: Vec::new(), shared: 0, covered: root.start_byte() };
    let mut kinds = Kinds::default();
    // The ancestors of the current node, and the number of siblings that follow it and each of them. The cursor would
    // search for them.
    let mut ancestors: Vec<(Node<'_>, Kind)> = Vec::new();
    let mut siblings = vec![0];
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let kind = kinds.of(node);
        leaves.cover(node.start_byte(), &ancestors);
        let skipped = kind == Kind::Comment
            || (language == Language::Python && kind == Kind::Statement && is_docstring(node));
        // Strings without parts are one token: their parts hold layout.
        let children = node.child_count();
        if skipped || kind == Kind::String || children == 0 {
            if !skipped {
                leaves.add(node, kind, &ancestors);
            }
            leaves.covered = leaves.covered.max(node.end_byte());
        } else if cursor.goto_first_child() {
            ancestors.push((node, kind));
            siblings.push(children - 1);
            continue;
        }
        while siblings.pop_if(|left| *left == 0).is_some() {
            cursor.goto_parent();
            leaves.cover(cursor.node().end_byte(), &ancestors);
            ancestors.pop();
        }
        leaves.shared = leaves.shared.min(ancestors.len());
        let Some(left) = siblings.last_mut() else { return leaves.list };
        *left -= 1;
        cursor.goto_next_sibling();
    }
}

/// The tokens so far.
struct Leaves<'t> {
    text: &'t str,
    language: Language,
    list: Vec<Leaf>,
    /// Number of nodes that the last token and the current node are in.
    shared: usize,
    /// The byte behind the text that was looked at.
    covered: usize,
}

impl Leaves<'_> {
    /// Adds the text up to a byte, which is in the innermost of some nodes, but in none of its children.
    fn cover(&mut self, end: usize, ancestors: &[(Node<'_>, Kind)]) {
        let start = self.covered;
        self.covered = start.max(end);
        let gap = self.text.get(start..end).unwrap_or_default();
        // A backslash continues a line.
        let is_layout = |letter: char| letter.is_whitespace() || letter == '\\';
        let is_content = ancestors.last().is_some_and(|(_, kind)| *kind == Kind::Content);
        let (before, after) = match is_content {
            true => (0, 0),
            false => {
                let rest = gap.trim_start_matches(is_layout);
                (gap.len() - rest.len(), rest.len() - rest.trim_end_matches(is_layout).len())
            }
        };
        let (start, end) = (start + before, start + gap.len() - after);
        if start < end {
            self.push((start, end), ancestors.len(), Form::AsWritten);
        }
    }

    /// Adds a node as a token, unless formatters add or remove it.
    fn add(&mut self, node: Node<'_>, kind: Kind, ancestors: &[(Node<'_>, Kind)]) {
        let (start, end) = (node.start_byte(), node.end_byte());
        let token = self.text.get(start..end).unwrap_or_default();
        let is_in_string = ancestors.last().is_some_and(|(_, kind)| *kind == Kind::Content);
        if !is_in_string
            && is_closing(token, self.language)
            && self.ends_with_optional_comma(ancestors)
            && let Some(comma) = self.list.pop()
        {
            self.shared = self.shared.min(comma.shared);
        }
        let is_layout = match kind {
            Kind::Markup => without_line_breaks(token).is_empty(),
            _ => !is_in_string && kind != Kind::Content && token.trim().is_empty(),
        };
        let is_optional = token == ";"
            && !is_in_string
            && (self.language == Language::Python
                || (self.language.is_ecmascript() && !is_in_head_of_for(ancestors)));
        if start < end && !is_layout && !is_optional {
            let form = match kind {
                Kind::String if self.language == Language::Python || self.language.is_ecmascript() => {
                    Form::Quoted
                }
                Kind::Markup => Form::Markup,
                _ => Form::AsWritten,
            };
            self.push((start, end), ancestors.len(), form);
        }
    }

    fn push(&mut self, (start, end): (usize, usize), depth: usize, form: Form) {
        self.list.push(Leaf { start, end, depth, shared: self.shared, form });
        self.shared = depth;
    }

    /// Whether the last token is a comma behind an element, which means nothing before a closing bracket.
    fn ends_with_optional_comma(&self, ancestors: &[(Node<'_>, Kind)]) -> bool {
        let token = |leaf: &Leaf| self.text.get(leaf.start..leaf.end).unwrap_or_default();
        let mut last = self.list.iter().rev().map(token);
        // Behind a bracket or another comma, it stands for an element that is not there: `[,]`.
        last.next() == Some(",")
            && !matches!(last.next(), None | Some("(" | "[" | "{" | ","))
            && ancestors.last().is_some_and(|(node, _)| !needs_comma(node))
    }
}

/// Whether a token is a closing bracket before which a comma may stand. In C, `)` is one only in macros, to which the
/// comma gives another argument; in a shell, commas separate words of which one may be empty.
fn is_closing(token: &str, language: Language) -> bool {
    match token {
        "}" | "]" => language != Language::Bash,
        ")" => !matches!(language, Language::Bash | Language::C | Language::Cpp),
        _ => false,
    }
}

/// Whether the innermost node is in the parentheses of a `for`, where semicolons separate its parts.
fn is_in_head_of_for(ancestors: &[(Node<'_>, Kind)]) -> bool {
    let mut nodes = ancestors.iter().rev().map(|(node, _)| node);
    let (inner, outer) = (nodes.next(), nodes.next());
    let is_for = |node: Option<&Node<'_>>| node.is_some_and(|node| node.kind() == "for_statement");
    let is_body = |part: &Node<'_>| {
        outer.and_then(|node| node.child_by_field_name("body")).is_some_and(|body| body.id() == part.id())
    };
    is_for(inner) || (is_for(outer) && inner.is_some_and(|part| !is_body(part)))
}

/// The role of a node kind in the hash of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comment,
    /// A string that is one token.
    String,
    /// What has text between its parts, or is such a text: blanks in it are no layout.
    Content,
    /// Text between tags.
    Markup,
    Statement,
    Other,
}

/// Kinds by their numbers in a grammar: a name is compared once in a file.
#[derive(Default)]
struct Kinds(Vec<Option<Kind>>);

impl Kinds {
    fn of(&mut self, node: Node<'_>) -> Kind {
        let number = usize::from(node.kind_id());
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        *self.0[number].get_or_insert_with(|| match node.kind() {
            "string" => Kind::String,
            "jsx_text" => Kind::Markup,
            "expression_statement" => Kind::Statement,
            // Blanks separate their parts.
            "concatenated_string" | "chained_string" | "string_array" => Kind::Other,
            "line_continuation" => Kind::Comment,
            name if name.contains("comment") => Kind::Comment,
            name if node.is_named() && CONTENTS.iter().any(|part| name.contains(part)) => Kind::Content,
            _ => Kind::Other,
        })
    }
}

/// Parts of the names of nodes with text in which blanks count.
const CONTENTS: [&str; 8] =
    ["string", "heredoc_body", "heredoc_content", "nowdoc", "regex", "char", "template_literal", "str_text"];

/// Whether a statement of Python is a string alone, whose evaluation does nothing.
fn is_docstring(statement: Node<'_>) -> bool {
    let mut cursor = statement.walk();
    statement.named_child_count() == 1
        && statement.named_child(0).is_some_and(|child| {
            child.kind() == "string"
                && !child.named_children(&mut cursor).any(|part| part.kind() == "interpolation")
        })
}

/// Whether the comma before the closing bracket of a node means something: it makes a tuple of the only element, or
/// belongs to the text of a macro.
fn needs_comma(node: &Node<'_>) -> bool {
    let has_elements = |count: usize| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(count + 1).count() == count
    };
    match node.kind() {
        "token_repetition" | "token_repetition_pattern" | "token_tree_pattern" => true,
        "token_tree" => is_tuple_in_macro(node),
        // The first one is before the bracket.
        "subscript" => has_elements(2),
        kind => kind.starts_with("tuple") && has_elements(1),
    }
}

/// Whether parentheses in the arguments of a macro of Rust, whose only comma is at their end, are a tuple. Behind a
/// name they are arguments.
fn is_tuple_in_macro(node: &Node<'_>) -> bool {
    let is_inner = node.parent().is_some_and(|parent| parent.kind() == "token_tree");
    let before = node.prev_sibling().map(|before| before.kind());
    let mut cursor = node.walk();
    is_inner
        && node.child(0).is_some_and(|bracket| bracket.kind() == "(")
        && !matches!(before, Some("identifier" | "token_tree" | "!" | ">" | "self" | "crate"))
        && node.children(&mut cursor).filter(|child| child.kind() == ",").count() == 1
}

/// Hash of the tokens in a range of bytes and of their structure: 56 bits of FNV-1a, before the [`SHAPE_VERSION`].
pub fn hash(leaves: &[Leaf], text: &str, range: (usize, usize)) -> u64 {
    let first = leaves.partition_point(|leaf| leaf.start < range.0);
    let tokens = leaves[first..].iter().take_while(|leaf| leaf.end <= range.1);
    // What the definition itself is in does not belong to its shape.
    let outside = leaves.get(first).map_or(0, |leaf| leaf.depth);
    let relative = |depth: usize| depth.wrapping_sub(outside).to_le_bytes()[0];
    let bytes = tokens.enumerate().flat_map(|(index, leaf)| {
        let token = &text[leaf.start..leaf.end];
        let as_written = ([token, "", "", ""], Vec::new());
        let (parts, lines) = match leaf.form {
            Form::AsWritten => as_written,
            Form::Quoted => with_double_quotes(token).map_or(as_written, |parts| (parts, Vec::new())),
            Form::Markup => ([""; 4], without_line_breaks(token)),
        };
        let structure = if index == 0 { [0, 0] } else { [relative(leaf.shared), relative(leaf.depth)] };
        parts.into_iter().chain(lines).flat_map(str::bytes).chain([0]).chain(structure)
    });
    (limbic_protocol::fnv1a(bytes) << 8) | u64::from(SHAPE_VERSION)
}

/// The parts of a text between tags that are shown: a line break, with the blanks around it, is nothing at an end and a
/// blank elsewhere.
fn without_line_breaks(text: &str) -> Vec<&str> {
    if !text.contains('\n') {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    }
    let last = text.matches('\n').count();
    let lines = text.split('\n').enumerate().map(|(index, line)| {
        let line = if index > 0 { line.trim_start() } else { line };
        if index < last { line.trim_end() } else { line }
    });
    let mut parts = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        if !parts.is_empty() {
            parts.push(" ");
        }
        parts.push(line);
    }
    parts
}

/// The parts of a string in single quotes, in double ones: prefix, quote, text, quote. `None` if it is not such a
/// string, or if its text has quotes or escapes, which read otherwise in double quotes.
fn with_double_quotes(token: &str) -> Option<[&str; 4]> {
    let (prefix, quoted) = token.split_at(token.find('\'')?);
    if prefix.len() > 2 || !prefix.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        return None;
    }
    [("'''", "\"\"\""), ("'", "\"")].into_iter().find_map(|(single, double)| {
        let inner = quoted.strip_prefix(single)?.strip_suffix(single)?;
        (!inner.contains(['"', '\'', '\\'])).then_some([prefix, double, inner, double])
    })
}
