//! Changes that could not be stored, to be reported again.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::changes::{event, note};
use crate::serve::reader::Event;

/// The changed paths of each project.
type Changed = BTreeMap<String, BTreeSet<String>>;

/// Reports changes again after a delay. One delay serves all changes that come in the meantime.
pub struct Retry {
    events: Sender<Event>,
    delay: Duration,
    waiting: Arc<Mutex<Changed>>,
}

impl Retry {
    pub fn new(events: Sender<Event>, delay: Duration) -> Self {
        Self { events, delay, waiting: Arc::default() }
    }

    /// Reports these paths of a project after the delay; without paths, that anything in it may have changed.
    pub fn add(&self, root: String, mut paths: Vec<String>) {
        if paths.is_empty() {
            paths.push(String::new());
        }
        let mut waiting = lock(&self.waiting);
        let is_first = waiting.is_empty();
        let changed = waiting.entry(root).or_default();
        paths.into_iter().for_each(|path| note(changed, path));
        if is_first {
            let (events, delay, waiting) = (self.events.clone(), self.delay, self.waiting.clone());
            thread::spawn(move || {
                thread::sleep(delay);
                for (root, paths) in mem::take(&mut *lock(&waiting)) {
                    // The server may have ended.
                    let _ = events.send(event(root, paths));
                }
            });
        }
    }
}

fn lock(waiting: &Mutex<Changed>) -> MutexGuard<'_, Changed> {
    // A panic leaves at worst a path out.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn changes_of_one_project_are_reported_again_together() {
        let (events, received) = mpsc::channel();
        let retry = Retry::new(events, Duration::from_millis(20));
        for path in ["a.py", "b.py", "a.py"] {
            retry.add("/p".to_owned(), vec![path.to_owned()]);
        }
        retry.add("/q".to_owned(), Vec::new());
        let next = || match received.recv_timeout(Duration::from_secs(30)) {
            Ok(Event::FilesChanged { root, paths }) => (root, paths),
            _ => panic!("no change was reported"),
        };
        assert_eq!(next(), ("/p".to_owned(), vec!["a.py".to_owned(), "b.py".to_owned()]));
        assert_eq!(next(), ("/q".to_owned(), Vec::new()));
        drop(retry);
        assert!(received.recv_timeout(Duration::from_secs(30)).is_err(), "nothing is reported twice");
    }
}
