//! Maintenance of memories: plans of what is due, and applying them.
//!
//! A plan changes nothing. A plan that was shown can be applied: of its actions, those that are still due. Memories
//! that were used, deleted or changed since are skipped, so that no memory is deleted that was not shown first. Pinned
//! memories are only in plans of an origin.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    Result, Transaction,
    model::{
        decay,
        memory_words::{Heat, Tier},
        timestamps::stored_form,
        words::Word,
    },
    mutations,
    store::{
        graph::origin_records::{self, Counts, GraphRecord},
        logs::audit::{self, Action as Done, Actor},
        memories::{self, AgingRow, Contradiction, Filter, Sort},
    },
};

/// Days at the floor of confidence after which a memory is pruned.
const FLOOR_DAYS: f64 = 30.0;

/// Days after which a superseded or contradicted memory is pruned.
const REPLACED_DAYS: f64 = 90.0;

/// Minimum decay of confidence that is stored.
const MIN_DECAY: f64 = 0.01;

/// A kind of maintenance action, in the order in which plans list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Delete memories past their expiry.
    Expire,
    /// Delete memories that have been at the floor of confidence for 30 days, or superseded or contradicted for 90. One
    /// that hides another memory by a contradiction stays until that memory is deleted, which would be shown again.
    Prune,
    /// Of two memories that contradict each other, store the one stated last as the successor of the other.
    Contradictions,
    /// Set the tier and the heat that follow from use.
    Tiers,
    /// Store the decayed confidence.
    Decay,
    /// Delete what one origin has written, including pinned memories, and take back its changes of other memories that
    /// no person has accepted. Not part of regular maintenance: see [`plan_of_origin`].
    Origin,
}

impl Action {
    /// All actions of regular maintenance, in the order in which plans list them.
    pub const ALL: [Self; 5] = [Self::Expire, Self::Prune, Self::Contradictions, Self::Tiers, Self::Decay];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Expire => "expire",
            Self::Prune => "prune",
            Self::Contradictions => "contradictions",
            Self::Tiers => "tiers",
            Self::Decay => "decay",
            Self::Origin => "origin",
        }
    }
}

/// A change of a memory, or the deletion of a record of the graph.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Delete it.
    Delete,
    /// Delete this record of the graph.
    DeleteRecord(GraphRecord),
    /// Give it the state back that it had before the changes by this origin, which no person has accepted, and delete
    /// the links that this origin has made from or to it and that wait.
    TakeBack(String),
    /// Store the id of the memory that superseded it.
    SupersededBy(String),
    /// Change its tier: old and new.
    Tier(Tier, Tier),
    /// Change its heat: old and new.
    Heat(Word<Heat>, Heat),
    /// Store its decayed confidence: old and new.
    Confidence(f64, f64),
}

/// One line of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The kind of action.
    pub action: Action,
    /// Id of the memory, or the kind and the row number of the record, such as `entity:12`.
    pub id: String,
    /// The change.
    pub change: Change,
    /// Reason, as a sentence.
    pub reason: String,
}

/// The actions that are due at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The items, by action, then by number of the memory.
    pub items: Vec<Item>,
    /// Number of due changes of memories per action, including those beyond the limit.
    pub totals: BTreeMap<Action, usize>,
    /// Numbers of the graph's records to delete, including those deleted with an entity.
    pub records: Counts,
    /// Numbers of the graph's records of the origin that stay, because others added to them.
    pub kept: Counts,
    /// The time of the plan, in milliseconds since the Unix epoch.
    pub at_millis: i64,
    /// The user whose memories it is limited to.
    pub user_id: Option<String>,
    /// The origin whose records of the graph it deletes.
    origin: Option<String>,
    /// Hash of each memory's state at that time, by id; see [`memories::states`].
    states: HashMap<String, u64>,
}

impl Plan {
    /// Whether it deletes what an origin has written.
    #[must_use]
    pub fn is_of_origin(&self) -> bool {
        self.items.iter().any(|item| item.action == Action::Origin)
    }
}

/// The result of applying a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Applied {
    /// The changes made.
    pub done: Vec<Item>,
    /// The changes that were no longer due.
    pub passed_over: Vec<Item>,
}

