//! Finds keys of services without a rule whose prefix is joined in other ways: `lmo.t4rk.q83kz…`, `KLV-7HXW2QPM-R9TC…`,
//! and hexadecimal digits after a prefix where the text around speaks of a key.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::keys::unknown_keys::{
    PREFIX, announces_key, changes, is_labelled_public, is_prefix, is_random,
};

/// Minimum length of such a key.
const MIN_LENGTH: usize = 24;
/// Minimum length of each of several parts.
const MIN_PART: usize = 16;
/// Minimum lengths of the hexadecimal digits after a separator and without one.
const MIN_HEX: usize = 30;
const MIN_HEX_JOINED: usize = 32;
/// Minimum Shannon entropy of hexadecimal digits, in bits per byte.
const MIN_HEX_ENTROPY: f64 = 2.8;
/// Bytes before and after a key that are examined.
const BEFORE_BYTES: usize = 80;
const AFTER_BYTES: usize = 60;
/// Parts of a text about a key, in lower case.
const ASKS: [&str; 38] = [
    "header",
    "key",
    "token",
    "api ",
    "api:",
    "secret",
    "passw",
    "contrase",
    "credential",
    "login",
    "log in",
    "auth",
    "bearer",
    "accepts only",
    "only accepts",
    "acepta solo",
    "solo acepta",
    "n'accepte que",
    "akzeptiert nur",
    "nimmt nur",
    "aceita apenas",
    "aceita só",
    "só aceita",
    "accetta solo",
    "accetta soltanto",
    "clave",
    "clé ",
    "chiave",
    "chave",
    "schlüssel",
    "jeton",
    "zugang",
    "acceso",
    "accès",
    "accesso",
    "acesso",
    "--with",
    "senha",
];
/// Parts of a text about other hexadecimal digits, in lower case.
const OTHERS: [&str; 61] = [
    "redis",
    "foreign",
    "dedup",
    "query",
    "bucket",
    "migrat",
    "asset",
    "constraint",
    "index",
    "primary",
    "partition",
    "commit",
    "hash",
    "sha1",
    "sha2",
    "sha-",
    "digest",
    "checksum",
    "prüfsumme",
    "etag",
    "trace",
    "request",
    "uuid",
    "id ",
    "id:",
    "identifi",
    "image",
    "imagen",
    "imagem",
    "build",
    "pod ",
    "container",
    "layer",
    "object",
    "public",
    "fingerprint",
    "cache",
    "file",
    "fichero",
    "fichier",
    "datei",
    "arquivo",
    "revision",
    "lock",
    "idempoten",
    "correlation",
    "blob",
    "chunk",
    "bundle",
    "docker",
    "snapshot",
    "volume",
    "event",
    "job ",
    "branch",
    "merge",
    "signature",
    "block",
    "contract",
    "address",
    "huella",
];
/// Names of objects and files before hexadecimal digits.
const OBJECTS: [&str; 63] = [
    "sess",
    "usr",
    "mig",
    "fk",
    "uq",
    "idx",
    "qk",
    "session",
    "user",
    "device",
    "tenant",
    "corr",
    "correlation",
    "snap",
    "vol",
    "job",
    "blob",
    "cache",
    "object",
    "partition",
    "idempotency",
    "row",
    "primary",
    "foreign",
    "sort",
    "order",
    "invoice",
    "customer",
    "account",
    "org",
    "project",
    "team",
    "page",
    "doc",
    "note",
    "upload",
    "media",
    "photo",
    "video",
    "avatar",
    "thumb",
    "font",
    "style",
    "styles",
    "script",
    "main",
    "app",
    "index",
    "vendor",
    "runtime",
    "polyfills",
    "worker",
    "evt",
    "fp",
    "crc",
    "h1",
    "did",
    "urn",
    "ipfs",
    "bitcoin",
    "bc1",
    "ethereum",
    "tag",
];

/// Returns the kind of the first such key.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    pieces(text)
        .any(|(start, piece)| {
            ((is_joined(piece) || is_of_random_parts(piece) || is_grouped(piece))
                && !is_labelled_public(&text[..start]))
                || hex_prefix(piece).is_some_and(|prefix| {
                    // After a colon they are often the tag of an image: `api:9fceb0…`.
                    let says = announces_key(prefix) && !piece.contains(':');
                    speaks_of_key(text, start, start + piece.len(), says)
                })
        })
        .then_some(SecretKind::new("key with a prefix"))
}

/// Returns the runs of letters, digits and separators that are long enough and no part of a path, an address or a
/// digest in Base64, with their positions.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_of_piece = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:~".contains(byte);
    let bytes = text.as_bytes();
    let mut index = 0;
    std::iter::from_fn(move || {
        while index < bytes.len() {
            let start = index;
            index += bytes[start..].iter().take_while(|byte| is_of_piece(byte)).count();
            if index - start < MIN_LENGTH {
                index = index.max(start + 1);
                continue;
            }
            let piece = text[start..index].trim_end_matches(['.', ':', '-', '_', '~']);
            let is_part = start > 0 && b"/@#%\\+?&".contains(&bytes[start - 1])
                || bytes.get(index).is_some_and(|next| b"/+=@(\\".contains(next));
            if piece.len() >= MIN_LENGTH && !is_part {
                return Some((start, piece));
            }
        }
        None
    })
}

fn is_known(prefix: &str) -> bool {
    let lower = prefix.to_ascii_lowercase();
    lower.split(['_', '-', '.', ':', '~']).any(|part| OBJECTS.contains(&part)) || !is_prefix(prefix)
}

