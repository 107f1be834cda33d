//! The state of the simulated machine: its disk, its clock, its processes and the faults that await them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use limbic_protocol::SplitMix64;

use super::{
    disk::Disk,
    faults::{Call, Fault, Hazards, can_meet},
};
use crate::{FileSystem, HostError};

/// The type that `statfs` returns for ext4.
const EXT4: u64 = 0xEF53;

/// The state that the machine and its processes share.
#[derive(Debug)]
pub(super) struct State {
    pub(super) disk: Disk,
    pub(super) random: SplitMix64,
    /// Ids of the running processes.
    pub(super) processes: BTreeSet<u32>,
    pub(super) next_pid: u32,
    pub(super) boots: u32,
    pub(super) now_millis: f64,
    pub(super) calls: u64,
    pub(super) plan: Option<(u64, Fault)>,
    /// A file that is renamed at a call.
    pub(super) rename: Option<(u64, String, String)>,
    /// An event during a sync of a process, after a number of its syncs.
    pub(super) long_sync: Option<(u32, u64, Meanwhile)>,
    pub(super) synced_since_rename: bool,
    pub(super) hazards: Hazards,
    pub(super) wall_millis: i64,
    /// The current call fails after it has taken effect.
    pub(super) fails_afterwards: bool,
    pub(super) full: bool,
    pub(super) denied: BTreeSet<String>,
    /// Processes that may write nothing, as in a container with a read-only mount.
    pub(super) readers: BTreeSet<u32>,
    pub(super) links: bool,
    /// The machine and the boot id of processes under another kernel.
    pub(super) kernels: BTreeMap<u32, (String, String)>,
    pub(super) file_system: FileSystem,
    /// Which process holds a beacon, by its file. The kernel forgets them when the power fails.
    pub(super) beacons: BTreeMap<u64, u32>,
    pub(super) has_beacons: bool,
}

/// The action of other processes while a process waits.
pub(super) struct Meanwhile(pub(super) Box<dyn FnOnce() + Send>);

impl fmt::Debug for Meanwhile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Meanwhile")
    }
}

impl State {
    /// A machine with an empty folder `/`, on which no process runs.
    pub(super) fn new(seed: u64) -> State {
        let mut disk = Disk::default();
        disk.make_folder("/");
        State {
            disk,
            random: SplitMix64::new(seed),
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
        }
    }

    /// Called for every call of a host. Returns whether the call may take effect.
    pub(super) fn enter(&mut self, pid: u32, call: Call) -> Result<(), HostError> {
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

    pub(super) fn content(&self, path: &str) -> Result<Vec<u8>, HostError> {
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

    pub(super) fn strikes(&mut self, one_in: u64) -> bool {
        one_in > 0 && self.random.one_in(one_in)
    }

    fn lose_power(&mut self) {
        self.processes.clear();
        self.boots += 1;
        self.disk.lose_power(&mut self.random);
    }

    /// Returns the action during the next sync of the process.
    pub(super) fn meanwhile(&mut self, pid: u32) -> Option<Meanwhile> {
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
    pub(super) fn answer(&mut self) -> Result<(), HostError> {
        if std::mem::take(&mut self.fails_afterwards) { Err(failed()) } else { Ok(()) }
    }

    fn die(&mut self, pid: u32) {
        self.processes.remove(&pid);
    }

    /// Whether a process runs that `observer` can see.
    pub(super) fn sees_running(&self, observer: u32, pid: u32) -> bool {
        self.processes.contains(&pid) && self.kernels.get(&observer) == self.kernels.get(&pid)
    }

    pub(super) fn may_write(&self, pid: u32, path: &str) -> bool {
        !self.readers.contains(&pid)
            && !self.denied.iter().any(|denied| path == denied || path.starts_with(&format!("{denied}/")))
    }

    pub(super) fn expect_writable(&self, pid: u32, path: &str) -> Result<(), HostError> {
        if self.may_write(pid, path) { Ok(()) } else { Err(HostError::Denied) }
    }

    /// Creating or removing a name requires the right to write its folder.
    pub(super) fn expect_folder_writable(&self, pid: u32, path: &str) -> Result<(), HostError> {
        let folder = crate::folder_of(path);
        if self.denied.contains(folder) { Err(HostError::Denied) } else { self.expect_writable(pid, path) }
    }
}

fn failed() -> HostError {
    HostError::Io("the simulated disk failed".to_owned())
}
