//! `--http`, `--ui` and their options, as on the Node server.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use url::Url;

use limbic_memory::paths;

use crate::options::{or_variable, path_or};

const LOOPBACK: &str = "127.0.0.1";
/// The beginning of a socket's address.
const UNIX: &str = "unix:";
/// Minimum length of a token, so that it cannot be guessed.
const MIN_TOKEN_CHARS: usize = 16;

/// How to serve over HTTP.
#[derive(Args, Clone, Default)]
pub struct HttpOptions {
    /// Serve MCP over HTTP at this port, and host unless it is 127.0.0.1, instead of standard input and output; or on a
    /// Unix socket that only its owner can connect to, as in unix:/run/user/1000/memory.sock [env: LIMBIC_HTTP]
    #[arg(long, value_name = "[HOST:]PORT|unix:PATH")]
    http: Option<String>,
    /// Token that clients of --http must send; all servers behind one proxy need the same [env: LIMBIC_TOKEN] [default:
    /// random, in a file whose path is printed]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Serve the explorer, a web page for the memory, as well; at this port, or the one of --http [env: LIMBIC_UI]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "")]
    ui: Option<String>,
    /// Folder with the explorer's files [env: LIMBIC_UI_DIR] [default: "ui" beside this program, or web/dist of its
    /// clone]
    #[arg(long, value_name = "DIR")]
    ui_dir: Option<PathBuf>,
    /// Token of the explorer [env: LIMBIC_PAGE_TOKEN] [default: random, in a file whose path is printed]
    #[arg(long, value_name = "TOKEN")]
    page_token: Option<String>,
    /// Address of a proxy in front of --http, such as `https://memory.example` [env: LIMBIC_PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Folder whose files clients of --http may import; without it they import none [env: LIMBIC_IMPORT_DIR]
    #[arg(long, value_name = "DIR")]
    import_dir: Option<PathBuf>,
}

/// [`HttpOptions`] resolved with the environment.
#[derive(Clone, Default)]
pub struct HttpSettings {
    /// The host to bind.
    pub host: String,
    /// 0 lets the system choose.
    pub port: u16,
    /// The Unix socket to listen on, in place of host and port.
    pub socket: Option<PathBuf>,
    /// The token that clients must send; random if `None`.
    pub token: Option<String>,
    /// The token of the explorer; random if `None`.
    pub page_token: Option<String>,
    /// Whether the explorer is served as well.
    pub has_page: bool,
    /// The folder with the explorer's files, if it is not the default one.
    pub ui_dir: Option<PathBuf>,
    /// The origin under which clients reach a proxy in front of the server.
    pub public_origin: Option<String>,
    /// The folder whose files clients may import.
    pub import_dir: Option<PathBuf>,
}

