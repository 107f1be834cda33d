//! A host over another VFS of SQLite, so that databases are encrypted above a VFS of another library.

use std::{
    cell::RefCell,
    ffi::{CString, c_int},
    ptr::NonNull,
};

use rsqlite_vfs::{LockLevel, ffi};

use crate::{Host, HostError, HostFile, Identity, Inode, Locks, OpenMode, ProcessState, Stat};

/// The bytes that SQLite expects around a file name: nothing before it, and no parameters after it.
const NAME_EDGE: [u8; 4] = [0; 4];

/// How the VFS is asked to open every file: the layer above it distinguishes journals from databases.
const KIND: c_int = ffi::SQLITE_OPEN_MAIN_DB;

/// Milliseconds from the day on which Julian days begin to 1970.
const JULIAN_MILLIS: i64 = 210_866_760_000_000;

/// A host whose files are those of a VFS that is registered with SQLite.
///
/// Its locks always succeed: the files must belong to this process, such as those of a pool that excludes others, and a
/// database must have one connection at a time. A file that the VFS reports as missing because it is empty is missing.
/// Folders, links and names that replace others are not available.
#[derive(Clone)]
pub struct VfsHost {
    name: CString,
    fill_random: fn(&mut [u8]),
}

impl VfsHost {
    /// A host over the VFS `name`, which is looked up at each call, so that it may be registered later. `fill_random`
    /// fills a buffer with unpredictable bytes.
    ///
    /// # Errors
    /// [`HostError::Io`] if the name contains NUL.
    pub fn new(name: &str, fill_random: fn(&mut [u8])) -> Result<VfsHost, HostError> {
        let name = CString::new(name).map_err(|error| HostError::Io(error.to_string()))?;
        Ok(VfsHost { name, fill_random })
    }

    #[allow(unsafe_code, reason = "SQLite returns a VFS as a raw pointer")]
    fn vfs(&self) -> Result<NonNull<ffi::sqlite3_vfs>, HostError> {
        // SAFETY: the name ends with NUL, and SQLite initialises itself if necessary.
        let found = unsafe { ffi::sqlite3_vfs_find(self.name.as_ptr()) };
        NonNull::new(found)
            .ok_or_else(|| HostError::Io(format!("SQLite has no VFS {}", self.name.to_string_lossy())))
    }

    /// Whether there is a file; on some platforms, an empty one counts as missing.
    #[allow(unsafe_code, reason = "the callbacks of a VFS take raw pointers")]
    fn exists(&self, path: &str) -> Result<bool, HostError> {
        let vfs = self.vfs()?;
        let name = file_name(path)?;
        let mut found = 0;
        // SAFETY: the VFS is registered, the path ends with NUL, the pointer may read the name around it, and both live
        // longer than the call.
        let code = unsafe {
            let access = vfs.as_ref().xAccess.ok_or_else(|| missing("xAccess"))?;
            access(vfs.as_ptr(), start_of(&name).cast(), ffi::SQLITE_ACCESS_EXISTS, &raw mut found)
        };
        checked("look for a file", code).map(|()| found != 0)
    }

    #[allow(unsafe_code, reason = "the callbacks of a VFS take raw pointers")]
    fn open_file(&self, path: &str, flags: c_int) -> Result<VfsFile, HostError> {
        let vfs = self.vfs()?;
        let name = file_name(path)?;
        // SAFETY: the VFS is registered. The memory of the file has the size that the VFS asks for, is zero, is aligned
        // for pointers, and stays where it is until the file is closed, as does the name. A VFS that fails sets the
        // methods if the file is to be closed nevertheless, which dropping it does.
        unsafe {
            let bytes = usize::try_from(vfs.as_ref().szOsFile).map_err(|_| missing("a file size"))?;
            let file = VfsFile { memory: RefCell::new(vec![0; bytes.div_ceil(size_of::<u64>())]), name };
            let open = vfs.as_ref().xOpen.ok_or_else(|| missing("xOpen"))?;
            let mut opened_as = 0;
            let flags = flags | KIND;
            let code =
                open(vfs.as_ptr(), start_of(&file.name).cast(), file.pointer(), flags, &raw mut opened_as);
            checked("open a file", code)?;
            // Some VFSes open a file for reading if they cannot open it for writing.
            let is_denied =
                flags & ffi::SQLITE_OPEN_READWRITE != 0 && opened_as & ffi::SQLITE_OPEN_READONLY != 0;
            if is_denied { Err(HostError::Denied) } else { Ok(file) }
        }
    }
}

