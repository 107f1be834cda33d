//! Memories in JSON documents: exports of mem0, Letta, mcp-memory-service and Claude, and lists of memories from other
//! assistants.

mod document;
mod element;
mod graph;
mod kinds;

use std::{borrow::Cow, collections::HashMap, rc::Rc};

use limbic_core::{Error, Result, model::text::echo, records::Memory};
use serde_json::value::RawValue;

use super::{
    lines::{Line, Lines},
    notes::{self, Base},
    parsed_records::ParsedRecords,
};
use crate::source::Source;
use document::Document;
use element::{Element, timestamp};
pub use graph::Graph;

/// Maximum size of a document, which is held in memory.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Fields of a message: lists of them are conversations, not memories.
const OF_MESSAGES: [&str; 6] = ["role", "author", "sender", "mapping", "chat_messages", "message"];

/// Number of elements of which one must tell the format, and of lines of which most must.
const MAX_SAMPLE: usize = 20;

/// The formats, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `memory_export`, `get_all` and the JSON of the dashboard; see "Export Stored Memories" in mem0's documentation.
    Mem0,
    /// Agent files; see "AgentFile (.af)" in Letta's documentation. Passages are those of the endpoint
    /// `archival-memory`.
    Letta,
    /// The JSON of mcp-memory-service's export.
    MemoryService,
    /// `memories.json` of Claude's data export.
    Claude,
    /// Texts, or objects with a text.
    MemoryList,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Mem0 => "mem0",
            Self::Letta => "letta",
            Self::MemoryService => "mcp-memory-service",
            Self::Claude => "claude",
            Self::MemoryList => "memory-list",
        }
    }
}

/// What a document contains.
pub enum Found {
    /// Memories in a format of this name.
    Memories(&'static str, Box<ParsedRecords>),
    /// The reference server's graph.
    Graph(Graph),
}

/// Reads a document; `None` if it is not JSON, or has none of these formats.
///
/// # Errors
/// [`Error::UnreadableSource`]; [`Error::UnknownSource`] for conversations.
pub fn read(source: &mut dyn Source, path: &str) -> Result<Option<Found>> {
    if source.size() > MAX_BYTES {
        return Ok(None);
    }
    let Some(document) = document::read(source, path)? else { return Ok(None) };
    if let Some(graph) = Graph::read(&document) {
        return Ok(Some(Found::Graph(graph)));
    }
    let mut reader = Reader::new(path);
    let format = match document {
        Document::List(elements) => reader.list(&elements)?,
        Document::Object(fields) => reader.object(&fields)?,
    };
    Ok(format.map(|format| Found::Memories(format.name(), Box::new(reader.parsed))))
}

/// Reads memories of one of the formats that are written one to a line. Returns the name of the format; `None` if
/// neither the first line nor most of the first ones have one: a line in another document may look like a memory.
///
/// # Errors
/// As [`read`].
pub fn read_lines(source: &mut dyn Source, path: &str) -> Result<Option<(&'static str, ParsedRecords)>> {
    if source.size() > MAX_BYTES {
        return Ok(None);
    }
    let mut reader = Reader::new(path);
    let (mut lines, mut format, mut sample) = (Lines::new(path), None, Vec::new());
    while let Some(Line { number, bytes }) = lines.next(source)? {
        let text = bytes.and_then(|bytes| {
            serde_json::from_slice::<Box<RawValue>>(bytes).map_err(|_| "it is no JSON".to_owned())
        });
        if reader.parsed.is_too_large() {
            break;
        }
        if let Some(format) = format {
            reader.line(format, number, &text);
            continue;
        }
        sample.push((number, text));
        if sample.len() == MAX_SAMPLE {
            let Some(found) = format_of_lines(&sample)? else { return Ok(None) };
            sample.drain(..).for_each(|(number, text)| reader.line(found, number, &text));
            format = Some(found);
        }
    }
    if format.is_none() && !reader.parsed.is_too_large() {
        format = format_of_lines(&sample)?;
        if let Some(format) = format {
            sample.iter().for_each(|(number, text)| reader.line(format, *number, text));
        }
    }
    // One object with a text is anything.
    let format = format.filter(|format| *format != Format::MemoryList || reader.parsed.memories.len() > 1);
    Ok(format.map(|format| (format.name(), reader.parsed)))
}

/// Returns why a JSON document of unknown format could not be read: a sentence for people. `None` if nothing is known.
///
/// # Errors
/// [`Error::UnreadableSource`].
pub fn obstacle(source: &mut dyn Source, path: &str) -> Result<Option<String>> {
    let bytes = source.size();
    if bytes > MAX_BYTES {
        return Ok(Some(format!(
            "A JSON document must have at most {MAX_BYTES} bytes, but got {bytes}: divide it into several"
        )));
    }
    document::obstacle(source, path)
}

struct Reader<'a> {
    parsed: ParsedRecords,
    /// Name of the file.
    source: &'a str,
    named: Named,
}

