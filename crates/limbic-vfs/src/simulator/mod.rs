//! A machine in memory whose disk fails, fills up, tears writes and forgets, whose processes die, and whose
//! clock moves only while somebody sleeps. Everything follows from a seed.

mod disk;
mod random;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard},
};

use crate::{Host, HostError, HostFile, Identity, OpenMode, ProcessState, Stat, file::lock};
use disk::Disk;
pub use random::Random;

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One call fails.
    Error,
    /// From this call on, nothing can grow, until [`Machine::mend`].
    DiskFull,
    /// The process that makes this call dies before it takes effect.
    Kill,
    /// The power fails before this call takes effect: all processes die, the disk forgets.
    PowerFailure,
}

/// A machine. Clones are the same machine.
#[derive(Debug, Clone)]
pub struct Machine(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    disk: Disk,
    random: Random,
    /// Only these run.
    processes: BTreeSet<u32>,
    next_pid: u32,
    boots: u32,
    now_millis: f64,
    calls: u64,
    plan: Option<(u64, Fault)>,
    full: bool,
    denied: BTreeSet<String>,
    links: bool,
}

impl Machine {
    /// A machine with an empty folder `/`.
    #[must_use]
    pub fn new(seed: u64) -> Machine {
        let mut disk = Disk::default();
        disk.make_folder("/");
        Machine(Arc::new(Mutex::new(State {
            disk,
            random: Random::new(seed),
            processes: BTreeSet::new(),
            next_pid: 100,
            boots: 1,
            now_millis: 0.0,
            calls: 0,
            plan: None,
            full: false,
            denied: BTreeSet::new(),
            links: true,
        })))
    }

    /// A new process on this machine.
    #[must_use]
    pub fn process(&self) -> Process {
        self.process_in("")
    }

    /// A new process in a process space of its own, as in another container.
    #[must_use]
    pub fn process_in(&self, space: &str) -> Process {
        let mut state = self.state();
        state.next_pid += 1;
        let pid = state.next_pid;
        state.processes.insert(pid);
        Process { machine: self.clone(), pid, space: space.to_owned() }
    }

    /// Lets something go wrong at the call after the next `calls` calls.
    pub fn plan(&self, calls: u64, fault: Fault) {
        let mut state = self.state();
        state.plan = Some((state.calls + calls, fault));
    }

    /// Nothing goes wrong from here on; whether anything did.
    pub fn mend(&self) -> bool {
        let mut state = self.state();
        state.full = false;
        state.plan.take().is_none()
    }

    /// How many calls were made so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Ends a process as `kill -9` does.
    pub fn kill(&self, process: &Process) {
        self.state().processes.remove(&process.pid);
    }

    /// Lets time pass.
    pub fn pass_millis(&self, millis: f64) {
        self.state().now_millis += millis;
    }

    /// Nobody may create, change or delete what stands at or below `path`.
    pub fn deny_writing(&self, path: &str) {
        self.state().denied.insert(path.to_owned());
    }

    /// Takes hard links away, as on some removable disks.
    pub fn without_links(&self) {
        self.state().links = false;
    }

    /// Makes a file with this content.
    ///
    /// # Errors
    /// [`HostError::NotFound`] when its folder is not there.
    pub fn put(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        let mut state = self.state();
        let id = state.disk.create(path)?;
        state.disk.write(id, 0, content);
        Ok(())
    }

    /// The names in a folder.
    ///
    /// # Errors
    /// [`HostError::NotFound`] when it is not there.
    pub fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.state().disk.list(path)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    /// Every call passes here. Whether it may take effect.
    fn enter(&mut self, pid: u32, grows: bool) -> Result<(), HostError> {
        if !self.processes.contains(&pid) {
            return Err(HostError::Io("this process is dead".to_owned()));
        }
        self.calls += 1;
        if let Some((_, fault)) = self.plan.take_if(|(at, _)| self.calls > *at) {
            match fault {
                Fault::Error => return Err(HostError::Io("the simulated disk failed".to_owned())),
                Fault::DiskFull => self.full = true,
                Fault::Kill => self.die(pid),
                Fault::PowerFailure => {
                    self.processes.clear();
                    self.boots += 1;
                    self.disk.lose_power(&mut self.random);
                }
            }
        }
        if !self.processes.contains(&pid) {
            return Err(HostError::Io("this process has just died".to_owned()));
        }
        if grows && self.full { Err(HostError::Full) } else { Ok(()) }
    }

    fn die(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    fn may_write(&self, path: &str) -> bool {
        !self.denied.iter().any(|denied| path == denied || path.starts_with(&format!("{denied}/")))
    }

    fn expect_writable(&self, path: &str) -> Result<(), HostError> {
        if self.may_write(path) { Ok(()) } else { Err(HostError::Denied) }
    }

    /// To create or remove a name one must be allowed to write its folder.
    fn expect_folder_writable(&self, path: &str) -> Result<(), HostError> {
        let folder = crate::file::folder_of(path);
        if self.denied.contains(folder) { Err(HostError::Denied) } else { self.expect_writable(path) }
    }
}

/// A process of a [`Machine`]: a host.
#[derive(Debug, Clone)]
pub struct Process {
    machine: Machine,
    pid: u32,
    space: String,
}

impl Process {
    fn enter(&self, grows: bool) -> Result<MutexGuard<'_, State>, HostError> {
        let mut state = self.machine.state();
        state.enter(self.pid, grows)?;
        Ok(state)
    }
}

