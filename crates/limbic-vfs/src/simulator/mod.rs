//! A machine in memory whose disk fails, fills up, tears writes and forgets, whose processes die, and whose
//! clock moves only while somebody sleeps. Everything follows from a seed.

mod disk;
mod random;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard},
};

use crate::{Host, HostError, HostFile, Identity, OpenMode, Place, ProcessState, Stat, file::lock};
use disk::Disk;
pub use random::Random;

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One call fails.
    Error,
    /// The next sync fails, and what it was to write is lost, although it can still be read.
    LostSync,
    /// The next call that creates or removes a name takes effect and reports a failure.
    LostAnswer,
    /// From this call on, nothing can grow, until [`Machine::mend`].
    DiskFull,
    /// The process that makes this call dies before it takes effect.
    Kill,
    /// The power fails before this call takes effect: all processes die, the disk forgets.
    PowerFailure,
}

/// How often something goes wrong by chance: one in so many calls that it can happen to; 0 is never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hazards {
    /// A call fails and has no effect.
    pub error: u64,
    /// A sync fails and loses its writes, as [`Fault::LostSync`].
    pub lost_sync: u64,
    /// A call takes effect and reports a failure, as [`Fault::LostAnswer`].
    pub lost_answer: u64,
    /// A call that needs space finds none.
    pub full: u64,
    /// The calling process dies.
    pub kill: u64,
    /// The power fails.
    pub power_failure: u64,
    /// The machine is suspended for up to two minutes, and its wall clock is set to another time.
    pub clock_jump: u64,
}

