//! The explorer's files. They contain no secrets and need no token; the requests of the page do.

use std::collections::HashMap;
use std::env;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, bail};
use hyper::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue,
};
use hyper::{HeaderMap, Method, Response};
use tokio::task;

use super::body::ResponseBody;
use super::refusal::Refusal;
use super::response::Answered;

/// The policy that the page contains, and that no other page may embed it.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

const TYPES: [(&str, &str); 18] = [
    ("css", "text/css; charset=utf-8"),
    ("db", "application/vnd.sqlite3"),
    ("gif", "image/gif"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("jsonl", "application/x-ndjson"),
    ("map", "application/json"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff2", "font/woff2"),
];
const OTHER_TYPE: &str = "application/octet-stream";

/// The folder of the page beside the program, as its releases are packed.
const BESIDE_PROGRAM: &str = "ui";
/// The folder of the page in a clone that the program was built in.
const IN_CLONE: &str = "web/dist";
const INDEX: &str = "/index.html";
/// Minimum number of letters of the hash in a file's name.
const MIN_HASH_LETTERS: usize = 8;

/// The files that a folder contained when the server started, and no others.
pub struct Page {
    files: HashMap<String, File>,
}

struct File {
    path: PathBuf,
    bytes: u64,
    etag: String,
}

impl Page {
    /// The page of a folder; by default the one beside the program, or of the clone that it was built in.
    ///
    /// # Errors
    /// When there is no page in the folder.
    pub fn open(folder: Option<&Path>) -> Result<Self> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => usual_folder().unwrap_or_default(),
        };
        if !folder.join("index.html").is_file() {
            bail!(
                "the explorer is not part of this build: name its folder with --ui-dir, put it into the folder \
                 {BESIDE_PROGRAM:?} beside this program, or run `cargo xtask build`, which builds {IN_CLONE}; --http without \
                 --ui serves MCP alone"
            );
        }
        let mut files = HashMap::new();
        add(&mut files, &folder, "")
            .with_context(|| format!("the page cannot be read: {}", folder.display()))?;
        Ok(Self { files })
    }

    /// Serves the file of a request path.
    pub async fn answer(&self, method: &Method, path: &str, headers: &HeaderMap) -> Answered {
        if method != Method::GET && method != Method::HEAD {
            return Err(Refusal::method_not_allowed("GET, HEAD"));
        }
        let Some(file) = self.files.get(if path == "/" { INDEX } else { path }) else {
            return Err(Refusal::new(404, "not_found", "Not found: the explorer is at /, MCP at /mcp"));
        };
        let known = headers.get("if-none-match").and_then(|known| known.to_str().ok());
        let is_known = known == Some(&file.etag);
        let content = match method {
            &Method::GET if !is_known => {
                let path = file.path.clone();
                let read = task::spawn_blocking(move || fs::read(path)).await;
                read.ok().and_then(Result::ok).ok_or_else(|| {
                    let text =
                        "This file of the explorer is gone: the build was replaced, start the server again";
                    Refusal::new(404, "not_found", text)
                })?
            }
            _ => Vec::new(),
        };
        let mut response = Response::new(ResponseBody::from(content));
        let head = response.headers_mut();
        let cached = if is_hashed(path) { "public, max-age=31536000, immutable" } else { "no-cache" };
        head.insert(CACHE_CONTROL, HeaderValue::from_static(cached));
        head.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        head.insert(ETAG, HeaderValue::from_str(&file.etag).expect("digits are a value"));
        if is_known {
            *response.status_mut() = hyper::StatusCode::NOT_MODIFIED;
            return Ok(response);
        }
        head.insert(CONTENT_TYPE, HeaderValue::from_static(type_of(&file.path)));
        if method == Method::HEAD {
            head.insert(CONTENT_LENGTH, HeaderValue::from(file.bytes));
        }
        Ok(response)
    }
}

fn usual_folder() -> Option<PathBuf> {
    let program = env::current_exe().and_then(fs::canonicalize).ok()?;
    let beside = program.parent()?.join(BESIDE_PROGRAM);
    let is_clone = |folder: &&Path| folder.join("Cargo.toml").is_file() && folder.join("web").is_dir();
    let in_clone = || program.ancestors().skip(1).find(is_clone).map(|clone| clone.join(IN_CLONE));
    Some(beside).filter(|folder| folder.is_dir()).or_else(in_clone)
}

/// Adds the files of a folder and of those within. Links are not followed.
fn add(files: &mut HashMap<String, File>, folder: &Path, prefix: &str) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let (name, kind) = (format!("{prefix}/{name}"), entry.file_type()?);
        if kind.is_dir() {
            add(files, &entry.path(), &name)?;
        } else if kind.is_file() {
            let found = entry.metadata()?;
            files.insert(name, File { path: entry.path(), bytes: found.len(), etag: etag(&found) });
        }
    }
    Ok(())
}

fn etag(found: &Metadata) -> String {
    let changed = found.modified().ok().and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    format!("\"{:x}-{:x}\"", found.len(), changed.unwrap_or_default().as_millis())
}

fn type_of(path: &Path) -> &'static str {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    TYPES.iter().find(|(known, _)| *known == ending).map_or(OTHER_TYPE, |(_, name)| name)
}

/// Whether the name of a path contains a hash of the content.
fn is_hashed(path: &str) -> bool {
    let Some((stem, _)) = path.strip_prefix("/assets/").and_then(|name| name.rsplit_once('.')) else {
        return false;
    };
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let places = stem.match_indices(['.', '-']);
    places
        .map(|(at, _)| &stem[at + 1..])
        .any(|hash| hash.len() >= MIN_HASH_LETTERS && hash.chars().all(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_hash_are_cached_for_good() {
        for path in ["/assets/index-CqD3x_9a.js", "/assets/core.0123abcd.wasm"] {
            assert!(is_hashed(path), "{path}");
        }
        for path in ["/index.html", "/assets/index.js", "/service-worker-0123abcd.js", "/assets/a-short.js"] {
            assert!(!is_hashed(path), "{path}");
        }
    }
}
