//! Memories of a graph view, the links between them, and the entities that they mention.

use std::collections::HashSet;

use rusqlite::{Row, params_from_iter, types::Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::nodes::{Filter, Key, Node, Weighted};
use crate::{
    Result, Transaction,
    explore::{
        lists::{
            entity_list::EntityRow,
            link_list::LINKS,
            memory_list::{CREATED, MemoryRow, WEIGHT},
        },
        output::escaped,
        status,
    },
    model::memory_words::MemoryStatus,
    store::{conditions::Conditions, memories::FROM},
};

/// A link between memories, or a reference across domains.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Link {
    /// Unique among links and references.
    #[serde(serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub id: String,
    /// Id of the source memory.
    #[serde(rename = "from")]
    pub from_id: String,
    /// Id of the target memory.
    #[serde(rename = "to")]
    pub to_id: String,
    /// Type; of a reference, its purpose.
    #[serde(rename = "type", serialize_with = "escaped")]
    #[schemars(with = "String")]
    pub link_type: String,
    /// Strength, 0 to 1; 1 for a reference.
    pub strength: f64,
    /// Whether it crosses domains.
    pub is_reference: bool,
    /// When it was stored; of a reference, when the later memory was.
    pub created_at: String,
}

/// A mention of an entity by a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mention {
    /// Id of the memory.
    #[serde(rename = "memory")]
    pub memory_id: String,
    /// Id of the node.
    #[serde(rename = "entity")]
    pub entity_id: i64,
    /// Whether it was given explicitly; otherwise its name is in the text.
    pub given: bool,
}

