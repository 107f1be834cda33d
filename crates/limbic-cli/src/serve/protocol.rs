//! Protocol requests that are answered without the database, so that long calls do not delay them.

use std::sync::OnceLock;

use anyhow::Result;
use limbic_core::model::text::echo;
use limbic_tools::Options;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::batches::BATCH_VERSION;
use super::envelope::{Cache, MODERN_VERSIONS, complete, discovered};
use super::identity::identity;
use super::members::{members_of, params_of, text_of};
use super::message::{INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Refused};
use super::params::{object_param, text_param};
use crate::tools;

/// Versions of MCP with an initialisation, newest first.
const PROTOCOLS: [&str; 5] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/// Requests of protocol 2026-07-28 that need the database.
const MODERN_REQUESTS: [&str; 5] =
    ["tools/call", "resources/read", "prompts/get", "completion/complete", "subscriptions/listen"];

/// Requests of lists.
const LISTS: [&str; 4] = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];

/// Whether this server speaks a version with an initialisation.
pub fn is_known_version(version: &str) -> bool {
    PROTOCOLS.contains(&version)
}

/// Lists that do not change while the server runs.
pub struct Protocol {
    options: Options,
    /// Whether clients up to 2025-11-25 are notified of changed resources.
    has_notices: bool,
    initial: ToolList,
    /// The list for clients without a session, created when the first one asks.
    stateless: OnceLock<ToolList>,
    resources: String,
    templates: String,
    prompts: String,
}

/// What a client that initialises has said, and its answer.
pub struct Greeting {
    /// The client's name; may be empty.
    pub client: String,
    /// Whether the version of the protocol that both have agreed on has batches.
    pub has_batches: bool,
    /// A JSON object.
    pub result: String,
}

/// The tools for clients, and the instructions for their models.
#[derive(Clone)]
struct ToolList {
    tools: String,
    instructions: Option<String>,
}

impl ToolList {
    fn new(tools: &[Value], instructions: Option<String>) -> Self {
        Self { tools: json!({"tools": tools}).to_string(), instructions }
    }

    fn without_sessions(options: &Options) -> Result<Self> {
        Ok(Self::new(
            &tools::without_sessions(options)?,
            limbic_tools::instructions_without_sessions(options),
        ))
    }
}

impl Protocol {
    /// Creates the lists.
    pub fn new(options: &Options) -> Result<Self> {
        let list = ToolList::new(&tools::listed(options)?, limbic_tools::instructions(options));
        Ok(Self::listing(options, list, true))
    }

    /// As [`Protocol::new`], for clients whose calls are independent of earlier ones. Those up to 2025-11-25 receive no
    /// notifications.
    pub fn without_sessions(options: &Options) -> Result<Self> {
        Ok(Self::listing(options, ToolList::without_sessions(options)?, false).for_both())
    }

    /// As [`Protocol::new`], for the explorer: tools have example arguments, and there is no model to instruct.
    pub fn for_explorer(options: &Options) -> Result<Self> {
        let list = ToolList::new(&tools::with_examples(options)?, None);
        Ok(Self::listing(options, list, false).for_both())
    }

