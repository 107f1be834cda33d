//! Why a request is rejected.

/// A response other than an answer of MCP.
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
}

impl Refusal {
    /// A refusal without additional headers.
    pub fn new(status: u16, code: &'static str, error: &str) -> Refusal {
        Refusal { status, code, error: error.to_owned(), header: None }
    }

    /// The same with a header.
    pub fn with_header(mut self, name: &'static str, value: &'static str) -> Refusal {
        self.header = Some((name, value));
        self
    }
}
