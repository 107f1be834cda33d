//! Links between memories of different domains, as records.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{
    MemoryEdge, Merger, Outcome, Record, Tables, Take, check_text, memory,
    memory_edges::{HIDES_CONFIRMED, domain_of, note, would_plant_contradiction},
};
use crate::{
    Error, Result, Transaction,
    store::{domains, memories::RELATED},
};

/// A link to a memory of another domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReference {
    /// Id of its source.
    pub from: String,
    /// Domain of its source.
    pub domain: String,
    /// Id of its target.
    pub to: String,
    /// Domain of its target.
    pub target_domain: String,
    /// Description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is followed from both ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bidirectional: bool,
}

impl Record for MemoryReference {
    const KIND: &'static str = "memory_reference";
    const HAS_USERS: bool = true;

    fn each(tables: &Tables<'_>, take: Take<'_, Self>) -> Result<()> {
        if !tables.has("DOMAIN_REFS", &["nodeId", "domain", "targetDomain", "targetNodeId"])
            || !tables.has("MEMORY_NODES", &["id", "domain"])
        {
            return Ok(());
        }
        let mut statement = tables.connection().prepare(&format!(
            "SELECT CAST(r.nodeId AS TEXT), CAST(r.domain AS TEXT), CAST(r.targetNodeId AS TEXT),
                 CAST(r.targetDomain AS TEXT), {}, coalesce({}, 0)
             FROM DOMAIN_REFS AS r LEFT JOIN MEMORY_NODES AS s ON s.id = r.nodeId
                 LEFT JOIN MEMORY_NODES AS t ON t.id = r.targetNodeId
             WHERE ?1 IS NULL OR {} = ?1 AND {} = ?1 ORDER BY r.rowid",
            tables.text("DOMAIN_REFS", "r", "description"),
            tables.integer("DOMAIN_REFS", "r", "bidirectional"),
            tables.text("MEMORY_NODES", "s", "user_id"),
            tables.text("MEMORY_NODES", "t", "user_id"),
        ))?;
        let mut rows = statement.query([tables.user()])?;
        let text = |text: Option<String>| text.unwrap_or_default();
        while let Some(row) = rows.next()? {
            take(Self {
                from: text(row.get(0)?),
                domain: text(row.get(1)?),
                to: text(row.get(2)?),
                target_domain: text(row.get(3)?),
                description: row.get(4)?,
                bidirectional: row.get::<_, i64>(5)? != 0,
            })?;
        }
        Ok(())
    }

    /// If its target is missing, the domain of the record is used. If both memories are in one domain here, it becomes
    /// an edge.
    fn merge(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let wrong = |text| check_text("a description", text).or_else(|| memory::check_secret(text));
        if let Some(reason) = self.description.as_deref().and_then(wrong) {
            return Ok(Outcome::Refused(reason));
        }
        let description = self.description.as_deref().map(|text| merger.storable(text).into_owned());
        if let Some(id) = [&self.from, &self.to].into_iter().find(|id| merger.is_of_another_user(id)) {
            return Ok(memory::missing(id));
        }
        let Some(domain) = domain_of(tx, &self.from)? else { return Ok(memory::missing(&self.from)) };
        let target = domain_of(tx, &self.to)?.unwrap_or_else(|| self.target_domain.clone());
        let Some(target) = domains::find(tx, &target)? else {
            return Ok(Outcome::Refused(Error::DomainNotFound(target).to_string()));
        };
        if domain == target && self.domain != self.target_domain {
            let description = description.filter(|text| !text.is_empty());
            let edge = MemoryEdge {
                from: self.from.clone(),
                link_type: description.unwrap_or_else(|| RELATED.to_owned()),
                to: self.to.clone(),
                strength: 1.0,
                at: None,
                id: None,
                domain: None,
            };
            let outcome = edge.merge(tx, merger)?;
            if self.bidirectional && matches!(outcome, Outcome::Added | Outcome::Known) {
                MemoryEdge { from: self.to.clone(), to: self.from.clone(), ..edge }.merge(tx, merger)?;
            }
            return Ok(outcome);
        }
        let link_type = description.as_deref().unwrap_or_default();
        if would_plant_contradiction(tx, merger, (&self.from, &self.to), link_type)? {
            return Ok(Outcome::Refused(HIDES_CONFIRMED.into()));
        }
        let added = tx
            .prepare_cached(
                "INSERT INTO DOMAIN_REFS (nodeId, domain, targetDomain, targetNodeId, description, bidirectional)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
            )?
            .execute(params![self.from, domain, target, self.to, description, self.bidirectional])?;
        let outcome = if added > 0 { Outcome::Added } else { Outcome::Known };
        let link_type = if link_type.is_empty() { RELATED } else { link_type };
        note(tx, merger, (&self.from, &self.to), link_type, &outcome)?;
        Ok(outcome)
    }
}
