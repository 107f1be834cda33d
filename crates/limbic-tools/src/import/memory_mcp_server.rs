//! JSONL of Memory MCP Server: memories, entities and relations, distinguished by their fields.

use std::collections::HashMap;

use limbic_core::{
    Result, Transaction,
    model::{entity_status::EntityStatus, memory_words::Word, text::content_hash},
    records::{Entity, Memory, Merger, Outcome, Record, Relation},
    store::memories,
};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value, value::RawValue};

use super::{batches::Work, lines::Line, report::Report};
use crate::surreal_ids::Thing;

/// Maximum size of metadata that is parsed, in bytes; a memory may have less.
const MAX_METADATA_BYTES: usize = 1_000_000;

const MEMORIES: [&str; 2] = ["memories", "memory"];
const ENTITIES: [&str; 2] = ["entities", "entity"];

/// The records of a line.
#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    id: Option<Thing>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    memory_type: Option<String>,
    #[serde(default, deserialize_with = "object")]
    metadata: Option<String>,
    #[serde(default)]
    event_time: Option<String>,
    #[serde(default)]
    ingestion_time: Option<String>,
    #[serde(default)]
    importance_score: Option<f64>,
    #[serde(default)]
    invalidation_reason: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    entity_type: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default, rename = "in")]
    from: Option<Thing>,
    #[serde(default, rename = "out")]
    to: Option<Thing>,
    #[serde(default)]
    relation_type: Option<String>,
    #[serde(default)]
    weight: Option<f64>,
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    valid_from: Option<String>,
    #[serde(default)]
    valid_until: Option<String>,
}

/// Reads an object as JSON. One over the maximum size is not parsed, which takes up to thirty times its size, but
/// returned as it is written.
fn object<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    let Some(json) = Option::<Box<RawValue>>::deserialize(deserializer)? else { return Ok(None) };
    if json.get().len() > MAX_METADATA_BYTES {
        return Ok(Some(json.get().to_owned()));
    }
    let fields: Map<String, Value> = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
    Ok(Some(Value::Object(fields).to_string()))
}

/// Whether a line has this format: a name or a text alone is not enough.
pub fn is_known(line: &[u8]) -> bool {
    let Ok(item) = serde_json::from_slice::<Item>(line) else { return false };
    let is_memory = item.content.is_some()
        && (item.memory_type.is_some() || item.ingestion_time.is_some() || item.importance_score.is_some());
    is_memory || item.name.is_some() && item.entity_type.is_some() || item.is_relation()
}

/// The import of lines; invalid lines are skipped and reported by number. A relation may precede its entities, so the
/// file is read twice.
pub struct Items {
    report: Report,
    merger: Merger,
    /// Names of entities by their ids.
    names: HashMap<String, String>,
    /// Whether this pass stores relations, or everything else.
    relations: bool,
}

impl Items {
    /// Stores nothing yet.
    pub fn new(merger: Merger) -> Self {
        Self { report: Report::default(), merger, names: HashMap::new(), relations: false }
    }
}

impl Work for Items {
    fn readings(&self) -> u64 {
        2
    }

    fn read_again(&mut self) {
        self.relations = true;
    }

    fn line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()> {
        let item = line
            .bytes
            .clone()
            .and_then(|bytes| serde_json::from_slice::<Item>(bytes).map_err(|error| error.to_string()));
        let (kind, outcome) = match item {
            Ok(item) if self.relations => match item.relation(&self.names) {
                Some(relation) => (Relation::KIND, relation.merge(tx, &mut self.merger)?),
                None => return Ok(()),
            },
            // The first pass has reported the error.
            Err(_) if self.relations => return Ok(()),
            Ok(item) if item.is_relation() => return Ok(()),
            Ok(item) if item.content.is_some() => {
                (Memory::KIND, item.memory(tx)?.merge(tx, &mut self.merger)?)
            }
            Ok(item) => match item.name {
                Some(name) => {
                    if let Some(id) = &item.id {
                        self.names.insert(id.id(&ENTITIES), name.clone());
                    }
                    let entity = Entity {
                        name,
                        entity_type: item.entity_type.unwrap_or_else(|| "unknown".to_owned()),
                        status: EntityStatus::Active.word().to_owned(),
                        description: item.description,
                        user_id: item.user_id,
                        updated_at: item.created_at.clone(),
                        created_at: item.created_at,
                    };
                    let outcome = match entity.name.is_empty() {
                        true => Outcome::Refused("a name must not be empty".into()),
                        false => entity.merge(tx, &mut self.merger)?,
                    };
                    (Entity::KIND, outcome)
                }
                None => ("line", Outcome::Refused("it is not a memory, an entity or a relation".into())),
            },
            Err(reason) => ("line", Outcome::Refused(reason)),
        };
        self.report.count(kind, outcome, || format!("line {}", line.number));
        Ok(())
    }

    fn complete(&mut self, tx: &Transaction<'_>) -> Result<()> {
        self.merger.flush(tx)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn into_report(self: Box<Self>) -> Report {
        self.report
    }
}

impl Item {
    fn is_relation(&self) -> bool {
        self.from.is_some() && self.to.is_some() && self.relation_type.is_some()
    }

    /// Returns its id; without one, it is derived from the text and the owner, so that a second import recognises it.
    fn memory_id(&self, tx: &Transaction<'_>) -> Result<String> {
        if let Some(id) = &self.id {
            return Ok(id.id(&MEMORIES));
        }
        let derived = |text: &str| format!("imported-{:016x}", content_hash(text));
        let content = self.content.as_deref().unwrap_or_default();
        let Some(owner) = self.user_id.as_deref().filter(|owner| !owner.is_empty()) else {
            return Ok(derived(content));
        };
        // Earlier versions derived the id from the text alone.
        let earlier = derived(content);
        let is_stored =
            memories::find(tx, &earlier)?.is_some_and(|known| known.user_id.as_deref() == Some(owner));
        Ok(if is_stored { earlier } else { derived(&format!("{owner}\0{content}")) })
    }

    fn memory(self, tx: &Transaction<'_>) -> Result<Memory> {
        let id = self.memory_id(tx)?;
        let usual = Memory::default();
        Ok(Memory {
            id,
            content: self.content.unwrap_or_default(),
            memory_type: self.memory_type.map_or(usual.memory_type, |word| Word::of(&word)),
            importance: self.importance_score.unwrap_or(usual.importance),
            metadata: self.metadata,
            created_at: self.ingestion_time.clone(),
            ingestion_time: self.ingestion_time,
            event_time: self.event_time,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            invalidation_reason: self.invalidation_reason,
            user_id: self.user_id,
            ..Memory::default()
        })
    }

    fn relation(self, names: &HashMap<String, String>) -> Option<Relation> {
        let name = |thing: Option<Thing>| {
            let id = thing?.id(&ENTITIES);
            Some(names.get(&id).cloned().unwrap_or(id))
        };
        Some(Relation {
            from: name(self.from)?,
            to: name(self.to)?,
            relation_type: self.relation_type?,
            context: None,
            weight: self.weight.unwrap_or(1.0),
            active: self.valid_until.is_none(),
            created_at: self.valid_from,
            valid_from: None,
            ended_at: self.valid_until,
        })
    }
}
