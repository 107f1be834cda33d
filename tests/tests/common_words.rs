//! Queries of words that occur in thousands of entities: only some entities are scored, and the best are among them.

use anyhow::{Result, ensure};
use limbic_core::rusqlite::params;
use limbic_tests::{memory::connect, memory_file::MemoryFile};
use limbic_tools::Options;
use serde_json::{Value, json};

const ENTITIES: usize = 9_000;

/// A text of rare words, common words and a word that every text has, each with its own frequency.
fn text(number: usize) -> String {
    let mut words = vec!["week"; 1 + number % 3];
    for (word, every) in [("garden", 3), ("rain", 4), ("gate", 5), ("comet", 301)] {
        if number.is_multiple_of(every) {
            words.extend(vec![word; 1 + number / every % 4]);
        }
    }
    words.extend(vec!["and so on"; number % 11]);
    words.join(" ")
}

#[test]
fn the_best_results_are_those_of_an_exhaustive_search() -> Result<()> {
    let file = MemoryFile::new()?;
    let mut memory = file.open(0, Options::default())?;
    let entities: Vec<Value> = (0..ENTITIES)
        .map(|number| json!({ "name": format!("e{number}"), "observations": [text(number)] }))
        .collect();
    for some in entities.chunks(1000) {
        let answer = memory.limbic().call("create_entities", &json!({ "entities": some }).to_string(), &[]);
        ensure!(!answer.is_error, "{}", answer.json);
    }
    for question in ["week garden rain", "garden gate week", "comet garden rain", "gate comet"] {
        let any = question.split(' ').collect::<Vec<_>>().join(" OR ");
        let connection = connect(&file.path)?;
        let mut statement = connection.prepare(
            "SELECT name FROM entity_words AS w JOIN entities AS e ON e.id = w.rowid WHERE entity_words MATCH ?1
             ORDER BY round(bm25(entity_words), 6), e.id LIMIT 5",
        )?;
        let mut expected: Vec<String> =
            statement.query_map(params![any], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let arguments = json!({ "query": question, "limit": 5 }).to_string();
        let answer = memory.limbic().call("search_semantic", &arguments, &[]);
        let answer: Value = serde_json::from_str(&answer.json)?;
        let mut found: Vec<&str> = answer["results"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|hit| hit["name"].as_str())
            .collect();
        // Relevance is rounded: nearly equal results may be in another order.
        expected.sort();
        found.sort_unstable();
        ensure!(found == expected, "{question}: {found:?} instead of {expected:?}");
    }
    Ok(())
}
