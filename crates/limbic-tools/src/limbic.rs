//! An open database with its tools: the interface for shells.

use std::io::Read;

use limbic_core::{
    Caller, Engine, Error, Host, Result, SessionDomain, SessionId,
    db::{erasing::Compacted, integrity::Integrity, wal::WalFile},
    rusqlite::Connection,
    store::{origins::NAME_WITHHELD, vectors::embedding_queue},
};
use limbic_guard::find_secret;
use limbic_protocol::{EncodingResult, Task};
use serde_json::Value;

use crate::{
    Exported, Options, ReadingCopy, Source, Tool, arguments, audit, call_limits::CallLimits,
    code_files::CodeFiles, comparisons::Comparisons, context::Context, deferred::DeferredWrites,
    event_ids::EventIds, export, failure::error_json_for, indexing, registry, resources, schema,
    secret_check::refuse_secrets, suggest::nearest, test_clock::TestClock, tool::Toolset, tools::more_tools,
    user_scope, views::memory::shown_value, watching::Watch,
};

/// The answer of a call. Expected failures are answers, too.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether `json` is an error: `{error, code, hint?}`.
    pub is_error: bool,
    /// The answer, according to the tool's output schema.
    pub json: String,
}

impl Answer {
    /// Creates the answer of a result under these options.
    fn new(result: Result<String>, options: &Options) -> Self {
        match result {
            Ok(json) => Self { is_error: false, json },
            Err(error) => Self { is_error: true, json: error_json_for(&error, options) },
        }
    }
}

/// An open database with its tools.
pub struct Limbic {
    pub(crate) memory: Engine,
    pub(crate) options: Options,
    clock: Option<TestClock>,
    /// Writes that the last calls deferred until after their answers.
    deferred: DeferredWrites,
    /// The first failure of these writes that [`Limbic::finish`] has not returned yet.
    failed_write: Option<Error>,
    event_ids: EventIds,
    pub(crate) code: Option<Box<dyn CodeFiles>>,
    /// Identifies this server in the leases of the code index.
    pub(crate) server: i64,
    /// The watched projects; `None` until the shell asks for them.
    pub(crate) watch: Option<Watch>,
    pub(crate) comparisons: Comparisons,
    /// Why the last step of indexing failed, if it did.
    pub(crate) indexing_problem: Option<String>,
    /// The project of the hook that runs.
    hook_project: Option<String>,
    /// Adds the shell's explanation to the message of a failure.
    explain: Box<Explain>,
    pub(crate) call_limits: CallLimits,
}

/// Replaces an error by one that says more.
type Explain = dyn Fn(Error) -> Error;

impl Limbic {
    /// Opens a database: sets every pragma, creates or upgrades the schema.
    ///
    /// # Errors
    /// If the file is not a database, belongs to another program, has a newer version or is damaged; it is not
    /// changed. As [`Limbic::check`].
    pub fn open(connection: Connection, host: Box<dyn Host>, options: Options) -> Result<Self> {
        Self::check(&options)?;
        let clock = options.test_clock.map(TestClock::new);
        // Not the test clock's, which are the same for every server.
        let mut random = [0; 8];
        host.fill_random(&mut random);
        let server = i64::from_le_bytes(random) | 1;
        let host = clock.clone().map_or(host, |clock| Box::new(clock));
        let memory = Engine::open(connection, host, options.read_only)?;
        let event_ids = EventIds::new(&memory);
        Ok(Self {
            memory,
            options,
            clock,
            deferred: DeferredWrites::default(),
            failed_write: None,
            event_ids,
            code: None,
            server,
            watch: None,
            comparisons: Comparisons::default(),
            indexing_problem: None,
            hook_project: None,
            explain: Box::new(|error| error),
            call_limits: CallLimits::default(),
        })
    }

    /// Checks that options can be used, for shells that open the database later.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown value of `compat`, `output_schemas`, `redact` or `toolsets`, and for
    /// tools that know no users if there is a user.
    pub fn check(options: &Options) -> Result<()> {
        options.check()?;
        registry::check_toolsets(options)?;
        registry::check_user(options)
    }

    /// Gives access to the source code of projects, for the toolset `code`.
    pub fn set_code_files(&mut self, files: Box<dyn CodeFiles>) {
        self.code = Some(files);
        self.options.code = true;
    }

