//! PgBouncer in front of a PostgreSQL server, in a folder of its own, on a free port.
#![cfg(unix)]

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::{fs::chown, process::CommandExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tempfile::TempDir;

use crate::free_port;
use crate::postgres::Cluster;
use crate::postgres_programs::owner;

/// Set where the tests must not be skipped.
const REQUIRED: &str = "LIMBIC_TEST_REQUIRE_PGBOUNCER";
/// The folder of programs that Debian leaves out of the PATH of users.
const SYSTEM_PROGRAMS: &str = "/usr/sbin";
/// It listens by then.
const START_TIME: Duration = Duration::from_secs(30);

/// A running pooler. It ends when this is dropped.
pub struct PgBouncer {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl PgBouncer {
    /// A pooler with these settings, such as `pool_mode=session`, in front of this server, which must ask the pooler
    /// for no password. `None`, with a message, where PgBouncer is not installed.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(cluster: &Cluster, settings: &str) -> Result<Option<Self>> {
        let Some(program) = program() else {
            ensure!(std::env::var_os(REQUIRED).is_none(), "PgBouncer is not installed");
            eprintln!("skipped: PgBouncer is not installed (Debian: apt-get install pgbouncer)");
            return Ok(None);
        };
        let (folder, port) = (tempfile::tempdir()?, free_port()?);
        let file = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}\n{settings}\n",
            cluster.port(),
            folder.path().join("users").display()
        );
        fs::write(&file, text)?;
        fs::write(folder.path().join("users"), "\"limbic\" \"\"\n")?;
        let mut command = Command::new(program);
        command.arg("-q").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((user, group)) = owner()? {
            for path in [folder.path(), &file, &folder.path().join("users")] {
                chown(path, Some(user), Some(group))?;
            }
            command.uid(user).gid(group);
        }
        let mut pooler = Self { process: command.spawn()?, port, _folder: folder };
        let start = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            ensure!(pooler.process.try_wait()?.is_none(), "PgBouncer has ended");
            ensure!(start.elapsed() < START_TIME, "PgBouncer does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(Some(pooler))
    }

    /// The port of the pooler.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        // One that has ended already cannot be stopped.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let folders = on_path.into_iter().flatten().chain([PathBuf::from(SYSTEM_PROGRAMS)]);
    folders.map(|folder| folder.join("pgbouncer")).find(|program| program.is_file())
}
