//! Scores of a language model's answers by LoCoMo's rules (`task_eval/evaluation.py` of its repository): token F1 of
//! normalised, stemmed words. Snowball's English stemmer stands in for NLTK's Porter stemmer.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::Result;
use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;
use serde_json::{Value, json};

use super::data::lines;
use super::scores::real;

/// An answer with what was expected.
#[derive(Deserialize)]
struct AnsweredQuestion {
    ranking: String,
    category: String,
    answer: String,
    prediction: String,
}

/// For each ranking: the mean score of each category, and of all questions.
pub fn run(file: &Path) -> Result<Value> {
    let mut scores: BTreeMap<String, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
    for answered in lines::<AnsweredQuestion>(file)? {
        let score = score(&answered.category, &answered.prediction, &answered.answer);
        let by_category = scores.entry(answered.ranking).or_default();
        by_category.entry("all".to_owned()).or_default().push(score);
        by_category.entry(answered.category).or_default().push(score);
    }
    let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / real(scores.len());
    let row = |by_category: BTreeMap<String, Vec<f64>>| -> BTreeMap<String, f64> {
        by_category.into_iter().map(|(category, scores)| (category, mean(scores))).collect()
    };
    Ok(json!(scores.into_iter().map(|(ranking, scores)| (ranking, row(scores))).collect::<BTreeMap<_, _>>()))
}

/// Returns the score of an answer, 0 to 1.
fn score(category: &str, prediction: &str, answer: &str) -> f64 {
    match category {
        // For these, the answer is that there is none.
        "adversarial" => {
            let prediction = prediction.to_lowercase();
            let is_open = ["no information available", "not mentioned"].map(|text| prediction.contains(text));
            f64::from(u8::from(is_open.contains(&true)))
        }
        // The answer has several parts, each of which has its best match.
        "multi_hop" => {
            let parts: Vec<f64> = answer
                .split(',')
                .map(|part| prediction.split(',').map(|given| f1(given, part)).fold(0.0, f64::max))
                .collect();
            parts.iter().sum::<f64>() / real(parts.len())
        }
        // What follows the semicolon explains it.
        "open_domain" => f1(prediction, answer.split(';').next().unwrap_or_default()),
        _ => f1(prediction, answer),
    }
}

/// Returns the F1 of two texts' words.
fn f1(prediction: &str, answer: &str) -> f64 {
    let (given, wanted) = (words(prediction), words(answer));
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &wanted {
        *left.entry(word).or_default() += 1;
    }
    let mut common = 0;
    for word in &given {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (real(common) / real(given.len()), real(common) / real(wanted.len()));
    2.0 * precision * recall / (precision + recall)
}

/// Returns the stems of a text's words, without punctuation and articles.
fn words(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    text.to_lowercase()
        .replace(|letter: char| letter.is_ascii_punctuation(), "")
        .split_whitespace()
        .filter(|word| !["a", "an", "the", "and"].contains(word))
        .map(|word| stemmer.stem(word).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::score;

    fn is(category: &str, prediction: &str, answer: &str, expected: f64) {
        let found = score(category, prediction, answer);
        assert!((found - expected).abs() < 1e-12, "{category}, {prediction}, {answer}: {found}");
    }

    #[test]
    fn words_are_compared_as_stems_without_articles() {
        is("single_hop", "The painting.", "paintings", 1.0);
        is("single_hop", "a red car", "red bicycle", 0.5);
        is("single_hop", "nothing", "red bicycle", 0.0);
        // Two of three words given, two of two wanted.
        is("temporal", "7 May 2023", "7 May", 0.8);
    }

    #[test]
    fn categories_have_rules_of_their_own() {
        is("multi_hop", "pottery, camping", "camping, pottery, swimming", 2.0 / 3.0);
        is("open_domain", "likely no", "Likely no; she has no time for it", 1.0);
        is("adversarial", "It is not mentioned.", "", 1.0);
        is("adversarial", "A red car", "", 0.0);
    }
}
