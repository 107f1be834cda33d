//! Detects SQLite's own locks of other programs.
//!
//! A program with an open database in WAL mode would continue to write into a `-wal` that a conversion has deleted:
//! its commits would be lost. SQLite uses locks of the operating system, which Limbic does not. Linux lists them;
//! elsewhere they cannot be detected.

use std::path::Path;

use limbic_core::{Error, Result};
use limbic_vfs::{StdHost, needs_wal_conversion};

/// The byte range of SQLite's locks: 512 bytes from the first gigabyte.
const LOCK_BYTES: std::ops::Range<u64> = (1 << 30)..(1 << 30) + 512;

/// Checks that no other program has a database in WAL mode open.
///
/// # Errors
/// [`Error::Conflict`].
pub fn require_free(path: &Path) -> Result<()> {
    let is_in_wal_mode = path.to_str().is_some_and(|path| needs_wal_conversion(&StdHost, path) == Ok(true));
    if is_in_wal_mode && is_locked(path) {
        return Err(Error::Conflict(
            "Another program has the database open in WAL mode and would lose its writes: close it, then try again"
                .into(),
        ));
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn is_locked(path: &Path) -> bool {
    let (Ok(found), Ok(locks)) = (std::fs::metadata(path), std::fs::read_to_string("/proc/locks")) else {
        return false;
    };
    let inode = std::os::unix::fs::MetadataExt::ino(&found);
    locks.lines().any(|line| is_of(line, inode))
}

#[cfg(not(target_os = "linux"))]
fn is_locked(_: &Path) -> bool {
    false
}

/// Whether a line such as `3: POSIX  ADVISORY  READ 1234 fe:01:131077 1073741826 1073742335` is a lock of SQLite on
/// this file.
#[cfg(target_os = "linux")]
fn is_of(line: &str, inode: u64) -> bool {
    let mut words = line.split_whitespace().rev().skip(1);
    let start = words.next().and_then(|word| word.parse().ok());
    let file = words.next().and_then(|word| word.rsplit(':').next()?.parse().ok());
    start.is_some_and(|start: u64| LOCK_BYTES.contains(&start)) && file == Some(inode)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::is_of;

    #[test]
    fn only_sqlite_s_own_bytes_of_this_file_count() {
        let line = "3: POSIX  ADVISORY  READ 1234 fe:01:131077 1073741826 1073742335";
        assert!(is_of(line, 131_077) && !is_of(line, 131_078));
        assert!(!is_of("4: POSIX  ADVISORY  WRITE 1234 fe:01:131077 128 128", 131_077));
        assert!(!is_of("5: FLOCK  ADVISORY  WRITE 1234 fe:01:131077 0 EOF", 131_077));
    }
}
