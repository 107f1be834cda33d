//! The host of native programs: `std::fs`.

mod beacon;
mod io_errors;
mod process;

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

#[cfg(unix)]
use crate::FileSystem;
use crate::{BeaconState, Held, Host, HostError, HostFile, Identity, Inode, OpenMode, ProcessState, Stat};
use io_errors::host_error;

/// Files of the operating system. All native programs that share a database with Node use this, so that both
/// see each other's locks.
#[derive(Debug, Default, Clone, Copy)]
pub struct StdHost;

impl Host for StdHost {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        let mut options = private(OpenOptions::new());
        options.read(true).write(mode != OpenMode::Read);
        options.create(mode == OpenMode::Create).create_new(mode == OpenMode::CreateNew);
        let file = match options.open(path) {
            // Windows reports a denied access if the path is a folder.
            Err(error) if fs::metadata(path).is_ok_and(|found| found.is_dir()) => {
                drop(error);
                return Err(HostError::IsDirectory);
            }
            other => other.map_err(host_error)?,
        };
        if mode == OpenMode::Read && file.metadata().map_err(host_error)?.is_dir() {
            return Err(HostError::IsDirectory);
        }
        Ok(Box::new(StdFile(file)))
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError> {
        match stat(path).map_err(host_error) {
            Err(HostError::NotFound) => Ok(None),
            other => other.map(Some),
        }
    }

    fn may(&self, path: &str, write: bool) -> Result<bool, HostError> {
        may(path, write)
    }

    fn delete(&self, path: &str) -> Result<(), HostError> {
        fs::remove_file(path).map_err(host_error)
    }

    fn real_path(&self, path: &str) -> Result<String, HostError> {
        let found = match canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let path = Path::new(path);
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = canonicalize(folder.unwrap_or(".".as_ref())).map_err(host_error)?;
                folder.join(path.file_name().ok_or(HostError::IsDirectory)?)
            }
            other => other.map_err(host_error)?,
        };
        found.into_os_string().into_string().map_err(|_| HostError::Io("the path is not Unicode".to_owned()))
    }

    fn sync_folder(&self, path: &str) -> Result<(), HostError> {
        if cfg!(windows) {
            return Ok(());
        }
        match File::open(path).and_then(|folder| folder.sync_all()) {
            // Some file systems have nothing to sync in a folder.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            other => other.map_err(host_error),
        }
    }

    fn create_folder(&self, path: &str) -> Result<(), HostError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(host_error)
    }

    fn delete_folder(&self, path: &str) -> Result<(), HostError> {
        fs::remove_dir(path).map_err(host_error)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let names = fs::read_dir(path).map_err(host_error)?.map(|entry| {
            let name = entry.map_err(host_error)?.file_name();
            Ok(name.to_string_lossy().into_owned())
        });
        names.collect()
    }

    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        let mut file =
            private(OpenOptions::new()).write(true).create_new(true).open(path).map_err(host_error)?;
        io::Write::write_all(&mut file, content).map_err(host_error)
    }

    fn link(&self, from: &str, to: &str) -> Result<(), HostError> {
        fs::hard_link(from, to).map_err(|error| match error.kind() {
            // Linux reports EPERM on file systems without hard links.
            io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied if may(from, true) == Ok(true) => {
                HostError::Unsupported
            }
            _ => host_error(error),
        })
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), HostError> {
        fs::rename(from, to).map_err(host_error)
    }

    #[cfg(unix)]
    fn copy_owner(&self, from: &str, to: &str) -> Result<(), HostError> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

        let metadata = |path| fs::metadata(path).map_err(host_error);
        let (wanted, found) = (metadata(from)?, metadata(to)?);
        let user = Some(wanted.uid()).filter(|user| *user != found.uid());
        let group = Some(wanted.gid()).filter(|group| *group != found.gid());
        if user.is_some() || group.is_some() {
            chown(to, user, group).map_err(host_error)?;
        }
        fs::set_permissions(to, fs::Permissions::from_mode(wanted.mode() & 0o777)).map_err(host_error)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        fs::read(path).map_err(host_error)
    }

    fn hold_beacon(&self, path: &str) -> Result<Box<dyn Held>, HostError> {
        Ok(Box::new(beacon::hold(path)?))
    }

    fn beacon(&self, path: &str) -> BeaconState {
        beacon::state(path)
    }

    #[cfg(unix)]
    fn file_system(&self, path: &str) -> Option<FileSystem> {
        file_system(&rustix::fs::statfs(path).ok()?)
    }

    fn sleep_micros(&self, micros: u64) {
        std::thread::sleep(Duration::from_micros(micros));
    }

    fn now_millis(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn monotonic_millis(&self) -> f64 {
        monotonic_millis()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system has random bytes");
    }

    fn identity(&self) -> Identity {
        process::identity()
    }

    fn process(&self, pid: u32, thorough: bool) -> ProcessState {
        process::state(pid, thorough)
    }
}

/// The clock of [`std::time::Instant`] stops while the machine is suspended.
#[cfg(unix)]
fn monotonic_millis() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    #[cfg(target_os = "linux")]
    let clock = ClockId::Boottime;
    // On macOS this one runs.
    #[cfg(not(target_os = "linux"))]
    let clock = ClockId::Monotonic;
    let now = clock_gettime(clock);
    let whole = Duration::from_secs(now.tv_sec.unsigned_abs());
    let part = Duration::from_nanos(u64::try_from(now.tv_nsec).unwrap_or_default());
    (whole + part).as_secs_f64() * 1_000.0
}

