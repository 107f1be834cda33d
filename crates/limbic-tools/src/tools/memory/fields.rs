//! What a caller says of a memory, when it is stored and when it is changed.

use std::collections::BTreeMap;

use limbic_core::{
    Engine, Error, Result,
    store::memories::{Changes, Link, MOST_BYTES, NewMemory},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::views::memory::{Category, MemoryType, Tier};

/// How deep metadata may be nested.
const DEEPEST: usize = 32;

/// What a caller says of a memory.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Fields {
    /// The text, up to 102,400 bytes; concise and about one thing.
    #[schemars(length(min = 1))]
    pub content: Option<String>,
    /// fact when not given.
    pub category: Option<Category>,
    /// What it is about, in a word: testing, auth, deployment.
    #[schemars(length(max = 200))]
    pub subject: Option<String>,
    /// Where it comes from: a file, the user, an inference.
    #[schemars(length(max = 1000))]
    pub source: Option<String>,
    /// The domain it belongs to; the current one when not given.
    #[schemars(length(min = 1, max = 200))]
    pub domain: Option<String>,
    /// Where it belongs among others, such as /projects/atlas.
    #[schemars(length(max = 500))]
    pub path: Option<String>,
    /// Words to find it by.
    #[schemars(length(max = 100), inner(length(min = 1, max = 100)))]
    pub tags: Option<Vec<String>>,
    /// The text in short.
    #[schemars(length(max = 2000))]
    pub summary: Option<String>,
    /// semantic when not given.
    pub memory_type: Option<MemoryType>,
    /// 1 when not given.
    #[schemars(range(min = 0.0, max = 10.0), extend("x-alias" = "importance_score"))]
    pub importance: Option<f64>,
    /// 1 when not given.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: Option<f64>,
    /// Neither decays nor is pruned; for rules that must hold.
    pub pinned: Option<bool>,
    /// l0 (always loaded) to l4; set by use when not given.
    pub tier: Option<Tier>,
    /// From when on it is forgotten: a moment to come.
    pub expires_at: Option<String>,
    /// When it happened.
    pub event_time: Option<String>,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Whose it is: searches for another user do not see it.
    #[schemars(length(max = 200))]
    pub user_id: Option<String>,
    /// Anything else, as an object.
    pub metadata: Option<Map<String, Value>>,
    /// Links by type (supports, contradicts, refines, supersedes or another word): {"supports": [{"targetId": "...", "strength": 0.8}]}.
    pub relationships: Option<BTreeMap<String, Vec<Target>>>,
    /// Names of entities that it mentions. Those whose names stand in the text are found anyhow.
    #[schemars(length(max = 100), inner(length(min = 1, max = 500)))]
    pub entities: Option<Vec<String>>,
}

/// Where a link leads.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    /// Id of the memory.
    #[schemars(length(min = 1, max = 200))]
    pub target_id: String,
    /// 1 when not given.
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub strength: f64,
}

/// The usual strength, importance and confidence.
pub fn one() -> f64 {
    1.0
}

impl Fields {
    /// A memory to store under this id. `redact` takes personal data out of it.
    pub fn into_new(mut self, id: String, redact: bool) -> Result<NewMemory> {
        self.check()?;
        if redact {
            self = self.redacted();
        }
        let content = self.content.ok_or_else(|| Error::invalid("content is missing: the text to store"))?;
        Ok(NewMemory {
            id,
            content,
            category: self.category.unwrap_or(Category::Fact).name().into(),
            subject: self.subject.unwrap_or_default(),
            source: self.source,
            path: self.path.unwrap_or_default(),
            tags: self.tags.unwrap_or_default(),
            summary: self.summary,
            memory_type: self.memory_type.unwrap_or(MemoryType::Semantic).name().into(),
            importance: self.importance.unwrap_or(1.0),
            confidence: self.confidence.unwrap_or(1.0),
            pinned: self.pinned.unwrap_or(false),
            tier: self.tier.map(|tier| tier.name().into()),
            expires_at: self.expires_at,
            event_time: self.event_time,
            valid_from: self.valid_from,
            user_id: self.user_id,
            metadata: self.metadata.map(|fields| Value::Object(fields).to_string()),
            links: links(self.relationships.unwrap_or_default())?,
            entities: self.entities.unwrap_or_default(),
        })
    }

    /// What is to change of a memory that is there. `redact` takes personal data out of it.
    pub fn into_changes(mut self, redact: bool) -> Result<Changes> {
        self.check()?;
        if redact {
            self = self.redacted();
        }
        Ok(Changes {
            content: self.content,
            category: self.category.map(|category| category.name().into()),
            subject: self.subject,
            source: self.source,
            path: self.path,
            tags: self.tags,
            summary: self.summary,
            memory_type: self.memory_type.map(|memory_type| memory_type.name().into()),
            importance: self.importance,
            confidence: self.confidence,
            pinned: self.pinned,
            tier: self.tier.map(|tier| tier.name().into()),
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
        })
    }

    fn check(&self) -> Result<()> {
        if let Some(bytes) = self.content.as_ref().map(String::len).filter(|bytes| *bytes > MOST_BYTES) {
            return Err(Error::invalid(format!(
                "content takes at most {MOST_BYTES} bytes; it got {bytes}. Divide it into several memories"
            )));
        }
        let Some(metadata) = &self.metadata else { return Ok(()) };
        if metadata.values().any(|value| depth(value) >= DEEPEST) {
            return Err(Error::invalid(format!(
                "metadata is nested too deeply: at most {DEEPEST} levels are kept"
            )));
        }
        let bytes = serde_json::to_string(metadata).map_or(0, |text| text.len());
        if bytes > MOST_BYTES {
            return Err(Error::invalid(format!("metadata takes at most {MOST_BYTES} bytes; it got {bytes}")));
        }
        Ok(())
    }
}

/// How many levels a value has: 1 for one that holds no others.
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

/// That a text can be the type of a link.
pub fn check_type(argument: &str, link_type: &str) -> Result<()> {
    let fits = (1..=100).contains(&link_type.chars().count())
        && link_type.chars().all(|letter| letter.is_alphanumeric() || "_-. :".contains(letter));
    if fits {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        message: format!(
            "{argument} names a type of 1 to 100 letters, digits, blanks or marks of _-.: ; it got {link_type:?}"
        ),
        hint: Some(
            "supports, contradicts, refines, supersedes, or a word of your own such as depends_on".into(),
        ),
    })
}

/// So many ids that nobody has used: UUIDs of version 7, which are in the order of time.
pub fn new_ids(memory: &Engine, count: usize) -> Vec<String> {
    let mut random = vec![0; count * 10];
    memory.fill_random(&mut random);
    let millis = u64::try_from(memory.now_millis()).unwrap_or(0);
    random
        .as_chunks::<10>()
        .0
        .iter()
        .map(|bytes| uuid::Builder::from_unix_timestamp_millis(millis, bytes).into_uuid().to_string())
        .collect()
}
