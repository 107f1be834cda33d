//! A part of the graph to draw: the most used entities, or what lies around some of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::{Row, params_from_iter, types::Value};

use super::{
    interval::Interval,
    records::entities::{self as rows, EntityRow, KIND, WEIGHT},
};
use crate::{Result, Unit, store::conditions::Conditions};

/// The most edges of one picture.
pub const EDGES_MAX: usize = 100_000;

/// Which entities and relations belong into the picture.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    /// Only entities of this type.
    pub entity_type: Option<&'a str>,
    /// Only entities of this status.
    pub status: Option<&'a str>,
    /// Only relations of these types.
    pub relation_types: Option<&'a [String]>,
    /// Relations that have ended, too.
    pub include_ended: bool,
    /// Only entities of which something was stored in this time, and relations that were stored before its end.
    pub interval: &'a Interval,
}

/// How far to go from the entities that were named.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// The most relations between a named entity and another.
    pub depth: u32,
    /// The most entities that one entity brings in.
    pub neighbours_max: usize,
}

/// An entity in the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The entity.
    pub row: EntityRow,
    /// How many relations lie between it and a named entity.
    pub distance: Option<u32>,
}

/// A relation in the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Row number.
    pub id: i64,
    /// Row number of the entity it starts from.
    pub from_id: i64,
    /// Row number of the entity it leads to.
    pub to_id: i64,
    /// Type.
    pub relation_type: String,
    /// Why it holds.
    pub context: Option<String>,
    /// How strong it is.
    pub weight: f64,
    /// Whether it holds now.
    pub active: bool,
    /// `YYYY-MM-DD HH:MM:SS`, UTC.
    pub created_at: String,
}

/// A part of the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The entities, in the order in which they matter.
    pub nodes: Vec<Node>,
    /// The relations between them, in the order of their ids.
    pub edges: Vec<Edge>,
    /// How many entities would also have fitted.
    pub nodes_omitted: u64,
    /// How many relations between the entities shown are not.
    pub edges_omitted: usize,
}