impl Host for Process {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        let mut state = self.enter(false)?;
        if state.disk.is_folder(path) {
            return Err(HostError::IsDirectory);
        }
        let found = state.disk.lookup(path);
        if mode != OpenMode::Read && found.is_some() {
            state.expect_writable(path)?;
        }
        let id = match (found, mode) {
            (Some(_), OpenMode::CreateNew) => return Err(HostError::Exists),
            (Some(id), _) => id,
            (None, OpenMode::Read | OpenMode::Write) => return Err(HostError::NotFound),
            (None, OpenMode::Create | OpenMode::CreateNew) => {
                state.expect_folder_writable(path)?;
                if state.full {
                    return Err(HostError::Full);
                }
                state.disk.create(path)?
            }
        };
        Ok(Box::new(SimFile { process: self.clone(), id }))
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>, HostError> {
        Ok(self.enter(false)?.disk.stat(path))
    }

    fn may(&self, path: &str, write: bool) -> Result<bool, HostError> {
        let state = self.enter(false)?;
        Ok(state.disk.stat(path).is_some() && (!write || state.may_write(path)))
    }

    fn delete(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(false)?;
        state.expect_folder_writable(path)?;
        state.disk.unlink(path)
    }

    fn real_path(&self, path: &str) -> Result<String, HostError> {
        drop(self.enter(false)?);
        Ok(path.to_owned())
    }

    fn sync_folder(&self, path: &str) -> Result<(), HostError> {
        self.enter(false)?.disk.sync_folder(path);
        Ok(())
    }

    fn create_folder(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(true)?;
        state.expect_folder_writable(path)?;
        state.disk.make_folder(path);
        Ok(())
    }

    fn delete_folder(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(false)?;
        state.expect_folder_writable(path)?;
        state.disk.remove_folder(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.enter(false)?.disk.list(path)
    }

    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        let mut state = self.enter(true)?;
        state.expect_folder_writable(path)?;
        if state.disk.lookup(path).is_some() {
            return Err(HostError::Exists);
        }
        let id = state.disk.create(path)?;
        drop(state);
        // The text comes with a call of its own, so that a process can die in between.
        self.enter(true)?.disk.write(id, 0, content);
        Ok(())
    }

    fn link(&self, from: &str, to: &str) -> Result<(), HostError> {
        let mut state = self.enter(false)?;
        if !state.links {
            return Err(HostError::Unsupported);
        }
        state.expect_folder_writable(to)?;
        state.disk.link(from, to)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        let state = self.enter(false)?;
        let id = state.disk.lookup(path).ok_or(HostError::NotFound)?;
        Ok(state.disk.content(id).to_vec())
    }

    fn sleep_micros(&self, micros: u64) {
        let slept = std::time::Duration::from_micros(micros);
        self.machine.pass_millis(slept.as_secs_f64() * 1_000.0);
    }

    fn now_millis(&self) -> i64 {
        1_700_000_000_000
    }

    fn monotonic_millis(&self) -> f64 {
        self.machine.state().now_millis
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        let mut state = self.machine.state();
        for chunk in buffer.chunks_mut(8) {
            let bytes = state.random.number().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }

    fn identity(&self) -> Identity {
        Identity {
            pid: self.pid,
            start: format!("start-{}", self.pid),
            machine: "simulated".to_owned(),
            boot: self.machine.state().boots.to_string(),
            space: self.space.clone(),
            instance: String::new(),
        }
    }

    fn process(&self, pid: u32, _thorough: bool) -> ProcessState {
        let runs = self.machine.state().processes.contains(&pid);
        if runs { ProcessState::Running(format!("start-{pid}")) } else { ProcessState::Gone }
    }
}

struct SimFile {
    process: Process,
    id: u64,
}

impl HostFile for SimFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, HostError> {
        let state = self.process.enter(false)?;
        let content = state.disk.content(self.id);
        let rest = content.get(size(offset)..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        let mut state = self.process.enter(false)?;
        let offset = size(offset);
        let end = offset + bytes.len();
        let len = state.disk.content(self.id).len();
        if state.full && end > len {
            // What fits is written.
            let fits = len.saturating_sub(offset);
            state.disk.write(self.id, offset, &bytes[..fits]);
            return Err(HostError::Full);
        }
        state.disk.write(self.id, offset, bytes);
        Ok(())
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.process.enter(false)?.disk.truncate(self.id, size(size_bytes));
        Ok(())
    }

    fn sync(&self, _data_only: bool) -> Result<(), HostError> {
        self.process.enter(false)?.disk.sync(self.id);
        Ok(())
    }

    fn size(&self) -> Result<u64, HostError> {
        let state = self.process.enter(false)?;
        Ok(u64::try_from(state.disk.content(self.id).len()).expect("memory is smaller than 2^64"))
    }
}

fn size(offset: u64) -> usize {
    usize::try_from(offset).expect("a simulated file fits into memory")
}
