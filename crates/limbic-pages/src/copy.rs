//! Moving a memory between a file and a store.

use std::{collections::BTreeSet, io::Read, time::Duration};

use crate::repeated;
use crate::store::{Head, Locked, PAGE_BYTES, PageStore, StoreError, page_count};

/// Number of pages in a read or write.
const AT_ONCE: usize = 1_024;

/// The page with the bytes of SQLite's locks, at the first gigabyte.
const LOCK_PAGE: u64 = (1 << 30) / PAGE_BYTES as u64;

/// Where the header of a database has the number of the first list of free pages.
const FIRST_LIST: usize = 32;

/// Memories up to this size may be without content: one that was just created has under one megabyte.
const MAX_UNUSED_BYTES: u64 = 16 * 1024 * 1024;

/// Time to wait for the lock of the memory.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(10);

/// A memory was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The memory in the store has content, which is not overwritten.
    #[error(
        "the memory in the store is not empty, and nothing was changed: name another one with ?memory=, or remove it with \
         limbic pages drop"
    )]
    NotEmpty,
    /// The memory in the store is empty.
    #[error("the memory in the store is empty: check its name")]
    Empty,
    /// Pages of the memory are missing in the store.
    #[error(
        "{count} pages of the memory are missing in the store, the first of them page {first}: restore a backup of the \
         database; limbic check shows what is damaged"
    )]
    Incomplete {
        /// How many are missing.
        count: usize,
        /// The number of the first one, as SQLite counts.
        first: u64,
    },
    /// A page of the store has another length.
    #[error(
        "page {page} of the store has {bytes} bytes, not {}: restore a backup of the database; limbic check shows what \
         is damaged",
        PAGE_BYTES
    )]
    WrongLength {
        /// The number of the page in the store.
        page: u64,
        /// Its length.
        bytes: usize,
    },
    /// Another server writes the memory.
    #[error("the memory in the store is being written: try again")]
    Busy,
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// The file cannot be written.
    #[error("the file cannot be written: {0}")]
    Unwritable(String),
    /// What belongs to the memory cannot be stored.
    #[error("{0}")]
    Rejected(String),
}

