//! The reference server's file: one JSON object a line, `{"type": "entity", ...}` or `{"type": "relation", ...}`.

use limbic_core::{
    Error, Result, Unit,
    store::{
        entities::{self, Description},
        observations,
        relations::{self, Created, Triple},
    },
};
use serde::Deserialize;

use super::Report;
use crate::context::Context;

/// Lines that are stored in one transaction: others can write in between.
const BATCH: usize = 500;

/// The longest name.
const MAX_NAME: usize = 500;

/// The longest observation.
const MAX_OBSERVATION: usize = 10_000;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    #[serde(rename_all = "camelCase")]
    Entity {
        name: String,
        #[serde(default)]
        entity_type: Option<String>,
        #[serde(default)]
        observations: Vec<String>,
    },
    #[serde(rename_all = "camelCase")]
    Relation { from: String, to: String, relation_type: String },
}

/// Which lines a pass takes: a relation may stand before its entities.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Entities,
    Relations,
}

/// Imports the lines; one that cannot be read is passed over, with its number.
pub fn import(context: &mut Context<'_>, file: &[u8], dry_run: bool) -> Result<Report> {
    let total = file.len() as u64 * 2;
    let mut report = Report::default();
    if dry_run {
        return context.memory.rehearse(|unit| {
            for pass in [Pass::Entities, Pass::Relations] {
                let lines: Vec<_> = numbered(file).collect();
                store(unit, pass, &lines, &mut report)?;
            }
            Ok(report)
        });
    }
    let mut done = 0;
    for pass in [Pass::Entities, Pass::Relations] {
        let mut lines = numbered(file).peekable();
        while lines.peek().is_some() {
            let batch: Vec<_> = lines.by_ref().take(BATCH).collect();
            let before = report.clone();
            report = context.memory.write(|unit| {
                let mut after = before;
                store(unit, pass, &batch, &mut after)?;
                Ok(after)
            })?;
            done += batch.iter().map(|(_, line)| line.len() as u64 + 1).sum::<u64>();
            (context.progress)(done.min(total), total);
        }
    }
    (context.progress)(total, total);
    Ok(report)
}

fn numbered(file: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (1..).zip(file.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace))
}

fn store(unit: &Unit<'_>, pass: Pass, lines: &[(usize, &[u8])], report: &mut Report) -> Result<()> {
    for (number, line) in lines {
        match (pass, serde_json::from_slice(line)) {
            (Pass::Entities, Ok(Line::Entity { name, entity_type, observations })) => {
                match check(&name, &observations) {
                    Ok(()) => store_entity(unit, &name, entity_type.as_deref(), &observations, report)?,
                    Err(reason) => report.skip(|| format!("line {number}: {reason}")),
                }
            }
            (Pass::Relations, Ok(Line::Relation { from, to, relation_type })) => {
                if let Err(reason) = store_relation(unit, &from, &to, &relation_type, report)? {
                    report.skip(|| format!("line {number}: {reason}"));
                }
            }
            (Pass::Entities, Err(error)) => report.skip(|| format!("line {number}: {error}")),
            _ => {}
        }
    }
    Ok(())
}

fn check(name: &str, observations: &[String]) -> std::result::Result<(), String> {
    let length = name.chars().count();
    if length == 0 || length > MAX_NAME {
        return Err(format!("a name has 1 to {MAX_NAME} characters, this one {length}"));
    }
    if let Some(long) =
        observations.iter().map(|text| text.chars().count()).find(|length| *length > MAX_OBSERVATION)
    {
        return Err(format!("an observation has at most {MAX_OBSERVATION} characters, this one {long}"));
    }
    if name.contains('\0') || observations.iter().any(|text| text.contains('\0')) {
        return Err("a text contains a NUL character".into());
    }
    Ok(())
}

fn store_entity(
    unit: &Unit<'_>,
    name: &str,
    entity_type: Option<&str>,
    texts: &[String],
    report: &mut Report,
) -> Result<()> {
    let texts: Vec<String> = texts.iter().filter(|text| !text.is_empty()).cloned().collect();
    let (row, is_new) = entities::upsert(unit, Description { name, entity_type, status: None })?;
    let added = observations::add(unit, row.id, &texts, "generic")?;
    if is_new && added.is_empty() {
        entities::text_changed(unit, row.id)?;
    }
    report.entities += 1;
    report.observations += added.len() as u64;
    Ok(())
}

fn store_relation(
    unit: &Unit<'_>,
    from: &str,
    to: &str,
    relation_type: &str,
    report: &mut Report,
) -> Result<std::result::Result<(), String>> {
    let (Some(start), Some(end)) = (entities::find(unit, from)?, entities::find(unit, to)?) else {
        return Ok(Err(Error::EntityNotFound(format!("{from} or {to}")).to_string()));
    };
    let triple = Triple { from_id: start.id, to_id: end.id, relation_type };
    match relations::create(unit, triple, None, None)? {
        Created::Active(_) => report.relations += 1,
        Created::Existed(_) => report.skipped += 1,
    }
    Ok(Ok(()))
}
