//! A deterministic scheduler: exactly one thread runs at a time, which a seed selects at every host call.

use std::{
    collections::BTreeSet,
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

use limbic_protocol::SplitMix64;
use limbic_vfs::{
    BeaconState, FileSystem, Held, Host, HostError, HostFile, Identity, Inode, OpenMode, ProcessState, Stat,
    simulator::{Machine, Process},
};

/// Decides whose turn it is. Clones share the turn.
#[derive(Clone)]
pub struct Schedule(Arc<(Mutex<State>, Condvar)>);

struct State {
    turn: Option<usize>,
    ready: BTreeSet<usize>,
    random: SplitMix64,
    /// The turn passes at one call in this many.
    switch: u64,
    trace: u64,
}

/// A thread's membership in the schedule, which ends when this is dropped.
pub struct Turn {
    schedule: Schedule,
    id: usize,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.schedule.state();
        state.ready.remove(&self.id);
        state.pass();
        self.schedule.0.1.notify_all();
    }
}

impl State {
    fn pass(&mut self) {
        let count = u64::try_from(self.ready.len()).unwrap();
        if count == 0 {
            self.turn = None;
            return;
        }
        let next = usize::try_from(self.random.below(count)).unwrap();
        self.turn = self.ready.iter().nth(next).copied();
        self.trace = self.trace.wrapping_mul(31).wrapping_add(u64::try_from(self.turn.unwrap()).unwrap());
    }
}

impl Schedule {
    pub fn new(seed: u64, switch: u64) -> Schedule {
        let random = SplitMix64::new(seed);
        let state = State { turn: None, ready: BTreeSet::new(), random, switch, trace: 0 };
        Schedule(Arc::new((Mutex::new(state), Condvar::new())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap()
    }

    /// Waits for the first turn of the thread `id`.
    pub fn register(&self, id: usize) -> Turn {
        self.state().ready.insert(id);
        self.wait(id);
        Turn { schedule: self.clone(), id }
    }

    /// Starts once `count` threads are ready.
    pub fn start(&self, count: usize) {
        while self.state().ready.len() < count {
            std::thread::yield_now();
        }
        self.state().pass();
        self.0.1.notify_all();
    }

    fn wait(&self, id: usize) {
        let state = self.state();
        drop(self.0.1.wait_while(state, |state| state.turn != Some(id)).unwrap());
    }

    /// Passes the turn, by chance or because this thread sleeps.
    fn step(&self, id: usize, sleeps: bool) {
        let mut state = self.state();
        let switch = state.switch;
        if !sleeps && state.random.below(switch) > 0 {
            return;
        }
        state.pass();
        if state.turn == Some(id) {
            return;
        }
        drop(state);
        self.0.1.notify_all();
        self.wait(id);
    }

    pub fn below(&self, end: u64) -> u64 {
        self.state().random.below(end)
    }

    /// Identifies the order of turns so far.
    pub fn trace(&self) -> u64 {
        self.state().trace
    }

    fn ready(&self) -> f64 {
        f64::from(u32::try_from(self.state().ready.len()).unwrap().max(1))
    }
}

/// A process whose every call may pass the turn to another.
#[derive(Clone)]
pub struct Turns {
    pub process: Process,
    pub machine: Machine,
    pub schedule: Schedule,
    pub id: usize,
}

impl Turns {
    fn step(&self) -> &Process {
        self.schedule.step(self.id, false);
        &self.process
    }
}

struct File {
    inner: Box<dyn HostFile>,
    turns: Turns,
}

impl HostFile for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        self.turns.step();
        self.inner.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        self.turns.step();
        self.inner.write_at(bytes, offset)
    }
    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.turns.step();
        self.inner.truncate(size_bytes)
    }
    fn sync(&self) -> Result<(), HostError> {
        self.turns.step();
        self.inner.sync()
    }
    fn size(&self) -> Result<u64, HostError> {
        self.turns.step();
        self.inner.size()
    }
    fn inode(&self) -> Result<Inode, HostError> {
        self.turns.step();
        self.inner.inode()
    }
}

impl Host for Turns {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        let inner = self.step().open(path, mode)?;
        Ok(Box::new(File { inner, turns: self.clone() }))
    }
    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError> {
        self.step().stat(path)
    }
    fn may(&self, path: &str, write: bool) -> Result<bool, HostError> {
        self.step().may(path, write)
    }
    fn delete(&self, path: &str) -> Result<(), HostError> {
        self.step().delete(path)
    }
    fn real_path(&self, path: &str) -> Result<String, HostError> {
        self.step().real_path(path)
    }
    fn sync_folder(&self, path: &str) -> Result<(), HostError> {
        self.step().sync_folder(path)
    }
    fn create_folder(&self, path: &str) -> Result<(), HostError> {
        self.step().create_folder(path)
    }
    fn delete_folder(&self, path: &str) -> Result<(), HostError> {
        self.step().delete_folder(path)
    }
    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.step().list(path)
    }
    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        self.step().create(path, content)
    }
    fn link(&self, from: &str, to: &str) -> Result<(), HostError> {
        self.step().link(from, to)
    }
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.step().read(path)
    }
    fn hold_beacon(&self, path: &str) -> Result<Box<dyn Held>, HostError> {
        self.step().hold_beacon(path)
    }
    fn beacon(&self, path: &str) -> BeaconState {
        self.step().beacon(path)
    }
    fn file_system(&self, path: &str) -> Option<FileSystem> {
        self.step().file_system(path)
    }
    /// Time advances once for all waiting threads.
    fn sleep_micros(&self, micros: u64) {
        let millis = std::time::Duration::from_micros(micros).as_secs_f64() * 1_000.0;
        self.machine.pass_millis(millis / self.schedule.ready());
        self.schedule.step(self.id, true);
    }
    fn now_millis(&self) -> i64 {
        self.process.now_millis()
    }
    fn monotonic_millis(&self) -> f64 {
        self.process.monotonic_millis()
    }
    fn fill_random(&self, buffer: &mut [u8]) {
        self.process.fill_random(buffer);
    }
    fn identity(&self) -> Identity {
        self.process.identity()
    }
    fn process(&self, pid: u32, thorough: bool) -> ProcessState {
        self.step().process(pid, thorough)
    }
}
