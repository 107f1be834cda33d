//! Resources, which clients read and subscribe to without calling a tool.

use std::collections::{BTreeSet, HashSet};
use std::io;

use limbic_core::model::text::echo;
use limbic_tools::{Access, Options, TOOLS};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::members::{members_of, params_of, text_of};
use super::message::{INTERNAL_ERROR, INVALID_PARAMS, Refused, notification};
use super::params::{object_param, text_param};
use super::reply::{Reply, say};
use super::streams::Streams;
use limbic_memory::session::Session;

/// MCP's error code for an unknown resource up to 2025-11-25; since 2026-07-28 it is [`INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i64 = -32002;
const UPDATED: &str = "notifications/resources/updated";

/// The resources that clients read, and their subscriptions.
pub struct Resources {
    /// Read-only tools, with aliases.
    reading: HashSet<&'static str>,
    /// Subscriptions of the client on standard input, up to protocol 2025-11-25.
    subscribed: BTreeSet<String>,
    /// The streams of protocol 2026-07-28.
    streams: Streams,
    /// The data version at the last check.
    version: Option<u32>,
}

/// The resources of the server.
struct ResourceList {
    uris: Vec<String>,
    /// Prefixes of the templates.
    beginnings: Vec<String>,
}

impl Resources {
    /// Creates the resources, without subscriptions.
    pub fn new(options: &Options) -> Self {
        let offered = limbic_tools::offered(options);
        let reading = TOOLS
            .iter()
            .chain(offered)
            .filter(|tool| options.read_only || tool.access == Access::Read)
            .flat_map(|tool| [&[tool.name], tool.aliases].concat());
        Self {
            reading: reading.collect(),
            subscribed: BTreeSet::new(),
            streams: Streams::default(),
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
            "resources/read" => uri_in(params, method).and_then(|uri| Self::read(session, &uri)),
            "resources/subscribe" => uri_in(params, method).and_then(|uri| self.subscribe(session, uri)),
            "resources/unsubscribe" => uri_in(params, method).map(|uri| {
                self.subscribed.remove(&uri);
                "{}".to_owned()
            }),
            "prompts/get" => Self::prompt(session, params, method),
            "completion/complete" => Self::complete(session, params, method),
            _ => return None,
        })
    }

    /// Begins a stream of notifications, which a request has asked for.
    ///
    /// # Errors
    /// As the answer to the request: if its parameters are invalid, or too many streams are open. Otherwise standard
    /// output cannot be written.
    pub fn listen(
        &mut self,
        session: &mut Session,
        id: &RawValue,
        params: Option<&RawValue>,
        holder: &str,
        reply: Reply,
    ) -> io::Result<()> {
        let known = ResourceList::to(&session.client_access().tools);
        if !self.are_wanted() {
            // Before the acknowledgement, so that no later change is missed.
            self.watch(session);
        }
        self.streams.begin(id, params, holder, reply, |uri| known.has(uri))
    }

    /// Ends the stream that a request of the client on standard input has begun.
    pub fn cancel(&mut self, id: &RawValue) {
        self.streams.cancel(id);
    }

    /// Ends all streams with a last message.
    pub fn close(&mut self) {
        self.streams.close();
    }

    /// Notifies subscribers after a successful call of this tool, unless it only reads.
    pub fn called(&mut self, tool: &str) {
        if !self.reading.contains(tool) {
            self.notify();
        }
    }

    /// Whether there are subscriptions.
    pub fn are_wanted(&self) -> bool {
        !self.subscribed.is_empty() || !self.streams.is_empty()
    }

    /// Notifies subscribers if another process has changed the database since the last check.
    pub fn check(&mut self, session: &mut Session) {
        self.streams.remove_unread();
        if !self.are_wanted() {
            return;
        }
        let Some(version) = session.data_version() else { return };
        if self.version.replace(version) != Some(version) {
            self.notify();
        }
    }

    /// Notes that the database was opened again: another connection has other versions. The
    /// next check notifies subscribers.
    pub fn reopened(&mut self) {
        self.version = None;
    }

    /// Notifies subscribers of a change, which may concern every resource.
    fn notify(&mut self) {
        for uri in &self.subscribed {
            // A disconnected client is noticed at the next answer.
            let _ = say(&notification(UPDATED, &json!({"uri": uri})));
        }
        self.streams.notify(UPDATED);
    }

    /// Takes the present version of the database as known.
    fn watch(&mut self, session: &mut Session) {
        // A database that cannot be opened is reported by the call that needs it.
        let _ = session.open();
        self.version = session.data_version();
    }

    fn read(session: &mut Session, uri: &str) -> Result<String, Refused> {
        let text = answered(session.read_resource(uri), is_compat(session))
            .map_err(|refused| refused.with_data(json!({"uri": uri})))?;
        Ok(json!({"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}).to_string())
    }

    fn subscribe(&mut self, session: &mut Session, uri: String) -> Result<String, Refused> {
        if ResourceList::to(&session.client_access().tools).has(&uri) {
            if !self.are_wanted() {
                self.watch(session);
            }
            self.subscribed.insert(uri);
        } else if !is_compat(session) {
            let text = format!("Resource {} not found", echo(&uri));
            return Err(Refused::new(RESOURCE_NOT_FOUND, text).with_data(json!({"uri": uri})));
        }
        // The reference server accepts any URI and never sends notifications for most.
        Ok("{}".to_owned())
    }

    fn prompt(session: &mut Session, params: Option<&RawValue>, method: &str) -> Result<String, Refused> {
        let [name, arguments] = params_of(params, ["name", "arguments"]);
        let name = text_param(name, "name", method)?;
        let arguments = object_param(arguments, "arguments", method)?;
        answered(session.prompt(&name, arguments), is_compat(session))
    }

    fn complete(session: &mut Session, params: Option<&RawValue>, method: &str) -> Result<String, Refused> {
        let [reference, argument, context] = params_of(params, ["ref", "argument", "context"]);
        let whole = template_of(object_param(reference, "ref", method)?, method)?;
        let [name, value] = members_of(object_param(argument, "argument", method)?, ["name", "value"]);
        let [known] = members_of(object_param(context, "context", method)?, ["arguments"]);
        let name = text_param(name, "name", method)?;
        let value = text_param(value, "value", method)?;
        let known = object_param(known, "arguments", method)?;
        let found = answered(session.complete(&whole, &name, &value, known), is_compat(session))?;
        Ok(format!(r#"{{"completion":{found}}}"#))
    }
}

/// The URI that a request names.
fn uri_in(params: Option<&RawValue>, method: &str) -> Result<String, Refused> {
    text_param(params_of(params, ["uri"])[0], "uri", method)
}

/// What has the argument to complete.
fn template_of(reference: &str, method: &str) -> Result<String, Refused> {
    let [kind, name, uri] = members_of(reference, ["type", "name", "uri"]);
    match kind.and_then(text_of).as_deref() {
        Some("ref/prompt") => Ok(format!("prompt:{}", text_param(name, "name", method)?)),
        Some("ref/resource") => text_param(uri, "uri", method),
        _ => {
            let text = format!("the \"ref\" of {method} has the \"type\" \"ref/prompt\" or \"ref/resource\"");
            Err(Refused::new(INVALID_PARAMS, text))
        }
    }
}

/// Whether the client that is served has the tools of another server.
fn is_compat(session: &Session) -> bool {
    session.client_access().tools.compat.is_some()
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
        Some("invalid_argument" | "domain_not_found" | "forbidden") => INVALID_PARAMS,
        _ => INTERNAL_ERROR,
    };
    Err(Refused::new(code, error["error"].as_str().unwrap_or_default()))
}

impl ResourceList {
    /// The resources that these options allow.
    fn to(options: &Options) -> Self {
        let templates = addresses(&limbic_tools::resource_templates_json(options), "uriTemplate");
        let beginning = |template: String| template.split('{').next().unwrap_or_default().to_owned();
        Self {
            uris: addresses(&limbic_tools::resources_json(options), "uri"),
            beginnings: templates.into_iter().map(beginning).collect(),
        }
    }

    /// Whether a resource can have this URI.
    fn has(&self, uri: &str) -> bool {
        self.uris.iter().any(|known| known == uri)
            || self.beginnings.iter().any(|beginning| uri.starts_with(beginning.as_str()))
    }
}

fn addresses(list: &str, field: &str) -> Vec<String> {
    let list: Vec<Value> = serde_json::from_str(list).unwrap_or_default();
    list.iter().filter_map(|item| item[field].as_str()).map(str::to_owned).collect()
}
