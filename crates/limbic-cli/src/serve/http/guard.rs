//! Access control: accepts only requests that are addressed to this server and carry its token.

use std::net::IpAddr;

use hyper::header::{AUTHORIZATION, HOST, ORIGIN};
use hyper::{HeaderMap, Uri};

use super::access::Access;
use super::options::HttpSettings;
use super::refusal::Refusal;
use crate::tokens::random_text;

const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Checks the host, the origin and the token of requests.
pub struct Guard {
    /// The server's own token of MCP clients.
    pub token: String,
    /// The server's own token of the explorer.
    pub page_token: String,
    digest: blake3::Hash,
    page_digest: blake3::Hash,
    names: Vec<String>,
    takes_addresses: bool,
    public_origin: Option<String>,
}

impl Guard {
    /// Creates a guard with the server's own tokens; those that the settings omit are random.
    pub fn new(settings: &HttpSettings) -> Guard {
        let token = settings.token.clone().unwrap_or_else(random_text);
        let page_token = settings.page_token.clone().unwrap_or_else(random_text);
        let host = settings.host.to_lowercase();
        let takes_addresses = !is_loopback(&host);
        let bound = if host.contains(':') { format!("[{host}]") } else { host };
        let machine = takes_addresses.then(|| gethostname::gethostname().to_string_lossy().to_lowercase());
        let names = LOOPBACK_NAMES.map(str::to_owned).into_iter().chain([bound]).chain(machine).collect();
        let digest = blake3::hash(token.as_bytes());
        Guard {
            page_digest: blake3::hash(page_token.as_bytes()),
            token,
            page_token,
            digest,
            names,
            takes_addresses,
            public_origin: settings.public_origin.clone(),
        }
    }

    /// A secret that servers with the same tokens share. Clients know their own token only.
    pub fn secret(&self, has_page: bool) -> String {
        let page_token = if has_page { self.page_token.as_str() } else { "" };
        format!("{} {page_token}", self.token)
    }

    /// Rejects requests with several `Host` headers (RFC 9112, section 3.2), since programs on the way could understand
    /// another host than this server, and those with a target that is neither a path nor a URL of HTTP.
    pub fn check_form(target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_of_http = matches!(target.scheme_str(), Some("http" | "https"));
        if headers.get_all(HOST).iter().nth(1).is_none() && (target.authority().is_none() || is_of_http) {
            return Ok(());
        }
        Err(Refusal::new(
            400,
            "ambiguous_host",
            "Name the host once, in one Host header: the target is a path or a URL of HTTP",
        ))
    }

