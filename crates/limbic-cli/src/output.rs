//! Standard output of printing commands. A closed pipe, as with `| head`, ends a command without an error.

use std::env;
use std::io::{self, Write};
use std::process;

use limbic_memory::addresses;

/// The exit code of a command line that cannot be used.
const UNUSABLE: i32 = 2;

/// Prints a line.
///
/// # Errors
/// If it cannot be written; [`is_unread`] distinguishes a closed pipe from a failure.
pub fn line(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{text}")?;
    output.flush()
}

/// Reports to standard error that there is no encoder, if there is none.
pub fn encoder_loaded(problem: Option<&str>) {
    if let Some(problem) = problem {
        log!("{problem}");
    }
}

/// Whether a command ended early because the reader of its output has closed the pipe.
pub fn is_unread(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Ends the program as clap does, but shows no argument that may be an address with a password.
pub fn exit_with(error: &clap::Error) -> ! {
    let all = error.to_string();
    let arguments = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let shown = arguments
        .filter(|argument| addresses::is_like_one(argument))
        .fold(all.clone(), |text, argument| text.replace(&argument, addresses::shown(&argument)));
    if shown == all {
        error.exit();
    }
    // The exit code says it as well.
    let _ = io::stderr().write_all(shown.as_bytes());
    process::exit(UNUSABLE)
}
