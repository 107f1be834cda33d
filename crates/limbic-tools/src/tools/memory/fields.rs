//! The fields of a memory as callers give them, to store or to change it.

use std::collections::BTreeMap;

use limbic_core::{
    Error, Result,
    store::memories::{Changes, DEFAULT_IMPORTANCE, Link, MAX_CONTENT_BYTES, NewMemory},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    redact,
    views::memory::{Category, MemoryType, Tier},
};

/// Maximum nesting depth of metadata.
const MAX_DEPTH: usize = 32;

// The description of `content` states the limit.
const _: () = assert!(MAX_CONTENT_BYTES == 102_400);

/// The fields of a memory as callers give them.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Fields {
    /// Text, at most 102,400 bytes; concise, about one subject.
    #[schemars(length(min = 1))]
    pub content: Option<String>,
    /// Kind of statement.
    pub category: Option<Category>,
    /// Subject, such as testing or auth.
    #[schemars(length(max = 200))]
    pub subject: Option<String>,
    /// Source: a file, the user, an inference.
    #[schemars(length(max = 1000))]
    pub source: Option<String>,
    /// Domain id.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Path, such as /projects/atlas.
    #[schemars(length(max = 500))]
    pub path: Option<String>,
    /// Labels to filter by.
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub tags: Option<Vec<String>>,
    /// Short form of the text.
    #[schemars(length(max = 2000))]
    pub summary: Option<String>,
    /// Event, knowledge or procedure.
    pub memory_type: Option<MemoryType>,
    /// Importance, 0 to 10.
    #[schemars(range(min = 0.0, max = 10.0), extend("x-alias" = "importance_score"))]
    pub importance: Option<f64>,
    /// Confidence, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: Option<f64>,
    /// No decay or pruning, for permanent rules.
    pub pinned: Option<bool>,
    /// l0 (always loaded) to l4; changed by accesses unless given.
    pub tier: Option<Tier>,
    /// Expiry, ISO 8601, in the future.
    pub expires_at: Option<String>,
    /// When it happened, ISO 8601.
    pub event_time: Option<String>,
    /// Start of validity, ISO 8601.
    pub valid_from: Option<String>,
    /// Owner; searches with another user_id exclude it.
    #[schemars(length(max = 200))]
    pub user_id: Option<String>,
    /// JSON object.
    pub metadata: Option<Map<String, Value>>,
    /// Links by type (supports, contradicts, refines, supersedes or another word): {"supports": [{"targetId": "...",
    /// "strength": 0.8}]}.
    pub relationships: Option<BTreeMap<String, Vec<Target>>>,
    /// Entities it mentions, besides those named in the text.
    #[schemars(length(max = 100), inner(length(min = 1, max = 500)))]
    pub entities: Option<Vec<String>>,
    /// Symbols of indexed code it is about, such as src/a.rs#Foo.bar, besides those in back-ticks; answers report
    /// changes of their code.
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub symbols: Option<Vec<String>>,
}

/// The target of a link.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    /// Id of the memory.
    #[schemars(length(min = 1, max = 200))]
    pub target_id: String,
    /// Strength of the link.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub strength: f64,
}

/// Returns 1.0, the default of strength, importance and confidence.
pub fn one() -> f64 {
    1.0
}

impl Fields {
    /// Returns the fields with those of `defaults` where one is omitted, apart from the text.
    pub fn or_defaults(self, defaults: &Self) -> Self {
        Self {
            content: self.content,
            category: self.category.or(defaults.category),
            subject: self.subject.or_else(|| defaults.subject.clone()),
            source: self.source.or_else(|| defaults.source.clone()),
            domain: self.domain.or_else(|| defaults.domain.clone()),
            path: self.path.or_else(|| defaults.path.clone()),
            tags: self.tags.or_else(|| defaults.tags.clone()),
            summary: self.summary.or_else(|| defaults.summary.clone()),
            memory_type: self.memory_type.or(defaults.memory_type),
            importance: self.importance.or(defaults.importance),
            confidence: self.confidence.or(defaults.confidence),
            pinned: self.pinned.or(defaults.pinned),
            tier: self.tier.or(defaults.tier),
            expires_at: self.expires_at.or_else(|| defaults.expires_at.clone()),
            event_time: self.event_time.or_else(|| defaults.event_time.clone()),
            valid_from: self.valid_from.or_else(|| defaults.valid_from.clone()),
            user_id: self.user_id.or_else(|| defaults.user_id.clone()),
            metadata: self.metadata.or_else(|| defaults.metadata.clone()),
            relationships: self.relationships.or_else(|| defaults.relationships.clone()),
            entities: self.entities.or_else(|| defaults.entities.clone()),
            symbols: self.symbols.or_else(|| defaults.symbols.clone()),
        }
    }

