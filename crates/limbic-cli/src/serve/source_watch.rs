//! Folders of watched projects: changes in them become events of the server.

#[cfg_attr(target_os = "linux", path = "source_watch/inotify.rs")]
#[cfg_attr(not(target_os = "linux"), path = "source_watch/polling.rs")]
mod system;
mod changes;
mod retry;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use limbic_tools::WatchedProject;

use super::reader::Event;
use changes::{Change, Changes, Followed};
use retry::Retry;
use system::Folders;

/// Time without a change after which changes are handled together.
const QUIET: Duration = Duration::from_millis(500);
/// Maximum time for which changes are held back.
const MAX_DELAY: Duration = Duration::from_secs(5);
/// Time after which changes that could not be stored are reported again.
const RETRY: Duration = Duration::from_secs(10);

/// Watches folders of projects.
pub struct SourceWatch {
    events: Sender<Event>,
    /// Made when there is something to watch.
    started: Option<(Folders, Sender<Change>)>,
    /// Changes that are not reported yet.
    pending: Arc<Changes>,
    has_failed: bool,
    retry: Retry,
}

impl SourceWatch {
    /// Creates a watch of nothing. Changes go to `events`.
    pub fn new(events: Sender<Event>) -> Self {
        let retry = Retry::new(events.clone(), RETRY);
        Self { events, started: None, pending: Arc::default(), has_failed: false, retry }
    }

    /// Watches exactly these folders from now on. A project with a folder that was not watched before is reported as
    /// changed, since something may have changed in it after it was walked. A failure is logged once.
    pub fn follow(&mut self, projects: &[WatchedProject]) {
        if self.started.is_none() && projects.is_empty() {
            return;
        }
        if let Err(error) = self.try_follow(projects)
            && !self.has_failed
        {
            self.has_failed = true;
            log!("source code cannot be watched ({error}): projects are compared with it every ten minutes");
        }
    }

    /// Whether changes are held back.
    pub fn has_changes(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes the changes that are held back: folders of projects with paths below them, or without if anything may have
    /// changed.
    pub fn take(&self) -> Vec<(String, Vec<String>)> {
        self.pending.take()
    }

    /// Reports changes again later, because they could not be stored.
    pub fn report_later(&self, root: &str, paths: Vec<String>) {
        self.retry.add(root, paths);
    }

    fn try_follow(&mut self, projects: &[WatchedProject]) -> io::Result<()> {
        if self.started.is_none() {
            let (sender, changes) = mpsc::channel();
            let folders = Folders::new(sender.clone())?;
            let (events, pending) = (self.events.clone(), self.pending.clone());
            thread::spawn(move || collect(&changes, &pending, &events));
            self.started = Some((folders, sender));
        }
        let Some((folders, changes)) = &mut self.started else { return Ok(()) };
        let Followed { new, failure } = folders.follow(projects);
        for root in new {
            // The receiver ends with the server alone.
            let _ = changes.send(Change { root, path: String::new() });
        }
        failure.map_or(Ok(()), Err)
    }
}

/// Passes changes on in groups, until the server ends. It may take those that are held back.
fn collect(changes: &Receiver<Change>, pending: &Changes, events: &Sender<Event>) {
    while let Ok(first) = changes.recv() {
        let end = Instant::now() + MAX_DELAY;
        let mut next = Some(first);
        while let Some(change) = next {
            pending.add(change);
            let wait = QUIET.min(end.saturating_duration_since(Instant::now()));
            next = match changes.recv_timeout(wait) {
                Ok(change) => Some(change),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
        if !pending.send(events) {
            return;
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{env, fs, process};

    use super::*;

    /// Waits until changes are held back, and takes them.
    fn taken(watch: &SourceWatch) -> Vec<(String, Vec<String>)> {
        for _ in 0..3_000 {
            if watch.has_changes() {
                return watch.take();
            }
            thread::sleep(Duration::from_millis(10));
        }
        Vec::new()
    }

    #[test]
    fn changes_that_are_held_back_can_be_taken_and_are_not_reported_then() {
        let root = env::temp_dir().join(format!("limbic-held-back-{}", process::id()));
        fs::create_dir(&root).expect("the folder is new");
        let (sender, events) = mpsc::channel();
        let mut watch = SourceWatch::new(sender);
        let path = root.to_string_lossy().into_owned();
        watch.follow(&[WatchedProject { root: path.clone(), folders: vec![String::new()] }]);
        let new = taken(&watch);
        fs::write(root.join("a.py"), "").expect("the folder can be written");
        let changed = taken(&watch);
        let reported = events.recv_timeout(QUIET * 3);
        fs::remove_dir_all(&root).expect("it is there");
        assert_eq!(new, [(path.clone(), Vec::new())], "a folder that was not watched may have changed");
        assert_eq!(changed, [(path, vec!["a.py".to_owned()])]);
        assert!(reported.is_err(), "they are reported once");
    }
}
