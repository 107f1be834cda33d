//! Limits the sessions whose state the core keeps, so that one client does not displace those of all others.
//!
//! A session is known to every server of a memory by its id alone. What a server keeps of it, such as the plans that it
//! was shown, is dropped for a new session when a limit is reached: that of the session which was idle for the longest
//! time. The client does not notice, unless it applies such a plan.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::refusal::Refusal;

/// Sessions of all clients; the core keeps more.
const MAX_SESSIONS: usize = 128;
/// Sessions of a token at an address.
const MAX_CLIENT_SESSIONS: usize = 64;
/// Sessions of a named token, at all addresses together.
const MAX_TOKEN_SESSIONS: usize = 32;

/// Who uses a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOwner {
    /// Identifies the token.
    pub holder: String,
    /// Whether the token is a named one.
    pub is_named: bool,
    /// The token and the address.
    pub client: String,
}

/// The sessions that the core keeps, the least recently used first.
#[derive(Default)]
pub struct SessionQuota(Arc<Mutex<Vec<KeptSession>>>);

struct KeptSession {
    id: String,
    owner: SessionOwner,
    /// Requests without an answer.
    open: usize,
    /// Whether its client has ended it: it is forgotten with the last answer.
    has_ended: bool,
}

/// A request of a session, until this is dropped.
pub struct OpenRequest {
    kept: Arc<Mutex<Vec<KeptSession>>>,
    id: String,
}

/// What a request leads to.
pub struct Entered {
    /// Keeps the session from being dropped.
    pub request: OpenRequest,
    /// The session whose state is to be dropped.
    pub dropped: Option<String>,
}

impl SessionQuota {
    /// Counts a request of a session.
    ///
    /// # Errors
    /// `too_many_sessions`, if it is a new session, a limit is reached, and no session that could be dropped is idle.
    pub fn enter(&self, id: &str, owner: SessionOwner) -> Result<Entered, Refusal> {
        let mut kept = lock(&self.0);
        let known = kept.iter().position(|session| session.id == id);
        let dropped = match known {
            Some(_) => None,
            None => make_room(&mut kept, &owner)?,
        };
        let mut session = match known {
            Some(index) => kept.remove(index),
            None => KeptSession { id: id.to_owned(), owner, open: 0, has_ended: false },
        };
        session.open += 1;
        session.has_ended = false;
        kept.push(session);
        Ok(Entered { request: OpenRequest { kept: self.0.clone(), id: id.to_owned() }, dropped })
    }

    /// Forgets a session that has ended, when its requests are answered.
    pub fn end(&self, id: &str) {
        let mut kept = lock(&self.0);
        if let Some(session) = kept.iter_mut().find(|session| session.id == id) {
            session.has_ended = true;
        }
        remove_ended(&mut kept);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut kept = lock(&self.kept);
        if let Some(session) = kept.iter_mut().find(|session| session.id == self.id) {
            session.open = session.open.saturating_sub(1);
        }
        remove_ended(&mut kept);
    }
}

/// Removes the sessions that have ended and have no open requests.
fn remove_ended(kept: &mut Vec<KeptSession>) {
    kept.retain(|session| !session.has_ended || session.open > 0);
}

/// Removes a session if a limit is reached, and returns its id.
fn make_room(kept: &mut Vec<KeptSession>, owner: &SessionOwner) -> Result<Option<String>, Refusal> {
    let count = |is_own: &dyn Fn(&KeptSession) -> bool| kept.iter().filter(|session| is_own(session)).count();
    let is_of_token = |session: &KeptSession| session.owner.holder == owner.holder;
    let is_of_client = |session: &KeptSession| session.owner.client == owner.client;
    let is_of_anyone = |_: &KeptSession| true;
    let (may_go, is_own): (&dyn Fn(&KeptSession) -> bool, bool) =
        if owner.is_named && count(&is_of_token) >= MAX_TOKEN_SESSIONS {
            (&is_of_token, true)
        } else if count(&is_of_client) >= MAX_CLIENT_SESSIONS {
            (&is_of_client, true)
        } else if kept.len() >= MAX_SESSIONS {
            (&is_of_anyone, false)
        } else {
            return Ok(None);
        };
    match kept.iter().position(|session| session.open == 0 && may_go(session)) {
        Some(index) => Ok(Some(kept.remove(index).id)),
        None if is_own => {
            let text = format!(
                "All of the {} sessions of this client wait for an answer: wait, or use one of them",
                count(may_go)
            );
            Err(Refusal::retry_later(429, "too_many_sessions", &text))
        }
        None => {
            let text = format!("All of the {MAX_SESSIONS} sessions wait for an answer: try again later");
            Err(Refusal::retry_later(503, "too_many_sessions", &text))
        }
    }
}

