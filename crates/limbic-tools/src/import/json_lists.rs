//! Memories in JSON documents: exports of mem0, Letta, mcp-memory-service and Claude, and lists of memories from other
//! assistants.

mod document;
mod element;

use std::{borrow::Cow, collections::HashMap, rc::Rc};

use limbic_core::{Error, Result, records::Memory};
use serde_json::value::RawValue;

use super::{
    notes::{self, Base},
    parsed_records::ParsedRecords,
};
use crate::source::Source;
use document::Document;
use element::{Element, timestamp, words};

/// Maximum size of a document, which is held in memory.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Fields of a message: lists of them are conversations, not memories.
const OF_MESSAGES: [&str; 6] = ["role", "author", "sender", "mapping", "chat_messages", "message"];

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

/// Reads a document. Returns the name of its format; `None` if it is not JSON, or has none of these.
///
/// # Errors
/// [`Error::UnreadableSource`]; [`Error::UnknownSource`] for conversations.
pub fn read(source: &mut dyn Source, path: &str) -> Result<Option<(&'static str, ParsedRecords)>> {
    if source.size() > MAX_BYTES {
        return Ok(None);
    }
    let Some(document) = document::read(source, path)? else { return Ok(None) };
    let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    let mut reader = Reader { parsed: ParsedRecords::default(), source: name };
    let format = match document {
        Document::List(elements) => reader.list(&elements)?,
        Document::Object(fields) => reader.object(&fields)?,
    };
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
}

impl Reader<'_> {
    fn list(&mut self, elements: &[Box<RawValue>]) -> Result<Option<Format>> {
        let Some(format) = elements.iter().take(20).find_map(|element| format_of(element)) else {
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
        if let Some(whole) = fields.get("conversations_memory").map(|_| fields.whole()) {
            self.claude(&whole, 0);
            return Ok(Some(Format::Claude));
        }
        if let Some(passages) = list("passages") {
            self.elements(Format::Letta, &passages, "passage ", &Base::default());
            return Ok(Some(Format::Letta));
        }
        if let Some(memories) = list("memories").or_else(|| list("results")) {
            let format = if fields.contains("export_metadata") {
                Some(Format::MemoryService)
            } else {
                memories.iter().take(20).find_map(|element| format_of(element))
            };
            if let Some(format) = format.filter(|format| *format != Format::Claude) {
                self.elements(format, &memories, "", &Base::default());
            }
            return Ok(format);
        }
        if ["mapping", "conversations", "chat_messages"].iter().any(|name| fields.contains(name)) {
            return Err(conversations());
        }
        Ok(None)
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

    fn element(&mut self, format: Format, element: Element, location: String, base: &Base<'_>) {
        if let (Some(label), Some(value)) = (&element.label, &element.value) {
            let (subject, path) = (label.as_str(), format!("{}/{}", base.path, label.replace('/', "-")));
            let created_at = timestamp(element.created_at);
            let location = format!("{location}, ");
            let base = Base { subject, path, source: self.source, created_at, location };
            notes::add_markdown(&with_line_breaks(value), &base, &mut self.parsed);
            return;
        }
        if element.enabled == Some(false) || element.is_deleted() {
            self.parsed.report.skip(|| format!("{location}: it is disabled or deleted"));
            return;
        }
        let Some(content) = element.content() else {
            self.parsed.report.skip(|| format!("{location}: it has no text"));
            return;
        };
        let metadata = match element.metadata() {
            Ok(metadata) => metadata,
            Err(reason) => {
                self.parsed.report.skip(|| format!("{location}: {reason}"));
                return;
            }
        };
        let mut memory = Memory {
            content,
            source: Some(self.source.to_owned()).filter(|name| !name.is_empty()),
            tags: words(element.tags),
            metadata,
            created_at: element.created_at(),
            updated_at: element.updated_at(),
            ..Memory::default()
        };
        match format {
            Format::Mem0 => {
                memory.id = element.id();
                memory.expires_at = timestamp(element.expiration_date);
                memory.user_id = element.user_id.filter(|user| !user.is_empty());
                memory.tags.extend(words(element.categories));
            }
            Format::Letta => memory.id = element.id(),
            Format::MemoryService => {
                if let Some(successor) = element::superseded_by(memory.metadata.as_deref()) {
                    memory.end_as_superseded(successor);
                }
                memory.id = element.content_hash.unwrap_or_default();
                element::set_type(&mut memory, element.memory_type.as_deref());
            }
            Format::MemoryList | Format::Claude => {
                memory.tags.extend(words(element.categories));
                memory.updated_at = None;
            }
        }
        self.parsed.push(memory, location);
    }

    fn letta(&mut self, fields: &document::Fields, blocks: &[Box<RawValue>]) {
        let agents = fields.get("agents").and_then(document::elements).unwrap_or_default();
        // A block may belong to several agents: the first names it.
        let mut owners: HashMap<String, Rc<str>> = HashMap::new();
        for agent in agents.iter().filter_map(|agent| element::parse(agent).ok()) {
            let blocks = agent.block_ids();
            let name = Rc::<str>::from(agent.name.unwrap_or_default());
            for block in blocks {
                owners.entry(block).or_insert_with(|| Rc::clone(&name));
            }
        }
        let only = fields.get("name").and_then(|name| serde_json::from_str::<String>(name.get()).ok());
        for (number, block) in blocks.iter().enumerate() {
            let location = format!("block {}", number + 1);
            let element = match element::parse(block) {
                Ok(element) => element,
                Err(reason) => {
                    self.parsed.report.skip(|| format!("{location}: {reason}"));
                    continue;
                }
            };
            if element.value.as_deref().is_none_or(|value| value.trim().is_empty()) {
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

    fn claude(&mut self, text: &RawValue, number: usize) {
        let parsed = element::parse(text).and_then(|element| {
            let projects = element.project_memories()?;
            Ok((element, projects))
        });
        let (element, projects) = match parsed {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.parsed.report.skip(|| format!("element {}: {reason}", number + 1));
                return;
            }
        };
        let whole = element.conversations_memory.iter().map(|text| (String::new(), text));
        let projects = projects.iter().map(|(id, text)| (format!("/project {id}"), text));
        for (path, text) in whole.chain(projects) {
            let location = if path.is_empty() { String::new() } else { format!("{}, ", &path[1..]) };
            let base = Base { path, source: self.source, location, ..Base::default() };
            notes::add_markdown(text, &base, &mut self.parsed);
        }
    }
}

/// Returns a text with its line breaks as hard ones: a block is written line by line. Code has its own.
fn with_line_breaks(text: &str) -> Cow<'_, str> {
    if text.contains("```") { text.into() } else { text.replace('\n', "  \n").into() }
}

/// Returns the format that an element of a list indicates.
fn format_of(text: &RawValue) -> Option<Format> {
    if let Ok(text) = serde_json::from_str::<String>(text.get()) {
        return (text.split_whitespace().count() > 1).then_some(Format::MemoryList);
    }
    let fields = document::fields(text)?;
    let is_text = |name: &str| fields.get(name).is_some_and(|value| value.get().starts_with('"'));
    // mem0 keeps the role of the message that a memory was found in.
    if is_text("memory") {
        Some(Format::Mem0)
    } else if is_conversation(&fields) {
        None
    } else if fields.contains("conversations_memory") {
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
