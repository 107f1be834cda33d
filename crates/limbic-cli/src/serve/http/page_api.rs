//! The explorer and its API beside MCP: status, events, past calls, the database file, tokens and clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::{Result, anyhow};
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response};
use limbic_tools::error_json;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::{task, time};

use super::access::{Access, forbidden};
use super::access_cache::AccessCache;
use super::activity::Activity;
use super::body::ResponseBody;
use super::clients::Clients;
use super::event_stream;
use super::page::Page;
use super::refusal::{Refusal, internal, stopping};
use super::request_body::{self, require_json};
use super::response::{Answered, json_response};
use super::token_lookups::TokenLookups;
use crate::options::Settings;
use crate::serve::reader::Event;
use crate::tokens::{
    GivenRights, NAME_RULE, NamedToken, Prefix, Tokens, is_name, now_millis, timestamp, token_rights,
    toolsets_for,
};
use limbic_memory::key;
use limbic_memory::location::Location;
use limbic_memory::session::Session;

/// The paths of the API.
const PATHS: [&str; 6] =
    ["/api/status", "/api/events", "/api/calls", "/api/database", "/api/tokens", "/api/sessions"];
/// A new token's name and rights are short.
const MAX_TOKEN_BYTES: usize = 64 * 1024;
const FIELDS: [&str; 6] = ["name", "toolsets", "read_only", "user", "explorer", "expires"];
/// Minimum time between two events of changes.
const MIN_CHANGE_INTERVAL: Duration = Duration::from_millis(200);
/// Changes of other processes are polled once per this many intervals.
const CHECK_EVERY: u64 = 2;
/// Comments are sent once per this many intervals.
const COMMENT_EVERY: u64 = 75;

/// The explorer of a server.
pub struct PageApi {
    /// Its files.
    pub page: Page,
    /// The activity that pages are notified of.
    pub activity: Arc<Activity>,
    /// The connected clients.
    pub clients: Clients,
    settings: Settings,
    started: String,
    tokens: TokenLookups,
    events: Sender<Event>,
    is_watching: Arc<AtomicBool>,
}

impl PageApi {
    /// The explorer of a server with these settings.
    pub fn new(page: Page, settings: &Settings, tokens: TokenLookups, events: Sender<Event>) -> Self {
        Self {
            page,
            activity: Arc::new(Activity::new()),
            clients: Clients::default(),
            settings: settings.clone(),
            started: timestamp(now_millis()),
            tokens,
            events,
            is_watching: Arc::default(),
        }
    }

    /// Whether a path belongs to the API.
    pub fn has(path: &str) -> bool {
        PATHS.contains(&path)
    }

    /// Answers a request to the API.
    pub async fn answer(
        &self,
        request: Request<Incoming>,
        access: &Access,
        access_cache: &AccessCache,
    ) -> Answered {
        let path = request.uri().path().to_owned();
        let is_get = request.method() == Method::GET;
        match path.as_str() {
            "/api/tokens" => self.tokens(request, access).await,
            "/api/sessions" => self.sessions(&request, access),
            _ if !is_get => Err(Refusal::method_not_allowed("GET")),
            "/api/status" => Ok(self.status(access)),
            "/api/events" => Ok(self.events(access).await),
            "/api/calls" => {
                let after = parameter(&request, "after").parse().unwrap_or_default();
                let calls = self.activity.calls_after(after);
                Ok(json_response(
                    200,
                    json!({"instance": self.activity.instance, "calls": calls}).to_string(),
                ))
            }
            _ => self.database(access_cache, access).await,
        }
    }

    fn is_read_only(&self) -> bool {
        self.settings.tools.read_only
    }

    fn status(&self, access: &Access) -> Response<ResponseBody> {
        let is_token_read_only = access.token.as_ref().is_some_and(|token| token.rights.read_only);
        let status = json!({
            "name": "limbic-memory",
            "version": env!("CARGO_PKG_VERSION"),
            "database": self.settings.db.to_string(),
            "read_only": self.is_read_only() || is_token_read_only,
            "encrypted": self.settings.db.file().is_some_and(key::source::is_not_plain),
            // A store keeps deleted pages until it is cleaned.
            "overwrites": self.settings.db.file().is_some(),
            "instance": self.activity.instance,
            "started": self.started,
            "sessions": self.clients.count(),
        });
        json_response(200, status.to_string())
    }

    /// A stream of events, until the page leaves or its token is revoked.
    async fn events(&self, access: &Access) -> Response<ResponseBody> {
        let events = self.activity.listen();
        self.watch().await;
        event_stream::response(event_stream::while_current(&self.tokens, access, events))
    }

