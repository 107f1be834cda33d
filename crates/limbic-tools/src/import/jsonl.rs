//! The reference server's file: one JSON object a line, `{"type": "entity", ...}` or `{"type": "relation", ...}`.

use limbic_core::{
    Error, Result, Transaction,
    mutations::{self, observations::Additions, relations::Created},
    records::{Merger, check_name, check_text},
    store::graph::{
        entities::{self, Description, Entity},
        relations::Triple,
    },
};
use serde::Deserialize;

use super::{batches::Work, lines::Line, report::Report, short_list::short_list};

/// Maximum number of observations of a line.
const MAX_OBSERVATIONS: usize = 1_000_000;

/// A line. Relations are read again after all entities.
enum Item {
    Entity(Node),
    Relation,
    Marker,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    name: String,
    #[serde(default)]
    entity_type: Option<String>,
    #[serde(default, deserialize_with = "short_list::<MAX_OBSERVATIONS, _, _>")]
    observations: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edge {
    from: String,
    to: String,
    relation_type: String,
}

#[derive(Deserialize)]
struct Type {
    #[serde(rename = "type")]
    name: TypeName,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum TypeName {
    Entity,
    Relation,
    /// The first line of a file of mcp-knowledge-graph, by which it knows its files.
    #[serde(rename = "_aim")]
    Marker,
}

/// Reads a line: the type, and then the fields of that type. A tagged enum of serde would hold all fields until it has
/// found the type, which takes sixteen times the size of a line of numbers.
fn parse(line: &[u8]) -> serde_json::Result<Item> {
    match serde_json::from_slice::<Type>(line)?.name {
        TypeName::Entity => serde_json::from_slice(line).map(Item::Entity),
        TypeName::Relation => serde_json::from_slice::<Edge>(line).map(|_| Item::Relation),
        TypeName::Marker => Ok(Item::Marker),
    }
}

/// Returns why a text cannot be stored if it is empty: no tool could refer to it.
fn empty(what: &str, text: &str) -> Option<String> {
    text.is_empty().then(|| format!("{what} must not be empty"))
}

/// Whether a line is one of this format.
pub fn is_known(line: &[u8]) -> bool {
    parse(line).is_ok()
}

/// The import of lines; invalid lines are skipped and reported by number. A relation may precede its entities, so the
/// file is read twice.
pub struct Items {
    report: Report,
    merger: Merger,
    additions: Additions,
    /// What a line is called in messages.
    unit: &'static str,
    /// Whether relations are stored; else entities.
    relations: bool,
}

impl Items {
    /// Stores nothing yet. `unit` is what a line is called in messages.
    pub fn new(merger: Merger, unit: &'static str) -> Self {
        Self { report: Report::default(), merger, additions: Additions::default(), unit, relations: false }
    }

    /// Reports what a source has beside the lines, for these reasons.
    pub fn without(mut self, left_out: Vec<String>) -> Self {
        left_out.into_iter().for_each(|reason| self.report.skip(|| reason));
        self
    }
}

impl Work for Items {
    fn readings(&self) -> u64 {
        2
    }

    fn read_again(&mut self) {
        self.relations = true;
    }

    fn line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()> {
        if self.relations { self.relation_line(tx, line) } else { self.entity_line(tx, line) }
    }

    fn complete(&mut self, tx: &Transaction<'_>) -> Result<()> {
        self.additions.finish(tx)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn into_report(self: Box<Self>) -> Report {
        self.report
    }
}

impl Items {
    fn entity_line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()> {
        let item = line.bytes.clone().and_then(|bytes| parse(bytes).map_err(|error| error.to_string()));
        match item {
            Ok(Item::Entity(Node { name, entity_type, observations })) => {
                let wrong = empty("a name", &name)
                    .or_else(|| check_name("a name", &name))
                    .or_else(|| entity_type.as_deref().and_then(|text| check_text("a type", text)))
                    .or_else(|| {
                        let texts = std::iter::once(name.as_str()).chain(entity_type.as_deref());
                        self.merger.graph_secret(texts)
                    });
                match wrong {
                    Some(reason) => self.report.skip(|| format!("{} {}: {reason}", self.unit, line.number)),
                    None => self.entity(tx, line.number, (&name, entity_type.as_deref()), observations)?,
                }
            }
            Ok(Item::Relation | Item::Marker) => {}
            Err(reason) => self.report.skip(|| format!("{} {}: {reason}", self.unit, line.number)),
        }
        Ok(())
    }

