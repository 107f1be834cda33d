//! Static vectors: the weighted mean of the vectors of a text's subwords. They need no encoder, and nothing is stored.

use std::{cell::OnceCell, collections::HashMap};

use super::subwords::{Subwords, plain, words};
use crate::{Error, Result, model::numbers::round};

/// Reads the table of subwords; `None` if there is none. An error is a sentence with the reason.
type Read = dyn Fn() -> std::result::Result<Option<Vec<u8>>, String>;

/// Static vectors by a table of subwords, which is read when it is first needed.
pub struct StaticVectors {
    read: Box<Read>,
    table: OnceCell<Option<Subwords>>,
}

impl StaticVectors {
    /// Creates static vectors by the table that `read` returns: that of `subwords.bin`, which xtask makes.
    #[must_use]
    pub fn new(read: impl Fn() -> std::result::Result<Option<Vec<u8>>, String> + 'static) -> Self {
        Self { read: Box::new(read), table: OnceCell::new() }
    }

    /// Returns the cosine of the query and each text, 0 to 1, rounded to six digits; `None` for all without a table.
    /// The mean of the texts is subtracted from each of them, so that what they have in common does not count.
    ///
    /// # Errors
    /// [`Error::StaticVectors`] if the table cannot be read.
    pub(super) fn cosines(&self, query: &str, texts: &[&str]) -> Result<Vec<Option<f64>>> {
        let Some(table) = self.table()? else { return Ok(vec![None; texts.len()]) };
        let texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
        let mut rows = HashMap::new();
        let means: Vec<_> = texts.iter().map(|text| mean(table, text, &mut rows)).collect();
        let centre = centre(&means, table.dimensions());
        let query = plain(query);
        let query = mean(table, &query, &mut HashMap::new());
        let cosine = |mean: &Option<Vec<f64>>| {
            let (query, mean) = (query.as_ref()?, mean.as_ref()?);
            let difference: Vec<f64> =
                mean.iter().zip(&centre).map(|(number, of_all)| number - of_all).collect();
            let length = libm::sqrt(dot(query, query) * dot(&difference, &difference));
            (length > 0.0).then(|| dot(query, &difference) / length)
        };
        Ok(means.iter().map(|mean| Some(round(cosine(mean).unwrap_or(0.0).max(0.0), 6))).collect())
    }

    fn table(&self) -> Result<Option<&Subwords>> {
        if self.table.get().is_none() {
            let bytes = (self.read)().map_err(Error::StaticVectors)?;
            let table =
                bytes.map(|bytes| Subwords::parse(&bytes)).transpose().map_err(Error::StaticVectors)?;
            return Ok(self.table.get_or_init(|| table).as_ref());
        }
        Ok(self.table.get().and_then(Option::as_ref))
    }
}

/// The mean of the vectors of a plain text's subwords; `None` if it has none. `rows` has those of the words so far: the
/// texts of one search have many words in common.
fn mean<'a>(table: &Subwords, text: &'a str, rows: &mut HashMap<&'a str, Vec<usize>>) -> Option<Vec<f64>> {
    for word in words(text) {
        rows.entry(word).or_insert_with(|| table.rows(word));
    }
    let mut sum = table.sum(words(text).flat_map(|word| &rows[word]));
    if sum.weight <= 0.0 {
        return None;
    }
    sum.vector.iter_mut().for_each(|number| *number /= sum.weight);
    Some(sum.vector)
}

/// The mean of the vectors that there are.
fn centre(vectors: &[Option<Vec<f64>>], dimensions: usize) -> Vec<f64> {
    let mut centre = vec![0.0; dimensions];
    let mut count = 0.0;
    for vector in vectors.iter().flatten() {
        centre.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number);
        count += 1.0;
    }
    centre.iter_mut().for_each(|sum| *sum /= f64::max(count, 1.0));
    centre
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::code::subwords;

    /// Three subjects: `login` and `password` are alike, `color` and `paint`, and `function` is in every text.
    fn static_vectors() -> StaticVectors {
        StaticVectors::new(|| {
            Ok(Some(subwords::tests::table(&[
                ("color", 1.0, &[0, 100, 10]),
                ("function", 0.1, &[10, 10, 100]),
                ("login", 1.0, &[100, 0, 10]),
                ("paint", 1.0, &[0, 90, 20]),
                ("password", 1.0, &[90, 10, 10]),
            ])))
        })
    }

    #[test]
    fn a_text_on_the_subject_of_the_query_is_nearer_than_others() {
        let texts = ["function login", "function color", "function"];
        let cosines = static_vectors().cosines("Where is the password?", &texts).expect("the table is whole");
        let [login, color, _] = cosines[..] else { panic!("one cosine per text: {cosines:?}") };
        assert!(login > Some(0.5) && color == Some(0.0), "{cosines:?}");
    }

    #[test]
    fn texts_and_queries_without_known_words_are_near_to_nothing() {
        let vectors = static_vectors();
        assert_eq!(vectors.cosines("名前", &["login", "paint"]).expect("whole"), [Some(0.0), Some(0.0)]);
        assert_eq!(vectors.cosines("login", &["", "login"]).expect("whole"), [Some(0.0), Some(0.0)]);
        assert!(vectors.cosines("login", &[]).expect("whole").is_empty());
    }

    #[test]
    fn without_a_table_no_text_has_a_cosine() {
        let vectors = StaticVectors::new(|| Ok(None));
        assert_eq!(vectors.cosines("login", &["login"]).expect("there is no table"), [None]);
    }

    #[test]
    fn a_table_that_cannot_be_read_is_an_error_until_it_can() {
        let missing = std::rc::Rc::new(std::cell::Cell::new(true));
        let is_missing = missing.clone();
        let vectors = StaticVectors::new(move || match is_missing.get() {
            true => Err("the disk is gone".to_owned()),
            false => Ok(None),
        });
        let error = vectors.cosines("login", &["login"]).expect_err("the disk is gone");
        assert!(error.to_string().contains("the disk is gone"), "{error}");
        missing.set(false);
        assert_eq!(vectors.cosines("login", &["login"]).expect("there is no table"), [None]);
        let damaged = StaticVectors::new(|| Ok(Some(b"limbic".to_vec())));
        assert!(matches!(damaged.cosines("login", &["login"]), Err(Error::StaticVectors(_))));
    }
}
