//! The tool explore_records.

use std::collections::BTreeMap;

use limbic_core::{
    Error, Result, Transaction,
    explore::lists::{
        self, Place, Request,
        entity_list::{self, EntityRow},
        link_list::{self, LinkRow},
        memory_list::{self, MemoryRow},
        observation_list::{self, ObservationRow},
        reflection_list::{self, ReflectionRow},
        relation_list::{self, RelationRow},
    },
    model::text::echo,
    store::interval::Interval,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, cursor, tool::tool};

tool! {
    /// List the records of one kind, filtered and ordered by any column, with offset and limit.
    name: "explore_records",
    title: "Explore records",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"kind": "observations", "text": "tuesday", "sort": "created_at", "descending": true, "limit": 50}"#,
    handler: explore_records,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Kind of record.
    pub kind: Kind,
    /// Only records that contain all of these words or parts of words, ignoring case.
    #[schemars(length(min = 1, max = 2000))]
    pub text: Option<String>,
    /// Only records of entities of this type, memories that mention one, and relations with one as either endpoint.
    /// Not for links.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: Option<String>,
    /// Entities: their status. Observations: current, superseded or flagged. Relations: active or ended.
    /// Memories: current, ended, expired or contradicted. Links: link or reference.
    #[schemars(length(min = 1, max = 500))]
    pub status: Option<String>,
    /// Only memories of this domain, and links from or to it; other records have no domain.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only records with exactly these values: column names with values as text.
    #[serde(default)]
    pub filter: BTreeMap<String, String>,
    /// Only records stored at or after this time, ISO 8601.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only records stored before this time, ISO 8601.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
    /// Column to order by; texts ignoring case, missing values first.
    #[serde(default = "default_sort")]
    #[schemars(length(min = 1, max = 50))]
    pub sort: String,
    /// Reverse the order.
    #[serde(default)]
    pub descending: bool,
    /// Maximum number of rows.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
    /// Number of rows to skip.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub offset: usize,
}

/// Kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Kind {
    Entities,
    Observations,
    Relations,
    Reflections,
    Memories,
    Links,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Entities => entity_list::KIND.name,
            Self::Observations => observation_list::KIND.name,
            Self::Relations => relation_list::KIND.name,
            Self::Reflections => reflection_list::KIND.name,
            Self::Memories => memory_list::KIND.name,
            Self::Links => link_list::KIND.name,
        }
    }
}

fn default_sort() -> String {
    "id".into()
}

fn default_limit() -> usize {
    100
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Kind of record.
    pub kind: &'static str,
    /// The page.
    pub rows: Rows,
    /// Total count of matching records.
    pub total: u64,
    /// Columns accepted by sort and filter.
    pub columns: Vec<&'static str>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The page: all rows are of the requested kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Rows {
    Entities(Vec<EntityRow>),
    Observations(Vec<ObservationRow>),
    Relations(Vec<RelationRow>),
    Reflections(Vec<ReflectionRow>),
    Memories(Vec<MemoryRow>),
    Links(Vec<LinkRow>),
}

fn explore_records(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(|text| place(text, &input)).transpose()?;
    context.memory.read(|tx| {
        let interval = Interval::read(tx, input.since.as_deref(), input.until.as_deref())?;
        let domain = super::resolve_domain(tx, input.domain.as_deref())?;
        let request = Request {
            text: input.text.as_deref(),
            entity_type: input.entity_type.as_deref(),
            status: input.status.as_deref(),
            domain: domain.as_deref(),
            filter: &input.filter,
            interval: &interval,
            sort: &input.sort,
            descending: input.descending,
            limit: input.limit,
            after: after.as_ref(),
            offset: input.offset,
        };
        match input.kind {
            Kind::Entities => list(tx, &entity_list::KIND, request, Rows::Entities),
            Kind::Observations => list(tx, &observation_list::KIND, request, Rows::Observations),
            Kind::Relations => list(tx, &relation_list::KIND, request, Rows::Relations),
            Kind::Reflections => list(tx, &reflection_list::KIND, request, Rows::Reflections),
            Kind::Memories => list(tx, &memory_list::KIND, request, Rows::Memories),
            Kind::Links => list(tx, &link_list::KIND, request, Rows::Links),
        }
    })
}

fn list<R>(
    tx: &Transaction<'_>,
    kind: &lists::Kind<R>,
    request: Request<'_>,
    rows: impl FnOnce(Vec<R>) -> Rows,
) -> Result<Output> {
    let page = lists::page(tx, kind, request)?;
    let order = order_of(kind.name, request.sort, request.descending);
    Ok(Output {
        kind: kind.name,
        rows: rows(page.rows),
        total: page.total,
        columns: kind.columns.iter().map(|column| column.name).collect(),
        next_cursor: page.last.and_then(|last| cursor_after(&order, &last)),
    })
}

/// Names the order of a list, in which alone its cursors are valid.
fn order_of(kind: &str, sort: &str, descending: bool) -> String {
    format!("{kind}/{sort}/{}", if descending { "desc" } else { "asc" })
}

/// Returns the cursor of the page after a row.
fn cursor_after(order: &str, last: &Place) -> Option<String> {
    let [value, id, key] = last.each_ref().map(cursor::key_of);
    Some(cursor::after(&[order, &value?, &id?, &key?]))
}

/// Parses a cursor of such a list.
fn place(text: &str, input: &Input) -> Result<Place> {
    let [order, value, id, key] = cursor::keys(text)?;
    if order != order_of(input.kind.name(), &input.sort, input.descending) {
        return Err(Error::invalid(format!(
            "cursor must be that of a list with the same kind, sort and descending, or absent for the first page, but \
             got {:?}",
            echo(text)
        )));
    }
    match [value, id, key].map(|key| cursor::value_of(&key)) {
        [Some(value), Some(id), Some(key)] => Ok([value, id, key]),
        _ => Err(cursor::invalid(text)),
    }
}