#[cfg(windows)]
fn monotonic_millis() -> f64 {
    static STARTED: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    STARTED.elapsed().as_secs_f64() * 1_000.0
}

struct StdFile(File);

impl HostFile for StdFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let mut done = 0;
        while done < buffer.len() {
            let at = offset + u64::try_from(done).expect("a buffer's length is below 2^64");
            match read_once(&self.0, &mut buffer[done..], at) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(host_error(error)),
            }
        }
        Ok(done)
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        std::os::unix::fs::FileExt::write_all_at(&self.0, bytes, offset).map_err(host_error)
    }

    #[cfg(windows)]
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + u64::try_from(done).expect("a buffer's length is below 2^64");
            done +=
                std::os::windows::fs::FileExt::seek_write(&self.0, &bytes[done..], at).map_err(host_error)?;
        }
        Ok(())
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.0.set_len(size_bytes).map_err(host_error)
    }

    fn sync(&self) -> Result<(), HostError> {
        // `fdatasync` on Linux, F_FULLFSYNC on macOS, FlushFileBuffers on Windows.
        self.0.sync_data().map_err(host_error)
    }

    fn size(&self) -> Result<u64, HostError> {
        Ok(self.0.metadata().map_err(host_error)?.len())
    }

    fn inode(&self) -> Result<Inode, HostError> {
        inode(&self.0).map_err(host_error)
    }
}

#[cfg(unix)]
fn read_once(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_once(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Mode 0600 for files that are created.
#[cfg(unix)]
fn private(mut options: OpenOptions) -> OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Files inherit the rights of their folder.
#[cfg(windows)]
fn private(options: OpenOptions) -> OpenOptions {
    options
}

#[cfg(unix)]
fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Without the prefix `\\?\` where it can be left out: behind it Windows takes `/` for a character of a name.
#[cfg(windows)]
fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    dunce::canonicalize(path)
}

#[cfg(unix)]
fn may(path: &str, write: bool) -> Result<bool, HostError> {
    use rustix::fs::{Access, access};
    let mode = if write { Access::READ_OK | Access::WRITE_OK } else { Access::READ_OK };
    match access(path, mode).map_err(|error| host_error(error.into())) {
        Ok(()) => Ok(true),
        Err(HostError::NotFound | HostError::Denied) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(windows)]
fn may(path: &str, write: bool) -> Result<bool, HostError> {
    Ok(fs::metadata(path).is_ok_and(|found| !write || !found.permissions().readonly()))
}

#[cfg(unix)]
fn stat(path: &str) -> io::Result<Stat> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path)?;
    let whole = Duration::from_secs(found.ctime().unsigned_abs());
    let part = Duration::from_nanos(found.ctime_nsec().unsigned_abs());
    Ok(Stat {
        size: found.len(),
        is_file: found.is_file(),
        changed_millis: (whole + part).as_secs_f64() * 1_000.0,
        id: id(found.ino(), &found),
        inode: Inode { device: found.dev(), number: found.ino() },
        links: found.nlink(),
    })
}

#[cfg(unix)]
fn inode(file: &File) -> io::Result<Inode> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata()?;
    Ok(Inode { device: found.dev(), number: found.ino() })
}

#[cfg(windows)]
fn stat(path: &str) -> io::Result<Stat> {
    let found = fs::metadata(path)?;
    let handle = winapi_util::Handle::from_path_any(path)?;
    let information = winapi_util::file::information(&handle)?;
    Ok(Stat {
        size: found.len(),
        is_file: found.is_file(),
        // The time of the last change of the entry is not available: links are not noticed, writes are.
        changed_millis: since_1970_millis(found.modified()),
        id: id(information.file_index(), &found),
        inode: Inode { device: information.volume_serial_number(), number: information.file_index() },
        links: information.number_of_links(),
    })
}

#[cfg(windows)]
fn inode(file: &File) -> io::Result<Inode> {
    let information = winapi_util::file::information(file)?;
    Ok(Inode { device: information.volume_serial_number(), number: information.file_index() })
}

/// Distinguishes a file from another of the same name that was created later, even if it got the same inode.
fn id(inode: u64, found: &fs::Metadata) -> u64 {
    inode ^ since_1970_millis(found.created()).to_bits().rotate_left(17)
}

#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_wraps, reason = "other platforms report nothing")]
fn file_system(found: &rustix::fs::StatFs) -> Option<FileSystem> {
    #[allow(clippy::cast_sign_loss, reason = "the number is compared as bits")]
    let number = found.f_type as u64;
    Some(FileSystem::Number(number))
}

#[cfg(target_os = "macos")]
fn file_system(found: &rustix::fs::StatFs) -> Option<FileSystem> {
    let name = found.f_fstypename.iter().map_while(|byte| u8::try_from(*byte).ok().filter(|byte| *byte != 0));
    String::from_utf8(name.collect()).ok().map(FileSystem::Name)
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
fn file_system(_: &rustix::fs::StatFs) -> Option<FileSystem> {
    None
}

fn since_1970_millis(time: io::Result<SystemTime>) -> f64 {
    let time = time.unwrap_or(UNIX_EPOCH);
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64() * 1_000.0
}
