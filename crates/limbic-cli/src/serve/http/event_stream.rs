//! Responses that are streams of events.

use std::time::Duration;

use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::{task, time};

use super::access::Access;
use super::body::ResponseBody;
use super::token_checks::CHECK_INTERVAL;
use super::token_lookups::TokenLookups;

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
pub fn while_current(tokens: &TokenLookups, access: &Access, mut events: Receiver<Bytes>) -> Receiver<Bytes> {
    let Some(token) = access.token.clone() else { return events };
    let (sender, passed) = mpsc::channel(1);
    let tokens = tokens.clone();
    task::spawn(async move {
        loop {
            if !tokens.is_current(&token).await || sender.is_closed() {
                return;
            }
            if pass_on(&mut events, &sender, CHECK_INTERVAL).await {
                return;
            }
        }
    });
    passed
}

/// Passes events on for this time: neither events of a busy server nor a client that does not read may put off what
/// comes next. Returns whether the stream has ended.
async fn pass_on(events: &mut Receiver<Bytes>, sender: &Sender<Bytes>, time: Duration) -> bool {
    let pass_on = async {
        // Both can be given up without losing an event.
        while let Ok(permit) = sender.reserve().await {
            let Some(event) = events.recv().await else { return };
            permit.send(event);
        }
    };
    time::timeout(time, pass_on).await.is_ok()
}

#[cfg(test)]
mod tests {
    use tokio::runtime;

    use super::*;

    #[test]
    fn a_client_that_does_not_read_puts_nothing_off_and_misses_nothing() {
        let (feed, mut events) = mpsc::channel(4);
        let (sender, mut passed) = mpsc::channel(1);
        for text in ["a", "b"] {
            feed.try_send(event(text)).expect("there is room");
        }
        let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let moment = Duration::from_millis(1);
            assert!(!pass_on(&mut events, &sender, moment).await, "the client has not read");
            assert_eq!(passed.try_recv(), Ok(event("a")));
            assert!(!pass_on(&mut events, &sender, moment).await, "more events may come");
            assert_eq!(passed.try_recv(), Ok(event("b")));
            drop(feed);
            assert!(pass_on(&mut events, &sender, moment).await, "no more events come");
            drop(passed);
            assert!(pass_on(&mut events, &sender, moment).await, "the client has gone");
        });
    }
}