    /// Rejects requests of pages from other origins, also through DNS rebinding (a foreign host name that resolves to
    /// this computer). The port is ignored, since it differs behind port forwarding. The host of a target that is a URL
    /// replaces that of the header (RFC 9112, section 3.2.2).
    pub fn check_origin(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let named = || headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let host = target.authority().map_or_else(named, |authority| authority.as_str());
        if !self.is_own_host(host) {
            return Err(Refusal::new(
                403,
                "wrong_host",
                "Unknown host name: use the address that the server printed when it started",
            ));
        }
        // The public address is reached by https alone.
        let is_public = self.is_public_host(&host.to_lowercase());
        let is_own = |origin: &str| {
            Some(origin) == self.public_origin.as_deref()
                || (!is_public && origin == format!("http://{host}"))
        };
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(()),
            (Some(origin), None) if origin.to_str().is_ok_and(is_own) => Ok(()),
            _ => Err(Refusal::new(403, "wrong_origin", "Requests of pages from another origin are rejected")),
        }
    }

    /// The token of a request.
    pub fn shown(headers: &HeaderMap) -> Option<&str> {
        headers.get(AUTHORIZATION).and_then(|value| bearer(value.to_str().ok()?))
    }

    /// The access of one of the server's own tokens.
    pub fn own(&self, shown: &str) -> Option<Access> {
        // Hashes are compared in constant time.
        let given = blake3::hash(shown.as_bytes());
        let (is_for_agents, is_for_explorer) = (given == self.digest, given == self.page_digest);
        let holder = if is_for_agents { "agents" } else { "explorer" };
        (is_for_agents || is_for_explorer).then(|| Access {
            holder: holder.to_owned(),
            token: None,
            is_for_agents,
            is_for_explorer,
        })
    }

    /// The refusal of a request without a token, or with one that is not valid.
    pub fn unauthorized(shown: Option<&str>) -> Refusal {
        let what =
            if shown.is_some() { "The token is wrong, revoked or expired" } else { "The token is missing" };
        let text = format!(
            "{what}: send the header \"Authorization: Bearer TOKEN\" with the token that the server was given or made when \
             it started, or one of limbic token create"
        );
        Refusal::new(401, "unauthorized", &text).with_header("WWW-Authenticate", "Bearer")
    }

    /// Whether a host in lower case is that of the public address, with its port or without the usual one.
    fn is_public_host(&self, host: &str) -> bool {
        let public = self.public_origin.as_deref().and_then(|origin| origin.strip_prefix("https://"));
        public.is_some_and(|public| public == host || host.strip_suffix(":443") == Some(public))
    }

    fn is_own_host(&self, host: &str) -> bool {
        let host = host.to_lowercase();
        // A proxy passes on its own name, or the address that it connects to.
        if self.is_public_host(&host) {
            return true;
        }
        let Some(name) = host_name(&host) else { return false };
        // A numeric address cannot be rebound.
        let address = name.trim_start_matches('[').trim_end_matches(']');
        self.names.iter().any(|own| own == name)
            || (self.takes_addresses && address.parse::<IpAddr>().is_ok())
    }
}

