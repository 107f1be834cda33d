//! A memory that ends with its page: for demos, and for browsers without storage.

use js_sys::Uint8Array;
use limbic_core::{Result, db::open_checked, rusqlite::Connection};
use limbic_tools::Limbic;

use crate::{
    browser_host::BrowserHost,
    bytes::{BytesReader, wal_of},
    options::OpenOptions,
};

/// Opens an empty memory, or one with the content of a database file and its WAL.
///
/// # Errors
/// As [`open_checked`], and for invalid options.
pub fn open(options: &str, file: Option<&Uint8Array>, wal: Option<&Uint8Array>) -> Result<Limbic> {
    let options = OpenOptions::read(options)?;
    limbic_vfs::register_vec0();
    let connection = match file {
        None => Connection::open_in_memory()?,
        Some(file) => {
            let (reader, size) = BytesReader::new(file)?;
            open_checked(reader, size, wal_of(wal)?)?
        }
    };
    Limbic::open(connection, Box::new(BrowserHost), options.tools)
}
