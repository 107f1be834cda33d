//! A memory with the code index, and a project in a folder of its own.

mod changing;
mod locking;
mod rows;
mod trapping;

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use limbic_code_disk::DiskFiles;
use limbic_core::{Host, rusqlite::Connection};
use limbic_support::success;
use limbic_tools::{IndexStep, Limbic, Options};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

pub use changing::ChangingFiles;
pub use locking::{Locked, locking_files};

/// The moment at which the test clock begins: 2026-01-01 00:00:00 UTC, in milliseconds.
const START_MILLIS: i64 = 1_767_225_600_000;

/// A connection to a database file.
///
/// # Errors
/// Errors of SQLite.
pub fn connect(path: &Path) -> Result<Connection> {
    limbic_vfs::register_vec0();
    Ok(Connection::open(path)?)
}

/// A host whose random bytes are a given one, so that several servers differ.
struct NumberedHost(u8);

impl Host for NumberedHost {
    fn now_millis(&self) -> i64 {
        START_MILLIS
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// A host whose time a test sets, in Unix milliseconds.
struct SetHost(Rc<Cell<i64>>);

impl Host for SetHost {
    fn now_millis(&self) -> i64 {
        self.0.get()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(1);
    }
}

/// A host that notes how long write transactions wait for others.
struct ListeningHost(Rc<RefCell<Vec<Duration>>>);

impl Host for ListeningHost {
    fn now_millis(&self) -> i64 {
        START_MILLIS
    }

    fn expect_write(&self, wait: Option<Duration>) {
        self.0.borrow_mut().extend(wait);
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(1);
    }
}

/// A project and a database, in a temporary folder.
pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    /// An empty project.
    ///
    /// # Errors
    /// When no folder can be made.
    pub fn new() -> Result<Self> {
        let folder = tempdir()?;
        fs::create_dir(folder.path().join("project"))?;
        Ok(Self { folder })
    }

    /// The project's folder.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Writes a file of the project.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        let file = self.project().join(path);
        fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
        Ok(fs::write(file, bytes)?)
    }

