//! The SQL console: runs statements of users, read-only and within limits of time, steps and memory.

use std::sync::{Arc, Mutex};

use rusqlite::{
    Connection, ErrorCode, Row,
    hooks::{AuthAction, AuthContext, Authorization},
    limits::Limit,
    types::ValueRef,
};

use super::{CallLimit, heap_limit::HeapLimit};
use crate::{Error, Result};

/// Maximum number of steps of SQLite's virtual machine per query: a few seconds.
const MAX_STEPS: i32 = 50_000_000;

/// Number of steps between two checks of the limits. One step may search a value of maximum length for another one,
/// which takes a tenth of a second.
const STEPS_BETWEEN: i32 = 20;

/// Maximum duration of a query, in milliseconds.
const MAX_MILLIS: i64 = 10_000;

/// Maximum length of a text or blob that a query reads or computes: functions such as `instr` take quadratic time
/// within one step.
const MAX_VALUE_BYTES: i32 = 65_536;

/// Loads code into the program.
const LOAD_EXTENSION: &str = "load_extension";

/// Functions that the module of Node and the browser lacks, so that no server has them.
const FUNCTIONS_ELSEWHERE: [&str; 2] = [LOAD_EXTENSION, SOUNDEX];

/// Makes codes of how words sound in English.
const SOUNDEX: &str = "soundex";

/// Functions that create large values, load code, or take pointers; and those that take time proportional to the
/// product of the lengths of their arguments. `json_pretty` makes 2 GB of a nested text with a long indentation before
/// the limit of values applies. `trim` has such a form as well, which [`super::functions`] replaces.
const FUNCTIONS_REFUSED: [&str; 9] = [
    "fts3_tokenizer",
    "json_patch",
    "json_pretty",
    "jsonb_patch",
    LOAD_EXTENSION,
    "randomblob",
    SOUNDEX,
    "unhex",
    "zeroblob",
];

/// Maximum length of a statement, in bytes.
const MAX_SQL_BYTES: usize = 10_000;

/// Limits of SQLite while a statement runs. Lengths are in bytes.
const LIMITS: [(Limit, i32); 8] = [
    (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
    // A pattern of LIKE or GLOB is compared at every place of a text, within one step.
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 250),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 250),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Pragmas that only read. FTS5 itself uses `data_version`.
const PRAGMAS: [&str; 20] = [
    "application_id",
    "cache_size",
    "collation_list",
    "compile_options",
    "data_version",
    "encoding",
    "foreign_keys",
    "foreign_key_list",
    "freelist_count",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "page_count",
    "page_size",
    "synchronous",
    "table_info",
    "table_list",
    "table_xinfo",
    "user_version",
];

/// Pragmas whose argument selects what to describe; an argument of the others would set a value.
const PRAGMAS_OF: [&str; 7] = [
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// One value of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text; invalid UTF-8 is replaced.
    Text(String),
    /// A blob of this many bytes.
    Blob(usize),
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows that were taken.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there are more.
    pub more: bool,
}

/// Runs one read-only statement. Rows are read until `takes` declines one. `stopwatch` is a clock in milliseconds;
/// `call` are the limits of the call.
///
/// # Errors
/// [`Error::InvalidArgument`] if it is not a single SQL statement, or too long, [`Error::SqlRefused`] if it would do
/// more than read, [`Error::SqlFunctionRefused`], [`Error::FullTextRefused`] if it reads a full-text table,
/// [`Error::SqlStopped`] if it exceeds a limit.
pub(crate) fn query(
    connection: &mut Connection,
    stopwatch: Option<fn() -> i64>,
    call: Option<&CallLimit>,
    sql: &str,
    takes: &mut dyn FnMut(&[Cell]) -> bool,
) -> Result<Table> {
    if sql.len() > MAX_SQL_BYTES {
        return Err(Error::invalid(format!(
            "sql must have at most {MAX_SQL_BYTES} bytes, but got {}",
            sql.len()
        )));
    }
    let virtual_tables = searched_tables(connection)?;
    let _limit = HeapLimit::set();
    let mut steps = 0;
    let end = stopwatch.map(|now| (now, now() + MAX_MILLIS));
    let call = call.cloned();
    connection.progress_handler(
        STEPS_BETWEEN,
        Some(move || {
            steps += STEPS_BETWEEN;
            steps >= MAX_STEPS
                || end.is_some_and(|(now, end)| now() > end)
                || call.as_ref().is_some_and(|call| call.exceeded().is_some())
        }),
    )?;
    let refused = Arc::new(Mutex::new(None));
    let sets_refused = refused.clone();
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let searches = matches!(context.action, AuthAction::Read { table_name, .. }
            if virtual_tables.iter().any(|name| name.eq_ignore_ascii_case(table_name)));
        let error = match context.action {
            _ if searches => Error::FullTextRefused,
            action if reads(action) => return Authorization::Allow,
            AuthAction::Function { function_name } if FUNCTIONS_ELSEWHERE.contains(&function_name) => {
                Error::InvalidSql(format!("no such function: {function_name}"))
            }
            AuthAction::Function { function_name } => Error::SqlFunctionRefused(function_name.to_owned()),
            _ => Error::SqlRefused,
        };
        // The first one: SQLite asks no more after a denial.
        if let Ok(mut refused) = sets_refused.lock() {
            refused.get_or_insert(error);
        }
        Authorization::Deny
    }))?;
    let mut before = Vec::new();
    for (limit, value) in LIMITS {
        before.push((limit, connection.set_limit(limit, value)?));
    }
    let answer = run(connection, sql, takes);
    for (limit, value) in before {
        connection.set_limit(limit, value)?;
    }
    connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
    connection.progress_handler(0, None::<fn() -> bool>)?;
    let refused = refused.lock().ok().and_then(|mut refused| refused.take());
    refused.map_or(answer, Err)
}