/// Returns the count of matching memories, and the most used and connected of them.
pub(crate) fn first(tx: &Transaction<'_>, filter: Filter<'_>, limit: usize) -> Result<(u64, Vec<Weighted>)> {
    let mut conditions = Conditions::default();
    add_conditions(tx, filter, &status::of_all(), &mut conditions)?;
    let wanted = conditions.sql();
    let total: u64 = tx
        .prepare_cached(&format!("SELECT count(*) FROM {FROM}{wanted}"))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?;
    let most = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = tx.prepare_cached(&format!(
        "SELECT n.number, {WEIGHT} AS weight FROM {FROM}{wanted} ORDER BY weight DESC, n.number LIMIT {most}"
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), load_weighted)?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

/// Returns the memories linked to a memory, in both directions.
pub(crate) fn linked(tx: &Transaction<'_>, number: i64, filter: Filter<'_>) -> Result<Vec<Weighted>> {
    let mut conditions = Conditions::default();
    let this = format!("(SELECT id FROM memory_numbers WHERE number = {})", conditions.value(number));
    add_conditions(tx, filter, &status::of_few(), &mut conditions)?;
    let related = link_conditions(filter, &mut conditions);
    next_to(
        tx,
        &conditions,
        &format!(
            "SELECT l.target FROM {LINKS} AS l WHERE l.source = {this}{related}
             UNION SELECT l.source FROM {LINKS} AS l WHERE l.target = {this}{related}"
        ),
    )
}

/// Returns the memories that mention an entity.
pub(crate) fn mentioning(tx: &Transaction<'_>, entity_id: i64, filter: Filter<'_>) -> Result<Vec<Weighted>> {
    let mut conditions = Conditions::default();
    let this = conditions.value(entity_id);
    add_conditions(tx, filter, &status::of_few(), &mut conditions)?;
    let near = format!("SELECT x.memory_id FROM memory_entities AS x WHERE x.entity_id = {this}");
    next_to(tx, &conditions, &near)
}

fn next_to(tx: &Transaction<'_>, conditions: &Conditions, near: &str) -> Result<Vec<Weighted>> {
    let mut statement = tx.prepare_cached(&format!(
        "WITH near(id) AS ({near})
         SELECT n.number, {WEIGHT} AS weight
         FROM near CROSS JOIN MEMORY_NODES AS m ON m.id = near.id CROSS JOIN memory_numbers AS n ON n.id = m.id{}
         ORDER BY weight DESC, n.number",
        conditions.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), load_weighted)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn load_weighted(row: &Row<'_>) -> rusqlite::Result<Weighted> {
    Ok((Key::Memory(row.get(0)?), row.get(1)?))
}

/// Returns the links between these memories, by id.
pub(crate) fn links(
    tx: &Transaction<'_>,
    memories: &[Node<MemoryRow>],
    filter: Filter<'_>,
) -> Result<Vec<Link>> {
    let shown: HashSet<&str> = memories.iter().map(|node| node.row.id.as_str()).collect();
    let mut conditions = Conditions::default();
    let this = conditions.value(String::new());
    let related = link_conditions(filter, &mut conditions);
    let mut values = conditions.values().to_vec();
    let mut statement = tx.prepare_cached(&format!(
        "SELECT l.id, l.source, l.target, l.type, l.strength, l.is_reference, l.created_at
         FROM {LINKS} AS l WHERE l.source = {this}{related} ORDER BY l.id, l.is_reference"
    ))?;
    let mut links = Vec::new();
    for node in memories {
        values[0] = Value::Text(node.row.id.clone());
        let mut found = statement.query(params_from_iter(&values))?;
        while let Some(row) = found.next()? {
            if shown.contains(row.get::<_, String>(2)?.as_str()) {
                links.push(load_link(row)?);
            }
        }
    }
    links.sort_by(|a, b| (&a.id, a.is_reference).cmp(&(&b.id, b.is_reference)));
    Ok(links)
}

fn load_link(row: &Row<'_>) -> rusqlite::Result<Link> {
    Ok(Link {
        id: row.get(0)?,
        from_id: row.get(1)?,
        to_id: row.get(2)?,
        link_type: row.get(3)?,
        strength: row.get(4)?,
        is_reference: row.get(5)?,
        created_at: row.get(6)?,
    })
}

/// Returns the mentions of these entities by these memories: in the order of the memories, then by the entity's id.
pub(crate) fn mentions(
    tx: &Transaction<'_>,
    memories: &[Node<MemoryRow>],
    nodes: &[Node<EntityRow>],
) -> Result<Vec<Mention>> {
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let shown: HashSet<i64> = nodes.iter().map(|node| node.row.id).collect();
    let mut statement = tx.prepare_cached(
        "SELECT entity_id, given FROM memory_entities WHERE memory_id = ?1 ORDER BY entity_id",
    )?;
    let mut mentions = Vec::new();
    for node in memories {
        let memory_id = &node.row.id;
        let mut found = statement.query([memory_id])?;
        while let Some(row) = found.next()? {
            let entity_id = row.get(0)?;
            if shown.contains(&entity_id) {
                mentions.push(Mention { memory_id: memory_id.clone(), entity_id, given: row.get(1)? });
            }
        }
    }
    Ok(mentions)
}

fn add_conditions(
    tx: &Transaction<'_>,
    filter: Filter<'_>,
    status: &str,
    conditions: &mut Conditions,
) -> Result<()> {
    if let Some(domain) = filter.domain {
        conditions.and("m.domain = ?", domain.to_owned());
    }
    if !filter.include_ended {
        let status = conditions.at(status, tx.now_text());
        conditions.and_plain(&format!("{status} = '{}'", MemoryStatus::Current));
    }
    conditions.and_within(CREATED, filter.interval);
    Ok(())
}

/// ` AND ...` for links named `l`.
fn link_conditions(filter: Filter<'_>, conditions: &mut Conditions) -> String {
    let mut sql = super::nodes::of_types("l.type", filter, conditions);
    if let Some(until) = &filter.interval.until {
        sql.push_str(&format!(" AND l.created_at < {}", conditions.value(until.clone())));
    }
    sql
}
