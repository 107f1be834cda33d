//! At the start of a session: the memories that matter for its project, within a budget.

use std::collections::BTreeSet;

use limbic_core::{
    Error, Result,
    store::{
        domains,
        memories::{self as rows, Filter, Sort},
    },
};
use serde_json::{Value, json};

use super::{event::Event, line, memories, of_user};
use crate::{
    Limbic,
    views::memory::{MemoryView, shown},
};

/// The most characters: about a thousand tokens.
const BUDGET: usize = 4_000;

/// The most memories of each group.
const MOST: usize = 20;

/// What a session is told: what always holds (`l0`), what proved itself (`l1`), what is used most, what was said of the
/// project, and the latest decisions. A domain of the project's name comes in place of the current one.
pub fn run(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let project = event.project().unwrap_or_default().to_owned();
    let current = limbic.memory.domain()?;
    let known = limbic.memory.read(|unit| domains::exists(unit, &project))?;
    let user = limbic.user().map(str::to_owned);
    let here = Filter {
        domain: Some(if known { &project } else { &current }),
        user_id: user.as_deref(),
        include_contradicted: true,
        ..Filter::default()
    };
    let always = Filter { domain: None, tier: Some("l0"), ..here.clone() };
    let proven = Filter { tier: Some("l1"), ..here.clone() };
    let hot = Filter { heat: Some("hot"), ..here.clone() };
    let decided = Filter { category: Some("decision"), ..here };
    let mut found = listed(limbic, &always, Sort::Confidence)?;
    found.extend(listed(limbic, &proven, Sort::Confidence)?);
    found.extend(listed(limbic, &hot, Sort::Access)?);
    if !project.is_empty() {
        let of_project = json!({ "domain": "*", "subject": project, "limit": MOST, "touch": false });
        let of_project = of_user(limbic, of_project);
        found.extend(memories(&limbic.ask("memory_recall", &of_project)?).cloned());
    }
    found.extend(listed(limbic, &decided, Sort::Recency)?);
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for memory in &found {
        let line = line(memory);
        if seen.insert(memory["id"].to_string()) && text.chars().count() + line.chars().count() <= BUDGET {
            text.push_str(&line);
        }
    }
    let with_user = user.map(|user| format!(" with user_id {}", json!(shown(user)))).unwrap_or_default();
    Ok((!text.is_empty()).then(|| {
        format!(
            "What is remembered for this session (memory_recall{with_user} finds more; the id stands in brackets):\n{text}"
        )
    }))
}

/// What memory_list would answer, without how many there are in all: to count many takes longer than to list some.
fn listed(limbic: &mut Limbic, filter: &Filter<'_>, sort: Sort) -> Result<Vec<Value>> {
    limbic.memory.read(|unit| {
        rows::list(unit, filter, sort, MOST, 0)?
            .into_iter()
            .map(|memory| serde_json::to_value(MemoryView::new(memory, unit.now_millis())))
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| Error::Internal(error.to_string()))
    })
}
