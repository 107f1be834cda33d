//! Ids of new memories: short, because every answer repeats them, and a model copies them.

use limbic_core::Engine;

/// Crockford's base32 in lower case: digits and letters without i, l, o and u.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Bits of a letter.
const LETTER_BITS: u32 = 5;
/// Letters of an id.
const LENGTH: u32 = 16;
/// Random bits of an id. Among 1,000 ids of one moment, two are equal with a probability of 5e-7.
const RANDOM_BITS: u32 = 40;
/// One unit of an id's time is 2^5 milliseconds, so that its 40 bits last until 3084.
const TIME_SHIFT: u32 = 5;

/// Returns `count` new ids in the order of time: each has the time in units of 32 milliseconds, then 40 random bits.
pub fn new_ids(memory: &Engine, count: usize) -> Vec<String> {
    let mut random = vec![0; count * 8];
    let host = memory.database().host();
    host.fill_random(&mut random);
    let millis = u64::try_from(host.now_millis()).unwrap_or(0);
    random.as_chunks::<8>().0.iter().map(|bytes| id(millis, u64::from_ne_bytes(*bytes))).collect()
}

fn id(millis: u64, random: u64) -> String {
    let bits = (u128::from(millis >> TIME_SHIFT) << RANDOM_BITS) | u128::from(random >> (64 - RANDOM_BITS));
    let letter = |place: u32| usize::try_from((bits >> (place * LETTER_BITS)) & 31).unwrap_or_default();
    (0..LENGTH).rev().map(|place| char::from(LETTERS[letter(place)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ordered_by_time_and_differ_by_their_random_bits() {
        let ids = [(0, 0), (0, u64::MAX), (32, 0), (1_800_000_000_000, 1 << 24), (1_800_000_000_032, 0)]
            .map(|(millis, random)| id(millis, random));
        assert_eq!(ids[..2], ["0000000000000000", "00000000zzzzzzzz"]);
        assert_eq!(ids[3], "1mcc5rm000000001");
        assert!(ids.is_sorted() && ids.iter().all(|id| id.len() == 16), "{ids:?}");
    }
}
