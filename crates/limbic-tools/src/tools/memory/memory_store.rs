//! The tool memory_store.

use limbic_core::{
    Error, Result, mutations,
    store::memories::{NewMemory, Stored},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{code_links, fields::Fields, new_ids::new_ids};
use crate::{
    context::Context,
    schema::{self, Short},
    tool::tool,
    user_scope,
    views::memory::MemoryView,
};

tool! {
    /// Store a fact, preference, decision or convention worth keeping beyond this session, or several with memories.
    /// A duplicate confirms the existing memory instead of creating a new one. Defaults: category fact, memory_type
    /// semantic, importance and confidence 1, current domain.
    name: "memory_store",
    title: "Store memories",
    toolset: Memory,
    brief: &["content", "category", "subject", "source", "domain", "tags", "importance", "pinned", "expires_at", "user_id", "memories"],
    access: Write,
    idempotent: false,
    example: r#"{"content": "Run the tests with --release: debug builds time out", "category": "convention", "subject": "testing", "tags": ["ci"]}"#,
    handler: memory_store,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Input {
    /// The memory.
    #[serde(flatten)]
    pub one: Fields,
    /// Id; default generated.
    #[schemars(length(min = 1, max = 200))]
    pub id: Option<String>,
    /// Up to 1,000 memories with these fields; those beside it are defaults. They may link to each other.
    #[schemars(length(min = 1, max = 1000))]
    pub memories: Option<Vec<Map<String, Value>>>,
}

/// Answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memory; a long text is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Short<MemoryView>>")]
    pub memory: Option<MemoryView>,
    /// Id of the existing memory it duplicates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// Results of memories, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memories: Option<Vec<StoredView>>,
}

/// One of several.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoredView {
    /// Id of the memory.
    pub id: String,
    /// The same id if it was a duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
}

/// Maximum size of the copies of the fields beside `memories`, in bytes.
const MAX_COPIED_BYTES: usize = 16 * 1024 * 1024;

fn memory_store(context: &mut Context<'_>, input: Input) -> Result<Output> {
    let Some(several) = input.memories else {
        let mut stored = store(context, vec![(input.one, input.id)])?;
        let (memory, merged) = match stored.pop() {
            Some(Stored::New(memory)) => (memory, false),
            Some(Stored::Confirmed(memory)) => (memory, true),
            None => return Err(Error::Internal("nothing was stored".into())),
        };
        let merged_into = merged.then(|| memory.id.clone());
        let now_millis = context.memory.database().host().now_millis();
        let mut memory = MemoryView::after_write(memory, now_millis, context.options.texts());
        code_links::attach(context, [&mut memory])?;
        return Ok(Output { memory: Some(memory), merged_into, memories: None });
    };
    if input.one.content.is_some() {
        return Err(Error::invalid("Give content for one memory or memories for several, not both"));
    }
    if input.id.is_some() {
        return Err(Error::invalid(
            "id cannot be given beside memories, since each memory has its own: move it into one of memories",
        ));
    }
    // Each memory gets a copy of them.
    let bytes = format!("{:?}", input.one).len();
    if bytes.saturating_mul(several.len()) > MAX_COPIED_BYTES {
        return Err(Error::invalid(format!(
            "The fields beside memories have about {bytes} bytes, too many for {} memories: give large ones in each \
             memory that needs them",
            several.len()
        )));
    }
    let items = several
        .into_iter()
        .enumerate()
        .map(|(index, item)| {
            let (fields, id) = read(index, item)?;
            Ok((fields.or_defaults(&input.one), id))
        })
        .collect::<Result<_>>()?;
    let memories = store(context, items)?
        .into_iter()
        .map(|stored| match stored {
            Stored::New(memory) => StoredView { id: memory.id, merged_into: None },
            Stored::Confirmed(memory) => StoredView { id: memory.id.clone(), merged_into: Some(memory.id) },
        })
        .collect();
    Ok(Output { memory: None, merged_into: None, memories: Some(memories) })
}

/// Reads one of several memories, checked against the schema of a single one.
fn read(index: usize, item: Map<String, Value>) -> Result<(Fields, Option<String>)> {
    let path = format!("memories[{index}]");
    if item.contains_key("memories") {
        return Err(Error::invalid(format!(
            "{path}.memories is not a known argument: memories cannot be nested"
        )));
    }
    let mut item = Value::Object(item);
    schema::fit_at((TOOL.input)().as_value(), &mut item, &path)?;
    let input: Input = serde_json::from_value(item)
        .map_err(|error| Error::invalid(format!("{path} is invalid: {error}")))?;
    if input.one.content.is_none() {
        return Err(Error::invalid(format!("{path}.content is missing: the text to store")));
    }
    Ok((input.one, input.id))
}

/// Stores memories, each under the id given for it: all of them or none.
///
/// # Errors
/// As [`mutations::memories::store`]; [`Error::OtherUser`] and [`Error::OneUserOnly`] if the call is limited to a user.
pub fn store(context: &mut Context<'_>, items: Vec<(Fields, Option<String>)>) -> Result<Vec<Stored>> {
    code_links::refresh(context, items.iter().map(|(fields, _)| fields))?;
    let ids = new_ids(context.memory, items.len());
    let redact = context.redact;
    let user = context.user().map(str::to_owned);
    let news: Vec<(NewMemory, Option<String>)> = items
        .into_iter()
        .zip(ids)
        .map(|((mut fields, given), id)| {
            let domain = fields.domain.take();
            // The user of the call limits arguments, not the elements of a list.
            fields.user_id = user_scope::owner(fields.user_id, user.as_deref())?;
            for (argument, is_given) in
                [("entities", fields.entities.is_some()), ("symbols", fields.symbols.is_some())]
            {
                if user.is_some() && is_given {
                    return Err(user_scope::refused(argument));
                }
            }
            Ok((fields.into_new(given.unwrap_or(id), redact)?, domain))
        })
        .collect::<Result<_>>()?;
    let writer = context.memory.session().writer();
    let actor = writer.actor(None);
    // Where each memory names its domain, the session's may have been deleted.
    if news.iter().all(|(_, domain)| domain.is_some()) {
        return context.memory.write(|tx| mutations::memories::store_all(tx, &news, "", actor));
    }
    context.memory.write_in_domain(|tx, current| mutations::memories::store_all(tx, &news, current, actor))
}
