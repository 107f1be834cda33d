//! Determines whether the owner of a lock is alive.
//!
//! - For an owner of the same kernel (boot id), in whichever container, its *beacon* decides: a named pipe that it holds open,
//!   and that the kernel closes when it ends. A stopped process holds it.
//! - Without a beacon, for an owner of the same machine, boot and PID namespace, the process table decides. A stopped
//!   process is alive; a PID that belongs to a process with another start time is dead.
//! - An owner of the same machine, but of an earlier boot, is dead.
//! - For any other owner (another machine, a container or platform without beacons) nothing tells.
//!   It is considered dead when its *lease* expires: a minute in which the observer waits and its lock file's entry does
//!   not change. Every step of an owner's work changes that entry, and a heartbeat does during long transactions. A
//!   connection that was inactive for a few seconds checks that it still holds its locks before it relies on them, so an
//!   owner whose locks were reaped by mistake gives up.

use super::owner::{Owner, is_of_later_format, plain};
use crate::{BeaconState, Host, HostError, Identity, ProcessState, file::folder_of};

/// Time without a heartbeat after which an owner of unknown state is considered dead.
pub const LEASE_MILLIS: f64 = 60_000.0;
/// Time after which a lock file without an owner is considered abandoned. Only a file system without hard links can show a
/// file between its creation and the writing of its text.
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
    /// Its owner, with this nonce, is dead.
    Dead(String),
    /// It has named no owner for longer than the limit.
    Unreadable,
}

/// Observes lock files to notice heartbeats.
#[derive(Debug, Default)]
pub struct OwnerLiveness {
    observations: Vec<Observation>,
}

#[derive(Debug)]
struct Observation {
    path: String,
    nonce: String,
    changed_millis: f64,
    since_millis: f64,
}

impl OwnerLiveness {
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
        let waited = self.waited(host, path, &owner.nonce, stat.changed_millis);
        let beacon = format!("{}/{}", folder_of(path), owner.beacon);
        let beacon = || if owner.beacon.is_empty() { BeaconState::Unknown } else { host.beacon(&beacon) };
        Ok(match is_alive(host, &me.identity, &owner.identity, beacon, waited) {
            Some(true) => LockState::Alive,
            None if waited <= LEASE_MILLIS => LockState::Uncertain,
            Some(false) | None => LockState::Dead(owner.nonce),
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

/// Whether the owner is alive; `None` if unknown.
fn is_alive(
    host: &dyn Host,
    me: &Identity,
    owner: &Identity,
    beacon: impl Fn() -> BeaconState,
    waited_millis: f64,
) -> Option<bool> {
    if owner.machine == me.machine && owner.boot != me.boot && !me.boot.is_empty() && !owner.boot.is_empty() {
        return Some(false);
    }
    let is_near = (&owner.machine, &owner.boot, &owner.space) == (&me.machine, &me.boot, &me.space);
    if is_near && owner.pid == me.pid && owner.start == me.start {
        return Some(owner.instance == me.instance || !host.instance_ended(&owner.instance));
    }
    // A boot id belongs to one kernel, whatever the names of its containers.
    let is_same_kernel = owner.boot == me.boot && (!me.boot.is_empty() || owner.machine == me.machine);
    match is_same_kernel.then(beacon) {
        Some(BeaconState::Held) => return Some(true),
        Some(BeaconState::Released) => return Some(false),
        Some(BeaconState::Unknown) | None => {}
    }
    if !is_near {
        return None;
    }
    match host.process(owner.pid, waited_millis > THOROUGH_MILLIS) {
        ProcessState::Gone => Some(false),
        ProcessState::Running(start) if !owner.start.is_empty() => Some(plain(&start) == owner.start),
        ProcessState::Running(_) | ProcessState::Unknown => None,
    }
}
