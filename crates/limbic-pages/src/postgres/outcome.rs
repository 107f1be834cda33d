//! The outcome of a commit whose answer was lost.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{PostgresStore, failure::Failure, may_repeat};
use crate::{
    outage::Need,
    repeated::PAUSE,
    store::{Head, Locked, Outcome, PageStore, StoreError, Token, outcome},
};

/// Time for which the outcome of a commit is queried, as a multiple of the time for which calls wait.
const RESOLVE_FOR: u32 = 2;
/// Time to wait for the end of another transaction when an outcome is queried.
const RESOLVE_WAIT: Duration = Duration::from_secs(5);

impl PostgresStore {
    /// Returns the outcome of a commit whose answer was lost or a failure. The lock shows that its transaction is over.
    pub(super) fn resolve(&mut self, next: &Head, token: Token, failure: Failure) -> Result<(), StoreError> {
        self.connection = None;
        self.base = None;
        let why = failure.to_string();
        let deadline = Instant::now()
            + match self.need() {
                Need::Call(patience) => patience * RESOLVE_FOR,
                Need::Background | Need::Lookup => Duration::ZERO,
            };
        loop {
            let found = self.queue(RESOLVE_WAIT, None, deadline);
            match found {
                Ok(Locked::Yes(head)) => match self.outcome(&head, next.version, token) {
                    Outcome::Committed if self.confirm() => return Ok(()),
                    Outcome::Committed => {}
                    Outcome::NotCommitted => {
                        self.end();
                        return Err(match failure {
                            Failure::Broken(why) => StoreError::Lost(why),
                            other => other.into(),
                        });
                    }
                    Outcome::Unknown => {
                        self.end();
                        return Err(unknown(&why));
                    }
                },
                Err(StoreError::Refused(_)) => return Err(unknown(&why)),
                _ => {}
            }
            if !may_repeat(deadline) {
                return Err(unknown(&why));
            }
            thread::sleep(PAUSE);
        }
    }

    /// As [`outcome`], also for a commit that the head has forgotten.
    fn outcome(&mut self, head: &Head, version: u64, token: Token) -> Outcome {
        match outcome(head, version, token) {
            Outcome::Unknown => match self.token(version) {
                Ok(Some(found)) if found == token => Outcome::Committed,
                Ok(Some(_)) => Outcome::NotCommitted,
                Ok(None) | Err(_) => Outcome::Unknown,
            },
            known => known,
        }
    }

    /// Commits in the transaction that found a commit, and returns whether that was confirmed. A commit whose answer
    /// was lost is visible as soon as the server has restarted, even if no standby has it; this one is confirmed after
    /// all before it, so that the standby that is promoted next has them as well.
    fn confirm(&mut self) -> bool {
        let sql =
            format!("UPDATE limbic_memories SET changed_at = now() WHERE memory = {}; COMMIT", self.name());
        let confirmed = self.run(|connection| connection.client.batch_execute(&sql)).is_ok();
        self.base = None;
        if !confirmed {
            self.connection = None;
        }
        confirmed
    }
}

fn unknown(why: &str) -> StoreError {
    StoreError::OutcomeUnknown(format!("it is unknown whether the commit took effect: {why}"))
}
