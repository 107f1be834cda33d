//! Rejections of requests.

use serde_json::json;
use serde_json::value::RawValue;

use crate::serve::stopping::STOPPING;

/// The code of a session that does not exist.
pub const SESSION_NOT_FOUND: &str = "session_not_found";
/// Its number in JSON-RPC, as in the official SDKs.
const SESSION_NOT_FOUND_NUMBER: i64 = -32001;
/// The number of other refusals.
const BAD_REQUEST_NUMBER: i64 = -32000;

/// When a client may try again.
const RETRY_SECONDS: &str = "5";

/// A rejection, as an HTTP response.
#[derive(Debug)]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// A stable code.
    pub code: &'static str,
    /// A sentence that states the next step.
    pub error: String,
    /// An additional header.
    pub header: Option<(&'static str, &'static str)>,
    /// The id of the request of JSON-RPC that is rejected, as received.
    pub id: Option<String>,
    /// Whether the connection is closed after the response.
    pub closes: bool,
}

impl Refusal {
    /// A refusal without additional headers.
    pub fn new(status: u16, code: &'static str, error: &str) -> Refusal {
        Refusal { status, code, error: error.to_owned(), header: None, id: None, closes: false }
    }

    /// The refusal of another method than these.
    pub fn method_not_allowed(methods: &'static str) -> Refusal {
        let text = format!("This address accepts only {methods}");
        Refusal::new(405, "method_not_allowed", &text).with_header("Allow", methods)
    }

    /// The refusal of what may be tried again a little later.
    pub fn retry_later(status: u16, code: &'static str, error: &str) -> Refusal {
        Refusal::new(status, code, error).with_header("Retry-After", RETRY_SECONDS)
    }

    /// Adds a response header.
    pub fn with_header(mut self, name: &'static str, value: &'static str) -> Refusal {
        self.header = Some((name, value));
        self
    }

    /// Adds the id of a JSON-RPC request, so that a client with several open requests knows which one failed.
    pub fn of_request(mut self, id: &RawValue) -> Refusal {
        self.id = Some(id.get().to_owned());
        self
    }

    /// Makes it the refusal of a message, whose id is null where it is not known.
    pub fn of_message(mut self) -> Refusal {
        self.id.get_or_insert_with(|| "null".to_owned());
        self
    }

    /// Closes the connection after the response.
    pub fn closing(mut self) -> Refusal {
        self.closes = true;
        self
    }

    /// The body of the response.
    pub fn body(&self) -> String {
        let Self { code, error, .. } = self;
        match &self.id {
            None => json!({"error": error, "code": code}).to_string(),
            Some(id) => {
                let number =
                    if *code == SESSION_NOT_FOUND { SESSION_NOT_FOUND_NUMBER } else { BAD_REQUEST_NUMBER };
                let error = json!({"code": number, "message": error, "data": {"code": code}});
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
            }
        }
    }
}

/// The refusal of a request that failed unexpectedly, which is logged.
pub fn internal(error: &anyhow::Error) -> Refusal {
    log!("HTTP: {error:#}");
    Refusal::new(500, "internal", "Internal error: please report it")
}

/// The refusal of a request to a server that ends.
pub fn stopping() -> Refusal {
    Refusal::new(503, "stopping", STOPPING).with_header("Connection", "close")
}
