//! Errors, each with a stable code and a message.

use std::{fmt, time::Duration};

use rusqlite::{ErrorCode, ffi};

use crate::model::text::echo;

/// A failure that a caller can act upon.
///
/// `Display` is one sentence about the failure; [`Error::code`] is stable for programs. The crates with tools and
/// options add hints that name them.
///
/// Every function that reads or writes a database can fail with the variants that SQLite's errors become; the section
/// `# Errors` of a function names only what else can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument is missing, of the wrong type, out of range or unknown.
    #[error("{message}")]
    InvalidArgument {
        /// The message: names the argument and the value given.
        message: String,
        /// The nearest known name, an allowed value, an example.
        hint: Option<String>,
    },
    /// No tool of that name is offered.
    #[error("No tool named {:?} is offered", echo(name))]
    UnknownTool {
        /// The name that was called.
        name: String,
        /// The nearest known name.
        nearest: Option<String>,
    },
    /// No entity has this name.
    #[error("Entity not found: {}", echo(.0))]
    EntityNotFound(String),
    /// No entity has this name, in the words of the reference server.
    #[error("Entity with name {0} not found")]
    ReferenceEntityNotFound(String),
    /// No entity has this id.
    #[error("Entity not found: there is none with id {0}")]
    EntityIdNotFound(i64),
    /// No observation has this id, or not for this entity.
    #[error("Observation not found: {}", echo(.0))]
    ObservationNotFound(String),
    /// The entity has no current observation with this text.
    #[error("Observation not found among the current ones of {:?}: {:?}", echo(entity), echo(start))]
    NoSuchText {
        /// Name of the entity.
        entity: String,
        /// Start of the text.
        start: String,
    },
    /// No relation has this id.
    #[error("Relation not found: {}", echo(.0))]
    RelationNotFound(String),
    /// No memory has this id.
    #[error("Memory not found: {}", echo(.0))]
    MemoryNotFound(String),
    /// No domain has this id.
    #[error("Domain not found: {}", echo(.0))]
    DomainNotFound(String),
    /// The session's selected domain was deleted, by another client or another program.
    #[error("The selected domain was deleted: {}", echo(.0))]
    SelectedDomainDeleted(String),
    /// No project of the code index has this id.
    #[error("Project not found: {} (known: {})", echo(id), listed(known))]
    ProjectNotFound {
        /// The id that was asked for.
        id: String,
        /// The ids of all projects.
        known: Vec<String>,
    },
    /// No symbol of the code index has this id, or none encloses this line.
    #[error("Symbol not found: {}", echo(.0))]
    SymbolNotFound(String),
    /// The id of a domain is blank.
    #[error("The id of a domain must not be blank")]
    BlankDomainId,
    /// A domain that is to be deleted holds memories.
    #[error("The domain {:?} holds {memories} memories", echo(id))]
    DomainNotEmpty {
        /// Its id.
        id: String,
        /// How many memories it holds.
        memories: u64,
    },
    /// A memory is to get an id that another has.
    #[error("A memory with this id already exists: {}", echo(.0))]
    MemoryExists(String),
    /// The new text of an observation is that of another one of the entity.
    #[error("The entity already has this text, as observation {0}")]
    ObservationExists(i64),
    /// A text seems to hold a secret.
    #[error(
        "Nothing was stored: the text seems to hold a secret ({0}). Leave it out and say where it is kept"
    )]
    SecretRefused(&'static str),
    /// Some marked lines of a session were not stored; the others were.
    #[error("Some of the marked memories were not stored: {0}")]
    MarksRefused(String),
    /// No resource has this address.
    #[error("Resource {} not found", echo(.0))]
    ResourceNotFound(String),
    /// The request contradicts what is stored.
    #[error("{0}")]
    Conflict(String),
    /// A call is limited to one user and names another one.
    #[error("This client is limited to the user {:?}", echo(.0))]
    OtherUser(String),
    /// A call is limited to one user and would reach what belongs to no user, or to all.
    #[error("{} is refused: this client is limited to one user", echo(.0))]
    OneUserOnly(String),
    /// The source of an import is none of the known formats.
    #[error("{message}")]
    UnknownSource {
        /// The content found, and the known formats.
        message: String,
    },
    /// The file to import cannot be read.
    #[error("The file to import cannot be read ({reason}): {path}")]
    UnreadableSource {
        /// The path as the caller gave it.
        path: String,
        /// The message of the operating system.
        reason: String,
    },
    /// An import did not complete.
    #[error("{}", interrupted(cause.as_deref(), stored.as_deref()))]
    ImportInterrupted {
        /// The failure; `None` if the import was cancelled.
        cause: Option<Box<Error>>,
        /// Describes what was stored before, if anything.
        stored: Option<String>,
    },
    /// A call that waited for the code index was stopped.
    #[error(
        "The call was stopped. The files indexed so far are kept, and the rest is indexed in the background"
    )]
    IndexInterrupted,
    /// A statement of SQL has a syntax error, or names a table, column or function that does not exist.
    #[error("The statement is not valid SQL: {0}")]
    InvalidSql(String),
    /// A statement of SQL would do more than read.
    #[error("Only one read-only statement on this database is allowed")]
    SqlRefused,
    /// A statement of SQL calls a function that may take long, or make a large value, in one step.
    #[error(
        "The function {0} is not allowed in a statement: one call of it can take too long, or too much memory"
    )]
    SqlFunctionRefused(String),
    /// A statement of SQL reads a full-text table: one search can take minutes, and cannot be stopped.
    #[error(
        "The full-text tables cannot be read in a statement: compare a column of the table with LIKE instead"
    )]
    FullTextRefused,
    /// A statement of SQL was stopped.
    #[error("The query was stopped: {0}")]
    SqlStopped(String),
    /// A call was stopped because it took longer than its limit.
    #[error(
        "The call was stopped at its time limit of {} seconds. Its current transaction was rolled back; earlier ones \
         are stored",
        Duration::from_millis(*limit_millis).as_secs_f64()
    )]
    Timeout {
        /// The limit.
        limit_millis: u64,
    },
    /// A call was stopped because its client has cancelled it or disconnected.
    #[error("The call was stopped: its client has cancelled it or disconnected. Nothing was changed")]
    CallAbandoned,
    /// A call was stopped because the shell ends.
    #[error("The call was stopped, because the server is shutting down. Nothing was changed")]
    Stopping,
    /// The target of an export cannot be written.
    #[error("The export cannot be written: {0}")]
    UnwritableTarget(String),
    /// The database is open for reading only.
    #[error("This memory is open for reading only")]
    ReadOnly,
    /// A program was ended in the middle of a write, and its journal cannot be rolled back where nothing may be
    /// written.
    #[error(
        "A program was ended in the middle of a write to this memory, which cannot be undone here: nothing may be written"
    )]
    UnfinishedWrite,
    /// Another process kept the database locked for longer than the busy timeout, or wrote it while it was read without
    /// locks.
    #[error("The database is busy: another program is writing to it. Try again")]
    Busy,
    /// Another file is at the database's path, or the file got a second name.
    #[error(
        "The database file was moved, replaced or given a second name (hard link) while it was open, so nothing of this \
         call was stored. The next call opens the file that is at its path; remove a second name first"
    )]
    DatabaseMoved,
    /// The store of the memory has another history than before.
    #[error(
        "The store has another history of this memory than before (a failover without a synchronous standby, a restored \
         backup, or an import), so nothing of this call was stored. The next call reads the memory as it is now: store \
         again what is missing"
    )]
    StoreMoved,
    /// Other machines may write the disk of the database, and that was not accepted.
    #[error("The database is not opened: {0}")]
    SharedDisk(String),
    /// The database is locked by an owner of another machine, or of this one before a restart, which may have ended.
    #[error(
        "The database is locked by {0}. That was another machine, or this one before a restart, and it cannot \
         be determined whether that program is running. Nothing of this call was stored"
    )]
    LockedElsewhere(String),
    /// No room is left on the disk.
    #[error("The disk is full: nothing of this call was stored. Make room and try again")]
    DiskFull,
    /// No room is left on the disk of the database server that has the memory.
    #[error(
        "The disk of the database server is full: nothing of this call was stored. Make room there and try again"
    )]
    ServerDiskFull,
    /// The file holds no SQLite database.
    #[error("The file is not a SQLite database and was left as it is")]
    NotADatabase,
    /// The file looks like a database that SQLCipher or a program like it has encrypted.
    #[error(
        "The file seems to be an encrypted database: it is made of whole pages that look random. It was left as it is: \
         its key is missing"
    )]
    Encrypted,
    /// The key does not open the file.
    #[error(
        "The key or passphrase does not open the database: it belongs to another database, or the file is damaged. Nothing was changed"
    )]
    WrongKey,
    /// A key was given, and the database is not encrypted.
    #[error("A key or passphrase was given, but the database is not encrypted. Nothing was changed")]
    NotEncrypted,
    /// The database is in WAL mode, and its `-wal` is unknown.
    #[error(
        "The database is in WAL mode, and part of its data may be in the file of the same name that ends in -wal: \
         provide that file as well. Nothing was changed"
    )]
    WalMissing,
    /// The file is a SQLite database of another program.
    #[error("The file is a SQLite database of another program and was left as it is{0}")]
    ForeignDatabase(Foreign),
    /// The file is larger than there is room for.
    #[error("The file has {bytes} bytes, and at most {max_bytes} can be imported. Nothing was changed")]
    FileTooLarge {
        /// Its size.
        bytes: u64,
        /// The maximum size.
        max_bytes: u64,
    },
    /// There is no persistent storage.
    #[error("No persistent storage is available ({0})")]
    StorageUnavailable(String),
    /// Another instance holds the storage.
    #[error("The memory is already open elsewhere")]
    StorageTaken,
    /// The file was written by a newer Limbic.
    #[error(
        "The database is of version {found}, this program knows versions up to {known}. \
         Install a newer version of Limbic; the database was left as it is"
    )]
    NewerVersion {
        /// `user_version` of the file.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The file is damaged.
    #[error("The database is damaged ({0})")]
    Damaged(String),
    /// The file cannot be opened at all.
    #[error(
        "The database cannot be opened ({0}). Check that the path is a file in a folder you may write to"
    )]
    CannotOpen(String),
    /// Reading or writing the file failed.
    #[error("Reading or writing the database failed ({0}). Nothing of this call was stored")]
    Io(String),
    /// The database server ended a read that was in the way of its other work; it may be repeated.
    #[error("Reading the database failed ({0}). Nothing of this call was stored")]
    ReadCancelled(String),
    /// A commit was sent, and it is unknown whether it took effect.
    #[error("It is unknown whether this call was stored ({0}). Check whether it was before you repeat it")]
    OutcomeUnknown(String),
    /// Vectors that do not belong to this database.
    #[error("{0}")]
    WrongVectors(String),
    /// The table of static vectors, which belongs to the program, is damaged or cannot be read.
    #[error("The table of static vectors cannot be read: {0}")]
    StaticVectors(String),
    /// A defect of Limbic itself.
    #[error("Internal error: {0}. Nothing of this call was stored; please report it")]
    Internal(String),
    /// A defect that ended the call in its middle. Its message may repeat stored texts, so the error does not have it.
    #[error("Internal error; the core was restarted: it panicked. The log has the place")]
    Panicked,
}