/// Writes the database of a memory, of one version, from its beginning to its end. Returns its length in bytes.
///
/// # Errors
/// [`CopyError::Store`], [`CopyError::Empty`], [`CopyError::Incomplete`], [`CopyError::WrongLength`], and
/// [`CopyError::Unwritable`] with the text of `write`. What was written is then no database. That the pages are a valid
/// database is not checked.
pub fn export(
    store: &mut dyn PageStore,
    write: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, CopyError> {
    let head = store.head(None)?;
    let result = export_pages(store, &head, write);
    store.end();
    result
}

fn export_pages(
    store: &mut dyn PageStore,
    head: &Head,
    write: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, CopyError> {
    let size_bytes = head.size_bytes;
    if size_bytes == 0 {
        return Err(CopyError::Empty);
    }
    let numbers: Vec<u64> = (0..page_count(size_bytes)).collect();
    let (mut left, mut missing) = (size_bytes, Vec::new());
    for numbers in numbers.chunks(AT_ONCE) {
        let mut found = repeated::read(store, head, numbers)?;
        found.sort_unstable_by_key(|(page, _)| *page);
        let mut found = found.into_iter().peekable();
        for page in numbers {
            let content = found.next_if(|(number, _)| number == page).map(|(_, content)| content);
            // A page that was never written holds zeros.
            let content = content.unwrap_or_else(|| {
                missing.push(*page);
                vec![0; PAGE_BYTES]
            });
            // The bytes of all later pages would be at other places.
            if content.len() != PAGE_BYTES {
                return Err(CopyError::WrongLength { page: *page, bytes: content.len() });
            }
            let length = usize::try_from(left).unwrap_or(PAGE_BYTES).min(PAGE_BYTES);
            write(&content[..length]).map_err(CopyError::Unwritable)?;
            left -= u64::try_from(length).unwrap_or(left);
        }
    }
    require_unused(store, head, missing)?;
    Ok(size_bytes)
}

/// Checks that pages have no content: free ones may never have been written, and that of SQLite's locks never is.
fn require_unused(store: &mut dyn PageStore, head: &Head, mut pages: Vec<u64>) -> Result<(), CopyError> {
    if !pages.is_empty() {
        let unused = free_pages(store, head)?;
        pages.retain(|page| *page != LOCK_PAGE && !unused.contains(page));
    }
    match pages.first() {
        Some(first) => Err(CopyError::Incomplete { count: pages.len(), first: first + 1 }),
        None => Ok(()),
    }
}

/// The pages in the lists of free ones, without those that hold the lists.
fn free_pages(store: &mut dyn PageStore, head: &Head) -> Result<BTreeSet<u64>, CopyError> {
    let (mut free, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut content = |page: u64| -> Result<Option<Vec<u8>>, CopyError> {
        Ok(repeated::read(store, head, &[page])?.pop().map(|(_, content)| content))
    };
    let Some(header) = content(0)? else { return Ok(free) };
    let mut next = number(&header, FIRST_LIST);
    while let Some(list) = next.checked_sub(1)
        && seen.insert(list)
    {
        let Some(list) = content(list)? else { break };
        let count = usize::try_from(number(&list, 4)).unwrap_or(usize::MAX).min(PAGE_BYTES / 4 - 2);
        free.extend((0..count).filter_map(|index| number(&list, 8 + 4 * index).checked_sub(1)));
        next = number(&list, 0);
    }
    Ok(free)
}

/// A number in a page of SQLite; 0 behind its end.
fn number(page: &[u8], at: usize) -> u64 {
    let bytes = page.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, |bytes| u64::from(u32::from_be_bytes(bytes)))
}

/// Stores a database as the content of an empty memory: all of it, or nothing. A memory that a server has opened has
/// tables; `is_unused` tells from its database whether they hold nothing. Before the commit, `with_it` stores what
/// belongs to the memory and lies elsewhere. Returns the length of the database in bytes.
///
/// # Errors
/// [`CopyError::NotEmpty`], [`CopyError::Busy`], [`CopyError::Unreadable`], [`CopyError::Store`], and
/// [`CopyError::Rejected`] with the text of `with_it`.
pub fn import(
    store: &mut dyn PageStore,
    file: &mut dyn Read,
    is_unused: &mut dyn FnMut(Vec<u8>) -> bool,
    with_it: &mut dyn FnMut() -> Result<(), String>,
) -> Result<u64, CopyError> {
    let head = match store.lock(MAX_WAIT, None)? {
        Locked::Yes(head) => head,
        Locked::Busy | Locked::Stale => return Err(CopyError::Busy),
    };
    let result = clear_unused(store, &head, is_unused).and_then(|()| import_pages(store, file, with_it));
    store.end();
    result
}

/// Removes the pages of a memory without content, in the write transaction that began with `head`.
fn clear_unused(
    store: &mut dyn PageStore,
    head: &Head,
    is_unused: &mut dyn FnMut(Vec<u8>) -> bool,
) -> Result<(), CopyError> {
    if head.size_bytes == 0 {
        return Ok(());
    }
    if head.size_bytes > MAX_UNUSED_BYTES || !is_unused(whole(store, head)?) {
        return Err(CopyError::NotEmpty);
    }
    Ok(store.clear()?)
}

/// The database of a memory as the transaction sees it.
fn whole(store: &mut dyn PageStore, head: &Head) -> Result<Vec<u8>, CopyError> {
    let numbers: Vec<u64> = (0..page_count(head.size_bytes)).collect();
    let mut bytes = vec![0; numbers.len() * PAGE_BYTES];
    for numbers in numbers.chunks(AT_ONCE) {
        for (page, content) in store.read(numbers)? {
            let start = usize::try_from(page).unwrap_or(usize::MAX).saturating_mul(PAGE_BYTES);
            if let Some(place) = bytes.get_mut(start..).and_then(|rest| rest.get_mut(..content.len())) {
                place.copy_from_slice(&content);
            }
        }
    }
    Ok(bytes)
}

fn import_pages(
    store: &mut dyn PageStore,
    file: &mut dyn Read,
    with_it: &mut dyn FnMut() -> Result<(), String>,
) -> Result<u64, CopyError> {
    let (mut size_bytes, mut first) = (0, 0);
    loop {
        let mut bytes = Vec::new();
        let max_bytes = u64::try_from(AT_ONCE * PAGE_BYTES).unwrap_or(u64::MAX);
        file.take(max_bytes)
            .read_to_end(&mut bytes)
            .map_err(|error| CopyError::Unreadable(error.to_string()))?;
        if bytes.is_empty() {
            break;
        }
        size_bytes += u64::try_from(bytes.len()).unwrap_or_default();
        bytes.resize(bytes.len().next_multiple_of(PAGE_BYTES), 0);
        let pages: Vec<(u64, &[u8])> = (first..).zip(bytes.chunks(PAGE_BYTES)).collect();
        store.write(&pages)?;
        first += u64::try_from(pages.len()).unwrap_or_default();
    }
    if size_bytes == 0 {
        return Err(CopyError::Unreadable("it is empty".to_owned()));
    }
    with_it().map_err(CopyError::Rejected)?;
    Ok(store.commit(&[], size_bytes)?.size_bytes)
}