/// Returns the due actions for all memories or for those of one user, at most `limit` lines. Read-only.
pub fn plan(tx: &Transaction<'_>, actions: &[Action], user_id: Option<&str>, limit: usize) -> Result<Plan> {
    let mut plan =
        Plan { at_millis: tx.now_millis(), user_id: user_id.map(str::to_owned), ..Plan::default() };
    for (action, items) in all_due(tx, actions, user_id)? {
        plan.totals.insert(action, items.len());
        plan.items.extend(items);
    }
    plan.items.truncate(limit);
    plan.states = states(tx, &plan.items)?;
    Ok(plan)
}

/// Returns a plan that deletes everything that an origin has written, memories and records of the graph, and takes back
/// its changes that no person has accepted; with a user, only of that user's memories. `origin` is a number, a label, a
/// session or an import. Read-only.
pub fn plan_of_origin(tx: &Transaction<'_>, origin: &str, user_id: Option<&str>) -> Result<Plan> {
    let filter = Filter {
        origin: Some(origin),
        user_id,
        include_expired: true,
        include_contradicted: true,
        ..Filter::default()
    };
    let mut plan =
        Plan { at_millis: tx.now_millis(), user_id: user_id.map(str::to_owned), ..Plan::default() };
    let mut listed = HashSet::new();
    for memory in memories::list(tx, &filter, Sort::Recency, usize::MAX)? {
        let reason = format!("Written by {}", memory.origin.unwrap_or_default());
        listed.insert(memory.id.clone());
        plan.items.push(Item { action: Action::Origin, id: memory.id, change: Change::Delete, reason });
    }
    let take_back = |id: String, reason: String| {
        let change = Change::TakeBack(origin.to_owned());
        Item { action: Action::Origin, id, change, reason }
    };
    for (id, label) in memories::changed_by(tx, origin, user_id)? {
        if listed.insert(id.clone()) {
            plan.items.push(take_back(id, format!("Changed by {label}")));
        }
    }
    // The links of the memories above go with them.
    for (id, target, label) in memories::waiting_links_made_by(tx, origin, user_id)? {
        if !listed.contains(&target) && listed.insert(id.clone()) {
            plan.items.push(take_back(id, format!("Linked by {label}")));
        }
    }
    if !plan.items.is_empty() {
        plan.totals.insert(Action::Origin, plan.items.len());
    }
    plan.states = states(tx, &plan.items)?;
    // The graph belongs to no user.
    if user_id.is_none() {
        plan.origin = Some(origin.to_owned());
        (plan.records, plan.kept) = origin_records::deleted_and_kept(tx, origin)?;
        plan.items.extend(record_items(tx, origin)?);
    }
    Ok(plan)
}

fn record_items(tx: &Transaction<'_>, origin: &str) -> Result<Vec<Item>> {
    let items = origin_records::deletable(tx, origin)?.into_iter().map(|found| {
        let (kind, id) = match found.record {
            GraphRecord::Entity(id) => ("entity", id),
            GraphRecord::Observation(_, id) => ("observation", id),
            GraphRecord::Relation(id) => ("relation", id),
            GraphRecord::Reflection(id) => ("reflection", id),
        };
        let mut reason = format!("Written by {}", found.label);
        if kind == "entity" {
            let counts = format!("; observations: {}, relations: {}", found.observations, found.relations);
            reason.push_str(&counts);
        }
        Item {
            action: Action::Origin,
            id: format!("{kind}:{id}"),
            change: Change::DeleteRecord(found.record),
            reason,
        }
    });
    Ok(items.collect())
}

fn states(tx: &Transaction<'_>, items: &[Item]) -> Result<HashMap<String, u64>> {
    memories::states(tx, items.iter().map(|item| item.id.as_str()))
}

fn all_due(
    tx: &Transaction<'_>,
    actions: &[Action],
    user_id: Option<&str>,
) -> Result<BTreeMap<Action, Vec<Item>>> {
    let contradictions = memories::contradictions(tx)?;
    let mut lost: HashMap<&str, &Contradiction> = HashMap::new();
    for it in &contradictions {
        let first = lost.entry(&it.loser).or_insert(it);
        if it.since_millis < first.since_millis {
            *first = it;
        }
    }
    let winners: HashSet<&str> = contradictions.iter().map(|it| it.winner.as_str()).collect();
    let unrecorded: HashMap<&str, &str> = contradictions
        .iter()
        .filter(|it| !it.is_recorded)
        .map(|it| (it.loser.as_str(), it.winner.as_str()))
        .collect();
    let mut by_action: BTreeMap<Action, Vec<Item>> = BTreeMap::new();
    memories::each_aging_row(tx, user_id, |row| {
        if row.age.pinned {
            return;
        }
        let id = row.id.as_str();
        let conflicts = Conflicts {
            first: lost.get(id).copied(),
            unrecorded: unrecorded.get(id).copied(),
            hides_another: winners.contains(id),
        };
        for item in due(&row, tx.now_millis(), &conflicts) {
            if actions.contains(&item.action) {
                by_action.entry(item.action).or_default().push(item);
            }
        }
    })?;
    Ok(by_action)
}

