//! State of one client: its domain, the maintenance plans it was shown, and the results of its searches that were used.
//! Kept in memory only: a session ends when the shell ends it or the memory is closed.

use std::collections::VecDeque;

use crate::{
    Host,
    maintenance::plans::Plan,
    store::{
        logs::{audit::Actor, feedback::Reuse},
        origins::{Kind, Origin},
    },
};

/// Time after a search within which the use of a result counts as feedback.
const WINDOW_MILLIS: i64 = 30 * 60 * 1000;

/// Maximum number of searches that are remembered.
const MAX_SEARCHES: usize = 256;

/// The maximum number of maintenance plans that are kept.
const MAX_PLANS: usize = 8;

/// Maximum number of sessions; beyond that, the one idle for the longest time is dropped.
const MAX_SESSIONS: usize = 256;

/// The session that a call belongs to. Shells choose the text: one per client, or the default if there is only
/// one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionId(String);

impl<T: Into<String>> From<T> for SessionId {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// The domain of a session, with which another instance continues it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionDomain {
    session: SessionId,
    domain: String,
    has_selected: bool,
}

impl SessionDomain {
    /// Whether it is the domain of this session.
    #[must_use]
    pub fn is_of(&self, session: &SessionId) -> bool {
        self.session == *session
    }
}

/// All sessions of an open memory. One of them is current: the calls that follow belong to it.
pub(crate) struct Sessions {
    current: (SessionId, Session),
    /// The others, least recently used first.
    others: VecDeque<(SessionId, Session)>,
}

impl Sessions {
    /// Creates the default session, which is the current one.
    pub(crate) fn new(host: &dyn Host) -> Self {
        Self { current: (SessionId::default(), Session::new(host)), others: VecDeque::new() }
    }

    /// The current session.
    pub(crate) fn current(&self) -> &Session {
        &self.current.1
    }

    /// The current session, to change its state.
    pub(crate) fn current_mut(&mut self) -> &mut Session {
        &mut self.current.1
    }

    /// Whether this is the current session.
    pub(crate) fn is_current(&self, id: &SessionId) -> bool {
        self.current.0 == *id
    }

    /// Makes a session the current one, and creates it if it is unknown.
    pub(crate) fn enter(&mut self, id: &SessionId, host: &dyn Host) {
        if self.is_current(id) {
            return;
        }
        let known = self.others.iter().position(|(other, _)| other == id);
        let entered = known.and_then(|index| self.others.remove(index));
        let entered = entered.unwrap_or_else(|| (id.clone(), Session::new(host)));
        self.others.push_back(std::mem::replace(&mut self.current, entered));
        if self.others.len() >= MAX_SESSIONS {
            self.others.pop_front();
        }
    }

    /// Drops what sessions know of a database that was replaced: the searches, whose results have other ids now, and
    /// that a domain was selected, so that it is kept only if it exists.
    pub(crate) fn leave_database(&mut self) {
        let others = self.others.iter_mut().map(|(_, session)| session);
        for session in others.chain([&mut self.current.1]) {
            session.has_selected = false;
            session.searches.clear();
            session.reuses.clear();
        }
    }

    /// Returns the domain of each session that has one, least recently used first.
    pub(crate) fn domains(&self) -> Vec<SessionDomain> {
        let domain_of = |(id, session): &(SessionId, Session)| {
            let domain = session.domain.clone()?;
            Some(SessionDomain { session: id.clone(), domain, has_selected: session.has_selected })
        };
        self.others.iter().chain([&self.current]).filter_map(domain_of).collect()
    }

    /// Continues sessions of an earlier instance; the last one is the current one afterwards.
    pub(crate) fn resume(&mut self, domains: Vec<SessionDomain>, host: &dyn Host) {
        for SessionDomain { session, domain, has_selected } in domains {
            self.enter(&session, host);
            (self.current.1.domain, self.current.1.has_selected) = (Some(domain), has_selected);
        }
    }

    /// Drops a session. If it was the current one, the default session becomes the current one.
    pub(crate) fn end(&mut self, id: &SessionId, host: &dyn Host) {
        self.enter(&SessionId::default(), host);
        self.others.retain(|(other, _)| other != id);
        if self.is_current(id) {
            self.current.1 = Session::new(host);
        }
    }
}

