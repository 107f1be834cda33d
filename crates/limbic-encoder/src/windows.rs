//! Splits texts that are longer than the model's input.

use std::ops::Range;

/// Splits `starts_word.len()` tokens into consecutive windows of nearly equal length, at most `max_tokens` each. A
/// window begins at the start of a word unless a single word is longer than a window.
pub fn windows(starts_word: &[bool], max_tokens: usize) -> Vec<Range<usize>> {
    let length = starts_word.len();
    let max_tokens = max_tokens.max(1);
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < length {
        let left = length - start;
        let even = left.div_ceil(left.div_ceil(max_tokens));
        let mut end = start + even;
        if end < length
            && let Some(word) = (start + 1..=end).rev().find(|index| starts_word[*index])
        {
            end = word;
        }
        pieces.push(start..end);
        start = end;
    }
    if pieces.is_empty() {
        // An empty text is encoded too: its vector is that of the markers.
        pieces.push(0..0);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_window() {
        assert_eq!(windows(&[true; 510], 510), vec![0..510]);
        assert_eq!(windows(&[], 510), vec![0..0]);
    }

    #[test]
    fn windows_are_even_and_contain_every_token_once() {
        assert_eq!(windows(&[true; 1100], 510), vec![0..367, 367..734, 734..1100]);
    }

    #[test]
    fn words_are_not_split() {
        let mut starts = vec![true; 600];
        starts[298..=303].fill(false);
        assert_eq!(windows(&starts, 510), vec![0..297, 297..600]);
    }

    #[test]
    fn a_word_longer_than_a_window_is_split() {
        let mut starts = vec![false; 25];
        starts[0] = true;
        let pieces = windows(&starts, 10);
        assert!(pieces.iter().all(|piece| piece.len() <= 10));
        assert_eq!(pieces.last(), Some(&(17..25)));
    }
}