impl Error {
    /// An argument error without a hint.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidArgument { message: message.into(), hint: None }
    }

    /// A stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::EntityNotFound(_) | Self::EntityIdNotFound(_) | Self::ReferenceEntityNotFound(_) => {
                "entity_not_found"
            }
            Self::ObservationNotFound(_) | Self::NoSuchText { .. } => "observation_not_found",
            Self::RelationNotFound(_) => "relation_not_found",
            Self::MemoryNotFound(_) => "memory_not_found",
            Self::DomainNotFound(_) | Self::SelectedDomainDeleted(_) => "domain_not_found",
            Self::ProjectNotFound { .. } => "project_not_found",
            Self::SymbolNotFound(_) => "symbol_not_found",
            Self::SecretRefused(_) => "secret_refused",
            Self::BlankDomainId | Self::InvalidSql(_) => "invalid_argument",
            Self::MarksRefused(_) => "marks_refused",
            Self::ResourceNotFound(_) => "resource_not_found",
            Self::Conflict(_)
            | Self::DomainNotEmpty { .. }
            | Self::MemoryExists(_)
            | Self::ObservationExists(_) => "conflict",
            Self::OtherUser(_) | Self::OneUserOnly(_) => "forbidden",
            Self::UnknownSource { .. } => "source_unknown",
            Self::UnreadableSource { .. } => "source_unreadable",
            Self::ImportInterrupted { cause, .. } => {
                cause.as_ref().map_or("import_interrupted", |cause| cause.code())
            }
            Self::IndexInterrupted => "index_interrupted",
            Self::SqlRefused | Self::SqlFunctionRefused(_) | Self::FullTextRefused => "sql_refused",
            Self::SqlStopped(_) => "sql_stopped",
            Self::Timeout { .. } => "timeout",
            Self::CallAbandoned => "cancelled",
            Self::Stopping => "stopping",
            Self::UnwritableTarget(_) => "target_unwritable",
            Self::ReadOnly | Self::UnfinishedWrite => "read_only",
            Self::Busy => "database_busy",
            Self::DatabaseMoved | Self::StoreMoved => "database_moved",
            Self::SharedDisk(_) => "shared_disk",
            Self::LockedElsewhere(_) => "locked_elsewhere",
            Self::DiskFull | Self::ServerDiskFull => "disk_full",
            Self::NotADatabase => "not_a_database",
            Self::Encrypted => "encrypted_database",
            Self::WrongKey => "wrong_key",
            Self::NotEncrypted => "not_encrypted",
            Self::WalMissing => "wal_missing",
            Self::ForeignDatabase(_) => "foreign_database",
            Self::FileTooLarge { .. } => "file_too_large",
            Self::StorageUnavailable(_) => "storage_unavailable",
            Self::StorageTaken => "storage_taken",
            Self::NewerVersion { .. } => "newer_version",
            Self::Damaged(_) => "database_damaged",
            Self::CannotOpen(_) => "cannot_open",
            Self::Io(_) | Self::ReadCancelled(_) => "io_error",
            Self::OutcomeUnknown(_) => "outcome_unknown",
            Self::WrongVectors(_) => "wrong_vectors",
            Self::StaticVectors(_) => "static_vectors_unreadable",
            Self::Internal(_) | Self::Panicked => "internal",
        }
    }
}

