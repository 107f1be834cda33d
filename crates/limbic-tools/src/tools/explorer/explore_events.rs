//! The tool explore_events.

use limbic_core::{
    Error, Result,
    explore::{
        events::{self, Event, Place},
        interval::Interval,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::memory_rows::LINK_CHARACTERS;
use crate::{context::Context, tool::tool, tools::memory::titles::one_line, views::memory::shown};

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
    /// Only events at or after this time.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// Only events before this time.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
    /// Of memories only those of this domain; the domain of deleted ones is unknown.
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
    pub events: Vec<EventView>,
    /// Cursor of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// An event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventView {
    /// Kind of event.
    pub kind: &'static str,
    /// When; of an access, the day only.
    pub at: String,
    /// Id of the entity, observation, relation, reflection or search; for memories, a number that orders events of a
    /// kind.
    pub id: i64,
    /// Id of the entity concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<i64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Text of an observation, reflection, query or memory, for a changed memory the previous text; type of an
    /// entity; type and target of a relation; both endpoints and type of a link; reason for a deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Count of results of a search, or of accesses to an entity that day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i64>,
    /// Id of the memory concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

impl From<Event> for EventView {
    fn from(event: Event) -> Self {
        Self {
            kind: event.kind,
            at: event.at,
            id: event.id,
            entity_id: event.entity_id,
            entity: event.entity,
            text: event.text.map(|text| match event.kind {
                // Of both memories only the beginning is shown.
                "memory_linked" => one_line(&text, 2 * LINK_CHARACTERS),
                _ if event.memory.is_some() => shown(text),
                _ => text,
            }),
            count: event.count,
            memory: event.memory,
        }
    }
}

fn explore_events(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let after = input.cursor.as_deref().map(place).transpose()?;
    let kinds: Vec<&str> = input.kinds.iter().flatten().map(|kind| kind.name()).collect();
    context.memory.read(|tx| {
        let interval = Interval::read(tx, input.since.as_deref(), input.until.as_deref())?;
        let domain = super::resolve_domain(tx, input.domain.as_deref())?;
        let (found, next) =
            events::page(tx, &kinds, &interval, domain.as_deref(), after.as_ref(), input.limit)?;
        Ok(Output {
            events: found.into_iter().map(EventView::from).collect(),
            next_cursor: next.map(|place| format!("{}.{}.{}", place.kind, place.id, place.at)),
        })
    })
}

/// Parses a cursor.
fn place(text: &str) -> Result<Place> {
    let mut parts = text.splitn(3, '.');
    let mut number = || parts.next().and_then(|part| part.parse().ok());
    match (number(), number(), parts.next()) {
        (Some(kind), Some(id), Some(at)) => Ok(Place { at: at.to_owned(), kind, id }),
        _ => Err(Error::invalid(format!(
            "cursor must be the next_cursor of the previous page, or absent for the first; it got {text:?}"
        ))),
    }
}
