//! Changes in folders, as Linux reports them.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use limbic_tools::WatchedProject;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::Change;

/// What is reported of a folder, which is not a link.
const REPORTED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::EXCL_UNLINK);

/// Length of the buffer for events: more than a hundred with names of usual length.
const BUFFER_BYTES: usize = 8192;

/// Projects that have a folder, and its path in each.
type Places = Vec<(String, String)>;

/// Folders whose changes are sent.
pub struct Folders {
    inotify: Arc<File>,
    /// By the number that the system gives to a watched folder.
    watched: Arc<Mutex<HashMap<i32, Places>>>,
}

impl Folders {
    /// Creates a watch of no folder, which sends changes until the receiver is gone.
    ///
    /// # Errors
    /// If the user has too many watches.
    pub fn new(changes: Sender<Change>) -> io::Result<Self> {
        let inotify: OwnedFd = inotify::init(CreateFlags::CLOEXEC)?;
        let folders = Self { inotify: Arc::new(inotify.into()), watched: Arc::default() };
        let (inotify, watched) = (folders.inotify.clone(), folders.watched.clone());
        thread::spawn(move || read(&inotify, &watched, &changes));
        Ok(folders)
    }

    /// Watches exactly these folders. Returns the roots of projects with a folder that was not watched before.
    ///
    /// # Errors
    /// If the user may not watch so many folders. A folder that is gone or may not be read is left out.
    pub fn follow(&mut self, projects: &[WatchedProject]) -> io::Result<Vec<String>> {
        let mut wanted: HashMap<i32, Places> = HashMap::new();
        for WatchedProject { root, folders } in projects {
            for folder in folders {
                match inotify::add_watch(&*self.inotify, Path::new(root).join(folder), REPORTED) {
                    Ok(number) => wanted.entry(number).or_default().push((root.clone(), folder.clone())),
                    Err(Errno::NOSPC) => {
                        return Err(io::Error::other("fs.inotify.max_user_watches is too low"));
                    }
                    Err(_) => {}
                }
            }
        }
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        for number in watched.keys().filter(|number| !wanted.contains_key(number)) {
            // It fails if the folder is gone.
            let _ = inotify::remove_watch(&*self.inotify, *number);
        }
        let is_new = |(number, places): &(&i32, &Places)| watched.get(number) != Some(*places);
        let new: BTreeSet<String> = wanted
            .iter()
            .filter(is_new)
            .flat_map(|(_, places)| places.iter().map(|(root, _)| root.clone()))
            .collect();
        *watched = wanted;
        Ok(new.into_iter().collect())
    }
}

/// Sends changes until the receiver is gone.
fn read(inotify: &File, watched: &Mutex<HashMap<i32, Places>>, changes: &Sender<Change>) {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    let mut reader = Reader::new(inotify, &mut buffer);
    loop {
        let event = match reader.next() {
            Ok(event) => event,
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        let watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<Change> = if event.events().contains(ReadFlags::QUEUE_OVERFLOW) {
            let roots: BTreeSet<&String> = watched.values().flatten().map(|(root, _)| root).collect();
            roots.into_iter().map(|root| Change { root: root.clone(), path: String::new() }).collect()
        } else {
            // Without a name it concerns the folder itself, which the folder above reports, too.
            let Some(name) = event.file_name() else { continue };
            let name = name.to_string_lossy();
            let path =
                |folder: &str| if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
            let places = watched.get(&event.wd()).into_iter().flatten();
            places.map(|(root, folder)| Change { root: root.clone(), path: path(folder) }).collect()
        };
        drop(watched);
        for change in found {
            if changes.send(change).is_err() {
                return;
            }
        }
    }
}
