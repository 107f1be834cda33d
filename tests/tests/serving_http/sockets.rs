//! The native server on a Unix socket.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use limbic_support::http::TOKEN;
use limbic_tests::stdio::limbic_binary;
use tempfile::tempdir;

use super::{PING, refused};

const MAX_WAIT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// A server on a socket. It ends when this is dropped.
struct OnSocket(Child);

impl OnSocket {
    /// Starts a server, and waits until it answers.
    fn start(database: &Path, socket: &Path) -> Result<OnSocket> {
        let mut limbic = Command::new(limbic_binary()?);
        limbic.args(["serve", "--no-model", "--db"]).arg(database).args(["--http", &address(socket)]);
        let child = limbic.env("LIMBIC_TOKEN", TOKEN).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut server = OnSocket(child);
        wait_until("it answers", || Ok(status(socket, TOKEN).is_ok_and(|status| status == 200)))?;
        ensure!(server.0.try_wait()?.is_none(), "another server answered");
        Ok(server)
    }
}

impl Drop for OnSocket {
    fn drop(&mut self) {
        // One that has ended already cannot be killed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn address(socket: &Path) -> String {
    format!("unix:{}", socket.display())
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !is_so()? {
        ensure!(start.elapsed() < MAX_WAIT, "never: {what}");
        thread::sleep(PAUSE);
    }
    Ok(())
}

/// The status of a ping with this token.
fn status(socket: &Path, token: &str) -> Result<u16> {
    let mut stream = UnixStream::connect(socket)?;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{PING}",
        PING.len()
    );
    stream.write_all(request.as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    response.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")
}

#[test]
fn a_socket_serves_its_owner_alone_and_is_replaced_when_a_killed_server_has_left_it() -> Result<()> {
    let folder = tempdir()?;
    let (database, socket) = (folder.path().join("memory.db"), folder.path().join("memory.sock"));
    let first = OnSocket::start(&database, &socket)?;
    ensure!(std::fs::metadata(&socket)?.permissions().mode() & 0o777 == 0o600);
    ensure!(status(&socket, "another-token-of-a-client")? == 401);
    let database_path = database.to_str().context("a path is text")?;
    let text = refused(&["--db", database_path, "--http", &address(&socket)])?;
    ensure!(text.contains("is in use: choose another path"), "{text}");
    let text = refused(&["--http", &address(&socket), "--ui", "3000"])?;
    ensure!(text.contains("--http names a socket and --ui a port"), "{text}");
    drop(first);
    ensure!(socket.exists(), "a killed server leaves its socket");
    let mut second = OnSocket::start(&database, &socket)?;
    ensure!(Command::new("kill").arg(second.0.id().to_string()).status()?.success());
    wait_until("it ends", || Ok(second.0.try_wait()?.is_some()))?;
    ensure!(!socket.exists(), "a server that ends removes its socket");
    Ok(())
}
