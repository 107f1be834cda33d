//! A Unix socket that only its owner can connect to.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};

use anyhow::{Result, anyhow, bail};

/// The permissions of a socket: its owner alone may connect.
const OWNER_ONLY: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// A socket that listens. Its file is removed with it.
pub struct Socket {
    listener: UnixListener,
    file: SocketFile,
}

/// A socket that accepts connections in a runtime.
pub struct AsyncSocket {
    listener: tokio::net::UnixListener,
    _file: SocketFile,
}

/// The file of a socket, which is removed when this is dropped, unless another server has replaced it.
struct SocketFile {
    path: PathBuf,
    inode: u64,
}

impl Socket {
    /// Listens on a socket. One that a killed server has left is replaced.
    ///
    /// # Errors
    /// When a server listens there, when another file is there, and when the folder is missing or may not be written.
    pub fn bind(path: &Path) -> Result<Socket> {
        require_free(path)?;
        let (listener, file) = create(path).map_err(|error| {
            let path = path.display();
            anyhow!("--http: the socket {path} cannot be made: {error}; choose a folder that you may write")
        })?;
        Ok(Socket { listener, file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Accepts connections from now on.
    ///
    /// # Errors
    /// When the runtime cannot watch the socket.
    pub fn accepting(self) -> io::Result<AsyncSocket> {
        let listener = tokio::net::UnixListener::from_std(self.listener)?;
        Ok(AsyncSocket { listener, _file: self.file })
    }
}

impl AsyncSocket {
    /// The next connection.
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<tokio::net::UnixStream>> {
        self.listener.poll_accept(context).map_ok(|(stream, _)| stream)
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode) {
            // A file that stays is replaced by the next server.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates the socket in a folder that nobody else can enter, so that it is never reachable with other permissions, and
/// moves it to its place.
fn create(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // The path of a socket has about a hundred bytes at most.
    let private = tempfile::Builder::new()
        .prefix(".")
        .rand_bytes(4)
        .permissions(Permissions::from_mode(PRIVATE_FOLDER))
        .tempdir_in(folder)?;
    let made = private.path().join("s");
    let listener = UnixListener::bind(&made)?;
    listener.set_nonblocking(true)?;
    fs::set_permissions(&made, Permissions::from_mode(OWNER_ONLY))?;
    let inode = fs::symlink_metadata(&made)?.ino();
    fs::rename(&made, path)?;
    Ok((listener, SocketFile { path: path.to_owned(), inode }))
}

fn require_free(path: &Path) -> Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        bail!("--http: {} is not a socket: choose another path", path.display());
    }
    match UnixStream::connect(path) {
        // Nobody listens there any more.
        Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound) => {
            Ok(())
        }
        _ => bail!("--http: the socket {} is in use: choose another path", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_private_and_is_replaced_when_no_process_listens() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("memory.sock");
        let refused = |path: &Path| Socket::bind(path).map(drop).expect_err("it is refused").to_string();
        let first = Socket::bind(&path).expect("the path is free");
        assert_eq!(fs::symlink_metadata(&path).expect("it is there").mode() & 0o777, OWNER_ONLY);
        assert!(refused(&path).contains("is in use"));
        // As a killed server leaves it.
        let Socket { listener, file } = first;
        drop(listener);
        let second = Socket::bind(&path).expect("nobody listens");
        drop(file);
        assert!(path.exists(), "the socket of another server stays");
        drop(second);
        assert!(!path.exists());
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0);
        fs::write(&path, "a note").expect("the folder is ours");
        assert!(refused(&path).contains("is not a socket"));
        assert!(refused(&folder.path().join("missing").join("memory.sock")).contains("cannot be made"));
    }
}
