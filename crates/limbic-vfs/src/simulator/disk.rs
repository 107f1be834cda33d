//! The simulated disk: its content, and the part that would survive a power failure.

use std::collections::{BTreeMap, BTreeSet};

use crate::{HostError, Inode, Stat};
use limbic_protocol::SplitMix64;

/// A power failure leaves each sector of an unsynced write in its old or new state, or, if it was being written, with
/// any content.
const SECTOR_BYTES: usize = 512;
/// One in this many unsynced sectors was being written when the power failed.
const TORN_ONE_IN: u64 = 16;

/// Files, names and folders. Paths are compared as text.
#[derive(Debug, Default)]
pub(super) struct Disk {
    files: BTreeMap<u64, SimFile>,
    names: BTreeMap<String, u64>,
    durable_names: BTreeMap<String, u64>,
    folders: BTreeSet<String>,
    next_id: u64,
    changes: f64,
}

#[derive(Debug, Default, Clone)]
struct SimFile {
    content: Vec<u8>,
    durable: Vec<u8>,
    /// Since the last sync, in order.
    unsynced: Vec<Change>,
    changed_millis: f64,
}

#[derive(Debug, Clone)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate(usize),
}

impl Disk {
    pub fn lookup(&self, path: &str) -> Option<u64> {
        self.names.get(path).copied()
    }

    pub fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub fn stat(&self, path: &str) -> Option<Stat> {
        if self.is_folder(path) {
            let inode = Inode { device: 1, number: 0 };
            return Some(Stat { size: 0, is_file: false, changed_millis: 0.0, id: 0, inode, links: 1 });
        }
        let id = self.lookup(path)?;
        let file = &self.files[&id];
        let size = u64::try_from(file.content.len()).expect("memory is smaller than 2^64");
        let links = self.names.values().filter(|named| **named == id).count();
        let links = u64::try_from(links).expect("names are in memory");
        Some(Stat { size, is_file: true, changed_millis: file.changed_millis, id, inode: inode(id), links })
    }

    pub fn create(&mut self, path: &str) -> Result<u64, HostError> {
        self.expect_folder(path)?;
        self.next_id += 1;
        let id = self.next_id;
        self.files.insert(id, SimFile::default());
        self.names.insert(path.to_owned(), id);
        self.touch(id);
        Ok(id)
    }

    pub fn link(&mut self, from: &str, to: &str) -> Result<(), HostError> {
        self.expect_folder(to)?;
        let id = self.lookup(from).ok_or(HostError::NotFound)?;
        if self.names.contains_key(to) {
            return Err(HostError::Exists);
        }
        self.names.insert(to.to_owned(), id);
        self.touch(id);
        Ok(())
    }