/// The owner of a database that is not Limbic's, as its tables identify it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// None: it has no table.
    Empty,
    /// It has the tables of MCP Memory v2.
    McpMemory,
    /// Another program.
    Unknown,
}

impl fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => ". It is empty",
            Self::McpMemory => ". It looks like a memory of MCP Memory v2",
            Self::Unknown => "",
        })
    }
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

impl Error {
    /// Returns what went wrong, for work of which only a part failed: the messages of some errors are about a whole
    /// call.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            Self::DiskFull => "the disk is full, so make room".to_owned(),
            Self::ServerDiskFull => "the disk of the database server is full, so make room there".to_owned(),
            Self::Io(reason) | Self::ReadCancelled(reason) => {
                format!("reading or writing the database failed ({reason})")
            }
            Self::DatabaseMoved => {
                "the database file was moved, replaced or given a second name (hard link)".to_owned()
            }
            Self::Stopping => "the server is shutting down".to_owned(),
            Self::Panicked => "it panicked, which is a defect: the log has the place".to_owned(),
            Self::StoreMoved => "the store has another history of this memory than before".to_owned(),
            Self::LockedElsewhere(holder) => format!("the database is locked by {holder}"),
            Self::OutcomeUnknown(reason) => {
                format!("it is unknown whether its last part was stored ({reason})")
            }
            Self::Internal(reason) => format!("internal error, please report it: {reason}"),
            cause => cause.to_string(),
        }
    }
}