impl HttpOptions {
    /// Resolves the options; `None` without `--http` and `--ui`.
    pub fn resolve(self) -> Result<Option<HttpSettings>> {
        let page = match self.ui.as_deref() {
            // As an option, 0 is a free port, as for --http; in a variable, it means no.
            Some("0") => Some(None),
            _ => page(or_variable(self.ui, "LIMBIC_UI")?)?,
        };
        let address = or_variable(self.http, "LIMBIC_HTTP")?;
        let address = address.map(|address| Place::parse(&address)).transpose()?;
        let (host, port, socket) = match (address, &page) {
            (Some(Place::Socket(_)), Some(Some(_))) => {
                bail!("--http names a socket and --ui a port: give one, MCP and the explorer share it")
            }
            (Some(Place::Socket(path)), _) => (LOOPBACK.to_owned(), 0, Some(path)),
            (Some(Place::Port(_, port)), Some(Some(other))) if port != *other => bail!(
                "--http and --ui name two ports, {port} and {other}: give one, MCP and the explorer share it"
            ),
            (Some(Place::Port(host, port)), _) => (host, port, None),
            (None, Some(port)) => (LOOPBACK.to_owned(), port.unwrap_or_default(), None),
            (None, None) => {
                let given = [
                    self.token.is_some(),
                    self.page_token.is_some(),
                    self.ui_dir.is_some(),
                    self.public_url.is_some(),
                    self.import_dir.is_some(),
                ];
                if given.contains(&true) {
                    bail!(
                        "--token, --page-token, --ui-dir, --public-url and --import-dir are for --http, which is missing"
                    );
                }
                return Ok(None);
            }
        };
        let token = or_variable(self.token, "LIMBIC_TOKEN")?;
        token.as_deref().map(|token| require_token(token, "--token")).transpose()?;
        let page_token = or_variable(self.page_token, "LIMBIC_PAGE_TOKEN")?;
        page_token.as_deref().map(|token| require_token(token, "--page-token")).transpose()?;
        if token.is_some() && token == page_token {
            bail!("--token and --page-token must differ: the token of an agent must not open the explorer");
        }
        let public_url = or_variable(self.public_url, "LIMBIC_PUBLIC_URL")?;
        let public_origin = public_url.as_deref().map(origin).transpose()?;
        Ok(Some(HttpSettings {
            host,
            port,
            socket,
            token,
            page_token,
            has_page: page.is_some(),
            ui_dir: folder(self.ui_dir, "--ui-dir", "LIMBIC_UI_DIR")?,
            public_origin,
            import_dir: folder(self.import_dir, "--import-dir", "LIMBIC_IMPORT_DIR")?,
        }))
    }
}

/// Parses `--ui`: whether there is a page, and its port if it names one. In a variable, 1 and 0 mean yes and no.
fn page(text: Option<String>) -> Result<Option<Option<u16>>> {
    let Some(text) = text else { return Ok(None) };
    if text.len() > 1 && text.bytes().all(|digit| digit.is_ascii_digit()) {
        return match text.parse() {
            Ok(port) => Ok(Some(Some(port))),
            Err(_) => bail!("--ui must be a port up to 65535, but got {text:?}"),
        };
    }
    match text.to_lowercase().as_str() {
        "" | "1" | "true" | "yes" | "on" => Ok(Some(None)),
        "0" | "false" | "no" | "off" => Ok(None),
        _ => bail!(
            "--ui (LIMBIC_UI) must be a port, or one of 1, true, yes, on, 0, false, no, off, but got {text:?}"
        ),
    }
}

/// The folder of an option or its variable.
fn folder(given: Option<PathBuf>, option: &'static str, name: &'static str) -> Result<Option<PathBuf>> {
    Ok(path_or(given, option, name).map(|(path, named)| paths::expanded(&path, named)).transpose()?)
}

/// Where to listen.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// At a host and port.
    Port(String, u16),
    /// On a Unix socket.
    Socket(PathBuf),
}

impl Place {
    /// Parses `3000`, `0.0.0.0:3000`, `[::]:3000` and `unix:PATH`.
    fn parse(text: &str) -> Result<Place> {
        if let Some(path) = text.strip_prefix(UNIX) {
            if path.is_empty() {
                bail!("--http needs a path after unix:, as in unix:/run/user/1000/memory.sock");
            }
            if !cfg!(unix) {
                bail!("--http unix:PATH is not available on this system: give a port");
            }
            return Ok(Place::Socket(paths::expanded(Path::new(path), "--http")?));
        }
        let (host, port) = text.rsplit_once(':').unwrap_or((LOOPBACK, text));
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = !host.is_empty() && (bare.is_some() || !host.contains([':', '[', ']']));
        match port.parse() {
            Ok(port) if is_host => Ok(Place::Port(bare.unwrap_or(host).to_owned(), port)),
            _ => bail!(
                "--http must be a port up to 65535, a host and a port as in 127.0.0.1:3000, or unix:PATH, but got \
                 {text:?}"
            ),
        }
    }
}