    pub fn unlink(&mut self, path: &str) -> Result<(), HostError> {
        let id = self.names.remove(path).ok_or(HostError::NotFound)?;
        self.touch(id);
        Ok(())
    }

    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), HostError> {
        self.expect_folder(to)?;
        let id = self.names.remove(from).ok_or(HostError::NotFound)?;
        self.names.insert(to.to_owned(), id);
        Ok(())
    }

    pub fn make_folder(&mut self, path: &str) {
        self.folders.insert(path.to_owned());
    }

    pub fn remove_folder(&mut self, path: &str) -> Result<(), HostError> {
        if !self.list(path)?.is_empty() {
            return Err(HostError::Exists);
        }
        self.folders.remove(path);
        Ok(())
    }

    pub fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        if !self.is_folder(path) {
            return Err(HostError::NotFound);
        }
        let inside = |name: &&String| crate::folder_of(name) == path;
        let last = |name: &String| name.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(self.names.keys().filter(inside).map(last).collect())
    }

    pub fn content(&self, id: u64) -> &[u8] {
        &self.files[&id].content
    }

    pub fn write(&mut self, id: u64, offset: usize, bytes: &[u8]) {
        let file = self.file(id);
        let change = Change::Write { offset, bytes: bytes.to_vec() };
        change.apply(&mut file.content, None);
        file.unsynced.push(change);
        self.touch(id);
    }

    pub fn truncate(&mut self, id: u64, size: usize) {
        let file = self.file(id);
        let change = Change::Truncate(size);
        change.apply(&mut file.content, None);
        file.unsynced.push(change);
        self.touch(id);
    }

    pub fn sync(&mut self, id: u64) {
        let file = self.file(id);
        for change in std::mem::take(&mut file.unsynced) {
            change.apply(&mut file.durable, None);
        }
    }

    /// A sync that failed: unsynced writes stay readable and never reach the disk, as on Linux.
    pub fn forget_unsynced(&mut self, id: u64) {
        self.file(id).unsynced.clear();
    }

    pub fn sync_folder(&mut self, path: &str) {
        let inside = |name: &String| crate::folder_of(name) == path;
        self.durable_names.retain(|name, _| !inside(name));
        let now = self.names.iter().filter(|(name, _)| inside(name));
        self.durable_names.extend(now.map(|(name, id)| (name.clone(), *id)));
    }

    /// The power fails: of what was not synced, any part survives.
    pub fn lose_power(&mut self, random: &mut SplitMix64) {
        for file in self.files.values_mut() {
            let mut survivor = file.durable.clone();
            // One in three: everything, or nothing, or any part in any order.
            let fate = random.below(3);
            for change in &file.unsynced {
                match fate {
                    0 => change.apply(&mut survivor, None),
                    1 => {}
                    _ => change.apply(&mut survivor, Some(random)),
                }
            }
            file.durable.clone_from(&survivor);
            file.content = survivor;
            file.unsynced.clear();
        }
        let all: BTreeSet<String> = self.names.keys().chain(self.durable_names.keys()).cloned().collect();
        for name in all {
            let (now, durable) = (self.names.get(&name).copied(), self.durable_names.get(&name).copied());
            if now == durable || random.one_in(2) {
                continue;
            }
            match durable {
                Some(id) => self.names.insert(name, id),
                None => self.names.remove(&name),
            };
        }
        self.durable_names = self.names.clone();
    }

    fn expect_folder(&self, path: &str) -> Result<(), HostError> {
        let folder = crate::folder_of(path);
        if self.is_folder(folder) { Ok(()) } else { Err(HostError::NotFound) }
    }

    fn touch(&mut self, id: u64) {
        self.changes += 1.0;
        let changes = self.changes;
        self.file(id).changed_millis = changes;
    }

    fn file(&mut self, id: u64) -> &mut SimFile {
        self.files.get_mut(&id).expect("files are never forgotten")
    }
}

impl Change {
    /// With `random`, each sector of a write may or may not reach the disk, or hold garbage.
    fn apply(&self, content: &mut Vec<u8>, mut random: Option<&mut SplitMix64>) {
        match self {
            Change::Truncate(size) => {
                if random.is_none_or(|random| !random.one_in(2)) {
                    content.resize(*size, 0);
                }
            }
            Change::Write { offset, bytes } => {
                let mut at = *offset;
                let end = offset + bytes.len();
                while at < end {
                    let next = end.min((at / SECTOR_BYTES + 1) * SECTOR_BYTES);
                    let new = &bytes[at - offset..next - offset];
                    match random.as_deref_mut() {
                        None => put(content, at, new),
                        Some(random) => put_by_chance(content, at, new, random),
                    }
                    at = next;
                }
            }
        }
    }
}

/// Writes an unsynced sector as a power failure leaves it: old, new or torn.
fn put_by_chance(content: &mut Vec<u8>, at: usize, new: &[u8], random: &mut SplitMix64) {
    if random.one_in(TORN_ONE_IN) {
        let garbage: Vec<u8> = new.iter().map(|_| random.byte()).collect();
        put(content, at, &garbage);
    } else if !random.one_in(2) {
        put(content, at, new);
    }
}

/// The file of this number.
pub(super) fn inode(id: u64) -> Inode {
    Inode { device: 1, number: id }
}

fn put(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}
