//! JSON Web Tokens.

use super::{Rule, rule};

/// Three parts, each of the first two an object; the third one is empty where the algorithm is "none", and servers have
/// believed such. Or five parts, encrypted: the second one is empty where the key is agreed upon, and one that is long
/// is enough.
pub(super) const RULES: &[Rule] = &[rule(
    "JSON Web Token",
    &["eyJ"],
    r"^eyJ[A-Za-z0-9_-]{10,}\.(?:eyJ[A-Za-z0-9_-]{10,}\.|[A-Za-z0-9_-]{200}|[A-Za-z0-9_-]{0,199}(?:\.[A-Za-z0-9_-]{8,}){3})",
    "ey·JhbGciOiJIUzI1NiJ9.ey·JzdWIiOiIxMjM0q83k.q83kzPw1Lx0dVbN4mRt6",
)];