    /// Returns a memory to store under this id. `redact` removes personal data.
    pub fn into_new(mut self, id: String, redact: bool) -> Result<NewMemory> {
        self.check()?;
        if redact {
            self = self.redacted();
        }
        let content = self.content.ok_or_else(|| Error::invalid("content is missing: the text to store"))?;
        Ok(NewMemory {
            id,
            content,
            category: self.category.unwrap_or(Category::Fact).into(),
            subject: self.subject.unwrap_or_default(),
            source: self.source,
            path: self.path.unwrap_or_default(),
            tags: self.tags.unwrap_or_default(),
            summary: self.summary,
            memory_type: self.memory_type.unwrap_or(MemoryType::Semantic).into(),
            importance: self.importance.unwrap_or(DEFAULT_IMPORTANCE),
            confidence: self.confidence.unwrap_or(1.0),
            pinned: self.pinned.unwrap_or(false),
            tier: self.tier.map(Into::into),
            expires_at: self.expires_at,
            event_time: self.event_time,
            valid_from: self.valid_from,
            user_id: self.user_id,
            metadata: self.metadata.map(|fields| Value::Object(fields).to_string()),
            links: links(self.relationships.unwrap_or_default())?,
            entities: self.entities.unwrap_or_default(),
            symbols: self.symbols.unwrap_or_default(),
        })
    }

    /// Returns the changes to an existing memory. `redact` removes personal data.
    pub fn into_changes(mut self, redact: bool) -> Result<Changes> {
        self.check()?;
        if redact {
            self = self.redacted();
        }
        Ok(Changes {
            content: self.content,
            category: self.category.map(Into::into),
            subject: self.subject,
            source: self.source,
            path: self.path,
            tags: self.tags,
            summary: self.summary,
            memory_type: self.memory_type.map(Into::into),
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            tier: self.tier.map(Into::into),
            expires_at: self.expires_at,
            event_time: self.event_time,
            valid_from: self.valid_from,
            user_id: self.user_id,
            metadata: self.metadata.map(|fields| {
                if fields.is_empty() { String::new() } else { Value::Object(fields).to_string() }
            }),
            domain: self.domain,
            links: self.relationships.map(links).transpose()?,
            entities: self.entities,
            symbols: self.symbols,
        })
    }

    fn check(&self) -> Result<()> {
        check_content(self.content.as_deref().unwrap_or_default())?;
        let Some(metadata) = &self.metadata else { return Ok(()) };
        if metadata.values().any(|value| depth(value) >= MAX_DEPTH) {
            return Err(Error::invalid(format!(
                "metadata is nested too deeply: at most {MAX_DEPTH} levels are allowed"
            )));
        }
        check_metadata(metadata)
    }
}

/// Checks the sizes of content and metadata, and nothing else. The other limits are in the schema.
///
/// # Errors
/// [`Error::InvalidArgument`] for what is too large.
pub(crate) fn check_sizes(fields: &Value) -> Result<()> {
    fields.get("content").and_then(Value::as_str).map_or(Ok(()), check_content)?;
    fields.get("metadata").and_then(Value::as_object).map_or(Ok(()), check_metadata)
}

fn check_content(content: &str) -> Result<()> {
    if content.len() <= MAX_CONTENT_BYTES {
        return Ok(());
    }
    let bytes = content.len();
    Err(Error::invalid(format!(
        "content must have at most {MAX_CONTENT_BYTES} bytes, but got {bytes}. Split it into several memories"
    )))
}

fn check_metadata(metadata: &Map<String, Value>) -> Result<()> {
    let bytes = serde_json::to_string(metadata).map_or(0, |text| text.len());
    if bytes <= MAX_CONTENT_BYTES {
        return Ok(());
    }
    Err(Error::invalid(format!("metadata must have at most {MAX_CONTENT_BYTES} bytes, but got {bytes}")))
}

/// Returns the nesting depth of a value: 1 for one without children.
fn depth(value: &Value) -> usize {
    let inner: &mut dyn Iterator<Item = &Value> = match value {
        Value::Array(items) => &mut items.iter(),
        Value::Object(fields) => &mut fields.values(),
        _ => return 1,
    };
    1 + inner.map(depth).max().unwrap_or(0)
}

fn links(by_type: BTreeMap<String, Vec<Target>>) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    for (link_type, targets) in by_type {
        check_type("relationships", &link_type)?;
        for target in targets {
            links.push(Link {
                target_id: target.target_id,
                link_type: link_type.clone(),
                strength: target.strength,
                ..Link::default()
            });
        }
    }
    Ok(links)
}

/// Checks that a text can be the type of a link.
pub fn check_type(argument: &str, link_type: &str) -> Result<()> {
    let fits = (1..=100).contains(&link_type.chars().count())
        && link_type.chars().all(|letter| letter.is_alphanumeric() || "_-. :".contains(letter));
    if fits {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        message: format!(
            "{argument} must name a type of 1 to 100 letters, digits, blanks or characters of _-.:, but got \
             {link_type:?}"
        ),
        hint: Some(
            "supports, contradicts, refines, supersedes, or a word of your own such as depends_on".into(),
        ),
    })
}

impl Fields {
    /// Returns the fields without personal data. Owner, domain and links are unchanged.
    pub(super) fn redacted(self) -> Self {
        Self {
            content: self.content.map(redact::text),
            summary: self.summary.map(redact::text),
            subject: self.subject.map(redact::text),
            source: self.source.map(redact::text),
            path: self.path.map(redact::text),
            tags: self.tags.map(|tags| tags.into_iter().map(redact::text).collect()),
            metadata: self.metadata.map(redact::object),
            ..self
        }
    }
}
