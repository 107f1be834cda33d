//! The core as a WebAssembly module: text and bytes in, text and bytes out.
//!
//! Expected failures of a call are part of its answer. Other failures throw an `Error` whose message is
//! `{error, code, hint?}`. A panic is a trap: the shell discards the instance and creates a new one.

#![cfg(target_arch = "wasm32")]

mod answer;
mod browser_host;
mod bytes;
mod code_host;
mod database_file;
mod encryption;
mod file_call;
mod file_host;
mod in_memory;
mod opfs;
mod options;
mod source;
mod thrown;

use js_sys::{Function, Promise, Uint8Array, futures::future_to_promise};
use limbic_core::{Error, Result};
use limbic_protocol::{from_bytes, to_bytes};
use limbic_tools::{Caller, CallerKind, IndexStep, Limbic, Options, SessionId};
use wasm_bindgen::prelude::*;

use answer::Answer;
use bytes::{BytesReader, wal_of};
use code_host::CodeHost;
use file_call::FileCall;
use file_host::FileHost;
use opfs::{Opened, Pool};
use source::{FileSource, JsSource};
use thrown::thrown;

/// Returns the tools that these options offer, in the format of `tools.json`. Invalid options offer the default tools.
#[wasm_bindgen]
#[must_use]
pub fn tools(options: &str) -> String {
    limbic_tools::tools_json(&serde_json::from_str::<Options>(options).unwrap_or_default())
}

/// Returns the resources that these options offer, in MCP's format.
#[wasm_bindgen]
#[must_use]
pub fn resources(options: &str) -> String {
    limbic_tools::resources_json(&serde_json::from_str::<Options>(options).unwrap_or_default())
}

/// Returns the resource templates that these options offer, in MCP's format.
#[wasm_bindgen]
#[must_use]
pub fn resource_templates(options: &str) -> String {
    limbic_tools::resource_templates_json(&serde_json::from_str::<Options>(options).unwrap_or_default())
}

/// Returns the prompts that these options offer, in MCP's format.
#[wasm_bindgen]
#[must_use]
pub fn prompts(options: &str) -> String {
    limbic_tools::prompts_json(&serde_json::from_str::<Options>(options).unwrap_or_default())
}

/// Returns the beginning of a JSON text, with at most `max_chars` characters, in which secrets are withheld, for a log
/// that people read.
#[wasm_bindgen]
#[must_use]
pub fn without_secrets(json: &str, max_chars: usize) -> String {
    limbic_tools::without_secrets(json, max_chars)
}

/// The export formats.
#[wasm_bindgen]
#[must_use]
pub fn export_formats() -> Vec<String> {
    limbic_tools::EXPORT_FORMATS.map(str::to_owned).to_vec()
}

/// The names of the hooks.
#[wasm_bindgen]
#[must_use]
pub fn hooks() -> Vec<String> {
    limbic_tools::HOOKS.map(str::to_owned).to_vec()
}

/// The export formats that are databases.
#[wasm_bindgen]
#[must_use]
pub fn database_formats() -> Vec<String> {
    limbic_tools::DATABASE_FORMATS.map(str::to_owned).to_vec()
}

/// The owners of the lock files of a database, as text for people.
#[wasm_bindgen]
pub struct Unlocked(limbic_vfs::Unlocked);

#[wasm_bindgen]
impl Unlocked {
    /// The programs that have the database open, and the removed lock files: several lines.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn report(&self) -> String {
        self.0.report.clone()
    }

    /// Whether lock files remain because the removal was not confirmed.
    #[wasm_bindgen(getter, js_name = needsConfirmation)]
    #[must_use]
    pub fn needs_confirmation(&self) -> bool {
        self.0.needs_confirmation
    }
}

/// Lists the programs that have the database at `path` open; if `confirmed`, removes the lock files of owners not known
/// to be running.
///
/// # Errors
/// If the lock files cannot be read or removed.
#[wasm_bindgen]
pub fn unlock(host: FileHost, path: &str, confirmed: bool) -> std::result::Result<Unlocked, JsValue> {
    database_file::unlock(host, path, confirmed).map(Unlocked).map_err(thrown)
}

/// An open memory.
#[wasm_bindgen]
pub struct Core {
    limbic: Limbic,
    /// Declared after the connection that uses it, so that it is dropped after it.
    pool: Option<Pool>,
    is_encrypted: bool,
    unfinished: Option<String>,
}

