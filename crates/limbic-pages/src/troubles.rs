//! Why a store that answers cannot be used: a password that it refuses, a missing database, missing rights. Its servers
//! log that once, and its end once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What a store refuses. The success of one says nothing about the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// The connection: TLS, the login, the database.
    Login,
    /// The checks of a new connection.
    SetUp,
    /// The begin of a transaction that reads.
    Snapshot,
    /// The lock for writing.
    Lock,
    /// The wait for another writer, in the queue.
    Queue,
    /// Pages that are read.
    Pages,
    /// Pages that are written, and their commit.
    Commit,
}

/// The steps that were refused when they were last tried, each with its error. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Troubles(Arc<Mutex<BTreeMap<Step, String>>>);

impl Troubles {
    /// Records that a step was refused.
    pub(crate) fn begin(&self, step: Step, why: String) {
        self.known().insert(step, why);
    }

    /// Records that a step has succeeded.
    pub(crate) fn end(&self, step: Step) {
        self.known().remove(&step);
    }

    /// The errors, without repetitions.
    pub(crate) fn all(&self) -> Vec<String> {
        let mut all = Vec::new();
        for why in self.known().values() {
            if !all.contains(why) {
                all.push(why.clone());
            }
        }
        all
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Step, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_succeeds_ends_its_own_trouble_alone() {
        let troubles = Troubles::default();
        let forbidden = || "permission denied".to_owned();
        troubles.begin(Step::Lock, forbidden());
        troubles.begin(Step::Commit, forbidden());
        troubles.end(Step::Snapshot);
        assert_eq!(troubles.all(), [forbidden()], "each is named once");
        troubles.begin(Step::Login, "wrong password".to_owned());
        assert_eq!(troubles.all(), ["wrong password".to_owned(), forbidden()]);
        for step in [Step::Login, Step::Lock, Step::Commit] {
            troubles.end(step);
        }
        assert!(troubles.all().is_empty());
    }
}
