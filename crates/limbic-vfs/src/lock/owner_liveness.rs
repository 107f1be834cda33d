//! Determines whether the owner of a lock is alive.
//!
//! - For an owner of the same kernel (boot id), in whichever container, its *beacon* decides: a named pipe that it
//!   holds open, and that the kernel closes when it ends. A stopped process holds it.
//! - Without a beacon, for an owner of the same machine, boot and PID namespace, the process table decides. A stopped
//!   process is alive; a PID that belongs to a process with another start time is dead.
//! - For any other owner of the same kernel (a container or platform without beacons) the state is unknown. It is
//!   considered dead when its *lease* expires: a minute in which the observer waits and its lock file's entry does not
//!   change. Every step of an owner's work changes that entry, and a heartbeat does during long transactions. A
//!   connection that was inactive for a second checks that it still holds its locks before it relies on them, so an
//!   owner whose locks were reaped by mistake aborts its transaction.
//! - For an owner of another kernel (another boot id) the beacon decides on a local disk of the same machine, which
//!   only one kernel at a time can use: it was restarted. In every other case the owner is *foreign*: it may be a
//!   virtual machine that shares a folder, so it is never considered dead, and a person decides (see
//!   [`super::unlock`]).

use std::collections::BTreeSet;

use super::owner::{Owner, is_of_later_format, plain};
use crate::{BeaconState, Host, HostError, Identity, ProcessState, folder_of};

/// Time without a heartbeat after which an owner of unknown state is considered dead.
pub const LEASE_MILLIS: f64 = 60_000.0;
/// Time after which a lock file without an owner is considered abandoned. Only a file system without hard links can
/// show a file between its creation and the writing of its text.
const UNREADABLE_MILLIS: f64 = 1_000.0;
/// Time that a lock must block before a program is started to check its owner.
const THOROUGH_MILLIS: f64 = 300.0;
/// Maximum number of observed locks. A lock that was evicted is observed from the beginning.
const MAX_OBSERVATIONS: usize = 64;

/// The state of a lock file.
#[derive(Debug, Clone, PartialEq)]
pub enum LockState {
    /// It does not exist.
    Free,
    /// It is held by the asking connection.
    Mine,
    /// It is held by a live owner, or is of a later format.
    Alive,
    /// Its owner's state is unknown, or it names no owner, and its lease has not expired.
    Uncertain,
    /// Its owner ran under another kernel, and it is unknown whether it is running.
    Foreign(Box<Owner>),
    /// Its owner, with this nonce, is dead.
    Dead(String),
    /// It has named no owner for longer than the limit.
    Unreadable,
}

/// Observes lock files to notice heartbeats.
#[derive(Debug, Default)]
pub struct OwnerLiveness {
    observations: Vec<Observation>,
    /// Whether other machines may write the disk.
    is_shared_disk: bool,
    /// Owners that a person has declared dead.
    pub declared_dead: BTreeSet<String>,
}

/// Whether an owner is running, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Liveness {
    Alive,
    Dead,
    /// Its lease decides.
    Unknown,
    Foreign,
}

#[derive(Debug)]
struct Observation {
    path: String,
    nonce: String,
    changed_millis: f64,
    since_millis: f64,
}

impl OwnerLiveness {
    /// Nothing is observed yet.
    pub fn new(is_shared_disk: bool) -> OwnerLiveness {
        OwnerLiveness { is_shared_disk, ..OwnerLiveness::default() }
    }

    /// Determines the state of the lock file at `path` for the connection `me`.
    pub fn inspect(&mut self, host: &dyn Host, me: &Owner, path: &str) -> Result<LockState, HostError> {
        let Some(stat) = host.stat(path)? else {
            self.forget(path);
            return Ok(LockState::Free);
        };
        let text = match host.read(path) {
            Err(HostError::NotFound) => return Ok(LockState::Free),
            other => other?,
        };
        if is_of_later_format(&text) {
            return Ok(LockState::Alive);
        }
        let Some(owner) = Owner::parse(&text) else {
            let waited = self.waited(host, path, "", stat.changed_millis);
            return Ok(if waited > UNREADABLE_MILLIS { LockState::Unreadable } else { LockState::Uncertain });
        };
        if owner.nonce == me.nonce {
            return Ok(LockState::Mine);
        }
        if self.declared_dead.contains(&owner.nonce) {
            return Ok(LockState::Dead(owner.nonce));
        }
        let waited = self.waited(host, path, &owner.nonce, stat.changed_millis);
        Ok(match self.liveness_of(host, &me.identity, &owner, folder_of(path), waited > THOROUGH_MILLIS)? {
            Liveness::Alive => LockState::Alive,
            Liveness::Unknown if waited <= LEASE_MILLIS => LockState::Uncertain,
            Liveness::Dead | Liveness::Unknown => LockState::Dead(owner.nonce),
            Liveness::Foreign => LockState::Foreign(Box::new(owner)),
        })
    }

