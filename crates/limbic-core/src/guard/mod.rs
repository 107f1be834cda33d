//! What may not be stored, and what may not be handed out as it is.
//!
//! Pure functions on text, the same on every build. [`find_secret`] is asked before anything is written,
//! [`redact_personal`] where the user wants personal data left out, and [`neutralise`] where stored text becomes
//! output. None of them changes what is stored already.

mod secrets;
mod plain;
mod patterns;
mod rules;
mod telling;
mod value;
mod entropy;
mod url;
mod personal;
mod output;

pub use output::{neutralise, revealed};
pub use personal::redact_personal;
pub use secrets::{SecretKind, find_secret};
