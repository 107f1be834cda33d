//! Parsing with a limit of the parser's operations, because some texts take it more than linear time.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Checks that any text may take. The parser makes one every hundred operations.
const MIN_CHECKS: usize = 20_000;

/// Bytes of a text for which it may take one more check. Source code has about one operation in each two bytes.
const BYTES_PER_CHECK: usize = 10;

/// Parses a text in the language of the parser. Returns `None` if that takes more operations than source code needs.
pub fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    parse_within(parser, text, MIN_CHECKS + text.len() / BYTES_PER_CHECK)
}

fn parse_within(parser: &mut Parser, text: &str, mut checks: usize) -> Option<Tree> {
    let mut progress = |_: &ParseState| match checks.checked_sub(1) {
        Some(left) => {
            checks = left;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |start: usize, _| text.as_bytes().get(start..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, extract::languages};

    fn parser() -> Parser {
        let grammar = languages::grammar(Language::Rust).expect("it is in the first module");
        let mut parser = Parser::new();
        parser.set_language(&grammar).expect("the grammar has the parser's version");
        parser
    }

    #[test]
    fn source_code_takes_a_tenth_of_the_limit() {
        let text = include_str!("mod.rs").repeat(200);
        let checks = (MIN_CHECKS + text.len() / BYTES_PER_CHECK) / 10;
        assert!(parse_within(&mut parser(), &text, checks).is_some());
    }

    #[test]
    fn a_text_that_takes_too_many_operations_is_given_up() {
        let text = include_str!("mod.rs");
        assert!(parse_within(&mut parser(), text, 1).is_none());
        assert!(parse(&mut parser(), text).is_some());
    }
}
