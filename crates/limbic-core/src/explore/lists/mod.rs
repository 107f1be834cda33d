//! Pages of the records of one kind, filtered and ordered by any column.

pub mod entity_list;
pub mod observation_list;
pub mod relation_list;
pub mod reflection_list;
pub mod memory_list;
pub mod link_list;

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, params_from_iter, types::Value};

use crate::{
    Error, Result, Transaction,
    model::text,
    store::{conditions::Conditions, interval::Interval},
};

/// A column that lists can be ordered and filtered by.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name in rows.
    pub name: &'static str,
    /// Its SQL.
    pub sql: &'static str,
    /// Whether it contains text, which is ordered ignoring case.
    pub is_text: bool,
}

/// How `status` filters a kind of record.
#[derive(Debug, Clone, Copy)]
pub enum Statuses {
    /// A filter on a column.
    Column(&'static str),
    /// A filter with a condition for each word.
    Words(&'static [(&'static str, &'static str)]),
    /// A filter on an expression whose value is one of these words.
    Computed(&'static [&'static str], fn() -> String),
    /// `status` is not accepted.
    None,
}

/// A kind of record: the SQL of its rows, and how they are read.
pub struct Kind<R: 'static> {
    /// Its name, in the plural.
    pub name: &'static str,
    /// `FROM` clause.
    pub from: &'static str,
    /// Orders rows with equal values.
    pub id: &'static str,
    /// Key of a row. Only the rows of a page are read completely.
    pub key: &'static str,
    /// Columns accepted by sort and filter.
    pub columns: &'static [Column],
    /// Condition: one of the row's texts contains `?`, a folded text.
    pub contains: &'static str,
    /// Condition: the row belongs to an entity of type `?`; `None` if the kind has no entities.
    pub entity_type: Option<&'static str>,
    /// Condition: the row belongs to the domain `?`; `None` if the kind has no domains.
    pub domain: Option<&'static str>,
    /// Filter by `status`.
    pub statuses: Statuses,
    /// When the row was stored: `YYYY-MM-DD HH:MM:SS`, UTC.
    pub created: &'static str,
    /// Reads the row with a key.
    pub get: fn(&Transaction<'_>, &Value) -> Result<Option<R>>,
}

/// Filters, order and page of a list.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Only rows that contain all of these words or parts of words, ignoring case.
    pub text: Option<&'a str>,
    /// Only rows that belong to an entity of this type.
    pub entity_type: Option<&'a str>,
    /// Only rows of this status.
    pub status: Option<&'a str>,
    /// Only rows of this domain, where the kind has domains.
    pub domain: Option<&'a str>,
    /// Only rows with exactly these values, by column name.
    pub filter: &'a BTreeMap<String, String>,
    /// Only rows stored in this interval.
    pub interval: &'a Interval,
    /// The column that orders them.
    pub sort: &'a str,
    /// Whether the order is reversed.
    pub descending: bool,
    /// Maximum number of rows.
    pub limit: usize,
    /// Number of rows to skip.
    pub offset: usize,
}

