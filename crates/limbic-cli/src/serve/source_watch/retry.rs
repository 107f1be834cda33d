//! Changes that could not be stored, to be reported again.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use super::changes::{Change, Changes};
use crate::serve::reader::Event;

/// Reports changes again after a delay. One delay serves all changes that come in the meantime.
pub struct Retry {
    events: Sender<Event>,
    delay: Duration,
    waiting: Arc<Changes>,
}

impl Retry {
    pub fn new(events: Sender<Event>, delay: Duration) -> Self {
        Self { events, delay, waiting: Arc::default() }
    }

    /// Reports these paths of a project after the delay; without paths, that anything in it may have changed.
    pub fn add(&self, root: &str, mut paths: Vec<String>) {
        if paths.is_empty() {
            paths.push(String::new());
        }
        let is_first = |path| self.waiting.add(Change { root: root.to_owned(), path });
        if paths.into_iter().map(is_first).fold(false, |any, is_first| any | is_first) {
            let (events, delay, waiting) = (self.events.clone(), self.delay, self.waiting.clone());
            thread::spawn(move || {
                thread::sleep(delay);
                // The server may have ended.
                waiting.send(&events);
            });
        }
    }
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
            retry.add("/p", vec![path.to_owned()]);
        }
        retry.add("/q", Vec::new());
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
