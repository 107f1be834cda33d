//! A simulated store with faults determined by a seed: connections break, answers to commits are lost, the server
//! restarts, and a standby without the last commits replaces it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use limbic_protocol::SplitMix64;

use crate::store::{Head, Locked, Outcome, PageStore, StoreError, Token, outcome, page_count};

/// Rates of faults, per thousand operations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// The connection breaks, and nothing of the transaction is stored.
    pub lost: u64,
    /// The answer to a commit is lost, and the connection can be made again.
    pub answer_lost: u64,
    /// The answer to a commit is lost, and the store stays unreachable.
    pub outcome_unknown: u64,
    /// The server restarts: all transactions end.
    pub restart: u64,
    /// The disk of the server is full.
    pub full: u64,
    /// The server ends a transaction that reads, as a standby does.
    pub cancelled: u64,
}

/// A simulated server with one memory.
#[derive(Clone)]
pub struct SimulatedServer(Arc<Mutex<State>>);

struct State {
    random: SplitMix64,
    faults: Faults,
    /// The memory at every version, 0 first.
    versions: Vec<Arc<Version>>,
    locked_by: Option<u64>,
    last_connection: u64,
    restarts: u64,
    pages_read: usize,
}

#[derive(Default)]
struct Version {
    head: Head,
    /// Each page with the version that wrote it.
    pages: BTreeMap<u64, (u64, Arc<Vec<u8>>)>,
}

impl SimulatedServer {
    /// A server with an empty memory.
    #[must_use]
    pub fn new(seed: u64, faults: Faults) -> SimulatedServer {
        SimulatedServer(Arc::new(Mutex::new(State {
            random: SplitMix64::new(seed),
            faults,
            versions: vec![Arc::default()],
            locked_by: None,
            last_connection: 0,
            restarts: 0,
            pages_read: 0,
        })))
    }

    /// A new connection.
    #[must_use]
    pub fn connect(&self) -> Box<dyn PageStore> {
        let mut state = self.state();
        state.last_connection += 1;
        Box::new(Connection { server: self.clone(), number: state.last_connection, transaction: None })
    }

    /// Changes how often something fails.
    pub fn set_faults(&self, faults: Faults) {
        self.state().faults = faults;
    }

    /// Ends all transactions, as an immediate restart does.
    pub fn restart(&self) {
        self.state().restart();
    }

    /// Replaces the server by a standby that misses the last `commits`.
    pub fn fail_over(&self, commits: usize) {
        let mut state = self.state();
        state.restart();
        let kept = state.versions.len().saturating_sub(commits).max(1);
        state.versions.truncate(kept);
    }

    /// The state of the memory.
    #[must_use]
    pub fn head(&self) -> Head {
        self.state().latest().head.clone()
    }

    /// How many pages are stored.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.state().latest().pages.len()
    }

    /// How many pages connections have read.
    #[must_use]
    pub fn pages_read(&self) -> usize {
        self.state().pages_read
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn latest(&self) -> Arc<Version> {
        self.versions.last().cloned().unwrap_or_default()
    }

    fn happens(&mut self, per_mille: u64) -> bool {
        per_mille > 0 && self.random.below(1_000) < per_mille
    }

    fn restart(&mut self) {
        self.locked_by = None;
        self.restarts += 1;
    }

    fn token(&mut self) -> Token {
        std::array::from_fn(|_| self.random.byte())
    }
}

struct Transaction {
    base: Arc<Version>,
    restarts: u64,
    is_writer: bool,
    /// Whether its commit begins another history.
    is_cleared: bool,
    written: BTreeMap<u64, Arc<Vec<u8>>>,
}

struct Connection {
    server: SimulatedServer,
    number: u64,
    transaction: Option<Transaction>,
}

fn lost() -> StoreError {
    StoreError::Lost("the connection to the simulated store was lost".to_owned())
}

impl Connection {
    /// Injects the faults that the seed determines, then runs the operation in its transaction.
    fn operate<T>(
        &mut self,
        work: impl FnOnce(&mut State, &mut Transaction, u64) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let server = self.server.clone();
        let mut state = server.state();
        let faults = state.faults;
        if state.happens(faults.restart) {
            state.restart();
        }
        let breaks = state.happens(faults.lost);
        let transaction =
            self.transaction.as_mut().filter(|found| !breaks && found.restarts == state.restarts);
        let result = match transaction {
            Some(transaction) => work(&mut state, transaction, self.number),
            None => Err(lost()),
        };
        if result.is_err() {
            self.transaction = None;
            if state.locked_by == Some(self.number) {
                state.locked_by = None;
            }
        }
        result
    }

