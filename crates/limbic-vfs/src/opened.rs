//! The arguments of an open connection, and the state that its files share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
};

use crate::{Host, Locks, Secret, encryption::DatabaseCipher};

/// How a database is opened.
#[derive(Default)]
pub struct Access {
    /// Whether a database on a disk that other machines may write, such as a network file system, is accepted. One
    /// machine at a time can have such a database open, and nothing of another machine is considered dead.
    pub accepts_shared_disks: bool,
    /// The key or the passphrase of an encrypted database. With it, a plain one is refused, and a new one is encrypted.
    pub secret: Option<Secret>,
}

/// The arguments of an open connection, and the state that its files share. Its open files keep it.
pub(crate) struct Opened {
    pub host: Arc<dyn Host>,
    pub access: Access,
    /// Journals whose directory entries this connection has synced, with the [`crate::Stat::id`] of the file.
    pub durable: Mutex<HashMap<String, u64>>,
    /// By database, what its journal shares with it: the connection may have attached others.
    pub writers: Mutex<HashMap<String, Writer>>,
}

impl Opened {
    pub fn new(host: Arc<dyn Host>, access: Access) -> Opened {
        Opened { host, access, durable: Mutex::default(), writers: Mutex::default() }
    }
}

/// The locks of a connection, which its database file and its journal share.
pub(crate) type SharedLocks = Arc<Mutex<Box<dyn Locks>>>;

/// The state that the journal of a connection shares with its database.
pub(crate) struct Writer {
    pub locks: Weak<Mutex<Box<dyn Locks>>>,
    /// `None` if the database is not encrypted.
    pub cipher: Option<Arc<DatabaseCipher>>,
}
