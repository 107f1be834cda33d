//! Rows of the tables: pages as parameters, heads and tokens from answers.

use tokio_postgres::{SimpleQueryMessage, types::ToSql};

use super::failure::as_i64;
use crate::store::{Head, MAX_TOKENS, Token};

/// The number of tokens in a row that keeps those of earlier commits: all that a head has.
pub const TOKENS_A_ROW: u64 = MAX_TOKENS as u64;

/// Pages as parameters of the statement [`super::WRITE`].
pub struct Written<'a> {
    memory: &'a str,
    version: i64,
    numbers: Vec<i64>,
    contents: Vec<&'a [u8]>,
}

impl<'a> Written<'a> {
    /// The parameters for these pages of the version `next`.
    pub fn new(memory: &'a str, next: &Head, pages: &[(u64, &'a [u8])]) -> Self {
        let (numbers, contents): (Vec<u64>, Vec<&[u8]>) = pages.iter().copied().unzip();
        let version = i64::try_from(next.version).unwrap_or(i64::MAX);
        Self { memory, version, numbers: as_i64(&numbers), contents }
    }

    /// The parameters, in the order of the statement.
    pub fn parameters(&self) -> [&(dyn ToSql + Sync); 4] {
        [&self.memory, &self.version, &self.numbers, &self.contents]
    }
}

/// Results of the first statements of a transaction.
pub struct Begun {
    /// The state of the memory.
    pub head: Head,
    /// Pages that others have changed.
    pub changed: Vec<u64>,
    /// The number of the process that has answered.
    pub process: String,
    /// The format of the tables, as text.
    pub format: Option<String>,
    /// Whether the transaction may not write.
    pub is_read_only: bool,
}

impl Begun {
    /// Reads the answer; `None` if the memory is missing.
    pub fn from(answer: Vec<SimpleQueryMessage>) -> Option<Begun> {
        let (mut head, mut changed, mut process, mut format) = (None, Vec::new(), String::new(), None);
        let mut is_read_only = false;
        for message in answer {
            let SimpleQueryMessage::Row(row) = message else { continue };
            let number =
                |column: usize| row.get(column).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
            match row.get(0) {
                Some("head") => {
                    let recent = tokens(row.get(4).unwrap_or_default());
                    row.get(5).unwrap_or_default().clone_into(&mut process);
                    is_read_only = row.get(6) == Some("on");
                    let (version, size_bytes, truncated) = (number(1), number(2), number(3));
                    head = Some(Head { version, size_bytes, truncated, recent });
                }
                Some("format") => format = row.get(1).map(str::to_owned),
                Some("page") => changed.push(number(1)),
                _ => {}
            }
        }
        Some(Begun { head: head?, changed, process, format, is_read_only })
    }
}

/// The first column of the first row.
pub fn first(answer: &[SimpleQueryMessage]) -> Option<&str> {
    answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    })
}

/// The row that keeps the token of a version, and the place of the token in it: the number of a page below zero, and a
/// distance in bytes. A row is the [`Head::recent`] of the last version of which it has the token.
pub fn token_row(version: u64) -> (i64, usize) {
    let row = version.div_ceil(TOKENS_A_ROW);
    let age = usize::try_from(row * TOKENS_A_ROW - version).unwrap_or_default();
    (i64::try_from(row).map_or(i64::MIN, |row| -row), age * size_of::<Token>())
}

/// Tokens from hexadecimal digits.
pub fn tokens(hex: &str) -> Vec<Token> {
    let digits: Vec<u8> = hex.chars().filter_map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    bytes.chunks_exact(size_of::<Token>()).filter_map(|token| Token::try_from(token).ok()).collect()
}

/// The hexadecimal digits of a token.
pub fn hex(token: Token) -> String {
    token.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_their_text() {
        let (first, second): (Token, Token) = ([0, 1, 2, 15, 16, 127, 128, 255], [9; 8]);
        assert_eq!(tokens(&(hex(first) + &hex(second))), [first, second]);
        assert_eq!(tokens(""), Vec::<Token>::new());
    }

    #[test]
    fn tokens_of_64_versions_are_in_a_row_the_last_one_first() {
        assert_eq!(
            [0, 1, 63, 64, 65, 128].map(token_row),
            [(0, 0), (-1, 63 * 8), (-1, 8), (-1, 0), (-2, 63 * 8), (-2, 0)]
        );
    }
}