impl Host for VfsHost {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        let flags = match mode {
            OpenMode::Read => ffi::SQLITE_OPEN_READONLY,
            OpenMode::Write => ffi::SQLITE_OPEN_READWRITE,
            OpenMode::Create => ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE,
            OpenMode::CreateNew => {
                ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE | ffi::SQLITE_OPEN_EXCLUSIVE
            }
        };
        match self.open_file(path, flags) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(match (mode, self.exists(path)?) {
                (OpenMode::Read | OpenMode::Write, false) => HostError::NotFound,
                (OpenMode::CreateNew, true) => HostError::Exists,
                _ => error,
            }),
        }
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError> {
        if !self.exists(path)? {
            return Ok(None);
        }
        let size = self.open(path, OpenMode::Read)?.size()?;
        let inode = Inode { device: 0, number: 0 };
        Ok(Some(Stat { size, is_file: true, changed_millis: 0.0, id: 0, inode, links: 1 }))
    }

    fn may(&self, path: &str, _write: bool) -> Result<bool, HostError> {
        self.exists(path)
    }

    #[allow(unsafe_code, reason = "the callbacks of a VFS take raw pointers")]
    fn delete(&self, path: &str) -> Result<(), HostError> {
        // Some VFSes do not report a file that is missing.
        drop(self.open(path, OpenMode::Read)?);
        let vfs = self.vfs()?;
        let name = file_name(path)?;
        // SAFETY: as in `exists`.
        let code = unsafe {
            let delete = vfs.as_ref().xDelete.ok_or_else(|| missing("xDelete"))?;
            delete(vfs.as_ptr(), start_of(&name).cast(), 1)
        };
        checked("delete a file", code)
    }

    fn real_path(&self, path: &str) -> Result<String, HostError> {
        Ok(path.to_owned())
    }

    fn sync_folder(&self, _path: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn create_folder(&self, _path: &str) -> Result<(), HostError> {
        Err(HostError::Unsupported)
    }

    fn delete_folder(&self, _path: &str) -> Result<(), HostError> {
        Err(HostError::Unsupported)
    }

    fn list(&self, _path: &str) -> Result<Vec<String>, HostError> {
        Err(HostError::Unsupported)
    }

    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        self.open(path, OpenMode::CreateNew)?.write_at(content, 0)
    }

    fn link(&self, _from: &str, _to: &str) -> Result<(), HostError> {
        Err(HostError::Unsupported)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        let file = self.open(path, OpenMode::Read)?;
        let mut content = vec![0; usize::try_from(file.size()?).map_err(|_| HostError::Full)?];
        let count = file.read_at(&mut content, 0)?;
        content.truncate(count);
        Ok(content)
    }

    /// Returns at once: nothing is ever waited for.
    fn sleep_micros(&self, _micros: u64) {}

    #[allow(unsafe_code, reason = "the callbacks of a VFS take raw pointers")]
    fn now_millis(&self) -> i64 {
        let Ok(vfs) = self.vfs() else { return 0 };
        let mut millis = JULIAN_MILLIS;
        // SAFETY: the VFS is registered, and has this callback from version 2 on.
        unsafe {
            if let Some(now) = vfs.as_ref().xCurrentTimeInt64.filter(|_| vfs.as_ref().iVersion >= 2) {
                now(vfs.as_ptr(), &raw mut millis);
            }
        }
        millis - JULIAN_MILLIS
    }

    fn monotonic_millis(&self) -> f64 {
        0.0
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        (self.fill_random)(buffer);
    }

    fn identity(&self) -> Identity {
        Identity::default()
    }

    fn process(&self, _pid: u32, _thorough: bool) -> ProcessState {
        ProcessState::Unknown
    }
}

/// An open file of the VFS.
struct VfsFile {
    /// Begins with a `sqlite3_file`.
    memory: RefCell<Vec<u64>>,
    /// The VFS may read it until the file is closed.
    name: Vec<u8>,
}

impl VfsFile {
    fn pointer(&self) -> *mut ffi::sqlite3_file {
        self.memory.borrow_mut().as_mut_ptr().cast()
    }

    #[allow(unsafe_code, reason = "the methods of a file are behind a raw pointer")]
    fn methods(&self) -> Option<&ffi::sqlite3_io_methods> {
        // SAFETY: the memory begins with a `sqlite3_file`, whose methods are null or valid as long as the file is open.
        unsafe { (*self.pointer()).pMethods.as_ref() }
    }

    fn method<T>(
        &self,
        name: &str,
        of: impl Fn(&ffi::sqlite3_io_methods) -> Option<T>,
    ) -> Result<T, HostError> {
        self.methods().and_then(of).ok_or_else(|| missing(name))
    }
}