    /// Explains the errors of answers with what the shell knows beyond their message, such as the failure of its
    /// storage. The cause of an interrupted import is explained, and what the import had stored stays in its error.
    pub fn explain_errors(&mut self, explain: impl Fn(Error) -> Error + 'static) {
        self.explain = Box::new(explain);
    }

    /// Returns an error as answers report it.
    #[must_use]
    pub fn explained(&self, error: Error) -> Error {
        match error {
            Error::ImportInterrupted { cause: Some(cause), stored } => {
                Error::ImportInterrupted { cause: Some(Box::new(self.explained(*cause))), stored }
            }
            error => (self.explain)(error),
        }
    }

    /// Makes a session the current one for the following calls, prompts and hooks. The domain, the plans of
    /// memory_maintain and the searches that await feedback are kept per session; a session begins when it is first
    /// entered. Not needed by shells with one client.
    pub fn enter(&mut self, session: &SessionId) -> &mut Self {
        if !self.memory.is_in_session(session) {
            // Deferred writes of the last call belong to its own session.
            self.finish_first();
            self.memory.enter_session(session);
        }
        self
    }

    /// As [`Limbic::enter`], for clients of a protocol without sessions: calls are independent of earlier ones, and one
    /// that names no domain works in the database's default.
    pub fn enter_stateless(&mut self, session: &SessionId) -> &mut Self {
        self.enter(session);
        if !self.memory.session().is_stateless() {
            self.memory.session_mut().make_stateless();
        }
        self
    }

    /// Sets the caller of a session, until it ends: what it stores has this origin, and may wait for review. Without a
    /// caller, memories have no origin and count as confirmed, so a shell names one before the first call. A client
    /// chooses its name, which is stored: one that contains a secret is replaced.
    pub fn introduce(&mut self, session: &SessionId, mut caller: Caller) {
        if find_secret(&caller.client).is_some() {
            caller.client = NAME_WITHHELD.to_owned();
        }
        self.enter(session).memory.session_mut().set_caller(Some(caller));
    }

    /// Drops the state of a session whose client has disconnected.
    pub fn end_session(&mut self, session: &SessionId) {
        self.finish_first();
        self.memory.end_session(session);
    }

    /// Returns the domain selected by the current session, for a shell that continues the session with another
    /// instance.
    pub fn selected_domain(&mut self) -> Option<String> {
        self.memory.session().domain().map(str::to_owned)
    }

    /// Selects a domain that the current session had selected with another instance.
    pub fn resume_domain(&mut self, domain: &str) {
        self.memory.session_mut().select(domain);
    }

    /// Returns the domain of each session that has one, for a shell that continues them with another instance.
    pub fn session_domains(&self) -> Vec<SessionDomain> {
        self.memory.session_domains()
    }

    /// Continues the sessions of another instance in their domains.
    pub fn resume_sessions(&mut self, domains: Vec<SessionDomain>) {
        self.finish_first();
        self.memory.resume_sessions(domains);
    }

    /// Returns the texts to embed before a call; none for most tools and for invalid arguments, which the call
    /// reports.
    pub fn texts(&mut self, tool: &str, arguments: &str) -> Vec<Task> {
        let asked = |(tool, arguments): (&'static Tool, Value)| {
            Some(tool.texts?(&self.fitting(tool, arguments).ok()?))
        };
        let texts = self.find(tool, arguments).ok().and_then(asked).unwrap_or_default();
        if texts.is_empty() || !self.memory.encoder_fits().unwrap_or(false) {
            return Vec::new();
        }
        texts.into_iter().map(|text| Task::Query { text }).collect()
    }

    /// Returns the question that a person is to answer with yes before a call: one line that names what would be
    /// destroyed. `None` for calls that destroy nothing permanently, and for calls that fail.
    pub fn confirmation(&mut self, tool: &str, arguments: &str) -> Option<String> {
        self.finish_first();
        let (tool, arguments) = self.find(tool, arguments).ok()?;
        refuse_secrets(tool, &arguments, &self.options).ok()?;
        let (confirm, arguments) = (tool.confirm?, self.fitting(tool, arguments).ok()?);
        self.with_context(&[], None, &mut |_, _| {}, |context| confirm(context, arguments)).ok().flatten()
    }

