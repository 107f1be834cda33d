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
    /// The place after which the page begins; the start of the list if `None`.
    pub after: Option<&'a Place>,
    /// Number of rows to skip.
    pub offset: usize,
}

/// The place of a row in a list, also when it is no longer there: the value of the column that orders the list, what
/// orders rows with equal values, and the row's key.
pub type Place = [Value; 3];

/// A page of rows of one kind.
pub struct Page<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// Count of all matching rows.
    pub total: u64,
    /// The place of the last one, if others come after it.
    pub last: Option<Place>,
}

/// Returns one page of a kind's rows.
///
/// # Errors
/// [`Error::InvalidArgument`] for a column, status or type that the kind does not have.
pub fn page<R>(tx: &Transaction<'_>, kind: &Kind<R>, request: Request<'_>) -> Result<Page<R>> {
    let conditions = conditions(tx, kind, request)?;
    let by = order_column(kind, request)?;
    let direction = if request.descending { "DESC" } else { "ASC" };
    let (from, id, key) = (kind.from, kind.id, kind.key);
    let total = tx
        .prepare_cached(&format!("SELECT count(*) FROM {from}{}", conditions.sql()))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?;
    let mut paged = conditions;
    if let Some(place) = request.after {
        let after = after(&mut paged, (&by, id, key), place, request.descending);
        paged.and_plain(&after);
    }
    // One more shows whether there is another page.
    let limit = paged.value(whole(request.limit.saturating_add(1)));
    let offset = paged.value(whole(request.offset));
    let mut places: Vec<Place> = tx
        .prepare_cached(&format!(
            "SELECT {by}, {id}, {key} FROM {from}{} ORDER BY {by} {direction}, {id} {direction}, {key} {direction}
             LIMIT {limit} OFFSET {offset}",
            paged.sql(),
        ))?
        .query_map(params_from_iter(paged.values()), |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?
        .collect::<rusqlite::Result<_>>()?;
    let has_more = places.len() > request.limit;
    places.truncate(request.limit);
    let mut rows = Vec::with_capacity(places.len());
    for [_, _, key] in &places {
        rows.extend((kind.get)(tx, key)?);
    }
    Ok(Page { rows, total, last: places.pop().filter(|_| has_more) })
}

/// Returns SQL for: a row comes after this place. Missing values are the lowest.
fn after(
    conditions: &mut Conditions,
    (by, id, key): (&str, &str, &str),
    [value, last_id, last_key]: &Place,
    descending: bool,
) -> String {
    let is_missing = *value == Value::Null;
    let [value, last_id, last_key] = [value, last_id, last_key].map(|it| conditions.value(it.clone()));
    let (sign, others) = match (descending, is_missing) {
        (false, false) => (">", format!("{by} > {value}")),
        (false, true) => (">", format!("{by} IS NOT NULL")),
        (true, false) => ("<", format!("({by} < {value} OR {by} IS NULL)")),
        (true, true) => ("<", "0".to_owned()),
    };
    format!("({others} OR {by} IS {value} AND ({id}, {key}) {sign} ({last_id}, {last_key}))")
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

/// Maximum number of characters by which texts are ordered, so that cursors stay short.
const MAX_SORT_CHARS: usize = 200;

/// Returns SQL for what a list is ordered by.
fn order_column<R>(kind: &Kind<R>, request: Request<'_>) -> Result<String> {
    let by = column(kind, "sort", request.sort)?;
    Ok(if by.is_text { format!("substr(fold({}), 1, {MAX_SORT_CHARS})", by.sql) } else { by.sql.to_owned() })
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
