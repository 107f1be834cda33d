//! The content of a file of notes or a list of memories, read as a whole before anything is stored.

use std::collections::{BTreeSet, HashMap};

use limbic_core::{
    Error, Result, Transaction,
    model::text::echo,
    mutations::placeholders,
    records::{Domain, Edits, Entity, Memory, Merger, Observation, Outcome, Record, Relation, read_time},
    store::{domains, graph::entities, memories},
};

use super::{
    parts::{InParts, Parts},
    report::Report,
};
use crate::context::Context;

/// Maximum number of memories, observations and relations of an import.
pub const MAX_RECORDS: usize = 50_000;

/// Maximum size of what is kept of a source, in bytes. Each memory has what many share, such as the tags of a front
/// matter, so that this may be far more than the source.
const MAX_KEPT_BYTES: usize = 128 * 1024 * 1024;

/// Maximum lengths of the fields of a memory, in characters: those of `memory_store`.
const MAX_SUBJECT_CHARS: usize = 200;
const PATH_CHARACTERS: usize = 500;
const TAG_CHARACTERS: usize = 100;
const MAX_TAGS: usize = 100;

/// Memories and notes, and a report of what could not be read. Once the limits are exceeded, nothing more is kept.
#[derive(Default)]
pub struct ParsedRecords {
    domains: Vec<Domain>,
    pub memories: Vec<Located>,
    notes: Vec<Note>,
    /// The names of their entities, in lower case.
    note_names: BTreeSet<String>,
    pub report: Report,
    /// Number of records, and their size in bytes.
    records: usize,
    bytes: usize,
    /// Why the source exceeds the limits of an import.
    excess: Option<String>,
}

/// A memory and its location. One without an id gets one from its text and its index among others, so that a second
/// import recognises it.
pub struct Located {
    pub memory: Memory,
    /// Its location in the file.
    pub location: String,
    /// Of a memory of an export that a person may have edited: what was.
    pub edits: Option<Edits>,
}

/// An entity of the graph, with its facts and links.
pub struct Note {
    pub location: String,
    pub entity: Entity,
    /// Other names by which links refer to it.
    pub names: Vec<String>,
    pub observations: Vec<String>,
    pub links: Vec<Link>,
}

/// A link from a note.
pub struct Link {
    pub relation_type: String,
    pub target: String,
    pub context: Option<String>,
}