    /// Runs a tool. `encodings` are those of [`Limbic::texts`], in order, or empty.
    pub fn call(&mut self, tool: &str, arguments: &str, encodings: &[EncodingResult]) -> Answer {
        self.run(tool, arguments, encodings, None, &mut |_, _| {})
    }

    /// Runs a tool that reads a file, to the end; [`Limbic::step`] lets other calls run in between. `progress`
    /// receives bytes done and total bytes; a file that is read twice counts twice.
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

    /// Performs the writes that the last call deferred: search log, access counts and feedback. Shells call this
    /// after sending the answer; every other method performs them first.
    ///
    /// It waits only briefly for other processes, because the next call waits for it: while the database is busy, the
    /// writes are kept for the next time.
    ///
    /// # Errors
    /// The error of the first write that failed since the last time, also before another method. That write is
    /// discarded.
    pub fn finish(&mut self) -> Result<()> {
        self.finish_first();
        self.failed_write.take().map_or(Ok(()), Err)
    }

    /// As [`Limbic::finish`], which returns the failure later.
    pub(crate) fn finish_first(&mut self) {
        let performed = self.in_deferred_time(|Self { memory, deferred, .. }| {
            memory.briefly(|memory| deferred.perform(memory))
        });
        if let Err(error) = performed {
            // Now, since the shell knows the cause of the latest failure only.
            let explained = self.explained(error);
            self.failed_write.get_or_insert(explained);
        }
    }

    /// Discards the writes that calls deferred, where they take too long each time.
    pub fn discard_deferred(&mut self) {
        self.deferred.clear();
    }

    /// Returns the latest entries of the audit log, newest first, as a JSON array: of one memory, of one user, of the
    /// origin with a label, or all. With a user in the options, that user's only.
    pub fn audit(
        &mut self,
        memory_id: Option<&str>,
        user_id: Option<&str>,
        origin: Option<&str>,
        limit: usize,
    ) -> Answer {
        self.finish_first();
        let lines = user_scope::owner(user_id.map(str::to_owned), self.user())
            .and_then(|user| audit::latest(&mut self.memory, memory_id, user.as_deref(), origin, limit));
        self.answer(lines.map(|lines| shown_value(lines).to_string()))
    }

    /// Returns the content of a resource, as indented JSON.
    pub fn read_resource(&mut self, uri: &str) -> Answer {
        self.finish_first();
        let text = resources::read(&mut self.memory, &self.options, uri);
        self.answer(text)
    }

    /// Returns a number that changes when another process changes the database.
    pub fn data_version(&mut self) -> Result<u32> {
        self.memory.database_mut().data_version()
    }

    /// Replaces what is offered: toolsets, compatibility, the user, whether a client over HTTP calls, whether answers
    /// have texts as they are stored, and whether tools may write, which they never may if the database was opened for
    /// reading. Other options are ignored.
    pub fn set_access(&mut self, options: Options) {
        self.options.toolsets = options.toolsets;
        self.options.compat = options.compat;
        self.options.user = options.user;
        self.options.remote = options.remote;
        self.options.as_stored = options.as_stored;
        self.options.write_rights = options.write_rights;
        self.options.read_only = options.read_only || self.memory.database().is_read_only();
    }

    /// Takes up to `limit` texts from the embedding queue; none if it is empty.
    pub fn pending(&mut self, limit: usize) -> Result<Vec<Task>> {
        self.finish_first();
        self.in_background_time(|limbic| limbic.memory.pending(limit))
    }

    /// Returns the length of the embedding queue.
    pub fn outstanding(&mut self) -> Result<usize> {
        self.memory.read(embedding_queue::outstanding)
    }

    /// Stores the encodings of tasks from [`Limbic::pending`]. Returns the length of the queue. Without encodings it
    /// sets the encoder, so that vectors of another encoder are not compared with its own.
    pub fn store_vectors(&mut self, encodings: &[EncodingResult], encoder: &str) -> Result<usize> {
        self.finish_first();
        self.in_background_time(|limbic| limbic.memory.store_encodings(encodings, encoder))
    }

