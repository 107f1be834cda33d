//! The tool explore_events.

use limbic_core::{
    Error, Result,
    explore::events::{self, Cursor, Event},
    store::interval::Interval,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// List events of the database one by one, newest first. For counts over time use explore_timeline.
    name: "explore_events",
    title: "Explore events",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"kinds": ["observation_added", "search"], "limit": 20}"#,
    handler: explore_events,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only events at or after this time, ISO 8601.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only events before this time, ISO 8601.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
    /// Only memories of this domain, beside the events of the graph; the domain of deleted memories is unknown.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Only events of these kinds.
    #[schemars(length(min = 1, max = 14))]
    pub kinds: Option<Vec<EventKind>>,
    /// Maximum number of events.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: usize,
    /// next_cursor of the previous page.
    #[schemars(length(min = 1, max = 100))]
    pub cursor: Option<String>,
}

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EventKind {
    EntityCreated,
    ObservationAdded,
    ObservationSuperseded,
    RelationCreated,
    RelationEnded,
    ReflectionAdded,
    Search,
    Access,
    MemoryStored,
    MemoryChanged,
    MemoryEnded,
    MemoryLinked,
    MemoryUsed,
    MemoryForgotten,
}

impl EventKind {
    fn name(self) -> &'static str {
        match self {
            Self::EntityCreated => "entity_created",
            Self::ObservationAdded => "observation_added",
            Self::ObservationSuperseded => "observation_superseded",
            Self::RelationCreated => "relation_created",
            Self::RelationEnded => "relation_ended",
            Self::ReflectionAdded => "reflection_added",
            Self::Search => "search",
            Self::Access => "access",
            Self::MemoryStored => "memory_stored",
            Self::MemoryChanged => "memory_changed",
            Self::MemoryEnded => "memory_ended",
            Self::MemoryLinked => "memory_linked",
            Self::MemoryUsed => "memory_used",
            Self::MemoryForgotten => "memory_forgotten",
        }
    }
}

fn default_limit() -> usize {
    100
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Newest first.
    pub events: Vec<Event>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

fn explore_events(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(cursor).transpose()?;
    let kinds: Vec<&str> = input.kinds.iter().flatten().map(|kind| kind.name()).collect();
    context.memory.read(|tx| {
        let interval = Interval::read(tx, input.since.as_deref(), input.until.as_deref())?;
        let domain = super::resolve_domain(tx, input.domain.as_deref())?;
        let (events, next) =
            events::page(tx, &kinds, &interval, domain.as_deref(), after.as_ref(), input.limit)?;
        Ok(Output {
            events,
            next_cursor: next.map(|cursor| format!("{}.{}.{}", cursor.kind, cursor.id, cursor.at)),
        })
    })
}

/// Parses a cursor.
fn cursor(text: &str) -> Result<Cursor> {
    let mut parts = text.splitn(3, '.');
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    match (number(), number(), parts.next()) {
        (Some(kind), Some(id), Some(at)) => Ok(Cursor { at: at.to_owned(), kind, id }),
        _ => Err(Error::invalid(format!(
            "cursor must be the next_cursor of the previous page, or absent for the first, but got {text:?}"
        ))),
    }
}
