//! Extraction on other threads, of files that are needed soon.
//!
//! The thread that stores facts hands over the files of its next step, and takes the facts there. It extracts those
//! that no thread has begun itself, also while it would wait for one. It begins with the last ones, which the threads
//! reach last.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use limbic_code::FileFacts;

/// Maximum number of threads: storing facts takes as long as three of them need to extract them.
const MAX_THREADS: usize = 3;
/// Stack of a thread, as large as that of a program's first one.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// The facts of a file, or why it cannot be parsed.
type Extracted = Result<FileFacts, String>;

/// Extracts the facts of a file. Must not panic.
pub type Extract = fn(&str, &[u8]) -> Extracted;

/// Files that other threads extract. The threads end when no file waits.
pub struct ExtractionPrefetch {
    queue: Arc<Queue>,
    threads: usize,
    /// Number of calls of [`ExtractionPrefetch::prepare`].
    round: u64,
}

struct Queue {
    extract: Extract,
    state: Mutex<State>,
    /// Notified when a file was extracted.
    extracted: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    /// Paths of the files that are being extracted.
    begun: BTreeSet<String>,
    ready: HashMap<String, Ready>,
    /// Number of running threads.
    running: usize,
}

struct Waiting {
    path: String,
    bytes: Vec<u8>,
    round: u64,
}

struct Ready {
    bytes: Vec<u8>,
    facts: Extracted,
    round: u64,
}

impl ExtractionPrefetch {
    /// Creates an empty queue for up to `threads` threads.
    pub fn new(extract: Extract, threads: usize) -> Self {
        let queue = Queue { extract, state: Mutex::default(), extracted: Condvar::new() };
        Self { queue: Arc::new(queue), threads: threads.min(MAX_THREADS), round: 0 }
    }

    /// Whether any thread may be used.
    pub fn has_threads(&self) -> bool {
        self.threads > 0
    }

    /// Begins to extract files: paths and contents. Those of the call before the last that were not taken are dropped.
    pub fn prepare(&mut self, files: Vec<(String, Vec<u8>)>) {
        self.round += 1;
        let round = self.round;
        let mut state = self.queue.lock();
        state.waiting.retain(|file| file.round + 1 >= round);
        state.ready.retain(|_, file| file.round + 1 >= round);
        state.waiting.extend(files.into_iter().map(|(path, bytes)| Waiting { path, bytes, round }));
        while state.running < self.threads.min(state.waiting.len()) {
            let queue = Arc::clone(&self.queue);
            let thread = thread::Builder::new().name("extraction".to_owned()).stack_size(STACK_BYTES);
            // Without a thread, the files wait until they are taken.
            if thread.spawn(move || queue.work()).is_err() {
                return;
            }
            state.running += 1;
        }
    }