#[wasm_bindgen]
impl Core {
    /// Opens the database file that the options name (`path`), over the host's files. `code` reads and parses source
    /// code below the folder that the options name (`codeRoot`); without it there is no code index.
    ///
    /// # Errors
    /// If the file cannot be opened or is not a Limbic database; it is then unchanged.
    pub fn open(host: FileHost, options: &str, code: Option<CodeHost>) -> std::result::Result<Core, JsValue> {
        let limbic = database_file::open(host, options, code).map_err(thrown)?;
        Ok(Self { limbic, pool: None, is_encrypted: false, unfinished: None })
    }

    /// Opens a memory that ends with its page: an empty one, or one with the content of a database file and of the
    /// `-wal` beside it (see [`Core::import_database`]).
    ///
    /// # Errors
    /// If the file is not a Limbic database, has a newer version or is damaged; `wal_missing`.
    pub fn open_memory(
        options: &str,
        file: Option<Uint8Array>,
        wal: Option<Uint8Array>,
    ) -> std::result::Result<Core, JsValue> {
        let limbic = in_memory::open(options, file.as_ref(), wal.as_ref()).map_err(thrown)?;
        Ok(Self { limbic, pool: None, is_encrypted: false, unfinished: None })
    }

    /// Opens the database `path` in the folder `directory` of the browser's origin-private file system, in a dedicated
    /// worker. It belongs to this worker until it is closed, or the worker ends.
    ///
    /// # Errors
    /// `storage_unavailable` if the browser has no such storage, `storage_taken` while another worker has it,
    /// `encrypted_database` without the key of an encrypted database, `wrong_key`; and if the file has a newer version
    /// or is damaged.
    #[wasm_bindgen(unchecked_return_type = "Promise<Core>")]
    pub fn open_opfs(options: String) -> Promise {
        future_to_promise(async move {
            let Opened { limbic, pool, is_encrypted, unfinished } =
                opfs::open(options).await.map_err(thrown)?;
            Ok(Self { limbic, pool: Some(pool), is_encrypted, unfinished }.into())
        })
    }

