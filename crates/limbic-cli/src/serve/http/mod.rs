//! MCP over streamable HTTP (up to protocol 2025-11-25), for several clients of one server and several servers of one
//! memory. Each request gets one JSON response; there are no streams. Requests that need no database are answered here.

mod guard;
mod options;
mod refusal;
mod sessions;

use std::{
    convert::Infallible,
    future::poll_fn,
    net,
    pin::Pin,
    sync::{Arc, mpsc::Sender},
    task::Poll,
    thread,
    time::Duration,
};

use anyhow::{Result, anyhow};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::{
    HeaderMap, Method, Request, Response,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time};

use super::{
    message::{self, Message},
    protocol::{Protocol, is_known_version},
    reader::Event,
    reply::{Asked, Client, Reply, Waiting},
};
use guard::{Guard, is_loopback};
pub use options::{HttpOptions, HttpSettings};
use refusal::Refusal;

/// The path of MCP.
const PATH: &str = "/mcp";
static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Maximum length of a request's body; a thousand long observations have 10 MB.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// A client that sends its headers more slowly is disconnected.
const HEADER_TIME: Duration = Duration::from_secs(60);
/// As [`HEADER_TIME`], for the body.
const BODY_TIME: Duration = Duration::from_secs(300);
/// For so long open responses may be sent while the server ends.
const END_TIME: Duration = Duration::from_secs(2);
const TOKEN_BYTES: usize = 32;

/// A server that listens.
pub struct Listener {
    stop: oneshot::Sender<()>,
    thread: thread::JoinHandle<()>,
}

struct Endpoint {
    guard: Guard,
    protocol: Protocol,
    events: Sender<Event>,
}

/// Listens on a thread of its own, and says where on standard error.
///
/// # Errors
/// When the address is in use or not one of this computer.
pub fn listen(settings: &HttpSettings, protocol: Protocol, events: Sender<Event>) -> Result<Listener> {
    let place = (settings.host.as_str(), settings.port);
    let listener = net::TcpListener::bind(place).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            anyhow!("port {} is in use: choose another, or 0 for any free port", settings.port)
        }
        _ => anyhow!("--http: the address {}:{} cannot be used: {error}", settings.host, settings.port),
    })?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let token = settings.token.clone().unwrap_or_else(random_token);
    announce(settings, port, &token);
    let endpoint = Arc::new(Endpoint { guard: Guard::new(settings, &token), protocol, events });
    let (stop, stopped) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let thread = thread::spawn(move || runtime.block_on(serve(listener, endpoint, stopped)));
    Ok(Listener { stop, thread })
}

