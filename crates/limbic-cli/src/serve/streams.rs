//! Streams of notifications, which clients of protocol 2026-07-28 ask for (`subscriptions/listen`).

use std::collections::HashSet;
use std::io;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::envelope::{SUBSCRIPTION_ID, stream_ended};
use super::members::{is_object, params_of};
use super::message::{self, INTERNAL_ERROR, INVALID_PARAMS, Refusal, Refused, notification};
use super::reply::Reply;

/// Maximum number of open streams.
const MAX_STREAMS: usize = 64;
/// Maximum number of open streams of a token.
const MAX_HOLDER_STREAMS: usize = 16;
/// Maximum number of resources of a stream.
pub const MAX_URIS: usize = 256;
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The open streams.
#[derive(Default)]
pub struct Streams(Vec<Stream>);

struct Stream {
    /// The id of its request, as received.
    id: Box<RawValue>,
    /// Identifies the token of its client; empty for standard input.
    holder: String,
    /// The resources whose changes are sent, each once.
    uris: Vec<String>,
    reply: Reply,
}

/// The notifications to which a client subscribes. The lists never change while a server runs.
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

/// The notifications that a request asks for.
fn notifications_of(params: Option<&RawValue>) -> Result<Notifications, Refused> {
    let [asked] = params_of(params, ["notifications"]);
    let invalid = |text: String| Refused::new(INVALID_PARAMS, text);
    let Some(asked) = asked.filter(|asked| is_object(asked)) else {
        return Err(invalid("subscriptions/listen requires \"notifications\", a JSON object".to_owned()));
    };
    serde_json::from_str(asked.get()).map_err(|error| {
        invalid(format!("the \"notifications\" of subscriptions/listen are invalid: {error}"))
    })
}

impl Streams {
    /// Begins the stream of a request and acknowledges it. Without a resource that is known, nothing would ever be sent
    /// over HTTP, so that the stream ends at once.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn begin(
        &mut self,
        id: &RawValue,
        params: Option<&RawValue>,
        holder: &str,
        mut reply: Reply,
        is_known: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        self.remove_unread();
        let refuse = |reply: Reply, reason| reply.say(message::refusal(&Refusal { id: Some(id), reason }));
        if self.0.len() >= MAX_STREAMS {
            let text = format!("{MAX_STREAMS} streams of notifications are open: end one of them first");
            return refuse(reply, Refused::new(INTERNAL_ERROR, text));
        }
        if self.0.iter().filter(|stream| stream.holder == holder).count() >= MAX_HOLDER_STREAMS {
            let text = format!(
                "{MAX_HOLDER_STREAMS} streams of notifications are open for this token or client: end one of them first"
            );
            return refuse(reply, Refused::new(INTERNAL_ERROR, text));
        }
        let named = match notifications_of(params) {
            Ok(notifications) => notifications.resource_subscriptions,
            Err(reason) => return refuse(reply, reason),
        };
        if named.len() > MAX_URIS {
            let text = format!(
                "resourceSubscriptions names {} resources, and a stream has at most {MAX_URIS}: open several streams",
                named.len()
            );
            return refuse(reply, Refused::new(INVALID_PARAMS, text));
        }
        reply.release_bytes();
        let mut seen = HashSet::new();
        let is_wanted = |uri: &String| is_known(uri) && seen.insert(uri.clone());
        let wanted: Vec<String> = named.into_iter().filter(is_wanted).collect();
        let mut accepted = json!({});
        if !wanted.is_empty() {
            accepted["resourceSubscriptions"] = json!(wanted);
        }
        let stream = Stream { id: id.to_owned(), holder: holder.to_owned(), uris: wanted, reply };
        stream.notify(ACKNOWLEDGED, &json!({"notifications": accepted}));
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

