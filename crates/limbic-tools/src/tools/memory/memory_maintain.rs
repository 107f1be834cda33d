//! The tool memory_maintain.

use std::collections::BTreeMap;

use limbic_core::{
    Error, Result, Transaction,
    maintenance::plans::{self, Action, Change, Item, Plan},
    model::text::echo,
    store::{graph::origin_records, memories},
};
use limbic_guard::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

/// Maximum length of a text in a line, in characters.
const MAX_TEXT_CHARS: usize = 80;

tool! {
    /// Maintain memories: delete expired and decayed ones, resolve contradictions, move tiers, store decayed
    /// confidence. A dry run returns the due actions and a plan_id; dry_run false with that plan_id applies them,
    /// except to memories used or changed since. Pinned memories are not deleted, except with origin, which deletes all
    /// that one origin wrote instead, in the graph too.
    name: "memory_maintain",
    title: "Maintain memories",
    toolset: Memory,
    advanced: true,
    access: Destroy,
    idempotent: false,
    offered_read_only: true,
    dry_run_by_default: true,
    confirm: question,
    example: r#"{"actions": ["decay", "tiers"]}"#,
    handler: memory_maintain,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Return the due actions and change nothing.
    #[serde(default = "yes")]
    pub dry_run: bool,
    /// plan_id of the dry run to apply.
    pub plan_id: Option<String>,
    /// Any of expire, prune, contradictions, tiers, decay; default all.
    #[schemars(length(min = 1, max = 5))]
    pub actions: Option<Vec<ActionName>>,
    /// Maximum number of lines; the rest come in the next plan, with origin in the same.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 10000))]
    pub limit: usize,
    /// Only memories of this user; give it in the dry run.
    #[schemars(length(min = 1, max = 200))]
    pub user_id: Option<String>,
    /// Delete what this origin wrote: a label such as import:FILE#ID, a session or an import. Give it in the dry run.
    #[schemars(length(min = 1, max = 300))]
    pub origin: Option<String>,
    /// Reason for the audit log.
    #[schemars(length(max = 1000))]
    pub reason: Option<String>,
}

fn yes() -> bool {
    true
}

fn default_limit() -> usize {
    100
}

/// A part of the maintenance.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ActionName {
    Expire,
    Prune,
    Contradictions,
    Tiers,
    Decay,
}

impl From<ActionName> for Action {
    fn from(name: ActionName) -> Self {
        match name {
            ActionName::Expire => Self::Expire,
            ActionName::Prune => Self::Prune,
            ActionName::Contradictions => Self::Contradictions,
            ActionName::Tiers => Self::Tiers,
            ActionName::Decay => Self::Decay,
        }
    }
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Actions due or applied.
    pub plan: Vec<Line>,
    /// Whether the plan was applied.
    pub applied: bool,
    /// Id of the plan to apply; absent if nothing is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Counts of due actions, including those that did not fit. With origin: of memories (origin), and of the graph's
    /// records by kind; once applied, entities count without their records.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    pub totals: BTreeMap<&'static str, usize>,
    /// Counts of the origin's entities and relations that stay, because others added to them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(default)]
    pub kept_because_others_added: BTreeMap<&'static str, usize>,
    /// Ids skipped: used or changed since the dry run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub passed_over: Vec<String>,
}

/// The action on one memory, or on one record of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line {
    /// expire, prune, contradictions, tiers, decay or origin.
    pub action: &'static str,
    /// Id of the memory, or kind and row number of the record, such as entity:12.
    pub id: String,
    /// Start of its text; absent once deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// delete, restore, superseded_by, tier, heat or confidence.
    pub change: &'static str,
    /// Old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// New value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Reason.
    pub reason: String,
}

fn memory_maintain(context: &mut Context<'_>, mut input: Input) -> Result<Output> {
    input.reason = context.storable(input.reason.take());
    match plan_to_apply(context, &input)? {
        None => show(context, &input),
        Some(plan_id) => apply(context, plan_id, &input),
    }
}

/// The plan that a call names to be applied; `None` for a dry run.
fn plan_to_apply<'i>(context: &Context<'_>, input: &'i Input) -> Result<Option<&'i str>> {
    match (input.dry_run, &input.plan_id) {
        (true, None) => Ok(None),
        (false, Some(_))
            if input.origin.is_some()
                || input.actions.is_some()
                || (input.user_id.is_some() && context.user().is_none()) =>
        {
            Err(Error::invalid(
                "actions, user_id and origin are accepted in a dry run only: plan_id applies its plan unchanged",
            ))
        }
        (false, Some(plan_id)) => Ok(Some(plan_id)),
        (true, Some(_)) => Err(Error::invalid("plan_id applies a plan: give it with dry_run false")),
        (false, None) => Err(Error::InvalidArgument {
            message: "plan_id is missing: only the plan of a dry run can be applied".into(),
            hint: Some(
                "Call memory_maintain without arguments, then again with its plan_id and dry_run false"
                    .into(),
            ),
        }),
    }
}

