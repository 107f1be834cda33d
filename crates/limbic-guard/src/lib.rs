//! Detection of secrets, redaction of personal data, and escaping for output.
//!
//! Pure functions on text, the same on every build. [`find_secret`] is called before writes, [`redact_personal`] if
//! personal data is to be removed, and [`escape`] for all output. None of them changes stored data.

mod secrets;
mod services;
mod normalize;
mod text;
mod literals;
mod parameters;
mod patterns;
mod logins;
mod user_logins;
mod phrases;
mod sentence_phrases;
mod speech;
mod pins;
mod clauses;
mod openings;
mod things;
mod typed;
mod keypads;
mod lock_numbers;
mod dials;
mod confirmations;
mod spelled;
mod answers;
mod question_answers;
mod household_keys;
mod stated;
mod constructors;
mod client_logins;
mod cipher_keys;
mod fields;
mod broken;
mod recovery;
mod rules;
mod keyword_context;
mod value;
mod entropy;
mod unknown_keys;
mod prefixed_keys;
mod url;
mod pii;
mod sanitize;

pub use pii::redact_personal;
pub use rules::SecretKind;
pub use sanitize::{escape, one_line, unescape};
pub use secrets::find_secret;
