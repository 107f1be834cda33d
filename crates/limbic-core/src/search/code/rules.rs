//! Ranking rules for source code: definitions, names, tests, documentation.

use std::collections::BTreeSet;

use super::file_names::{ratio, stem, stemmed};
use crate::{model::tokenizer, store::code::chunks::CodeChunk};

/// Bonus for the definition of a name that is the whole query.
const DEFINITION: f64 = 1.0;
/// Bonus for the definition of a name within a query in prose.
const DEFINITION_IN_PROSE: f64 = 0.3;
/// Additional bonus for the definition of a type among other definitions of its name, as a share of the bonus.
const TYPE: f64 = 0.3;
/// Maximum bonus for a chunk whose name has words of the query.
const MAX_NAME: f64 = 0.1;
/// Factor of tests, unless the query mentions tests.
const TESTS: f64 = 0.6;
/// Factor of documentation and data, unless the query mentions them.
const DOCS: f64 = 0.75;
/// Maximum length of a name, in characters.
const MAX_NAME_CHARS: usize = 120;

const TEST_WORDS: [&str; 6] = ["test", "tests", "testing", "spec", "fixture", "mock"];
/// Names of folders whose files are tests, and words of names of folders with tests or what only tests use.
const TEST_FOLDERS: [&str; 2] = ["spec", "specs"];
const TEST_FOLDER_WORDS: [&str; 8] =
    ["test", "tests", "testing", "testdata", "testutil", "testutils", "fixtures", "mocks"];
const DOC_WORDS: [&str; 8] =
    ["readme", "docs", "documentation", "changelog", "guide", "example", "config", "configuration"];
const DOC_LANGUAGES: [&str; 7] = ["markdown", "json", "yaml", "toml", "html", "css", "unknown"];

/// The properties of a query that the rules use.
pub(crate) struct QueryFeatures {
    /// Names that look like symbols, with the bonus of their definition.
    symbols: Vec<(String, Option<String>, f64)>,
    /// Stems of its content words.
    stems: BTreeSet<String>,
    wants_tests: bool,
    wants_docs: bool,
}

impl QueryFeatures {
    /// Analyses a query; `terms` are its content words.
    pub(crate) fn new(query: &str, terms: &[String]) -> Self {
        let words: Vec<&str> = query.split_whitespace().collect();
        let mut symbols = Vec::new();
        for word in &words {
            let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let is_call = word.contains("()");
            let is_quoted = word.contains('`');
            let name = bare.trim_end_matches("()").replace("::", ".");
            let is_whole = words.len() == 1;
            if name.is_empty()
                || name.chars().count() > MAX_NAME_CHARS
                || !(is_whole || is_call || is_quoted || looks_like_a_symbol(&name))
            {
                continue;
            }
            let gain = if is_whole { DEFINITION } else { DEFINITION_IN_PROSE };
            match name.rsplit_once('.') {
                Some((scope, last)) if !last.is_empty() => {
                    let scope = scope.rsplit('.').next().unwrap_or_default().to_owned();
                    symbols.push((last.to_owned(), Some(scope), gain));
                }
                _ => symbols.push((name, None, gain)),
            }
        }
        let mentions = |list: &[&str]| list.iter().any(|word| terms.iter().any(|term| term == word));
        let (wants_tests, wants_docs) = (mentions(&TEST_WORDS), mentions(&DOC_WORDS));
        Self { symbols, stems: stemmed(terms), wants_tests, wants_docs }
    }

    /// Names whose definitions are candidates.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.iter().map(|(name, _, _)| name.as_str())
    }

    /// Returns the bonus of a chunk: for defining a symbol of the query, and for words of the query in its name.
    pub(crate) fn bonus(&self, chunk: &CodeChunk) -> f64 {
        let own = chunk.name.as_deref().unwrap_or_default();
        let gained = |(name, scope, gain): &(String, Option<String>, f64)| {
            let is_same = own == name;
            if !is_same && !own.eq_ignore_ascii_case(name) {
                return 0.0;
            }
            let fits_scope = scope.as_ref().is_none_or(|scope| {
                chunk.scope.split('.').any(|part| part.eq_ignore_ascii_case(scope))
                    || stem(&chunk.file_path).eq_ignore_ascii_case(scope)
            });
            gain * if is_same { 1.0 } else { 0.7 } * if fits_scope { 1.0 } else { 0.4 }
        };
        let definition = self.symbols.iter().map(gained).fold(0.0_f64, f64::max);
        let is_type = matches!(chunk.chunk_type.as_str(), "class" | "struct");
        let definition = if is_type { definition * (1.0 + TYPE) } else { definition };
        let words = stemmed(&tokenizer::of_query(own));
        let shared = words.iter().filter(|word| self.stems.contains(*word)).count();
        definition + MAX_NAME * ratio(shared, words.len())
    }

    /// Returns the factor for the kind of file.
    pub(crate) fn factor(&self, chunk: &CodeChunk) -> f64 {
        let mut factor = 1.0;
        if !self.wants_tests && is_test(&chunk.file_path) {
            factor *= TESTS;
        }
        if !self.wants_docs && DOC_LANGUAGES.contains(&chunk.language.as_str()) {
            factor *= DOCS;
        }
        factor
    }
}

