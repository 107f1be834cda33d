//! Blocks between lines of colons: admonitions and other directives of MyST, Docusaurus, Pandoc and VuePress.

use super::list_markers::after_list_markers;

/// The colons that begin a block.
const COLONS: usize = 3;

/// The line that begins or ends a block.
struct Line {
    colons: usize,
    column: usize,
}

/// The blocks around a line, each in the one before it: `::::{note}`, `:::{tip}`, `:::`, `::::`.
#[derive(Default)]
pub(super) struct Directives(Vec<Line>);

impl Directives {
    /// Whether the next line is in a block.
    pub(super) const fn is_in_block(&self) -> bool {
        !self.0.is_empty()
    }

    /// Takes a line that begins or ends a block, the latter unless it is within a quotation or the like. Returns `None`
    /// for other lines, and else whether it is uncertain what the line begins or ends, because programs differ.
    pub(super) fn take(&mut self, line: &str, is_within: bool) -> Option<bool> {
        let (column, content) = after_list_markers(line);
        let colons = content.bytes().take_while(|byte| *byte == b':').count();
        if colons < COLONS {
            return None;
        }
        let is_bare = colons == content.len();
        let Some(inner) = self.0.last() else {
            self.0.push(Line { colons, column });
            return Some(false);
        };
        if is_bare {
            let is_item = content.len() < line.trim().len();
            if is_item || is_within || colons < inner.colons || column > inner.column + 3 {
                return Some(false);
            }
            let is_uncertain = column < inner.column || (colons > inner.colons && self.0.len() > 1);
            self.0.pop();
            return Some(is_uncertain);
        }
        let is_uncertain = colons >= inner.colons;
        self.0.push(Line { colons, column });
        Some(is_uncertain)
    }
}
