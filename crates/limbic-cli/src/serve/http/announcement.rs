//! The messages about addresses and tokens when a server starts.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use super::guard::{Guard, is_loopback};
use super::options::HttpSettings;
use crate::options::data_folder;
use crate::tokens::{create_private, make_token_folder, token_folder};
use limbic_memory::location::Location;

/// The path of MCP.
pub const PATH: &str = "/mcp";
/// What the address of a socket begins with.
const UNIX: &str = "unix:";
/// Bytes of a digest in the name of a file.
const DIGEST_BYTES: usize = 4;

/// Prints to standard error how clients and browsers reach the server: `place` is its origin, or `unix:PATH`. Tokens
/// that the user has chosen are not shown. At a terminal the random ones are; elsewhere standard error may be a log
/// that others read, so that they are written to a file for the owner only.
///
/// # Errors
/// If that file cannot be written.
pub fn announce(
    settings: &HttpSettings,
    database: &Location,
    place: &str,
    guard: &Guard,
) -> Result<Announcement> {
    if !is_loopback(&settings.host) {
        log!(
            "other computers can reach {}:{}, and the connection is not encrypted: the token can be \
             intercepted",
            settings.host,
            place_name(place)
        );
    }
    if settings.public_origin.is_some() {
        log!("requests of the proxy are expected at {place}");
    }
    let origin = settings.public_origin.as_deref().unwrap_or(place);
    // A browser cannot connect to a Unix socket.
    let has_page = settings.has_page && origin.starts_with("http");
    let lines = |is_shown: bool| addresses(settings, origin, guard, has_page, is_shown);
    let has_random = settings.token.is_none() || (has_page && settings.page_token.is_none());
    let mut announcement = Announcement { written: None };
    let is_at_terminal = io::stderr().is_terminal();
    if has_random && !is_at_terminal {
        let path = file_for_owner(database, place)?;
        let text = format!("{}\n", lines(true).join("\n"));
        write(&path, &text).with_context(|| {
            format!(
                "its random token cannot be written to {}: set LIMBIC_TOKEN, and LIMBIC_PAGE_TOKEN for \
                 the explorer",
                path.display()
            )
        })?;
        log!("the tokens of this server are in {}", path.display());
        announcement.written = Some((path, text));
    }
    for line in lines(is_at_terminal) {
        log!("{line}");
    }
    Ok(announcement)
}

/// The file with the tokens, which is deleted when the server ends, unless the next server at this address has written
/// its own there.
pub struct Announcement {
    /// Its path and text.
    written: Option<(PathBuf, String)>,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        if let Some((path, text)) = &self.written
            && fs::read_to_string(path).is_ok_and(|found| found == *text)
        {
            let _ = fs::remove_file(path);
        }
    }
}

fn addresses(
    settings: &HttpSettings,
    origin: &str,
    guard: &Guard,
    has_page: bool,
    is_shown: bool,
) -> Vec<String> {
    let shown = |chosen: &Option<String>, own: &str| match chosen {
        None if is_shown => own.to_owned(),
        _ => "TOKEN".to_owned(),
    };
    let page = || format!("explorer: {origin}/#token={}", shown(&settings.page_token, &guard.page_token));
    let token = shown(&settings.token, &guard.token);
    let address = match origin.strip_prefix(UNIX) {
        Some(path) => format!("path {PATH} on the socket {path}"),
        None => format!("{origin}{PATH}"),
    };
    let mcp = format!("MCP over HTTP: {address} with the header \"Authorization: Bearer {token}\"");
    has_page.then(page).into_iter().chain([mcp]).collect()
}

/// The port of an origin; the name of a socket with a digest of its path, because sockets in several folders can have
/// the same name.
fn place_name(place: &str) -> String {
    let Some(path) = place.strip_prefix(UNIX) else {
        return place.rsplit(':').next().unwrap_or(place).to_owned();
    };
    let path = path::absolute(path).unwrap_or_else(|_| path.into());
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let digest = Sha256::digest(path.to_string_lossy().as_bytes());
    let digits: String = digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("{name}-{digits}")
}

/// The file for the owner: beside a database file; for a memory in a store, in the data folder.
fn file_for_owner(database: &Location, place: &str) -> Result<PathBuf> {
    let folder = match database.file() {
        Some(path) => token_folder(path),
        None => data_folder()?.join("limbic").join("servers"),
    };
    Ok(folder.join(format!("server-{}.txt", place_name(place))))
}

/// Replaces the file of an earlier server at this address.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_token_folder(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create_private(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_the_same_name_have_different_files() {
        assert_eq!(place_name("http://127.0.0.1:3000"), "3000");
        assert_eq!(place_name("http://[::1]:3000"), "3000");
        let names = ["unix:/run/a/memory.sock", "unix:/run/b/memory.sock"].map(place_name);
        assert!(names.iter().all(|name| name.starts_with("memory.sock-")), "{names:?}");
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn an_ended_server_deletes_its_own_file_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("server-3000.txt");
        let announced = |text: &str| {
            write(&path, text).expect("there is room");
            Announcement { written: Some((path.clone(), text.to_owned())) }
        };
        let ended = announced("the first token\n");
        let next = announced("the next token\n");
        drop(ended);
        assert!(path.exists());
        drop(next);
        assert!(!path.exists());
    }
}
