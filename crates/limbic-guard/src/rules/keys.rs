//! Keys in files. A mere mention of the header is none: key material must follow.

use super::{Rule, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "private key",
        &["-----BEGIN "],
        r"^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[A-Z][A-Za-z-]+: [^\n]*\n)*[A-Za-z0-9+/=]{20}",
        "-----BEG·IN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAq83kzPw1Lx0d",
    ),
    rule(
        "private key",
        &["AGE-SECRET-KEY-1"],
        r"^AGE-SECRET-KEY-1[0-9A-Z]{58}",
        "AGE-SEC·RET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHC4",
    ),
    rule(
        "private key",
        &["PuTTY-User-Key-File-"],
        r"^PuTTY-User-Key-File-[0-9]: \S+\s+Encryption:",
        "PuTTY-User·-Key-File-3: ssh-rsa\nEncryption: none",
    ),
];