/// The contradictions of one memory.
struct Conflicts<'a> {
    /// The first one that hides it.
    first: Option<&'a Contradiction>,
    /// The id of a winner that is not stored as its successor.
    unrecorded: Option<&'a str>,
    /// Whether it hides another memory, which would be shown again without it.
    hides_another: bool,
}

/// Returns the due actions for one memory; only the deletion, if it is to be deleted.
fn due(row: &AgingRow, now_millis: i64, conflicts: &Conflicts<'_>) -> Vec<Item> {
    let item = |action, change, reason: String| Item { action, id: row.id.clone(), change, reason };
    if row.expires_millis.is_some_and(|moment| moment <= now_millis) {
        return vec![item(Action::Expire, Change::Delete, "It has expired".into())];
    }
    let reason =
        if conflicts.hides_another { None } else { reason_to_prune(row, now_millis, conflicts.first) };
    if let Some(reason) = reason {
        return vec![item(Action::Prune, Change::Delete, reason)];
    }
    let mut items = Vec::new();
    if let Some(winner) = conflicts.unrecorded {
        let reason = format!("It contradicts {winner}, which was stated later");
        items.push(item(Action::Contradictions, Change::SupersededBy(winner.to_owned()), reason));
    }
    let idle_days = decay::days_between(row.age.used_millis.unwrap_or(now_millis), now_millis);
    let demoted = |tier: Tier| decay::demoted(tier, row.age.pinned, idle_days);
    let before = row.tier.known();
    let tier = before
        .and_then(demoted)
        .map(|tier| (tier, format!("Not accessed for {} days", libm::floor(idle_days))))
        .or_else(|| {
            let tier = decay::promoted(before?, row.age.access_count, row.sessions)?;
            // A memory that would be demoted again at once is not promoted.
            demoted(tier).is_none().then(|| {
                (tier, format!("Accessed {} times in {} sessions", row.age.access_count, row.sessions))
            })
        });
    if let (Some(before), Some((tier, reason))) = (before, tier) {
        items.push(item(Action::Tiers, Change::Tier(before, tier), reason));
    }
    let heat = decay::heat(row.age.access_count);
    if row.heat != heat {
        let reason = format!("Accessed {} times", row.age.access_count);
        items.push(item(Action::Tiers, Change::Heat(row.heat.clone(), heat), reason));
    }
    let left = crate::model::numbers::round(row.age.effective_confidence(now_millis), 6);
    // At the floor no confidence is stored, so that the time when the floor was reached stays known.
    if row.age.confidence - left >= MIN_DECAY && left > decay::FLOOR {
        let days = decay::days_between(row.age.confident_millis.unwrap_or(now_millis), now_millis);
        let reason = format!("Not accessed for {} days", libm::floor(days));
        items.push(item(Action::Decay, Change::Confidence(row.age.confidence, left), reason));
    }
    items
}

fn reason_to_prune(row: &AgingRow, now_millis: i64, lost: Option<&Contradiction>) -> Option<String> {
    let at_floor = row.days_at_floor(now_millis);
    if at_floor >= FLOOR_DAYS {
        return Some(format!("Its confidence has been at the minimum for {} days", libm::floor(at_floor)));
    }
    let since =
        |moment: i64| Some(decay::days_between(moment, now_millis)).filter(|days| *days >= REPLACED_DAYS);
    if let Some(days) = row.superseded_millis.and_then(since) {
        return Some(format!("It was superseded {} days ago", libm::floor(days)));
    }
    let Contradiction { winner, since_millis, .. } = lost?;
    since(*since_millis).map(|days| format!("{winner} has contradicted it for {} days", libm::floor(days)))
}