impl ParsedRecords {
    /// Adds a memory; its fields are cut to their limits, which the report says.
    pub fn push(&mut self, mut memory: Memory, location: String) {
        let mut missing = Vec::new();
        for (text, what, most) in
            [(&mut memory.subject, "subject", MAX_SUBJECT_CHARS), (&mut memory.path, "path", PATH_CHARACTERS)]
        {
            if let Some(shorter) = cut(text, most) {
                *text = shorter;
                missing.push(format!("its {what} is cut to {most} characters"));
            }
        }
        let (mut tags, mut is_cut) = (BTreeSet::new(), false);
        for tag in memory.tags.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
            let shorter = cut(tag, TAG_CHARACTERS);
            is_cut |= shorter.is_some();
            tags.insert(shorter.unwrap_or_else(|| tag.to_owned()));
        }
        if is_cut {
            missing.push(format!("tags are cut to {TAG_CHARACTERS} characters"));
        }
        if tags.len() > MAX_TAGS {
            missing.push(format!("{} of its {} tags are left out", tags.len() - MAX_TAGS, tags.len()));
        }
        memory.tags = tags.into_iter().take(MAX_TAGS).collect();
        if !missing.is_empty() {
            self.report.note(|| format!("{location}: {}", missing.join(", ")));
        }
        self.push_exact(Located { memory, location, edits: None });
    }

    /// Adds a memory as it is.
    pub fn push_exact(&mut self, located: Located) {
        if self.admit(1, located.bytes()) {
            self.memories.push(located);
        }
    }

    /// Adds a domain.
    pub fn push_domain(&mut self, domain: Domain) {
        let texts = [Some(&domain.id), Some(&domain.name), domain.description.as_ref()];
        if self.domains.len() == MAX_RECORDS {
            self.exceed(|| format!("{MAX_RECORDS} domains"));
        } else if self.admit(0, texts.into_iter().flatten().map(String::len).sum()) {
            self.domains.push(domain);
        }
    }

    /// Adds a note.
    pub fn push_note(&mut self, mut note: Note) {
        let name = note.entity.name.to_lowercase();
        if !self.note_names.insert(name) {
            // A note of another folder has this title: its path tells them apart.
            let path = note.location.rsplit_once('.').map_or(note.location.as_str(), |(stem, _)| stem);
            note.entity.name = format!("{} ({path})", note.entity.name);
        }
        if self.admit(note.records(), note.bytes()) {
            self.notes.push(note);
        }
    }

    /// Returns how many more records there may be.
    pub fn room(&self) -> usize {
        if self.is_too_large() { 0 } else { MAX_RECORDS.saturating_sub(self.records) }
    }

    /// Records that the source exceeds a limit.
    pub fn exceed(&mut self, what: impl FnOnce() -> String) {
        self.excess.get_or_insert_with(|| {
            format!("The file has more than {}: divide it into several, and import them one by one", what())
        });
    }

    /// As [`ParsedRecords::exceed`], for the number of records.
    pub fn exceed_records(&mut self) {
        self.exceed(|| format!("{MAX_RECORDS} memories"));
    }

    /// Whether it exceeds the limits of an import. Whoever reads a source may then stop.
    pub fn is_too_large(&self) -> bool {
        self.excess.is_some()
    }

    /// Returns why it exceeds the limits of an import.
    pub fn excess(&self) -> Option<&str> {
        self.excess.as_deref()
    }

    /// Counts records. Returns whether they are within the limits.
    fn admit(&mut self, records: usize, bytes: usize) -> bool {
        self.records += records;
        self.bytes += bytes;
        if self.records > MAX_RECORDS {
            self.exceed_records();
        } else if self.bytes > MAX_KEPT_BYTES {
            self.exceed(|| format!("{} MB of memories, each with what they share", MAX_KEPT_BYTES >> 20));
        }
        !self.is_too_large()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.notes.is_empty()
    }

    /// Returns the import, which stores everything in one part. `report` of what was read is continued.
    pub fn begin(
        mut self,
        context: &Context<'_>,
        (format, path): (&'static str, &str),
        size_bytes: u64,
    ) -> InParts {
        let report = std::mem::take(&mut self.report);
        let parts = Whole { found: self, merger: context.merger(), is_stored: false };
        InParts::new(context, (format, path), size_bytes, Box::new(parts), report)
    }
}

/// Everything that was read, as one part.
struct Whole {
    found: ParsedRecords,
    merger: Merger,
    is_stored: bool,
}

impl Parts for Whole {
    fn store(&mut self, tx: &Transaction<'_>, report: &mut Report) -> Result<bool> {
        for domain in &self.found.domains {
            let outcome = domain.merge(tx, &mut self.merger)?;
            report.count(Domain::KIND, outcome, || format!("domain {}", domain.id));
        }
        let mut reported = None;
        for located in &self.found.memories {
            let outcome = located.store(tx, &mut self.merger)?;
            let is_refused = matches!(outcome, Outcome::Refused(_));
            match outcome {
                Outcome::Known => report.skipped += 1,
                outcome => report.count(Memory::KIND, outcome, || located.location.clone()),
            }
            let memory = &located.memory;
            // The memory with the id of a refused one may be another user's.
            if !is_refused && let Some(domain) = located.other_domain(tx)? {
                report.note(|| {
                    format!(
                        "{}: it is in the domain {domain:?}, and an import does not move it: use memory_update",
                        located.location
                    )
                });
            }
            let times = [
                ("its date", memory.created_at.as_ref()),
                ("the date of its change", memory.updated_at.as_ref()),
                ("the date at which it expires", memory.expires_at.as_ref()),
            ];
            // What is refused is reported already.
            if !is_refused && let Some(missing) = unreadable_times(tx, times, &mut reported)? {
                report.note(|| format!("{}: {missing}", located.location));
            }
        }
        store_notes(&self.found.notes, tx, &mut self.merger, report)?;
        self.merger.flush(tx)?;
        self.is_stored = true;
        Ok(false)
    }

    fn progress(&self) -> (usize, usize) {
        (usize::from(self.is_stored), 1)
    }
}

