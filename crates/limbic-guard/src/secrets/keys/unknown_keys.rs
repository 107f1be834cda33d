//! Finds keys of services without a rule: a short prefix, then a long random part, as in `acme_live_q83kzPw1Lx0d…`.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;

/// Minimum length of the random part.
const MIN_RANDOM: usize = 30;
/// Bounds of the length of the prefix.
pub(crate) const PREFIX: std::ops::RangeInclusive<usize> = 2..=24;
/// Minimum Shannon entropy of the random part, in bits per byte.
const MIN_ENTROPY: f64 = 3.9;
/// [`MIN_ENTROPY`] of a part with letters of one case.
const MIN_ENTROPY_OF_CASE: f64 = 3.8;
/// Minimum number of changes between letters and digits: names of objects and files have their digits together.
const MIN_CHANGES: usize = 6;
/// Parts of a prefix after which a key follows.
const ANNOUNCING: [&str; 11] =
    ["live", "prod", "secret", "token", "pat", "api", "apikey", "sandbox", "key", "apitoken", "accesstoken"];
/// Parts of a prefix after which a value is public, or names an object.
const PUBLIC: [&str; 62] = [
    "cache",
    "object",
    "partition",
    "idempotency",
    "primary",
    "foreign",
    "resp",
    "msg",
    "thread",
    "run",
    "batch",
    "file",
    "chatcmpl",
    "cmpl",
    "cid",
    "tx",
    "txn",
    "addr",
    "address",
    "node",
    "peer",
    "snapshot",
    "volume",
    "layer",
    "deployment",
    "container",
    "revision",
    "cursor",
    "pk",
    "pub",
    "public",
    "publishable",
    "phc",
    "id",
    "ids",
    "uuid",
    "sha",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "hash",
    "digest",
    "etag",
    "commit",
    "rev",
    "build",
    "chunk",
    "bundle",
    "asset",
    "img",
    "image",
    "css",
    "cls",
    "req",
    "request",
    "trace",
    "span",
    "event",
    "cs",
    "integrity",
];

/// Returns the kind of the first key with an unknown prefix.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    (pieces(text).any(|(start, piece)| is_key(piece, &text[..start])) || has_padded_key(text))
        .then_some(SecretKind::new("key with a prefix"))
}

/// Returns the runs of letters, digits, `_` and `-` that are long enough, with their positions.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_of_piece = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let bytes = text.as_bytes();
    let mut index = 0;
    std::iter::from_fn(move || {
        while index < bytes.len() {
            let start = index;
            index += bytes[start..].iter().take_while(|byte| is_of_piece(byte)).count();
            if index - start > MIN_RANDOM {
                return Some((start, &text[start..index]));
            }
            index += 1;
        }
        None
    })
}

/// Whether Base64 with `+` or `/` and padding follows a prefix: `zorb_q83kz+w1Lx0d…=`.
fn has_padded_key(text: &str) -> bool {
    let is_of_key = |letter: char| letter.is_ascii_alphanumeric() || "_-+/=".contains(letter);
    text.split(|letter| !is_of_key(letter)).any(|piece| {
        let random = piece.trim_end_matches('=');
        let padding = piece.len() - random.len();
        if !(1..=2).contains(&padding) || random.contains('=') || !random.contains(['+', '/']) {
            return false;
        }
        random.rsplit_once(['_', '-']).is_some_and(|(prefix, random)| {
            PREFIX.contains(&prefix.len())
                && !prefix.contains(['+', '/'])
                && is_prefix(prefix)
                && (random.len() + padding).is_multiple_of(4)
                && is_random_part(random)
        })
    })
}

/// Whether a whole value is such a key.
pub(crate) fn is_whole_key(found: &str) -> bool {
    found.len() > MIN_RANDOM
        && found.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && is_key(found, "")
}

fn is_key(piece: &str, before: &str) -> bool {
    // Part of an address, a path or a file name.
    if before.ends_with(['/', '.', '@', '#', '%', '\\']) || is_labelled_public(before) {
        return false;
    }
    let mut ends =
        piece.match_indices(['_', '-']).map(|(index, _)| index).take_while(|index| *index <= *PREFIX.end());
    ends.any(|end| {
        let (prefix, random) = (&piece[..end], &piece[end + 1..]);
        PREFIX.contains(&prefix.len()) && is_prefix(prefix) && is_random(prefix, random)
    })
}