impl<'a> Reader<'a> {
    fn new(path: &'a str) -> Self {
        let source = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
        Self { parsed: ParsedRecords::default(), source, named: Named::default() }
    }

    /// Reads a line that is an element of its own.
    fn line(&mut self, format: Format, number: usize, text: &std::result::Result<Box<RawValue>, String>) {
        let location = format!("line {number}");
        match text {
            Ok(text) if format == Format::Claude => self.claude(text, number - 1),
            Ok(text) => match element::parse(text) {
                Ok(element) => self.element(format, element, location, &Base::default()),
                Err(reason) => self.parsed.report.skip(|| format!("{location}: {reason}")),
            },
            Err(reason) => self.parsed.report.skip(|| format!("{location}: {reason}")),
        }
    }

    fn list(&mut self, elements: &[Box<RawValue>]) -> Result<Option<Format>> {
        let Some(format) = elements.iter().take(MAX_SAMPLE).find_map(|element| format_of(element)) else {
            return match elements.first() {
                Some(first) if document::fields(first).is_some_and(|fields| is_conversation(&fields)) => {
                    Err(conversations())
                }
                _ => Ok(None),
            };
        };
        if format == Format::Claude {
            elements.iter().enumerate().for_each(|(number, element)| self.claude(element, number));
        } else {
            self.elements(format, elements, "", &Base::default());
        }
        Ok(Some(format))
    }

    fn object(&mut self, fields: &document::Fields) -> Result<Option<Format>> {
        let list = |name: &str| fields.get(name).and_then(document::elements);
        if let Some(blocks) = list("core_memory").or_else(|| list("blocks")) {
            self.letta(fields, &blocks);
            return Ok((!self.parsed.is_empty() || fields.contains("agents")).then_some(Format::Letta));
        }
        if kinds::is_of_claude(fields) {
            self.claude(&fields.whole(), 0);
            return Ok(Some(Format::Claude));
        }
        if let Some(passages) = list("passages") {
            self.elements(Format::Letta, &passages, "passage ", &Base::default());
            return Ok(Some(Format::Letta));
        }
        if let Some(memories) = kinds::LISTS.iter().find_map(|name| list(name)) {
            let format = if fields.contains("export_metadata") {
                Some(Format::MemoryService)
            } else if fields.contains("export_meta") && fields.contains("memory_categories") {
                Some(Format::Mem0)
            } else {
                memories.iter().take(MAX_SAMPLE).find_map(|element| format_of(element))
            };
            // Of other lists than these, texts may be anything.
            let is_named = ["memories", "results"].iter().any(|name| fields.contains(name));
            let format = format.filter(|format| *format != Format::MemoryList || is_named);
            if let Some(format) = format.filter(|format| *format != Format::Claude) {
                self.named = Named::of_openmemory(fields);
                self.elements(format, &memories, "", &Base::default());
                self.relations_of_mem0(list("relations").unwrap_or_default().len());
            }
            return Ok(format);
        }
        // The answer to a request for one memory, or an envelope around the list.
        let is_memory = fields.get("memory").is_some_and(|text| text.get().starts_with('"'));
        if is_memory && ["id", "created_at"].iter().all(|name| fields.contains(name)) {
            self.elements(Format::Mem0, &[fields.whole()], "", &Base::default());
            return Ok(Some(Format::Mem0));
        }
        let inner = fields.get("data").and_then(document::fields);
        if let Some(inner) = inner.filter(|inner| !inner.contains("data")) {
            return self.object(&inner);
        }
        if ["mapping", "conversations", "chat_messages"].iter().any(|name| fields.contains(name)) {
            return Err(conversations());
        }
        Ok(None)
    }

