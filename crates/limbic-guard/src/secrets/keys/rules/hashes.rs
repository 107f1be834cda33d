//! Password hashes in login files: they allow offline attacks.
//!
//! bcrypt's `$2a$` and `$2b$` count only after a login name, because documents contain examples of them.

use super::rule::{Begins, Rule, inner, is_of_key, rule};

const fn is_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

pub(super) const RULES: &[Rule] = &[
    rule(
        "password hash",
        &["$2y$"],
        r"^\$2y\$[0-9]{2}\$[./A-Za-z0-9]{53}",
        "$2·y$10$q83kzPw1Lx0dVbN4mRt6YhuUj5Ge7Cs9Fa3Wi1KoAbCdEfGhIjKlM",
    ),
    inner(
        "password hash",
        &[":$2a$", ":$2b$"],
        Begins::Before(is_of_key, 1, 64),
        r"^[A-Za-z0-9_-]+:\$2[ab]\$[0-9]{2}\$[./A-Za-z0-9]{53}",
        "ops:$2·b$10$q83kzPw1Lx0dVbN4mRt6YhuUj5Ge7Cs9Fa3Wi1KoAbCdEfGhIjKlM",
    ),
    inner(
        "password hash",
        &["hash is "],
        Begins::With,
        r"^hash is \$2[ab]\$[0-9]{2}\$[./A-Za-z0-9]{53}",
        "hash is $2·b$10$q83kzPw1Lx0dVbN4mRt6YhuUj5Ge7Cs9Fa3Wi1KoAbCdEfGhIjKlM",
    ),
    rule(
        "password hash",
        &["$argon2"],
        r"^\$argon2(?:id|i|d)\$(?:v=[0-9]+\$)?[a-z]=[0-9a-z,=]+\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{22,}",
        "$arg·on2id$v=19$m=65536,t=3,p=4$q83kzPw1Lx0dVbN4mRt6Yh$q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    rule(
        "password hash",
        &["$scrypt$", "$7$", "$pbkdf2", "$P$", "$H$"],
        r"^\$(?:scrypt\$[a-z0-9=,]+\$[A-Za-z0-9+/]{11,}={0,2}\$[A-Za-z0-9+/]{32,}|7\$[0-9]+\$[A-Za-z0-9+/=]{12,}\$[A-Za-z0-9+/]{32,}|pbkdf2[a-z0-9-]*\$[0-9]+\$[./A-Za-z0-9]{11,}\$[./A-Za-z0-9]{27,}|[PH]\$[./A-Za-z0-9]{31})",
        "$scr·ypt$ln=16,r=8,p=1$q83kzPw1Lx0dVbN4mRt6Yh$q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    rule(
        "password hash",
        &["pbkdf2_sha", "pbkdf2:sha", "scrypt:"],
        r"^(?:pbkdf2_sha[0-9]+\$[0-9]+|pbkdf2:sha[0-9]+:[0-9]+|scrypt:[0-9:]+)\$[A-Za-z0-9]{8,}\$[A-Za-z0-9+/]{40,}",
        "pbkdf2_sha256$600000$q83kzPw1Lx0dVbN4mRt6Yh$q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc=",
    ),
    rule(
        "password hash",
        &["{SSHA", "{SHA", "{SMD5}", "{PBKDF2"],
        r"^\{(?:SSHA|SHA|SMD5|PBKDF2)[-A-Z0-9]*\}[A-Za-z0-9+/.$]{24,}",
        "{SSHA}q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1==",
    ),
    rule(
        "password hash",
        &["SCRAM-SHA-"],
        r"^SCRAM-SHA-(?:256|512|1)\$[0-9]+:[A-Za-z0-9+/=]{12,}\$[A-Za-z0-9+/=]{27,}:[A-Za-z0-9+/=]{27,}",
        "SCRAM-SHA-256$4096:q83kzPw1Lx0dVbN4mRt6Yh==$q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc=:q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc=",
    ),
    // Windows: the two hashes of an account, or one that its name announces.
    inner(
        "password hash",
        &[":"],
        Begins::Before(is_hex, 32, 32),
        r"^[0-9a-f]{32}:[0-9a-f]{32}\b",
        "aad3b435b51404eeaad3b435b51404ee:9fceb02d0ae598e95dc970b74767f193",
    ),
    rule(
        "password hash",
        &["NTLM", "ntlm", "NT hash", "nthash", "NTHash"],
        r"^(?i:ntlm(?:v1)?|nt ?hash)(?: hash)?(?: (?:of|for) [^\s:=]+)?(?: is|:|=)? ?[0-9A-Fa-f]{32}\b",
        "NTLM hash of marta: 9fceb02d0ae598e95dc970b74767f193",
    ),
    rule(
        "password hash",
        &["$6$", "$5$"],
        r"^\$(?:6\$(?:rounds=[0-9]+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}|5\$(?:rounds=[0-9]+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43})",
        "$5·$q83kzPw1$q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
    rule(
        "password hash",
        &["$apr1$", "$1$"],
        r"^\$(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}",
        "$ap·r1$q83kzPw1$q83kzPw1Lx0dVbN4mRt6Yh",
    ),
    rule(
        "password hash",
        &["$y$"],
        r"^\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{8,86}\$[./A-Za-z0-9]{43}",
        "$y·$j9T$q83kzPw1Lx0dVbN4$q83kzPw1Lx0dVbN4mRt6Yh2Uj5Ge7Cs9Fa3Wi1KoAbc",
    ),
];