    /// Returns the facts of a file; `None` if they were not prepared for these bytes.
    pub fn take(&self, path: &str, bytes: &[u8]) -> Option<Extracted> {
        let mut state = self.queue.lock();
        if let Some(index) = state.waiting.iter().position(|file| file.path == path) {
            state.waiting.remove(index);
            return None;
        }
        while state.begun.contains(path) {
            state = match state.waiting.pop_back() {
                Some(file) => self.queue.extract(state, file),
                None => self.queue.extracted.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.ready.remove(path).filter(|file| file.bytes == bytes).map(|file| file.facts)
    }
}

impl Queue {
    /// Extracts files until none waits.
    fn work(&self) {
        let mut state = self.lock();
        while let Some(file) = state.waiting.pop_front() {
            state = self.extract(state, file);
        }
        state.running -= 1;
    }

    /// Extracts a file that no longer waits, without the lock meanwhile.
    fn extract<'q>(
        &'q self,
        mut state: MutexGuard<'q, State>,
        Waiting { path, bytes, round }: Waiting,
    ) -> MutexGuard<'q, State> {
        state.begun.insert(path.clone());
        drop(state);
        let facts = (self.extract)(&path, &bytes);
        state = self.lock();
        state.begun.remove(&path);
        state.ready.insert(path, Ready { bytes, facts, round });
        self.extracted.notify_all();
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    /// Gives the number of bytes as that of lines.
    fn lines(path: &str, bytes: &[u8]) -> Extracted {
        if path == "broken" {
            return Err("it is broken".to_owned());
        }
        Ok(FileFacts { lines: u32::try_from(bytes.len()).unwrap_or(u32::MAX), ..FileFacts::default() })
    }

    /// Waits until the threads have extracted all files.
    fn wait(prefetch: &ExtractionPrefetch) {
        while prefetch.queue.lock().running > 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn file(path: &str, text: &str) -> (String, Vec<u8>) {
        (path.to_owned(), text.as_bytes().to_vec())
    }

    #[test]
    fn prepared_facts_are_those_of_the_same_path_and_bytes() {
        let mut prefetch = ExtractionPrefetch::new(lines, 2);
        prefetch.prepare(vec![file("a", "1"), file("b", "22"), file("c", "333"), file("broken", "")]);
        wait(&prefetch);
        assert_eq!(prefetch.take("b", b"22").map(|it| it.map(|facts| facts.lines)), Some(Ok(2)));
        assert_eq!(prefetch.take("b", b"22"), None, "they are taken once");
        assert_eq!(prefetch.take("c", b"33"), None, "the file has changed since");
        assert_eq!(prefetch.take("d", b"1"), None, "nobody prepared it");
        assert_eq!(prefetch.take("broken", b""), Some(Err("it is broken".to_owned())));
    }

    #[test]
    fn a_file_that_no_thread_has_begun_is_not_waited_for() {
        let mut prefetch = ExtractionPrefetch::new(lines, 0);
        prefetch.prepare(vec![file("a", "1")]);
        assert_eq!(prefetch.take("a", b"1"), None);
        assert!(prefetch.queue.lock().waiting.is_empty(), "the caller extracts it");
    }

    #[test]
    fn a_file_that_is_being_extracted_is_waited_for() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        fn slow(path: &str, bytes: &[u8]) -> Extracted {
            BEGUN.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            lines(path, bytes)
        }
        let mut prefetch = ExtractionPrefetch::new(slow, 1);
        prefetch.prepare(vec![file("a", "1")]);
        while BEGUN.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        assert!(prefetch.take("a", b"1").is_some());
    }

    #[test]
    fn take_extracts_other_files_while_it_waits() {
        /// Extraction of `slow` ends when that of `last` has begun, or fails if it never does.
        static LAST_HAS_BEGUN: AtomicBool = AtomicBool::new(false);
        static SLOW_HAS_BEGUN: AtomicBool = AtomicBool::new(false);
        const TOO_LONG: Duration = Duration::from_secs(30);
        fn extract(path: &str, bytes: &[u8]) -> Extracted {
            match path {
                "slow" => {
                    SLOW_HAS_BEGUN.store(true, Ordering::SeqCst);
                    let start = Instant::now();
                    while !LAST_HAS_BEGUN.load(Ordering::SeqCst) {
                        if start.elapsed() > TOO_LONG {
                            return Err("nobody has begun the other file".to_owned());
                        }
                        thread::yield_now();
                    }
                }
                _ => LAST_HAS_BEGUN.store(true, Ordering::SeqCst),
            }
            lines(path, bytes)
        }
        let mut prefetch = ExtractionPrefetch::new(extract, 1);
        prefetch.prepare(vec![file("slow", "1"), file("last", "22")]);
        while !SLOW_HAS_BEGUN.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        // The only thread would go on to `last` after `slow`, and never begin it.
        assert_eq!(prefetch.take("slow", b"1").map(|it| it.map(|facts| facts.lines)), Some(Ok(1)));
        assert_eq!(prefetch.take("last", b"22").map(|it| it.map(|facts| facts.lines)), Some(Ok(2)));
    }

    #[test]
    fn unused_facts_are_dropped_two_steps_later() {
        let mut prefetch = ExtractionPrefetch::new(lines, 1);
        prefetch.prepare(vec![file("a", "1")]);
        wait(&prefetch);
        prefetch.prepare(vec![file("b", "1")]);
        wait(&prefetch);
        assert_eq!(prefetch.queue.lock().ready.len(), 2, "the facts of the current step and of the next one");
        prefetch.prepare(Vec::new());
        assert!(prefetch.take("a", b"1").is_none());
        assert!(prefetch.take("b", b"1").is_some());
    }
}
