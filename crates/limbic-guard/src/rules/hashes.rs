//! Password hashes in login files: they allow offline attacks.
//!
//! bcrypt's `$2a$` and `$2b$` count only after a login name, because documents contain examples of them.

use super::rule::{Begins, Rule, inner, is_of_key, rule};

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