/// The caller of a session, according to the shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The kind of caller.
    pub kind: Kind,
    /// The name that the client gave; may be empty.
    pub client: String,
    /// The project that the caller works in; empty if unknown.
    pub project: String,
    /// The folder of the project: 16 hexadecimal digits of the SHA-256 of its real path, a slash, and the last
    /// component of the path. Empty if unknown: then the name alone counts.
    pub folder: String,
}

/// The session and origin of changes, for the audit log.
#[derive(Debug, Clone)]
pub struct Writer {
    session_id: String,
    origin: Option<Origin>,
}

impl Writer {
    /// The actor of a change, for this reason.
    #[must_use]
    pub fn actor<'a>(&'a self, reason: Option<&'a str>) -> Actor<'a> {
        Actor { session_id: &self.session_id, origin: self.origin.as_ref(), reason }
    }

    /// Origin of the changes; `None` if the shell does not name the caller.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }
}

/// One client, from its first call to its last.
pub struct Session {
    id: String,
    caller: Option<Caller>,
    domain: Option<String>,
    /// Whether the domain was selected; otherwise it is the default of the time when one was first needed.
    has_selected: bool,
    /// Whether calls are independent of earlier ones.
    is_stateless: bool,
    plans: VecDeque<(String, Plan)>,
    searches: VecDeque<Search>,
    reuses: Vec<Reuse>,
}

struct Search {
    event_id: i64,
    at_millis: i64,
    /// Results that were not used yet, in ascending order.
    entity_ids: Vec<i64>,
}

