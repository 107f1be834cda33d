//! Links between memories of one domain, as records.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::{Merger, Outcome, Record, Tables, Take, check_name, memory, record_times, weight};
use crate::{
    Error, Result, Transaction,
    store::{
        domains,
        memories::{self, CycleSearch, RELATED, near_duplicate_edges},
        origins, timestamps,
    },
};

/// The type of links that hide the memory which loses.
const CONTRADICTS: &str = "contradicts";

/// Why a link of an import is not stored that would hide a confirmed memory.
pub(super) const HIDES_CONFIRMED: &str =
    "an import cannot state that memories which are confirmed contradict each other: link them here";

/// Whether a new link of an import would hide one of its memories although neither waits because of an import. A
/// reference between domains would as soon as both are in one domain.
pub(super) fn would_plant_contradiction(
    tx: &Transaction<'_>,
    merger: &Merger,
    (from, to): (&str, &str),
    link_type: &str,
) -> Result<bool> {
    if link_type != CONTRADICTS || merger.import().is_none() {
        return Ok(false);
    }
    let sql = format!(
        "SELECT 1 FROM MEMORY_NODES AS s JOIN MEMORY_NODES AS t ON t.id = ?2
         WHERE s.id = ?1 AND s.user_id IS t.user_id AND NOT {} AND NOT {}
            AND NOT EXISTS (SELECT 1 FROM DOMAIN_REFS WHERE nodeId = ?1 AND targetNodeId = ?2)",
        origins::waits_for_import("s"),
        origins::waits_for_import("t")
    );
    Ok(tx.prepare_cached(&sql)?.exists([from, to])?)
}

/// Records that an import has made a link, if it has: it may be withdrawn with a change that is rejected.
pub(super) fn note(
    tx: &Transaction<'_>,
    merger: &Merger,
    ends: (&str, &str),
    link_type: &str,
    outcome: &Outcome,
) -> Result<()> {
    match merger.import() {
        Some(import) if *outcome == Outcome::Added => {
            memories::note_imported_link(tx, ends, link_type, import)
        }
        _ => Ok(()),
    }
}

/// A link from one memory to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryEdge {
    /// Id of its source.
    pub from: String,
    /// Its type.
    #[serde(default = "related")]
    pub link_type: String,
    /// Id of its target.
    pub to: String,
    /// Strength, 0 to 1.
    #[serde(default = "memory::one", with = "weight")]
    pub strength: f64,
    /// When it was created or last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its id, if not `from-to-type`. It gets another one if a link has this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its domain, if not that of both memories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

fn related() -> String {
    RELATED.to_owned()
}

impl Record for MemoryEdge {
    const KIND: &'static str = "memory_edge";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("MEMORY_EDGES", &["id", "source", "target", "type", "strength"])
            || !tables.has("MEMORY_NODES", &["id", "domain"])
        {
            return Ok(());
        }
        let (source_user, target_user) =
            (tables.text("MEMORY_NODES", "s", "user_id"), tables.text("MEMORY_NODES", "t", "user_id"));
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(e.source AS TEXT), CAST(e.type AS TEXT), CAST(e.target AS TEXT),
                 coalesce(CAST(e.strength AS REAL), 1.0), {},
                 nullif(CAST(e.id AS TEXT), e.source || '-' || e.target || '-' || e.type),
                 CASE WHEN s.domain IS NOT t.domain OR s.domain IS NOT {domain} THEN {domain} END
             FROM MEMORY_EDGES AS e LEFT JOIN MEMORY_NODES AS s ON s.id = e.source
                 LEFT JOIN MEMORY_NODES AS t ON t.id = e.target
             WHERE ?1 IS NULL OR {source_user} = ?1 AND {target_user} = ?1 ORDER BY e.rowid",
            record_times::memory_sql(&tables.text("MEMORY_EDGES", "e", "timestamp")),
            domain = tables.text("MEMORY_EDGES", "e", "domain"),
        ))?;
        let mut rows = statement.query([tables.user()])?;
        while let Some(row) = rows.next()? {
            take(Self {
                from: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
                link_type: row.get::<_, Option<String>>(1)?.unwrap_or_else(related),
                to: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                strength: row.get(3)?,
                at: row.get(4)?,
                id: row.get(5)?,
                domain: row.get(6)?,
            })?;
        }
        Ok(())
    }

    /// Of two states the later one is kept. If the memories are in different domains here, it becomes a reference.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = check_name("a type", &self.link_type)
            .or_else(|| memory::check_secret(&self.link_type))
            .or_else(|| self.id.as_deref().and_then(|id| check_name("an id", id)))
            .or_else(|| {
                (!(0.0..=1.0).contains(&self.strength))
                    .then(|| format!("a strength must be a number from 0 to 1, but got {}", self.strength))
            });
        if let Some(reason) = wrong {
            return Ok(Outcome::Refused(reason));
        }
        if let Some(id) = [&self.from, &self.to].into_iter().find(|id| merger.is_of_another_user(id)) {
            return Ok(memory::missing(id));
        }
        let Some(source) = domain_of(tx, &self.from)? else { return Ok(memory::missing(&self.from)) };
        let Some(target) = domain_of(tx, &self.to)? else { return Ok(memory::missing(&self.to)) };
        if self.from == self.to {
            return Ok(Outcome::Refused(format!("A memory cannot be linked to itself: {}", self.from)));
        }
        if self.domain.is_none() && source != target {
            if would_plant_contradiction(tx, merger, (&self.from, &self.to), &self.link_type)? {
                return Ok(Outcome::Refused(HIDES_CONFIRMED.into()));
            }
            let outcome = self.refer(tx, &source, &target)?;
            return self.noted(tx, merger, outcome);
        }
        let named = self.domain.as_ref().unwrap_or(&source);
        let Some(domain) = domains::find(tx, named)? else {
            return Ok(Outcome::Refused(Error::DomainNotFound(named.clone()).to_string()));
        };
        let (at, is_ahead) = record_times::recorded(tx, self.at.as_deref())?;
        if near_duplicate_edges::is_automatic(&self.link_type) {
            return self.merge_near(tx, &domain, at);
        }
        let known: Option<(String, String)> = tx
            .prepare_cached(
                "SELECT id, timestamp FROM MEMORY_EDGES WHERE source = ?1 AND target = ?2 AND type = ?3 ORDER BY id",
            )?
            .query_row([&self.from, &self.to, &self.link_type], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match known {
            None if would_plant_contradiction(tx, merger, (&self.from, &self.to), &self.link_type)? => {
                Ok(Outcome::Refused(HIDES_CONFIRMED.into()))
            }
            None => {
                let outcome = self.insert(tx, &domain, at)?;
                self.noted(tx, merger, outcome)
            }
            Some((id, known_at)) if !is_ahead && at.as_ref().is_some_and(|at| *at > known_at) => {
                tx.prepare_cached("UPDATE MEMORY_EDGES SET strength = ?2, timestamp = ?3 WHERE id = ?1")?
                    .execute(params![id, self.strength, at])?;
                Ok(Outcome::Changed)
            }
            Some(_) => Ok(Outcome::Known),
        }
    }
}