fn show(context: &mut Context<'_>, input: &Input) -> Result<Output> {
    if input.origin.is_some() && input.actions.is_some() {
        return Err(Error::invalid(
            "Give origin or actions, not both: origin deletes what that origin wrote",
        ));
    }
    let actions: Vec<Action> = match &input.actions {
        Some(names) => names.iter().map(|name| (*name).into()).collect(),
        None => Action::ALL.to_vec(),
    };
    let (plan, lines) = context.memory.read(|tx| {
        let user_id = input.user_id.as_deref();
        let plan = match &input.origin {
            Some(origin) => plans::plan_of_origin(tx, origin, user_id)?,
            None => plans::plan(tx, &actions, user_id, input.limit)?,
        };
        let lines =
            plan.items.iter().take(input.limit).map(|item| line(tx, item)).collect::<Result<Vec<_>>>()?;
        Ok((plan, lines))
    })?;
    let totals = plan.totals.iter().map(|(action, count)| (action.name(), *count));
    let totals = totals.chain(plan.records.iter().copied()).collect();
    let kept_because_others_added = plan.kept.iter().copied().collect();
    let plan_id = (!plan.items.is_empty()).then(|| remember(context, plan));
    Ok(Output {
        plan: lines,
        applied: false,
        plan_id,
        totals,
        kept_because_others_added,
        passed_over: Vec::new(),
    })
}

fn remember(context: &mut Context<'_>, plan: Plan) -> String {
    let mut bytes = [0; 8];
    context.memory.database().host().fill_random(&mut bytes);
    let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    context.memory.session_mut().planned(id.clone(), plan);
    id
}

fn apply(context: &mut Context<'_>, plan_id: &str, input: &Input) -> Result<Output> {
    // A plan that the call may not apply stays.
    let may_apply = find_plan(context, plan_id).is_some();
    let taken = may_apply.then(|| context.memory.session_mut().take_plan(plan_id)).flatten();
    let Some(plan) = taken else {
        return Err(Error::InvalidArgument {
            message: format!(
                "plan_id must name a plan of this session that is not applied yet, but got {:?}",
                echo(plan_id)
            ),
            hint: Some("Call memory_maintain without arguments for one".into()),
        });
    };
    let writer = context.memory.session().writer();
    let actor = writer.actor(input.reason.as_deref());
    let applied = context.memory.write(|tx| {
        let shown: BTreeMap<(bool, &str), Option<String>> =
            plan.items.iter().map(|item| Ok((key(item), start(tx, item)?))).collect::<Result<_>>()?;
        let applied = plans::apply(tx, &plan, actor)?;
        let (max_lines, totals) = match plan.is_of_origin() {
            true => (input.limit, deleted(&applied.done)),
            false => (usize::MAX, BTreeMap::new()),
        };
        let lines = applied
            .done
            .iter()
            .take(max_lines)
            .map(|item| Ok(Line { start: shown.get(&key(item)).cloned().flatten(), ..line(tx, item)? }))
            .collect::<Result<_>>()?;
        Ok(Output {
            plan: lines,
            applied: true,
            plan_id: None,
            totals,
            kept_because_others_added: BTreeMap::new(),
            passed_over: applied.passed_over.into_iter().map(|item| item.id).collect(),
        })
    });
    if applied.is_err() {
        // Nothing has been done, so the plan can be applied later.
        context.memory.session_mut().planned(plan_id.to_owned(), plan);
    }
    applied
}

/// Counts what was deleted: memories, and records of the graph by kind.
fn deleted(done: &[Item]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for item in done {
        let name = match item.change {
            Change::DeleteRecord(record) => record.kind(),
            _ => item.action.name(),
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Returns a plan of this session that the call may apply: with a user, only plans for that user's memories.
fn find_plan<'a>(context: &'a Context<'_>, plan_id: &str) -> Option<&'a Plan> {
    let plan = context.memory.session().plan(plan_id)?;
    context.user().is_none_or(|user| plan.user_id.as_deref() == Some(user)).then_some(plan)
}

fn question(context: &mut Context<'_>, input: Input) -> Result<Option<String>> {
    let plan = plan_to_apply(context, &input)?.and_then(|plan_id| find_plan(context, plan_id));
    Ok(plan.map(|plan| {
        let count = |is_it: fn(&Change) -> bool| plan.items.iter().filter(|item| is_it(&item.change)).count();
        let deleted = count(|change| matches!(change, Change::Delete));
        let mut question = format!(
            "Apply this maintenance plan to the memories? {} actions, of which {deleted} delete a memory permanently.",
            plan.items.len()
        );
        let records = count(|change| matches!(change, Change::DeleteRecord(_)));
        if records > 0 {
            question += &format!(" {records} delete a record of the graph, entities with all their records.");
        }
        question
    }))
}

/// Identifies an item of a plan: a memory may have any id.
fn key(item: &Item) -> (bool, &str) {
    (matches!(item.change, Change::DeleteRecord(_)), &item.id)
}

fn start(tx: &Transaction<'_>, item: &Item) -> Result<Option<String>> {
    let text = match item.change {
        Change::DeleteRecord(record) => origin_records::text(tx, record)?,
        _ => memories::find(tx, &item.id)?.map(|memory| memory.content),
    };
    Ok(text.map(|text| one_line(&text, MAX_TEXT_CHARS)))
}

fn line(tx: &Transaction<'_>, item: &Item) -> Result<Line> {
    let (change, from, to) = match &item.change {
        Change::Delete | Change::DeleteRecord(_) => ("delete", None, None),
        Change::TakeBack(_) => ("restore", None, None),
        Change::SupersededBy(winner) => ("superseded_by", None, Some(winner.clone())),
        Change::Tier(from, to) => ("tier", Some(from.to_string()), Some(to.to_string())),
        Change::Heat(from, to) => ("heat", Some(from.to_string()), Some(to.to_string())),
        Change::Confidence(from, to) => ("confidence", Some(from.to_string()), Some(to.to_string())),
    };
    Ok(Line {
        action: item.action.name(),
        id: item.id.clone(),
        start: start(tx, item)?,
        change,
        from,
        to,
        reason: item.reason.clone(),
    })
}
