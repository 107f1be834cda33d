//! Only the folders that own the tables contain SQL of the core.

use std::fs;
use std::path::Path;

use super::{assert_known, modules};
use crate::project;

/// The folders of limbic-core whose modules may prepare and run SQL.
const SQL_FOLDERS: [&str; 4] = ["db", "store", "explore", "records"];

/// Modules outside [`SQL_FOLDERS`] that run SQL.
const SQL_ELSEWHERE: &[&str] = &[];

/// Methods of rusqlite that prepare or run a statement.
const METHODS: [&str; 13] = [
    "execute",
    "execute_batch",
    "pragma",
    "pragma_query",
    "pragma_query_value",
    "pragma_update",
    "pragma_update_and_check",
    "prepare",
    "prepare_cached",
    "prepare_with_flags",
    "query_one",
    "query_row",
    "query_row_and_then",
];

#[test]
fn only_the_folders_of_tables_run_sql() {
    let folder = project::path("crates/limbic-core/src");
    let mut found = Vec::new();
    let mut searched = 0;
    for file in project::files_below(&folder) {
        let name = file.strip_prefix(&folder).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
        let in_folder = SQL_FOLDERS.iter().any(|allowed| name.starts_with(&format!("{allowed}/")));
        if in_folder || !name.ends_with(".rs") {
            continue;
        }
        searched += 1;
        let text = fs::read_to_string(&file).expect("a source file is text");
        if runs_sql(&text) {
            found.push(name);
        }
    }
    assert!(searched > 0, "no source file is in {}", folder.display());
    let known: Vec<String> = SQL_ELSEWHERE.iter().map(|name| (*name).to_owned()).collect();
    assert_known("SQL_ELSEWHERE", &found, &known);
}

/// Tables whose rows only `store` inserts: imports call the functions there.
const INSERTED_BY_STORE: [&str; 6] =
    ["DOMAINS", "implicit_feedback", "reflection_fts", "reflections", "search_events", "search_results"];

/// The statements that change rows.
const WRITES: [&str; 5] = ["INSERT INTO ", "INSERT OR ", "UPDATE ", "DELETE FROM ", "REPLACE INTO "];

#[test]
fn read_models_do_not_write() {
    let found =
        lines_with("crates/limbic-core/src/explore", |line| WRITES.iter().any(|write| line.contains(write)));
    assert_known("the statements of explore that write", &found, &[]);
}

#[test]
fn rows_that_store_inserts_are_inserted_nowhere_else() {
    let is_found = |line: &str| inserted_table(line).is_some_and(|table| INSERTED_BY_STORE.contains(&table));
    assert_known("inserts of records", &lines_with("crates/limbic-core/src/records", is_found), &[]);
    let in_store = lines_with("crates/limbic-core/src/store", is_found);
    assert!(in_store.len() >= INSERTED_BY_STORE.len(), "store inserts only: {in_store:#?}");
}

/// The table that a line inserts rows into.
fn inserted_table(line: &str) -> Option<&str> {
    let rest = line.split_once("INSERT ")?.1;
    let rest = rest.strip_prefix("OR ").and_then(|rest| rest.split_once(' ')).map_or(rest, |(_, rest)| rest);
    let table = rest.strip_prefix("INTO ")?;
    let end = table.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(table.len());
    Some(&table[..end])
}

#[test]
fn the_table_of_an_insert_is_found_with_and_without_a_conflict_clause() {
    for line in
        ["\"INSERT INTO reflections (id)\"", "tx.execute(\"INSERT OR IGNORE INTO reflections VALUES (1)\")"]
    {
        assert_eq!(inserted_table(line), Some("reflections"), "{line}");
    }
    assert_eq!(inserted_table("SELECT 1 FROM reflections"), None);
}

/// Returns the lines of the source files of a folder for which a condition holds, each with its file.
fn lines_with(folder: &str, is_found: impl Fn(&str) -> bool) -> Vec<String> {
    let folder = project::path(folder);
    let mut found = Vec::new();
    for file in
        project::files_below(&folder).into_iter().filter(|file| file.extension().is_some_and(|it| it == "rs"))
    {
        let text = fs::read_to_string(&file).expect("a source file is text");
        let name = file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().into_owned();
        let lines = text.lines().filter(|line| is_found(line));
        found.extend(lines.map(|line| format!("{name}: {}", line.trim())));
    }
    found
}

/// Whether a module runs SQL, its tests aside, which may write the rows that they need.
fn runs_sql(source: &str) -> bool {
    let without_tests = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let tokens = modules::tokens(without_tests);
    tokens.windows(3).any(|three| {
        three[0] == "." && METHODS.contains(&three[1].as_str()) && (three[2] == "(" || three[2] == "::")
    })
}

#[test]
fn calls_are_found_and_comments_are_not() {
    assert!(runs_sql("let x = tx\n    .prepare_cached(\"SELECT 1\")?;"));
    assert!(runs_sql("connection.execute(&sql, [])?;"));
    assert!(runs_sql("tx.pragma_query_value::<i64, _>(None, \"user_version\", |row| row.get(0))?;"));
    assert!(!runs_sql("fn x() {}\n#[cfg(test)]\nmod tests {\n    fn y() { db.execute(x)? }\n}"));
    assert!(!runs_sql("// tx.execute(x)\nlet a = split::execute(tx); let s = \"tx.prepare(x)\";"));
}