    /// Notifies every stream that its resources have changed. A stream whose client has not read its notifications gets
    /// no further ones, so that few are kept.
    pub fn notify(&mut self, method: &str) {
        self.remove_unread();
        // The last messages of a stream name its resources in turn, after the acknowledgement.
        for stream in self.0.iter().filter(|stream| stream.reply.unread() <= stream.uris.len()) {
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use limbic_tools::{Answer, IsAbandoned};

    use super::super::reply::Waiting;
    use super::*;

    /// Messages to a client, and how many of them it has read.
    #[derive(Default)]
    struct Inbox {
        messages: Vec<String>,
        read: usize,
        is_released: bool,
    }

    #[derive(Clone, Default)]
    struct Listener(Arc<Mutex<Inbox>>);

    impl Listener {
        fn inbox<T>(&self, look: impl FnOnce(&mut Inbox) -> T) -> T {
            look(&mut self.0.lock().expect("no test panics here"))
        }

        /// Reads everything. Returns how many messages were unread.
        fn read(&self) -> usize {
            self.inbox(|inbox| {
                let unread = inbox.messages.len() - inbox.read;
                inbox.read = inbox.messages.len();
                unread
            })
        }
    }

    impl Waiting for Listener {
        fn completed(&self, _: &str, _: &str, _: &Answer) {}

        fn notify(&self, message: String) {
            self.inbox(|inbox| inbox.messages.push(message));
        }

        fn unread(&self) -> usize {
            self.inbox(|inbox| inbox.messages.len() - inbox.read)
        }

        fn release_bytes(&mut self) {
            self.inbox(|inbox| inbox.is_released = true);
        }

        fn answer(self: Box<Self>, message: String) {
            self.notify(message);
        }

        fn is_gone(&self) -> bool {
            false
        }

        fn watch(&self) -> IsAbandoned {
            Arc::new(|| false)
        }
    }

    fn listen(streams: &mut Streams, holder: &str, uris: &[String]) -> Listener {
        let listener = Listener::default();
        let id = RawValue::from_string("1".to_owned()).expect("a number");
        let params = json!({"notifications": {"resourceSubscriptions": uris}}).to_string();
        let params = RawValue::from_string(params).expect("an object");
        let reply = Reply::Response(Box::new(listener.clone()));
        streams.begin(&id, Some(&params), holder, reply, |_| true).expect("nothing is written");
        listener
    }

    fn uris(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("memory://{number}")).collect()
    }

    #[test]
    fn a_client_that_does_not_read_is_told_once_more_when_it_has_read() {
        let mut streams = Streams::default();
        let listener = listen(&mut streams, "ada", &uris(3));
        assert!(listener.inbox(|inbox| inbox.is_released), "the text of the request is not kept");
        for _ in 0..1000 {
            streams.notify("updated");
        }
        let unread = listener.inbox(|inbox| inbox.messages.clone());
        assert!(unread.len() <= 7, "{unread:?}");
        assert!(uris(3).iter().all(|uri| unread.iter().any(|message| message.contains(uri))), "{unread:?}");
        listener.read();
        streams.notify("updated");
        assert_eq!(listener.read(), 3);
    }

    #[test]
    fn a_stream_names_each_resource_once_and_no_more_than_the_limit() {
        let mut streams = Streams::default();
        let listener = listen(&mut streams, "ada", &[uris(2), uris(2)].concat());
        streams.notify("updated");
        assert_eq!(listener.read(), 3, "the acknowledgement, and each once");
        assert_eq!(listen(&mut streams, "ada", &uris(MAX_URIS)).read(), 1);
        let refused = listen(&mut streams, "ada", &uris(MAX_URIS + 1));
        let received = refused.inbox(|inbox| inbox.messages.concat());
        assert!(received.contains("-32602") && received.contains("names 257 resources"), "{received}");
    }

    #[test]
    fn a_token_has_a_limit_of_open_streams() {
        let mut streams = Streams::default();
        let received = |listener: &Listener| listener.inbox(|inbox| inbox.messages.concat());
        for _ in 0..MAX_HOLDER_STREAMS {
            assert!(received(&listen(&mut streams, "ada", &uris(1))).contains(ACKNOWLEDGED));
        }
        let refused = received(&listen(&mut streams, "ada", &uris(1)));
        assert!(
            refused.contains("16 streams of notifications are open for this token or client"),
            "{refused}"
        );
        assert!(received(&listen(&mut streams, "ben", &uris(1))).contains(ACKNOWLEDGED));
    }
}