/// The most used and connected entities that fit, and the relations between them.
///
/// # Errors
/// Those of the database.
pub fn overview(unit: &Unit<'_>, filter: Filter<'_>, limit: usize) -> Result<Picture> {
    let mut conditions = Conditions::default();
    add_entity_conditions(filter, &mut conditions);
    let (from, wanted) = (KIND.from, conditions.sql());
    let total: u64 = unit
        .prepare_cached(&format!("SELECT count(*) FROM {from}{wanted}"))?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?;
    let most = conditions.value(i64::try_from(limit).unwrap_or(i64::MAX));
    let mut statement = unit.prepare_cached(&format!(
        "SELECT {} FROM {from}{wanted} ORDER BY {WEIGHT} DESC, e.id LIMIT {most}",
        KIND.select
    ))?;
    let nodes = statement
        .query_map(params_from_iter(conditions.values()), |row| {
            Ok(Node { row: (KIND.load)(row)?, distance: None })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let nodes_omitted = total.saturating_sub(nodes.len() as u64);
    with_edges(unit, nodes, nodes_omitted, filter)
}

/// What lies around some entities, nearest first. The entities named are in it whether they fit or not; what does not
/// fit is not walked through.
///
/// # Errors
/// Those of the database.
pub fn around(
    unit: &Unit<'_>,
    starts: &[i64],
    reach: Reach,
    filter: Filter<'_>,
    limit: usize,
) -> Result<Picture> {
    let mut shown: Vec<(i64, u32)> = Vec::new();
    let mut known = HashSet::new();
    let mut left_out = BTreeSet::new();
    for id in starts.iter().filter(|id| known.insert(**id)).copied().collect::<Vec<_>>() {
        if shown.len() < limit {
            shown.push((id, 0));
        } else {
            left_out.insert(id);
        }
    }
    let mut frontier: Vec<i64> = shown.iter().map(|(id, _)| *id).collect();
    for distance in 1..=reach.depth {
        let mut found: BTreeMap<i64, u64> = BTreeMap::new();
        for id in &frontier {
            let mut brought = 0;
            for (neighbour, weight) in neighbours(unit, *id, filter)? {
                if known.contains(&neighbour) || found.contains_key(&neighbour) {
                    continue;
                }
                if brought < reach.neighbours_max {
                    brought += 1;
                    found.insert(neighbour, weight);
                } else {
                    left_out.insert(neighbour);
                }
            }
        }
        let mut found: Vec<(i64, u64)> = found.into_iter().collect();
        found.sort_by_key(|(id, weight)| (std::cmp::Reverse(*weight), *id));
        let room = limit - shown.len();
        left_out.extend(found.iter().skip(room).map(|(id, _)| *id));
        frontier = found.into_iter().take(room).map(|(id, _)| id).collect();
        known.extend(frontier.iter().copied());
        shown.extend(frontier.iter().map(|id| (*id, distance)));
    }
    let mut nodes = Vec::with_capacity(shown.len());
    for (id, distance) in shown {
        left_out.remove(&id);
        nodes.extend(rows::get(unit, id)?.map(|row| Node { row, distance: Some(distance) }));
    }
    with_edges(unit, nodes, left_out.len() as u64, filter)
}

/// The entities next to one, with how much each is used and connected, the most first.
fn neighbours(unit: &Unit<'_>, id: i64, filter: Filter<'_>) -> Result<Vec<(i64, u64)>> {
    let mut conditions = Conditions::default();
    let this = conditions.value(id);
    add_entity_conditions(filter, &mut conditions);
    let related = relation_conditions(filter, &mut conditions);
    let mut statement = unit.prepare_cached(&format!(
        "WITH near(id) AS (
             SELECT r.to_entity FROM relations AS r WHERE r.from_entity = {this}{related}
             UNION SELECT r.from_entity FROM relations AS r WHERE r.to_entity = {this}{related})
         SELECT e.id, {WEIGHT} AS weight
         FROM near CROSS JOIN entities AS e ON e.id = near.id LEFT JOIN entity_access AS a ON a.entity_id = e.id{}
         ORDER BY weight DESC, e.id",
        conditions.sql()
    ))?;
    let rows =
        statement.query_map(params_from_iter(conditions.values()), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn with_edges(unit: &Unit<'_>, nodes: Vec<Node>, nodes_omitted: u64, filter: Filter<'_>) -> Result<Picture> {
    let shown: HashSet<i64> = nodes.iter().map(|node| node.row.id).collect();
    let mut conditions = Conditions::default();
    conditions.value(0);
    let related = relation_conditions(filter, &mut conditions);
    let mut values = conditions.values().to_vec();
    let mut statement = unit.prepare_cached(&format!(
        "SELECT r.id, r.from_entity, r.to_entity, r.relation_type, r.context, r.weight, r.active, r.created_at
         FROM relations AS r WHERE r.from_entity = ?1{related} ORDER BY r.id"
    ))?;
    let mut edges = Vec::new();
    for node in &nodes {
        values[0] = Value::Integer(node.row.id);
        let mut found = statement.query(params_from_iter(&values))?;
        while let Some(row) = found.next()? {
            if shown.contains(&row.get(2)?) {
                edges.push(load_edge(row)?);
            }
        }
    }
    edges.sort_by_key(|edge| edge.id);
    let edges_omitted = edges.len().saturating_sub(EDGES_MAX);
    edges.truncate(EDGES_MAX);
    Ok(Picture { nodes, edges, nodes_omitted, edges_omitted })
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

fn add_entity_conditions(filter: Filter<'_>, conditions: &mut Conditions) {
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
    if let Some(types) = filter.relation_types {
        let places: Vec<String> = types.iter().map(|name| conditions.value(name.clone())).collect();
        sql.push_str(&format!(" AND r.relation_type IN ({})", places.join(", ")));
    }
    if let Some(until) = &filter.interval.until {
        sql.push_str(&format!(" AND r.created_at < {}", conditions.value(until.clone())));
    }
    sql
}
