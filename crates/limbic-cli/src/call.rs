//! `limbic call`: calls one tool.

use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::options::{ModelChoice, Settings};
use crate::output;
use limbic_memory::{addresses, session::Session};

/// Calls a tool, prints its answer, then drains the embedding queue.
pub fn run(tool: &str, arguments: &str, settings: &Settings) -> Result<ExitCode> {
    if addresses::is_like_one(tool) {
        bail!("TOOL must be the name of a tool, but got {}", addresses::shown(tool));
    }
    let mut text = arguments.to_owned();
    if arguments == "-" {
        text.clear();
        io::stdin().read_to_string(&mut text).context("standard input could not be read")?;
    }
    // Loading the model takes longer than most calls, and only some need it.
    let without_encoder = Settings { model: ModelChoice::None, drains_queue: false, ..settings.clone() };
    let mut session = Session::new(&without_encoder, output::encoder_loaded);
    let needs_encoder =
        session.open().is_ok_and(|limbic| settings.drains_queue || !limbic.texts(tool, &text).is_empty());
    if needs_encoder {
        session = with_encoder(settings)?;
    }
    let answer = session.call(tool, &text);
    // These tasks are done whether the answer is read or not.
    let printed = output::line(&answer.json);
    session.index()?;
    let leaves_work = !settings.tools.read_only
        && settings.model != ModelChoice::None
        && session.open().is_ok_and(|limbic| limbic.outstanding().is_ok_and(|waiting| waiting > 0));
    if leaves_work && !needs_encoder {
        session = with_encoder(settings)?;
    }
    session.drain()?;
    session.close()?;
    printed?;
    Ok(if answer.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns a session with a loaded encoder and an empty embedding queue.
fn with_encoder(settings: &Settings) -> Result<Session> {
    let mut session = Session::new(settings, output::encoder_loaded);
    session.drain()?;
    Ok(session)
}