/// Whether a host is reachable from this computer only.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The host of `host`, `host:port`, `[address]` or `[address]:port`.
fn host_name(host: &str) -> Option<&str> {
    let end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, rest) = host.split_at(end);
    let port = rest.strip_prefix(':');
    let is_port = rest.is_empty()
        || port.is_some_and(|port| {
            port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
        });
    (is_port && !name.is_empty()).then_some(name)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && !token.contains(' ')).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "correct-horse.battery~staple";

    fn guard(host: &str, public_origin: Option<&str>) -> Guard {
        let public_origin = public_origin.map(str::to_owned);
        let token = Some(TOKEN.to_owned());
        Guard::new(&HttpSettings { host: host.to_owned(), token, public_origin, ..HttpSettings::default() })
    }

    fn headers(pairs: &[(hyper::header::HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().expect("it is a header's value")))
            .collect()
    }

    #[test]
    fn only_names_of_this_server_are_taken() {
        let takes = |guard: &Guard, host| {
            guard.check_origin(&Uri::from_static("/mcp"), &headers(&[(HOST, host)])).is_ok()
        };
        let own = guard("127.0.0.1", None);
        for host in ["127.0.0.1:3000", "localhost:1", "LOCALHOST", "[::1]:3000"] {
            assert!(takes(&own, host), "{host}");
        }
        for host in [
            "",
            "evil.example:3000",
            "127.0.0.1.evil.example",
            "localhost.:1",
            "192.168.0.1:1",
            "@",
            "[::1",
            "localhost:",
            "localhost:x",
        ] {
            assert!(!takes(&own, host), "{host}");
        }
        let open = guard("0.0.0.0", None);
        assert!(
            takes(&open, "192.168.0.1:1") && takes(&open, "[fe80::1]:1") && !takes(&open, "evil.example")
        );
        let public = guard("127.0.0.1", Some("https://memory.example"));
        assert!(takes(&public, "memory.example") && !takes(&public, "memory.example:8"));
        assert!(takes(&public, "Memory.example:443") && !takes(&public, "memory.example:80"));
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let public = guard("127.0.0.1", Some("https://memory.example"));
        let takes = |origin| {
            public
                .check_origin(
                    &Uri::from_static("/mcp"),
                    &headers(&[(HOST, "127.0.0.1:3000"), (ORIGIN, origin)]),
                )
                .is_ok()
        };
        assert!(takes("http://127.0.0.1:3000") && takes("https://memory.example"));
        let proxied = |host: &str, origin: &str| {
            public
                .check_origin(&Uri::from_static("/mcp"), &headers(&[(HOST, host), (ORIGIN, origin)]))
                .is_ok()
        };
        for host in ["memory.example", "memory.example:443"] {
            assert!(
                proxied(host, "https://memory.example") && !proxied(host, &format!("http://{host}")),
                "{host}"
            );
        }
        for origin in ["http://evil.example", "null", "https://127.0.0.1:3000", "http://127.0.0.1:3001"] {
            assert!(!takes(origin), "{origin}");
        }
        for second in ["http://evil.example", "http://127.0.0.1:3000"] {
            let pairs = [(HOST, "127.0.0.1:3000"), (ORIGIN, "http://127.0.0.1:3000"), (ORIGIN, second)];
            assert!(public.check_origin(&Uri::from_static("/mcp"), &headers(&pairs)).is_err(), "{second}");
        }
    }

    #[test]
    fn a_request_names_its_host_once() {
        let takes = |target: &str, hosts: &[&str]| {
            let pairs: Vec<_> = hosts.iter().map(|host| (HOST, *host)).collect();
            Guard::check_form(&target.parse().expect("a target"), &headers(&pairs)).is_ok()
        };
        assert!(takes("/mcp", &["127.0.0.1:3000"]) && takes("/mcp?a=http://b", &["127.0.0.1:3000"]));
        assert!(!takes("/mcp", &["127.0.0.1:3000", "evil.example"]));
        assert!(!takes("/mcp", &["127.0.0.1:3000", "127.0.0.1:3000"]));
        assert!(takes("http://127.0.0.1:3000/mcp", &["127.0.0.1:3000"]));
        assert!(!takes("http://127.0.0.1:3000/mcp", &["127.0.0.1:3000", "127.0.0.1:3000"]));
        assert!(!takes("ftp://127.0.0.1:3000/mcp", &["127.0.0.1:3000"]));
        assert!(!takes("127.0.0.1:3000", &["127.0.0.1:3000"]));
    }

    #[test]
    fn the_host_of_a_target_replaces_that_of_the_header() {
        let guard = guard("127.0.0.1", None);
        let takes = |target: &str, host: &str, origin: Option<&str>| {
            let pairs: Vec<_> = [(HOST, host)].into_iter().chain(origin.map(|it| (ORIGIN, it))).collect();
            guard.check_origin(&target.parse().expect("a target"), &headers(&pairs)).is_ok()
        };
        assert!(takes("http://127.0.0.1:3000/mcp", "127.0.0.1:3000", None));
        assert!(takes("http://localhost:3000/mcp", "evil.example", None));
        assert!(takes("http://localhost:3000/mcp", "127.0.0.1:3000", Some("http://localhost:3000")));
        assert!(!takes("http://localhost:3000/mcp", "127.0.0.1:3000", Some("http://127.0.0.1:3000")));
        assert!(!takes("http://evil.example/mcp", "127.0.0.1:3000", None));
        assert!(!takes("http://127.0.0.1@evil.example/mcp", "127.0.0.1:3000", None));
        assert!(!takes("http://evil.example@127.0.0.1/mcp", "127.0.0.1:3000", None));
    }

    #[test]
    fn only_the_token_is_taken() {
        let guard = guard("127.0.0.1", None);
        let takes = |value: &str| {
            Guard::shown(&headers(&[(AUTHORIZATION, value)])).is_some_and(|shown| guard.own(shown).is_some())
        };
        assert!(takes(&format!("Bearer {TOKEN}")) && takes(&format!("bearer  {TOKEN} ")));
        for value in
            ["Bearer", "Bearer ", "Bearer wrong", &format!("Bearer {TOKEN}x"), &format!("Basic {TOKEN}")]
        {
            assert!(!takes(value), "{value}");
        }
        assert!(Guard::shown(&HeaderMap::new()).is_none());
    }
}
