//! The log on standard error. A line that cannot be written is lost, and has no other effect: a server goes on when the
//! reader of its log has ended, or the disk of its log is full.

use std::fmt::Arguments;
use std::io::{self, Write};

/// Logs a line that is formatted as by `format!`.
macro_rules! log {
    ($($argument:tt)*) => { $crate::log::line(format_args!($($argument)*)) };
}

/// Writes a line that begins with the program's name, in one write, so that lines of several threads do not mix.
pub fn line(text: Arguments<'_>) {
    let line = format!("limbic: {text}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}
