//! Moving a memory between a file and a store.

use std::{io::Read, time::Duration};

use crate::store::{Locked, PAGE_BYTES, PageStore, StoreError, page_count};

/// Number of pages in a read or write.
const AT_ONCE: usize = 1_024;

/// Time to wait for the lock of the memory.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// A memory was not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The memory in the store has content, which is not overwritten.
    #[error("the memory in the store is not empty, and nothing was changed: name another one with ?memory=")]
    NotEmpty,
    /// The memory in the store is empty.
    #[error("the memory in the store is empty: check its name")]
    Empty,
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
/// [`CopyError::Store`], [`CopyError::Empty`], and [`CopyError::Unwritable`] with the text of `write`.
pub fn export(
    store: &mut dyn PageStore,
    write: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, CopyError> {
    let head = store.head(None)?;
    let result = export_pages(store, head.size_bytes, write);
    store.end();
    result
}

fn export_pages(
    store: &mut dyn PageStore,
    size_bytes: u64,
    write: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, CopyError> {
    if size_bytes == 0 {
        return Err(CopyError::Empty);
    }
    let numbers: Vec<u64> = (0..page_count(size_bytes)).collect();
    let mut left = size_bytes;
    for numbers in numbers.chunks(AT_ONCE) {
        let mut found = store.read(numbers)?;
        found.sort_unstable_by_key(|(page, _)| *page);
        let mut found = found.into_iter().peekable();
        for page in numbers {
            let content = found.next_if(|(number, _)| number == page).map(|(_, content)| content);
            // A page that was never written holds zeros.
            let content = content.unwrap_or_else(|| vec![0; PAGE_BYTES]);
            let length = usize::try_from(left).unwrap_or(PAGE_BYTES).min(content.len());
            write(&content[..length]).map_err(CopyError::Unwritable)?;
            left -= u64::try_from(length).unwrap_or(left);
        }
    }
    Ok(size_bytes)
}

/// Stores a database as the content of an empty memory: all of it, or nothing. Before the commit, `with_it` stores what
/// belongs to the memory and lies elsewhere. Returns the length of the database in bytes.
///
/// # Errors
/// [`CopyError::NotEmpty`], [`CopyError::Busy`], [`CopyError::Unreadable`], [`CopyError::Store`], and
/// [`CopyError::Rejected`] with the text of `with_it`.
pub fn import(
    store: &mut dyn PageStore,
    file: &mut dyn Read,
    with_it: &mut dyn FnMut() -> Result<(), String>,
) -> Result<u64, CopyError> {
    match store.lock(MAX_WAIT, None)? {
        Locked::Yes(head) if head.size_bytes == 0 => {}
        Locked::Yes(_) => {
            store.end();
            return Err(CopyError::NotEmpty);
        }
        Locked::Busy | Locked::Stale => return Err(CopyError::Busy),
    }
    let result = import_pages(store, file, with_it);
    store.end();
    result
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
