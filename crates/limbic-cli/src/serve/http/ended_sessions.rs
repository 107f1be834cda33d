//! Sessions that their clients have ended, whose ids would otherwise be adopted again.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
};

/// Maximum number of sessions that are remembered, the latest ones.
const MAX_ENDED: usize = 16_384;

/// The ids of ended sessions, as hashes. Another server of the same memory, or a later one, does not know them.
#[derive(Default)]
pub struct EndedSessions(Mutex<Ended>);

#[derive(Default)]
struct Ended {
    known: HashSet<blake3::Hash>,
    /// The earliest first.
    order: VecDeque<blake3::Hash>,
}

impl EndedSessions {
    /// Remembers that a session has ended.
    pub fn add(&self, id: &str) {
        let mut ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = blake3::hash(id.as_bytes());
        if !ended.known.insert(hash) {
            return;
        }
        ended.order.push_back(hash);
        if ended.order.len() > MAX_ENDED
            && let Some(earliest) = ended.order.pop_front()
        {
            ended.known.remove(&earliest);
        }
    }

    /// Whether a session has ended.
    pub fn has(&self, id: &str) -> bool {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended.known.contains(&blake3::hash(id.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_sessions_are_remembered() {
        let ended = EndedSessions::default();
        assert!(!ended.has("0"));
        for id in 0..=MAX_ENDED {
            ended.add(&id.to_string());
            ended.add(&id.to_string());
        }
        assert!(!ended.has("0") && ended.has("1") && ended.has(&MAX_ENDED.to_string()));
    }
}
