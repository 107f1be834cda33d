//! The tool memory_list.

use std::collections::BTreeMap;

use limbic_core::{
    Error, Result,
    model::text::echo,
    store::{
        graph::origin_records,
        memories::{self, Filter, Position, Sort},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, answer_tokens},
    context::Context,
    cursor,
    schema::Short,
    tool::tool,
    views::memory::{Category, Heat, MemoryView, Tier},
};

tool! {
    /// List memories page by page, by filters. To answer a question use memory_recall.
    name: "memory_list",
    title: "List memories",
    toolset: Memory,
    brief: &["limit", "cursor", "category", "domain", "sort", "include_expired"],
    access: Read,
    idempotent: true,
    example: r#"{"category": "convention", "limit": 5}"#,
    handler: memory_list,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Maximum number of memories.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    pub cursor: Option<String>,
    /// Only this category.
    pub category: Option<Category>,
    /// Domain id, or "*" for all; default the current one.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only memories of this user: a filter, not access control.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Only this tier.
    pub tier: Option<Tier>,
    /// Only this heat.
    pub heat: Option<Heat>,
    /// Order: newest, most trusted or most used first.
    #[serde(default)]
    pub sort: Order,
    /// Only memories written by this origin: a label such as client:NAME or import:FILE#ID, a session or an import.
    #[schemars(length(min = 1, max = 300))]
    pub origin: Option<String>,
    /// Only memories valid at this time (ISO 8601), with their content then.
    pub as_of: Option<String>,
    /// Include expired and invalidated memories.
    #[serde(default)]
    pub include_expired: bool,
    /// Answer budget in 4-character tokens.
    #[serde(default = "answer_tokens")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub max_tokens: usize,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Order {
    #[default]
    Recency,
    Confidence,
    Access,
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Self::Recency => "recency",
            Self::Confidence => "confidence",
            Self::Access => "access",
        }
    }
}

fn default_limit() -> usize {
    20
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Memories as in memory_get, without links and history.
    #[schemars(with = "Vec<Short<MemoryView>>")]
    pub memories: Vec<MemoryView>,
    /// Total count.
    pub total: usize,
    /// With origin: counts of the graph's records that it wrote; memory_maintain lists and deletes them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    pub graph: BTreeMap<&'static str, usize>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

fn memory_list(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(|text| position(text, input.sort)).transpose()?;
    let domain = super::domain(context, input.domain)?;
    let filter = Filter {
        domain: domain.as_deref(),
        category: input.category.map(Into::into),
        user_id: input.user_id.as_deref(),
        tier: input.tier.map(Into::into),
        heat: input.heat.map(Into::into),
        origin: input.origin.as_deref(),
        visible_in: context.visible_in,
        as_of: input.as_of.as_deref(),
        include_expired: input.include_expired,
        include_contradicted: true,
        ..Filter::default()
    };
    let sort = match input.sort {
        Order::Recency => Sort::Recency,
        Order::Confidence => Sort::Confidence,
        Order::Access => Sort::Access,
    };
    let texts = context.options.texts();
    context.memory.read(|tx| {
        let total = memories::count(tx, &filter)?;
        let mut budget = Budget::new(input.max_tokens);
        let mut memories = Vec::new();
        // One more shows whether there is another page.
        let places = memories::positions(tx, &filter, sort, input.limit.saturating_add(1), after.as_ref())?;
        for place in places.iter().take(input.limit) {
            let Some(memory) = memories::in_rows(tx, &[place.row])?.pop() else { continue };
            let memory = memories::in_words_of(tx, memory, filter.as_of)?;
            let memory = match filter.as_of {
                None => MemoryView::marked(tx, memory, texts)?,
                Some(_) => MemoryView::earlier(tx, memory, texts)?,
            };
            if !budget.take(&memory) {
                break;
            }
            memories.push(memory);
        }
        let last = (memories.len() < places.len()).then(|| places.get(memories.len().saturating_sub(1)));
        let graph = match (filter.origin, filter.user_id) {
            (Some(origin), None) => origin_records::counts(tx, origin)?.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        let next_cursor = last.flatten().and_then(|last| cursor_after(last, input.sort));
        Ok(Output { memories, total, graph, next_cursor })
    })
}

/// Returns the cursor of the page after a memory.
fn cursor_after(last: &Position, sort: Order) -> Option<String> {
    Some(cursor::after(&[sort.name(), &cursor::key_of(&last.key)?, &last.row.to_string()]))
}

/// Parses a cursor of a list in this order.
fn position(text: &str, sort: Order) -> Result<Position> {
    let [name, key, row] = cursor::keys(text)?;
    if name != sort.name() {
        return Err(Error::invalid(format!(
            "cursor must be that of a list with the same sort, {}, or absent for the first page, but got {:?}",
            sort.name(),
            echo(text)
        )));
    }
    let parsed = cursor::value_of(&key).zip(row.parse().ok());
    parsed.map(|(key, row)| Position { key, row }).ok_or_else(|| cursor::invalid(text))
}
