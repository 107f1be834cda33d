//! The table of subwords: the vectors of a sentence encoder's token embeddings, made small.

use std::collections::HashMap;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The first bytes of a table. The number counts versions of the format.
const MAGIC: &[u8] = b"limbic subwords 1\n";

/// What marks a subword that continues a word.
const CONTINUES: &str = "##";

/// Subwords, each with a vector and a weight.
#[derive(Debug)]
pub(super) struct Subwords {
    /// The rows of subwords that begin a word.
    first: HashMap<Box<str>, usize>,
    /// The rows of subwords that continue a word.
    further: HashMap<Box<str>, usize>,
    /// Length of the longest subword in bytes, without `##`.
    longest: usize,
    dimensions: usize,
    /// Weights by row: the rarer a subword, the closer to 1.
    weights: Vec<f64>,
    /// Weight times scale by row.
    factors: Vec<f64>,
    /// Vectors row by row, each divided by its scale.
    numbers: Vec<i8>,
}

/// A sum of weighted vectors.
#[derive(Debug, Clone)]
pub(super) struct WeightedSum {
    pub(super) vector: Vec<f64>,
    pub(super) weight: f64,
}

impl Subwords {
    /// Parses a table: [`MAGIC`], the number of rows and of dimensions (u32), a weight and then a scale per row (f32),
    /// the vectors row by row (i8), and a line per row with its subword, `##` before one that continues a word. Numbers
    /// are little-endian.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the bytes.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is not a table of this version")?;
        Self::parse_rows(rest).ok_or_else(|| "it is damaged".to_owned())
    }

    fn parse_rows(bytes: &[u8]) -> Option<Self> {
        let (rows, rest) = size(bytes)?;
        let (dimensions, rest) = size(rest)?;
        let (weights, rest) = floats(rest, rows)?;
        let (scales, rest) = floats(rest, rows)?;
        let (numbers, words) = rest.split_at_checked(rows.checked_mul(dimensions)?)?;
        let (mut first, mut further) = (HashMap::new(), HashMap::new());
        let mut longest = 0;
        let mut count = 0;
        for (row, word) in str::from_utf8(words).ok()?.strip_suffix('\n')?.split('\n').enumerate() {
            let (word, known) = match word.strip_prefix(CONTINUES) {
                Some(rest) => (rest, &mut further),
                None => (word, &mut first),
            };
            known.insert(Box::from(word), row);
            longest = longest.max(word.len());
            count += 1;
        }
        (count == rows && dimensions > 0).then(|| Self {
            first,
            further,
            longest,
            dimensions,
            factors: weights.iter().zip(&scales).map(|(weight, scale)| weight * scale).collect(),
            weights,
            numbers: numbers.iter().map(|byte| byte.cast_signed()).collect(),
        })
    }

    /// The number of dimensions of the vectors.
    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The rows of the subwords of a word in plain letters (see [`plain`]): the longest one that the table has, from
    /// left to right, as WordPiece does. Letters that begin none are left out.
    pub(super) fn rows(&self, word: &str) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut start = 0;
        while start < word.len() {
            let known = if start == 0 { &self.first } else { &self.further };
            let last = word.len().min(start + self.longest);
            let longest =
                (start + 1..=last).rev().find_map(|end| Some((end, *known.get(word.get(start..end)?)?)));
            start = match longest {
                Some((end, row)) => {
                    rows.push(row);
                    end
                }
                None => start + word[start..].chars().next().map_or(1, char::len_utf8),
            };
        }
        rows
    }

    /// Adds the weighted vectors of rows, in this order, so that the sum is the same on every build.
    pub(super) fn sum<'a>(&self, rows: impl IntoIterator<Item = &'a usize>) -> WeightedSum {
        let mut sum = WeightedSum { vector: vec![0.0; self.dimensions], weight: 0.0 };
        for &row in rows {
            let vector = &self.numbers[row * self.dimensions..(row + 1) * self.dimensions];
            for (total, number) in sum.vector.iter_mut().zip(vector) {
                *total += self.factors[row] * f64::from(*number);
            }
            sum.weight += self.weights[row];
        }
        sum
    }
}