impl HostFile for VfsFile {
    #[allow(unsafe_code, reason = "the methods of a file take raw pointers")]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let (length, at) = range(buffer.len(), offset)?;
        let read = self.method("xRead", |methods| methods.xRead)?;
        // SAFETY: the file is open, and the buffer has this length.
        match unsafe { read(self.pointer(), buffer.as_mut_ptr().cast(), length, at) } {
            ffi::SQLITE_OK => Ok(buffer.len()),
            ffi::SQLITE_IOERR_SHORT_READ => {
                let available = usize::try_from(self.size()?.saturating_sub(offset)).unwrap_or(usize::MAX);
                Ok(available.min(buffer.len()))
            }
            code => checked("read a file", code).map(|()| 0),
        }
    }

    #[allow(unsafe_code, reason = "the methods of a file take raw pointers")]
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        let (length, at) = range(bytes.len(), offset)?;
        let write = self.method("xWrite", |methods| methods.xWrite)?;
        // SAFETY: the file is open, and the bytes have this length.
        checked("write a file", unsafe { write(self.pointer(), bytes.as_ptr().cast(), length, at) })
    }

    #[allow(unsafe_code, reason = "the methods of a file take raw pointers")]
    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        let (_, size) = range(0, size_bytes)?;
        let truncate = self.method("xTruncate", |methods| methods.xTruncate)?;
        // SAFETY: the file is open.
        checked("truncate a file", unsafe { truncate(self.pointer(), size) })
    }

    #[allow(unsafe_code, reason = "the methods of a file take raw pointers")]
    fn sync(&self) -> Result<(), HostError> {
        let sync = self.method("xSync", |methods| methods.xSync)?;
        // SAFETY: the file is open.
        checked("sync a file", unsafe { sync(self.pointer(), ffi::SQLITE_SYNC_NORMAL) })
    }

    #[allow(unsafe_code, reason = "the methods of a file take raw pointers")]
    fn size(&self) -> Result<u64, HostError> {
        let mut size = 0;
        let measure = self.method("xFileSize", |methods| methods.xFileSize)?;
        // SAFETY: the file is open.
        checked("measure a file", unsafe { measure(self.pointer(), &raw mut size) })?;
        u64::try_from(size).map_err(|error| HostError::Io(error.to_string()))
    }

    fn inode(&self) -> Result<Inode, HostError> {
        Err(HostError::Unsupported)
    }

    fn locks(&self) -> Option<Box<dyn Locks>> {
        Some(Box::new(OnlyConnection { level: LockLevel::None }))
    }
}

impl Drop for VfsFile {
    #[allow(unsafe_code, reason = "the methods of a file take raw pointers")]
    fn drop(&mut self) {
        if let Some(close) = self.methods().and_then(|methods| methods.xClose) {
            // SAFETY: the file is open, and nothing uses it afterwards. A failure leaves nothing to do.
            let _ = unsafe { close(self.pointer()) };
        }
    }
}

/// The locks of the only connection that a database has.
struct OnlyConnection {
    level: LockLevel,
}

impl Locks for OnlyConnection {
    fn lock(&mut self, level: LockLevel) -> Result<bool, HostError> {
        self.level = self.level.max(level);
        Ok(true)
    }

    fn unlock(&mut self, level: LockLevel) {
        self.level = self.level.min(level);
    }

    fn check_reserved(&mut self) -> Result<Option<bool>, HostError> {
        Ok(Some(self.level >= LockLevel::Reserved))
    }

    fn confirm_write(&mut self) -> Result<(), HostError> {
        Ok(())
    }

    fn confirm_read(&mut self) -> Result<(), HostError> {
        Ok(())
    }

    fn confirm_step(&mut self) -> Result<(), HostError> {
        Ok(())
    }

    fn require_in_place(&self) -> Result<(), HostError> {
        Ok(())
    }
}

/// Returns a path as SQLite passes file names to a VFS; the path starts at [`start_of`].
fn file_name(path: &str) -> Result<Vec<u8>, HostError> {
    if path.contains('\0') {
        return Err(HostError::Io("a file name contains NUL".to_owned()));
    }
    Ok([&NAME_EDGE, path.as_bytes(), &NAME_EDGE].concat())
}

/// Returns where the path of a name of [`file_name`] starts. The pointer is that of the whole name: a VFS may read what
/// is around the path, such as the parameters of a URI.
fn start_of(name: &[u8]) -> *const u8 {
    name.as_ptr().wrapping_add(NAME_EDGE.len())
}