impl MemoryEdge {
    /// Records that an import has made the link, if it has.
    fn noted(&self, tx: &Transaction<'_>, merger: &Merger, outcome: Outcome) -> Result<Outcome> {
        note(tx, merger, (&self.from, &self.to), &self.link_type, &outcome)?;
        Ok(outcome)
    }

    /// Stores an edge between near memories: the texts in this database determine its type, and each pair has one edge.
    fn merge_near(&self, tx: &Transaction<'_>, domain: &str, at: Option<String>) -> Result<Outcome> {
        let Some(link_type) = near_duplicate_edges::type_between(tx, &self.from, &self.to)? else {
            return Ok(Outcome::Known);
        };
        let is_known = tx
            .prepare_cached(
                "SELECT 1 FROM MEMORY_EDGES WHERE type IN (?3, ?4)
                 AND (source = ?1 AND target = ?2 OR source = ?2 AND target = ?1)",
            )?
            .exists(params![
                self.from,
                self.to,
                near_duplicate_edges::NEAR_DUPLICATE,
                near_duplicate_edges::POSSIBLE_CONTRADICTION
            ])?;
        if is_known {
            return Ok(Outcome::Known);
        }
        Self { link_type: link_type.to_owned(), id: None, ..self.clone() }.insert(tx, domain, at)
    }

    fn insert(&self, tx: &Transaction<'_>, domain: &str, at: Option<String>) -> Result<Outcome> {
        if CycleSearch::from(&self.from).finds(tx, &self.to, &self.link_type)? {
            let reason = format!("{} would create a cycle from {} to itself", self.link_type, self.from);
            return Ok(Outcome::Refused(reason));
        }
        // Another link may have the id here.
        let given = self.id.as_ref().filter(|id| !id.is_empty());
        let is_taken = |id: &String| -> Result<bool> {
            Ok(tx.prepare_cached("SELECT 1 FROM MEMORY_EDGES WHERE id = ?1")?.exists([id])?)
        };
        let id = match given {
            Some(id) if !is_taken(id)? => id.clone(),
            _ => memories::free_link_id(tx, &self.from, &self.to, &self.link_type)?,
        };
        tx.prepare_cached(
            "INSERT INTO MEMORY_EDGES (id, source, target, type, strength, timestamp, domain)
             VALUES (?1, ?2, ?3, ?4, ?5, coalesce(?6, ?8), ?7)",
        )?
        .execute(params![
            id,
            self.from,
            self.to,
            self.link_type,
            self.strength,
            at,
            domain,
            timestamps::now(tx)?
        ])?;
        Ok(Outcome::Added)
    }

    fn refer(&self, tx: &Transaction<'_>, source: &str, target: &str) -> Result<Outcome> {
        let added = tx
            .prepare_cached(
                "INSERT INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
                 VALUES (?1, ?2, ?3, ?4, ?5, 0) ON CONFLICT DO NOTHING",
            )?
            .execute(params![self.from, source, target, self.to, self.link_type])?;
        Ok(if added > 0 { Outcome::Added } else { Outcome::Known })
    }
}

/// Returns the domain of a memory, if it exists.
pub(super) fn domain_of(tx: &Transaction<'_>, id: &str) -> Result<Option<String>> {
    Ok(tx
        .prepare_cached("SELECT domain FROM MEMORY_NODES WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?)
}
