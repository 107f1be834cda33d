//! Keys in files, for which key material must follow the header, and JSON Web Tokens.

use super::rule::{Rule, random, rule};

pub(super) const RULES: &[Rule] = &[
    rule(
        "private key",
        &["-----BEGIN "],
        r"^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[A-Z][A-Za-z-]+: [^\n]*\n)*[A-Za-z0-9+/=]{20}",
        "-----BEG·IN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAq83kzPw1Lx0d",
    ),
    rule(
        "private key",
        &["-----BEGIN OpenVPN Static key"],
        r"^-----BEGIN OpenVPN Static key V1-----(?:\s|\\[nr])+[0-9a-f]{32}",
        "-----BEG·IN OpenVPN Static key V1-----\n8eb8b660840c11c6ffa9b58bf0498b81",
    ),
    // The header of a key in Base64, as in a kubeconfig: RSA, PKCS #8, encrypted, EC and OpenSSH.
    rule(
        "private key",
        &[
            "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt",
            "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t",
            "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVkt",
            "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0t",
            "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ",
        ],
        r"^LS0tLS1CRUdJTi[A-Za-z0-9+/]{50}",
        "LS0tLS1CRU·dJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVBejVTMTZJbE",
    ),
    rule(
        "private key",
        &["AGE-SECRET-KEY-1"],
        r"^AGE-SECRET-KEY-1[0-9A-Z]{58}",
        "AGE-SEC·RET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHC4",
    ),
    // The armour of SSH.com, minisign's, and keys in DER or in OpenSSH's form whose lines of armour were cut off.
    rule(
        "private key",
        &["---- BEGIN SSH2 "],
        r"^---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----\s",
        "---- BEG·IN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x",
    ),
    rule(
        "private key",
        &["RWRTY0Iy"],
        r"^RWRTY0Iy[A-Za-z0-9+/]{60}",
        "RWRT·Y0Iyq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    rule(
        "private key",
        &["b3BlbnNzaC1rZXktdjEA"],
        r"^b3BlbnNzaC1rZXktdjEA[A-Za-z0-9+/]{40}",
        "b3BlbnNz·aC1rZXktdjEAq83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83k",
    ),
    rule(
        "private key",
        &["MII", "MIGHAgEA", "MC4CAQAwBQYDK2V"],
        r"^(?:MII[A-Za-z0-9+/]{3,5}I?BADANBgkqhkiG9w0BAQEFAASC|MIGHAgEAMBMGByqGSM49|MC4CAQAwBQYDK2V)[A-Za-z0-9+/]{20}",
        "MIIE·vgIBADANBgkqhkiG9w0BAQEFAASCq83kzPw1Lx0dVbN4mRt6Yh2U",
    ),
    // The private part of a JSON Web Key.
    random(
        "private key",
        &["\"d\":\"", "\"d\": \""],
        r#"^"d": ?"[A-Za-z0-9_-]{40,}"#,
        "\"d\":\"q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc\"",
    ),
    // Bitcoin's import format.
    rule(
        "private key",
        &["5H", "5J", "5K"],
        r"^5[HJK][1-9A-HJ-NP-Za-km-z]{49}(?:[^A-Za-z0-9]|$)",
        "5K·q83kzPw1LxZdVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1L",
    ),
    // Nostr, and the extended private keys of wallets (BIP 32).
    rule(
        "private key",
        &["nsec1"],
        r"^nsec1[02-9ac-hj-np-z]{58}\b",
        "nse·c1q83kzpwylx0dvfn4mrt6gh2uj5ge7cs9fa3wq83kzpwylx0dvfn4mrt6gh",
    ),
    rule(
        "private key",
        &["xprv", "tprv", "yprv", "zprv"],
        r"^[txyz]prv[1-9A-HJ-NP-Za-km-z]{100,}",
        "xp·rvq83kzPw1LxZdVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1LxZdVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1Koq83kzPw1LxZdVbN4mRt6Yh2U",
    ),
    rule(
        "private key",
        &["PuTTY-User-Key-File-"],
        r"^PuTTY-User-Key-File-[0-9]: \S+\s+Encryption:",
        "PuTTY-User·-Key-File-3: ssh-rsa\nEncryption: none",
    ),
];

/// A signed token has three parts: two JSON objects and a signature, which is empty with the algorithm `none`; some
/// servers accept such tokens. An encrypted token has five parts; the second one is empty with direct key agreement,
/// and a second part of 200 characters is sufficient.
pub(super) const JSON_WEB_TOKENS: &[Rule] = &[rule(
    "JSON Web Token",
    &["eyJ"],
    r"^eyJ[A-Za-z0-9_-]{10,}\.(?:eyJ[A-Za-z0-9_-]{10,}\.|[A-Za-z0-9_-]{200}|[A-Za-z0-9_-]{0,199}(?:\.[A-Za-z0-9_-]{8,}){3})",
    "ey·JhbGciOiJIUzI1NiJ9.ey·JzdWIiOiIxMjM0q83k.q83kzPw1Lx0dVbN4mRt6",
)];