impl Listener {
    /// Accepts no more requests, and waits a moment until the last responses are sent.
    pub fn stop(self) {
        // It may have ended already.
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

fn random_token() -> String {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A token that the user chose is not shown.
fn announce(settings: &HttpSettings, port: u16, token: &str) {
    let host = match settings.host.as_str() {
        "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" => "[::1]".to_owned(),
        host if host.contains(':') => format!("[{host}]"),
        host => host.to_owned(),
    };
    let place = format!("http://{host}:{port}");
    if !is_loopback(&settings.host) {
        eprintln!(
            "limbic: other computers can reach {}:{port}, and the connection is not encrypted: the token can be \
             intercepted",
            settings.host
        );
    }
    if settings.public_origin.is_some() {
        eprintln!("limbic: requests of the proxy are expected at {place}");
    }
    let origin = settings.public_origin.as_deref().unwrap_or(&place);
    let shown = if settings.token.is_some() { "TOKEN" } else { token };
    eprintln!("limbic: MCP over HTTP: {origin}{PATH} with the header \"Authorization: Bearer {shown}\"");
}

async fn serve(listener: net::TcpListener, endpoint: Arc<Endpoint>, mut stopped: oneshot::Receiver<()>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
    let connections = GracefulShutdown::new();
    loop {
        let next = poll_fn(|context| match Pin::new(&mut stopped).poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => listener.poll_accept(context).map(Some),
        });
        let Some(accepted) = next.await else { break };
        let Ok((stream, _)) = accepted else {
            // Too many files are open, for example; some are closed later.
            time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let endpoint = endpoint.clone();
        let service = service_fn(move |request| {
            let endpoint = endpoint.clone();
            async move { Ok::<_, Infallible>(endpoint.respond(request).await) }
        });
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        // A connection that breaks concerns its client alone.
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    let _ = time::timeout(END_TIME, connections.shutdown()).await;
}

type Answered = Result<Response<Full<Bytes>>, Refusal>;

impl Endpoint {
    async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let mut response = self.handle(request).await.unwrap_or_else(|refusal| refused(&refusal));
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }

    async fn handle(&self, request: Request<Incoming>) -> Answered {
        let headers = request.headers();
        self.guard.check_origin(headers)?;
        if request.uri().path() != PATH {
            return Err(Refusal::new(404, "not_found", "Not found: MCP is at /mcp"));
        }
        self.guard.check_token(headers)?;
        match *request.method() {
            Method::POST => self.post(request).await,
            Method::DELETE => {
                let client = client(headers)?;
                // A server that ends needs no sessions.
                let _ = self.events.send(Event::Ended(client));
                Ok(response(204, String::new()))
            }
            _ => Err(Refusal::new(
                405,
                "method_not_allowed",
                "This address accepts only POST and DELETE: there are no streams",
            )
            .with_header("Allow", "POST, DELETE")),
        }
    }

    async fn post(&self, request: Request<Incoming>) -> Answered {
        let (parts, body) = request.into_parts();
        require_json(&parts.headers)?;
        require_version(&parts.headers)?;
        let sender = client(&parts.headers)?;
        let text = read(body).await?;
        match message::read(&text) {
            Err(refusal) => Ok(response(400, message::refusal(&refusal))),
            Ok(Message::Silent) => Ok(response(202, String::new())),
            Ok(Message::Cancelled { .. }) => {
                let (sent, _) = oneshot::channel();
                self.ask(text, sender, sent)?;
                Ok(response(202, String::new()))
            }
            Ok(Message::Request { id, method, params }) => {
                let Some(result) = self.protocol.answer(&method, params) else {
                    let (sent, answer) = oneshot::channel();
                    self.ask(text, sender, sent)?;
                    return answer.await.map(|answer| response(200, answer)).map_err(|_| stopping());
                };
                let mut response = response(200, message::answer(id, &result));
                if method == "initialize" {
                    let params: Value =
                        params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
                    let begun = sessions::begin(params["clientInfo"]["name"].as_str().unwrap_or_default());
                    let id = HeaderValue::from_str(&begun.session).expect("hexadecimal digits are a value");
                    response.headers_mut().insert(SESSION.clone(), id);
                }
                Ok(response)
            }
        }
    }

    fn ask(&self, text: String, client: Client, sent: oneshot::Sender<String>) -> Result<(), Refusal> {
        let reply = Reply::Response(Box::new(Pending(sent)));
        self.events.send(Event::Asked(Asked { text, client: Some(client), reply })).map_err(|_| stopping())
    }
}

/// A response that is still to be sent.
struct Pending(oneshot::Sender<String>);

impl Waiting for Pending {
    fn answer(self: Box<Self>, message: String) {
        // A client that has gone needs no answer.
        let _ = self.0.send(message);
    }

    fn is_gone(&self) -> bool {
        self.0.is_closed()
    }
}

/// The client that sends a request.
fn client(headers: &HeaderMap) -> Result<Client, Refusal> {
    let Some(id) = headers.get(&SESSION) else { return Ok(sessions::without_id()) };
    id.to_str().ok().and_then(sessions::adopt).ok_or_else(|| {
        Refusal::new(
            404,
            "session_not_found",
            "The header Mcp-Session-Id names no session: start one with initialize",
        )
    })
}

/// A page of another origin can send other types without being asked.
fn require_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Refusal::new(415, "unsupported_media_type", "Send the header \"Content-Type: application/json\""))
}

fn require_version(headers: &HeaderMap) -> Result<(), Refusal> {
    match headers.get(&VERSION).map(|version| version.to_str().unwrap_or_default()) {
        Some(version) if !is_known_version(version) => Err(Refusal::new(
            400,
            "unsupported_version",
            "The header MCP-Protocol-Version names a version that this server does not speak: send the one that \
             initialize answered",
        )),
        _ => Ok(()),
    }
}

async fn read(body: Incoming) -> Result<String, Refusal> {
    let whole = time::timeout(BODY_TIME, Limited::new(body, MAX_BODY_BYTES).collect()).await;
    match whole {
        Ok(Ok(body)) => Ok(String::from_utf8_lossy(&body.to_bytes()).into_owned()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let text = format!("The body is longer than {MAX_BODY_BYTES} bytes: send it in parts");
            Err(Refusal::new(413, "too_large", &text).with_header("Connection", "close"))
        }
        Ok(Err(_)) => Err(Refusal::new(400, "unreadable", "The body of the request cannot be read")),
        Err(_) => {
            Err(Refusal::new(408, "too_slow", "The body was not sent in time")
                .with_header("Connection", "close"))
        }
    }
}

fn stopping() -> Refusal {
    let text = "This server is shutting down: send the request again, to another one or later";
    Refusal::new(503, "stopping", text).with_header("Connection", "close")
}

fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let body = json!({"error": refusal.error, "code": refusal.code}).to_string();
    let mut response = response(refusal.status, body);
    if let Some((name, value)) = refusal.header {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("refusals name valid headers");
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn response(status: u16, body: String) -> Response<Full<Bytes>> {
    let has_body = !body.is_empty();
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = hyper::StatusCode::from_u16(status).expect("it is a status of HTTP");
    if has_body {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}
