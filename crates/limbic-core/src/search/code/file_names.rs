//! Signals from the paths of the candidates' files: query words in names of files and folders, and older versions
//! beside newer ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    model::{stems, tokenizer},
    store::code::chunks::CodeChunk,
};

/// Maximum bonus for a file whose name has words of the query.
const MAX_FILE_NAME: f64 = 0.25;
/// Maximum bonus for a folder whose name has words of the query.
const MAX_FOLDER_NAME: f64 = 0.1;
/// Match of a word that begins another, relative to the same word.
const BEGINNING: f64 = 0.7;
/// Minimum length of a word that begins another, in bytes.
const MIN_BEGINNING: usize = 4;
/// Factor of an older version beside a newer one.
const OLDER: f64 = 0.4;
/// Factor of folders with copies, examples and code that is kept for compatibility.
const ASIDE: f64 = 0.7;

/// Files that are named by their folder: its name counts instead of theirs.
const NAMED_BY_FOLDER: [&str; 5] = ["__init__", "index", "mod", "lib", "main"];
const ASIDE_FOLDERS: [&str; 12] = [
    "compat",
    "legacy",
    "deprecated",
    "vendor",
    "_vendor",
    "third_party",
    "example",
    "examples",
    "benchmark",
    "benchmarks",
    "bench",
    "benches",
];

/// The files of a search's candidates.
pub(crate) struct Files {
    /// Bonus and factor by project and path.
    by_path: BTreeMap<(i64, String), (f64, f64)>,
}

impl Files {
    /// Compares the paths of files with the words of a query.
    pub(crate) fn new<'a>(terms: &[String], files: impl Iterator<Item = (i64, &'a str)>) -> Self {
        let files: BTreeSet<(i64, &str)> = files.collect();
        let words: BTreeSet<&str> = terms.iter().map(String::as_str).collect();
        let stemmed = stemmed(terms);
        let mut newest: BTreeMap<(i64, &str), u32> = BTreeMap::new();
        for (project, path) in &files {
            for (above, _, version) in versions(path) {
                let known = newest.entry((*project, above)).or_insert(version);
                *known = version.max(*known);
            }
        }
        let look = |(project, path): &(i64, &str)| {
            let is_older = versions(path).any(|(above, folder, version)| {
                newest.get(&(*project, above)).is_some_and(|newest| version < *newest)
                    && !words.contains(folder)
            });
            let is_aside = folders(path).any(|folder| {
                ASIDE_FOLDERS.contains(&folder) && !words.iter().any(|word| folder.starts_with(word))
            });
            let factor = if is_older {
                OLDER
            } else if is_aside {
                ASIDE
            } else {
                1.0
            };
            ((*project, (*path).to_owned()), (name_bonus(path, &stemmed), factor))
        };
        Self { by_path: files.iter().map(look).collect() }
    }

    /// The bonus of a chunk for the name of its file, and the factor for its folders.
    pub(crate) fn of(&self, chunk: &CodeChunk) -> (f64, f64) {
        self.by_path.get(&(chunk.project, chunk.file_path.clone())).copied().unwrap_or((0.0, 1.0))
    }
}

/// The stems of words, each once.
pub(crate) fn stemmed(words: &[String]) -> BTreeSet<String> {
    words.iter().map(|word| stems::of_english(word)).collect()
}

/// Returns a ratio; 0 if `whole` is 0.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

/// The name of a file without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit_once('/').map(|(folders, _)| folders).unwrap_or_default().split('/')
}

/// Folders such as `v3`: the path above, the folder's name and its number.
fn versions(path: &str) -> impl Iterator<Item = (&str, &str, u32)> {
    let mut start = 0;
    folders(path).filter_map(move |folder| {
        let above = &path[..start];
        start += folder.len() + 1;
        Some((above, folder, folder.strip_prefix('v')?.parse().ok()?))
    })
}

fn name_bonus(path: &str, query: &BTreeSet<String>) -> f64 {
    let mut parts = path.rsplit('/');
    parts.next();
    let mut name = stem(path);
    let mut folder = parts.next();
    if let Some(above) = folder.filter(|_| NAMED_BY_FOLDER.contains(&name)) {
        name = above;
        folder = parts.next();
    }
    MAX_FILE_NAME * share(name, query) + MAX_FOLDER_NAME * folder.map_or(0.0, |folder| share(folder, query))
}

/// The share of a name's words that are in the query.
fn share(name: &str, query: &BTreeSet<String>) -> f64 {
    let words = stemmed(&tokenizer::of_query(name));
    let matched: f64 =
        words.iter().map(|word| query.iter().map(|other| similarity(word, other)).fold(0.0, f64::max)).sum();
    matched * ratio(1, words.len())
}

fn similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let is_long = one.len().min(other.len()) >= MIN_BEGINNING;
    if is_long && (one.starts_with(other) || other.starts_with(one)) { BEGINNING } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bonus(path: &str, query: &str) -> f64 {
        name_bonus(path, &stemmed(&tokenizer::of_query(query)))
    }

    #[test]
    fn names_of_files_match_other_forms_of_a_word() {
        assert!((bonus("src/sessions.py", "session management") - MAX_FILE_NAME).abs() < 1e-9);
        assert!(
            (bonus("lib/auth.py", "how does authentication work") - MAX_FILE_NAME * BEGINNING).abs() < 1e-9
        );
        assert!(bonus("src/app.py", "session management").abs() < 1e-9);
    }

    #[test]
    fn a_folder_names_its_main_file() {
        assert!((bonus("src/middleware/mod.rs", "middleware layers") - MAX_FILE_NAME).abs() < 1e-9);
        assert!((bonus("middleware/cors.py", "middleware layers") - MAX_FOLDER_NAME).abs() < 1e-9);
    }

    #[test]
    fn an_older_version_beside_a_newer_one_ranks_lower() {
        let factors = |query: &str, paths: &[&str]| {
            let files = Files::new(&tokenizer::of_query(query), paths.iter().map(|path| (1, *path)));
            let factor = |path: &&str| files.by_path[&(1, (*path).to_owned())].1;
            paths.iter().map(factor).collect::<Vec<_>>()
        };
        assert_eq!(factors("parse errors", &["src/v3/a.ts", "src/v4/a.ts"]), [OLDER, 1.0]);
        assert_eq!(factors("v3 parse errors", &["src/v3/a.ts", "src/v4/a.ts"]), [1.0, 1.0]);
        assert_eq!(factors("parse errors", &["src/v3/a.ts", "lib/v4/a.ts"]), [1.0, 1.0]);
        assert_eq!(factors("parse errors", &["examples/a.rs", "a.rs"]), [ASIDE, 1.0]);
        assert_eq!(factors("example of parse", &["examples/a.rs"]), [1.0]);
    }
}
