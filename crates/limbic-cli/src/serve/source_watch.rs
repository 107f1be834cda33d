//! Folders of watched projects: changes in them become events of the server.

#[cfg_attr(target_os = "linux", path = "source_watch/inotify.rs")]
#[cfg_attr(not(target_os = "linux"), path = "source_watch/polling.rs")]
mod system;
mod changes;
mod retry;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use limbic_tools::WatchedProject;

use super::reader::Event;
use changes::{Change, Followed, event, note};
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
    has_failed: bool,
    retry: Retry,
}

impl SourceWatch {
    /// Creates a watch of nothing. Changes go to `events`.
    pub fn new(events: Sender<Event>) -> Self {
        let retry = Retry::new(events.clone(), RETRY);
        Self { events, started: None, has_failed: false, retry }
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
            eprintln!(
                "limbic: source code cannot be watched ({error}): projects are compared with it every ten minutes"
            );
        }
    }

    /// Reports changes again later, because they could not be stored.
    pub fn report_later(&self, root: String, paths: Vec<String>) {
        self.retry.add(root, paths);
    }

    fn try_follow(&mut self, projects: &[WatchedProject]) -> io::Result<()> {
        if self.started.is_none() {
            let (sender, changes) = mpsc::channel();
            let folders = Folders::new(sender.clone())?;
            let events = self.events.clone();
            thread::spawn(move || collect(&changes, &events));
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

/// Passes changes on in groups, until the server ends.
fn collect(changes: &Receiver<Change>, events: &Sender<Event>) {
    while let Ok(first) = changes.recv() {
        let end = Instant::now() + MAX_DELAY;
        let mut changed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut next = Some(first);
        while let Some(Change { root, path }) = next {
            note(changed.entry(root).or_default(), path);
            let wait = QUIET.min(end.saturating_duration_since(Instant::now()));
            next = match changes.recv_timeout(wait) {
                Ok(change) => Some(change),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
        }
        for (root, paths) in changed {
            if events.send(event(root, paths)).is_err() {
                return;
            }
        }
    }
}