/// Returns the names of the virtual tables that a statement may not read: all but those of sqlite-vec.
///
/// One search of a full-text table is one step, which nothing interrupts: `NEAR` with 300 prefixes takes ten seconds on
/// 1,000 short memories, and time grows with the square of their number. The expression can be computed, and be given
/// with `MATCH`, with `=` or as an argument of the table, so that its length cannot be limited.
fn searched_tables(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'
            AND sql NOT LIKE '%USING vec0%'",
    )?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

fn run(connection: &Connection, sql: &str, takes: &mut dyn FnMut(&[Cell]) -> bool) -> Result<Table> {
    let mut statement = connection.prepare(sql).map_err(explained)?;
    if statement.column_count() == 0 && statement.readonly() {
        return Err(Error::invalid("The statement must return rows, as SELECT does"));
    }
    if !statement.readonly() {
        return Err(Error::SqlRefused);
    }
    if statement.parameter_count() > 0 {
        return Err(Error::invalid("Parameters are not allowed: write the values into the statement"));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut table = Table { rows: Vec::new(), more: false, columns };
    let mut rows = statement.query([]).map_err(explained)?;
    while let Some(row) = rows.next().map_err(explained)? {
        let cells = read(row, table.columns.len())?;
        if !takes(&cells) {
            table.more = true;
            break;
        }
        table.rows.push(cells);
    }
    Ok(table)
}

fn read(row: &Row<'_>, columns: usize) -> Result<Vec<Cell>> {
    (0..columns)
        .map(|index| {
            Ok(match row.get_ref(index)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(number) => Cell::Integer(number),
                ValueRef::Real(number) => Cell::Real(number),
                ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Cell::Blob(bytes.len()),
            })
        })
        .collect()
}

/// Whether an action of a statement, as the authorizer reports it, only reads.
fn reads(action: AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Recursive => true,
        // Raw pages: free pages may contain deleted records until the file is compacted.
        AuthAction::Read { table_name, .. } => !table_name.eq_ignore_ascii_case("sqlite_dbpage"),
        AuthAction::Function { function_name } => {
            !FUNCTIONS_REFUSED.iter().any(|refused| refused.eq_ignore_ascii_case(function_name))
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let is = |name: &&str| name.eq_ignore_ascii_case(pragma_name);
            PRAGMAS.iter().any(is) && (pragma_value.is_none() || PRAGMAS_OF.iter().any(is))
        }
        _ => false,
    }
}

/// Turns SQLite's error into one about the statement.
fn explained(error: rusqlite::Error) -> Error {
    let code = match &error {
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        other => other.sqlite_error_code(),
    };
    match code {
        Some(ErrorCode::OperationInterrupted) => Error::SqlStopped(format!(
            "it took more than {MAX_STEPS} steps of SQLite or {} seconds",
            MAX_MILLIS / 1000
        )),
        Some(ErrorCode::TooBig) => {
            Error::SqlStopped(format!("it read or made a value of more than {MAX_VALUE_BYTES} bytes"))
        }
        Some(ErrorCode::OutOfMemory) => Error::SqlStopped("it exceeded the memory limit".into()),
        Some(ErrorCode::Unknown) => Error::InvalidSql(message_of(&error)),
        _ if matches!(error, rusqlite::Error::MultipleStatement) => {
            Error::invalid("Only one statement is allowed: run several one after the other")
        }
        _ => error.into(),
    }
}

