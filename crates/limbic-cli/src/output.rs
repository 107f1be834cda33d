//! Standard output of printing commands. A closed pipe, as with `| head`, ends a command without an error.

use std::io::{self, Write};

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
        eprintln!("limbic: {problem}");
    }
}

/// Whether a command ended early because the reader of its output has closed the pipe.
pub fn is_unread(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
