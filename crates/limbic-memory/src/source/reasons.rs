//! Reasons why a file cannot be imported.

use std::io;

/// One reason for every file that a client over HTTP may not import, so that it cannot find out which files exist.
pub const NOT_IMPORTABLE: &str = "clients over HTTP may import only known formats from the folder that the server was \
    started with (--import-dir)";

/// Returns why a file cannot be read, in the same words as the Node server.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => error.to_string(),
    }
}
