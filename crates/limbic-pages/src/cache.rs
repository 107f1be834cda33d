//! The pages that a connection keeps.

use std::collections::HashMap;

/// A cache of pages in two generations: a page that is used moves to the young one, and when that is full, the old one
/// is dropped. What was used least recently is so among the first to go, without an order to maintain.
pub struct Cache {
    young: HashMap<u64, Vec<u8>>,
    old: HashMap<u64, Vec<u8>>,
    max_young: usize,
}

impl Cache {
    /// A cache of at most this many pages.
    pub fn new(max_pages: usize) -> Cache {
        Cache { young: HashMap::new(), old: HashMap::new(), max_young: (max_pages / 2).max(1) }
    }

    /// The page, if it is kept.
    pub fn get(&mut self, page: u64) -> Option<&[u8]> {
        if let Some(content) = self.old.remove(&page) {
            self.insert(page, content);
        }
        self.young.get(&page).map(Vec::as_slice)
    }

    /// Whether the page is kept.
    pub fn contains(&self, page: u64) -> bool {
        self.young.contains_key(&page) || self.old.contains_key(&page)
    }

    /// Whether a store of this number of pages fits, so that none is ever dropped.
    pub fn keeps_all(&self, pages: u64) -> bool {
        pages <= self.max_young as u64
    }

    /// Whether this number of further pages displaces none.
    pub fn has_room(&self, pages: u64) -> bool {
        self.old.is_empty() && self.young.len() as u64 + pages <= self.max_young as u64
    }

    /// Stores a page, replacing an earlier version of it.
    pub fn insert(&mut self, page: u64, content: Vec<u8>) {
        if self.young.len() >= self.max_young && !self.young.contains_key(&page) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&page);
        self.young.insert(page, content);
    }

    /// Forgets a page. Returns whether it was kept.
    pub fn remove(&mut self, page: u64) -> bool {
        // A page is in one of the two only.
        self.young.remove(&page).is_some() | self.old.remove(&page).is_some()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_pages_are_evicted() {
        let mut cache = Cache::new(8);
        assert!(cache.keeps_all(4) && !cache.keeps_all(5));
        assert!(cache.has_room(4) && !cache.has_room(5));
        for page in 0..100 {
            cache.insert(page, vec![u8::try_from(page).unwrap_or_default()]);
            assert_eq!(cache.get(0), Some([0].as_slice()), "after {page}");
        }
        assert!(!cache.has_room(1));
        assert!((0..100).filter(|page| cache.contains(*page)).count() <= 8);
        assert!(cache.remove(0) && !cache.contains(0) && !cache.remove(0));
        cache.clear();
        assert!(!cache.contains(99));
    }

    #[test]
    fn a_page_that_is_inserted_again_has_its_new_content() {
        let mut cache = Cache::new(4);
        for page in [1, 2, 3, 1, 4, 5] {
            cache.insert(page, vec![1]);
        }
        cache.insert(1, vec![2]);
        assert_eq!(cache.get(1), Some([2].as_slice()));
    }
}