fn interrupted(cause: Option<&Error>, stored: Option<&str>) -> String {
    let cause = cause.map_or_else(|| "it was cancelled".to_owned(), Error::cause);
    match stored {
        Some(stored) => format!(
            "The import was incomplete: {cause}. What was stored before is kept ({stored}): run it again to complete it"
        ),
        None => format!("The import stored nothing: {cause}"),
    }
}

/// What is said of a value that exceeds a limit of SQLite.
const TOO_BIG: &str = "A text or blob is larger than the maximum of a value";

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error().map(|error| error.extended_code) {
            Some(ffi::SQLITE_READONLY_DBMOVED) => return Self::DatabaseMoved,
            Some(ffi::SQLITE_READONLY_ROLLBACK) => return Self::UnfinishedWrite,
            _ => {}
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::NotADatabase) => Self::NotADatabase,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(text),
            Some(ErrorCode::OperationInterrupted) => {
                Self::SqlStopped("it took too many steps of SQLite".into())
            }
            Some(ErrorCode::CannotOpen) => Self::CannotOpen(text),
            Some(ErrorCode::SystemIoFailure) => Self::Io(text),
            Some(ErrorCode::TooBig) => Self::invalid(TOO_BIG),
            _ => Self::Internal(text),
        }
    }
}

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;
