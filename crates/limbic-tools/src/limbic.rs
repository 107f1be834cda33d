//! An open memory with its tools: what a shell talks to.

use std::io::Read;

use limbic_core::{Engine, Error, Host, Result, SessionId, db::wal::Beside, rusqlite::Connection};
use limbic_protocol::{EncodingResult, Task};
use serde_json::Value;

use crate::{
    Exported, Options, ReadingCopy, Source, Tool, audit,
    context::{Context, Deferred},
    event_ids::EventIds,
    export,
    failure::error_json_for,
    registry::{self, is_server_memory},
    resources, schema,
    secret_check::refuse_secrets,
    suggest::nearest,
    test_clock::TestClock,
    tool::Toolset,
    views::memory::shown_value,
};

/// What a call answered. An expected failure is an answer too.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether `json` is an error: `{error, code, hint?}`.
    pub is_error: bool,
    /// The answer, in the shape of the tool's output schema.
    pub json: String,
}

impl Answer {
    /// What came of something under these options.
    fn new(result: Result<String>, options: &Options) -> Self {
        match result {
            Ok(json) => Self { is_error: false, json },
            Err(error) => Self { is_error: true, json: error_json_for(&error, options) },
        }
    }
}

/// An open memory with its tools.
pub struct Limbic {
    pub(crate) memory: Engine,
    pub(crate) options: Options,
    clock: Option<TestClock>,
    /// What the last call left to be written after its answer.
    deferred: Vec<Deferred>,
    event_ids: EventIds,
}

impl Limbic {
    /// Takes over a connection: sets every pragma, creates or upgrades the schema.
    ///
    /// # Errors
    /// When the file is no database, another program's, of a newer version or damaged; it is then unchanged. When the
    /// options ask to take out what nobody knows: nothing may be stored as if that had been done.
    pub fn open(connection: Connection, host: Box<dyn Host>, options: Options) -> Result<Self> {
        options.check()?;
        let clock = options.test_clock.map(TestClock::new);
        let host = clock.clone().map_or(host, |clock| Box::new(clock));
        let memory = Engine::open(connection, host, options.read_only)?;
        let event_ids = EventIds::new(&memory);
        Ok(Self { memory, options, clock, deferred: Vec::new(), event_ids })
    }

    /// Makes a session the current one: calls, prompts and hooks that follow belong to it. The domain, the plans of
    /// memory_maintain and the searches whose results may be used again are kept per session; a session begins when it is
    /// first entered. A shell with one client needs no call of this.
    pub fn enter(&mut self, session: &SessionId) -> &mut Self {
        if !self.memory.is_in_session(session) {
            // What the last call left belongs to its own session.
            let _ = self.finish();
            self.memory.enter_session(session);
        }
        self
    }

    /// Drops the state of a session whose client is gone.
    pub fn end_session(&mut self, session: &SessionId) {
        let _ = self.finish();
        self.memory.end_session(session);
    }

    /// The domain that the current session has selected, for a shell that continues the session with another instance.
    pub fn selected_domain(&mut self) -> Option<String> {
        self.memory.session().domain().map(str::to_owned)
    }

    /// Lets the current session work in a domain that it had selected with another instance.
    pub fn resume_domain(&mut self, domain: &str) {
        self.memory.session_mut().select(domain);
    }

    /// What must be embedded before a call: for most tools nothing. Arguments that do not fit need nothing either;
    /// the call reports them.
    pub fn texts(&mut self, tool: &str, arguments: &str) -> Vec<Task> {
        let asked = |tool: &'static Tool| Some(tool.texts?(&checked(tool, arguments).ok()?));
        let texts = self.find(tool).ok().and_then(asked).unwrap_or_default();
        if texts.is_empty() || !self.memory.encoder_fits().unwrap_or(false) {
            return Vec::new();
        }
        texts.into_iter().map(|text| Task::Query { text }).collect()
    }

    /// The file that a call's arguments name: the shell opens it and makes a [`FileCall`](crate::FileCall) of it.
    #[must_use]
    pub fn file_argument(&self, tool: &str, arguments: &str) -> Option<String> {
        let tool = self.find(tool).ok()?;
        let name = tool.file_argument?;
        Some(checked(tool, arguments).ok()?.get(name)?.as_str()?.to_owned())
    }

    /// The answer when that file cannot be read.
    #[must_use]
    pub fn file_error(&self, path: &str, reason: &str) -> Answer {
        self.answer(Err(Error::UnreadableSource { path: path.to_owned(), reason: reason.to_owned() }))
    }

    /// Runs a tool. `encodings` are what came of [`Limbic::texts`], in their order, or nothing.
    pub fn call(&mut self, tool: &str, arguments: &str, encodings: &[EncodingResult]) -> Answer {
        self.run(tool, arguments, encodings, None, &mut |_, _| {})
    }

