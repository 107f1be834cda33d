//! Keys of ciphers and signatures in code: hexadecimal digits that are decoded to a key, and literals that a cipher
//! or a signature takes as its key.

use crate::secrets::entropy;
use crate::secrets::keys::rules::SecretKind;
use crate::secrets::value;

/// Maximum length of a function's path, and of its arguments, in bytes.
const MAX_PATH_BYTES: usize = 80;
const ARGUMENT_BYTES: usize = 400;
/// Functions that decode text to bytes, in lower case without underscores.
const DECODERS: [&str; 22] = [
    "hex::decode",
    "hex.decode",
    "hex.decodestring",
    "fromhex",
    "fromhexstring",
    "unhexlify",
    "buffer.from",
    "hex2bin",
    "hextobytes",
    "decodehex",
    "parsehex",
    "hex.parse",
    "hexformat.of().parsehex",
    "hex!",
    "decodestring",
    "b64decode",
    "base64.decode",
    "urlsafeb64decode",
    "getdecoder().decode",
    "frombase64string",
    "b64todata",
    "hextobin",
];
/// Functions that take a key, in lower case without underscores.
const KEYED: [&str; 27] = [
    "newfromslice",
    "hmacshakeyfor",
    "secretkeyspec",
    "createhmac",
    "createcipheriv",
    "createdecipheriv",
    "createsecretkey",
    "aesgcm",
    "aesccm",
    "aes.new",
    "des3.new",
    "blowfish.new",
    "chacha20.new",
    "hmac.new",
    "aes.newcipher",
    "newcipher",
    "chacha20poly1305",
    "fernet",
    "signwith",
    "setsigningkey",
    "secretbox",
    "signingkey",
    "hmachex",
    "opensslencrypt",
    "openssldecrypt",
    "hashhmac",
    "symmetricsecuritykey",
];
/// Words before an assignment that say that the value is a key.
const NAMES: [&str; 9] = ["key", "secret", "cipher", "aes", "hmac", "chacha", "psk", "seed", "schlüssel"];
/// Words in the name of a value that is public, or no key.
const PUBLIC: [&str; 18] = [
    "public",
    "ciphertext",
    "plaintext",
    "pub",
    "hash",
    "digest",
    "expected",
    "assert",
    "commit",
    "cache",
    "checksum",
    "fingerprint",
    "nonce",
    "sha",
    "md5",
    "test",
    "address",
    "example",
];

/// Returns the kind if a call has such a key.
pub(crate) fn find(text: &str) -> Option<SecretKind> {
    text.match_indices('(')
        .any(|(index, _)| takes_key(text, index))
        .then_some(SecretKind::new("key of a cipher"))
}

fn takes_key(text: &str, index: usize) -> bool {
    let arguments = start_of(&text[index + 1..]);
    let Some(literal) = arguments.split(['"', '\'', '`']).nth(1) else { return false };
    let before = &text[..index];
    let path = path_before(before);
    let ends = |names: &[&str]| {
        names.iter().any(|name| {
            path.strip_suffix(name)
                .is_some_and(|rest| !rest.ends_with(|letter: char| letter.is_alphanumeric()))
        })
    };
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut from = line.len().saturating_sub(2 * MAX_PATH_BYTES);
    while !line.is_char_boundary(from) {
        from += 1;
    }
    let line = line[from..].to_lowercase();
    let is_public = || PUBLIC.iter().any(|part| line.contains(part));
    if ends(&KEYED) {
        let is_random = |it: &str| {
            (16..=128).contains(&it.len())
                && (entropy::is_hex(it) || value::is_mixed(it))
                && !value::is_known_not_secret(it)
        };
        return !line.contains("assert")
            && arguments.split(['"', '\'', '`']).skip(1).step_by(2).any(is_random);
    }
    if !ends(&DECODERS) || !is_key(literal) || is_public() {
        return false;
    }
    // A key by the name of what it is assigned to, or of the function that takes it.
    NAMES.iter().any(|name| line.contains(name))
        || line.contains("from_slice(")
        || line.contains("fromslice(")
}

fn start_of(text: &str) -> &str {
    let mut end = text.len().min(ARGUMENT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].lines().next().unwrap_or_default()
}

/// Returns the path of the function that ends here, in lower case without underscores.
fn path_before(before: &str) -> String {
    let bytes = before.as_bytes();
    let is_of_path = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:!()>-".contains(byte);
    let length = bytes.iter().rev().take(MAX_PATH_BYTES).take_while(is_of_path).count();
    before[before.len() - length..].to_ascii_lowercase().replace('_', "")
}

/// Whether it has the length of a key: 128 bits and more, as hexadecimal digits or base64.
fn is_key(literal: &str) -> bool {
    let is_length = [32, 40, 48, 64, 96, 128].contains(&literal.len());
    let is_base64 = || {
        (22..=172).contains(&literal.len())
            && literal.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
            && value::is_mixed(literal)
    };
    ((is_length && entropy::is_hex(literal)) || is_base64()) && !value::is_known_not_secret(literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "9fceb02d0ae598e95dc970b74767f1939fceb02d0ae598e95dc970b74767f193";
    const RANDOM: &str = "q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7C";

    #[test]
    fn keys_of_ciphers_are_found() {
        for text in [
            format!("let cipher = Aes256Gcm::new_from_slice(&hex::decode(\"{HEX}\")?)?;"),
            format!("key, _ := hex.DecodeString(\"{HEX}\")"),
            format!("const key = Buffer.from(\"{HEX}\", \"hex\");"),
            format!("cipher = AES.new(bytes.fromhex(\"{HEX}\"), AES.MODE_GCM)"),
            format!("let mac = HmacSha256::new_from_slice(b\"{RANDOM}\")?;"),
            format!("Jwts.builder().signWith(Keys.hmacShaKeyFor(\"{RANDOM}\".getBytes()))"),
            format!("crypto.createHmac('sha256', '{RANDOM}')"),
        ] {
            assert!(find(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn hashes_and_references_are_accepted() {
        for text in [
            format!("let sum = Sha256::digest(&hex::decode(\"{HEX}\")?);"),
            format!("assert_eq!(hex::encode(key), hex::decode(\"{HEX}\"))"),
            format!("public_key = bytes.fromhex(\"{HEX}\")"),
            format!("commit = bytes.fromhex('{HEX}')"),
            format!("let ciphertext = hex!(\"{HEX}\");"),
            "let key = Aes256Gcm::new_from_slice(&hex::decode(key_hex)?)?;".to_owned(),
            "key, _ := hex.DecodeString(\"00000000000000000000000000000000\")".to_owned(),
            "crypto.createHmac('sha256', process.env.WEBHOOK_SECRET)".to_owned(),
        ] {
            assert!(find(&text).is_none(), "{text}");
        }
    }
}
