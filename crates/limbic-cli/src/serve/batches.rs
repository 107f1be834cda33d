//! Batches of JSON-RPC, which only protocol 2025-03-26 has: several messages in a line or a body, and their responses
//! as one list.

use std::fmt;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::envelope::envelope_of;
use super::message::{self, INVALID_REQUEST, Message, Refusal, Refused, without_mark};

/// The only version of the protocol with batches.
pub const BATCH_VERSION: &str = "2025-03-26";
/// Maximum number of messages, as on Node.
const MAX_MESSAGES: usize = 100;

/// The messages of a batch.
#[derive(Debug)]
pub struct Members<'a> {
    /// Each message as received; one more than the maximum if there are more.
    messages: Vec<&'a RawValue>,
}

/// Returns the messages of a batch; `None` if the text is not a JSON array.
pub fn members(text: &str) -> Option<Members<'_>> {
    let text = without_mark(text);
    // Other texts are not read twice.
    text.trim_start().starts_with('[').then_some(text).and_then(|text| serde_json::from_str(text).ok())
}

impl<'a> Members<'a> {
    /// The messages, in their order.
    ///
    /// # Errors
    /// If there are none, or too many.
    pub fn checked(self) -> Result<Vec<&'a RawValue>, Refused> {
        match self.messages.len() {
            0 => Err(Refused::new(INVALID_REQUEST, "A batch must contain a message")),
            count if count > MAX_MESSAGES => Err(Refused::new(
                INVALID_REQUEST,
                format!("A batch has at most {MAX_MESSAGES} messages: send several"),
            )),
            _ => Ok(self.messages),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;

        impl<'de> Visitor<'de> for List {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut messages = Vec::new();
                while messages.len() <= MAX_MESSAGES
                    && let Some(message) = list.next_element()?
                {
                    messages.push(message);
                }
                // A long list of short values would take many times its own bytes.
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Members { messages })
            }
        }

        deserializer.deserialize_seq(List)
    }
}

/// Parses a message of a batch. The initialisation is no part of one, nor are requests of protocol 2026-07-28.
pub fn read_member(text: &str) -> Result<Message<'_>, Refusal<'_>> {
    let refuse = |id, reason: &str| Err(Refusal { id, reason: Refused::new(INVALID_REQUEST, reason) });
    if text.starts_with('[') {
        return refuse(None, "A message must be a JSON object");
    }
    match message::read(text)? {
        Message::Request { id, method, .. } if method == "initialize" => {
            refuse(Some(id), "The request initialize cannot be part of a batch")
        }
        Message::Request { id, params, .. } if !matches!(envelope_of(params), Ok(None)) => {
            refuse(Some(id), "A request that names a version of the protocol cannot be part of a batch")
        }
        message => Ok(message),
    }
}

/// The responses as a list.
pub fn list(responses: &[String]) -> String {
    format!("[{}]", responses.join(","))
}

/// Collects the responses to a batch. They are passed on as one list when the last clone has gone: each request has
/// one until it is answered, or dropped because it was cancelled. A batch without responses has no list.
#[derive(Clone)]
pub struct Batch(Arc<Collected>);

struct Collected {
    responses: Mutex<Vec<String>>,
    write: fn(&str) -> io::Result<()>,
}

impl Batch {
    /// Without responses.
    ///
    /// # Arguments
    /// * `write` - receives the list.
    pub fn new(write: fn(&str) -> io::Result<()>) -> Self {
        Self(Arc::new(Collected { responses: Mutex::default(), write }))
    }

    /// Adds the response to a request.
    ///
    /// # Errors
    /// If it is the last one, and the list cannot be written.
    pub fn answer(self, response: String) -> io::Result<()> {
        self.0.responses.lock().unwrap_or_else(PoisonError::into_inner).push(response);
        self.end()
    }

    /// Ends the part of a batch that this clone stands for.
    ///
    /// # Errors
    /// As [`Batch::answer`].
    pub fn end(self) -> io::Result<()> {
        Arc::into_inner(self.0).map_or(Ok(()), |mut collected| collected.pass_on())
    }
}

impl Collected {
    fn pass_on(&mut self) -> io::Result<()> {
        let responses = mem::take(self.responses.get_mut().unwrap_or_else(PoisonError::into_inner));
        if responses.is_empty() { Ok(()) } else { (self.write)(&list(&responses)) }
    }
}

impl Drop for Collected {
    fn drop(&mut self) {
        // A client that no longer reads has disconnected, which the next response notices.
        let _ = self.pass_on();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        static WRITTEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    fn write(line: &str) -> io::Result<()> {
        WRITTEN.with_borrow_mut(|lines| lines.push(line.to_owned()));
        Ok(())
    }

    fn written() -> Vec<String> {
        WRITTEN.take()
    }

    #[test]
    fn the_responses_are_one_list_when_the_last_request_is_answered_or_cancelled() {
        let batch = Batch::new(write);
        let [first, second, cancelled] = [batch.clone(), batch.clone(), batch.clone()];
        batch.end().expect("nothing is written");
        second.answer("2".to_owned()).expect("nothing is written");
        first.answer("1".to_owned()).expect("nothing is written");
        assert!(written().is_empty());
        drop(cancelled);
        assert_eq!(written(), ["[2,1]"]);
        let batch = Batch::new(write);
        let last = batch.clone();
        batch.end().expect("nothing is written");
        last.answer("3".to_owned()).expect("it is written");
        assert_eq!(written(), ["[3]"], "once");
        drop(Batch::new(write).clone());
        assert!(written().is_empty(), "notifications have no responses");
    }

    #[test]
    fn only_lists_are_batches_and_they_have_limits() {
        for text in ["", "{}", "[1", "[1]]", "\"[]\"", "{\"a\":[]}"] {
            assert!(members(text).is_none(), "{text}");
        }
        let count = |text: &str| {
            let checked = members(text).expect("it is a list").checked();
            checked.map(|messages| messages.len()).map_err(|refused| (refused.code, refused.message))
        };
        let of = |count: usize| format!(" [{}] ", vec!["7"; count].join(", "));
        assert_eq!(count(&of(1)), Ok(1));
        assert_eq!(count("\u{feff}[{\"a\": \"\\ud800\"}, []]"), Ok(2), "each is read by itself");
        assert_eq!(count(&of(MAX_MESSAGES)), Ok(MAX_MESSAGES));
        for (text, told) in
            [("[]".to_owned(), "must contain"), (of(MAX_MESSAGES + 5), "at most 100 messages")]
        {
            let (code, message) = count(&text).expect_err("it is refused");
            assert!(code == INVALID_REQUEST && message.contains(told), "{message}");
        }
    }

    #[test]
    fn a_member_is_a_message_other_than_the_initialisation() {
        let refused = |text: &str| {
            let refusal = read_member(text).expect_err(text);
            (refusal.id.map_or("null", RawValue::get).to_owned(), refusal.reason.code)
        };
        for (text, id) in [
            ("[]", "null"),
            ("7", "null"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, "1"),
            (
                r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
                "2",
            ),
        ] {
            assert_eq!(refused(text), (id.to_owned(), INVALID_REQUEST), "{text}");
        }
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert!(matches!(read_member(ping), Ok(Message::Request { .. })));
    }
}