    fn begin(&mut self, is_writer: bool) -> Head {
        let state = self.server.state();
        let base = state.latest();
        let head = base.head.clone();
        self.transaction = Some(Transaction {
            base,
            restarts: state.restarts,
            is_writer,
            is_cleared: false,
            written: BTreeMap::new(),
        });
        head
    }
}

impl PageStore for Connection {
    fn head(&mut self, _known: Option<u64>) -> Result<Head, StoreError> {
        self.end();
        Ok(self.begin(false))
    }

    fn lock(&mut self, _wait: Duration, _known: Option<u64>) -> Result<Locked, StoreError> {
        if self.transaction.is_none() {
            let number = self.number;
            let mut state = self.server.state();
            if state.locked_by.is_some_and(|owner| owner != number) {
                return Ok(Locked::Busy);
            }
            state.locked_by = Some(number);
            drop(state);
            return Ok(Locked::Yes(self.begin(true)));
        }
        self.operate(|state, transaction, number| {
            if state.locked_by.is_some_and(|owner| owner != number) {
                return Ok(Locked::Busy);
            }
            if state.latest().head != transaction.base.head {
                return Ok(Locked::Stale);
            }
            state.locked_by = Some(number);
            transaction.is_writer = true;
            Ok(Locked::Yes(transaction.base.head.clone()))
        })
    }

    fn read(&mut self, pages: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.operate(|state, transaction, _| {
            let cancelled = state.faults.cancelled;
            if !transaction.is_writer && state.happens(cancelled) {
                return Err(StoreError::Cancelled("the simulated store ended the read".to_owned()));
            }
            state.pages_read += pages.len();
            let found = |page: &u64| Some((*page, transaction.base.pages.get(page)?.1.to_vec()));
            Ok(pages.iter().filter_map(found).collect())
        })
    }

    fn token(&mut self, version: u64) -> Result<Option<Token>, StoreError> {
        self.operate(|state, _, _| {
            let version_number = usize::try_from(version).unwrap_or(usize::MAX);
            Ok(state.versions.get(version_number).and_then(|found| found.head.token(version)))
        })
    }

    fn changed_since(&mut self, version: u64) -> Result<Vec<u64>, StoreError> {
        self.operate(|_, transaction, _| {
            let changed = transaction.base.pages.iter().filter(|(_, (written, _))| *written > version);
            Ok(changed.map(|(page, _)| *page).collect())
        })
    }

    fn write(&mut self, pages: &[(u64, &[u8])]) -> Result<(), StoreError> {
        self.operate(|state, transaction, _| {
            let faults = state.faults;
            if state.happens(faults.full) {
                return Err(StoreError::Full);
            }
            transaction
                .written
                .extend(pages.iter().map(|(page, content)| (*page, Arc::new(content.to_vec()))));
            Ok(())
        })
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        self.operate(|_, transaction, _| {
            transaction.base = Arc::default();
            transaction.is_cleared = true;
            Ok(())
        })
    }

    fn commit(&mut self, pages: &[(u64, &[u8])], size_bytes: u64) -> Result<Head, StoreError> {
        if !pages.is_empty() {
            self.write(pages)?;
        }
        let committed = self.operate(|state, transaction, number| {
            if !transaction.is_writer || state.locked_by != Some(number) {
                return Err(StoreError::Refused("a commit without the lock".to_owned()));
            }
            let token = state.token();
            let head = transaction.base.head.next(size_bytes, token);
            let faults = state.faults;
            let is_lost = state.happens(faults.answer_lost);
            let is_unknown = state.happens(faults.outcome_unknown);
            if !(is_lost || is_unknown) || state.random.below(2) == 0 {
                let mut pages = transaction.base.pages.clone();
                let written = std::mem::take(&mut transaction.written);
                pages.extend(written.into_iter().map(|(page, content)| (page, (head.version, content))));
                pages.retain(|page, _| *page < page_count(size_bytes));
                if transaction.is_cleared {
                    state.versions.truncate(1);
                }
                state.versions.push(Arc::new(Version { head: head.clone(), pages }));
            }
            state.locked_by = None;
            if is_unknown {
                return Err(StoreError::OutcomeUnknown("the simulated store did not answer".to_owned()));
            }
            match outcome(&state.latest().head, head.version, token) {
                Outcome::Committed => Ok(head),
                Outcome::NotCommitted | Outcome::Unknown => Err(lost()),
            }
        });
        self.transaction = None;
        committed
    }

    fn end(&mut self) {
        if self.transaction.take().is_some() {
            let mut state = self.server.state();
            if state.locked_by == Some(self.number) {
                state.locked_by = None;
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end();
    }
}
