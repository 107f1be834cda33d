//! What a client takes as the response to a request, by its `Accept` header (RFC 9110, section 12.5.1).

use hyper::HeaderMap;
use hyper::header::ACCEPT;

use super::refusal::Refusal;

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// The types of responses that a client takes: any without the header, as programs that are no client of MCP send their
/// requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptedTypes {
    /// JSON.
    pub json: bool,
    /// A stream of events.
    pub stream: bool,
}

impl AcceptedTypes {
    /// Reads the header.
    pub fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let accept = lines.collect::<Vec<_>>().join(",").to_ascii_lowercase();
        Self { json: takes(&accept, JSON), stream: takes(&accept, STREAM) }
    }
}

/// The refusal of a request whose client takes no response of this server.
pub fn refusal() -> Refusal {
    Refusal::new(406, "not_acceptable", &format!("Send the header \"Accept: {JSON}, {STREAM}\""))
}

/// Whether a header in lower case accepts a type. The range that names it most exactly counts.
fn takes(accept: &str, name: &str) -> bool {
    let kind = name.split('/').next().unwrap_or_default();
    let any_of_kind = format!("{kind}/*");
    let mut counts = None;
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let exactness = match parts.next().unwrap_or_default() {
            "" => continue,
            given if given == name => 3,
            given if given == any_of_kind => 2,
            "*/*" => 1,
            _ => 0,
        };
        if counts.is_none_or(|(most, _)| exactness >= most) {
            counts = Some((exactness, exactness > 0 && !parts.any(is_zero)));
        }
    }
    counts.is_none_or(|(_, is_taken)| is_taken)
}

/// Whether a parameter is a weight of zero.
fn is_zero(parameter: &str) -> bool {
    let digits = parameter.strip_prefix("q=0").map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    digits.is_some_and(|digits| digits.bytes().all(|digit| digit == b'0'))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn the_header_says_which_types_are_taken() {
        for (accept, json, stream) in [
            ("", true, true),
            ("*/*", true, true),
            ("application/json, text/event-stream", true, true),
            ("APPLICATION/JSON;q=0.5,Text/Event-Stream ; q=0.1", true, true),
            ("application/json", true, false),
            ("text/event-stream", false, true),
            ("application/*", true, false),
            ("application/*, text/*", true, true),
            ("*/*, application/json;q=0.0", false, true),
            ("application/json;q=0, text/event-stream", false, true),
            ("text/html", false, false),
            ("application/jsonx", false, false),
            ("*/*;q=0", false, false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(AcceptedTypes::of(&headers), AcceptedTypes { json, stream }, "{accept}");
        }
        assert_eq!(AcceptedTypes::of(&HeaderMap::new()), AcceptedTypes { json: true, stream: true });
        let mut headers = HeaderMap::new();
        headers.append(ACCEPT, HeaderValue::from_static(JSON));
        headers.append(ACCEPT, HeaderValue::from_static(STREAM));
        assert_eq!(AcceptedTypes::of(&headers), AcceptedTypes { json: true, stream: true });
    }
}
