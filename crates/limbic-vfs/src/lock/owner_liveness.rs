//! Is the owner of a lock still there?
//!
//! - In this machine, boot and process space the process table knows. A stopped process is alive; a number
//!   that now belongs to a process with another start time is dead.
//! - An owner of this machine, but of an earlier boot, is dead.
//! - Of any other owner (another container or machine, a platform that tells no start times) nothing can be
//!   known. It is taken for dead after a *lease*: a minute of this observer's own waiting without any sign of
//!   life. Signs of life are changes of its lock file's entry, which every step of its work causes, and a
//!   beat during long transactions. A connection that was asleep for longer than a few seconds looks whether
//!   its locks are still its own before it relies on them, so an owner that was buried alive gives up.

use super::owner::{Owner, plain};
use crate::{Host, HostError, Identity, ProcessState};

/// How long an owner of whom nothing can be known must show no sign of life.
pub const LEASE_MILLIS: f64 = 60_000.0;
/// How long a lock file that names nobody must stay so. Only a file system without hard links can show
/// a file between its creation and the writing of its text.
const UNREADABLE_MILLIS: f64 = 1_000.0;
/// How long a lock is in the way before a program is started to look at its owner.
const THOROUGH_MILLIS: f64 = 300.0;
/// As many locks are kept in mind. One that is forgotten and met again is only watched from the beginning.
const MAX_OBSERVATIONS: usize = 64;

/// What a lock file says.
#[derive(Debug, Clone, PartialEq)]
pub enum LockState {
    /// It is not there.
    Free,
    /// It belongs to the connection that asks.
    Mine,
    /// It belongs to somebody who lives.
    Alive,
    /// It belongs to somebody of whom nothing can be known, or names nobody; in either case not for long.
    Uncertain,
    /// Its owner, of this nonce, will never touch a file again.
    Dead(String),
    /// It names nobody, and has done so for too long.
    Unreadable,
}

/// Remembers what was seen, to notice signs of life.
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
    /// Looks at the lock file at `path` on behalf of `me`.
    pub fn inspect(&mut self, host: &dyn Host, me: &Owner, path: &str) -> Result<LockState, HostError> {
        let Some(stat) = host.stat(path)? else {
            self.forget(path);
            return Ok(LockState::Free);
        };
        let text = match host.read(path) {
            Err(HostError::NotFound) => return Ok(LockState::Free),
            other => other?,
        };
        let Some(owner) = Owner::parse(&text) else {
            let waited = self.waited(host, path, "", stat.changed_millis);
            return Ok(if waited > UNREADABLE_MILLIS { LockState::Unreadable } else { LockState::Uncertain });
        };
        if owner.nonce == me.nonce {
            return Ok(LockState::Mine);
        }
        let waited = self.waited(host, path, &owner.nonce, stat.changed_millis);
        Ok(match is_alive(host, &me.identity, &owner.identity, waited) {
            Some(true) => LockState::Alive,
            None if waited <= LEASE_MILLIS => LockState::Uncertain,
            Some(false) | None => LockState::Dead(owner.nonce),
        })
    }

    /// How long the lock has been in the way without a sign of life.
    fn waited(&mut self, host: &dyn Host, path: &str, nonce: &str, changed_millis: f64) -> f64 {
        let now_millis = host.monotonic_millis();
        match self.observations.iter_mut().find(|observation| observation.path == path) {
            // Bits are compared because equality is all that is asked of the value.
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

    /// Nothing stands at `path`.
    fn forget(&mut self, path: &str) {
        self.observations.retain(|observation| observation.path != path);
    }
}

/// Whether the owner lives, or `None` when that cannot be known.
fn is_alive(host: &dyn Host, me: &Identity, owner: &Identity, waited_millis: f64) -> Option<bool> {
    if owner.machine == me.machine && owner.boot != me.boot && !me.boot.is_empty() && !owner.boot.is_empty() {
        return Some(false);
    }
    if (&owner.machine, &owner.boot, &owner.space) != (&me.machine, &me.boot, &me.space) {
        return None;
    }
    if owner.pid == me.pid && owner.start == me.start {
        return Some(owner.instance == me.instance || !host.instance_ended(&owner.instance));
    }
    match host.process(owner.pid, waited_millis > THOROUGH_MILLIS) {
        ProcessState::Gone => Some(false),
        ProcessState::Running(start) if !owner.start.is_empty() => Some(plain(&start) == owner.start),
        ProcessState::Running(_) | ProcessState::Unknown => None,
    }
}
