//! Beacons: files that show, to every process of one kernel, whether the process that created them still has them open.
//!
//! On Unix a named pipe that its owner holds open for reading: opening it for writing without blocking fails with
//! `ENXIO` when no process does. On Windows a file that its owner has opened exclusively.

use std::fs::File;
#[cfg(unix)]
use std::io;

use super::io_errors::host_error;
use crate::{BeaconState, HostError};

#[cfg(unix)]
pub fn hold(path: &str) -> Result<File, HostError> {
    create_pipe(path)?;
    open_pipe(path, true).map_err(|error| {
        let _ = std::fs::remove_file(path);
        host_error(error)
    })
}

#[cfg(unix)]
pub fn state(path: &str) -> BeaconState {
    use std::os::unix::fs::FileTypeExt;
    match open_pipe(path, false).and_then(|pipe| pipe.metadata()) {
        Ok(found) if found.file_type().is_fifo() => BeaconState::Held,
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
            BeaconState::Released
        }
        Ok(_) | Err(_) => BeaconState::Unknown,
    }
}

#[cfg(unix)]
fn open_pipe(path: &str, read: bool) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    let flags = i32::try_from(flags).expect("the flags of a platform are an int");
    let mut options = std::fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(options.read(read).write(!read), flags);
    options.open(path)
}

#[cfg(target_os = "linux")]
fn create_pipe(path: &str) -> Result<(), HostError> {
    use rustix::fs::{CWD, Mode, mkfifoat};
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).map_err(|error| host_error(error.into()))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn create_pipe(path: &str) -> Result<(), HostError> {
    let ended = std::process::Command::new("mkfifo").args(["-m", "600", path]).status();
    if ended.is_ok_and(|status| status.success()) { Ok(()) } else { Err(HostError::Unsupported) }
}

#[cfg(windows)]
pub fn hold(path: &str) -> Result<File, HostError> {
    let mut options = std::fs::OpenOptions::new();
    std::os::windows::fs::OpenOptionsExt::share_mode(options.read(true).write(true).create_new(true), 0);
    options.open(path).map_err(host_error)
}

#[cfg(windows)]
pub fn state(path: &str) -> BeaconState {
    const SHARING_VIOLATION: i32 = 32;
    match File::open(path) {
        Ok(_) => BeaconState::Released,
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => BeaconState::Held,
        Err(_) => BeaconState::Unknown,
    }
}