    fn entity(
        &mut self,
        tx: &Transaction<'_>,
        number: usize,
        (name, entity_type): (&str, Option<&str>),
        mut texts: Vec<String>,
    ) -> Result<()> {
        let is_as_given = |entity: &entities::Entity| {
            !entity.is_placeholder() && entity_type.is_none_or(|wanted| wanted == entity.entity_type)
        };
        let (entity, has_changed) = match self.merger.recognise(tx, name)? {
            // It stays unchanged, so that a second import changes nothing. Of several lines on one entity the first
            // determines its type.
            Some(entity) if !self.merger.mark_seen(entity.id) || is_as_given(&entity) => (entity, false),
            Some(Entity { name, .. }) => {
                let description = Description { name: &name, entity_type, status: None };
                (mutations::entities::upsert(tx, description)?.0, true)
            }
            None => match mutations::placeholders::create(tx, name, entity_type.unwrap_or("Generic"))? {
                Some(entity) => (entity, true),
                None => return Ok(()),
            },
        };
        let id = entity.id;
        self.merger.mark_seen(id);
        texts.retain(|text| {
            // The entity keeps the type that it has, or another line gives it one.
            let topics = [name, &entity.entity_type].into_iter().chain(entity_type);
            let wrong = empty("an observation", text)
                .or_else(|| check_text("an observation", text))
                .or_else(|| self.merger.graph_secret([text.as_str()]))
                .or_else(|| self.merger.graph_secret_about(topics, text));
            match wrong {
                Some(reason) => {
                    self.report.skip(|| format!("{} {number}: {reason}", self.unit));
                    false
                }
                None => true,
            }
        });
        let added = self.additions.add(tx, id, &texts, "generic")?;
        if has_changed {
            self.additions.changed(id);
        }
        self.report.entities += 1;
        self.report.observations += u64::try_from(added.len()).unwrap_or_default();
        Ok(())
    }

    fn relation_line(&mut self, tx: &Transaction<'_>, line: &Line<'_>) -> Result<()> {
        let Ok(bytes) = line.bytes else { return Ok(()) };
        // Most lines are entities, and long.
        if !serde_json::from_slice::<Type>(bytes).is_ok_and(|of| of.name == TypeName::Relation) {
            return Ok(());
        }
        let Ok(Edge { from, to, relation_type }) = serde_json::from_slice(bytes) else { return Ok(()) };
        if let Err(reason) = self.relation(tx, &from, &to, &relation_type)? {
            self.report.skip(|| format!("{} {}: {reason}", self.unit, line.number));
        }
        Ok(())
    }

    fn relation(
        &mut self,
        tx: &Transaction<'_>,
        from: &str,
        to: &str,
        relation_type: &str,
    ) -> Result<std::result::Result<(), String>> {
        let wrong = empty("a relation type", relation_type)
            .or_else(|| check_name("a relation type", relation_type))
            .or_else(|| self.merger.graph_secret([relation_type, from, to]));
        if let Some(reason) = wrong {
            return Ok(Err(reason));
        }
        let (Some(start), Some(end)) = (entities::find(tx, from)?, entities::find(tx, to)?) else {
            return Ok(Err(Error::EntityNotFound(format!("{from} or {to}")).to_string()));
        };
        let triple = Triple { from_id: start.id, to_id: end.id, relation_type };
        match mutations::relations::create(tx, triple, None, None)? {
            Created::Active(_) => self.report.relations += 1,
            Created::Existed(_) => self.report.skipped += 1,
        }
        Ok(Ok(()))
    }
}