/// Converts a range of a file to SQLite's numbers.
fn range(length: usize, offset: u64) -> Result<(c_int, ffi::sqlite3_int64), HostError> {
    let converted = c_int::try_from(length).ok().zip(offset.try_into().ok());
    converted.ok_or_else(|| HostError::Io("a range of a file is beyond what SQLite can address".to_owned()))
}

fn missing(what: &str) -> HostError {
    HostError::Io(format!("the VFS has no {what}"))
}

fn checked(operation: &str, code: c_int) -> Result<(), HostError> {
    /// The part of an extended code that is the plain one.
    const PRIMARY: c_int = 0xff;
    match code {
        ffi::SQLITE_OK => Ok(()),
        _ if code & PRIMARY == ffi::SQLITE_FULL => Err(HostError::Full),
        ffi::SQLITE_IOERR_DELETE_NOENT => Err(HostError::NotFound),
        _ => Err(HostError::Io(format!("the VFS could not {operation} (SQLite's code {code})"))),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use rusqlite::{Connection, OpenFlags};

    use super::*;
    use crate::{Access, Key};

    const NATIVE: &str = if cfg!(windows) { "win32" } else { "unix" };

    fn host() -> VfsHost {
        VfsHost::new(NATIVE, |buffer| getrandom::fill(buffer).expect("the system has random bytes"))
            .expect("the name has no NUL")
    }

    fn connect(path: &str, key: u8) -> rusqlite::Result<Connection> {
        let access = Access { secret: Some(Key::new([key; Key::BYTES]).into()), ..Access::default() };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = crate::connect(path, flags, host(), access)?;
        connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = PERSIST")?;
        Ok(connection)
    }

    #[test]
    fn files_are_created_read_and_deleted() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let path = folder.path().join("a file").to_string_lossy().into_owned();
        let host = host();
        assert_eq!(host.open(&path, OpenMode::Write).err(), Some(HostError::NotFound));
        assert_eq!(host.delete(&path), Err(HostError::NotFound));
        assert_eq!(host.stat(&path), Ok(None));
        host.create(&path, b"some bytes").expect("the folder is writable");
        assert_eq!(host.create(&path, b"others"), Err(HostError::Exists));
        assert_eq!(host.read(&path), Ok(b"some bytes".to_vec()));
        let file = host.open(&path, OpenMode::Write).expect("it was created");
        file.truncate(4).and_then(|()| file.sync()).expect("it is open for writing");
        let mut buffer = [7; 8];
        assert_eq!((file.read_at(&mut buffer, 2), &buffer[..2]), (Ok(2), &b"me"[..]));
        assert_eq!(file.read_at(&mut buffer, 9), Ok(0));
        drop(file);
        assert_eq!(host.stat(&path).map(|found| found.map(|found| found.size)), Ok(Some(4)));
        assert_eq!(host.delete(&path), Ok(()));
        assert_eq!(host.stat(&path), Ok(None));
        assert!(host.now_millis() > 1_700_000_000_000);
        let none = VfsHost::new("no such VFS", |_| {}).expect("the name has no NUL");
        assert!(
            matches!(none.open(&path, OpenMode::Read), Err(HostError::Io(message)) if message.contains("no such VFS"))
        );
    }

    #[test]
    fn a_database_is_encrypted_above_another_vfs() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let path = folder.path().join("m.db").to_string_lossy().into_owned();
        let connection = connect(&path, 1).expect("the folder is writable");
        connection
            .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES ('quelxomandril')")
            .expect("it is open");
        // The journal holds what is deleted until the transaction ends.
        connection.execute_batch("BEGIN; DELETE FROM t").expect("it is open");
        connection.cache_flush().expect("there are changed pages");
        for file in [&path, &format!("{path}-journal")] {
            let bytes = std::fs::read(file).expect("it was written");
            assert!(bytes.len() > 4096);
            assert!(!bytes.windows(13).any(|piece| piece == b"quelxomandril"), "{file}");
        }
        drop(connection);
        let before = std::fs::read(&path).expect("it was written");
        let refused = connect(&path, 2).expect_err("the key is that of another database");
        assert_eq!(
            crate::take_last_failure().map(|failure| failure.error),
            Some(HostError::WrongKey),
            "{refused}"
        );
        assert_eq!(std::fs::read(&path).expect("it was written"), before);
        let connection = connect(&path, 1).expect("the key is its own");
        let rows: i64 =
            connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).expect("it is open");
        assert_eq!(rows, 1);
    }
}
