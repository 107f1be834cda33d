//! `limbic serve`: MCP over standard input and output, or over HTTP.
//!
//! The official Rust SDK (`rmcp`) is not used: see "The protocol in the native server" in ARCHITECTURE.md.

mod batches;
mod cancellations;
mod confirmation;
mod envelope;
mod failure_log;
mod http;
mod identity;
mod long_calls;
mod members;
mod message;
mod params;
mod protocol;
mod reader;
mod reply;
mod resources;
mod server;
mod source_watch;
mod stopping;
mod streams;

use std::panic::{self, Location as Place};
use std::process::ExitCode;
use std::sync::mpsc::Receiver;
use std::thread;

use anyhow::{Context, Result};

use crate::key_command;
use crate::options::{Settings, switch};
use crate::tokens::random_text;
use crate::variables;
use cancellations::Cancellations;
use confirmation::Confirmations;
pub use http::HttpOptions;
use http::HttpSettings;
use limbic_memory::key;
use limbic_memory::location::Location;
use protocol::Protocol;
use reader::Event;
use server::Server;
use stopping::{LAST_CALL_TIME, Stopping};

/// Serves until a signal, or the end of the input; with `http`, the input is not read. `encrypts` encrypts the database
/// first, unless it is encrypted.
pub fn run(settings: &Settings, encrypts: bool, http: Option<&HttpSettings>) -> Result<ExitCode> {
    limbic_tools::Limbic::check(&settings.tools)?;
    panic::set_hook(Box::new(|panic| log_place(panic.location())));
    if encrypts || switch("LIMBIC_ENCRYPT")? {
        key_command::prepare(&settings.db, settings.accepts_shared_disk)?;
    }
    key::require_none(&settings.db)?;
    variables::warn_of_unknown();
    // A store is announced when it could be opened.
    let opens_first = http.is_some() && settings.db.file().is_none();
    if !opens_first {
        log!("the memory is in {}", settings.db);
    }
    if let Some(path) = settings.db.file().filter(|path| can_others_read(path)) {
        let path = path.display();
        log!("other users may read this file; to keep it private: chmod 600 '{path}'");
    }
    let (sender, events) = std::sync::mpsc::channel();
    let stop = sender.clone();
    let location = settings.db.clone();
    let stopping = Stopping::default();
    let of_signals = stopping.clone();
    let on_signal = move || {
        of_signals.signal();
        drop(stop.send(Event::Stop));
        interrupt_later(&location);
    };
    ctrlc::set_handler(on_signal).context("signals cannot be caught")?;
    let cancelled = Cancellations::default();
    let (listener, secret) = match http {
        Some(http) => {
            let (listener, secret) = http::listen(http, settings, sender.clone(), cancelled.clone())?;
            (Some(listener), secret)
        }
        None => {
            reader::start(Protocol::new(&settings.tools)?, sender.clone(), cancelled.clone());
            (None, random_text())
        }
    };
    let confirmations = Confirmations::new(secret.as_bytes());
    let mut server = Server::new(settings, confirmations, sender, cancelled, &stopping);
    if opens_first {
        server.open_first();
    }
    let served = server.run(&events);
    refuse_rest(events);
    if let Some(listener) = listener {
        listener.stop();
    }
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Logs where a panic was. Its message is left out: it may quote a stored text, such as one that was cut at a wrong
/// place.
fn log_place(place: Option<&Place<'_>>) {
    match place {
        Some(place) => log!("the program panicked at {place}"),
        None => log!("the program panicked"),
    }
}

/// Refuses the requests that arrived too late. The clients of HTTP are told as their receivers go, and the one of
/// standard input is told by the reader from here on.
fn refuse_rest(events: Receiver<Event>) {
    for event in events.try_iter() {
        if let Event::Received(message) = event
            && message.reply.is_output()
        {
            message.refuse(stopping::refusal());
        }
    }
}

/// Ends the wait of the running call for a store that is silent, after some time. A file is always answered.
fn interrupt_later(location: &Location) {
    if location.file().is_none() {
        thread::spawn(|| {
            thread::sleep(LAST_CALL_TIME);
            #[cfg(feature = "postgres")]
            limbic_pages::postgres::interrupt();
        });
    }
}

/// Whether the mode of an existing database lets other users read it.
#[cfg(unix)]
fn can_others_read(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o044 != 0)
}

/// Windows has no modes.
#[cfg(not(unix))]
fn can_others_read(_: &std::path::Path) -> bool {
    false
}