/// Returns SQLite's message, without the statement.
fn message_of(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::super::heap_limit;
    use super::*;

    #[test]
    fn a_statement_that_writes_is_refused_even_without_the_authorizer() {
        let connection = Connection::open_in_memory().expect("memory is there");
        for sql in ["CREATE TABLE t (x)", "PRAGMA journal_mode", "VACUUM"] {
            let refused = run(&connection, sql, &mut |_| true).expect_err(sql);
            assert_eq!(refused.code(), "sql_refused", "{sql}");
        }
    }

    #[test]
    fn a_function_that_is_refused_is_named() {
        let mut connection = Connection::open_in_memory().expect("memory is there");
        for (sql, told) in [
            ("SELECT instr(ZeroBlob(9), 'a')", "The function zeroblob is not allowed"),
            ("SELECT randomblob(9)", "The function randomblob is not allowed"),
            ("CREATE TABLE t (x)", "Only one read-only statement"),
        ] {
            let refused = query(&mut connection, None, None, sql, &mut |_| true).expect_err(sql);
            assert!(refused.to_string().starts_with(told), "{sql}: {refused}");
            assert_eq!(refused.code(), "sql_refused", "{sql}");
        }
    }

    #[test]
    fn extensions_are_loaded_by_no_function() {
        let mut connection = Connection::open_in_memory().expect("memory is there");
        for sql in ["SELECT load_extension('a')", "SELECT Load_Extension('a', 'b')"] {
            let refused = query(&mut connection, None, None, sql, &mut |_| true).expect_err(sql);
            let told = "The statement is not valid SQL: no such function: load_extension";
            assert_eq!(refused.to_string().to_lowercase(), told.to_lowercase(), "{sql}");
            assert_eq!(refused.code(), Error::InvalidSql(String::new()).code(), "{sql}");
        }
    }

    /// A clock that advances by a second at each reading.
    fn one_second_per_reading() -> i64 {
        static MILLIS: AtomicI64 = AtomicI64::new(0);
        MILLIS.fetch_add(1000, Ordering::Relaxed)
    }

    #[test]
    fn a_query_that_takes_too_long_is_stopped() {
        let mut connection = Connection::open_in_memory().expect("memory is there");
        let sql =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 5000) SELECT max(x) FROM n";
        let stopped = query(&mut connection, Some(one_second_per_reading), None, sql, &mut |_| true)
            .expect_err("stopped");
        assert_eq!(stopped.code(), "sql_stopped");
        assert!(
            query(&mut connection, None, None, sql, &mut |_| true).is_ok(),
            "without a clock, steps alone count"
        );
    }

    #[test]
    fn the_heap_is_limited_while_a_query_runs_and_not_afterwards() {
        let mut connection = Connection::open_in_memory().expect("memory is there");
        let mut limit_bytes = 0;
        let mut takes = |_: &[Cell]| {
            limit_bytes = heap_limit::present_bytes();
            true
        };
        query(&mut connection, None, None, "SELECT 1", &mut takes).expect("it reads");
        assert!(limit_bytes > 0);
        // Other tests run queries at the same time.
        assert!((0..10_000_000).any(|_| heap_limit::present_bytes() == 0));
    }

    #[test]
    fn functions_and_values_that_take_hours_in_one_step_are_refused() {
        let mut connection = Connection::open_in_memory().expect("memory is there");
        for (sql, code) in [
            ("SELECT instr(zeroblob(9000000), zeroblob(4500000) || x'01')", "sql_refused"),
            ("SELECT length(randomblob(9000000))", "sql_refused"),
            ("SELECT unhex(printf('%.*c', 65000, '-'), printf('%.*c', 64000, 'x') || '-')", "sql_refused"),
            ("SELECT json_patch('{' || printf('%.*c', 60000, ' ') || '}', '{}')", "sql_refused"),
            ("SELECT length(jsonb_patch('{}', '{}'))", "sql_refused"),
            (
                "SELECT json_pretty(printf('%.*c', 900, '[') || printf('%.*c', 900, ']'), printf('%.*c', 60000, ' '))",
                "sql_refused",
            ),
            ("SELECT replace(printf('%.*c', 9000, 'x'), 'x', printf('%.*c', 9000, 'y'))", "sql_stopped"),
            (
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 90000)
                 SELECT group_concat(x) FROM n",
                "sql_stopped",
            ),
            ("SELECT data FROM sqlite_dbpage", "sql_refused"),
        ] {
            let found = query(&mut connection, None, None, sql, &mut |_| true);
            // SQLite may lack the table of raw pages.
            let is_missing = found.as_ref().is_err_and(|error| error.to_string().contains("no such table"));
            assert!(is_missing || found.is_err_and(|error| error.code() == code), "{sql}");
        }
        for sql in ["SELECT length(printf('%.*c', 9000000, 'x'))", "SELECT length(format('%9000000d', 1))"] {
            let found = query(&mut connection, None, None, sql, &mut |_| true);
            assert!(found.map_or(true, |table| table.rows[0] != [Cell::Integer(9_000_000)]), "{sql}");
        }
    }
}
