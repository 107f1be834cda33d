//! The order of pages in the trees of the database.
//!
//! The leaves of a table lie scattered in the file, between those of the tables that grew with it. The inner page above
//! them names them in their order. What is read of a table, in order or not, is more likely beside a page in its tree
//! than beside it in the file.

use std::{collections::HashMap, iter};

use crate::store::PAGE_BYTES;

/// Types of inner pages in SQLite's file format: of an index, and of a table.
const INNER: [u8; 2] = [2, 5];
/// Length of the file's header, before that of its first page.
const FILE_HEADER_BYTES: usize = 100;
/// Length of an inner page's header; the offsets of its cells follow.
const HEADER_BYTES: usize = 12;
/// Where the file's header has the length of a page.
const PAGE_BYTES_AT: usize = 16;
/// Maximum number of pages whose place in a tree is known: those of a database of 1 GB.
const MAX_PLACES: usize = 1 << 18;

/// The inner pages that were read.
#[derive(Default)]
pub struct TreeOrder {
    /// The pages below an inner page, in order.
    children: HashMap<u64, Vec<u64>>,
    places: HashMap<u64, Place>,
    /// Whether a page of the database is one of the store, which the first page says.
    has_pages_of_store: bool,
}

/// The place of a page below an inner one.
#[derive(Clone, Copy)]
struct Place {
    parent: u64,
    index: usize,
}

impl TreeOrder {
    /// Notes what an inner page names. Ignores other pages.
    pub fn note(&mut self, page: u64, content: &[u8]) {
        if page == 0 {
            self.has_pages_of_store = short(content, PAGE_BYTES_AT) == Some(PAGE_BYTES);
        }
        let Some(children) = children(page, content).filter(|_| self.has_pages_of_store) else { return };
        if self.places.len() + children.len() > MAX_PLACES {
            self.clear();
        }
        for (index, child) in children.iter().enumerate() {
            self.places.insert(*child, Place { parent: page, index });
        }
        self.children.insert(page, children);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.children.clear();
        self.places.clear();
    }

    /// Returns up to `count` pages that follow each other below an inner page, this one among them: the aligned group
    /// of its place. `None` if its place is not known.
    pub fn beside(&self, page: u64, count: usize) -> Option<&[u64]> {
        let Place { parent, index } = *self.places.get(&page)?;
        let group = self.children.get(&parent)?.chunks(count).nth(index / count)?;
        // The tree may have changed since.
        group.contains(&page).then_some(group)
    }
}

/// The pages below an inner page, in order; `None` if it is another page.
fn children(page: u64, content: &[u8]) -> Option<Vec<u64>> {
    let start = if page == 0 { FILE_HEADER_BYTES } else { 0 };
    if !INNER.contains(content.get(start)?) {
        return None;
    }
    let short = |at| short(content, at);
    // SQLite counts pages from 1.
    let child =
        |at: usize| u64::from(u32::from_be_bytes(content.get(at..at + 4)?.try_into().ok()?)).checked_sub(1);
    let cells = (0..short(start + 3)?).map(|cell| child(short(start + HEADER_BYTES + 2 * cell)?));
    cells.chain(iter::once_with(|| child(start + 8))).collect()
}

/// A number of two bytes.
fn short(content: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes(content.get(at..at + 2)?.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An inner page of a table with these pages below it.
    fn inner_page(start: usize, below: &[u32]) -> Vec<u8> {
        let mut content = vec![0; 4096];
        let (last, others) = below.split_last().expect("an inner page has a page below it");
        content[start] = INNER[1];
        content[start + 4] = u8::try_from(others.len()).expect("few are enough");
        content[start + 8..start + 12].copy_from_slice(&(last + 1).to_be_bytes());
        for (cell, page) in others.iter().enumerate() {
            let (pointer, at) = (start + HEADER_BYTES + 2 * cell, 4096 - 8 * (cell + 1));
            content[pointer..pointer + 2].copy_from_slice(&u16::try_from(at).expect("it fits").to_be_bytes());
            content[at..at + 4].copy_from_slice(&(page + 1).to_be_bytes());
        }
        content
    }

    #[test]
    fn an_inner_page_names_those_below_it_in_order() {
        assert_eq!(children(7, &inner_page(0, &[30, 10, 20])), Some(vec![30, 10, 20]));
        assert_eq!(children(0, &inner_page(100, &[30, 10])), Some(vec![30, 10]));
        assert_eq!(children(7, &[13; 4096]), None);
        assert_eq!(children(7, &[5; 20]), None, "damaged");
        assert_eq!(children(7, &[]), None);
    }

    #[test]
    fn a_page_is_read_with_those_beside_it_in_the_tree() {
        let mut order = TreeOrder::default();
        order.note(3, &inner_page(0, &[60, 10]));
        assert_eq!(order.beside(10, 4), None, "the length of a page is not known");
        let first_page = |page_bytes: u16| {
            let mut page = vec![0; 4096];
            page[PAGE_BYTES_AT..PAGE_BYTES_AT + 2].copy_from_slice(&page_bytes.to_be_bytes());
            page
        };
        order.note(0, &first_page(8_192));
        order.note(3, &inner_page(0, &[60, 10]));
        assert_eq!(order.beside(10, 4), None, "pages of the database are others than those of the store");
        order.note(0, &first_page(4_096));
        order.note(3, &inner_page(0, &[60, 10, 50, 20, 40, 30]));
        order.note(10, &[13; 4096]);
        assert_eq!(order.beside(60, 4), Some(&[60, 10, 50, 20][..]));
        assert_eq!(order.beside(20, 4), Some(&[60, 10, 50, 20][..]));
        assert_eq!(order.beside(40, 4), Some(&[40, 30][..]), "to the end");
        assert_eq!(order.beside(40, 1), Some(&[40][..]));
        assert_eq!(order.beside(3, 4), None, "the root is below no page");
        // A page was inserted, and the last one belongs elsewhere now.
        order.note(3, &inner_page(0, &[60, 70, 10, 50, 20, 40]));
        assert_eq!(order.beside(20, 4), Some(&[20, 40][..]));
        assert_eq!(order.beside(30, 4), None);
        order.clear();
        assert_eq!(order.beside(20, 4), None);
    }
}
