//! Late interaction for the observations of candidates, each with what was written right before it.

use std::collections::HashMap;

use limbic_wire::{QueryTokens, TextKind};
use rusqlite::{OptionalExtension, params};

use super::{
    code,
    entities::Signals,
    late::{Answers, LateQuery, LateScore},
};
use crate::{Result, Unit};

/// How many observations before one belong to its passage.
const PASSAGE_BEFORE: i64 = 2;

/// What was written longer before is another passage.
const PASSAGE_SECONDS: i64 = 3600;

/// Gives each candidate the late interaction of its best observation, and answers which share of them is code.
///
/// # Errors
/// Those of the database.
pub fn add(unit: &Unit<'_>, tokens: &QueryTokens, signals: &mut [Signals]) -> Result<f64> {
    let mut reader = Reader { unit, question: LateQuery::new(unit, TextKind::Observation, tokens)?, read: HashMap::new() };
    let (mut texts, mut code) = (0_u32, 0_u32);
    for candidate in signals {
        for (id, seconds, content) in reader.observations(candidate.id)? {
            let Some(late) = reader.score(id, seconds)? else { continue };
            if candidate.late.is_none_or(|best| late.own + late.passage > best.own + best.passage) {
                candidate.late = Some(late);
                candidate.best_observation = Some(id);
            }
            texts += 1;
            code += u32::from(code::is_code(&content));
        }
    }
    Ok(if texts == 0 { 0.0 } else { f64::from(code) / f64::from(texts) })
}

/// Reads each observation's tokens once a search, also when it stands in several passages.
struct Reader<'a> {
    unit: &'a Unit<'a>,
    question: LateQuery,
    read: HashMap<i64, Option<Answers>>,
}

impl Reader<'_> {
    fn observations(&self, entity_id: i64) -> Result<Vec<(i64, i64, String)>> {
        let mut statement = self.unit.prepare_cached(
            "SELECT id, coalesce(unixepoch(created_at), 0), content FROM observations
             WHERE entity_id = ?1 AND superseded_at IS NULL ORDER BY id",
        )?;
        let rows = statement.query_map([entity_id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn score(&mut self, id: i64, seconds: i64) -> Result<Option<LateScore>> {
        let Some(mut answers) = self.answers(id)? else { return Ok(None) };
        let own = self.question.score(&answers);
        for before in self.before(id, seconds)? {
            if let Some(others) = self.answers(before)? {
                answers.join(&others);
            }
        }
        Ok(Some(LateScore { own, passage: self.question.score(&answers) }))
    }

    fn before(&self, id: i64, seconds: i64) -> Result<Vec<i64>> {
        let mut statement = self.unit.prepare_cached(
            "SELECT id FROM (SELECT id, created_at, superseded_at FROM observations WHERE id < ?1 ORDER BY id DESC LIMIT ?2)
             WHERE superseded_at IS NULL AND unixepoch(created_at) >= ?3 ORDER BY id",
        )?;
        let rows = statement.query_map(params![id, PASSAGE_BEFORE, seconds - PASSAGE_SECONDS], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn answers(&mut self, id: i64) -> Result<Option<Answers>> {
        if let Some(answers) = self.read.get(&id) {
            return Ok(answers.clone());
        }
        let answers = self
            .unit
            .prepare_cached("SELECT tokens FROM token_vectors WHERE kind = ?1 AND id = ?2")?
            .query_row(params![TextKind::Observation as u8, id], |row| {
                Ok(self.question.answers(row.get_ref(0)?.as_blob()?))
            })
            .optional()?
            .flatten();
        self.read.insert(id, answers.clone());
        Ok(answers)
    }
}
