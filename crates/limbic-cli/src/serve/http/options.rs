//! `--http`, `--token` and `--public-url`, as the Node server has them.

use anyhow::{Result, bail};
use clap::Args;

use crate::location::variable;

const LOOPBACK: &str = "127.0.0.1";
/// Shorter tokens can be guessed.
const MIN_TOKEN_CHARS: usize = 16;

/// How to serve over HTTP.
#[derive(Args, Clone, Default)]
pub struct HttpOptions {
    /// Serve MCP over HTTP at this port, and host unless it is 127.0.0.1, instead of standard input and output [env:
    /// LIMBIC_HTTP]
    #[arg(long, value_name = "[HOST:]PORT")]
    http: Option<String>,
    /// Token that clients of --http must send; all servers behind one proxy need the same [env: LIMBIC_TOKEN] [default:
    /// random, printed at the start]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Address of a proxy in front of --http, such as `https://memory.example` [env: LIMBIC_PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
}

/// [`HttpOptions`] resolved with the environment.
pub struct HttpSettings {
    /// The host to bind.
    pub host: String,
    /// 0 lets the system choose.
    pub port: u16,
    /// The token that clients must send; random if `None`.
    pub token: Option<String>,
    /// The origin under which clients reach a proxy in front of the server.
    pub public_origin: Option<String>,
}

impl HttpOptions {
    /// Resolves the options; `None` without `--http`.
    pub fn resolve(self) -> Result<Option<HttpSettings>> {
        let Some(address) = self.http.or_else(|| variable("LIMBIC_HTTP")) else {
            if self.token.is_some() || self.public_url.is_some() {
                bail!("--token and --public-url are for --http, which is missing");
            }
            return Ok(None);
        };
        let (host, port) = place(&address)?;
        let token = self.token.or_else(|| variable("LIMBIC_TOKEN"));
        token.as_deref().map(require_token).transpose()?;
        let public_url = self.public_url.or_else(|| variable("LIMBIC_PUBLIC_URL"));
        let public_origin = public_url.as_deref().map(origin).transpose()?;
        Ok(Some(HttpSettings { host, port, token, public_origin }))
    }
}

/// Parses `3000`, `0.0.0.0:3000` and `[::]:3000`.
fn place(text: &str) -> Result<(String, u16)> {
    let (host, port) = text.rsplit_once(':').unwrap_or((LOOPBACK, text));
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = !host.is_empty() && (bare.is_some() || !host.contains([':', '[', ']']));
    match port.parse() {
        Ok(port) if is_host => Ok((bare.unwrap_or(host).to_owned(), port)),
        _ => bail!(
            "--http needs a port up to 65535, or a host and a port as in 127.0.0.1:3000, but got {text:?}"
        ),
    }
}

/// Checks a token; the error does not repeat it.
fn require_token(token: &str) -> Result<()> {
    if token.len() < MIN_TOKEN_CHARS {
        bail!("--token needs at least {MIN_TOKEN_CHARS} characters, so that it cannot be guessed");
    }
    if !token.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._~+/=".contains(letter)) {
        bail!("--token may contain only letters, digits and - . _ ~ + / =, since it is sent in a header");
    }
    Ok(())
}

fn origin(text: &str) -> Result<String> {
    let host = text.strip_prefix("https://").map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    match host.filter(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' '])) {
        Some(host) => Ok(format!("https://{}", host.to_lowercase())),
        None => {
            bail!(
                "--public-url needs an address such as https://memory.example, without a path, but got {text:?}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_port_or_a_host_and_a_port() {
        for (text, host, port) in [
            ("3000", "127.0.0.1", 3000),
            ("0.0.0.0:1", "0.0.0.0", 1),
            ("[::1]:0", "::1", 0),
            ("db:65535", "db", 65535),
        ] {
            assert_eq!(place(text).expect("it is a place"), (host.to_owned(), port), "{text}");
        }
        for text in ["", "x", "65536", ":1", "a:b:1", "::1", "host:", "[::1]"] {
            assert!(place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_error_does_not_repeat_a_token() {
        for token in ["too-short", "sixteen letters or more"] {
            let told = require_token(token).expect_err("it is no token").to_string();
            assert!(!told.contains(token), "{told}");
        }
        assert!(require_token("correct-horse.battery~staple").is_ok());
    }

    #[test]
    fn a_public_address_has_no_path() {
        assert_eq!(origin("https://Memory.example/").expect("it is one"), "https://memory.example");
        for text in ["http://memory.example", "https://memory.example/a", "https://a@b", "https://", "x"] {
            assert!(origin(text).is_err(), "{text}");
        }
    }
}
