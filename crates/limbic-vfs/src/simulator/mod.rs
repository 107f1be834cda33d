//! A simulated machine with faults determined by a seed: its disk fails, fills up, tears and loses writes, its processes
//! die, and its clock advances only while a process sleeps.

mod disk;
mod process;
mod random;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard},
};

use crate::{FileSystem, HostError, mutex::lock};
use disk::Disk;
pub use process::Process;
pub use random::Random;

/// A fault of the machine.
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
    /// The power fails before this call takes effect: all processes die, unsynced writes may be lost.
    PowerFailure,
}

/// The rates of random faults: one in this many calls that can have the fault; 0 for never.
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

/// The kind of a call, which determines its possible faults.
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

/// The type that `statfs` returns for ext4.
const EXT4: u64 = 0xEF53;

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
    /// What happens during a sync of a process, after so many of its syncs.
    long_sync: Option<(u32, u64, Meanwhile)>,
    synced_since_rename: bool,
    hazards: Hazards,
    wall_millis: i64,
    /// The current call fails after it has taken effect.
    fails_afterwards: bool,
    full: bool,
    denied: BTreeSet<String>,
    /// Processes that may write nothing, as in a container with a read-only mount.
    readers: BTreeSet<u32>,
    links: bool,
    /// The machine and the boot id of processes under another kernel.
    kernels: BTreeMap<u32, (String, String)>,
    file_system: FileSystem,
    /// Which process holds a beacon, by its file. The kernel forgets them when the power fails.
    beacons: BTreeMap<u64, u32>,
    has_beacons: bool,
}

/// The action of other processes while a process waits.
struct Meanwhile(Box<dyn FnOnce() + Send>);

impl fmt::Debug for Meanwhile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Meanwhile")
    }
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
            long_sync: None,
            synced_since_rename: false,
            hazards: Hazards::default(),
            wall_millis: 1_700_000_000_000,
            fails_afterwards: false,
            full: false,
            denied: BTreeSet::new(),
            readers: BTreeSet::new(),
            links: true,
            kernels: BTreeMap::new(),
            file_system: FileSystem::Number(EXT4),
            beacons: BTreeMap::new(),
            has_beacons: true,
        })))
    }

    /// A new process on this machine.
    #[must_use]
    pub fn process(&self) -> Process {
        self.process_in("")
    }

    /// A new process in its own PID namespace, as in another container.
    #[must_use]
    pub fn process_in(&self, space: &str) -> Process {
        let mut state = self.state();
        state.next_pid += 1;
        let pid = state.next_pid;
        state.processes.insert(pid);
        Process { machine: self.clone(), pid, space: space.to_owned() }
    }

    /// A new process under another kernel that has the same disk, such as that of a virtual machine: it sees neither this
    /// one's processes nor its beacons.
    #[must_use]
    pub fn process_elsewhere(&self, machine: &str, boot: &str) -> Process {
        let process = self.process();
        self.state().kernels.insert(process.pid, (machine.to_owned(), boot.to_owned()));
        process
    }

    /// A new process for which the disk is mounted read-only.
    #[must_use]
    pub fn process_that_reads(&self) -> Process {
        let process = self.process();
        self.state().readers.insert(process.pid);
        process
    }

    /// Puts the disk on this file system.
    pub fn set_file_system(&self, file_system: FileSystem) {
        self.state().file_system = file_system;
    }

    /// Injects a fault into the call after the next `calls` calls.
    pub fn plan(&self, calls: u64, fault: Fault) {
        let mut state = self.state();
        state.plan = Some((state.calls + calls, fault));
    }

    /// Injects random faults from here on.
    pub fn endanger(&self, hazards: Hazards) {
        self.state().hazards = hazards;
    }

    /// Ends all faults. Returns whether a planned fault has occurred.
    pub fn mend(&self) -> bool {
        let mut state = self.state();
        state.full = false;
        state.hazards = Hazards::default();
        state.plan.take().is_none() && state.rename.take().is_none()
    }

    /// The number of calls so far.
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

    /// Advances the clock.
    pub fn pass_millis(&self, millis: f64) {
        self.state().now_millis += millis;
    }

    /// Denies every process to create, change or delete files at or below `path`.
    pub fn deny_writing(&self, path: &str) {
        self.state().denied.insert(path.to_owned());
    }

    /// Disables hard links, as on some removable disks.
    pub fn without_links(&self) {
        self.state().links = false;
    }

    /// Disables beacons, as on platforms without named pipes.
    pub fn without_beacons(&self) {
        self.state().has_beacons = false;
    }

    /// Creates a file with this content.
    ///
    /// # Errors
    /// [`HostError::NotFound`] if its folder does not exist.
    pub fn put(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        let mut state = self.state();
        let id = state.disk.create(path)?;
        state.disk.write(id, 0, content);
        Ok(())
    }

    /// Creates a folder.
    pub fn make_folder(&self, path: &str) {
        self.state().disk.make_folder(path);
    }

    /// Delays a sync of `process`, after `syncs` others: it waits while `meanwhile` runs.
    pub fn delay_sync(&self, process: &Process, syncs: u64, meanwhile: impl FnOnce() + Send + 'static) {
        self.state().long_sync = Some((process.pid, syncs, Meanwhile(Box::new(meanwhile))));
    }

    /// Copies a file to a path that does not exist.
    ///
    /// # Errors
    /// [`HostError::NotFound`] if the file or a folder does not exist.
    pub fn copy(&self, from: &str, to: &str) -> Result<(), HostError> {
        let content = self.state().content(from)?;
        self.put(to, &content)
    }

    /// Renames a file; one that is at `to` loses its name.
    ///
    /// # Errors
    /// [`HostError::NotFound`] if the file or a folder does not exist.
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
    /// [`HostError::NotFound`] if it does not exist.
    pub fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.state().disk.list(path)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    /// Called for every call of a host. Returns whether the call may take effect.
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

    /// Returns the action during the next sync of the process.
    fn meanwhile(&mut self, pid: u32) -> Option<Meanwhile> {
        let (delayed, syncs, _) = self.long_sync.as_mut()?;
        if *delayed != pid {
            return None;
        }
        if *syncs > 0 {
            *syncs -= 1;
            return None;
        }
        self.long_sync.take().map(|(_, _, meanwhile)| meanwhile)
    }

    /// The result of a call that has taken effect.
    fn answer(&mut self) -> Result<(), HostError> {
        if std::mem::take(&mut self.fails_afterwards) { Err(failed()) } else { Ok(()) }
    }

    fn die(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    /// Whether a process runs that `observer` can see.
    fn sees_running(&self, observer: u32, pid: u32) -> bool {
        self.processes.contains(&pid) && self.kernels.get(&observer) == self.kernels.get(&pid)
    }

    fn may_write(&self, pid: u32, path: &str) -> bool {
        !self.readers.contains(&pid)
            && !self.denied.iter().any(|denied| path == denied || path.starts_with(&format!("{denied}/")))
    }

    fn expect_writable(&self, pid: u32, path: &str) -> Result<(), HostError> {
        if self.may_write(pid, path) { Ok(()) } else { Err(HostError::Denied) }
    }

    /// Creating or removing a name requires the right to write its folder.
    fn expect_folder_writable(&self, pid: u32, path: &str) -> Result<(), HostError> {
        let folder = crate::folder_of(path);
        if self.denied.contains(folder) { Err(HostError::Denied) } else { self.expect_writable(pid, path) }
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