    /// Whether the database is encrypted in the browser's storage; false for one over a host.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Why a file that an interrupted encryption or decryption has left is still in the browser's storage, as the end
    /// of a sentence; `undefined` if none is.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn unfinished(&self) -> Option<String> {
        self.unfinished.clone()
    }

    /// Returns the tasks to encode before a call, as opaque bytes; empty if there are none.
    pub fn texts(&mut self, tool: &str, arguments: &str) -> std::result::Result<Vec<u8>, JsValue> {
        bytes_of(&self.limbic.texts(tool, arguments)).map_err(thrown)
    }

    /// Runs a tool. `encodings` are the encoder's output for [`Core::texts`], or empty. `session` identifies the client
    /// of the call, if there are several.
    pub fn call(
        &mut self,
        tool: &str,
        arguments: &str,
        encodings: &[u8],
        session: Option<String>,
    ) -> std::result::Result<Answer, JsValue> {
        let encodings = from_bytes(encodings).map_err(|error| thrown(Error::Internal(error.to_string())))?;
        Ok(self.enter(session).call(tool, arguments, &encodings).into())
    }

    /// Makes a session stateless, for clients of a protocol without sessions: its calls are independent of earlier
    /// ones.
    pub fn enter_stateless(&mut self, session: String) {
        self.limbic.enter_stateless(&SessionId::from(session));
    }

    /// Returns the question that a person must answer with yes before a call that destroys something; `undefined` for
    /// other calls, and for calls that fail.
    pub fn confirmation(&mut self, tool: &str, arguments: &str, session: Option<String>) -> Option<String> {
        self.enter(session).confirmation(tool, arguments)
    }

    /// Returns the file named in a call's arguments, which the shell opens.
    #[must_use]
    pub fn file_argument(&self, tool: &str, arguments: &str) -> Option<String> {
        self.limbic.file_argument(tool, arguments)
    }

    /// Whether a call is to be run in steps, as a [`FileCall`] without a file, so that other calls are answered while
    /// it waits for the code index.
    #[must_use]
    pub fn waits(&self, tool: &str, arguments: &str) -> bool {
        self.limbic.waits(tool, arguments)
    }

    /// Whether a call reads the code index: the shell reports the changes that it has gathered before it, with
    /// [`Core::files_changed`].
    #[must_use]
    pub fn reads_code(&self, tool: &str, arguments: &str) -> bool {
        self.limbic.reads_code(tool, arguments)
    }

    /// Does the next step of indexing source code. Returns whether there may be more.
    pub fn index_step(&mut self) -> std::result::Result<bool, JsValue> {
        self.limbic.index_step().map(|step| step == IndexStep::Worked).map_err(thrown)
    }

    /// Returns the folders to watch, unless they are those that were returned last: a JSON array of `{ root, folders
    /// }`, with paths relative to the root. The shell watches exactly these.
    pub fn watched_folders(&mut self) -> std::result::Result<Option<String>, JsValue> {
        let projects = self.limbic.watched_folders().map_err(thrown)?;
        let text = projects.map(|projects| serde_json::to_string(&projects)).transpose();
        text.map_err(|error| thrown(Error::Internal(error.to_string())))
    }

    /// Prepares the index for changes at paths below the folder of a watched project, or anywhere in it if there are
    /// none; [`Core::index_step`] then reads what has changed.
    pub fn files_changed(&mut self, root: &str, paths: Vec<String>) -> std::result::Result<(), JsValue> {
        self.limbic.files_changed(root, &paths).map_err(thrown)
    }

    /// Runs a tool to the end on the file or folder that its arguments name, read in chunks: `source` is a `{ size,
    /// files?, readAt(buffer, offset), sidecar?(suffix) }` whose methods are synchronous. `progress` is called with
    /// bytes done and total bytes.
    pub fn call_with_file(
        &mut self,
        tool: &str,
        arguments: &str,
        encodings: &[u8],
        source: JsSource,
        progress: &Function,
        session: Option<String>,
    ) -> std::result::Result<Answer, JsValue> {
        let encodings = from_bytes(encodings).map_err(|error| thrown(Error::Internal(error.to_string())))?;
        let mut progress = progress_listener(progress);
        let mut file = FileSource::new(source);
        Ok(self.enter(session).call_with_file(tool, arguments, &encodings, &mut file, &mut progress).into())
    }

    /// Runs the next step of a call that reads a file. Returns the answer after the last one. Other calls may run
    /// between two steps and see what is stored so far. `progress` is called with bytes done and total bytes.
    pub fn step(&mut self, call: &mut FileCall, progress: &Function) -> Option<Answer> {
        call.step(&mut self.limbic, &mut progress_listener(progress)).map(Into::into)
    }

    /// Cancels such a call and returns its answer. What was stored remains.
    #[must_use]
    pub fn interrupt(&self, call: FileCall) -> Answer {
        call.interrupt(&self.limbic).into()
    }

    /// Returns the answer if that file cannot be read.
    #[must_use]
    pub fn file_error(&self, path: &str, reason: &str) -> Answer {
        self.limbic.file_error(path, reason).into()
    }

    /// Performs the writes that the last call deferred until after its answer. Every other method does this first.
    ///
    /// After an error, the answer remains valid.
    pub fn finish(&mut self) -> std::result::Result<(), JsValue> {
        self.limbic.finish().map_err(thrown)
    }

    /// Returns the tasks to encode before a hook, as opaque bytes; empty if there are none.
    pub fn hook_texts(&mut self, hook: &str, input: &str) -> std::result::Result<Vec<u8>, JsValue> {
        bytes_of(&self.limbic.hook_texts(hook, input)).map_err(thrown)
    }

    /// Runs a hook: `input` is the host's JSON, `transcript` the session's transcript, `encodings` the encoder's output
    /// for [`Core::hook_texts`], or empty. Returns the text for the host, if any.
    ///
    /// # Errors
    /// For an unknown hook or invalid input.
    pub fn hook(
        &mut self,
        hook: &str,
        input: &str,
        transcript: Option<Vec<u8>>,
        encodings: &[u8],
    ) -> std::result::Result<Option<String>, JsValue> {
        let encodings = from_bytes(encodings).map_err(|error| thrown(Error::Internal(error.to_string())))?;
        self.limbic.encoded_hook(hook, input, transcript.as_deref(), &encodings).map_err(thrown)
    }

    /// The latest lines of the audit log, newest first: of one memory, of one user, of the origin with a label, or all.
    pub fn audit(
        &mut self,
        memory_id: Option<String>,
        user_id: Option<String>,
        origin: Option<String>,
        limit: usize,
    ) -> Answer {
        self.limbic.audit(memory_id.as_deref(), user_id.as_deref(), origin.as_deref(), limit).into()
    }

    /// Sets the caller of a session, until it ends: `kind` is client, explorer, library or cli, `client` the name that
    /// the client gave, `project` the one that it works in, `folder` the digest and the last component of its path.
    /// Names may be empty.
    ///
    /// # Errors
    /// For an unknown kind.
    pub fn introduce(
        &mut self,
        session: Option<String>,
        kind: &str,
        client: String,
        project: String,
        folder: Option<String>,
    ) -> std::result::Result<(), JsValue> {
        let kind = CallerKind::of_name(kind)
            .ok_or_else(|| thrown(Error::Internal(format!("there is no kind of caller named {kind:?}"))))?;
        let session = SessionId::from(session.unwrap_or_default());
        self.limbic.introduce(&session, Caller { kind, client, project, folder: folder.unwrap_or_default() });
        Ok(())
    }

    /// Drops the state of a session whose client has disconnected.
    pub fn end_session(&mut self, session: String) {
        self.limbic.end_session(&SessionId::from(session));
    }

    /// Returns the domain that a session has selected, so that [`Core::resume_session`] can continue the session with
    /// another instance.
    #[must_use]
    pub fn session_domain(&mut self, session: String) -> Option<String> {
        self.enter(Some(session)).selected_domain()
    }

    /// Continues a session that an earlier instance had in this domain.
    pub fn resume_session(&mut self, session: String, domain: &str) {
        self.enter(Some(session)).resume_domain(domain);
    }

    /// Returns the content of a resource.
    pub fn read_resource(&mut self, uri: &str) -> Answer {
        self.limbic.read_resource(uri).into()
    }

    /// Returns a prompt with memories.
    pub fn prompt(&mut self, name: &str, arguments: &str, session: Option<String>) -> Answer {
        self.enter(session).prompt(name, arguments).into()
    }

    /// Completes an argument of a resource template or of a prompt (`prompt:NAME`). `known` is a JSON object of the
    /// other arguments.
    pub fn complete(&mut self, template: &str, part: &str, begun: &str, known: &str) -> Answer {
        self.limbic.complete(template, part, begun, known).into()
    }

    /// Returns a number that changes when another program changes the database.
    pub fn data_version(&mut self) -> std::result::Result<u32, JsValue> {
        self.limbic.data_version().map_err(thrown)
    }

    /// Replaces what is offered: toolsets, compatibility, and whether tools may write; other options are ignored.
    ///
    /// # Errors
    /// For invalid options.
    pub fn set_access(&mut self, options: &str) -> std::result::Result<(), JsValue> {
        let options =
            serde_json::from_str(options).map_err(|error| thrown(Error::invalid(error.to_string())))?;
        self.limbic.set_access(options);
        Ok(())
    }

    /// Takes up to `limit` tasks from the embedding queue, as opaque bytes; empty if the queue is empty.
    pub fn pending(&mut self, limit: usize) -> std::result::Result<Vec<u8>, JsValue> {
        self.limbic.pending(limit).and_then(|tasks| bytes_of(&tasks)).map_err(thrown)
    }

    /// Stores the encodings of the last tasks and returns the length of the queue. Without bytes it only announces the
    /// encoder.
    pub fn store_vectors(&mut self, encodings: &[u8], encoder: &str) -> std::result::Result<usize, JsValue> {
        let encodings =
            from_bytes(encodings).map_err(|error| thrown(Error::WrongVectors(error.to_string())))?;
        self.limbic.store_vectors(&encodings, encoder).map_err(thrown)
    }

    /// Returns the whole database as the bytes of a SQLite file.
    pub fn export_database(&mut self) -> std::result::Result<Uint8Array, JsValue> {
        self.limbic.export().map(|bytes| Uint8Array::from(bytes.as_slice())).map_err(thrown)
    }

    /// Replaces the content by that of a database file, atomically. `wal` is the content of its `-wal` file; empty if
    /// there is none.
    ///
    /// # Errors
    /// If the file is not a Limbic database, has a newer version, is damaged or too large; `wal_missing` if it is in
    /// WAL mode and its `-wal` is unknown. Nothing has changed then.
    pub fn import_database(
        &mut self,
        file: &Uint8Array,
        wal: Option<Uint8Array>,
    ) -> std::result::Result<(), JsValue> {
        let (reader, size) = BytesReader::new(file).map_err(thrown)?;
        let wal = wal_of(wal.as_ref()).map_err(thrown)?;
        self.limbic.import(reader, size, wal).map_err(thrown)
    }

    /// Exports the memory in one of [`export_formats`], or the memories of one user: `sink` is called with each chunk,
    /// and throws if it cannot write it. Returns `{records, bytes, note}` as JSON.
    pub fn export_as(
        &mut self,
        format: &str,
        sink: &Function,
        user: Option<String>,
    ) -> std::result::Result<String, JsValue> {
        let exported = self.limbic.export_of(user.as_deref(), format, &mut |piece| {
            sink.call1(&JsValue::NULL, &Uint8Array::from(piece))
                .map(|_| ())
                .map_err(|thrown| Error::UnwritableTarget(source::text_of(&thrown)))
        });
        let exported = exported.map_err(thrown)?;
        serde_json::to_string(&exported).map_err(|error| thrown(Error::Internal(error.to_string())))
    }

    /// Rebuilds the file, without free pages and without remains of records that earlier versions deleted. Returns
    /// `{bytes_before, bytes_after}` as JSON.
    ///
    /// # Errors
    /// `read_only`; after any error the database is unchanged.
    pub fn compact(&mut self) -> std::result::Result<String, JsValue> {
        let compacted = self.limbic.compact().map_err(thrown)?;
        let (before, after) = (compacted.bytes_before, compacted.bytes_after);
        Ok(format!(r#"{{"bytes_before":{before},"bytes_after":{after}}}"#))
    }

    /// Checks the file for damage. Returns `{pages, findings}` as JSON: the number of its pages, and what is wrong, a
    /// sentence each.
    ///
    /// Damage that SQLite recognises is a finding, not an error.
    pub fn check_integrity(&mut self) -> std::result::Result<String, JsValue> {
        let integrity = self.limbic.check_integrity().map_err(thrown)?;
        serde_json::to_string(&integrity).map_err(|error| thrown(Error::Internal(error.to_string())))
    }

    /// Returns a read-only copy of the database, as the bytes of a SQLite file: no vectors, no search log, no audit
    /// log. With types, only entities of these with their records, and the memories that mention them.
    ///
    /// # Errors
    /// If no entity has a named type.
    pub fn reading_copy(&mut self, types: Vec<String>) -> std::result::Result<ReadingCopy, JsValue> {
        self.limbic.reading_copy(&types).map(ReadingCopy).map_err(thrown)
    }

    /// Panics, for tests of how the shell handles a trap.
    pub fn trap(&self) {
        panic!("a trap on purpose");
    }

    /// Closes the file, and releases the browser's storage, so that another worker can use it at once.
    pub fn close(self) -> std::result::Result<(), JsValue> {
        let Self { limbic, pool, .. } = self;
        let closed = limbic.close();
        drop(pool);
        closed.map_err(thrown)
    }
}

impl Core {
    fn enter(&mut self, session: Option<String>) -> &mut Limbic {
        self.limbic.enter(&SessionId::from(session.unwrap_or_default()))
    }
}

/// A read-only copy of the database.
#[wasm_bindgen]
pub struct ReadingCopy(limbic_tools::ReadingCopy);

#[wasm_bindgen]
impl ReadingCopy {
    /// Entities, observations, relations, reflections, memories and links.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn records(&self) -> f64 {
        file_host::number(self.0.records)
    }

    /// The bytes of a SQLite file.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn database(&self) -> Uint8Array {
        Uint8Array::from(self.0.database.as_slice())
    }

    /// A sentence with the number of records, by kind, that contain what looks like a credential.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        self.0.warning.clone()
    }
}

fn bytes_of(tasks: &[limbic_protocol::Task]) -> Result<Vec<u8>> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    to_bytes(tasks).map_err(|error| Error::Internal(error.to_string()))
}

/// Reports progress to JavaScript.
fn progress_listener(progress: &Function) -> impl FnMut(u64, u64) {
    move |done, total| {
        // A listener that throws must not stop the import.
        let _ = progress.call2(&JsValue::NULL, &number(done), &number(total));
    }
}

#[allow(clippy::cast_precision_loss, reason = "files are far smaller than 2^53 bytes")]
fn number(count: u64) -> JsValue {
    JsValue::from_f64(count as f64)
}
