//! Generates any number of memories, with embeddings by the test encoder: three domains, links, mentions of entities.

use std::path::Path;

use anyhow::{Result, bail};
use limbic_core::model::memory_words::{Category, MemoryType};
use limbic_core::store::graph::entities::Description;
use limbic_core::store::logs::audit::Actor;
use limbic_core::store::memories::{self, Filter, Link, NewMemory, Stored};
use limbic_core::store::{
    domains,
    vectors::{embedding_queue, embeddings},
};
use limbic_core::{Engine, Host, mutations};
use limbic_encoder::Encoder;
use limbic_protocol::{Encoding, Task, TaskKey, TextKind};
use serde_json::{Value, json};

use super::fill;
use limbic_memory::files;
use limbic_memory::host::SystemHost;
use limbic_memory::location::Location;

/// Number of memories per call.
const PER_UNIT: usize = 5_000;
/// Number of entities mentioned by the memories.
const ENTITIES: usize = 1_000;
/// Most memories are in the first domain, one in five in this one, one in a hundred in the other.
const LARGE: &str = "work";
const SMALL: &str = "small";

struct Filling;

impl Host for Filling {
    // Not a fixed time: hooks do not show memories whose confidence has decayed.
    fn now_millis(&self) -> i64 {
        SystemHost.now_millis()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// Stores memories with their vectors until the database has this number.
pub fn run(db: &Path, wanted: usize) -> Result<Value> {
    let connection = files::connect(&Location::parse(db, "--db")?, false, false)?;
    let mut memory = Engine::open(connection, Box::new(Filling), false)?;
    let encoder = Encoder::test();
    memory.store_encodings(&[], encoder.name())?;
    let every = Filter { include_contradicted: true, ..Filter::default() };
    let there = memory.read(|tx| memories::count(tx, &every))?;
    if there == 0 {
        memory.write(|tx| {
            domains::create(tx, LARGE, LARGE, None)?;
            domains::create(tx, SMALL, SMALL, None)?;
            for number in 0..ENTITIES {
                let name = named(number);
                mutations::entities::upsert(
                    tx,
                    Description { name: &name, entity_type: None, status: None },
                )?;
            }
            Ok(())
        })?;
    }
    for start in (there..wanted).step_by(PER_UNIT) {
        let end = wanted.min(start + PER_UNIT);
        let encodings = encode(&encoder, start, end)?;
        memory.write(|tx| {
            for (number, (vector, tokens)) in (start..end).zip(&encodings) {
                let actor = Actor { session_id: "bench", ..Actor::default() };
                let Stored::New(stored) =
                    mutations::memories::store(tx, &one(number), domain(number), actor)?
                else {
                    continue;
                };
                if let Some(link) = supported(number) {
                    mutations::memories::link(tx, &stored.id, &link, actor)?;
                }
                embeddings::store_text(
                    tx,
                    (TextKind::Memory, stored.number),
                    encoder.name(),
                    vector,
                    tokens,
                )?;
                embedding_queue::remove(tx, TextKind::Memory, stored.number)?;
            }
            Ok(())
        })?;
        eprintln!("{end} memories");
    }
    memory.close()?;
    Ok(json!({"memories": wanted}))
}

type Encoded = (Vec<f32>, limbic_protocol::TokenVectors);

fn encode(encoder: &Encoder, start: usize, end: usize) -> Result<Vec<Encoded>> {
    let tasks: Vec<Task> = (start..end)
        .map(|number| Task::Text {
            key: TaskKey { kind: TextKind::Memory, id: 0, text_hash: 1 },
            context: String::new(),
            text: text(number),
        })
        .collect();
    encoder
        .encode(&tasks)
        .into_iter()
        .map(|result| match result {
            Ok(Encoding::Text { vector, tokens, .. }) => Ok((vector, tokens)),
            other => bail!("a text gives no text's encoding: {other:?}"),
        })
        .collect()
}

/// One memory; the same for the same number. One in three supports an earlier one of its domain.
fn one(number: usize) -> NewMemory {
    let categories = Category::ALL;
    NewMemory {
        id: id(number),
        content: text(number),
        category: categories[(number / 7) % categories.len()],
        subject: fill::entity(number)["entityType"].as_str().unwrap_or_default().into(),
        path: format!("/team {}/week {}", number % 9, number % 53),
        tags: [format!("tag {}", number % 40)]
            .into_iter()
            .chain(number.is_multiple_of(1_000).then(|| "rare".into()))
            .collect(),
        memory_type: MemoryType::ALL[number % 3],
        importance: 1.0,
        confidence: 1.0,
        user_id: number.is_multiple_of(500).then(|| "user 7".into()),
        ..NewMemory::default()
    }
}

/// Returns the memory that one supports: an earlier one, in any domain.
fn supported(number: usize) -> Option<Link> {
    let earlier = number.checked_sub(300).filter(|_| number.is_multiple_of(3))?;
    Some(Link { target_id: id(earlier), link_type: "supports".into(), strength: 0.7, ..Link::default() })
}

fn id(number: usize) -> String {
    format!("0190d2a0-0000-7000-8000-{number:012}")
}

fn domain(number: usize) -> &'static str {
    match number % 100 {
        0 => SMALL,
        1..=20 => LARGE,
        _ => domains::FIRST,
    }
}

fn named(number: usize) -> String {
    format!("Case{number}")
}

fn text(number: usize) -> String {
    let entity = fill::entity(number);
    let observation = entity["observations"][0].as_str().unwrap_or_default();
    format!("{observation}, as {} says", named(number % ENTITIES))
}