/// Applies a plan, as far as it is still due and the memory was neither changed nor used since.
pub fn apply(tx: &Transaction<'_>, shown: &Plan, actor: Actor<'_>) -> Result<Applied> {
    let actions: Vec<Action> = shown.totals.keys().copied().collect();
    let mut still_due: HashMap<(String, Action), Vec<Change>> = HashMap::new();
    for item in all_due(tx, &actions, None)?.into_values().flatten() {
        still_due.entry((item.id, item.action)).or_default().push(item.change);
    }
    let states = states(tx, &shown.items)?;
    let at = stored_form(shown.at_millis);
    let mut applied = Applied::default();
    let (records, items): (Vec<_>, Vec<_>) =
        shown.items.iter().partition(|item| matches!(item.change, Change::DeleteRecord(_)));
    for item in items {
        let changes = still_due.get(&(item.id.clone(), item.action)).map_or(&[][..], Vec::as_slice);
        let is_as_shown = states.get(&item.id) == shown.states.get(&item.id);
        // The origin of a memory never changes.
        let is_due = item.action == Action::Origin || changes.iter().any(|it| is_same(it, &item.change));
        // An earlier line may have deleted the successor.
        let has_successor = match &item.change {
            Change::SupersededBy(winner) => memories::find(tx, winner)?.is_some(),
            _ => true,
        };
        if is_as_shown && is_due && has_successor && change(tx, item, &at, actor)? {
            applied.done.push(item.clone());
        } else {
            applied.passed_over.push(item.clone());
        }
    }
    delete_records(tx, shown, &records, actor, &mut applied)?;
    Ok(applied)
}

/// Deletes the graph's records of a plan that are still to be deleted, entities only with as many records as were
/// shown.
fn delete_records(
    tx: &Transaction<'_>,
    shown: &Plan,
    items: &[&Item],
    actor: Actor<'_>,
    applied: &mut Applied,
) -> Result<()> {
    let Some(origin) = shown.origin.as_deref().filter(|_| !items.is_empty()) else { return Ok(()) };
    let due: HashMap<String, Item> =
        record_items(tx, origin)?.into_iter().map(|item| (item.id.clone(), item)).collect();
    let mut records = Vec::new();
    for &item in items {
        match item.change {
            Change::DeleteRecord(record) if due.get(&item.id) == Some(item) => {
                records.push(record);
                applied.done.push(item.clone());
            }
            _ => applied.passed_over.push(item.clone()),
        }
    }
    if records.is_empty() {
        return Ok(());
    }
    mutations::origin_records::delete(tx, &records)?;
    let done = format!("Deleted {} records of the graph, written by {origin}", records.len());
    let reason = actor.reason.map_or_else(|| done.clone(), |given| format!("{given}: {done}"));
    audit::record_decision(tx, Done::Maintain, Actor { reason: Some(&reason), ..actor })
}

/// Whether a change is the one that was shown. Decaying confidence differs by the minute, so only its old value counts.
fn is_same(due: &Change, shown: &Change) -> bool {
    match (due, shown) {
        (Change::Confidence(a, _), Change::Confidence(b, _)) => a.total_cmp(b).is_eq(),
        _ => due == shown,
    }
}

/// Makes a change. Returns whether there was anything to change.
fn change(tx: &Transaction<'_>, item: &Item, at: &str, actor: Actor<'_>) -> Result<bool> {
    let reason = match actor.reason {
        Some(given) => format!("{given}: {}", item.reason),
        None => item.reason.clone(),
    };
    let actor = Actor { reason: Some(&reason), ..actor };
    match &item.change {
        Change::Delete => {
            if item.action == Action::Origin {
                memories::withdraw_all_links(tx, &item.id, actor)?;
            }
            return mutations::memories::forget(tx, &item.id, false, actor).map(|_| true);
        }
        // See delete_records.
        Change::DeleteRecord(_) => return Ok(true),
        Change::TakeBack(origin) => {
            return mutations::memories::take_back_changes(tx, &item.id, origin, actor);
        }
        Change::SupersededBy(winner) => memories::set_superseded_by(tx, &item.id, winner)?,
        Change::Tier(from, to) => {
            let before = memories::get(tx, &item.id)?;
            memories::set_tier(tx, &item.id, *to, to < from, at)?;
            mutations::memories::mark_risen(tx, &before)?;
        }
        Change::Heat(_, to) => {
            let before = memories::get(tx, &item.id)?;
            memories::set_heat(tx, &item.id, *to)?;
            mutations::memories::mark_risen(tx, &before)?;
        }
        Change::Confidence(_, to) => memories::set_confidence(tx, &item.id, *to, at)?,
    }
    audit::record(tx, Done::Maintain, &item.id, actor)?;
    Ok(true)
}
