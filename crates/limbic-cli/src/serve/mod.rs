//! `limbic serve`: MCP over standard input and output.
//!
//! Why not the official Rust SDK (`rmcp`): it drops a line that serde_json cannot read, and a text with a lone
//! surrogate is such a line, so its client would wait for ever; it copies answers through parsed values, while
//! the tools' JSON must pass through to the byte; and it brings an asynchronous runtime for what is a sequence.

mod long_calls;
mod message;
mod protocol;
mod reader;
mod resources;
mod server;

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::options::Settings;
use protocol::Protocol;
use server::Server;

/// Serves until the client leaves or a signal comes.
pub fn run(settings: &Settings) -> Result<ExitCode> {
    eprintln!("limbic: the memory is in {}", settings.db.display());
    let (sender, events) = std::sync::mpsc::channel();
    reader::start(Protocol::new(settings)?, sender.clone());
    let stop = sender.clone();
    ctrlc::set_handler(move || drop(stop.send(reader::Event::Stop))).context("signals cannot be caught")?;
    Server::new(settings, sender).run(&events)?;
    Ok(ExitCode::SUCCESS)
}
