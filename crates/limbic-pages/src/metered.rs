//! Counts what a connection moves, also as if the store had larger pages: to choose the size of a page and of the
//! cache.

use std::{
    collections::BTreeSet,
    ops::Sub,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use crate::store::{Head, Locked, PageStore, StoreError, Token, page_bytes, page_count};

/// What connections have moved. The difference of two counts is what was moved between them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Round trips that were waited for.
    pub trips: u64,
    /// Bytes of the pages that were read.
    pub read_bytes: u64,
    /// Bytes of the pages that were committed.
    pub written_bytes: u64,
}

impl Sub for Traffic {
    type Output = Traffic;

    fn sub(self, earlier: Traffic) -> Traffic {
        Traffic {
            trips: self.trips - earlier.trips,
            read_bytes: self.read_bytes - earlier.read_bytes,
            written_bytes: self.written_bytes - earlier.written_bytes,
        }
    }
}

/// The count of the connections that share it.
#[derive(Clone, Default)]
pub struct Meter(Arc<Mutex<Traffic>>);

impl Meter {
    /// What was moved so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, trips: u64, read_bytes: u64, written_bytes: u64) {
        let mut traffic = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        traffic.trips += trips;
        traffic.read_bytes += read_bytes;
        traffic.written_bytes += written_bytes;
    }
}

/// A connection that counts what it moves, and reads, invalidates and counts pages in aligned groups: a group is what a
/// page of a store with larger pages would be. For a database of that page size, the counts are those of such a store.
pub struct Metered {
    store: Box<dyn PageStore>,
    meter: Meter,
    /// Number of pages in a group.
    group: u64,
    /// Added to the time of a snapshot, by which the distance of the store is estimated.
    delay: Duration,
    /// The groups that the transaction has written.
    written: BTreeSet<u64>,
    size_bytes: u64,
}

impl Metered {
    /// Counts in `meter` what passes through `store`, in groups of `group` pages (1 or more). A snapshot takes `delay`
    /// longer.
    #[must_use]
    pub fn new(store: Box<dyn PageStore>, meter: Meter, group: u64, delay: Duration) -> Metered {
        Metered { store, meter, group: group.max(1), delay, written: BTreeSet::new(), size_bytes: 0 }
    }

    /// All pages of the groups of these.
    fn whole_groups(&self, pages: &[u64]) -> Vec<u64> {
        let groups: BTreeSet<u64> = pages.iter().map(|page| page / self.group).collect();
        let end = page_count(self.size_bytes);
        groups
            .into_iter()
            .flat_map(|group| group * self.group..(group + 1) * self.group)
            .filter(|page| *page < end || pages.contains(page))
            .collect()
    }

    fn note_written(&mut self, pages: &[(u64, &[u8])]) {
        self.written.extend(pages.iter().map(|(page, _)| page / self.group));
    }

    fn enter(&mut self, head: &Head) {
        self.size_bytes = head.size_bytes;
        self.written.clear();
    }
}

impl PageStore for Metered {
    fn head(&mut self, known: Option<u64>) -> Result<Head, StoreError> {
        self.meter.add(1, 0, 0);
        thread::sleep(self.delay);
        let head = self.store.head(known)?;
        self.enter(&head);
        Ok(head)
    }

    fn lock(&mut self, wait: Duration, known: Option<u64>) -> Result<Locked, StoreError> {
        self.meter.add(1, 0, 0);
        let locked = self.store.lock(wait, known)?;
        if let Locked::Yes(head) = &locked {
            self.enter(head);
        }
        Ok(locked)
    }

    fn read(&mut self, pages: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let pages = self.whole_groups(pages);
        self.meter.add(1, u64::try_from(pages.len()).unwrap_or_default() * page_bytes(), 0);
        self.store.read(&pages)
    }

    /// Read along with the head.
    fn changed_since(&mut self, version: u64) -> Result<Vec<u64>, StoreError> {
        let changed = self.store.changed_since(version)?;
        Ok(self.whole_groups(&changed))
    }

    fn token(&mut self, version: u64) -> Result<Option<Token>, StoreError> {
        self.meter.add(1, 0, 0);
        self.store.token(version)
    }

    fn write(&mut self, pages: &[(u64, &[u8])]) -> Result<(), StoreError> {
        self.meter.add(1, 0, 0);
        self.note_written(pages);
        self.store.write(pages)
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        self.meter.add(1, 0, 0);
        self.store.clear()
    }

    fn commit(&mut self, pages: &[(u64, &[u8])], size_bytes: u64) -> Result<Head, StoreError> {
        self.note_written(pages);
        let groups = u64::try_from(std::mem::take(&mut self.written).len()).unwrap_or_default();
        self.meter.add(1, 0, groups * self.group * page_bytes());
        self.store.commit(pages, size_bytes)
    }

    fn end(&mut self) {
        self.store.end();
    }
}
