//! The tool explore_timeline.

use limbic_core::{
    Result,
    explore::timeline::{self, Counts, KINDS},
    store::interval::Interval,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Count records stored, superseded and ended, searches and accesses over time, in equal spans. For single events
    /// use explore_events.
    name: "explore_timeline",
    title: "Explore the timeline",
    toolset: Explorer,
    access: Read,
    idempotent: true,
    example: r#"{"buckets": 50}"#,
    handler: explore_timeline,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Start, ISO 8601; default the time of the first record.
    #[schemars(length(min = 1, max = 40))]
    pub since: Option<String>,
    /// End, ISO 8601, exclusive; default the current time.
    #[schemars(length(min = 1, max = 40))]
    pub until: Option<String>,
    /// Only memories of this domain, beside the records of the graph.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Maximum number of spans.
    #[serde(default = "default_buckets")]
    #[schemars(range(min = 1, max = 1000))]
    pub buckets: usize,
}

fn default_buckets() -> usize {
    100
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Start of the first span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// End of the last span, at most the given until.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Length of a span in seconds.
    pub bucket_seconds: i64,
    /// Spans, oldest first; none if nothing was stored before until, or since is in the future.
    pub buckets: Vec<BucketView>,
    /// Totals of all spans.
    pub totals: Happened,
}

/// A span of time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BucketView {
    /// Start of the span.
    pub start: String,
    /// Counts of the span.
    #[serde(flatten)]
    pub happened: Happened,
}

/// Counts of events.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Happened {
    /// Entities stored.
    pub entities: u64,
    /// Observations stored.
    pub observations: u64,
    /// Relations stored.
    pub relations: u64,
    /// Reflections stored.
    pub reflections: u64,
    /// Observations superseded.
    pub superseded: u64,
    /// Relations ended.
    pub ended: u64,
    /// Searches made.
    pub searches: u64,
    /// Accesses to entities; recorded per day, counted at the day's start.
    pub accesses: u64,
    /// Memories stored.
    pub memories: u64,
    /// Texts of memories replaced.
    pub memories_changed: u64,
    /// Memories ended.
    pub memories_ended: u64,
    /// Links between memories created.
    pub memories_linked: u64,
}

impl From<Counts> for Happened {
    fn from(counts: Counts) -> Self {
        let [
            entities,
            observations,
            relations,
            reflections,
            superseded,
            ended,
            searches,
            accesses,
            memories,
            memories_changed,
            memories_ended,
            memories_linked,
        ] = counts;
        Self {
            entities,
            observations,
            relations,
            reflections,
            superseded,
            ended,
            searches,
            accesses,
            memories,
            memories_changed,
            memories_ended,
            memories_linked,
        }
    }
}

fn explore_timeline(context: &mut Context<'_>, input: Input) -> Result<Output> {
    context.memory.read(|tx| {
        let interval = Interval::read(tx, input.since.as_deref(), input.until.as_deref())?;
        let domain = super::resolve_domain(tx, input.domain.as_deref())?;
        let Some(found) = timeline::timeline(tx, &interval, domain.as_deref(), input.buckets)? else {
            let totals = Happened::from([0; KINDS]);
            return Ok(Output { since: None, until: None, bucket_seconds: 0, buckets: Vec::new(), totals });
        };
        let mut totals = [0; KINDS];
        for bucket in &found.buckets {
            for (total, count) in totals.iter_mut().zip(bucket.counts) {
                *total += count;
            }
        }
        Ok(Output {
            since: Some(found.since),
            until: Some(found.until),
            bucket_seconds: found.bucket_seconds,
            buckets: found
                .buckets
                .into_iter()
                .map(|bucket| BucketView { start: bucket.start, happened: bucket.counts.into() })
                .collect(),
            totals: totals.into(),
        })
    })
}
