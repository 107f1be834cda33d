//! A filter selects the same memories whether it is evaluated row by row or for all memories at once.

use anyhow::{Result, ensure};
use limbic_core::{
    Engine, Transaction,
    model::memory_words::{Category, Heat, MemoryType, Tier},
    mutations,
    store::{
        domains,
        logs::audit::Actor,
        memories::{self, Filter, FilterEvaluator, Link, NewMemory, Sort},
    },
};
use limbic_tests::memory::{NoHost, connect};

/// More memories than a filter tests one by one.
const MANY: usize = 2_300;

const ACTOR: Actor<'_> = Actor { session_id: "test", reason: None, origin: None };

fn fill(tx: &Transaction<'_>) -> limbic_core::Result<()> {
    domains::create(tx, "small", "small", None)?;
    for number in 0..MANY {
        let memory = NewMemory {
            id: format!("m{number}"),
            content: format!("Somebody counted ship {number} tonight"),
            category: Category::ALL[number % Category::ALL.len()],
            memory_type: MemoryType::ALL[number % 3],
            subject: if number.is_multiple_of(7) { "ships".into() } else { String::new() },
            tags: (number.is_multiple_of(50)).then(|| "rare".to_owned()).into_iter().collect(),
            tier: (number.is_multiple_of(9)).then_some(Tier::L0),
            user_id: number.is_multiple_of(11).then(|| "ada".to_owned()),
            importance: 1.0,
            confidence: 1.0,
            path: format!("/{}/{number}", number % 5),
            ..NewMemory::default()
        };
        let domain = if number.is_multiple_of(10) { "small" } else { domains::FIRST };
        mutations::memories::store(tx, &memory, domain, ACTOR)?;
    }
    for number in (10..MANY).step_by(10) {
        let link = Link {
            target_id: format!("m{}", number - 3),
            link_type: "contradicts".into(),
            strength: 1.0,
            ..Link::default()
        };
        mutations::memories::link(tx, &format!("m{number}"), &link, ACTOR)?;
    }
    // Rows that another program writes have no tier and no heat.
    tx.execute_batch(
        "UPDATE MEMORY_NODES SET tier = NULL, heat = NULL WHERE id LIKE '%5';
         UPDATE MEMORY_NODES SET valid_until = '2001-01-01T00:00:00.000Z' WHERE id LIKE '%8'",
    )?;
    Ok(())
}

#[test]
fn a_filter_selects_the_same_memories_with_every_index() -> Result<()> {
    let mut memory = Engine::open(connect(std::path::Path::new(":memory:"))?, Box::new(NoHost), false)?;
    memory.write(fill)?;
    let rare = ["rare".to_owned()];
    let all = Filter::default();
    let filters = [
        ("all", all.clone()),
        ("contradicted too", Filter { include_contradicted: true, ..all.clone() }),
        ("of the large domain", Filter { domain: Some(domains::FIRST), ..all.clone() }),
        ("of the small domain", Filter { domain: Some("small"), ..all.clone() }),
        ("of a user", Filter { user_id: Some("ada"), ..all.clone() }),
        ("on a subject", Filter { subject: Some("ships"), category: Some(Category::Fact), ..all.clone() }),
        ("with a tag", Filter { tags: &rare, category: Some(Category::Fact), ..all.clone() }),
        ("of a type", Filter { memory_type: Some(MemoryType::Episodic), ..all.clone() }),
        ("in a tier", Filter { tier: Some(Tier::L0), ..all.clone() }),
        ("in the usual tier", Filter { tier: Some(Tier::L4), ..all.clone() }),
        ("of the usual heat", Filter { heat: Some(Heat::Cold), domain: Some("small"), ..all.clone() }),
        ("below a path", Filter { path: Some("/3"), ..all.clone() }),
        ("at any time", Filter { include_expired: true, user_id: Some("ada"), ..all.clone() }),
    ];
    for (name, filter) in filters {
        memory.read(|tx| {
            let mut evaluator = FilterEvaluator::new(tx, &filter)?;
            let mut each = Vec::new();
            for number in 1..=i64::try_from(MANY).unwrap_or(0) {
                if memories::admits(tx, &filter, number)? {
                    each.push(number);
                }
            }
            let mut at_once: Vec<i64> = evaluator.all(tx)?.iter().copied().collect();
            at_once.sort_unstable();
            let mut listed: Vec<i64> = memories::list(tx, &filter, Sort::Recency, MANY)?
                .iter()
                .map(|memory| memory.number)
                .collect();
            listed.sort_unstable();
            assert!(!each.is_empty() && each.len() < MANY + 1, "{name}: {}", each.len());
            assert_eq!(each, at_once, "{name}");
            assert_eq!(each, listed, "{name}");
            assert_eq!(each.len(), memories::count(tx, &filter)?, "{name}");
            Ok(())
        })?;
    }
    ensure!(memory.read(|tx| memories::count(tx, &all))? < MANY, "nothing was left out");
    Ok(())
}
