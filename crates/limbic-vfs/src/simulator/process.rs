//! A process of the simulated machine: the host of its connections.

use std::sync::{Arc, Mutex, MutexGuard};

use super::{
    disk,
    faults::Call,
    state::{Meanwhile, State},
};
use crate::{
    BeaconState, FileSystem, Held, Host, HostError, HostFile, Identity, Inode, OpenMode, ProcessState, Stat,
    mutex::lock,
};

/// A process of a [`Machine`](super::Machine): a host.
#[derive(Debug, Clone)]
pub struct Process {
    pub(super) machine: Arc<Mutex<State>>,
    pub(super) pid: u32,
    pub(super) space: String,
}

impl Process {
    fn enter(&self, call: Call) -> Result<MutexGuard<'_, State>, HostError> {
        let mut state = lock(&self.machine);
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
            state.expect_writable(self.pid, path)?;
        }
        let id = match (found, mode) {
            (Some(_), OpenMode::CreateNew) => return Err(HostError::Exists),
            (Some(id), _) => id,
            (None, OpenMode::Read | OpenMode::Write) => return Err(HostError::NotFound),
            (None, OpenMode::Create | OpenMode::CreateNew) => {
                state.expect_folder_writable(self.pid, path)?;
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
        Ok(state.disk.stat(path).is_some() && (!write || state.may_write(self.pid, path)))
    }

    fn delete(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Remove)?;
        state.expect_folder_writable(self.pid, path)?;
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
        state.expect_folder_writable(self.pid, path)?;
        state.disk.make_folder(path);
        state.answer()
    }

    fn delete_folder(&self, path: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Remove)?;
        state.expect_folder_writable(self.pid, path)?;
        state.disk.remove_folder(path)?;
        state.answer()
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.enter(Call::Read)?.disk.list(path)
    }

    fn create(&self, path: &str, content: &[u8]) -> Result<(), HostError> {
        let mut state = self.enter(Call::Create)?;
        state.expect_folder_writable(self.pid, path)?;
        if state.disk.lookup(path).is_some() {
            return Err(HostError::Exists);
        }
        let id = state.disk.create(path)?;
        drop(state);
        // The text is written by a separate call, so that a process can die in between.
        let mut state = self.enter(Call::Create)?;
        state.disk.write(id, 0, content);
        state.answer()
    }

    fn link(&self, from: &str, to: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Link)?;
        if !state.links {
            return Err(HostError::Unsupported);
        }
        state.expect_folder_writable(self.pid, to)?;
        state.disk.link(from, to)?;
        state.answer()
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), HostError> {
        let mut state = self.enter(Call::Link)?;
        state.expect_folder_writable(self.pid, to)?;
        state.disk.rename(from, to)?;
        state.answer()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.enter(Call::Read)?.content(path)
    }

    fn hold_beacon(&self, path: &str) -> Result<Box<dyn Held>, HostError> {
        let mut state = self.enter(Call::Create)?;
        if !state.has_beacons {
            return Err(HostError::Unsupported);
        }
        state.expect_folder_writable(self.pid, path)?;
        if state.disk.lookup(path).is_some() {
            return Err(HostError::Exists);
        }
        let id = state.disk.create(path)?;
        drop(state);
        // It is opened by a separate call, so that a process can die in between.
        let mut state = self.enter(Call::Read)?;
        state.beacons.insert(id, self.pid);
        state.answer()?;
        Ok(Box::new(Beacon { machine: self.machine.clone(), id }))
    }

    fn beacon(&self, path: &str) -> BeaconState {
        let Ok(state) = self.enter(Call::Read) else { return BeaconState::Unknown };
        match state.disk.lookup(path) {
            Some(id) if state.has_beacons => match state.beacons.get(&id) {
                Some(owner) if state.sees_running(self.pid, *owner) => BeaconState::Held,
                _ => BeaconState::Released,
            },
            _ => BeaconState::Unknown,
        }
    }

    fn sleep_micros(&self, micros: u64) {
        let slept = std::time::Duration::from_micros(micros);
        lock(&self.machine).now_millis += slept.as_secs_f64() * 1_000.0;
    }

    fn now_millis(&self) -> i64 {
        lock(&self.machine).wall_millis
    }

    fn monotonic_millis(&self) -> f64 {
        lock(&self.machine).now_millis
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        let mut state = lock(&self.machine);
        for chunk in buffer.chunks_mut(8) {
            let bytes = state.random.next_u64().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }

    fn file_system(&self, _path: &str) -> Option<FileSystem> {
        Some(lock(&self.machine).file_system.clone())
    }

    fn identity(&self) -> Identity {
        let state = lock(&self.machine);
        let here = ("simulated".to_owned(), state.boots.to_string());
        let (machine, boot) = state.kernels.get(&self.pid).cloned().unwrap_or(here);
        Identity {
            pid: self.pid,
            start: format!("start-{}", self.pid),
            machine,
            boot,
            space: self.space.clone(),
            instance: String::new(),
        }
    }

    fn process(&self, pid: u32, _thorough: bool) -> ProcessState {
        let runs = lock(&self.machine).sees_running(self.pid, pid);
        if runs { ProcessState::Running(format!("start-{pid}")) } else { ProcessState::Gone }
    }
}

struct Beacon {
    machine: Arc<Mutex<State>>,
    id: u64,
}

impl Drop for Beacon {
    fn drop(&mut self) {
        lock(&self.machine).beacons.remove(&self.id);
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
            // The part that fits is written.
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

    fn sync(&self) -> Result<(), HostError> {
        // Other processes can use the machine meanwhile.
        let meanwhile = lock(&self.process.machine).meanwhile(self.process.pid);
        if let Some(Meanwhile(work)) = meanwhile {
            work();
        }
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

    fn inode(&self) -> Result<Inode, HostError> {
        drop(self.process.enter(Call::Read)?);
        Ok(disk::inode(self.id))
    }
}

fn size(offset: u64) -> usize {
    usize::try_from(offset).expect("a simulated file fits into memory")
}