    /// Runs a tool whose arguments name a file, which is read piece by piece, to the end; [`Limbic::step`] lets others
    /// through in between. `progress` is told bytes done and bytes
    /// in all; a file that is read twice counts twice.
    pub fn call_with_file(
        &mut self,
        tool: &str,
        arguments: &str,
        encodings: &[EncodingResult],
        file: &mut dyn Source,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Answer {
        self.run(tool, arguments, encodings, Some(file), progress)
    }

    /// Writes what the last call left for after its answer: that a search took place, what it found, and what of
    /// that is used again. Shells call this when they have given the answer; everything else here does it first.
    ///
    /// # Errors
    /// Those of the database; what was to be written is given up then, for the answer stands.
    pub fn finish(&mut self) -> Result<()> {
        let deferred = std::mem::take(&mut self.deferred);
        deferred.into_iter().try_for_each(|write| write(&mut self.memory))?;
        self.memory.record_reuse()
    }

    /// The latest lines of the audit log, newest first, as a JSON array: of one memory, of one user, or all.
    pub fn audit(&mut self, memory_id: Option<&str>, user_id: Option<&str>, limit: usize) -> Answer {
        let _ = self.finish();
        let lines = audit::latest(&mut self.memory, memory_id, user_id, limit);
        self.answer(lines.map(|lines| shown_value(lines).to_string()))
    }

    /// What a resource holds now, as JSON on several lines.
    pub fn read_resource(&mut self, uri: &str) -> Answer {
        let _ = self.finish();
        let text = resources::read(&mut self.memory, &self.options, uri);
        self.answer(text)
    }

    /// A number that differs from the one before when another program has changed the database meanwhile.
    ///
    /// # Errors
    /// Those of the database.
    pub fn data_version(&mut self) -> Result<u32> {
        self.memory.database_mut().data_version()
    }

    /// From here on offers the toolsets and the compatibility of these options; nothing else of them counts.
    pub fn offer(&mut self, options: Options) {
        self.options.toolsets = options.toolsets;
        self.options.compat = options.compat;
    }

    /// Takes up to `limit` texts that wait for an embedding; none when the queue is worked off.
    ///
    /// # Errors
    /// Those of the database.
    pub fn pending(&mut self, limit: usize) -> Result<Vec<Task>> {
        let _ = self.finish();
        self.memory.pending(limit)
    }

    /// How many texts wait for an embedding.
    ///
    /// # Errors
    /// Those of the database.
    pub fn outstanding(&mut self) -> Result<usize> {
        self.memory.outstanding()
    }

    /// Stores what came of the tasks that [`Limbic::pending`] gave out, and answers how many texts still wait. With no
    /// encodings it announces the encoder, so that the vectors of another are not compared with its own.
    ///
    /// # Errors
    /// Those of the database.
    pub fn store_vectors(&mut self, encodings: &[EncodingResult], encoder: &str) -> Result<usize> {
        let _ = self.finish();
        self.memory.store_encodings(encodings, encoder)
    }

    /// The whole database as the bytes of a SQLite file.
    ///
    /// # Errors
    /// Those of the database.
    pub fn export(&mut self) -> Result<Vec<u8>> {
        let _ = self.finish();
        self.memory.database_mut().export()
    }

    /// Puts another database, a SQLite file of so many bytes with its WAL, in the place of the open one: all of it or
    /// nothing.
    ///
    /// # Errors
    /// When it is no database of Limbic, of a newer version or damaged, or when it is in WAL mode and nothing is known of
    /// its WAL; nothing has changed then.
    pub fn import(&mut self, file: impl Read, bytes: usize, wal: Beside) -> Result<()> {
        self.memory.import(file, bytes, wal)
    }

    /// Writes the memory in one of [`EXPORT_FORMATS`](crate::EXPORT_FORMATS), piece by piece; see [`Limbic::export_of`].
    ///
    /// # Errors
    /// When there is no such format; those of the database and of the sink.
    pub fn export_as(&mut self, format: &str, sink: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Exported> {
        self.export_of(None, format, sink)
    }

    /// Writes the memories of one user in a format that holds some, piece by piece: no other memory, and nothing of the
    /// graph, which belongs to nobody. With no user, everything.
    ///
    /// # Errors
    /// When there is no such format, or it holds no memories of a user; those of the database and of the sink.
    pub fn export_of(
        &mut self,
        user: Option<&str>,
        format: &str,
        sink: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<Exported> {
        let _ = self.finish();
        export::run(&mut self.memory, format, user, sink)
    }

    /// A copy of the database to look at: no vectors, no log of searches, no audit log. With types, the entities of
    /// these, what is said of them alone, and the memories that mention them.
    ///
    /// # Errors
    /// When there is no entity of a type that is named; those of the database.
    pub fn reading_copy(&mut self, types: &[String]) -> Result<ReadingCopy> {
        let _ = self.finish();
        export::reading_copy(&mut self.memory, types)
    }

    /// Closes the file.
    ///
    /// # Errors
    /// Those of the database.
    pub fn close(mut self) -> Result<()> {
        let _ = self.finish();
        self.memory.close()
    }

    fn run(
        &mut self,
        tool: &str,
        arguments: &str,
        encodings: &[EncodingResult],
        file: Option<&mut dyn Source>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Answer {
        let result = self.try_run(tool, arguments, encodings, file, progress);
        self.answer(result.map(|value| value.to_string()))
    }

    /// Whose memories hooks tell of and store.
    pub(crate) fn user(&self) -> Option<&str> {
        self.options.user.as_deref()
    }

    pub(crate) fn answer(&self, result: Result<String>) -> Answer {
        Answer::new(result, &self.options)
    }

    /// Asks a tool on behalf of a hook or a prompt: what fails keeps its kind.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.try_run(tool, &arguments.to_string(), &[], None, &mut |_, _| {})
    }

    fn try_run(
        &mut self,
        tool: &str,
        arguments: &str,
        encodings: &[EncodingResult],
        file: Option<&mut dyn Source>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Value> {
        let (tool, arguments) = self.prepare(tool, arguments)?;
        let output =
            self.with_context(encodings, file, progress, |context| (tool.run)(context, arguments))?;
        Ok(self.shown(tool, output))
    }

    /// What a call begins with: the tool, and the arguments as it takes them.
    pub(crate) fn prepare(&mut self, tool: &str, arguments: &str) -> Result<(&'static Tool, Value)> {
        let _ = self.finish();
        if let Some(clock) = &self.clock {
            clock.advance();
        }
        let tool = self.find(tool)?;
        let arguments = read(arguments)?;
        refuse_secrets(tool, &arguments)?;
        Ok((tool, fitting(tool, arguments)?))
    }

    /// Does something with what a handler gets.
    pub(crate) fn with_context<T>(
        &mut self,
        encodings: &[EncodingResult],
        file: Option<&mut dyn Source>,
        progress: &mut dyn FnMut(u64, u64),
        work: impl FnOnce(&mut Context<'_>) -> Result<T>,
    ) -> Result<T> {
        // Shortens the lifetime behind the reference, which an option does not do by itself.
        let file = file.map(|file| file as &mut dyn Source);
        let (ranking, search_log) = (self.options.ranking(), self.options.search_log());
        let mut context = Context {
            memory: &mut self.memory,
            encodings,
            ranking,
            search_log,
            redact: self.options.redacts_personal_data(),
            file,
            progress,
            deferred: &mut self.deferred,
            event_ids: &mut self.event_ids,
        };
        let result = work(&mut context);
        if result.is_err() {
            self.deferred.clear();
        }
        result
    }

    /// An answer as callers read it.
    pub(crate) fn shown(&self, tool: &Tool, output: Value) -> Value {
        // The reference server hands out what it is given. Pages write down again what they read.
        let is_as_stored = is_server_memory(&self.options) || tool.toolset == Toolset::Explorer;
        if is_as_stored { output } else { shown_value(output) }
    }

    fn find(&self, name: &str) -> Result<&'static Tool> {
        let offered = registry::offered(&self.options);
        if let Some(tool) = offered.iter().find(|tool| tool.answers_to(name)) {
            return Ok(tool);
        }
        let writable = Options { read_only: false, ..self.options.clone() };
        if registry::offered(&writable).iter().any(|tool| tool.answers_to(name)) {
            return Err(Error::ReadOnly);
        }
        let nearest = nearest(name, offered.iter().map(|tool| tool.name)).map(Into::into);
        Err(Error::UnknownTool { name: name.to_owned(), nearest })
    }
}

/// Arguments that fit the tool's schema.
fn checked(tool: &Tool, arguments: &str) -> Result<Value> {
    fitting(tool, read(arguments)?)
}

fn read(arguments: &str) -> Result<Value> {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    serde_json::from_str(arguments).map_err(|error| Error::invalid(unreadable(&error)))
}

fn fitting(tool: &Tool, mut arguments: Value) -> Result<Value> {
    schema::fit((tool.input)().as_value(), &mut arguments)?;
    Ok(arguments)
}

/// Why arguments cannot be read.
fn unreadable(error: &serde_json::Error) -> String {
    // serde_json has no other sign for it.
    if error.to_string().starts_with("recursion limit") {
        "The arguments are nested too deeply: at most 127 levels are allowed".to_owned()
    } else {
        format!("The arguments are not valid JSON, or contain a lone surrogate ({error})")
    }
}
