//! Detection of secrets, redaction of personal data, and escaping for output.
//!
//! Pure functions on text, the same on every build. [`find_secret`] is called before writes, [`redact_code`] before
//! source code is indexed, [`redact_personal`] if personal data is to be removed, and [`escape`] for all output. None
//! of them changes stored data.

mod secrets;
mod normalize;
mod pii;
mod redaction;
mod sanitize;

pub use pii::redact_personal;
pub use redaction::{redact_code, redact_secret_lines, redact_secrets};
pub use sanitize::{escape, one_line, unescape};
pub use secrets::{
    MAX_TOPIC_BYTES, SecretKind, find_secret, find_secret_about, find_secret_by_topics, is_related,
};