    /// Returns the whole database as the bytes of a SQLite file.
    ///
    /// # Errors
    /// [`Error::OneUserOnly`].
    pub fn export(&mut self) -> Result<Vec<u8>> {
        self.require_all_users("The whole database")?;
        self.finish_first();
        self.memory.database_mut().export()
    }

    /// Replaces the open database by a SQLite file of `bytes` bytes with its WAL, atomically.
    ///
    /// # Errors
    /// If it is not a database of Limbic, has a newer version or is damaged, or is in WAL mode without a known WAL;
    /// [`Error::OneUserOnly`]. Nothing is changed.
    pub fn import(&mut self, file: impl Read, bytes: usize, wal: WalFile) -> Result<()> {
        self.require_all_users("Replacing the database")?;
        self.finish_first();
        self.memory.import(file, bytes, wal)?;
        // What remains has ids of the former database.
        self.deferred.clear();
        Ok(())
    }

    /// Exports everything in one of [`EXPORT_FORMATS`](crate::EXPORT_FORMATS), in chunks; see [`Limbic::export_of`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown format; errors of the sink.
    pub fn export_as(&mut self, format: &str, sink: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Exported> {
        self.export_of(None, format, sink)
    }

    /// Exports the memories of one user, in chunks, without the graph, which has no owner. Without a user, those of the
    /// user of the options, or everything if there is none.
    ///
    /// # Errors
    /// [`Error::OtherUser`];
    /// [`Error::InvalidArgument`] for an unknown format, or a format without owners if a user is given; errors of the
    /// sink.
    pub fn export_of(
        &mut self,
        user: Option<&str>,
        format: &str,
        sink: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<Exported> {
        self.finish_first();
        let user = user_scope::owner(user.map(str::to_owned), self.user())?;
        export::run(&mut self.memory, format, user.as_deref(), sink)
    }

    /// Returns a read-only copy of the database without vectors, search log and audit log. With types, only entities
    /// of these with their records, and the memories that mention them.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if no entity has a named type; [`Error::OneUserOnly`].
    pub fn reading_copy(&mut self, types: &[String]) -> Result<ReadingCopy> {
        self.require_all_users("A copy of the database")?;
        self.finish_first();
        export::reading_copy(&mut self.memory, types)
    }

    /// Rebuilds the file, without free pages and without remains of records that earlier versions deleted.
    ///
    /// # Errors
    /// [`Error::ReadOnly`]. After an error, the database is unchanged.
    pub fn compact(&mut self) -> Result<Compacted> {
        self.finish_first();
        self.memory.database_mut().compact()
    }

    /// Checks the file for damage. Changes nothing.
    ///
    /// Damage that SQLite recognises is a finding, not an error.
    pub fn check_integrity(&mut self) -> Result<Integrity> {
        self.memory.database_mut().check_integrity()
    }

    /// Closes the file, after the deferred writes.
    pub fn close(mut self) -> Result<()> {
        let _ = self.deferred.perform(&mut self.memory);
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
        let result = self.try_run_to_text(tool, arguments, encodings, file, progress);
        self.answer(result)
    }

    fn try_run_to_text(
        &mut self,
        tool: &str,
        arguments: &str,
        encodings: &[EncodingResult],
        file: Option<&mut dyn Source>,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<String> {
        let (tool, arguments) = self.prepare(tool, arguments)?;
        let bytes = file.as_ref().map(|file| file.size());
        let as_text = tool.run_to_text.filter(|_| self.is_as_stored(tool));
        let is_read = tool.only_reads(&arguments);
        self.in_time(tool, is_read, bytes, |limbic| match as_text {
            Some(run) => limbic.with_context(encodings, file, progress, |context| run(context, arguments)),
            None => {
                let output = limbic
                    .with_context(encodings, file, progress, |context| (tool.run)(context, arguments))?;
                Ok(limbic.shown(tool, output).to_string())
            }
        })
    }

    /// Runs `work` as a hook or a prompt of a project: its calls exclude memories that wait for review in other
    /// projects.
    pub(crate) fn as_hook_of<T>(
        &mut self,
        project: &str,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.hook_project = Some(project.to_owned());
        let result = work(self);
        self.hook_project = None;
        result
    }

    /// Refuses what would reach the memories of all users if the options name one.
    fn require_all_users(&self, what: &str) -> Result<()> {
        if self.user().is_some() { Err(Error::OneUserOnly(what.to_owned())) } else { Ok(()) }
    }

    /// Returns the only user whose memories calls reach.
    pub(crate) fn user(&self) -> Option<&str> {
        self.options.user.as_deref()
    }

    /// Returns whether lines that the assistant marked are stored.
    pub(crate) fn keeps_assistant_marks(&self) -> bool {
        self.options.assistant_marks
    }

    pub(crate) fn answer(&self, result: Result<String>) -> Answer {
        Answer::new(result.map_err(|error| self.explained(error)), &self.options)
    }

    /// Returns the tool of a call, and its validated arguments.
    pub(crate) fn prepare(&mut self, tool: &str, arguments: &str) -> Result<(&'static Tool, Value)> {
        self.finish_first();
        if let Some(clock) = &self.clock {
            clock.advance();
        }
        let (tool, arguments) = self.find(tool, arguments)?;
        refuse_secrets(tool, &arguments, &self.options)?;
        Ok((tool, self.fitting(tool, arguments)?))
    }

    /// Runs `work` with the context of a handler.
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
        let mut deferred = Vec::new();
        let mut context = Context {
            memory: &mut self.memory,
            options: &self.options,
            offered: registry::offered(&self.options),
            callable: registry::callable(&self.options),
            encodings,
            ranking,
            search_log,
            redact: self.options.redacts_personal_data(),
            import: None,
            visible_in: self.hook_project.as_deref(),
            file,
            progress,
            code: self.code.as_mut().map(|files| files.as_mut() as &mut dyn CodeFiles),
            server: self.server,
            watch: self.watch.as_ref(),
            comparisons: &mut self.comparisons,
            indexing_problem: &mut self.indexing_problem,
            unstored: indexing::Shown::new(),
            unseen: indexing::Shown::new(),
            unchecked_seconds: None,
            deferred: &mut deferred,
            event_ids: &mut self.event_ids,
        };
        let result = work(&mut context);
        if result.is_ok() {
            self.deferred.add(deferred);
        }
        result
    }

    /// Returns an answer, escaped for output.
    pub(crate) fn shown(&self, tool: &Tool, output: Value) -> Value {
        if self.is_as_stored(tool) { output } else { shown_value(output) }
    }

    /// Whether answers are not escaped: the reference server returns text unchanged, and pages and programs store
    /// again the text that they read.
    fn is_as_stored(&self, tool: &Tool) -> bool {
        self.options.as_stored || self.options.is_server_memory() || tool.toolset == Toolset::Explorer
    }

    /// Returns the tool of a call and its arguments. A call of more_tools that names a tool and arguments is a call of
    /// that tool.
    pub(crate) fn find(&self, name: &str, arguments: &str) -> Result<(&'static Tool, Value)> {
        let tool = self.tool(name)?;
        let arguments = arguments::read(arguments)?;
        match more_tools::named_call(tool, &arguments) {
            None => Ok((tool, arguments)),
            Some((name, arguments)) => Ok((self.tool(name)?, arguments.clone())),
        }
    }

    /// Validates arguments, and limits them to the user of the options.
    pub(crate) fn fitting(&self, tool: &Tool, mut arguments: Value) -> Result<Value> {
        schema::fit((tool.input)().as_value(), &mut arguments)?;
        user_scope::limit(tool, &mut arguments, self.user())?;
        Ok(arguments)
    }

    fn tool(&self, name: &str) -> Result<&'static Tool> {
        let callable = registry::callable(&self.options);
        if let Some(tool) = callable.iter().find(|tool| tool.answers_to(name)) {
            return Ok(tool);
        }
        let of_all = Options { user: None, ..self.options.clone() };
        if self.user().is_some() && registry::callable(&of_all).iter().any(|tool| tool.answers_to(name)) {
            return Err(Error::OneUserOnly(name.to_owned()));
        }
        let writable = Options { read_only: false, ..self.options.clone() };
        if registry::callable(&writable).iter().any(|tool| tool.answers_to(name)) {
            return Err(Error::ReadOnly);
        }
        let nearest = nearest(name, callable.iter().map(|tool| tool.name)).map(Into::into);
        Err(Error::UnknownTool { name: name.to_owned(), nearest })
    }
}
