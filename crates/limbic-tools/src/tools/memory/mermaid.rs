//! Renders a traversal as a Mermaid flowchart.
//!
//! Stored text is untrusted: it is never used as an id, every label is quoted, and every character with a meaning in
//! a label is written as an entity (`#34;`).

use std::collections::{BTreeMap, BTreeSet};

use limbic_core::store::memories::{
    MemoryNode,
    traverse::{Reached, Traversal},
};
use limbic_guard::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::views::memory::title;

/// Maximum size in bytes: Mermaid rejects texts of more than 50,000 characters.
const MAX_CONTENT_BYTES: usize = 49_000;

/// Maximum number of arrows: Mermaid rejects more than 500.
const MAX_ARROWS: usize = 500;

/// Maximum length of a type or of a domain's name, in characters.
const MAX_LABEL_CHARS: usize = 60;

/// The direction of a diagram.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[schemars(inline)]
pub enum Direction {
    #[default]
    LR,
    TD,
    TB,
    RL,
    BT,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::LR => "LR",
            Self::TD => "TD",
            Self::TB => "TB",
            Self::RL => "RL",
            Self::BT => "BT",
        }
    }
}

/// The content of a node.
#[derive(Debug, Clone)]
pub struct Labels {
    /// Maximum length of a memory's text, in characters.
    pub most_characters: usize,
    /// The mark at the end of a cut text, instead of the default.
    pub cut_mark: Option<String>,
    /// Whether to show when it was stored.
    pub shows_time: bool,
    /// Whether to show its id.
    pub shows_id: bool,
}

impl Default for Labels {
    fn default() -> Self {
        Self { most_characters: 50, cut_mark: None, shows_time: false, shows_id: false }
    }
}

/// Returns the text, and the count of memories not in it. The farthest are omitted first, until Mermaid's limits are
/// met.
pub fn flowchart(found: &Traversal, direction: Direction, labels: &Labels) -> (String, usize) {
    let over_cap: usize = found.omitted.values().sum();
    let mut max_nodes = found.nodes.len();
    loop {
        let text = drawn(&found.nodes[..max_nodes], found, direction, labels);
        if text.len() <= MAX_CONTENT_BYTES || max_nodes <= 1 {
            return (text, over_cap + found.nodes.len() - max_nodes);
        }
        max_nodes -= (max_nodes / 8).max(1);
    }
}

fn drawn(nodes: &[Reached], found: &Traversal, direction: Direction, labels: &Labels) -> String {
    let indices: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(index, node)| (node.memory.id.as_str(), index)).collect();
    let mut text = format!("flowchart {}\n", direction.name());
    let mut domains: Vec<&str> = Vec::new();
    let mut known = BTreeSet::new();
    domains
        .extend(nodes.iter().map(|node| node.memory.domain.as_str()).filter(|domain| known.insert(*domain)));
    for (number, domain) in domains.into_iter().enumerate() {
        text.push_str(&format!("  subgraph d{number}[\"{}\"]\n", label(&one_line(domain, MAX_LABEL_CHARS))));
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.memory.domain == domain) {
            let written = node_label(&node.memory, labels);
            let (open, close) = if index == 0 { ("([", "])") } else { ("[", "]") };
            text.push_str(&format!("    n{index}{open}\"{written}\"{close}\n"));
        }
        text.push_str("  end\n");
    }
    let edges = found.edges.iter().filter_map(|edge| {
        let (from, to) = (indices.get(edge.source.as_str())?, indices.get(edge.target.as_str())?);
        let link_type = label(&one_line(&edge.link_type, MAX_LABEL_CHARS));
        let strength = if edge.strength < 1.0 {
            format!(" {}", label(&edge.strength.to_string()))
        } else {
            String::new()
        };
        Some(format!("  n{from} -->|\"{link_type}{strength}\"| n{to}\n"))
    });
    let references = found.references.iter().filter_map(|reference| {
        let from = indices.get(reference.node_id.as_str())?;
        let to = indices.get(reference.target_node_id.as_str())?;
        let arrow = if reference.bidirectional { "<-.->" } else { "-.->" };
        Some(format!(
            "  n{from} {arrow}|\"{}\"| n{to}\n",
            label(&one_line(reference.link_type(), MAX_LABEL_CHARS))
        ))
    });
    text.extend(edges.chain(references).take(MAX_ARROWS));
    text
}

fn node_label(memory: &MemoryNode, labels: &Labels) -> String {
    let mut line = title(memory, labels.most_characters);
    if let Some(mark) = &labels.cut_mark
        && line.ends_with('…')
    {
        line.truncate(line.len() - '…'.len_utf8());
        line.push_str(&one_line(mark, MAX_LABEL_CHARS));
    }
    if labels.shows_time {
        line = format!("{line} ({})", one_line(&memory.timestamp, MAX_LABEL_CHARS));
    }
    if labels.shows_id {
        line = format!("{line} [{}]", one_line(&memory.id, MAX_LABEL_CHARS));
    }
    label(&line)
}

/// Escapes a line for a quoted label. Mermaid parses Markdown there: a full stop or a hyphen can start a list, so
/// both are kept only within and after a word.
fn label(line: &str) -> String {
    let mut written = String::new();
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let is_within = before.is_alphanumeric() && after.is_alphanumeric();
        let ends_word = letter == '.' && before.is_alphabetic();
        if letter.is_alphanumeric()
            || " ,".contains(letter)
            || ("-_.'".contains(letter) && is_within)
            || ends_word
        {
            written.push(letter);
        } else {
            written.push_str(&format!("#{};", u32::from(letter)));
        }
        before = letter;
    }
    if written.trim().is_empty() { "#63;".into() } else { written }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped_in_labels() {
        assert_eq!(label("a \"b\" [c]"), "a #34;b#34; #91;c#93;");
        assert_eq!(label("%%{init: x}%%"), "#37;#37;#123;init#58; x#125;#37;#37;");
        assert_eq!(label("`x` <b>"), "#96;x#96; #60;b#62;");
        assert_eq!(label("ß ﬂ° ¶ß; #35;"), "ß ﬂ#176; #182;ß#59; #35;35#59;");
    }

    #[test]
    fn plain_words_stay_readable() {
        assert_eq!(label("Don't use snake_case, v1.2 or e-mail."), "Don't use snake_case, v1.2 or e-mail.");
        assert_eq!(label("1. a - b"), "1#46; a #45; b");
        assert_eq!(label(""), "#63;");
    }
}