    /// Counts the relations of mem0's graph, which name no memory.
    fn relations_of_mem0(&mut self, count: usize) {
        for number in 1..=count {
            self.parsed.report.skip(|| format!("relation {number}: mem0's graph is not imported"));
        }
    }

    fn elements(&mut self, format: Format, elements: &[Box<RawValue>], kind: &str, base: &Base<'_>) {
        for (number, text) in elements.iter().enumerate() {
            if self.parsed.is_too_large() {
                return;
            }
            let kind = if kind.is_empty() { "element " } else { kind };
            let location = format!("{kind}{}", number + 1);
            match element::parse(text) {
                Ok(element) => self.element(format, element, location, base),
                Err(reason) => self.parsed.report.skip(|| format!("{location}: {reason}")),
            }
        }
    }

    fn element(&mut self, format: Format, element: Element<'_>, location: String, base: &Base<'_>) {
        if let Some((label, value)) = element.block().filter(|_| format == Format::Letta) {
            let (subject, path) = (label.as_str(), format!("{}/{}", base.path, label.replace('/', "-")));
            let created_at = timestamp(element.created_at);
            let location = format!("{location}, ");
            let base = Base { subject, path, source: self.source, created_at, location };
            notes::add_markdown(&with_line_breaks(&value), &base, &mut self.parsed);
            return;
        }
        if let Some(reason) = element.disabled() {
            self.parsed.report.skip(|| format!("{location}: {reason}"));
            return;
        }
        let Some(content) = element.content() else {
            self.parsed.report.skip(|| format!("{location}: it has no text"));
            return;
        };
        let read = element.metadata().and_then(|metadata| Ok((metadata, element.user_id()?)));
        let (metadata, user_id) = match read {
            Ok(read) => read,
            Err(reason) => {
                self.parsed.report.skip(|| format!("{location}: {reason}"));
                return;
            }
        };
        if let Some(reason) = metadata.left_out {
            self.parsed.report.note(|| format!("{location}: its metadata are left out: {reason}"));
        }
        let has_fields = metadata.fields.is_some();
        let mut fields = metadata.fields.unwrap_or_default();
        let mut memory = Memory {
            content,
            source: Some(self.source.to_owned()).filter(|name| !name.is_empty()),
            created_at: element.created_at(),
            updated_at: element.updated_at(),
            ..Memory::default()
        };
        let mut tags = element::words(element.tags);
        match format {
            Format::Mem0 => {
                memory.id = element.id();
                memory.expires_at = timestamp(element.expiration_date);
                memory.user_id = user_id.map(|user| self.named.owner(user));
                tags.extend(element::words(element.categories));
                tags.extend(self.named.categories(element::words(element.category_ids)));
                for (name, value) in element.origins() {
                    fields.entry(name).or_insert_with(|| value.into());
                }
            }
            Format::Letta => memory.id = element.id(),
            Format::MemoryService => {
                if let Some(successor) = element::superseded_by(&fields) {
                    memory.end_as_superseded(successor);
                }
                tags.extend(element::words(element.tags_str));
                memory.id = element.content_hash.clone().unwrap_or_default();
                element::set_type(&mut memory, element.memory_type().as_deref());
            }
            Format::MemoryList | Format::Claude => {
                tags.extend(element::words(element.categories));
                memory.updated_at = None;
            }
        }
        if tags.unreadable > 0 {
            let count = tags.unreadable;
            self.parsed
                .report
                .note(|| format!("{location}: {count} of its tags cannot be read: expected texts"));
        }
        memory.tags.append(&mut tags.words);
        let is_stated = has_fields || !fields.is_empty();
        memory.metadata = is_stated.then(|| serde_json::Value::Object(fields).to_string());
        self.parsed.push(memory, location);
    }