impl Note {
    /// Returns the number of its records.
    fn records(&self) -> usize {
        1 + self.observations.len() + self.links.len()
    }

    /// Returns the size of its texts.
    fn bytes(&self) -> usize {
        let texts = self.names.iter().chain(&self.observations).chain([&self.location, &self.entity.name]);
        let of_link = |link: &Link| {
            link.relation_type.len() + link.target.len() + link.context.as_ref().map_or(0, String::len)
        };
        texts.map(String::len).sum::<usize>() + self.links.iter().map(of_link).sum::<usize>()
    }
}

impl Located {
    /// Returns the size of its texts that a source states.
    fn bytes(&self) -> usize {
        let memory = &self.memory;
        let texts = [&memory.id, &memory.content, &memory.subject, &memory.path, &self.location];
        let optional = [
            &memory.domain,
            &memory.summary,
            &memory.metadata,
            &memory.source,
            &memory.user_id,
            &memory.created_at,
            &memory.updated_at,
        ];
        let stated = texts.into_iter().chain(&memory.tags).chain(optional.into_iter().flatten());
        stated.map(String::len).sum()
    }

    /// Returns the domain of the stored memory if the source states another one.
    fn other_domain(&self, tx: &Transaction<'_>) -> Result<Option<String>> {
        let Some(named) = self.memory.domain.as_ref().filter(|_| !self.memory.id.is_empty()) else {
            return Ok(None);
        };
        let stated = domains::find(tx, named)?;
        let stored = memories::find(tx, &self.memory.id)?.map(|memory| memory.domain);
        Ok(stored.filter(|stored| stated.is_some_and(|stated| stated != *stored)))
    }

    fn store(&self, tx: &Transaction<'_>, merger: &mut Merger) -> Result<Outcome> {
        let mut memory = self.memory.clone();
        if memory.id.is_empty() {
            let domain = match &memory.domain {
                Some(named) => named.clone(),
                None => domains::current(tx)?,
            };
            let stated = memories::NewMemory {
                content: memory.content.clone(),
                subject: memory.subject.clone(),
                user_id: memory.user_id.clone(),
                path: memory.path.clone(),
                ..memories::NewMemory::default()
            };
            if memories::exact_duplicate(tx, &stated, &domain)?.is_some() {
                return Ok(Outcome::Known);
            }
            memory.id = derived_id(&memory, &domain);
        } else if let Some(edits) = self.edits {
            return memory.merge_edited(tx, merger, edits);
        }
        memory.merge(tx, merger)
    }
}

/// Returns the id of a memory that has none.
fn derived_id(memory: &Memory, domain: &str) -> String {
    let user = memory.user_id.as_deref().unwrap_or_default();
    let parts = [domain, user, &memory.path, &memory.subject, &memory.content];
    format!("imported-{:016x}", limbic_protocol::fnv1a(parts.join("\0").bytes()))
}

/// Stores entities before the links between them. A link to a name that is no entity makes a placeholder.
fn store_notes(notes: &[Note], tx: &Transaction<'_>, merger: &mut Merger, report: &mut Report) -> Result<()> {
    let mut names: HashMap<String, &str> = HashMap::new();
    for note in notes {
        for name in note.names.iter().chain([&note.entity.name]) {
            names.entry(name.to_lowercase()).or_insert(&note.entity.name);
        }
    }
    let mut reported = None;
    for note in notes {
        let entity = &with_times(&note.entity, tx)?;
        let times = [
            ("its date", note.entity.created_at.as_ref()),
            ("the date of its change", note.entity.updated_at.as_ref()),
            ("", None),
        ];
        if let Some(missing) = unreadable_times(tx, times, &mut reported)? {
            report.note(|| format!("{}: {missing}", note.location));
        }
        // Before its placeholder becomes an entity.
        let outcome = match entity.wrong(merger) {
            Some(reason) => Outcome::Refused(reason),
            None => {
                // An entity takes over the links of its placeholder.
                if entities::find_exact(tx, &entity.name)?.is_some_and(|known| known.is_placeholder()) {
                    placeholders::create(tx, &entity.name, &entity.entity_type)?;
                }
                entity.merge(tx, merger)?
            }
        };
        let is_refused = matches!(outcome, Outcome::Refused(_));
        match outcome {
            Outcome::Known => report.skipped += 1,
            outcome => report.count(Entity::KIND, outcome, || note.location.clone()),
        }
        if is_refused {
            continue;
        }
        for content in &note.observations {
            let outcome = observation(&entity.name, content).merge(tx, merger)?;
            report.count(Observation::KIND, outcome, || note.location.clone());
        }
    }
    for note in notes {
        for link in &note.links {
            let outcome = store_link(&note.entity.name, link, &names, tx, merger)?;
            report.count(Relation::KIND, outcome, || note.location.clone());
        }
    }
    Ok(())
}