/// What a call does, which determines the faults that it can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read,
    Write,
    Sync,
    /// Creates a file or folder, which needs space.
    Create,
    /// Creates another name of a file, which rarely needs space.
    Link,
    Remove,
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
    /// A file that is renamed at a call.
    rename: Option<(u64, String, String)>,
    synced_since_rename: bool,
    hazards: Hazards,
    wall_millis: i64,
    /// The current call fails after it has taken effect.
    fails_afterwards: bool,
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
            rename: None,
            synced_since_rename: false,
            hazards: Hazards::default(),
            wall_millis: 1_700_000_000_000,
            fails_afterwards: false,
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

    /// Lets things go wrong by chance from here on.
    pub fn endanger(&self, hazards: Hazards) {
        self.state().hazards = hazards;
    }

    /// Nothing goes wrong from here on; whether anything did that was planned.
    pub fn mend(&self) -> bool {
        let mut state = self.state();
        state.full = false;
        state.hazards = Hazards::default();
        state.plan.take().is_none() && state.rename.take().is_none()
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

    /// Whether a process has neither ended nor been killed.
    #[must_use]
    pub fn is_running(&self, process: &Process) -> bool {
        self.state().processes.contains(&process.pid)
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

    /// Makes a folder.
    pub fn make_folder(&self, path: &str) {
        self.state().disk.make_folder(path);
    }

    /// Copies a file to another path, where nothing is.
    ///
    /// # Errors
    /// [`HostError::NotFound`] when the file or a folder is not there.
    pub fn copy(&self, from: &str, to: &str) -> Result<(), HostError> {
        let content = self.state().content(from)?;
        self.put(to, &content)
    }

    /// Renames a file; one that is at `to` loses its name.
    ///
    /// # Errors
    /// [`HostError::NotFound`] when the file or a folder is not there.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), HostError> {
        self.state().disk.rename(from, to)
    }

    /// Renames a file as [`Machine::rename`], at the call after the next `calls` calls.
    pub fn rename_at_call(&self, calls: u64, from: &str, to: &str) {
        let mut state = self.state();
        state.rename = Some((state.calls + calls, from.to_owned(), to.to_owned()));
    }

    /// Whether a file was synced since the rename of [`Machine::rename_at_call`].
    #[must_use]
    pub fn has_synced_since_rename(&self) -> bool {
        self.state().synced_since_rename
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
    fn enter(&mut self, pid: u32, call: Call) -> Result<(), HostError> {
        if !self.processes.contains(&pid) {
            return Err(HostError::Io("this process is dead".to_owned()));
        }
        self.calls += 1;
        self.fails_afterwards = false;
        self.synced_since_rename |= call == Call::Sync;
        let calls = self.calls;
        if let Some((_, from, to)) = self.rename.take_if(|(at, ..)| calls > *at) {
            self.disk.rename(&from, &to)?;
            self.synced_since_rename = false;
        }
        let fault = self.planned(call).or_else(|| self.hazard(call));
        match fault {
            None => {}
            Some(Fault::Error) => return Err(failed()),
            Some(Fault::LostSync | Fault::LostAnswer) => self.fails_afterwards = true,
            Some(Fault::DiskFull) => self.full = true,
            Some(Fault::Kill) => self.die(pid),
            Some(Fault::PowerFailure) => self.lose_power(),
        }
        if !self.processes.contains(&pid) {
            return Err(HostError::Io("this process has just died".to_owned()));
        }
        let is_full = match call {
            Call::Create => self.full || self.strikes(self.hazards.full),
            Call::Link => self.strikes(self.hazards.full),
            Call::Read | Call::Write | Call::Sync | Call::Remove => false,
        };
        if is_full { Err(HostError::Full) } else { Ok(()) }
    }

    fn content(&self, path: &str) -> Result<Vec<u8>, HostError> {
        let id = self.disk.lookup(path).ok_or(HostError::NotFound)?;
        Ok(self.disk.content(id).to_vec())
    }

    fn planned(&mut self, call: Call) -> Option<Fault> {
        let calls = self.calls;
        let (_, fault) = self.plan.take_if(|(at, fault)| calls > *at && can_meet(call, *fault))?;
        Some(fault)
    }

    fn hazard(&mut self, call: Call) -> Option<Fault> {
        let hazards = self.hazards;
        if self.strikes(hazards.clock_jump) {
            let slept = u32::try_from(self.random.below(120_000)).expect("below 120,000");
            self.now_millis += f64::from(slept);
            let jump = i64::try_from(self.random.below(20_000_000)).expect("below 20,000,000");
            self.wall_millis += jump - 10_000_000;
        }
        let chances = [
            (hazards.error, Fault::Error),
            (hazards.lost_sync, Fault::LostSync),
            (hazards.lost_answer, Fault::LostAnswer),
            (hazards.kill, Fault::Kill),
            (hazards.power_failure, Fault::PowerFailure),
        ];
        chances
            .into_iter()
            .find(|(one_in, fault)| can_meet(call, *fault) && self.strikes(*one_in))
            .map(|(_, fault)| fault)
    }

    fn strikes(&mut self, one_in: u64) -> bool {
        one_in > 0 && self.random.one_in(one_in)
    }

    fn lose_power(&mut self) {
        self.processes.clear();
        self.boots += 1;
        self.disk.lose_power(&mut self.random);
    }

    /// The result of a call that has taken effect.
    fn answer(&mut self) -> Result<(), HostError> {
        if std::mem::take(&mut self.fails_afterwards) { Err(failed()) } else { Ok(()) }
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

fn can_meet(call: Call, fault: Fault) -> bool {
    match fault {
        Fault::LostSync => call == Call::Sync,
        Fault::LostAnswer => matches!(call, Call::Create | Call::Link | Call::Remove),
        _ => true,
    }
}

fn failed() -> HostError {
    HostError::Io("the simulated disk failed".to_owned())
}

/// A process of a [`Machine`]: a host.
#[derive(Debug, Clone)]
pub struct Process {
    machine: Machine,
    pid: u32,
    space: String,
}

impl Process {
    fn enter(&self, call: Call) -> Result<MutexGuard<'_, State>, HostError> {
        let mut state = self.machine.state();
        state.enter(self.pid, call)?;
        Ok(state)
    }
}

impl Host for Process {
    fn open(&self, path: &str, mode: OpenMode) -> Result<Box<dyn HostFile>, HostError> {
        let mut state = self.enter(Call::Read)?;
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
        Ok(self.enter(Call::Read)?.disk.stat(path))
    }

    fn may(&self, path: &str, write: bool) -> Result<bool, HostError> {
        let state = self.enter(Call::Read)?;
        Ok(state.disk.stat(path).is_some() && (!write || state.may_write(path)))
    }

    fn delete(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Remove)?;
        state.expect_folder_writable(path)?;
        state.disk.unlink(path)?;
        state.answer()
    }

    fn real_path(&self, path: &str) -> Result<String, HostError> {
        drop(self.enter(Call::Read)?);
        Ok(path.to_owned())
    }

    fn sync_folder(&self, path: &str) -> Result<(), HostError> {
        self.enter(Call::Read)?.disk.sync_folder(path);
        Ok(())
    }

    fn create_folder(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Create)?;
        state.expect_folder_writable(path)?;
        state.disk.make_folder(path);
        state.answer()
    }

    fn delete_folder(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Remove)?;
        state.expect_folder_writable(path)?;
        state.disk.remove_folder(path)?;
        state.answer()
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.enter(Call::Read)?.disk.list(path)
    }

    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        let mut state = self.enter(Call::Create)?;
        state.expect_folder_writable(path)?;
        if state.disk.lookup(path).is_some() {
            return Err(HostError::Exists);
        }
        let id = state.disk.create(path)?;
        drop(state);
        // The text comes with a call of its own, so that a process can die in between.
        let mut state = self.enter(Call::Create)?;
        state.disk.write(id, 0, content);
        state.answer()
    }

    fn link(&self, from: &str, to: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Link)?;
        if !state.links {
            return Err(HostError::Unsupported);
        }
        state.expect_folder_writable(to)?;
        state.disk.link(from, to)?;
        state.answer()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.enter(Call::Read)?.content(path)
    }

    fn sleep_micros(&self, micros: u64) {
        let slept = std::time::Duration::from_micros(micros);
        self.machine.pass_millis(slept.as_secs_f64() * 1_000.0);
    }

    fn now_millis(&self) -> i64 {
        self.machine.state().wall_millis
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
        let state = self.process.enter(Call::Read)?;
        let content = state.disk.content(self.id);
        let rest = content.get(size(offset)..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), HostError> {
        let mut state = self.process.enter(Call::Write)?;
        let offset = size(offset);
        let end = offset + bytes.len();
        let len = state.disk.content(self.id).len();
        let one_in = state.hazards.full;
        let is_full = state.full || state.strikes(one_in);
        if is_full && end > len {
            // What fits is written.
            let fits = len.saturating_sub(offset);
            state.disk.write(self.id, offset, &bytes[..fits]);
            return Err(HostError::Full);
        }
        state.disk.write(self.id, offset, bytes);
        Ok(())
    }

    fn truncate(&self, size_bytes: u64) -> Result<(), HostError> {
        self.process.enter(Call::Write)?.disk.truncate(self.id, size(size_bytes));
        Ok(())
    }

    fn sync(&self, _data_only: bool) -> Result<(), HostError> {
        let mut state = self.process.enter(Call::Sync)?;
        if state.fails_afterwards {
            state.disk.forget_unsynced(self.id)
        } else {
            state.disk.sync(self.id)
        }
        state.answer()
    }

    fn size(&self) -> Result<u64, HostError> {
        let state = self.process.enter(Call::Read)?;
        Ok(u64::try_from(state.disk.content(self.id).len()).expect("memory is smaller than 2^64"))
    }

    fn place(&self) -> Result<Place, HostError> {
        drop(self.process.enter(Call::Read)?);
        Ok(disk::place(self.id))
    }
}

fn size(offset: u64) -> usize {
    usize::try_from(offset).expect("a simulated file fits into memory")
}
