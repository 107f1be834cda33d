//! A PostgreSQL server in a folder of its own, on a free port, with syncs.
#![cfg(unix)]

use std::fs;
use std::os::unix::{
    fs::{PermissionsExt, chown},
    process::CommandExt,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tempfile::TempDir;

use crate::free_port;
use crate::postgres_programs::{folder, owner, quiet};

/// Set where the tests must not be skipped.
const REQUIRED: &str = "LIMBIC_TEST_REQUIRE_POSTGRES";
/// The owner of the cluster and its password.
const USER: &str = "limbic";
/// The password of every role in tests.
pub const PASSWORD: &str = "not-a-secret-7";
/// Settings are read by then.
const RELOAD_TIME: Duration = Duration::from_secs(30);

/// A running server. It ends when this is dropped.
pub struct Cluster {
    folder: TempDir,
    port: u16,
    password: String,
    programs: PathBuf,
    owner: Option<(u32, u32)>,
}

/// The cluster that the tests of a program share, as long as one of them runs.
static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());

impl Cluster {
    /// A cluster that tests share. `None`, with a message, where PostgreSQL is not installed.
    ///
    /// # Errors
    /// If it does not start.
    pub fn shared() -> Result<Option<Arc<Self>>> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = shared.upgrade() {
            return Ok(Some(cluster));
        }
        let cluster = Self::start()?.map(Arc::new);
        *shared = cluster.as_ref().map_or_else(Weak::new, Arc::downgrade);
        Ok(cluster)
    }

    /// Creates a cluster. `None`, with a message, if PostgreSQL is not installed.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start() -> Result<Option<Self>> {
        Self::start_with(PASSWORD)
    }

    /// As [`Cluster::start`], whose owner has this password.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_with(password: &str) -> Result<Option<Self>> {
        Self::create(password, None)
    }

    /// As [`Cluster::start`], with its log of changes on this disk, in files of one megabyte. The disk must be dropped
    /// later.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_with_log_on(disk: &SmallDisk) -> Result<Option<Self>> {
        Self::create(PASSWORD, Some(disk))
    }

    fn create(password: &str, disk: Option<&SmallDisk>) -> Result<Option<Self>> {
        let Some(programs) = folder() else {
            ensure!(std::env::var_os(REQUIRED).is_none(), "PostgreSQL is not installed");
            eprintln!("skipped: PostgreSQL is not installed (Debian: apt-get install postgresql)");
            return Ok(None);
        };
        let cluster = Self::in_a_new_folder(programs, password)?;
        let (data, file) = (cluster.data(), cluster.folder.path().join("password"));
        fs::write(&file, password)?;
        if let Some((user, group)) = cluster.owner {
            chown(&file, Some(user), Some(group))?;
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
        let mut init = cluster.command("initdb");
        init.args(["--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--no-locale", "-U", USER]);
        if let Some(disk) = disk {
            let folder = disk.folder();
            fs::create_dir(&folder)?;
            if let Some((user, group)) = cluster.owner {
                chown(&folder, Some(user), Some(group))?;
            }
            init.arg("--wal-segsize=1").arg("--waldir").arg(folder);
        }
        quiet(init.arg("--pwfile").arg(&file).arg("-D").arg(&data))?;
        let settings = format!(
            "port = {}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 600\n\
             shared_buffers = 32MB\nfsync = on\nlog_min_error_statement = error\n",
            cluster.port
        );
        let mut all = fs::read_to_string(data.join("postgresql.conf"))?;
        all.push_str(&settings);
        fs::write(data.join("postgresql.conf"), all)?;
        cluster.resume()?;
        Ok(Some(cluster))
    }

    fn in_a_new_folder(programs: PathBuf, password: &str) -> Result<Self> {
        let (folder, port, password) = (tempfile::tempdir()?, free_port()?, password.to_owned());
        let cluster = Self { folder, port, password, programs, owner: owner()? };
        if let Some((user, group)) = cluster.owner {
            chown(cluster.folder.path(), Some(user), Some(group))?;
        }
        Ok(cluster)
    }

    /// Starts a standby that follows this server. Commits do not wait for it before [`Cluster::wait_for_standby`].
    ///
    /// # Errors
    /// If it does not start.
    pub fn standby(&self) -> Result<Self> {
        let standby = Self::in_a_new_folder(self.programs.clone(), &self.password)?;
        let mut copy = standby.command("pg_basebackup");
        copy.args(["--no-sync", "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf"]);
        copy.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", USER])
            .env("PGPASSWORD", &self.password);
        quiet(copy.arg("-D").arg(standby.data()))?;
        let file = standby.data().join("postgresql.conf");
        let settings = fs::read_to_string(&file)?
            + &format!("port = {}\nwal_retrieve_retry_interval = 100ms\n", standby.port);
        fs::write(&file, settings)?;
        standby.resume()?;
        Ok(standby)
    }

    /// Has each commit wait until the standby has it.
    ///
    /// # Errors
    /// When the setting is refused.
    pub fn wait_for_standby(&self) -> Result<()> {
        self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        self.sql("postgres", "SELECT pg_reload_conf()")?;
        Ok(())
    }

    /// Makes a standby the server that writes.
    ///
    /// # Errors
    /// If the promotion fails.
    pub fn promote(&self) -> Result<()> {
        quiet(self.command("pg_ctl").args(["promote", "-w", "-D"]).arg(self.data()))
    }

    /// The folder that holds it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The port that it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a memory that is on this server, or on another after a failover.
    #[must_use]
    pub fn address_with(&self, other: &Self, memory: &str) -> String {
        let hosts = format!("127.0.0.1:{},127.0.0.1:{}", self.port, other.port);
        format!("postgres://{USER}:{}@{hosts}/postgres?memory={memory}", self.password)
    }

    /// The address of a memory, for the cluster's owner.
    #[must_use]
    pub fn address(&self, memory: &str) -> String {
        self.address_in("postgres", memory)
    }

    /// The address of a memory in a database, for the cluster's owner.
    #[must_use]
    pub fn address_in(&self, database: &str, memory: &str) -> String {
        self.address_of(USER, &self.password, database, memory)
    }

    /// The address of a memory.
    #[must_use]
    pub fn address_of(&self, user: &str, password: &str, database: &str, memory: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}?memory={memory}", self.port)
    }

    /// Runs SQL in a database. Returns its output.
    ///
    /// # Errors
    /// When it fails.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = self.client("psql", database);
        let output = psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql]).output()?;
        ensure!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Writes a backup of a database to a file, as SQL that replaces its tables.
    ///
    /// # Errors
    /// When it fails.
    pub fn dump(&self, database: &str, file: &Path) -> Result<()> {
        quiet(self.client("pg_dump", database).args(["--clean", "--if-exists", "-f"]).arg(file))
    }

    /// Runs the SQL of a file in a database, in one transaction.
    ///
    /// # Errors
    /// When it fails.
    pub fn restore(&self, database: &str, file: &Path) -> Result<()> {
        let mut psql = self.client("psql", database);
        quiet(psql.args(["-Xq", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f"]).arg(file))
    }

    /// A program that connects to a database as the cluster's owner.
    fn client(&self, program: &str, database: &str) -> Command {
        let mut client = Command::new(self.programs.join(program));
        client.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", USER, "-d", database]);
        client.env("PGPASSWORD", &self.password);
        client
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
    /// If it does not start.
    pub fn resume(&self) -> Result<()> {
        let log = self.folder.path().join("log");
        quiet(self.command("pg_ctl").args(["-w", "start", "-l"]).arg(&log).arg("-D").arg(self.data()))
    }

    /// Has the server offer TLS. It asks clients for a certificate of the authority, and accepts those without, unless
    /// [`Cluster::add_rules`] says otherwise.
    ///
    /// # Errors
    /// When it does not.
    pub fn offer_tls(&self, certificate: &Path, key: &Path, authority: &Path) -> Result<()> {
        for (from, name) in [(certificate, "server.crt"), (key, "server.key"), (authority, "root.crt")] {
            let file = self.data().join(name);
            fs::copy(from, &file)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
            if let Some((user, group)) = self.owner {
                chown(&file, Some(user), Some(group))?;
            }
        }
        self.sql("postgres", "ALTER SYSTEM SET ssl = on")?;
        self.sql("postgres", "ALTER SYSTEM SET ssl_ca_file = 'root.crt'")?;
        self.crash()?;
        self.resume()
    }

    /// Puts lines in front of those of `pg_hba.conf`, which say how clients may connect.
    ///
    /// # Errors
    /// If the file cannot be changed or the server does not read it.
    pub fn add_rules(&self, lines: &str) -> Result<()> {
        let file = self.data().join("pg_hba.conf");
        let all = format!("{lines}\n{}", fs::read_to_string(&file)?);
        fs::write(&file, all)?;
        let refused = self.sql("postgres", "SELECT error FROM pg_hba_file_rules WHERE error IS NOT NULL")?;
        ensure!(refused.is_empty(), "{refused}");
        self.reload()
    }

    /// Has the server read its settings again, and waits until new connections have them.
    ///
    /// # Errors
    /// If it does not read them.
    pub fn reload(&self) -> Result<()> {
        let loaded = || self.sql("postgres", "SELECT pg_conf_load_time()");
        let (before, start) = (loaded()?, Instant::now());
        self.sql("postgres", "SELECT pg_reload_conf()")?;
        while loaded()? == before {
            ensure!(start.elapsed() < RELOAD_TIME, "the settings are not read");
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// The log of the server.
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

/// A file system of some megabytes in memory. It is removed when this is dropped.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// Mounts one. `None`, with a message, where that is not allowed: it needs root and Linux.
    ///
    /// # Errors
    /// If there is no folder for it.
    pub fn mount(megabytes: u32) -> Result<Option<Self>> {
        let folder = tempfile::tempdir()?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=755"), "tmpfs"]).arg(folder.path());
        match quiet(&mut mount) {
            Ok(()) => Ok(Some(Self(folder))),
            Err(error) => {
                eprintln!("skipped: no small disk can be mounted, which needs root: {error:#}");
                Ok(None)
            }
        }
    }

    /// Gives it this size.
    ///
    /// # Errors
    /// When that fails.
    pub fn grow(&self, megabytes: u32) -> Result<()> {
        let options = format!("remount,size={megabytes}m");
        quiet(Command::new("mount").args(["-o", &options]).arg(self.0.path()))
    }

    /// The folder that a cluster makes on it for its log.
    fn folder(&self) -> PathBuf {
        self.0.path().join("log")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Also while a server that has not ended yet uses it.
        let _ = quiet(Command::new("umount").arg("--lazy").arg(self.0.path()));
    }
}