    fn letta(&mut self, fields: &document::Fields, blocks: &[Box<RawValue>]) {
        let agents = fields.get("agents").and_then(document::elements).unwrap_or_default();
        // A block may belong to several agents: the first names it.
        let mut owners: HashMap<String, Rc<str>> = HashMap::new();
        for (number, agent) in agents.iter().enumerate() {
            let location = format!("agent {}", number + 1);
            let agent = match element::parse(agent) {
                Ok(agent) => agent,
                Err(reason) => {
                    self.parsed.report.skip(|| format!("{location}: {reason}"));
                    continue;
                }
            };
            let name = Rc::<str>::from(agent.name().unwrap_or_default());
            for block in agent.block_ids() {
                owners.entry(block).or_insert_with(|| Rc::clone(&name));
            }
            self.messages(agent.messages, &location);
            let own = agent.memory_blocks.and_then(document::elements).unwrap_or_default();
            let path = if name.is_empty() { String::new() } else { format!("/{name}") };
            let kind = format!("{location}, block ");
            self.elements(Format::Letta, &own, &kind, &Base { path, ..Base::default() });
        }
        self.messages(fields.get("messages"), "agent");
        let only = fields.get("name").and_then(element::string);
        for (number, block) in blocks.iter().enumerate() {
            let location = format!("block {}", number + 1);
            let element = match element::parse(block) {
                Ok(element) => element,
                Err(reason) => {
                    self.parsed.report.skip(|| format!("{location}: {reason}"));
                    continue;
                }
            };
            // A block may still be empty.
            if element.block().is_some_and(|(_, value)| value.trim().is_empty()) {
                continue;
            }
            let id = element.id();
            let owner = owners.get(&id).map(Rc::as_ref).or(only.as_deref());
            let path = owner.filter(|name| !name.is_empty()).map_or(String::new(), |name| format!("/{name}"));
            self.element(Format::Letta, element, location, &Base { path, ..Base::default() });
        }
        for name in ["passages", "archival_memory"] {
            if let Some(passages) = fields.get(name).and_then(document::elements) {
                self.elements(Format::Letta, &passages, "passage ", &Base::default());
            }
        }
    }

    /// Counts the messages of an agent, and the files that it has read, as one record that is skipped.
    fn messages(&mut self, messages: Option<&RawValue>, location: &str) {
        let count = messages.and_then(document::elements).map_or(0, |messages| messages.len());
        if count > 0 {
            self.parsed
                .report
                .skip(|| format!("{location}: {count} messages of conversations, not memories"));
        }
    }

    fn claude(&mut self, text: &RawValue, number: usize) {
        let element = match element::parse(text) {
            Ok(element) => element,
            Err(reason) => {
                self.parsed.report.skip(|| format!("element {}: {reason}", number + 1));
                return;
            }
        };
        if let Some(text) = &element.conversations_memory {
            self.markdown_of_claude(text, String::new());
        }
        let projects = element.project_memories.filter(|value| value.get() != "null");
        match projects.map(document::fields) {
            None => {}
            Some(Some(projects)) => {
                for (id, text) in projects.all() {
                    match element::string(text) {
                        Some(text) => self.markdown_of_claude(&text, format!("project {id}")),
                        None => self.parsed.report.skip(|| format!("project {}: expected a text", echo(id))),
                    }
                }
            }
            Some(None) => self.parsed.report.skip(|| {
                format!("element {}: expected at most a thousand projects, each with a text", number + 1)
            }),
        }
        let files = element.memory_files.and_then(document::elements).unwrap_or_default();
        for (number, file) in files.iter().enumerate() {
            let location = format!("memory file {}", number + 1);
            match element::parse(file) {
                Ok(file) => match file.content() {
                    Some(text) => self.markdown_of_claude(&text, file.file_name().unwrap_or(location)),
                    None => self.parsed.report.skip(|| format!("{location}: it has no text")),
                },
                Err(reason) => self.parsed.report.skip(|| format!("{location}: {reason}")),
            }
        }
    }

    /// Adds the memories of a text in Claude's export; `part` is empty, or the name of its part.
    fn markdown_of_claude(&mut self, text: &str, part: String) {
        let (path, location) = match part.is_empty() {
            true => (String::new(), String::new()),
            false => (format!("/{}", part.trim_start_matches('/')), format!("{part}, ")),
        };
        let base = Base { path, source: self.source, location, ..Base::default() };
        notes::add_markdown(text, &base, &mut self.parsed);
    }
}

/// What OpenMemory's backup states once for all memories.
#[derive(Default)]
struct Named {
    /// The id of the user in its database, and the name.
    owner: Option<(String, String)>,
    /// Names of categories by their ids.
    categories: HashMap<String, String>,
}

impl Named {
    fn of_openmemory(fields: &document::Fields) -> Self {
        let text = |fields: &document::Fields, name: &str| fields.get(name).and_then(element::string);
        let owner = fields
            .get("user")
            .and_then(document::fields)
            .and_then(|user| Some((text(&user, "id")?, text(&user, "user_id")?)));
        let categories = fields.get("categories").and_then(document::elements).unwrap_or_default();
        let named = |category: &RawValue| {
            let category = document::fields(category)?;
            Some((text(&category, "id")?, text(&category, "name")?))
        };
        Self { owner, categories: categories.iter().filter_map(|category| named(category)).collect() }
    }

