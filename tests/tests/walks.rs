//! Walks to the neighbours of memories that share what they read find the same memories as walks on their own.

use anyhow::{Result, ensure};
use limbic_core::{
    Engine, Transaction, mutations,
    store::{
        domains,
        logs::audit::Actor,
        memories::{
            NewMemory,
            sequences::{self, Position, Side},
            stretches::Stretches,
        },
    },
};
use limbic_protocol::SplitMix64;
use limbic_tests::memory::{NoHost, connect};

const MEMORIES: usize = 400;

const SEEDS: u64 = 24;

const ACTOR: Actor<'_> = Actor { session_id: "test", reason: None, origin: None };

/// Returns a number below another one.
fn below(random: &mut SplitMix64, limit: usize) -> usize {
    usize::try_from(random.below(u64::try_from(limit).unwrap_or(1))).unwrap_or_default()
}

/// Stores memories of several users, domains and sources, and deletes some of them.
fn fill(tx: &Transaction<'_>, random: &mut SplitMix64) -> limbic_core::Result<()> {
    domains::create(tx, "other", "other", None)?;
    let users = 1 + below(random, 3);
    for number in 0..MEMORIES {
        let memory = NewMemory {
            id: format!("m{number}"),
            content: format!("Somebody counted ship {number} tonight"),
            user_id: Some(below(random, users)).filter(|user| *user > 0).map(|user| format!("user {user}")),
            source: Some(format!("source {}", below(random, 3))),
            path: "/".into(),
            importance: 1.0,
            confidence: 1.0,
            ..NewMemory::default()
        };
        let domain = if below(random, 4) == 0 { "other" } else { domains::FIRST };
        mutations::memories::store(tx, &memory, domain, ACTOR)?;
    }
    for _ in 0..MEMORIES / 10 {
        tx.execute("DELETE FROM MEMORY_NODES WHERE id = ?1", [format!("m{}", below(random, MEMORIES))])?;
    }
    Ok(())
}

/// Walks from a memory, and on from the last one found, as a search does. Returns how many memories were found.
fn walk(
    tx: &Transaction<'_>,
    stretches: &mut Stretches,
    position: &Position,
    side: Side,
    limits: (usize, usize),
) -> limbic_core::Result<usize> {
    let near = stretches.adjacent(tx, &position.sequence, position, side, limits.0)?;
    assert_eq!(near, sequences::adjacent(tx, &position.sequence, (position.row, side), limits.0)?);
    let Some(last) = near.last() else { return Ok(0) };
    let far = stretches.adjacent(tx, &position.sequence, last, side, limits.1)?;
    assert_eq!(far, sequences::adjacent(tx, &position.sequence, (last.row, side), limits.1)?);
    Ok(near.len() + far.len())
}

#[test]
fn walks_that_share_what_they_read_find_the_same_memories() -> Result<()> {
    let mut found = 0;
    for seed in 0..SEEDS {
        let mut random = SplitMix64::new(seed);
        let mut memory = Engine::open(connect(std::path::Path::new(":memory:"))?, Box::new(NoHost), false)?;
        memory.write(|tx| fill(tx, &mut random))?;
        found += memory.read(|tx| {
            let numbers: Vec<i64> = (0..i64::try_from(MEMORIES).unwrap_or_default() + 1).collect();
            let positions: Vec<Position> = sequences::positions(tx, &numbers)?.into_values().collect();
            // Close to each other, so that walks meet.
            let window = 20 + below(&mut random, positions.len() - 20);
            let mut stretches = Stretches::default();
            let mut found = 0;
            for _ in 0..60 {
                let position = &positions[below(&mut random, window)];
                let limits = (1 + below(&mut random, 8), 1 + below(&mut random, 32));
                let sides = if below(&mut random, 2) == 0 {
                    [Side::Before, Side::After]
                } else {
                    [Side::After, Side::Before]
                };
                for side in sides {
                    found += walk(tx, &mut stretches, position, side, limits)?;
                }
            }
            Ok(found)
        })?;
    }
    ensure!(found > 10_000, "{found} neighbours");
    Ok(())
}