    /// Deletes a file of the project.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn remove(&self, path: &str) -> Result<()> {
        Ok(fs::remove_file(self.project().join(path))?)
    }

    /// Options with every tool.
    #[must_use]
    pub fn options() -> Options {
        let toolsets = vec!["all".to_owned(), "explorer".to_owned()];
        Options { toolsets, code: true, ..Options::default() }
    }

    /// Opens a database of this name, as the server of a number.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open(&self, database: &str, server: u8) -> Result<Server> {
        self.open_after(database, server, 0)
    }

    /// Opens it this many seconds after the start.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_after(&self, database: &str, server: u8, seconds: i64) -> Result<Server> {
        let test_clock = Some(START_MILLIS + seconds * 1000);
        self.open_with(database, server, Options { test_clock, ..Options::default() })
    }

    /// Opens it with a clock that the test sets, in Unix milliseconds.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_at(&self, database: &str, now_millis: &Rc<Cell<i64>>) -> Result<Server> {
        let connection = connect(&self.folder.path().join(database))?;
        self.open_with_host(connection, Box::new(SetHost(now_millis.clone())), Options::default())
    }

    /// Opens it, and notes how long each of its write transactions waits for others.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_listening(&self, database: &str, waits: &Rc<RefCell<Vec<Duration>>>) -> Result<Server> {
        let connection = connect(&self.folder.path().join(database))?;
        self.open_with_host(connection, Box::new(ListeningHost(waits.clone())), Options::default())
    }

    /// Opens it read-only.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_read_only(&self, database: &str, server: u8) -> Result<Server> {
        let test_clock = Some(START_MILLIS);
        self.open_with(database, server, Options { test_clock, read_only: true, ..Options::default() })
    }

    /// Opens it with the tools of a system that Limbic replaces.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_compatible(&self, database: &str, compat: &str) -> Result<Server> {
        let compat = Some(compat.to_owned());
        self.open_with(database, 1, Options { test_clock: Some(START_MILLIS), compat, ..Options::default() })
    }

    /// Opens it with room for this number of further pages, as on a disk that is nearly full.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_nearly_full(&self, database: &str, server: u8, pages: i64) -> Result<Server> {
        let connection = connect(&self.folder.path().join(database))?;
        let used: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        connection.pragma_update(None, "max_page_count", used + pages)?;
        self.open_on(connection, server, Options { test_clock: Some(START_MILLIS), ..Options::default() })
    }

    /// Opens it with a parser that some files trap: those that contain `trap`.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_trapping(&self, database: &str, server: u8) -> Result<Server> {
        let mut server = self.open(database, server)?;
        let files = DiskFiles::below_root(self.folder.path());
        server.limbic.set_code_files(Box::new(trapping::TrappingFiles(files)));
        Ok(server)
    }

    /// Opens it with the tools of memories, and without access to source code.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open_without_code(&self, database: &str, server: u8) -> Result<Server> {
        let connection = connect(&self.folder.path().join(database))?;
        let options = Options { test_clock: Some(START_MILLIS), ..Options::default() };
        Ok(Server { limbic: Limbic::open(connection, Box::new(NumberedHost(server)), options)? })
    }

    fn open_with(&self, database: &str, server: u8, options: Options) -> Result<Server> {
        self.open_on(connect(&self.folder.path().join(database))?, server, options)
    }

    fn open_on(&self, connection: Connection, server: u8, options: Options) -> Result<Server> {
        self.open_with_host(connection, Box::new(NumberedHost(server)), options)
    }

    fn open_with_host(
        &self,
        connection: Connection,
        host: Box<dyn Host>,
        options: Options,
    ) -> Result<Server> {
        let toolsets = if options.compat.is_some() { Vec::new() } else { Self::options().toolsets };
        let options = Options { toolsets, code: true, ..options };
        let mut limbic = Limbic::open(connection, host, options)?;
        limbic.set_code_files(Box::new(DiskFiles::below_root(self.folder.path())));
        Ok(Server { limbic })
    }

    /// The files of the chunks in the embedding queue, in its order.
    ///
    /// # Errors
    /// Errors of SQLite.
    pub fn queued_chunks(&self, database: &str) -> Result<Vec<String>> {
        let connection = connect(&self.folder.path().join(database))?;
        let mut statement = connection.prepare(
            "SELECT file_path FROM embedding_queue AS q JOIN code_chunks AS c ON c.id = q.id
             WHERE q.kind = 4 ORDER BY q.rowid",
        )?;
        let paths = statement.query_map([], |row| row.get(0))?;
        Ok(paths.collect::<limbic_core::rusqlite::Result<_>>()?)
    }

    /// The path of a database.
    #[must_use]
    pub fn database(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Every row of the index in a database, without row numbers and times, in an order of its own.
    pub fn rows(&self, database: &str) -> Result<Vec<String>> {
        rows::rows(&connect(&self.folder.path().join(database))?)
    }
}

/// A server with the code index.
pub struct Server {
    /// The tools.
    pub limbic: Limbic,
}

impl Server {
    /// Calls a tool that must succeed.
    ///
    /// # Errors
    /// When it fails.
    pub fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let answer = self.limbic.call(tool, &arguments.to_string(), &[]);
        success(tool, arguments, answer.is_error, &answer.json)
    }

    /// The error of a call that must fail.
    ///
    /// # Errors
    /// When it succeeds.
    pub fn refused(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let answer = self.limbic.call(tool, &arguments.to_string(), &[]);
        ensure!(answer.is_error, "{tool} {arguments}: {}", answer.json);
        Ok(answer.json)
    }

    /// Indexes a folder to the end.
    ///
    /// # Errors
    /// When it fails.
    pub fn index(&mut self, folder: &Path) -> Result<Value> {
        let status =
            self.ask("index_project", &json!({ "path": folder, "project_id": "p", "wait": true }))?;
        ensure!(status["status"] == "completed", "{status}");
        Ok(status)
    }

    /// Indexes what waits.
    pub fn index_pending(&mut self) -> Result<()> {
        while self.limbic.index_step()? == IndexStep::Worked {}
        Ok(())
    }

    /// The reasons why files were skipped, by path.
    ///
    /// # Errors
    /// When the call fails.
    pub fn skipped(&mut self) -> Result<Vec<(String, String)>> {
        let status = self.ask("get_index_status", &json!({ "project_id": "p" }))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(status["skipped"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| (text(&entry["file"]), text(&entry["why"])))
            .collect())
    }
}
