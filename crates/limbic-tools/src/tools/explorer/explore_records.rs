//! The tool explore_records.

use std::collections::BTreeMap;

use limbic_core::{
    Result, Transaction,
    explore::{
        interval::Interval,
        lists::{
            self, Request, entity_list, link_list, memory_list, observation_list, reflection_list,
            relation_list,
        },
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    memory_rows::{LinkRow, MemoryRow},
    rows::{EntityRow, ObservationRow, ReflectionRow, RelationRow, views},
};
use crate::{context::Context, tool::tool};

tool! {
    /// List the records of one kind, filtered and ordered by any column, a page at any place of the list.
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
    /// What to list.
    pub kind: Kind,
    /// Only records with all of these words, or parts of words, in them, in upper or lower case.
    #[schemars(length(min = 1, max = 2000))]
    pub text: Option<String>,
    /// Only records of entities of this type, and memories that mention one; of relations one end is enough. Links take
    /// none.
    #[schemars(length(min = 1, max = 500))]
    pub entity_type: Option<String>,
    /// Entities: their status. Observations: current, superseded or flagged. Relations: active or ended. Memories:
    /// current, ended, expired or contradicted. Links: link or reference.
    #[schemars(length(min = 1, max = 500))]
    pub status: Option<String>,
    /// Only memories of this domain, and links that touch it; other records are not of any.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only records whose columns are exactly so: names of columns, with their values as text.
    #[serde(default)]
    pub filter: BTreeMap<String, String>,
    /// Only records stored from this moment on.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only records stored before this moment.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
    /// The column to order by; texts without regard to case, what is missing first.
    #[serde(default = "default_sort")]
    #[schemars(length(min = 1, max = 50))]
    pub sort: String,
    /// Whether the last comes first.
    #[serde(default)]
    pub descending: bool,
    /// The most rows.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// How many rows to pass over.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub offset: usize,
}

/// What to list.
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

fn default_sort() -> String {
    "id".into()
}

fn default_limit() -> usize {
    100
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What is listed.
    pub kind: &'static str,
    /// The page.
    pub rows: Rows,
    /// How many records there are that fit.
    pub total: u64,
    /// The columns that sort and filter take.
    pub columns: Vec<&'static str>,
}

/// The page: all rows are of the kind asked for.
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
            offset: input.offset,
        };
        match input.kind {
            Kind::Entities => list(tx, &entity_list::KIND, request, |rows| Rows::Entities(views(rows))),
            Kind::Observations => {
                list(tx, &observation_list::KIND, request, |rows| Rows::Observations(views(rows)))
            }
            Kind::Relations => list(tx, &relation_list::KIND, request, |rows| Rows::Relations(views(rows))),
            Kind::Reflections => {
                list(tx, &reflection_list::KIND, request, |rows| Rows::Reflections(views(rows)))
            }
            Kind::Memories => list(tx, &memory_list::KIND, request, |rows| {
                Rows::Memories(rows.into_iter().map(|row| MemoryRow::new(row, tx.now_millis())).collect())
            }),
            Kind::Links => list(tx, &link_list::KIND, request, |rows| Rows::Links(views(rows))),
        }
    })
}

fn list<R>(
    tx: &Transaction<'_>,
    kind: &lists::Kind<R>,
    request: Request<'_>,
    view: impl FnOnce(Vec<R>) -> Rows,
) -> Result<Output> {
    let (total, found) = lists::page(tx, kind, request)?;
    Ok(Output {
        kind: kind.name,
        rows: view(found),
        total,
        columns: kind.columns.iter().map(|column| column.name).collect(),
    })
}
