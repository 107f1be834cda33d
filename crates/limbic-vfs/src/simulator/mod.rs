//! A simulated machine with faults determined by a seed: its disk fails, fills up, tears and loses writes, its
//! processes die, and its clock advances only while a process sleeps.

mod disk;
mod faults;
mod process;
mod state;

use std::sync::{Arc, Mutex, MutexGuard};

use crate::{FileSystem, HostError, mutex::lock};
pub use faults::{Fault, Hazards};
pub use process::Process;
use state::{Meanwhile, State};

/// A machine. Clones are the same machine.
#[derive(Debug, Clone)]
pub struct Machine(Arc<Mutex<State>>);

impl Machine {
    /// A machine with an empty folder `/`.
    #[must_use]
    pub fn new(seed: u64) -> Machine {
        Machine(Arc::new(Mutex::new(State::new(seed))))
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
        Process { machine: self.0.clone(), pid, space: space.to_owned() }
    }

    /// A new process under another kernel that has the same disk, such as that of a virtual machine: it sees neither
    /// this one's processes nor its beacons.
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
