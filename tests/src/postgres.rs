//! A PostgreSQL server for tests: a cluster in a folder of its own, on a free port, with syncs.

use std::{
    fs, net,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

/// Where Debian and others install the programs of the server, below this folder by version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Set where the tests must not be skipped.
const REQUIRED: &str = "LIMBIC_TEST_REQUIRE_POSTGRES";
/// The owner of the cluster and its password.
const USER: &str = "limbic";
/// The password of every role.
pub const PASSWORD: &str = "not-a-secret-7";

/// A running server. It ends when this is dropped.
pub struct Cluster {
    folder: TempDir,
    port: u16,
    programs: PathBuf,
    owner: Option<(u32, u32)>,
}

/// The cluster that the tests of a program share, as long as one of them runs.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

impl Cluster {
    /// A cluster that tests share. `None`, with a message, where PostgreSQL is not installed.
    ///
    /// # Errors
    /// When it does not start.
    pub fn shared() -> Result<Option<Arc<Self>>> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = shared.upgrade() {
            return Ok(Some(cluster));
        }
        let cluster = Self::start()?.map(Arc::new);
        *shared = cluster.as_ref().map_or_else(Weak::new, Arc::downgrade);
        Ok(cluster)
    }

    /// A cluster of one's own. `None`, with a message, where PostgreSQL is not installed.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start() -> Result<Option<Self>> {
        let Some(programs) = programs() else {
            ensure!(std::env::var_os(REQUIRED).is_none(), "PostgreSQL is not installed");
            eprintln!("skipped: PostgreSQL is not installed (Debian: apt-get install postgresql)");
            return Ok(None);
        };
        let cluster = Self { folder: tempfile::tempdir()?, port: free_port()?, programs, owner: owner()? };
        if let Some((user, group)) = cluster.owner {
            chown(cluster.folder.path(), Some(user), Some(group))?;
        }
        let password = cluster.folder.path().join("password");
        fs::write(&password, PASSWORD)?;
        let data = cluster.data();
        let mut init = cluster.command("initdb");
        init.args(["--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--no-locale", "-U", USER]);
        quiet(init.arg("--pwfile").arg(&password).arg("-D").arg(&data))?;
        let settings = format!(
            "port = {}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 120\n\
             shared_buffers = 32MB\nfsync = on\nlog_min_error_statement = error\n",
            cluster.port
        );
        let mut all = fs::read_to_string(data.join("postgresql.conf"))?;
        all.push_str(&settings);
        fs::write(data.join("postgresql.conf"), all)?;
        cluster.resume()?;
        Ok(Some(cluster))
    }

    /// The address of a memory, for the cluster's owner.
    #[must_use]
    pub fn address(&self, memory: &str) -> String {
        self.address_of(USER, PASSWORD, "postgres", memory)
    }

    /// The address of a memory.
    #[must_use]
    pub fn address_of(&self, user: &str, password: &str, database: &str, memory: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}?memory={memory}", self.port)
    }

    /// Runs SQL in a database; answers what it prints.
    ///
    /// # Errors
    /// When it fails.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let port = self.port.to_string();
        let output = Command::new(self.programs.join("psql"))
            .args([
                "-XAtq",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                "127.0.0.1",
                "-p",
                &port,
                "-U",
                USER,
                "-d",
                database,
            ])
            .args(["-c", sql])
            .env("PGPASSWORD", PASSWORD)
            .output()?;
        ensure!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Ends the server as a crash does.
    ///
    /// # Errors
    /// When it does not end.
    pub fn crash(&self) -> Result<()> {
        quiet(self.command("pg_ctl").args(["-m", "immediate", "-w", "stop", "-D"]).arg(self.data()))
    }

    /// Starts the server again.
    ///
    /// # Errors
    /// When it does not start.
    pub fn resume(&self) -> Result<()> {
        let log = self.folder.path().join("log");
        quiet(self.command("pg_ctl").args(["-w", "start", "-l"]).arg(&log).arg("-D").arg(self.data()))
    }

    /// Has the server offer TLS.
    ///
    /// # Errors
    /// When it does not.
    pub fn offer_tls(&self, certificate: &Path, key: &Path) -> Result<()> {
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let file = self.data().join(name);
            fs::copy(from, &file)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
            if let Some((user, group)) = self.owner {
                chown(&file, Some(user), Some(group))?;
            }
        }
        self.sql("postgres", "ALTER SYSTEM SET ssl = on")?;
        self.crash()?;
        self.resume()
    }

    /// What the server has logged.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(self.folder.path().join("log"))?)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.folder.path());
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // One that has ended already cannot be stopped.
        let _ = self.crash();
    }
}

/// Runs a command; what it prints is shown if it fails.
fn quiet(command: &mut Command) -> Result<()> {
    // A server that is started keeps the outputs open, so they are a file rather than a pipe.
    let output = tempfile::NamedTempFile::new()?;
    let (standard, error) = (output.reopen()?, output.reopen()?);
    let status = command.stdin(Stdio::null()).stdout(standard).stderr(error).status()?;
    if !status.success() {
        bail!("{command:?}: {status}\n{}", fs::read_to_string(output.path())?);
    }
    Ok(())
}

/// The folder of the newest server's programs.
fn programs() -> Option<PathBuf> {
    let versions =
        fs::read_dir(VERSIONS).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let number = |folder: &Path| {
        folder.parent().and_then(Path::file_name).and_then(|name| name.to_str()?.parse::<u32>().ok())
    };
    let mut found: Vec<PathBuf> = versions.chain(on_path.unwrap_or_default()).collect();
    found.retain(|folder| ["initdb", "pg_ctl", "psql"].iter().all(|program| folder.join(program).is_file()));
    found.sort_by_key(|folder| number(folder));
    found.pop()
}

/// The user and group that run the server: it refuses to run as root.
fn owner() -> Result<Option<(u32, u32)>> {
    let id = |arguments: &[&str]| -> Result<u32> {
        let output = Command::new("id").args(arguments).output()?;
        String::from_utf8(output.stdout)?.trim().parse().context("id prints a number")
    };
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    let name = if id(&["-u", "postgres"]).is_ok() { "postgres" } else { "nobody" };
    Ok(Some((id(&["-u", name])?, id(&["-g", name])?)))
}

fn free_port() -> Result<u16> {
    Ok(net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
