//! Changes in folders where the system is not asked for them: every project counts as changed from time to time, and is
//! compared with the index.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use limbic_tools::WatchedProject;

use super::changes::{Change, Followed};

/// Interval of comparisons.
const INTERVAL: Duration = Duration::from_secs(10);

/// Projects whose changes are sent.
pub struct Folders(Arc<Mutex<Vec<String>>>);

impl Folders {
    /// Creates a watch of no folder, which sends changes until the receiver is gone.
    ///
    /// # Errors
    /// Never.
    pub fn new(changes: Sender<Change>) -> io::Result<Self> {
        let roots: Arc<Mutex<Vec<String>>> = Arc::default();
        let watched = roots.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(INTERVAL);
                for root in watched.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                    if changes.send(Change { root, path: String::new() }).is_err() {
                        return;
                    }
                }
            }
        });
        Ok(Self(roots))
    }

    /// Watches exactly these projects. No folder is watched by itself, so none is new.
    pub fn follow(&mut self, projects: &[WatchedProject]) -> Followed {
        let roots = projects.iter().map(|project| project.root.clone()).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = roots;
        Followed { new: Vec::new(), failure: None }
    }
}