    /// Whether an owner is running, for a person who can wait for the answer; `None` if unknown.
    pub fn is_alive(
        &self,
        host: &dyn Host,
        me: &Identity,
        owner: &Owner,
        folder: &str,
    ) -> Result<Option<bool>, HostError> {
        Ok(match self.liveness_of(host, me, owner, folder, true)? {
            Liveness::Alive => Some(true),
            Liveness::Dead => Some(false),
            Liveness::Unknown | Liveness::Foreign => None,
        })
    }

    /// Returns whether an owner is running whose files are in `folder`. `thorough` permits starting a program for that.
    fn liveness_of(
        &self,
        host: &dyn Host,
        me: &Identity,
        owner: &Owner,
        folder: &str,
        thorough: bool,
    ) -> Result<Liveness, HostError> {
        let it = &owner.identity;
        let is_near = (&it.machine, &it.boot, &it.space) == (&me.machine, &me.boot, &me.space);
        if is_near && it.pid == me.pid && it.start == me.start {
            // A thread that was ended from outside reports nothing, but its beacon is released.
            let is_released = || {
                let beacon = format!("{folder}/{}", owner.beacon);
                !owner.beacon.is_empty() && host.beacon(&beacon) == BeaconState::Released
            };
            let has_ended =
                it.instance != me.instance && (host.instance_ended(&it.instance) || is_released());
            return Ok(if has_ended { Liveness::Dead } else { Liveness::Alive });
        }
        // A boot id belongs to one kernel, whatever the names of its containers.
        let is_same_kernel = it.boot == me.boot && (!me.boot.is_empty() || it.machine == me.machine);
        let was_restarted = !is_same_kernel && !self.is_shared_disk && is_same_machine(it, me);
        if !owner.beacon.is_empty() {
            let beacon = format!("{folder}/{}", owner.beacon);
            match host.beacon(&beacon) {
                BeaconState::Held => return Ok(Liveness::Alive),
                BeaconState::Released if is_same_kernel || was_restarted => return Ok(Liveness::Dead),
                // The power failed before its name had reached the disk.
                BeaconState::Unknown if was_restarted && host.stat(&beacon)?.is_none() => {
                    return Ok(Liveness::Dead);
                }
                BeaconState::Released | BeaconState::Unknown => {}
            }
        }
        if !is_same_kernel {
            return Ok(Liveness::Foreign);
        }
        if !is_near {
            return Ok(Liveness::Unknown);
        }
        Ok(match host.process(it.pid, thorough) {
            ProcessState::Gone => Liveness::Dead,
            ProcessState::Running(_) if it.start.is_empty() => Liveness::Unknown,
            ProcessState::Running(start) if plain(&start) == it.start => Liveness::Alive,
            ProcessState::Running(_) => Liveness::Dead,
            ProcessState::Unknown => Liveness::Unknown,
        })
    }

    /// Milliseconds that the lock has been observed without a change.
    fn waited(&mut self, host: &dyn Host, path: &str, nonce: &str, changed_millis: f64) -> f64 {
        let now_millis = host.monotonic_millis();
        match self.observations.iter_mut().find(|observation| observation.path == path) {
            // The bits are compared, because the value is only tested for equality.
            Some(known)
                if known.nonce == nonce && known.changed_millis.to_bits() == changed_millis.to_bits() =>
            {
                now_millis - known.since_millis
            }
            Some(known) => {
                nonce.clone_into(&mut known.nonce);
                known.changed_millis = changed_millis;
                known.since_millis = now_millis;
                0.0
            }
            None => {
                if self.observations.len() == MAX_OBSERVATIONS {
                    self.observations.remove(0);
                }
                self.observations.push(Observation {
                    path: path.to_owned(),
                    nonce: nonce.to_owned(),
                    changed_millis,
                    since_millis: now_millis,
                });
                0.0
            }
        }
    }

    /// Forgets the lock at `path`, which does not exist.
    fn forget(&mut self, path: &str) {
        self.observations.retain(|observation| observation.path != path);
    }
}

/// Whether both ran on one machine, under kernels of different boots. Containers of one machine have names of their
/// own.
fn is_same_machine(owner: &Identity, me: &Identity) -> bool {
    let id = |machine: &str| machine.split_once('/').map(|(id, _)| id.to_owned());
    let has_boots = !owner.boot.is_empty() && !me.boot.is_empty();
    let has_same_id = id(&owner.machine).is_some_and(|owner| id(&me.machine) == Some(owner));
    has_boots && !me.machine.is_empty() && (owner.machine == me.machine || has_same_id)
}
