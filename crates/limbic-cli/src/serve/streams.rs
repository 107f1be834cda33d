//! Streams of notifications, which clients of protocol 2026-07-28 ask for (`subscriptions/listen`).

use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::envelope::{SUBSCRIPTION_ID, stream_ended};
use super::message::{self, INTERNAL_ERROR, INVALID_PARAMS, Refusal, Refused, notification};
use super::reply::Reply;

/// Maximum number of open streams.
const MAX_STREAMS: usize = 64;
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The open streams.
#[derive(Default)]
pub struct Streams(Vec<Stream>);

struct Stream {
    /// The id of its request, as received.
    id: Box<RawValue>,
    /// The resources whose changes are told.
    uris: Vec<String>,
    reply: Reply,
}

#[derive(Deserialize)]
struct Params {
    notifications: Notifications,
}

/// What a client wants to be told. The lists never change while a server runs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "checks the types of fields that have no effect")]
struct Notifications {
    #[serde(default)]
    tools_list_changed: bool,
    #[serde(default)]
    prompts_list_changed: bool,
    #[serde(default)]
    resources_list_changed: bool,
    #[serde(default)]
    resource_subscriptions: Vec<String>,
}

impl Streams {
    /// Begins the stream of a request and acknowledges it. Without a resource that is known, nothing would ever be told over
    /// HTTP, so that the stream ends at once.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn begin(
        &mut self,
        id: &RawValue,
        params: Option<&RawValue>,
        reply: Reply,
        is_known: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        self.remove_unread();
        let refuse = |reply: Reply, reason| reply.say(message::refusal(&Refusal { id: Some(id), reason }));
        if self.0.len() >= MAX_STREAMS {
            let text = format!("{MAX_STREAMS} streams of notifications are open: end one of them first");
            return refuse(reply, Refused::new(INTERNAL_ERROR, text));
        }
        let mut wanted = match serde_json::from_str::<Params>(params.map_or("{}", RawValue::get)) {
            Ok(params) => params.notifications.resource_subscriptions,
            Err(error) => {
                let text = format!("subscriptions/listen needs \"notifications\": {error}");
                return refuse(reply, Refused::new(INVALID_PARAMS, text));
            }
        };
        wanted.retain(|uri| is_known(uri));
        let mut told = json!({});
        if !wanted.is_empty() {
            told["resourceSubscriptions"] = json!(wanted);
        }
        let stream = Stream { id: id.to_owned(), uris: wanted, reply };
        stream.notify(ACKNOWLEDGED, &json!({"notifications": told}));
        if stream.uris.is_empty() && !stream.reply.is_output() {
            return stream.end();
        }
        self.0.push(stream);
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells every stream that its resources have changed.
    pub fn notify(&mut self, method: &str) {
        self.remove_unread();
        for stream in &self.0 {
            for uri in &stream.uris {
                stream.notify(method, &json!({"uri": uri}));
            }
        }
    }

    /// Ends a stream of the client on standard input without an answer.
    pub fn cancel(&mut self, id: &RawValue) {
        self.0.retain(|stream| !stream.reply.is_output() || stream.id.get() != id.get());
    }

    /// Forgets the streams of clients that have gone.
    pub fn remove_unread(&mut self) {
        self.0.retain(|stream| !stream.reply.is_unread());
    }

    /// Ends all streams with an answer.
    pub fn close(&mut self) {
        for stream in self.0.drain(..) {
            // A client that no longer reads has disconnected.
            let _ = stream.end();
        }
    }
}

impl Stream {
    fn notify(&self, method: &str, params: &Value) {
        let mut params = params.clone();
        params["_meta"] = json!({(SUBSCRIPTION_ID): self.id});
        self.reply.notify(notification(method, &params));
    }

    fn end(self) -> io::Result<()> {
        let result = stream_ended(&self.id);
        self.reply.say(message::answer(&self.id, &result))
    }
}