/// Whether a word of prose is a name: it has an underscore, a dot between letters, or a capital behind a small letter.
fn looks_like_a_symbol(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let is_name = letters.iter().all(|letter| letter.is_alphanumeric() || "_.".contains(*letter));
    let inner = |letter: char| letters.iter().skip(1).rev().skip(1).any(|it| *it == letter);
    let has_hump = letters.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
    is_name && (inner('_') || inner('.') || has_hump)
}

/// Whether a file holds tests, or what only tests use, by the names of its folders and its own.
fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let in_folder = folders.split('/').any(|folder| {
        TEST_FOLDERS.contains(&folder)
            || folder.split(['_', '-']).any(|word| TEST_FOLDER_WORDS.contains(&word))
    });
    let stem = stem(name);
    in_folder
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem == "conftest"
        || stem == "tests"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(path: &str, language: &str, chunk_type: &str, scope: &str, name: &str) -> CodeChunk {
        CodeChunk {
            file_path: path.to_owned(),
            language: language.to_owned(),
            chunk_type: chunk_type.to_owned(),
            scope: scope.to_owned(),
            name: Some(name.to_owned()),
            ..CodeChunk::default()
        }
    }

    fn features(query: &str) -> QueryFeatures {
        QueryFeatures::new(query, &tokenizer::of_query(query))
    }

    fn bonus(query: &str, chunk: &CodeChunk) -> f64 {
        features(query).bonus(chunk)
    }

    #[test]
    fn the_definition_of_a_name_gains_most_where_the_name_is_all_that_is_asked() {
        let run = chunk("a.py", "python", "function", "", "runAll");
        let other = chunk("a.py", "python", "function", "", "stop");
        assert!((bonus("runAll", &run) - bonus("where is runAll called", &run)) > 0.5);
        assert!(
            (bonus("where is runAll called", &run) - (DEFINITION_IN_PROSE + MAX_NAME * 2.0 / 2.0)).abs()
                < 1e-9
        );
        assert!(bonus("runAll", &other).abs() < 1e-9);
    }

    #[test]
    fn a_definition_in_the_scope_that_is_asked_for_gains_more() {
        let [here, there] =
            ["Session", "Socket"].map(|scope| chunk("a.py", "python", "method", scope, "close"));
        assert!(bonus("Session.close", &here) > bonus("Session.close", &there));
    }

    #[test]
    fn a_type_gains_more_than_a_function_of_its_name() {
        let [class, function] =
            ["class", "function"].map(|kind| chunk("a.py", "python", kind, "", "Session"));
        let gained = bonus("Session", &class) - bonus("Session", &function);
        assert!((gained - DEFINITION * TYPE).abs() < 1e-9);
    }

    #[test]
    fn names_with_words_of_the_query_gain_by_their_share() {
        let gained =
            |name: &str| bonus("how are cookies parsed", &chunk("a.py", "python", "function", "", name));
        assert!((gained("parse_cookie") - MAX_NAME).abs() < 1e-9);
        assert!((gained("cookie_jar") - MAX_NAME / 2.0).abs() < 1e-9);
        assert!(gained("send").abs() < 1e-9);
    }

    #[test]
    fn tests_and_documents_rank_lower_unless_they_are_asked_for() {
        let test = chunk("tests/a.py", "python", "function", "", "x");
        let text = chunk("a.md", "markdown", "other", "", "x");
        let code = chunk("a.py", "python", "function", "", "x");
        let factor = |query: &str, chunk: &CodeChunk| features(query).factor(chunk);
        assert!((factor("parse cookies", &test) - TESTS).abs() < 1e-9);
        assert!((factor("test of cookies", &test) - 1.0).abs() < 1e-9);
        assert!((factor("parse cookies", &text) - DOCS).abs() < 1e-9);
        assert!((factor("cookies in the readme", &text) - 1.0).abs() < 1e-9);
        assert!((factor("parse cookies", &code) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn names_are_found_in_prose() {
        let names = |query: &str| {
            let features = QueryFeatures::new(query, &tokenizer::of_query(query));
            features.names().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names("where is parseUrl called"), ["parseUrl"]);
        assert_eq!(names("what does Session.close() do?"), ["close"]);
        assert_eq!(names("read_file or `get`"), ["read_file", "get"]);
        assert_eq!(names("how are passwords checked"), [] as [&str; 0]);
        assert_eq!(names("connect"), ["connect"]);
    }

    #[test]
    fn tests_are_known_by_their_paths() {
        for path in [
            "tests/a.rs",
            "src/a_test.go",
            "a/test_b.py",
            "web/a.test.ts",
            "lint/testutils/run.py",
            "src/__mocks__/net.ts",
            "integration-tests/a.rs",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in
            ["src/attest.rs", "src/latest/a.rs", "contest.py", "testament/a.py", "src/spec-reader/a.rs"]
        {
            assert!(!is_test(path), "{path}");
        }
    }
}
