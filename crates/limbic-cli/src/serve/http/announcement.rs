//! The messages about addresses and tokens when a server starts.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::guard::{Guard, is_loopback};
use super::options::HttpSettings;
use crate::options::data_folder;
use crate::tokens::{create_private, make_token_folder, token_folder};
use limbic_memory::location::Location;

/// The path of MCP.
pub const PATH: &str = "/mcp";

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
        eprintln!(
            "limbic: other computers can reach {}:{}, and the connection is not encrypted: the token can be \
             intercepted",
            settings.host,
            last_part(place)
        );
    }
    if settings.public_origin.is_some() {
        eprintln!("limbic: requests of the proxy are expected at {place}");
    }
    let origin = settings.public_origin.as_deref().unwrap_or(place);
    // A browser cannot connect to a Unix socket.
    let has_page = settings.has_page && origin.starts_with("http");
    let lines = |is_shown: bool| addresses(settings, origin, guard, has_page, is_shown);
    let has_random = settings.token.is_none() || (has_page && settings.page_token.is_none());
    let mut announcement = Announcement { file: None };
    let is_at_terminal = io::stderr().is_terminal();
    if has_random && !is_at_terminal {
        let path = file_for_owner(database, place)?;
        write(&path, &lines(true)).with_context(|| {
            format!(
                "its random token cannot be written to {}: set LIMBIC_TOKEN, and LIMBIC_PAGE_TOKEN for \
                 the explorer",
                path.display()
            )
        })?;
        eprintln!("limbic: the tokens of this server are in {}", path.display());
        announcement.file = Some(path);
    }
    for line in lines(is_at_terminal) {
        eprintln!("limbic: {line}");
    }
    Ok(announcement)
}

/// The file with the tokens, which is deleted when the server ends.
pub struct Announcement {
    file: Option<PathBuf>,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
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
    let mcp = format!("MCP over HTTP: {origin}{PATH} with the header \"Authorization: Bearer {token}\"");
    has_page.then(page).into_iter().chain([mcp]).collect()
}

/// The port of an origin, or the name of a socket's file.
fn last_part(place: &str) -> &str {
    place.rsplit([':', '/']).next().unwrap_or(place)
}

/// The file for the owner: beside a database file; for a memory in a store, in the data folder.
fn file_for_owner(database: &Location, place: &str) -> Result<PathBuf> {
    let folder = match database.file() {
        Some(path) => token_folder(path),
        None => data_folder()?.join("limbic").join("servers"),
    };
    Ok(folder.join(format!("server-{}.txt", last_part(place))))
}

/// Replaces the file of an earlier server at this address.
fn write(path: &Path, lines: &[String]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_token_folder(folder)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create_private(path)?.write_all(format!("{}\n", lines.join("\n")).as_bytes())
}
