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

use super::changes::{Change, Followed};

/// The events reported of a folder, which is not a link.
const REPORTED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::EXCL_UNLINK);

/// Length of the buffer for events: more than a hundred with names of usual length.
const BUFFER_BYTES: usize = 8192;

/// Projects that have a folder, and its path in each.
type WatchedFolders = Vec<(String, String)>;

/// Folders whose changes are sent.
pub struct Folders {
    inotify: Arc<File>,
    /// The watched folders, by the number that the system gives them.
    watched: Arc<Mutex<HashMap<i32, WatchedFolders>>>,
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

    /// Watches exactly these folders; if the user may not watch so many, as many as possible. A folder that is gone or
    /// may not be read is left out.
    pub fn follow(&mut self, projects: &[WatchedProject]) -> Followed {
        let (wanted, failure) =
            add_watches(projects, |folder| inotify::add_watch(&*self.inotify, folder, REPORTED));
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        for number in watched.keys().filter(|number| !wanted.contains_key(number)) {
            // It fails if the folder is gone.
            let _ = inotify::remove_watch(&*self.inotify, *number);
        }
        let is_new = |(number, folders): &(&i32, &WatchedFolders)| watched.get(number) != Some(*folders);
        let new: BTreeSet<String> = wanted
            .iter()
            .filter(is_new)
            .flat_map(|(_, folders)| folders.iter().map(|(root, _)| root.clone()))
            .collect();
        *watched = wanted;
        Followed { new: new.into_iter().collect(), failure }
    }
}

/// Adds a watch for each folder. Returns the folders by the number of their watch, and why some have none.
fn add_watches(
    projects: &[WatchedProject],
    mut add: impl FnMut(&Path) -> Result<i32, Errno>,
) -> (HashMap<i32, WatchedFolders>, Option<io::Error>) {
    let (mut watched, mut failure) = (HashMap::<i32, WatchedFolders>::new(), None);
    for WatchedProject { root, folders } in projects {
        for folder in folders {
            match add(&Path::new(root).join(folder)) {
                Ok(number) => watched.entry(number).or_default().push((root.clone(), folder.clone())),
                Err(Errno::NOSPC) => {
                    failure = Some(io::Error::other("fs.inotify.max_user_watches is too low"));
                }
                Err(_) => {}
            }
        }
    }
    (watched, failure)
}

/// Sends changes until the receiver is gone.
fn read(inotify: &File, watched: &Mutex<HashMap<i32, WatchedFolders>>, changes: &Sender<Change>) {
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
            let name = event.file_name().map(|name| name.to_string_lossy());
            let path = |folder: &str| match &name {
                // It concerns the folder itself, which the folder above reports, too; a project's has none above.
                None => folder.is_empty().then(String::new),
                Some(name) if folder.is_empty() => Some(name.to_string()),
                Some(name) => Some(format!("{folder}/{name}")),
            };
            let folders = watched.get(&event.wd()).into_iter().flatten();
            let change = |(root, folder): &(String, String)| {
                path(folder).map(|path| Change { root: root.clone(), path })
            };
            folders.filter_map(change).collect()
        };
        drop(watched);
        for change in found {
            if changes.send(change).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;
    use std::{env, fs, process};

    use super::*;

    #[test]
    fn a_project_whose_folder_is_replaced_may_have_changed() {
        let root = env::temp_dir().join(format!("limbic-watch-{}", process::id()));
        let away = root.with_extension("away");
        fs::create_dir(&root).expect("the folder is new");
        let (sender, changes) = mpsc::channel();
        let mut folders = Folders::new(sender).expect("there are watches");
        let path = root.to_string_lossy().into_owned();
        let projects = [WatchedProject { root: path.clone(), folders: vec![String::new()] }];
        assert_eq!(folders.follow(&projects).new, [path.as_str()]);
        fs::rename(&root, &away).expect("the folder can be moved");
        fs::create_dir(&root).expect("nothing is there");
        let received = changes.recv_timeout(Duration::from_secs(30));
        assert_eq!(folders.follow(&projects).new, [path.as_str()], "the new folder is watched");
        fs::write(root.join("a.py"), "").expect("the folder can be written");
        let next = || changes.recv_timeout(Duration::from_secs(30)).map(|change| change.path);
        let of_file = (0..3).any(|_| next().as_deref() == Ok("a.py"));
        for folder in [&root, &away] {
            fs::remove_dir_all(folder).expect("they are there");
        }
        assert!(received.is_ok_and(|change| change.root == path && change.path.is_empty()));
        assert!(of_file, "its changes are reported");
    }

    #[test]
    fn folders_are_watched_as_far_as_the_limit_allows() {
        let folders = ["", "a", "b", "gone"].map(str::to_owned).to_vec();
        let projects = [WatchedProject { root: "/p".to_owned(), folders }];
        let (watched, failure) = add_watches(&projects, |folder| match folder.to_string_lossy().as_ref() {
            "/p/" => Ok(1),
            "/p/a" => Err(Errno::NOSPC),
            "/p/b" => Ok(2),
            _ => Err(Errno::NOENT),
        });
        let folders_of = |folder: &str| vec![("/p".to_owned(), folder.to_owned())];
        assert_eq!(watched, HashMap::from([(1, folders_of("")), (2, folders_of("b"))]));
        assert!(failure.is_some_and(|error| error.to_string().contains("max_user_watches")));
    }
}
