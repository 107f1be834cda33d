//! Answers to requests of protocol 2026-07-28, each of which is served by itself.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use hyper::Response;
use hyper::header::{CONNECTION, HeaderValue};
use tokio::sync::mpsc::{self, Receiver};
use tokio::{task, time};

use super::accept;
use super::access::Access;
use super::access_cache::CachedAccess;
use super::body::ResponseBody;
use super::event_stream::{self, COMMENT_INTERVAL};
use super::modern_request::ModernRequest;
use super::pending::{MAX_UNREAD, Part, Pending};
use super::refusal::Refusal;
use super::response::{Answered, json_response};
use super::sessions;
use super::{Endpoint, client};
use crate::serve::envelope::Cache;
use crate::serve::message::{self, METHOD_NOT_FOUND};

/// The method of streams that stay open.
const LISTEN: &str = "subscriptions/listen";
/// Maximum length of the body of such a request.
const MAX_LISTEN_BYTES: usize = 64 * 1024;

impl Endpoint {
    /// Answers a request without a session.
    pub async fn answer_modern(
        &self,
        request: ModernRequest<'_>,
        access: &Access,
        cached: &CachedAccess,
    ) -> Answered {
        let ModernRequest { id, method, envelope, text, owner, bytes, accepted } = request;
        let of_request = |refusal: Refusal| refusal.of_request(id);
        let cache = if access.token.is_some() { Cache::OwnList } else { Cache::List };
        match cached.protocol.answer_modern(method, cache) {
            Some(Ok(result)) => return Ok(json_response(200, message::answer(id, &result))),
            Some(Err(reason)) => {
                let status = if reason.code == METHOD_NOT_FOUND { 404 } else { 200 };
                let refusal = message::Refusal { id: Some(id), reason };
                return Ok(json_response(status, message::refusal(&refusal)));
            }
            None => {}
        }
        if method == LISTEN && text.len() > MAX_LISTEN_BYTES {
            let text = format!(
                "A request that listens has at most {MAX_LISTEN_BYTES} bytes: name the resources in several requests"
            );
            return Err(of_request(Refusal::new(413, "too_large", &text)));
        }
        if method == LISTEN && !accepted.stream {
            return Err(of_request(accept::refusal()));
        }
        let session = sessions::of_request(&envelope.client, &access.holder);
        let open = self.enter(&session.id, owner).map_err(of_request)?;
        let observed = (method == "tools/call").then(|| self.observe(&session, access)).flatten();
        let (sent, mut parts) = mpsc::channel(MAX_UNREAD);
        let pending = Pending { sent, observed, is_stream: true, bytes: Some(Arc::new(bytes)), _open: open };
        self.ask(text, client(session, access, cached), Some(envelope), pending).map_err(of_request)?;
        let mut next = self.next_part(access, &mut parts).await.map_err(of_request)?;
        while !accepted.stream && matches!(next, Part::Notification(_)) {
            next = self.next_part(access, &mut parts).await.map_err(of_request)?;
        }
        match next {
            Part::Answer(answer) => {
                let mut response = json_response(200, answer);
                // The refusal of a stream: its client, which may have opened many, leaves no connection behind.
                if method == LISTEN {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok(response)
            }
            Part::Notification(first) => Ok(self.stream(access, first, parts)),
        }
    }

    /// A response that ends with the answer, after notifications.
    fn stream(&self, access: &Access, first: String, mut parts: Receiver<Part>) -> Response<ResponseBody> {
        let (sender, events) = mpsc::channel(1);
        task::spawn(async move {
            let mut next = Part::Notification(first);
            loop {
                let (text, is_last) = match next {
                    Part::Notification(text) => (text, false),
                    Part::Answer(text) => (text, true),
                };
                if sender.send(event_stream::event(&text)).await.is_err() || is_last {
                    return;
                }
                next = loop {
                    let mut gone = pin!(sender.closed());
                    let part = poll_fn(|context| match gone.as_mut().poll(context) {
                        Poll::Ready(()) => Poll::Ready(None),
                        Poll::Pending => parts.poll_recv(context),
                    });
                    match time::timeout(COMMENT_INTERVAL, part).await {
                        Ok(Some(part)) => break part,
                        Ok(None) => return,
                        Err(_) => drop(sender.send(event_stream::comment()).await),
                    }
                };
            }
        });
        event_stream::response(event_stream::while_current(&self.tokens, access, events))
    }
}
