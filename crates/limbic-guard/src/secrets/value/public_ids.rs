//! Recognises generated values that are public: paths, blockchain addresses, public keys and their ids.

/// File extensions.
const EXTENSIONS: [&str; 42] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "mp4", "mp3", "wav", "pdf", "txt", "md", "log", "csv",
    "tsv", "json", "jsonl", "yaml", "yml", "toml", "xml", "html", "css", "js", "ts", "tsx", "py", "rs", "go",
    "java", "sql", "sh", "pem", "crt", "cer", "pub", "parquet", "zip", "gz", "tar", "docx",
];

/// Whether it is a path, also with the numbers of a line and a column: `C:/code`, `invoices/04/6f1c.pdf`, `6f1c.pdf`.
pub(super) fn is_path(value: &str) -> bool {
    // `login/page.tsx:48:17)` in a trace of calls.
    let value = value.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, ':' | ')'));
    let bytes = value.as_bytes();
    let has_drive = bytes.len() > 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    has_drive
        || value.rsplit_once('.').is_some_and(|(before, end)| {
            let is_end = (2..=5).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_lowercase());
            is_end && (before.contains('/') || (!before.is_empty() && EXTENSIONS.contains(&end)))
        })
}

/// Whether the text after a match is a file extension: `.png`.
pub(crate) fn begins_with_extension(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    rest.strip_prefix('.').is_some_and(|rest| {
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        EXTENSIONS.contains(&&rest[..length])
    })
}

/// Whether it is a blockchain address or fingerprint (`0x` and forty digits), the start of a public SSH key, a public
/// key of minisign or of web push (a point of P-256 in base64url), an address of IPFS, or a publishable key of a
/// payment service.
pub(crate) fn is_address_or_public_key(value: &str) -> bool {
    let is_minisign = value.len() == 56
        && value.strip_prefix("RW").is_some_and(|rest| rest.starts_with(['Q', 'R', 'S', 'T']));
    let is_point = value.starts_with('B')
        && (87..=88).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte));
    let is_ipfs = match value.len() {
        46 => value.starts_with("Qm"),
        52 => value.starts_with("12D3KooW"),
        _ => false,
    };
    (value.starts_with("0x") && value.len() == 42)
        || (is_ipfs && is_base58(value))
        || ["AAAA", "pk_test_", "pk_live_"].iter().any(|start| value.starts_with(start))
        || is_minisign
        || is_point
}

/// Whether it has the form of a Bitcoin, TRON or Solana address.
pub(crate) fn is_address_on_chain(value: &str) -> bool {
    let is_bitcoin = value.starts_with(['1', '3']) && (33..=34).contains(&value.len());
    let is_tron = value.starts_with('T') && value.len() == 34;
    (is_bitcoin || is_tron || (43..=44).contains(&value.len())) && is_base58(value)
}

/// Whether it consists of the characters of Base58: those of Base64 without `0`, `O`, `I`, `l` and signs.
pub(crate) fn is_base58(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"0OIl".contains(&byte))
}

/// Whether it has the form of a public key's id or fingerprint: sixteen or forty hexadecimal digits.
pub(crate) fn is_gpg_id(value: &str) -> bool {
    let digits = value.strip_prefix("0x").unwrap_or(value);
    matches!(digits.len(), 16 | 40) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_distinguished_from_passwords() {
        for path in
            ["C:/code/limbic2", "C:\\Users\\ada", "invoices/2026/6f1c2a9e.pdf", "6f1c2a9e.png", "a/b.proto"]
        {
            assert!(is_path(path), "{path}");
        }
        for other in ["Otter.Lodge.42", "W1ndmill/77", "abc:/x", "q83k/zPw1+Lx0d", ".png", "Tr0ub4dor.X"] {
            assert!(!is_path(other), "{other}");
        }
        assert!(begins_with_extension(".png done") && !begins_with_extension(". It"));
    }

    #[test]
    fn public_keys_are_distinguished_from_others() {
        assert!(is_address_on_chain("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"));
        assert!(is_address_on_chain("9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"));
        assert!(is_address_or_public_key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"));
        assert!(is_address_on_chain("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"));
        assert!(is_address_or_public_key("QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"));
        assert!(is_gpg_id("3AA5C34371567BD2") && !is_gpg_id("3AA5C34371567BD"));
        for key in ["8sJ2kLmQpR4tVwXyZ1aBcDeFgHiJ0kLm", "ArDN6rf00P4B3Teb4zWbqVaX7RHL0eR9"] {
            assert!(!is_address_on_chain(key) && !is_address_or_public_key(key), "{key}");
        }
    }
}