fn lock(kept: &Mutex<Vec<KeptSession>>) -> MutexGuard<'_, Vec<KeptSession>> {
    // A panic leaves a list in which at most one session is missing.
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(holder: &str, is_named: bool, address: &str) -> SessionOwner {
        SessionOwner { holder: holder.to_owned(), is_named, client: format!("{holder} {address}") }
    }

    /// Enters `count` sessions, whose requests stay open.
    fn fill(quota: &SessionQuota, owner: &SessionOwner, count: usize) -> Vec<OpenRequest> {
        let enter = |number| quota.enter(&format!("{} {number}", owner.client), owner.clone());
        (0..count).map(|number| enter(number).expect("the limit is not reached").request).collect()
    }

    fn refused(quota: &SessionQuota, owner: &SessionOwner) -> Option<(u16, &'static str)> {
        quota.enter("another", owner.clone()).err().map(|refusal| (refusal.status, refusal.code))
    }

    #[test]
    fn a_client_whose_sessions_are_all_in_use_gets_no_further_one() {
        for (is_named, limit) in [(false, MAX_CLIENT_SESSIONS), (true, MAX_TOKEN_SESSIONS)] {
            let (quota, ada, ben) =
                (SessionQuota::default(), owner("ada", is_named, "1"), owner("ben", false, "1"));
            let mut open = fill(&quota, &ada, limit);
            assert_eq!(refused(&quota, &ada), Some((429, "too_many_sessions")));
            assert!(quota.enter(&format!("{} 0", ada.client), ada.clone()).is_ok(), "its own sessions go on");
            assert_eq!(refused(&quota, &ben), None, "other clients are served");
            open.remove(7);
            let entered = quota.enter("new", ada.clone()).map(|entered| entered.dropped);
            assert_eq!(entered.ok().flatten(), Some(format!("{} 7", ada.client)), "the idle one is dropped");
        }
    }

    #[test]
    fn a_session_that_ends_counts_until_its_requests_are_answered() {
        let (quota, ada) = (SessionQuota::default(), owner("ada", false, "1"));
        let open = fill(&quota, &ada, MAX_CLIENT_SESSIONS);
        quota.end("ada 1 3");
        assert_eq!(refused(&quota, &ada), Some((429, "too_many_sessions")), "its request is still open");
        drop(open);
        assert_eq!(lock(&quota.0).len(), MAX_CLIENT_SESSIONS - 1, "it is forgotten with the answer");
    }

    #[test]
    fn a_named_token_is_counted_at_all_addresses() {
        let quota = SessionQuota::default();
        let _open = [fill(&quota, &owner("ada", true, "1"), 20), fill(&quota, &owner("ada", true, "2"), 12)];
        assert_eq!(refused(&quota, &owner("ada", true, "3")), Some((429, "too_many_sessions")));
    }

    #[test]
    fn the_least_recently_used_session_is_dropped_for_a_new_one() {
        let [ada, ben, cyd] = ["ada", "ben", "cyd"].map(|holder| owner(holder, false, "1"));
        let quota = SessionQuota::default();
        drop([fill(&quota, &ada, 64), fill(&quota, &ben, 64)]);
        drop(quota.enter("ada 1 0", ada.clone()));
        let dropped = |id| quota.enter(id, cyd.clone()).map(|entered| entered.dropped);
        assert_eq!(dropped("new").ok().flatten().as_deref(), Some("ada 1 1"));
        quota.end("ada 1 2");
        assert_eq!(dropped("newer").ok().flatten(), None, "one has ended");
        let quota = SessionQuota::default();
        let _open = [fill(&quota, &ada, 64), fill(&quota, &ben, 64)];
        assert_eq!(refused(&quota, &cyd), Some((503, "too_many_sessions")));
    }
}
