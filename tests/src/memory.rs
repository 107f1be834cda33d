//! The native back end: the tools in this process, with the test encoder.

use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use limbic_code_disk::DiskFiles;
use limbic_core::{
    Host,
    db::ownership,
    rusqlite::{Connection, OpenFlags},
};
use limbic_encoder::Encoder;
use limbic_protocol::{Encoding, TextKind};
use limbic_tools::{Caller, CallerKind, IndexStep, Limbic, Neighbour, Options, SessionId, Source};
use limbic_vfs::{Access, Host as _, Reader, StdHost};

use crate::{BackEnd, START_MILLIS, project, stdio::CLIENT, transcript};

/// A host that must not be called, because the options set a test clock.
pub struct NoHost;

impl Host for NoHost {
    fn now_millis(&self) -> i64 {
        START_MILLIS
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// A host whose random bytes differ at each call, so that sessions and plans get different ids.
#[derive(Default)]
pub struct CountingHost(Cell<u8>);

impl Host for CountingHost {
    fn now_millis(&self) -> i64 {
        START_MILLIS
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.0.set(self.0.get().wrapping_add(1));
        buffer.fill(self.0.get());
    }
}

/// Tools and test encoder; drains the embedding queue before each call.
pub struct Native {
    limbic: Limbic,
    encoder: Encoder,
}

impl Native {
    /// Opens or creates a database file.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn open(path: &Path) -> Result<Self> {
        Self::with(connect(path)?, Options { test_clock: Some(START_MILLIS), ..Options::default() })
    }

    /// Opens or creates a database file, and offers these toolsets.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn offering(path: &Path, toolsets: &[&str]) -> Result<Self> {
        let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        Self::with(connect(path)?, Options { test_clock: Some(START_MILLIS), toolsets, ..Options::default() })
    }

    /// Opens or creates a database file, and offers the toolsets of a transcript.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn for_transcript(path: &Path, case: &Path) -> Result<Self> {
        let toolsets = transcript::toolsets(case).into_iter().map(Into::into).collect();
        let compat = transcript::compat(case).map(Into::into);
        let code = transcript::has_code(case);
        let options =
            Options { test_clock: Some(START_MILLIS), toolsets, compat, code, ..Options::default() };
        let mut native = Self::with(connect(path)?, options)?;
        native.limbic.introduce(
            &SessionId::default(),
            Caller { kind: CallerKind::Client, client: CLIENT.to_owned(), ..Caller::default() },
        );
        if code {
            native.limbic.set_code_files(Box::new(DiskFiles::below_root(&project("tests/files"))));
        }
        Ok(native)
    }

    /// Uses a connection, with these options.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn with(connection: Connection, options: Options) -> Result<Self> {
        Ok(Self { limbic: Limbic::open(connection, Box::new(NoHost), options)?, encoder: Encoder::test() })
    }

    /// A database in memory.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn in_memory() -> Result<Self> {
        limbic_vfs::register_vec0();
        Self::with(
            Connection::open_in_memory()?,
            Options { test_clock: Some(START_MILLIS), ..Options::default() },
        )
    }

    /// A database in memory, some days after the start: to an import, times ahead of the clock are none.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn in_memory_later(days: i64) -> Result<Self> {
        const DAY_MILLIS: i64 = 24 * 3600 * 1000;
        limbic_vfs::register_vec0();
        let test_clock = Some(START_MILLIS + days * DAY_MILLIS);
        Self::with(Connection::open_in_memory()?, Options { test_clock, ..Options::default() })
    }

    /// A database in memory that offers these toolsets.
    ///
    /// # Errors
    /// As [`Limbic::open`].
    pub fn in_memory_offering(toolsets: &[&str]) -> Result<Self> {
        limbic_vfs::register_vec0();
        let toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        Self::with(
            Connection::open_in_memory()?,
            Options { test_clock: Some(START_MILLIS), toolsets, ..Options::default() },
        )
    }

    /// Replaces the encoder, as a server with another model does.
    #[must_use]
    pub fn with_encoder(self, encoder: Encoder) -> Self {
        Self { encoder, ..self }
    }

    /// The encoder.
    #[must_use]
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The memory itself.
    pub fn limbic(&mut self) -> &mut Limbic {
        &mut self.limbic
    }

    /// Indexes source code, and drains the embedding queue.
    pub fn drain(&mut self) -> Result<()> {
        while self.limbic.index_step()? == IndexStep::Worked {}
        self.limbic.store_vectors(&[], self.encoder.name())?;
        loop {
            let tasks = self.limbic.pending(64)?;
            if tasks.is_empty() {
                return Ok(());
            }
            let encodings = self.encoder.encode(&tasks);
            self.limbic.store_vectors(&encodings, self.encoder.name())?;
        }
    }

    /// Encodes up to 64 texts, and stores those of memories with changed vectors.
    ///
    /// # Errors
    /// When they cannot be stored.
    pub fn drain_changed(&mut self, change: impl Fn(&mut Vec<f32>)) -> Result<()> {
        let tasks = self.limbic.pending(64)?;
        let mut encodings = self.encoder.encode(&tasks);
        for encoding in encodings.iter_mut().flatten() {
            if let Encoding::Text { key, vector, .. } = encoding
                && key.kind == TextKind::Memory
            {
                change(vector);
            }
        }
        self.limbic.store_vectors(&encodings, self.encoder.name())?;
        Ok(())
    }
}

/// A file, and the files beside it.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Source for File {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn sidecar(&mut self, suffix: &str) -> std::result::Result<Neighbour, String> {
        let mut path = self.path.clone().into_os_string();
        path.push(suffix);
        Ok(match fs::read(&path) {
            Ok(bytes) => Neighbour::File(Box::new(Self { path: path.into(), bytes })),
            Err(_) => Neighbour::Nothing,
        })
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> std::result::Result<usize, String> {
        self.bytes.read_at(buffer, offset)
    }
}

impl BackEnd for Native {
    fn call(&mut self, tool: &str, arguments: &str) -> Result<(bool, String)> {
        self.drain()?;
        let encodings = self.encoder.encode(&self.limbic.texts(tool, arguments));
        let answer = match self.limbic.file_argument(tool, arguments) {
            None => self.limbic.call(tool, arguments, &encodings),
            Some(path) => match fs::read(&path) {
                Ok(bytes) => {
                    let mut file = File { path: path.into(), bytes };
                    self.limbic.call_with_file(tool, arguments, &encodings, &mut file, &mut |_, _| {})
                }
                Err(_) => self.limbic.file_error(&path, "there is no such file"),
            },
        };
        self.limbic.finish()?;
        Ok((answer.is_error, answer.json))
    }
}

/// Opens a Limbic database over limbic-vfs.
///
/// # Errors
/// Errors of SQLite; the file belongs to another program.
pub fn connect(path: &Path) -> Result<Connection> {
    if let Ok(path) = StdHost.real_path(&path.to_string_lossy()) {
        ownership::require_ours(&path, |path| Reader::open(&StdHost, path).ok())?;
    }
    limbic_vfs::register_vec0();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    Ok(limbic_vfs::connect(path, flags, StdHost, Access::default())?)
}