    fn listing(options: &Options, initial: ToolList, has_notices: bool) -> Self {
        let resources = limbic_tools::resources_json(options);
        let templates = limbic_tools::resource_templates_json(options);
        let prompts = limbic_tools::prompts_json(options);
        Self {
            options: options.clone(),
            has_notices,
            initial,
            stateless: OnceLock::new(),
            resources: format!(r#"{{"resources":{resources}}}"#),
            templates: format!(r#"{{"resourceTemplates":{templates}}}"#),
            prompts: format!(r#"{{"prompts":{prompts}}}"#),
        }
    }

    /// The same tools for clients with and without a session.
    fn for_both(self) -> Self {
        Self { stateless: OnceLock::from(self.initial.clone()), ..self }
    }

    /// Returns the answer to a request up to 2025-11-25 other than `initialize` that needs no database, or `None`.
    pub fn answer(&self, method: &str, params: Option<&RawValue>) -> Option<Result<String, Refused>> {
        if let Err(reason) = require_first_page(method, params) {
            return Some(Err(reason));
        }
        match method {
            "ping" => Some(Ok("{}".to_owned())),
            "tools/list" => Some(Ok(self.initial.tools.clone())),
            _ => self.list(method).cloned().map(Ok),
        }
    }

    /// As [`Protocol::answer`], for a request of protocol 2026-07-28. The answer may be that there is no such method.
    ///
    /// # Arguments
    /// * `cache` - for whom lists may be cached.
    pub fn answer_modern(&self, method: &str, cache: Cache) -> Option<Result<String, Refused>> {
        if MODERN_REQUESTS.contains(&method) {
            return None;
        }
        Some(match method {
            "server/discover" => self.stateless().map(|list| discovered(&discovery(list).to_string(), cache)),
            "tools/list" => self.stateless().map(|list| complete(&list.tools, Some(cache))),
            _ => self.list(method).map(|list| complete(list, Some(cache))).ok_or_else(|| unknown(method)),
        })
    }

    /// A list that is the same for all clients.
    fn list(&self, method: &str) -> Option<&String> {
        match method {
            "resources/list" => Some(&self.resources),
            "prompts/list" => Some(&self.prompts),
            "resources/templates/list" => Some(&self.templates),
            _ => None,
        }
    }

    fn stateless(&self) -> Result<&ToolList, Refused> {
        if let Some(list) = self.stateless.get() {
            return Ok(list);
        }
        let list = ToolList::without_sessions(&self.options)
            .map_err(|error| Refused::new(INTERNAL_ERROR, format!("{error:#}")))?;
        Ok(self.stateless.get_or_init(|| list))
    }

    /// Answers `initialize`.
    ///
    /// # Errors
    /// If a parameter is missing or not of its type.
    pub fn greet(&self, params: Option<&RawValue>) -> Result<Greeting, Refused> {
        const METHOD: &str = "initialize";
        let names = ["protocolVersion", "capabilities", "clientInfo"];
        let [wanted, capabilities_of_client, client] = params_of(params, names);
        let wanted = text_param(wanted, names[0], METHOD)?;
        object_param(capabilities_of_client, names[1], METHOD)?;
        let client = object_param(client, names[2], METHOD)?;
        let version = PROTOCOLS.iter().find(|known| **known == wanted).unwrap_or(&PROTOCOLS[0]);
        let mut result = json!({
            "protocolVersion": version,
            "capabilities": capabilities(self.has_notices),
            "serverInfo": identity(),
        });
        if let Some(instructions) = &self.initial.instructions {
            result["instructions"] = instructions.as_str().into();
        }
        Ok(Greeting {
            client: members_of(client, ["name"])[0].and_then(text_of).unwrap_or_default(),
            has_batches: *version == BATCH_VERSION,
            result: result.to_string(),
        })
    }
}

/// Refuses the cursor of a list: each list has one page, so that no cursor is one of this server.
pub fn require_first_page(method: &str, params: Option<&RawValue>) -> Result<(), Refused> {
    if !LISTS.contains(&method) {
        return Ok(());
    }
    match params_of(params, ["cursor"])[0] {
        Some(cursor) if cursor.get() != "null" => {
            let text = format!("the cursor of {method} is invalid: omit it, since the list has one page");
            Err(Refused::new(INVALID_PARAMS, text))
        }
        _ => Ok(()),
    }
}

/// The answer to `server/discover`.
fn discovery(list: &ToolList) -> Value {
    let mut discovery = json!({"supportedVersions": MODERN_VERSIONS, "capabilities": capabilities(true)});
    if let Some(instructions) = &list.instructions {
        discovery["instructions"] = instructions.as_str().into();
    }
    discovery
}

fn capabilities(has_notices: bool) -> Value {
    let resources = if has_notices { json!({"subscribe": true}) } else { json!({}) };
    json!({"tools": {}, "resources": resources, "prompts": {}, "completions": {}})
}

/// The refusal of a method that does not exist.
pub fn unknown(method: &str) -> Refused {
    Refused::new(METHOD_NOT_FOUND, format!("unknown method {}", echo(method)))
}