impl Session {
    /// Creates a session with a random id.
    pub(crate) fn new(host: &dyn Host) -> Self {
        let mut bytes = [0; 16];
        host.fill_random(&mut bytes);
        let id = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            id,
            caller: None,
            domain: None,
            has_selected: false,
            is_stateless: false,
            plans: VecDeque::new(),
            searches: VecDeque::new(),
            reuses: Vec::new(),
        }
    }

    /// Returns the id for the audit log and the usage statistics: 32 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sets that id, for a session that spans several processes.
    pub fn set_id(&mut self, id: String) {
        self.id = id;
    }

    /// Sets the caller. Without a caller, what the session writes has no origin, and its memories count as confirmed.
    pub fn set_caller(&mut self, caller: Option<Caller>) {
        self.caller = caller;
    }

    /// Returns the caller, if the shell has set it.
    #[must_use]
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// Returns the session as the writer of changes.
    #[must_use]
    pub fn writer(&self) -> Writer {
        Writer { session_id: self.id.clone(), origin: self.origin() }
    }

    /// Returns the session as an origin; `None` if the shell does not name the caller.
    pub(crate) fn origin(&self) -> Option<Origin> {
        let origin = self.caller.clone().map(|caller| Origin {
            kind: caller.kind,
            client: caller.client,
            session: self.id.clone(),
            project: caller.project,
            folder: caller.folder,
            ..Origin::default()
        });
        origin.map(Origin::bounded)
    }

    /// Returns its domain, once it was needed.
    #[must_use]
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// Whether [`Session::domain`] was selected rather than taken from the database's default.
    #[must_use]
    pub(crate) fn has_selected(&self) -> bool {
        self.has_selected
    }

    /// Whether calls are independent of earlier ones: each names its domain, or uses the database's default.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.is_stateless
    }

    /// Makes the session stateless, for protocols without sessions. Plans are kept, because a call names them.
    pub fn make_stateless(&mut self) {
        self.is_stateless = true;
        self.domain = None;
        self.has_selected = false;
    }

    /// Selects the domain of the calls that name none. No effect in a stateless session.
    pub fn select(&mut self, domain: &str) {
        if self.is_stateless {
            return;
        }
        self.domain = Some(domain.to_owned());
        self.has_selected = true;
    }

    /// Sets the domain to the database's default.
    pub(crate) fn begin_in(&mut self, domain: &str) {
        if self.is_stateless {
            return;
        }
        self.domain = Some(domain.to_owned());
        self.has_selected = false;
    }

    /// Stores a maintenance plan that was shown, by its id.
    pub fn planned(&mut self, id: String, plan: Plan) {
        self.plans.push_back((id, plan));
        while self.plans.len() > MAX_PLANS {
            self.plans.pop_front();
        }
    }

    /// Returns the plan that was shown under this id, if it was not applied.
    #[must_use]
    pub fn plan(&self, id: &str) -> Option<&Plan> {
        self.plans.iter().find(|(known, _)| known == id).map(|(_, plan)| plan)
    }

    /// Removes and returns the plan that was shown under this id: it is applied once.
    pub fn take_plan(&mut self, id: &str) -> Option<Plan> {
        let index = self.plans.iter().position(|(known, _)| known == id)?;
        self.plans.remove(index).map(|(_, plan)| plan)
    }

    /// Records the results of a search.
    pub fn searched(&mut self, event_id: i64, at_millis: i64, entity_ids: &[i64]) {
        self.forget(at_millis);
        let mut entity_ids = entity_ids.to_vec();
        entity_ids.sort_unstable();
        self.searches.push_back(Search { event_id, at_millis, entity_ids });
        while self.searches.len() > MAX_SEARCHES {
            self.searches.pop_front();
        }
    }

    /// Records the use of entities; each counts once for every search that returned it.
    pub fn used(&mut self, now_millis: i64, entity_ids: &[i64]) {
        self.forget(now_millis);
        for search in &mut self.searches {
            for entity_id in entity_ids {
                if let Ok(index) = search.entity_ids.binary_search(entity_id) {
                    search.entity_ids.remove(index);
                    let delay_seconds = (now_millis - search.at_millis).max(0) / 1000;
                    self.reuses.push(Reuse {
                        event_id: search.event_id,
                        entity_id: *entity_id,
                        delay_seconds,
                    });
                }
            }
        }
    }

    /// Returns the recorded uses, and clears them.
    pub(crate) fn take_reuses(&mut self) -> Vec<Reuse> {
        std::mem::take(&mut self.reuses)
    }

    /// Keeps uses that could not be stored, before those that were recorded since.
    pub(crate) fn keep_reuses(&mut self, mut reuses: Vec<Reuse>) {
        reuses.append(&mut self.reuses);
        self.reuses = reuses;
    }

    fn forget(&mut self, now_millis: i64) {
        self.searches.retain(|search| now_millis - search.at_millis <= WINDOW_MILLIS);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A host whose random bytes differ at each call.
    struct Counting(Cell<u8>);

    impl Host for Counting {
        fn now_millis(&self) -> i64 {
            0
        }

        fn fill_random(&self, buffer: &mut [u8]) {
            self.0.set(self.0.get().wrapping_add(1));
            buffer.fill(self.0.get());
        }
    }

    #[test]
    fn a_session_keeps_its_state_until_it_ends() {
        let host = Counting(Cell::new(0));
        let mut sessions = Sessions::new(&host);
        let (one, two) = (SessionId::from("one"), SessionId::from("two"));
        sessions.enter(&one, &host);
        sessions.current_mut().select("work");
        let id = sessions.current().id().to_owned();
        sessions.enter(&two, &host);
        assert_eq!(sessions.current().domain(), None);
        assert_ne!(sessions.current().id(), id);
        sessions.enter(&one, &host);
        assert_eq!(sessions.current().domain(), Some("work"));
        assert_eq!(sessions.current().id(), id);
        sessions.end(&one, &host);
        assert!(sessions.is_current(&SessionId::default()));
        sessions.enter(&one, &host);
        assert_eq!(sessions.current().domain(), None);
    }

    #[test]
    fn a_stateless_session_keeps_no_domain() {
        let host = Counting(Cell::new(0));
        let mut session = Session::new(&host);
        session.select("work");
        session.make_stateless();
        assert_eq!(session.domain(), None);
        session.select("work");
        session.begin_in("general");
        assert_eq!(session.domain(), None);
    }

    #[test]
    fn of_too_many_sessions_the_one_idle_longest_is_dropped() {
        let host = Counting(Cell::new(0));
        let mut sessions = Sessions::new(&host);
        for number in 0..MAX_SESSIONS {
            sessions.enter(&SessionId::from(number.to_string()), &host);
            sessions.current_mut().select("work");
            sessions.enter(&SessionId::from("0"), &host);
        }
        sessions.enter(&SessionId::from("more"), &host);
        assert!(sessions.others.len() < MAX_SESSIONS);
        sessions.enter(&SessionId::from("0"), &host);
        assert_eq!(sessions.current().domain(), Some("work"));
        sessions.enter(&SessionId::from("1"), &host);
        assert_eq!(sessions.current().domain(), None);
    }
}