/// Checks a token; the error does not repeat it.
fn require_token(token: &str, option: &str) -> Result<()> {
    if token.len() < MIN_TOKEN_CHARS {
        bail!("{option} needs at least {MIN_TOKEN_CHARS} characters, so that it cannot be guessed");
    }
    let body = token.trim_end_matches('=');
    if body.is_empty()
        || !body.chars().all(|letter| letter.is_ascii_alphanumeric() || "-._~+/".contains(letter))
    {
        bail!(
            "{option} may contain only letters, digits and - . _ ~ + /, with = only at the end, since it is sent in a \
             header"
        );
    }
    Ok(())
}

/// The origin as browsers send it: the host in lower case and ASCII, without the usual port.
fn origin(text: &str) -> Result<String> {
    if text.contains('@') {
        // A password is not repeated.
        bail!(
            "--public-url must be an address such as https://memory.example, without a user and a password"
        );
    }
    let host = text.strip_prefix("https://").map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    let origin = host
        .filter(|host| !host.contains(['/', '\\', '?', '#']) && !host.contains(char::is_whitespace))
        .and_then(|host| Url::parse(&format!("https://{host}")).ok())
        .map(|url| url.origin().ascii_serialization());
    match origin {
        Some(origin) => Ok(origin),
        None => {
            bail!(
                "--public-url must be an address such as https://memory.example, without a path, but got {text:?}"
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
            let place = Place::parse(text).expect("it is an address");
            assert_eq!(place, Place::Port(host.to_owned(), port), "{text}");
        }
        for text in ["", "x", "65536", ":1", "a:b:1", "::1", "host:", "[::1]", "unix:"] {
            assert!(Place::parse(text).is_err(), "{text}");
        }
        #[cfg(unix)]
        assert_eq!(
            Place::parse("unix:/run/memory.sock").expect("it is a socket"),
            Place::Socket("/run/memory.sock".into())
        );
    }

    #[test]
    fn a_page_has_the_port_that_it_names() {
        let parsed = |text: &str| page(Some(text.to_owned()));
        for (text, found) in [
            ("", Some(None)),
            ("1", Some(None)),
            ("yes", Some(None)),
            ("0", None),
            ("8080", Some(Some(8080))),
        ] {
            assert_eq!(parsed(text).expect("it is one"), found, "{text}");
        }
        for text in ["70000", "maybe", "-1"] {
            assert!(parsed(text).is_err(), "{text}");
        }
        assert_eq!(page(None).expect("there need not be one"), None);
    }

    #[test]
    fn as_an_option_a_page_at_port_0_has_a_free_port() {
        let options = HttpOptions { ui: Some("0".to_owned()), ..HttpOptions::default() };
        let settings = options.resolve().expect("the options fit").expect("it serves the page");
        assert!(settings.has_page && settings.port == 0);
    }

    #[test]
    fn an_error_does_not_repeat_a_token() {
        for token in ["too-short", "sixteen letters or more", "an=sign=in=the=middle", "================="] {
            let error = require_token(token, "--token").expect_err("it is not a token").to_string();
            assert!(!error.contains(token), "{error}");
        }
        for token in ["correct-horse.battery~staple", "YSB0b2tlbiBpbiBiYXNlNjQ="] {
            assert!(require_token(token, "--token").is_ok(), "{token}");
        }
    }

    #[test]
    fn a_public_address_has_no_path() {
        for text in ["http://memory.example", "https://memory.example/a", "https://a@b", "https://", "x"] {
            assert!(origin(text).is_err_and(|error| !error.to_string().contains("a@b")), "{text}");
        }
    }

    #[test]
    fn a_public_address_is_the_origin_that_browsers_send() {
        for (text, sent) in [
            ("https://Memory.Example/", "https://memory.example"),
            ("https://memory.example:443", "https://memory.example"),
            ("https://memory.example:8443/", "https://memory.example:8443"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]"),
        ] {
            assert_eq!(origin(text).expect("it is one"), sent);
        }
        for text in ["https://memory.example:99999", "https://memory .example", "https://a\\b"] {
            assert!(origin(text).is_err(), "{text}");
        }
    }
}
