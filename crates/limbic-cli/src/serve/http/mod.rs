//! MCP over streamable HTTP, for several clients of one server and several servers of one memory, and the explorer. Up
//! to protocol 2025-11-25, each request of MCP gets one JSON response; since 2026-07-28, notifications may precede it
//! on a stream. Requests that need no database are answered here.

mod accept;
mod access;
mod activity;
mod announcement;
mod batch;
mod body;
mod clients;
mod ended_sessions;
mod event_stream;
mod guard;
mod health;
mod listening;
mod modern;
mod modern_request;
mod access_cache;
mod options;
mod page;
mod page_api;
mod pending;
mod queued_bytes;
mod refusal;
mod request_body;
mod response;
mod session_quota;
mod sessions;
#[cfg(unix)]
mod socket;
mod token_checks;
mod token_lookups;

use std::{
    convert::Infallible,
    future::poll_fn,
    net,
    pin::Pin,
    sync::{Arc, mpsc::Sender as EventSender},
    task::Poll,
    thread,
    time::Duration,
};

use anyhow::Result;
use hyper::{
    HeaderMap, Method, Request, Response, body::Incoming, header::HeaderValue, http::request::Parts,
    server::conn::http1, service::service_fn,
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use limbic_tools::CallerKind;
use serde_json::value::RawValue;
use tokio::{
    sync::{
        mpsc::{Receiver, channel},
        oneshot,
    },
    time,
};

use super::{
    batches,
    cancellations::Cancellations,
    envelope::Envelope,
    message::{self, Message, Refused},
    protocol::{Greeting, is_known_version, require_first_page},
    reader::Event,
    reply::{Client, ClientMessage, Reply},
};
use crate::{client_access::Imports, options::Settings, tokens::Tokens};
use accept::AcceptedTypes;
use access::Access;
use access_cache::{AccessCache, CachedAccess};
use activity::ObservedCall;
use announcement::{Announcement, PATH, announce};
use body::ResponseBody;
use clients::label;
use ended_sessions::EndedSessions;
use guard::Guard;
use health::Health;
use listening::Bound;
use modern_request::{ModernRequest, SESSION, VERSION, value_of};
pub use options::{HttpOptions, HttpSettings};
use page::Page;
use page_api::PageApi;
use pending::{MAX_UNREAD, Part, Pending};
use queued_bytes::{QueuedBytes, Reservation};
use refusal::{Refusal, SESSION_NOT_FOUND, internal, stopping};
use request_body::require_json;
use response::{Answered, answer, json_response, refused};
use session_quota::{OpenRequest, SessionOwner, SessionQuota};
use sessions::ClientSession;
use token_checks::CHECK_INTERVAL;
use token_lookups::TokenLookups;

/// The path of MCP for the explorer.
const EXPLORER_PATH: &str = "/mcp/explorer";
/// Maximum length of a request's body; a thousand long observations have 10 MB.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// A client is disconnected if its headers take longer.
const HEADER_TIME: Duration = Duration::from_secs(60);
/// Maximum time to send open responses while the server ends.
const MAX_END_TIME: Duration = Duration::from_secs(2);

/// A server that listens.
pub struct Listener {
    stop: oneshot::Sender<()>,
    thread: thread::JoinHandle<()>,
    /// Its file is removed with the listener.
    _announcement: Announcement,
}

struct Endpoint {
    guard: Guard,
    /// The named tokens, which are accepted besides the server's own.
    tokens: TokenLookups,
    /// The only user whose memories the server reaches.
    user: Option<String>,
    access_cache: AccessCache,
    health: Health,
    /// The explorer, if it is served.
    page: Option<PageApi>,
    queued: QueuedBytes,
    sessions: SessionQuota,
    ended: EndedSessions,
    events: EventSender<Event>,
    cancelled: Cancellations,
}

/// The address of a client.
#[derive(Clone, Copy)]
struct Peer(net::IpAddr);

/// Listens on a new thread, and prints the address to standard error. Returns the listener, and a secret that servers
/// with the same tokens share.
///
/// # Errors
/// When the address is in use or not one of this computer, and when the socket is in use or cannot be made.
pub fn listen(
    http: &HttpSettings,
    settings: &Settings,
    events: EventSender<Event>,
    cancelled: Cancellations,
) -> Result<(Listener, String)> {
    let listener = Bound::new(http)?;
    let page = if http.has_page { Some(Page::open(http.ui_dir.as_deref())?) } else { None };
    let guard = Guard::new(http);
    let announcement = announce(http, &settings.db, &listener.origin(http)?, &guard)?;
    let secret = guard.secret(http.has_page);
    let imports = http.import_dir.clone().map_or(Imports::Nowhere, Imports::Below);
    let tokens = TokenLookups::new(Tokens::of(&settings.db, settings.tools.read_only));
    let endpoint = Arc::new(Endpoint {
        guard,
        page: page.map(|page| PageApi::new(page, settings, tokens.clone(), events.clone())),
        health: Health::new(tokens.clone()),
        tokens,
        user: settings.tools.user.clone(),
        access_cache: AccessCache::new(settings, imports),
        queued: QueuedBytes::default(),
        sessions: SessionQuota::default(),
        ended: EndedSessions::default(),
        events,
        cancelled,
    });
    let (stop, stopped) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let thread = thread::spawn(move || runtime.block_on(serve(listener, endpoint, stopped)));
    Ok((Listener { stop, thread, _announcement: announcement }, secret))
}

impl Listener {
    /// Accepts no more requests, and waits up to two seconds until the last responses are sent.
    pub fn stop(self) {
        // It may have ended already.
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

async fn serve(listener: Bound, endpoint: Arc<Endpoint>, mut stopped: oneshot::Receiver<()>) {
    let Ok(listener) = listener.accepting() else { return };
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
    let connections = GracefulShutdown::new();
    loop {
        let next = poll_fn(|context| match Pin::new(&mut stopped).poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => listener.poll_accept(context).map(Some),
        });
        let Some(accepted) = next.await else { break };
        let Ok((stream, peer)) = accepted else {
            // Too many files are open, for example; some are closed later.
            time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let endpoint = endpoint.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            let endpoint = endpoint.clone();
            request.extensions_mut().insert(Peer(peer));
            async move { Ok::<_, Infallible>(endpoint.respond(request).await) }
        });
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        // A connection that breaks concerns its client alone.
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    if let Some(page) = &endpoint.page {
        page.activity.close();
    }
    let _ = time::timeout(MAX_END_TIME, connections.shutdown()).await;
}

impl Endpoint {
    async fn respond(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        let mut response = self.handle(request).await.unwrap_or_else(|refusal| refused(&refusal));
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            // The explorer's files may be cached.
            response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
        }
        response
    }

    async fn handle(&self, request: Request<Incoming>) -> Answered {
        if request.uri().path() == health::PATH {
            Guard::check_form(request.uri(), request.headers())?;
            return self.health.answer(request.method()).await;
        }
        match self.route(&request).await {
            Ok(Route::Mcp(access, cached)) => self.mcp(request, &access, &cached).await,
            Ok(Route::Api(page, access)) => page.answer(request, &access, &self.access_cache).await,
            Ok(Route::File(page)) => {
                page.answer(request.method(), request.uri().path(), request.headers()).await
            }
            Err(refusal) if self.is_message(&request) => {
                let (parts, body) = request.into_parts();
                Err(request_body::refused(&parts.headers, body, refusal).await)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Whether a request has a message of JSON-RPC, so that its refusal is one, too.
    fn is_message(&self, request: &Request<Incoming>) -> bool {
        let path = request.uri().path();
        request.method() == Method::POST && (path == PATH || (self.page.is_some() && path == EXPLORER_PATH))
    }

    /// Returns what answers a request, if its sender may use that.
    async fn route(&self, request: &Request<Incoming>) -> Result<Route<'_>, Refusal> {
        let headers = request.headers();
        Guard::check_form(request.uri(), headers)?;
        self.guard.check_origin(request.uri(), headers)?;
        let path = request.uri().path();
        match &self.page {
            _ if path == PATH => {
                let access = self.authenticate(headers).await?;
                access.check_agent()?;
                access.check_user(self.user.as_deref())?;
                let cached =
                    self.access_cache.agents(access.token.as_ref()).map_err(|error| internal(&error))?;
                Ok(Route::Mcp(access, cached))
            }
            Some(page) if path == EXPLORER_PATH || PageApi::has(path) => {
                let access = self.authenticate(headers).await?;
                access.check_explorer()?;
                if path != EXPLORER_PATH {
                    return Ok(Route::Api(page, access));
                }
                let cached =
                    self.access_cache.explorer(access.token.as_ref()).map_err(|error| internal(&error))?;
                Ok(Route::Mcp(Access { is_for_agents: false, ..access }, cached))
            }
            Some(page) => Ok(Route::File(&page.page)),
            None => Err(Refusal::new(404, "not_found", "Not found: MCP is at /mcp")),
        }
    }

    /// Answers a request to MCP; that of an access without agents is the explorer's.
    async fn mcp(&self, request: Request<Incoming>, access: &Access, cached: &CachedAccess) -> Answered {
        match *request.method() {
            Method::POST => self.post(request, access, cached).await.map_err(Refusal::of_message),
            Method::GET | Method::DELETE if modern_request::is_modern_version(request.headers()) => {
                Err(Refusal::method_not_allowed("POST"))
            }
            Method::DELETE => {
                require_version(request.headers())?;
                let session = self.session_of(request.headers(), &access.holder)?;
                self.sessions.end(&session.id);
                // That of the clients without an id goes on.
                if request.headers().contains_key(&SESSION) {
                    self.ended.add(&session.id);
                }
                // A server that ends needs no sessions.
                let _ = self.events.send(Event::Ended(session.id.into()));
                Ok(json_response(204, String::new()))
            }
            _ => Err(Refusal::new(
                405,
                "method_not_allowed",
                "This address accepts only POST and DELETE: there are no streams",
            )
            .with_header("Allow", "POST, DELETE")),
        }
    }

    /// Returns the access of a request.
    async fn authenticate(&self, headers: &HeaderMap) -> Result<Access, Refusal> {
        let shown = Guard::shown(headers);
        let Some(text) = shown else { return Err(Guard::unauthorized(None)) };
        if let Some(access) = self.guard.own(text) {
            return Ok(access);
        }
        let text = text.to_owned();
        match self.tokens.read(move |tokens| tokens.find(&text)).await? {
            Some(token) => Ok(Access::of(token)),
            None => Err(Guard::unauthorized(shown)),
        }
    }

    async fn post(&self, request: Request<Incoming>, access: &Access, cached: &CachedAccess) -> Answered {
        let (parts, body) = request.into_parts();
        if let Err(refusal) = require_json(&parts.headers) {
            return Err(request_body::refused(&parts.headers, body, refusal).await);
        }
        let accepted = AcceptedTypes::of(&parts.headers);
        if !accepted.json && !accepted.stream {
            return Err(request_body::refused(&parts.headers, body, accept::refusal()).await);
        }
        let owner = owner(access, &parts);
        let mut bytes = self.queued.reserve(&owner.client);
        let text = request_body::read(body, MAX_BODY_BYTES, Some(&mut bytes)).await?;
        if batches::members(&text).is_some() {
            bytes.require_room()?;
            let sender = Sender { access, cached, owner };
            return self.post_batch(&parts.headers, text, sender, bytes).await;
        }
        let message = message::read(&text);
        match &message {
            Ok(Message::Request { id, .. }) => {
                bytes.require_room().map_err(|refusal| refusal.of_request(id))?
            }
            // It is served beyond the limit of bytes: the request that it cancels may have reached it.
            Ok(Message::Cancelled { .. }) => {}
            _ => bytes.require_room()?,
        }
        match &message {
            Ok(Message::Request { id, method, params }) => {
                match modern_request::envelope_of(&parts.headers, method, *params) {
                    Ok(None) => {}
                    Ok(Some(envelope)) => {
                        if let Err(reason) = require_first_page(method, *params) {
                            let refusal = message::Refusal { id: Some(id), reason };
                            return Ok(json_response(200, message::refusal(&refusal)));
                        }
                        let (id, method) = ((*id).to_owned(), method.clone());
                        let request = ModernRequest {
                            id: &id,
                            method: &method,
                            envelope,
                            text,
                            owner,
                            bytes,
                            accepted,
                        };
                        return self.answer_modern(request, access, cached).await;
                    }
                    Err(reason) => {
                        let refusal = message::Refusal { id: Some(id), reason };
                        return Ok(json_response(400, message::refusal(&refusal)));
                    }
                }
            }
            Ok(message) if modern_request::is_notification(&parts.headers, message) => {
                return Ok(json_response(202, String::new()));
            }
            // What is not a message has no version, so that only the header names one.
            Err(refusal) if modern_request::names_modern(&parts.headers) => {
                return Ok(json_response(400, message::refusal(refusal)));
            }
            _ => {}
        }
        require_version(&parts.headers).map_err(|refusal| match &message {
            Ok(Message::Request { id, .. }) => refusal.of_request(id),
            _ => refusal,
        })?;
        match message {
            Err(refusal) => Ok(json_response(400, message::refusal(&refusal))),
            Ok(Message::Silent) => {
                self.session_of(&parts.headers, &access.holder)?;
                Ok(json_response(202, String::new()))
            }
            // Clients without a session use the same ids, so that it may name the request of another one. They cancel
            // a request by closing its connection.
            Ok(Message::Cancelled { .. }) if !parts.headers.contains_key(&SESSION) => {
                Ok(json_response(202, String::new()))
            }
            Ok(Message::Cancelled { id }) => {
                let session = self.session_of(&parts.headers, &access.holder)?;
                let id = id.to_owned();
                let sender = Sender { access, cached, owner };
                self.cancel(&id, text, &session, &sender, Arc::new(bytes))?;
                Ok(json_response(202, String::new()))
            }
            Ok(Message::Request { id, method, params }) => {
                let id = id.to_owned();
                let of_request = |refusal: Refusal| refusal.of_request(&id);
                let session = self.session_of(&parts.headers, &access.holder).map_err(of_request)?;
                if method == "initialize" {
                    return Ok(greeting(&id, cached.protocol.greet(params), &access.holder));
                }
                let Some(answered) = cached.protocol.answer(&method, params) else {
                    let sender = Sender { access, cached, owner };
                    let submitted = self.submit(&method, text, &session, &sender, Arc::new(bytes));
                    let mut parts = submitted.map_err(of_request)?;
                    let (Part::Answer(answer) | Part::Notification(answer)) =
                        self.next_part(access, &mut parts).await.map_err(of_request)?;
                    return Ok(json_response(200, answer));
                };
                Ok(answer(&id, answered))
            }
        }
    }

    /// The session of a request with the token of a holder.
    fn session_of(&self, headers: &HeaderMap, holder: &str) -> Result<ClientSession, Refusal> {
        let Some(id) = value_of(headers, &SESSION) else { return Ok(sessions::without_id(holder)) };
        let adopted = Some(id).filter(|id| !self.ended.has(id));
        adopted.and_then(|id| sessions::adopt(&id, holder)).ok_or_else(|| {
            Refusal::new(
                404,
                SESSION_NOT_FOUND,
                "The header Mcp-Session-Id names no session of this token: start one with initialize",
            )
        })
    }

    /// Starts to record a call, if the explorer is served.
    fn observe(&self, session: &ClientSession, access: &Access) -> Option<ObservedCall> {
        let page = self.page.as_ref()?;
        page.clients.called(session, access);
        Some(page.activity.observe(&session.name, label(session)))
    }

    /// Counts a request of a session, for which another one may have to give way.
    fn enter(&self, session: &str, owner: SessionOwner) -> Result<OpenRequest, Refusal> {
        let entered = self.sessions.enter(session, owner)?;
        if let Some(dropped) = entered.dropped {
            // A server that ends needs no sessions.
            let _ = self.events.send(Event::Ended(dropped.into()));
        }
        Ok(entered.request)
    }

    /// Passes on a request up to 2025-11-25. Returns the parts of its response.
    fn submit(
        &self,
        method: &str,
        text: String,
        session: &ClientSession,
        sender: &Sender<'_>,
        bytes: Arc<Reservation>,
    ) -> Result<Receiver<Part>, Refusal> {
        let Sender { access, cached, owner } = sender;
        let (sent, parts) = channel(MAX_UNREAD);
        let open = self.enter(&session.id, owner.clone())?;
        let observed = (method == "tools/call").then(|| self.observe(session, access)).flatten();
        let pending = Pending { sent, observed, is_stream: false, bytes: Some(bytes), _open: open };
        self.ask(text, client(session.clone(), access, cached), None, pending)?;
        Ok(parts)
    }

    /// Passes on the cancellation of a request.
    ///
    /// # Arguments
    /// * `text` - the notification.
    fn cancel(
        &self,
        id: &RawValue,
        text: String,
        session: &ClientSession,
        sender: &Sender<'_>,
        bytes: Arc<Reservation>,
    ) -> Result<(), Refusal> {
        self.cancelled.note(Some(&session.id), id);
        let passed_on = self.submit("notifications/cancelled", text, session, sender, bytes);
        if passed_on.is_err() {
            self.cancelled.forget(Some(&session.id), id);
        }
        passed_on.map(drop)
    }

    fn ask(
        &self,
        text: String,
        client: Client,
        envelope: Option<Envelope>,
        pending: Pending,
    ) -> Result<(), Refusal> {
        let reply = Reply::Response(Box::new(pending));
        let message = ClientMessage { text, client: Some(client), envelope, reply };
        self.events.send(Event::Received(message)).map_err(|_| stopping())
    }

    /// Waits for a part of a response, as long as the named token of its request is neither revoked nor expired.
    async fn next_part(&self, access: &Access, parts: &mut Receiver<Part>) -> Result<Part, Refusal> {
        loop {
            if let Ok(part) = time::timeout(CHECK_INTERVAL, parts.recv()).await {
                return part.ok_or_else(stopping);
            }
            self.require_current(access).await?;
        }
    }

    /// Rejects a named token that was revoked or has expired since its request began.
    async fn require_current(&self, access: &Access) -> Result<(), Refusal> {
        match &access.token {
            Some(token) if !self.tokens.is_current(token).await => Err(Guard::unauthorized(Some(""))),
            _ => Ok(()),
        }
    }
}

/// The response to an initialisation, which begins a session.
fn greeting(id: &RawValue, greeted: Result<Greeting, Refused>, holder: &str) -> Response<ResponseBody> {
    let Greeting { client, has_batches, result } = match greeted {
        Ok(greeting) => greeting,
        Err(reason) => return answer(id, Err(reason)),
    };
    let begun = sessions::begin(&client, has_batches, holder);
    let mut response = answer(id, Ok(result));
    let session = HeaderValue::from_str(&begun.id).expect("hexadecimal digits are a value");
    response.headers_mut().insert(SESSION.clone(), session);
    response
}

/// What answers a request.
enum Route<'e> {
    /// MCP, for agents or the explorer.
    Mcp(Access, Arc<CachedAccess>),
    /// The explorer's API.
    Api(&'e PageApi, Access),
    /// A file of the explorer, which needs no token.
    File(&'e Page),
}

/// Who sends a request.
struct Sender<'r> {
    access: &'r Access,
    cached: &'r CachedAccess,
    owner: SessionOwner,
}

/// Who sends a request, for quotas.
fn owner(access: &Access, parts: &Parts) -> SessionOwner {
    let address = parts.extensions.get().map(|Peer(address)| address.to_string()).unwrap_or_default();
    let Access { holder, token, .. } = access;
    SessionOwner { holder: holder.clone(), is_named: token.is_some(), client: format!("{holder} {address}") }
}

fn client(session: ClientSession, access: &Access, cached: &CachedAccess) -> Client {
    let ClientSession { id, name, .. } = session;
    let kind = if access.is_for_agents { CallerKind::Client } else { CallerKind::Explorer };
    Client {
        session: id,
        name,
        client_access: cached.client_access.clone(),
        kind,
        holder: access.holder.clone(),
    }
}

fn require_version(headers: &HeaderMap) -> Result<(), Refusal> {
    match value_of(headers, &VERSION) {
        Some(version) if !is_known_version(&version) => Err(Refusal::new(
            400,
            "unsupported_version",
            "The header MCP-Protocol-Version names a version that this server does not support: send the one that \
             initialize answered",
        )),
        _ => Ok(()),
    }
}
