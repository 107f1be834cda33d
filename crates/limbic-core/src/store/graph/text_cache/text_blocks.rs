//! Texts by number, stored one after the other, so that a search runs over long stretches of memory.

use std::{collections::HashMap, ops::Range};

use memchr::memmem::Finder;

/// Follows each text and replaces removed ones. It occurs in no UTF-8, so that no match extends over it.
const END: u8 = 0xFF;

/// A block takes no more texts when it has this length, in bytes. Growing one long buffer would need memory for two.
const FULL_BYTES: usize = 64 * 1024;

/// Removed texts may take as many bytes as the others, and this many more, before all are copied.
const MAX_SPARE_BYTES: usize = FULL_BYTES;

/// Texts by number.
#[derive(Debug, Default)]
pub(super) struct TextBlocks {
    blocks: Vec<Block>,
    places: HashMap<i64, Place>,
    /// Bytes of the present texts and of those that were removed, with the end of each.
    used_bytes: usize,
    removed_bytes: usize,
}

#[derive(Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    /// Where each text begins, and its number, in order. Removed texts are still listed.
    starts: Vec<(usize, i64)>,
}

#[derive(Debug, Clone)]
struct Place {
    block: usize,
    range: Range<usize>,
}

impl TextBlocks {
    /// Returns the number of texts.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Removes all texts.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a text, in place of the one that has this number.
    pub(super) fn insert(&mut self, number: i64, text: &str) {
        self.remove(number);
        if self.blocks.last().is_none_or(|block| block.bytes.len() >= FULL_BYTES) {
            self.blocks.push(Block::default());
        }
        let index = self.blocks.len() - 1;
        let block = &mut self.blocks[index];
        let start = block.bytes.len();
        block.starts.push((start, number));
        block.bytes.extend_from_slice(text.as_bytes());
        block.bytes.push(END);
        self.used_bytes += text.len() + 1;
        self.places.insert(number, Place { block: index, range: start..start + text.len() });
    }

    /// Removes a text, if there is one of this number.
    pub(super) fn remove(&mut self, number: i64) {
        let Some(Place { block, range }) = self.places.remove(&number) else { return };
        self.used_bytes -= range.len() + 1;
        self.removed_bytes += range.len() + 1;
        self.blocks[block].bytes[range].fill(END);
        if self.removed_bytes > self.used_bytes + MAX_SPARE_BYTES {
            self.compact();
        }
    }

    /// Returns the numbers of the texts that contain `query`, in order.
    pub(super) fn containing(&self, query: &str) -> Vec<i64> {
        let mut found: Vec<i64> = if query.is_empty() {
            self.places.keys().copied().collect()
        } else {
            // `str::contains` takes ten times as long in WebAssembly.
            let finder = Finder::new(query);
            self.blocks.iter().flat_map(|block| block.containing(&finder)).collect()
        };
        found.sort_unstable();
        found
    }

    /// Copies the texts without the gaps that removed ones have left.
    fn compact(&mut self) {
        let Self { blocks, places, .. } = std::mem::take(self);
        let mut places: Vec<(i64, Place)> = places.into_iter().collect();
        places.sort_unstable_by_key(|(number, _)| *number);
        for (number, Place { block, range }) in places {
            let text = std::str::from_utf8(&blocks[block].bytes[range]).unwrap_or_default();
            self.insert(number, text);
        }
    }
}

impl Block {
    /// The numbers of the texts in which `finder` finds something; each once.
    fn containing(&self, finder: &Finder<'_>) -> Vec<i64> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(offset) = finder.find(&self.bytes[from..]) {
            let index = self.starts.partition_point(|(start, _)| *start <= from + offset);
            found.extend(index.checked_sub(1).map(|before| self.starts[before].1));
            let Some((next, _)) = self.starts.get(index) else { break };
            from = *next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use limbic_protocol::SplitMix64;

    use super::*;

    #[test]
    fn the_same_texts_are_found_as_one_by_one() {
        let (mut blocks, mut map) = (TextBlocks::default(), BTreeMap::new());
        let mut random = SplitMix64::new(3);
        for step in 0..4_000_u64 {
            let number = random.below(60).cast_signed();
            if random.below(4) == 0 {
                blocks.remove(number);
                map.remove(&number);
            } else {
                let word = random.one_of(&["", "ab", "abab", "a\0b", "é", "ﬀ"]);
                let text = word.repeat(usize::try_from(random.below(300)).expect("small"));
                blocks.insert(number, &text);
                map.insert(number, text);
            }
            assert_eq!(blocks.len(), map.len());
            for query in ["", "a", "bab", "b\0", "éé", "ﬀ", "none"] {
                let expected: Vec<i64> =
                    map.iter().filter(|(_, text)| text.contains(query)).map(|(number, _)| *number).collect();
                assert_eq!(blocks.containing(query), expected, "{query:?} after step {step}");
            }
            let stored: usize = blocks.blocks.iter().map(|block| block.bytes.len()).sum();
            let texts: usize = map.values().map(|text| text.len() + 1).sum();
            assert!(stored <= 2 * texts + MAX_SPARE_BYTES, "{stored} bytes for {texts} after step {step}");
        }
    }
}
