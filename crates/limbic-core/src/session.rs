//! What this session's searches answered, and which of it was used again. Kept in memory: a session ends when the
//! memory is closed.

use std::collections::VecDeque;

use crate::{Host, maintain::upkeep::Plan, store::feedback::Reuse};

/// How long after a search a use counts as one of its results.
const WINDOW_MILLIS: i64 = 30 * 60 * 1000;

/// How many searches are remembered at most.
const LONGEST: usize = 256;

/// How many plans of upkeep are remembered at most.
const MOST_PLANS: usize = 8;

/// One open memory, from opening to closing.
pub struct Session {
    id: String,
    domain: Option<String>,
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
    /// A session with an id that no other has.
    pub fn new(host: &dyn Host) -> Self {
        let mut bytes = [0; 16];
        host.fill_random(&mut bytes);
        let id = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { id, domain: None, plans: VecDeque::new(), searches: VecDeque::new(), reuses: Vec::new() }
    }

    /// 32 hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The domain that it works in, once it has needed one.
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// It works in this domain from here on.
    pub fn select(&mut self, domain: &str) {
        self.domain = Some(domain.to_owned());
    }

    /// Remembers a plan of upkeep that was shown under this id.
    pub fn planned(&mut self, id: String, plan: Plan) {
        self.plans.push_back((id, plan));
        while self.plans.len() > MOST_PLANS {
            self.plans.pop_front();
        }
    }

    /// The plan that was shown under this id. It is applied once.
    pub fn take_plan(&mut self, id: &str) -> Option<Plan> {
        let place = self.plans.iter().position(|(known, _)| known == id)?;
        self.plans.remove(place).map(|(_, plan)| plan)
    }

    /// Remembers what a search answered.
    pub fn searched(&mut self, event_id: i64, at_millis: i64, entity_ids: &[i64]) {
        self.forget(at_millis);
        let mut entity_ids = entity_ids.to_vec();
        entity_ids.sort_unstable();
        self.searches.push_back(Search { event_id, at_millis, entity_ids });
        while self.searches.len() > LONGEST {
            self.searches.pop_front();
        }
    }

    /// Notes the use of entities: each counts once for every search that returned it.
    pub fn used(&mut self, now_millis: i64, entity_ids: &[i64]) {
        self.forget(now_millis);
        for search in &mut self.searches {
            for entity_id in entity_ids {
                if let Ok(place) = search.entity_ids.binary_search(entity_id) {
                    search.entity_ids.remove(place);
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

    /// Hands over what was noted.
    pub fn take_reuses(&mut self) -> Vec<Reuse> {
        std::mem::take(&mut self.reuses)
    }

    fn forget(&mut self, now_millis: i64) {
        self.searches.retain(|search| now_millis - search.at_millis <= WINDOW_MILLIS);
    }
}