    /// Detects changes, also by other processes, while pages are connected. No change is missed after this returns.
    async fn watch(&self) {
        let mut version = version(&self.events).await;
        if self.is_watching.swap(true, Ordering::Relaxed) {
            return;
        }
        let (activity, events, is_watching) =
            (self.activity.clone(), self.events.clone(), self.is_watching.clone());
        task::spawn(async move {
            for interval in 1_u64.. {
                if !activity.is_wanted() {
                    break;
                }
                if interval.is_multiple_of(CHECK_EVERY) {
                    let found = self::version(&events).await;
                    if found.is_some() && version != found {
                        version = found;
                        activity.changed();
                    }
                }
                if interval.is_multiple_of(COMMENT_EVERY) {
                    activity.comment();
                }
                activity.tell_of_change();
                time::sleep(MIN_CHANGE_INTERVAL).await;
            }
            is_watching.store(false, Ordering::Relaxed);
        });
    }

    async fn database(&self, access_cache: &AccessCache, access: &Access) -> Answered {
        let client_access = access_cache
            .explorer(access.token.as_ref())
            .map_err(|error| internal(&error))?
            .client_access
            .clone();
        let (sent, exported) = oneshot::channel();
        let export = move |session: &mut Session| drop(sent.send(session.export(client_access)));
        self.events.send(Event::Run(Box::new(export))).map_err(|_| stopping())?;
        let bytes = exported.await.map_err(|_| stopping())?.map_err(|error| {
            let failure: Value = serde_json::from_str(&error_json(&error)).unwrap_or_default();
            Refusal::new(500, "not_exported", failure["error"].as_str().unwrap_or_default())
        })?;
        let mut response = Response::new(ResponseBody::from(bytes));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/vnd.sqlite3"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let name = format!("attachment; filename=\"{}\"", file_name(&self.settings.db));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_str(&name).expect("letters are a value"));
        Ok(response)
    }

    fn sessions(&self, request: &Request<Incoming>, access: &Access) -> Answered {
        match *request.method() {
            Method::GET => {
                let can_change = self.why_fixed(access).is_none();
                let list = json!({"can_change": can_change, "sessions": self.clients.list()});
                Ok(json_response(200, list.to_string()))
            }
            Method::DELETE => match self.why_fixed(access) {
                Some(refusal) => Err(refusal),
                None => Err(unknown("session", &parameter(request, "id"))),
            },
            _ => Err(Refusal::method_not_allowed("GET, DELETE")),
        }
    }

    /// Tokens are listed and changed with the server's own token of the explorer only, since a token that could create
    /// tokens would outlive its own revocation.
    async fn tokens(&self, request: Request<Incoming>, access: &Access) -> Answered {
        let method = request.method().clone();
        match method {
            Method::GET => self.list_tokens(access).await,
            Method::POST | Method::DELETE => {
                if let Some(refusal) = self.why_fixed(access) {
                    return Err(refusal);
                }
                if method == Method::POST {
                    self.create_token(request).await
                } else {
                    self.revoke_token(&request).await
                }
            }
            _ => Err(Refusal::method_not_allowed("GET, POST, DELETE")),
        }
    }

    async fn list_tokens(&self, access: &Access) -> Answered {
        let reason = self.why_fixed(access).map(|refusal| refusal.error);
        if access.token.is_some() {
            return Ok(json_response(200, json!({"can_change": false, "reason": reason}).to_string()));
        }
        let listed = self.of_tokens(|tokens| tokens.list()).await?;
        let mut list = json!({
            "can_change": reason.is_none(),
            "tokens": listed.iter().map(NamedToken::describe).collect::<Vec<_>>(),
            "toolsets": toolsets_for(None),
            "toolsets_of_users": toolsets_for(Some("")),
        });
        for (field, value) in [("reason", &reason), ("user", &self.settings.tools.user)] {
            if let Some(value) = value {
                list[field] = value.as_str().into();
            }
        }
        Ok(json_response(200, list.to_string()))
    }

    async fn create_token(&self, request: Request<Incoming>) -> Answered {
        require_json(request.headers())?;
        let text = request_body::read(request.into_body(), MAX_TOKEN_BYTES, None).await?;
        let invalid = |error: anyhow::Error| Refusal::new(400, "invalid_arguments", &error.to_string());
        let (name, rights) = self.new_token(&text).map_err(invalid)?;
        let rights = token_rights(rights, Prefix::Field).map_err(invalid)?;
        let created = {
            let name = name.clone();
            self.of_tokens(move |tokens| {
                let is_taken = tokens.list()?.iter().any(|token| token.name == name);
                if is_taken { Ok(None) } else { tokens.create(&name, &rights).map(Some) }
            })
        };
        match created.await? {
            Some(token) => Ok(json_response(201, json!({"name": name, "token": token}).to_string())),
            None => {
                let text =
                    format!("There is a token \"{name}\" already: choose another name, or revoke it first");
                Err(Refusal::new(409, "name_taken", &text))
            }
        }
    }

    /// Checks the fields of a new token.
    fn new_token(&self, text: &str) -> Result<(String, GivenRights)> {
        let given: Value = serde_json::from_str(text).map_err(|_| anyhow!("The body is not valid JSON"))?;
        let given = given
            .as_object()
            .ok_or_else(|| anyhow!("The body must be a JSON object with the field \"name\""))?;
        if let Some(other) = given.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(anyhow!("A token has the fields {}, not {other:?}", FIELDS.join(", ")));
        }
        let text_of = |field: &str, rule: &'static str| match given.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(anyhow!(rule)),
        };
        let flag = |field: &str| match given.get(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(anyhow!("{field} must be true or false")),
        };
        let name =
            text_of("name", NAME_RULE)?.filter(|name| is_name(name)).ok_or_else(|| anyhow!(NAME_RULE))?;
        let toolsets = given.get("toolsets").map(|names| {
            let names = serde_json::from_value::<Vec<String>>(names.clone()).unwrap_or_default();
            let no_list = || anyhow!("toolsets must be a list of names; omit it for the default");
            if names.is_empty() { Err(no_list()) } else { Ok(names) }
        });
        let rights = GivenRights {
            toolsets: toolsets.transpose()?,
            read_only: flag("read_only")?,
            user: text_of("user", "user must be a name")?,
            explorer: flag("explorer")?,
            expires: text_of("expires", "expires must be a text such as 90d")?,
        };
        if let (Some(own), Some(user)) = (&self.settings.tools.user, &rights.user)
            && own != user
        {
            return Err(anyhow!(
                "This server works for the user {own:?} only: it rejects tokens for other users"
            ));
        }
        Ok((name, rights))
    }

    async fn revoke_token(&self, request: &Request<Incoming>) -> Answered {
        let name = parameter(request, "name");
        let is_name = is_name(&name);
        let revoked = {
            let name = name.clone();
            self.of_tokens(move |tokens| if is_name { tokens.revoke(&name) } else { Ok(false) })
        };
        if !revoked.await? {
            return Err(unknown("token", &name));
        }
        self.clients.forget_token(&name);
        Ok(json_response(200, json!({"revoked": name}).to_string()))
    }

    async fn of_tokens<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tokens) -> Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.tokens.run(work).await?.map_err(|error| {
            Refusal::new(500, "not_stored", &format!("The tokens cannot be read or stored: {error:#}"))
        })
    }

    /// The reason why a request may not change tokens or sessions.
    fn why_fixed(&self, access: &Access) -> Option<Refusal> {
        if let Some(token) = &access.token {
            return Some(forbidden(&format!(
                "The token \"{}\" cannot list or change tokens, or end sessions: open the address that the server \
                 printed, or use limbic token",
                token.name
            )));
        }
        let text = "This server was started with --read-only: use limbic token";
        self.is_read_only().then(|| Refusal::new(403, "read_only", text))
    }
}

