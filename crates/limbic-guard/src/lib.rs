//! What may not be stored, and what may not be handed out as it is.
//!
//! Pure functions on text, the same on every build. [`find_secret`] is asked before anything is written,
//! [`redact_personal`] where the user wants personal data left out, and [`escape`] where stored text becomes
//! output. None of them changes what is stored already.

mod secrets;
mod normalize;
mod patterns;
mod rules;
mod keyword_context;
mod value;
mod entropy;
mod url;
mod pii;
mod sanitize;

pub use pii::redact_personal;
pub use rules::SecretKind;
pub use sanitize::{escape, unescape};
pub use secrets::find_secret;