/// A text in lower case and without combining marks.
pub(super) fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase).collect()
}

/// The words of a plain text: its runs of letters and digits.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}

/// The next `count` numbers; `None` if there are fewer, or one is not positive.
fn floats(bytes: &[u8], count: usize) -> Option<(Vec<f64>, &[u8])> {
    let (numbers, rest) = bytes.split_at_checked(count.checked_mul(4)?)?;
    let numbers = numbers.as_chunks::<4>().0.iter().map(|number| f64::from(f32::from_le_bytes(*number)));
    let numbers: Vec<f64> = numbers.collect();
    numbers.iter().all(|number| number.is_finite() && *number > 0.0).then_some((numbers, rest))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Writes a table in which each subword has a weight and a vector.
    pub(in crate::search::code) fn table(rows: &[(&str, f32, &[i8])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for size in [rows.len(), rows[0].2.len()] {
            bytes.extend(u32::try_from(size).expect("tables of tests are small").to_le_bytes());
        }
        bytes.extend(rows.iter().flat_map(|(_, weight, _)| weight.to_le_bytes()));
        bytes.extend(rows.iter().flat_map(|_| 0.5_f32.to_le_bytes()));
        bytes.extend(
            rows.iter().flat_map(|(_, _, vector)| vector.iter().map(|number| number.cast_unsigned())),
        );
        bytes.extend(rows.iter().flat_map(|(word, _, _)| format!("{word}\n").into_bytes()));
        bytes
    }

    fn subwords() -> Subwords {
        let words = ["##er", "##r", "##s", "pars", "parse", "u", "url"];
        let rows: Vec<_> = words.iter().map(|word| (*word, 1.0, &[1, 2][..])).collect();
        Subwords::parse(&table(&rows)).expect("the table is whole")
    }

    #[test]
    fn a_word_is_cut_into_the_longest_subwords() {
        let subwords = subwords();
        assert_eq!(subwords.rows("url"), [6]);
        assert_eq!(subwords.rows("urls"), [6, 2]);
        assert_eq!(subwords.rows("parser"), [4, 1]);
        assert_eq!(subwords.rows("parsers"), [4, 1, 2]);
        // A subword that continues a word does not begin one, and the reverse.
        assert_eq!(subwords.rows("erurl"), [1, 1]);
        assert_eq!(subwords.rows("uü名s"), [5, 2]);
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_plain_lower_case() {
        let text = plain("fn Größe_of(naïveURL2)");
        assert_eq!(words(&text).collect::<Vec<_>>(), ["fn", "große", "of", "naiveurl2"]);
    }

    #[test]
    fn vectors_are_summed_by_weight() {
        let subwords = Subwords::parse(&table(&[("a", 0.5, &[4, -8]), ("b", 1.0, &[2, 2])]));
        let sum = subwords.expect("the table is whole").sum(&[0, 1, 1]);
        assert_eq!((sum.vector, sum.weight), (vec![3.0, 0.0], 2.5));
    }

    #[test]
    fn every_table_that_is_cut_off_is_refused() {
        let whole = table(&[("a", 0.5, &[4, -8]), ("bc", 1.0, &[2, 2])]);
        assert!(Subwords::parse(&whole).is_ok());
        for length in 0..whole.len() {
            let refused = Subwords::parse(&whole[..length]).expect_err("rows are missing");
            assert!(!refused.is_empty(), "{length}");
        }
        assert!(Subwords::parse(&table(&[("a", f32::NAN, &[1])])).is_err());
        assert!(Subwords::parse(&table(&[("a", 0.0, &[1])])).is_err());
        assert!(Subwords::parse(&table(&[("a", 1.0, &[])])).is_err());
    }
}