/// Whether a dot, a colon or a tilde joins a prefix and a random part.
fn is_joined(piece: &str) -> bool {
    piece.rfind(['.', ':', '~']).is_some_and(|end| {
        let (prefix, random) = (&piece[..end], &piece[end + 1..]);
        PREFIX.contains(&prefix.len())
            && !is_known(prefix)
            && !random.bytes().all(|byte| byte.is_ascii_hexdigit())
            && is_random(prefix, random)
    })
}

/// Whether several random parts follow a prefix, as an id and a secret: `dvc.PJx7qQhc….F8Itp2yI…`.
fn is_of_random_parts(piece: &str) -> bool {
    let mut parts = piece.split('.');
    let Some(prefix) = parts.next() else { return false };
    let parts: Vec<&str> = parts.collect();
    let has = |part: &str, is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
    (2..=8).contains(&prefix.len())
        && !is_known(prefix)
        && (2..=4).contains(&parts.len())
        && parts.iter().all(|part| {
            part.len() >= MIN_PART
                && has(part, u8::is_ascii_digit)
                && has(part, u8::is_ascii_uppercase)
                && has(part, u8::is_ascii_lowercase)
                && !entropy::is_wordy(part)
        })
        && parts.last().is_some_and(|part| is_random(prefix, part))
}

/// Whether at least three random groups of one length follow a prefix.
fn is_grouped(piece: &str) -> bool {
    let Some((prefix, rest)) = piece.split_once('-') else { return false };
    let groups: Vec<&str> = rest.split('-').collect();
    let length = groups[0].len();
    let least = if length == 4 { 5 } else { 3 };
    let all: String = groups.concat();
    let count = |is: fn(&u8) -> bool| all.bytes().filter(is).count();
    (2..=8).contains(&prefix.len())
        && !is_known(prefix)
        && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (4..=12).contains(&length)
        && groups.len() >= least
        && all.len() >= 20
        && groups.iter().all(|group| group.len() == length)
        && count(u8::is_ascii_uppercase).min(count(u8::is_ascii_lowercase)) == 0
        && count(u8::is_ascii_alphanumeric) == all.len()
        && count(u8::is_ascii_alphabetic) >= 6
        && count(u8::is_ascii_hexdigit) < all.len()
        && changes(&all) >= 5
        && entropy::shannon(&all) >= 3.2
}

/// Returns the prefix of a long run of hexadecimal digits, unless it names an object.
fn hex_prefix(piece: &str) -> Option<&str> {
    let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let upper = |byte: u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte);
    let length = |is: &dyn Fn(u8) -> bool| piece.bytes().rev().take_while(|byte| is(*byte)).count();
    let digits = length(&lower).max(length(&upper));
    let (before, hex) = piece.split_at(piece.len() - digits);
    let prefix = before.trim_end_matches(['_', '-', '.', ':', '~']);
    let is_joined = prefix.len() == before.len();
    let least = if is_joined { MIN_HEX_JOINED } else { MIN_HEX };
    let letters = hex.bytes().filter(u8::is_ascii_alphabetic).count();
    (digits >= least
        && before.len() - prefix.len() <= 1
        && letters >= 4
        && PREFIX.contains(&prefix.len())
        && (!is_joined || (prefix.len() <= 8 && prefix.bytes().all(|byte| byte.is_ascii_alphabetic())))
        && !is_known(prefix)
        && entropy::shannon(hex) >= MIN_HEX_ENTROPY)
        .then_some(prefix)
}

/// Whether the line around a key speaks of keys, unless its prefix says so, and not of hashes, files or objects.
fn speaks_of_key(text: &str, start: usize, end: usize, says: bool) -> bool {
    let mut from = start.saturating_sub(BEFORE_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = (end + AFTER_BYTES).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let before = text[from..start].rsplit('\n').next().unwrap_or_default().to_lowercase();
    let after = text[end..to].split('\n').next().unwrap_or_default().to_lowercase();
    let holds = |parts: &[&str]| parts.iter().any(|part| before.contains(part) || after.contains(part));
    (says || holds(&ASKS)) && !holds(&OTHERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_joined_in_other_ways_are_found() {
        for text in [
            "lmo.t4rk9wzq2.q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
            "tk:q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
            "KLV-7HXW2QPM-R9TCK4VN-J6DZ8YBE-3GFS5UAL",
            "the API accepts only SVT9fceb02d0ae598e95dc970b74767f19372d61af8",
            "zorb --with zrb_9fceb02d0ae598e95dc970b74767f19372d61af8",
            "brz-key-9fceb02d0ae598e95dc970b74767f1",
            "enrolled as dvc.PJx7qQhcopRqRHgS4yaSmI.F-8Itp2yI9v0b6UvO1pcMR7TORkWHPSOtEdQy4gW115",
        ] {
            assert!(find(text).is_some(), "{text}");
        }
    }

    #[test]
    fn hashes_names_and_serial_numbers_are_accepted() {
        for text in [
            "zrb_9fceb02d0ae598e95dc970b74767f19372d61af8",
            "commit zrb_9fceb02d0ae598e95dc970b74767f19372d61af8 of the login",
            "session-9fceb02d0ae598e95dc970b74767f193 after the login",
            "main.9fceb02d0ae598e95dc970b74767f193.js of the login",
            "redis key sess:9fceb02d0ae598e95dc970b74767f193 expired",
            "dedupe key zrb_9fceb02d0ae598e95dc970b74767f193",
            "Main.Configuration2Provider7Factory.TokenProvider4Bean8Configuration",
            "chunk.PJx7qQhcopRqRHgS4yaSmI.F-8Itp2yI9v0b6UvO1pcMR7TORkWHPSOtEdQy4gW115",
            "serial HW-2024-0412-0098-0077-1120",
            "com.acme.security.token.TokenProviderFactoryBeanConfiguration2",
            "SHA256:q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Ko",
            "https://acme.dev/tk:q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9",
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