fn store_link(
    from: &str,
    link: &Link,
    names: &HashMap<String, &str>,
    tx: &Transaction<'_>,
    merger: &mut Merger,
) -> Result<Outcome> {
    if entities::find_exact(tx, from)?.is_none() {
        return Ok(Outcome::Refused("its note was not stored".to_owned()));
    }
    // Before a placeholder is made of its target.
    let texts = link.context.iter().chain([&link.target, &link.relation_type]);
    if let Some(reason) = merger.graph_secret(texts.map(String::as_str)) {
        return Ok(Outcome::Refused(reason));
    }
    if let Some(reason) = limbic_core::records::check_name("the name of a link", &link.target) {
        return Ok(Outcome::Refused(reason));
    }
    let target = names.get(&link.target.to_lowercase()).copied().unwrap_or(&link.target);
    let target = match entities::find(tx, target)? {
        Some(known) => known.name,
        None => placeholders::find_or_create(tx, target)?.name,
    };
    let relation = Relation {
        from: from.to_owned(),
        relation_type: link.relation_type.clone(),
        to: target,
        context: link.context.clone(),
        weight: 1.0,
        active: true,
        created_at: None,
        valid_from: None,
        ended_at: None,
    };
    relation.merge(tx, merger)
}

/// Returns an entity with its times in the form that entities have.
fn with_times(entity: &Entity, tx: &Transaction<'_>) -> Result<Entity> {
    let read = |time: &Option<String>| {
        let read = time.as_deref().map(|time| read_time(tx, time)).transpose()?.flatten();
        Ok::<_, Error>(read.and_then(|time| Some(time.get(..19)?.replace('T', " "))))
    };
    Ok(Entity {
        created_at: read(&entity.created_at)?,
        updated_at: read(&entity.updated_at)?,
        ..entity.clone()
    })
}

fn observation(entity: &str, content: &str) -> Observation {
    Observation {
        entity: entity.to_owned(),
        n: None,
        content: content.to_owned(),
        kind: "generic".to_owned(),
        created_at: None,
        superseded_at: None,
        supersedes: None,
    }
}

/// Returns the start of a text that is too long; `None` for others.
fn cut(text: &str, max_chars: usize) -> Option<String> {
    text.char_indices().nth(max_chars).map(|(end, _)| text[..end].to_owned())
}

/// Returns what the report says of times that cannot be read. The second is a time already reported, which is not
/// repeated.
fn unreadable_times(
    tx: &Transaction<'_>,
    times: [(&'static str, Option<&String>); 3],
    reported: &mut Option<String>,
) -> Result<Option<String>> {
    for (what, time) in times {
        let Some(time) = time.filter(|time| reported.as_ref() != Some(*time)) else { continue };
        if read_time(tx, time)?.is_none() {
            *reported = Some(time.clone());
            return Ok(Some(format!("{what} cannot be read: {:?}", echo(time))));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_with_one_title_are_different_entities() {
        let mut parsed = ParsedRecords::default();
        for location in ["work/Plan.md", "home/Plan.md"] {
            let entity = Entity {
                name: "Plan".to_owned(),
                entity_type: "note".to_owned(),
                status: String::new(),
                description: None,
                user_id: None,
                created_at: None,
                updated_at: None,
            };
            let (names, observations, links) = (Vec::new(), Vec::new(), Vec::new());
            parsed.push_note(Note { location: location.to_owned(), entity, names, observations, links });
        }
        let names: Vec<&str> = parsed.notes.iter().map(|note| note.entity.name.as_str()).collect();
        assert_eq!(names, ["Plan", "Plan (home/Plan)"]);
    }
}
