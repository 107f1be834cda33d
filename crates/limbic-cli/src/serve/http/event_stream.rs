//! Responses that are streams of events.

use std::sync::Arc;
use std::time::Duration;

use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use tokio::sync::mpsc::{self, Receiver};
use tokio::{task, time};

use super::CHECK_INTERVAL;
use super::access::Access;
use super::body::ResponseBody;
use crate::tokens::Tokens;

/// A quiet stream gets a comment at this interval, which keeps connections open that a proxy would close.
pub const COMMENT_INTERVAL: Duration = Duration::from_secs(15);

/// An event.
///
/// # Arguments
/// * `text` - one line.
pub fn event(text: &str) -> Bytes {
    Bytes::from(format!("data: {text}\n\n"))
}

/// What is sent when there is nothing to say.
pub fn comment() -> Bytes {
    Bytes::from_static(b": still here\n\n")
}

/// The response with these events.
pub fn response(events: Receiver<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Passes events on as long as the access is valid: a named token may be revoked or expire.
pub fn while_current(tokens: &Arc<Tokens>, access: &Access, mut events: Receiver<Bytes>) -> Receiver<Bytes> {
    let Some(token) = access.token.clone() else { return events };
    let (sender, passed) = mpsc::channel(1);
    let tokens = tokens.clone();
    task::spawn(async move {
        loop {
            let (tokens, token) = (tokens.clone(), token.clone());
            let is_current = task::spawn_blocking(move || tokens.is_current(&token)).await;
            if matches!(is_current, Ok(Ok(false))) || sender.is_closed() {
                return;
            }
            // Events of a busy server must not put off the next check.
            let until = time::Instant::now() + CHECK_INTERVAL;
            while let Ok(event) = time::timeout_at(until, events.recv()).await {
                let Some(event) = event else { return };
                if sender.send(event).await.is_err() {
                    return;
                }
            }
        }
    });
    passed
}