/// Whether the part after a prefix is random.
pub(crate) fn is_random(prefix: &str, random: &str) -> bool {
    is_random_part(random) || is_random_in_one_case(prefix, random)
}

/// Whether a prefix has one of the parts after which a key follows.
pub(crate) fn announces_key(prefix: &str) -> bool {
    parts(prefix).any(|part| ANNOUNCING.contains(&part.to_ascii_lowercase().as_str()))
}

fn parts(prefix: &str) -> impl Iterator<Item = &str> {
    prefix.split(['_', '-', '.', ':', '~'])
}

/// Whether a part of letters of one case and digits is random: `fbk-21pqghaypgpubxuo…`. Hexadecimal digits are often a
/// hash, except after a prefix that says what they are, such as `cal_live_`.
fn is_random_in_one_case(prefix: &str, random: &str) -> bool {
    let count = |is: fn(&u8) -> bool| random.bytes().filter(is).count();
    let (digits, lower, upper) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let is_hex = random.bytes().all(|byte| byte.is_ascii_hexdigit());
    random.len() >= MIN_RANDOM
        && digits + lower + upper == random.len()
        && (lower == 0 || upper == 0)
        && lower + upper >= 6
        && digits >= 3
        && if is_hex {
            // 40 and 64 digits are mostly commits and digests.
            announces_key(prefix) && ![40, 64].contains(&random.len()) && entropy::is_hex(random)
        } else {
            entropy::shannon(random) >= MIN_ENTROPY_OF_CASE
        }
        && (is_hex || changes(random) >= MIN_CHANGES)
        && !value::is_filler(random)
        && !value::is_placeholder(random)
}

/// Whether the words directly before a key say that it is public: `VAPID public key: `.
pub(crate) fn is_labelled_public(before: &str) -> bool {
    const LABEL_BYTES: usize = 40;
    const LABELS: [&str; 6] =
        ["public key", "public_key", "public-key", "publickey", "clave pública", "clé publique"];
    let before = before.trim_end_matches([' ', ':', '=', '"', '\'', '`']);
    let reach = &before[before.ceil_char_boundary(before.len().saturating_sub(LABEL_BYTES))..];
    let lower = reach.to_lowercase();
    LABELS.iter().any(|label| lower.ends_with(label))
}

/// Returns how often a letter and a digit are neighbours.
pub(crate) fn changes(text: &str) -> usize {
    text.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

pub(crate) fn is_prefix(prefix: &str) -> bool {
    prefix.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && parts(prefix).all(|part| {
            let lower = part.to_ascii_lowercase();
            !part.is_empty() && part.len() <= 12 && !PUBLIC.contains(&lower.as_str())
        })
}

fn is_random_part(random: &str) -> bool {
    let has = |is: fn(&u8) -> bool| random.bytes().any(|byte| is(&byte));
    random.len() >= MIN_RANDOM
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && random.bytes().filter(|byte| matches!(byte, b'_' | b'-')).count() * 10 <= random.len()
        && entropy::shannon(random) >= MIN_ENTROPY
        && !entropy::is_wordy(random)
        && !value::is_filler(random)
        && !value::is_placeholder(random)
        && !value::is_address_or_public_key(random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_prefix_before_a_long_random_part_is_found() {
        for text in [
            "acme_live_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
            "live_q83kzPw1Lx0dVbN4_mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
            "use zorb-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W for the demo",
            "zorb_q83kz+w1Lx0dVbN4/mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko0q=",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn names_hashes_and_public_values_are_accepted() {
        for text in [
            "sha512-q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
            "pk_live_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W",
            "req_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W",
            "sha512_q83kz+w1Lx0dVbN4/mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko0q=",
            "a_b/q83kzPw1Lx0dVbN4/mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko0q=1",
            "img/a_q83kz+w1Lx0dVbN4/mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko0q=",
            "https://acme.dev/a_q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3W",
            "deployment-nginx-ingress-controller-admission-7f9c6b5d-x2k4q",
            "session-9fceb02d0ae598e95dc970b74767f193",
            "test_that_TheControllerReturns404WhenNothingIsFound2",
            "acme_short_q83kzPw1Lx0dVbN4",
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
