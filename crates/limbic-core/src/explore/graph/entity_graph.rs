//! Entities of a graph view, and the relations between them.

use std::collections::HashSet;

use rusqlite::{Row, params_from_iter, types::Value};
use schemars::JsonSchema;
use serde::Serialize;

use super::nodes::{Filter, Key, Node, Show, Weighted};
use crate::{
    Result, Transaction,
    explore::lists::entity_list::{EntityRow, FROM, WEIGHT},
    store::conditions::Conditions,
};

/// A relation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Edge {
    /// Relation id.
    pub id: i64,
    /// Id of the source node.
    #[serde(rename = "from")]
    pub from_id: i64,
    /// Id of the target node.
    #[serde(rename = "to")]
    pub to_id: i64,
    /// Type.
    #[serde(rename = "relationType")]
    pub relation_type: String,
    /// Strength.
    pub weight: f64,
    /// Whether it is active.
    pub active: bool,
    /// Reason or other context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// When it was stored.
    pub created_at: String,
}

/// Returns the count of matching entities, and the most used and connected of them.
pub(crate) fn first(tx: &Transaction<'_>, filter: Filter<'_>, limit: usize) -> Result<(u64, Vec<Weighted>)> {
    let mut conditions = Conditions::default();
    add_conditions(filter, &mut conditions);
    let wanted = conditions.sql();
    let total: u64 = tx
        .prepare_cached(&format!("SELECT count(*) FROM {FROM}{wanted}"))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?;
    let most = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = tx.prepare_cached(&format!(
        "SELECT e.id, {} AS weight FROM {FROM}{wanted} ORDER BY weight DESC, e.id LIMIT {most}",
        weight(filter)
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), load_weighted)?;
    Ok((total, rows.collect::<rusqlite::Result<_>>()?))
}

/// Returns the entities related to an entity, in both directions.
pub(crate) fn related(tx: &Transaction<'_>, id: i64, filter: Filter<'_>) -> Result<Vec<Weighted>> {
    let mut conditions = Conditions::default();
    let this = conditions.value(id);
    add_conditions(filter, &mut conditions);
    let related = relation_conditions(filter, &mut conditions);
    next_to(
        tx,
        filter,
        &conditions,
        &format!(
            "SELECT r.to_entity FROM relations AS r WHERE r.from_entity = {this}{related}
             UNION SELECT r.from_entity FROM relations AS r WHERE r.to_entity = {this}{related}"
        ),
    )
}

/// Returns the entities that a memory mentions.
pub(crate) fn mentioned(tx: &Transaction<'_>, number: i64, filter: Filter<'_>) -> Result<Vec<Weighted>> {
    let mut conditions = Conditions::default();
    let this = conditions.value(number);
    add_conditions(filter, &mut conditions);
    next_to(
        tx,
        filter,
        &conditions,
        &format!(
            "SELECT x.entity_id FROM memory_numbers AS n JOIN memory_entities AS x ON x.memory_id = n.id
             WHERE n.number = {this}"
        ),
    )
}

/// SQL of an entity's weight: accesses, relations and, if memories are shown, mentions.
fn weight(filter: Filter<'_>) -> String {
    let mentions = "(SELECT count(*) FROM memory_entities AS x WHERE x.entity_id = e.id)";
    if filter.show == Show::All { format!("{WEIGHT} + {mentions}") } else { WEIGHT.to_owned() }
}

fn next_to(
    tx: &Transaction<'_>,
    filter: Filter<'_>,
    conditions: &Conditions,
    near: &str,
) -> Result<Vec<Weighted>> {
    let mut statement = tx.prepare_cached(&format!(
        "WITH near(id) AS ({near})
         SELECT e.id, {} AS weight
         FROM near CROSS JOIN entities AS e ON e.id = near.id LEFT JOIN entity_access AS a ON a.entity_id = e.id{}
         ORDER BY weight DESC, e.id",
        weight(filter),
        conditions.sql()
    ))?;
    let rows = statement.query_map(params_from_iter(conditions.values()), load_weighted)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn load_weighted(row: &Row<'_>) -> rusqlite::Result<Weighted> {
    Ok((Key::Entity(row.get(0)?), row.get(1)?))
}

/// Returns the relations between these entities, by id.
pub(crate) fn edges(
    tx: &Transaction<'_>,
    nodes: &[Node<EntityRow>],
    filter: Filter<'_>,
) -> Result<Vec<Edge>> {
    let shown: HashSet<i64> = nodes.iter().map(|node| node.row.id).collect();
    let mut conditions = Conditions::default();
    let this = conditions.value(0);
    let related = relation_conditions(filter, &mut conditions);
    let mut values = conditions.values().to_vec();
    let mut statement = tx.prepare_cached(&format!(
        "SELECT r.id, r.from_entity, r.to_entity, r.relation_type, r.context, r.weight, r.active, r.created_at
         FROM relations AS r WHERE r.from_entity = {this}{related} ORDER BY r.id"
    ))?;
    let mut edges = Vec::new();
    for node in nodes {
        values[0] = Value::Integer(node.row.id);
        let mut found = statement.query(params_from_iter(&values))?;
        while let Some(row) = found.next()? {
            if shown.contains(&row.get(2)?) {
                edges.push(load_edge(row)?);
            }
        }
    }
    edges.sort_by_key(|edge| edge.id);
    Ok(edges)
}

fn load_edge(row: &Row<'_>) -> rusqlite::Result<Edge> {
    Ok(Edge {
        id: row.get(0)?,
        from_id: row.get(1)?,
        to_id: row.get(2)?,
        relation_type: row.get(3)?,
        context: row.get(4)?,
        weight: row.get(5)?,
        active: row.get(6)?,
        created_at: row.get(7)?,
    })
}

fn add_conditions(filter: Filter<'_>, conditions: &mut Conditions) {
    if let Some(wanted) = filter.entity_type {
        conditions.and("e.entity_type = ?", wanted.to_owned());
    }
    if let Some(wanted) = filter.status {
        conditions.and("e.status = ?", wanted.to_owned());
    }
    if !filter.interval.is_open() {
        let within = |expression: &str, conditions: &mut Conditions| {
            let mut inner = Vec::new();
            if let Some(since) = &filter.interval.since {
                inner.push(format!("{expression} >= {}", conditions.value(since.clone())));
            }
            if let Some(until) = &filter.interval.until {
                inner.push(format!("{expression} < {}", conditions.value(until.clone())));
            }
            inner.join(" AND ")
        };
        let entity = within("e.created_at", conditions);
        let observation = within("o.created_at", conditions);
        let relation = within("r.created_at", conditions);
        conditions.and_plain(&format!(
            "{entity} OR EXISTS (SELECT 1 FROM observations AS o WHERE o.entity_id = e.id AND {observation})
             OR EXISTS (SELECT 1 FROM relations AS r WHERE r.from_entity = e.id AND {relation})
             OR EXISTS (SELECT 1 FROM relations AS r WHERE r.to_entity = e.id AND {relation})"
        ));
    }
}

/// ` AND ...` for relations named `r`.
fn relation_conditions(filter: Filter<'_>, conditions: &mut Conditions) -> String {
    let mut sql = String::new();
    if !filter.include_ended {
        sql.push_str(" AND r.active");
    }
    sql.push_str(&super::nodes::of_types("r.relation_type", filter, conditions));
    if let Some(until) = &filter.interval.until {
        sql.push_str(&format!(" AND r.created_at < {}", conditions.value(until.clone())));
    }
    sql
}
