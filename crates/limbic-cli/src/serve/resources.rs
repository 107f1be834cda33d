//! Resources, which clients read and subscribe to without calling a tool.

use std::collections::{BTreeSet, HashSet};

use limbic_core::model::text::echo;
use limbic_tools::{Access, Options};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::message::{INTERNAL_ERROR, INVALID_PARAMS, Refused};
use crate::session::Session;

/// MCP's error code for an unknown resource.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The resources of a session, and its subscriptions.
pub struct Resources {
    /// URIs of the resources, and prefixes of the templates.
    known: Vec<String>,
    beginnings: Vec<String>,
    /// Read-only tools, with aliases.
    reading: HashSet<&'static str>,
    subscribed: BTreeSet<String>,
    /// The data version at the last check.
    version: Option<u32>,
}

#[derive(Deserialize)]
struct Address {
    uri: String,
}

#[derive(Deserialize)]
struct Completion {
    #[serde(rename = "ref")]
    reference: Reference,
    argument: Argument,
    #[serde(default)]
    context: Known,
}

/// The context of a completion.
#[derive(Default, Deserialize)]
struct Known {
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(default)]
    uri: String,
    /// The name of a prompt.
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Prompt {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

impl Resources {
    /// Creates the resources that these options offer.
    pub fn new(options: &Options) -> Self {
        let reading = limbic_tools::offered(options)
            .into_iter()
            .filter(|tool| options.read_only || tool.access == Access::Read);
        Self {
            known: addresses(&limbic_tools::resources_json(options), "uri"),
            beginnings: addresses(&limbic_tools::resource_templates_json(options), "uriTemplate")
                .into_iter()
                .map(|template| template.split('{').next().unwrap_or_default().to_owned())
                .collect(),
            reading: reading.flat_map(|tool| [&[tool.name], tool.aliases].concat()).collect(),
            subscribed: BTreeSet::new(),
            version: None,
        }
    }

    /// Returns the answer to a request about resources, or `None` for other requests.
    pub fn answer(
        &mut self,
        session: &mut Session,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Result<String, Refused>> {
        Some(match method {
            "resources/read" => read_params(params).and_then(|Address { uri }| Self::read(session, &uri)),
            "resources/subscribe" => {
                read_params(params).and_then(|Address { uri }| self.subscribe(session, uri))
            }
            "resources/unsubscribe" => read_params(params).map(|Address { uri }| {
                self.subscribed.remove(&uri);
                "{}".to_owned()
            }),
            "prompts/get" => read_params(params).and_then(|wanted| Self::prompt(session, &wanted)),
            "completion/complete" => read_params(params).and_then(|wanted| Self::complete(session, &wanted)),
            _ => return None,
        })
    }

    /// Returns the subscribed resources to announce after a successful call of this tool.
    pub fn changed_by(&self, tool: &str) -> impl Iterator<Item = String> {
        let is_reading = self.reading.contains(tool);
        self.subscribed.iter().filter(move |_| !is_reading).map(|uri| notice(uri))
    }

    /// Whether there are subscriptions.
    pub fn are_wanted(&self) -> bool {
        !self.subscribed.is_empty()
    }

    /// Returns the notifications due because another process has changed the database since the last check.
    pub fn changed_by_others(&mut self, session: &mut Session) -> Vec<String> {
        if !self.are_wanted() {
            return Vec::new();
        }
        let Some(version) = session.data_version() else { return Vec::new() };
        if self.version.replace(version) == Some(version) {
            return Vec::new();
        }
        self.subscribed.iter().map(|uri| notice(uri)).collect()
    }

    fn read(session: &mut Session, uri: &str) -> Result<String, Refused> {
        let text = answered(session.read_resource(uri), is_compat(session))?;
        Ok(json!({"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}).to_string())
    }

    fn subscribe(&mut self, session: &mut Session, uri: String) -> Result<String, Refused> {
        let is_known = self.known.contains(&uri)
            || self.beginnings.iter().any(|beginning| uri.starts_with(beginning.as_str()));
        if is_known {
            if self.subscribed.is_empty() {
                // A database that cannot be opened is reported by the call that needs it.
                let _ = session.open();
                self.version = session.data_version();
            }
            self.subscribed.insert(uri);
        } else if !is_compat(session) {
            return Err((RESOURCE_NOT_FOUND, format!("Resource {} not found", echo(&uri))));
        }
        // The reference server accepts any URI and never sends notifications for most.
        Ok("{}".to_owned())
    }

    fn prompt(session: &mut Session, wanted: &Prompt) -> Result<String, Refused> {
        let arguments = Value::Object(wanted.arguments.clone()).to_string();
        answered(session.prompt(&wanted.name, &arguments), is_compat(session))
    }

    fn complete(session: &mut Session, wanted: &Completion) -> Result<String, Refused> {
        let Completion { reference, argument, context } = wanted;
        let whole = if reference.uri.is_empty() {
            format!("prompt:{}", reference.name)
        } else {
            reference.uri.clone()
        };
        let known = Value::Object(context.arguments.clone()).to_string();
        let found = session.complete(&whole, &argument.name, &argument.value, &known);
        let found = answered(found, is_compat(session))?;
        Ok(format!(r#"{{"completion":{found}}}"#))
    }
}

/// Whether the client that is served has the tools of another server.
fn is_compat(session: &Session) -> bool {
    session.offer().tools.compat.is_some()
}

fn answered(answer: limbic_tools::Answer, is_compat: bool) -> Result<String, Refused> {
    if !answer.is_error {
        return Ok(answer.json);
    }
    let error: Value = serde_json::from_str(&answer.json).unwrap_or_default();
    let code = match error["code"].as_str() {
        // The reference server has no specific error code for this.
        Some("resource_not_found") if is_compat => INVALID_PARAMS,
        Some("resource_not_found") => RESOURCE_NOT_FOUND,
        Some("invalid_argument" | "forbidden") => INVALID_PARAMS,
        _ => INTERNAL_ERROR,
    };
    Err((code, error["error"].as_str().unwrap_or_default().to_owned()))
}

fn notice(uri: &str) -> String {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}).to_string()
}

fn read_params<'a, P: Deserialize<'a>>(params: Option<&'a RawValue>) -> Result<P, Refused> {
    serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| (INVALID_PARAMS, format!("the params cannot be read: {error}")))
}

fn addresses(list: &str, field: &str) -> Vec<String> {
    let list: Vec<Value> = serde_json::from_str(list).unwrap_or_default();
    list.iter().filter_map(|item| item[field].as_str()).map(str::to_owned).collect()
}