/// Returns one page of a kind's rows, after the count of all matching rows.
///
/// # Errors
/// [`Error::InvalidArgument`] for a column, status or type that the kind does not have.
pub fn page<R>(tx: &Transaction<'_>, kind: &Kind<R>, request: Request<'_>) -> Result<(u64, Vec<R>)> {
    let conditions = conditions(tx, kind, request)?;
    let order = order(kind, request)?;
    let (from, wanted) = (kind.from, conditions.sql());
    let total = tx
        .prepare_cached(&format!("SELECT count(*) FROM {from}{wanted}"))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?;
    let mut paged = conditions;
    let limit = paged.value(whole(request.limit));
    let offset = paged.value(whole(request.offset));
    let keys: Vec<Value> = tx
        .prepare_cached(&format!(
            "SELECT {} FROM {from}{wanted} ORDER BY {order} LIMIT {limit} OFFSET {offset}",
            kind.key
        ))?
        .query_map(params_from_iter(paged.values()), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut rows = Vec::with_capacity(keys.len());
    for key in keys {
        rows.extend((kind.get)(tx, &key)?);
    }
    Ok((total, rows))
}

/// Returns the row with this key, if it exists.
fn one<R>(
    tx: &Transaction<'_>,
    (select, from, key): (&str, &str, &str),
    wanted: &Value,
    load: fn(&Row<'_>) -> rusqlite::Result<R>,
) -> Result<Option<R>> {
    let mut statement = tx.prepare_cached(&format!("SELECT {select} FROM {from} WHERE {key} = ?1"))?;
    Ok(statement.query_row([wanted], load).optional()?)
}

fn conditions<R>(tx: &Transaction<'_>, kind: &Kind<R>, request: Request<'_>) -> Result<Conditions> {
    let mut conditions = Conditions::default();
    for word in request.text.unwrap_or_default().split_whitespace() {
        conditions.and(kind.contains, text::fold(word));
    }
    if let Some(wanted) = request.entity_type {
        let belongs = kind.entity_type.ok_or_else(|| {
            Error::invalid(format!("{} have no type of entity: leave entity_type out", kind.name))
        })?;
        conditions.and(belongs, wanted.to_owned());
    }
    if let (Some(wanted), Some(belongs)) = (request.domain, kind.domain) {
        conditions.and(belongs, wanted.to_owned());
    }
    if let Some(wanted) = request.status {
        add_status(tx, kind, wanted, &mut conditions)?;
    }
    for (name, wanted) in request.filter {
        // Numbers and texts are compared as they are written; a whole number may be written without a fraction.
        let sql = column(kind, "filter", name)?.sql;
        let mut condition = format!("CAST({sql} AS TEXT) = ?");
        if wanted.parse::<i64>().is_ok() {
            condition.push_str(&format!(" OR typeof({sql}) = 'real' AND CAST({sql} AS TEXT) = ? || '.0'"));
        }
        conditions.and(&condition, wanted.clone());
    }
    conditions.and_within(kind.created, request.interval);
    Ok(conditions)
}

fn add_status<R>(
    tx: &Transaction<'_>,
    kind: &Kind<R>,
    wanted: &str,
    conditions: &mut Conditions,
) -> Result<()> {
    let unknown = |words: Vec<&str>| {
        Error::invalid(format!(
            "status must be one of {} for {}, but got {wanted:?}",
            words.join(", "),
            kind.name
        ))
    };
    match kind.statuses {
        Statuses::Column(sql) => conditions.and(&format!("{sql} = ?"), wanted.to_owned()),
        Statuses::Words(words) => {
            let Some((_, sql)) = words.iter().find(|(word, _)| *word == wanted) else {
                return Err(unknown(words.iter().map(|(word, _)| *word).collect()));
            };
            conditions.and_plain(sql);
        }
        Statuses::Computed(words, expression) => {
            if !words.contains(&wanted) {
                return Err(unknown(words.to_vec()));
            }
            let sql = conditions.at(&expression(), tx.now_text());
            let wanted = conditions.value(wanted.to_owned());
            conditions.and_plain(&format!("{sql} = {wanted}"));
        }
        Statuses::None => {
            return Err(Error::invalid(format!("{} have no status: leave it out", kind.name)));
        }
    }
    Ok(())
}

fn order<R>(kind: &Kind<R>, request: Request<'_>) -> Result<String> {
    let by = column(kind, "sort", request.sort)?;
    let direction = if request.descending { "DESC" } else { "ASC" };
    let sql = if by.is_text { format!("fold({})", by.sql) } else { by.sql.to_owned() };
    Ok(format!("{sql} {direction}, {} {direction}, {} {direction}", kind.id, kind.key))
}

fn column<R>(kind: &Kind<R>, argument: &str, name: &str) -> Result<Column> {
    kind.columns.iter().find(|column| column.name == name).copied().ok_or_else(|| {
        let known: Vec<&str> = kind.columns.iter().map(|column| column.name).collect();
        Error::InvalidArgument {
            message: format!("{argument} must name a column of {}, but got {name:?}", kind.name),
            hint: Some(format!("Columns: {}", known.join(", "))),
        }
    })
}

fn whole(count: usize) -> Value {
    Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A column with numbers, times or identifiers.
const fn plain(name: &'static str, sql: &'static str) -> Column {
    Column { name, sql, is_text: false }
}

/// A column with text.
const fn prose(name: &'static str, sql: &'static str) -> Column {
    Column { name, sql, is_text: true }
}