    fn owner(&self, user: String) -> String {
        match &self.owner {
            Some((id, name)) if *id == user => name.clone(),
            _ => user,
        }
    }

    /// Returns the names of categories; an id without a name stays.
    fn categories(&self, ids: element::Words) -> element::Words {
        let named = |id: String| self.categories.get(&id).cloned().unwrap_or(id);
        element::Words { words: ids.words.into_iter().map(named).collect(), ..ids }
    }
}

/// Returns a text with its line breaks as hard ones: a block is written line by line. Code has its own.
fn with_line_breaks(text: &str) -> Cow<'_, str> {
    if text.contains("```") { text.into() } else { text.replace('\n', "  \n").into() }
}

/// A line with its number, or why it cannot be read.
type SampleLine = (usize, std::result::Result<Box<RawValue>, String>);

/// Returns the format of the first line, or else the one of most lines.
fn format_of_lines(sample: &[SampleLine]) -> Result<Option<Format>> {
    let kinds: Vec<Option<LineKind>> =
        sample.iter().map(|(_, text)| text.as_deref().ok().and_then(kind_of_line)).collect();
    let known: Vec<LineKind> = kinds.iter().copied().flatten().collect();
    let is_known = kinds.first().is_some_and(Option::is_some) || known.len() * 2 > kinds.len();
    match known.first().filter(|_| is_known) {
        Some(LineKind::Memory(format)) => Ok(Some(*format)),
        Some(LineKind::Conversation) => Err(conversations()),
        None => Ok(None),
    }
}

/// What an object on a line of its own is.
#[derive(Clone, Copy)]
enum LineKind {
    Memory(Format),
    Conversation,
}

/// Returns what a line is; `None` for other lines.
fn kind_of_line(text: &RawValue) -> Option<LineKind> {
    let fields = document::fields(text)?;
    match format_of(text) {
        Some(Format::Mem0) if !kinds::is_of_openmemory(&fields) && !is_of_mem0(&fields) => None,
        Some(format) => Some(LineKind::Memory(format)),
        None => is_conversation(&fields).then_some(LineKind::Conversation),
    }
}

/// Whether an object with a text named `memory` is one of mem0's: `memory` may as well be the size of one.
fn is_of_mem0(fields: &document::Fields) -> bool {
    const BESIDE_ID: [&str; 6] = ["created_at", "updated_at", "hash", "metadata", "categories", "score"];
    let has_any = |names: &[&str]| names.iter().any(|name| fields.contains(name));
    fields.contains("user_id") || fields.contains("id") && has_any(&BESIDE_ID)
}

/// Returns the format that an element of a list indicates.
fn format_of(text: &RawValue) -> Option<Format> {
    if let Ok(text) = serde_json::from_str::<String>(text.get()) {
        return (text.split_whitespace().count() > 1).then_some(Format::MemoryList);
    }
    let fields = document::fields(text)?;
    let is_text = |name: &str| fields.get(name).is_some_and(|value| value.get().starts_with('"'));
    // mem0 keeps the role of the message that a memory was found in.
    if is_text("memory") || kinds::is_of_openmemory(&fields) {
        Some(Format::Mem0)
    } else if is_conversation(&fields) {
        None
    } else if kinds::is_of_claude(&fields) {
        Some(Format::Claude)
    } else if is_text("content_hash") && is_text("content") {
        Some(Format::MemoryService)
    } else if is_text("label") && is_text("value")
        || is_text("text")
            && ["agent_id", "archive_id", "embedding_config"].iter().any(|name| fields.contains(name))
    {
        Some(Format::Letta)
    } else if is_text("content") || is_text("text") {
        Some(Format::MemoryList)
    } else {
        None
    }
}

/// Whether an element of a list is a message or a conversation.
fn is_conversation(fields: &document::Fields) -> bool {
    OF_MESSAGES.iter().any(|name| fields.contains(name))
}

fn conversations() -> Error {
    Error::UnknownSource {
        message: "The file contains conversations, not memories: copy the list of saved memories from the assistant's \
                  settings to a text file, one per line with \"- \" before it, and import that"
            .into(),
    }
}