/// A number that changes with the database; `None` if it cannot be read.
async fn version(events: &Sender<Event>) -> Option<u32> {
    let (sent, found) = oneshot::channel();
    let look = move |session: &mut Session| {
        // A database that cannot be opened is reported by the call that needs it.
        let _ = session.open();
        // A page that has left asked for it.
        let _ = sent.send(session.data_version());
    };
    events.send(Event::Run(Box::new(look))).ok()?;
    found.await.ok()?
}

fn unknown(what: &str, name: &str) -> Refusal {
    let name: String = name.chars().take(100).collect();
    Refusal::new(404, "not_found", &format!("There is no {what} \"{name}\": it may have ended"))
}

/// A parameter of the query. The names of tokens and the numbers of calls have no letters that would be escaped.
fn parameter(request: &Request<Incoming>, name: &str) -> String {
    let pairs = request.uri().query().unwrap_or_default().split('&');
    let mut found = pairs.filter_map(|pair| pair.split_once('=')).filter(|(key, _)| *key == name);
    found.next().map(|(_, value)| value.to_owned()).unwrap_or_default()
}

/// The name of a downloaded database.
fn file_name(database: &Location) -> String {
    let name = database
        .file()
        .and_then(|path| path.file_name())
        .map_or("memory.db".into(), |name| name.to_string_lossy());
    let is_kept = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    name.chars().map(|letter| if is_kept(letter) { letter } else { '_' }).collect()
}
