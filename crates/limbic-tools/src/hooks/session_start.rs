//! The hook at the start of a session: the memories most relevant to its project, within a budget.

use limbic_core::{
    Result,
    model::memory_words::{Category, Heat, Tier},
    store::memories::{self as rows, Filter, Sort},
};
use serde_json::{Value, json};

use super::{
    event::Event,
    project_domains::domains_of,
    recalled::{Occasion, memories, of_user, viewed, with_corrections},
};
use crate::{
    Limbic,
    framing::{framed, item},
    views::memory::shown,
};

/// Maximum length of the memories in characters: about a thousand tokens.
const MAX_CHARS: usize = 4_000;

/// Maximum number of memories per group.
const MAX_MEMORIES: usize = 20;

/// The instruction for a folder that waits for confirmation.
const HOW_TO_CONFIRM: &str = "If it is the same project, the user can confirm it: run `limbic-memory inbox trust .` in \
     this folder, or see Maintenance, Inbox in the explorer. Tell the user, and do not confirm it yourself.";

/// Returns the tiers `l0` and `l1`, the hot memories, those with the project as subject, and the latest decisions:
/// valid memories of the project's domain and the shared one. A line precedes them if the folder waits for a person.
pub fn run(limbic: &mut Limbic, event: &Event) -> Result<Option<String>> {
    let project = event.project().unwrap_or_default().to_owned();
    let domains = domains_of(limbic, event)?;
    let user = limbic.user().map(str::to_owned);
    let here = Filter { user_id: user.as_deref(), visible_in: Some(&project), ..Filter::default() };
    let always = Filter { tier: Some(Tier::L0), ..here.clone() };
    let proven = Filter { tier: Some(Tier::L1), ..here.clone() };
    let hot = Filter { heat: Some(Heat::Hot), ..here.clone() };
    let decided = Filter { category: Some(Category::Decision), ..here };
    let mut found = listed(limbic, &domains, &always, Sort::Confidence)?;
    found.extend(listed(limbic, &domains, &proven, Sort::Confidence)?);
    found.extend(listed(limbic, &domains, &hot, Sort::Access)?);
    for domain in domains.iter().filter(|_| !project.is_empty()) {
        let of_project =
            json!({ "domain": domain, "subject": project, "limit": MAX_MEMORIES, "touch": false });
        let of_project = of_user(limbic, of_project);
        found.extend(memories(&limbic.ask("memory_recall", &of_project)?).cloned());
    }
    found.extend(listed(limbic, &domains, &decided, Sort::Recency)?);
    let (mut items, mut length) = (Vec::new(), 0);
    for memory in &with_corrections(limbic, event, Occasion::Unasked, found)? {
        let item = item(memory);
        let item_length = item.to_string().chars().count();
        if length + item_length <= MAX_CHARS {
            length += item_length;
            items.push(item);
        }
    }
    let with_user = user.map(|user| format!(" with user_id {}", json!(shown(user)))).unwrap_or_default();
    let head = format!("Memories for this session (memory_recall{with_user} finds more).");
    let memories = (!items.is_empty()).then(|| framed(limbic.memory.database().host(), &head, &items));
    let texts: Vec<String> = event.unconfirmed.as_deref().map(notice).into_iter().chain(memories).collect();
    Ok((!texts.is_empty()).then(|| texts.concat()))
}

/// Returns the line about a folder that waits: why its project's memories are missing, and how a person confirms it. It
/// does not state the project's name, which a file in the folder chooses.
fn notice(unconfirmed: &str) -> String {
    let digest = unconfirmed.rsplit('#').next().unwrap_or_default();
    format!(
        "This folder ({digest}) is not confirmed as that of the project whose name it uses. The project's memories are \
         withheld here, and what is stored here waits for review. {HOW_TO_CONFIRM}\n"
    )
}

/// Returns what memory_list would return for each domain, without the total, because counting is slower than listing.
fn listed(limbic: &mut Limbic, domains: &[String], filter: &Filter<'_>, sort: Sort) -> Result<Vec<Value>> {
    limbic.memory.read(|tx| {
        let mut found = Vec::new();
        for domain in domains {
            let filter = Filter { domain: Some(domain), ..filter.clone() };
            for memory in rows::list(tx, &filter, sort, MAX_MEMORIES)? {
                found.push(viewed(tx, memory)?);
            }
        }
        Ok(found)
    })
}
