//! Known formats of credentials, as data.
//!
//! `example` contains `·`, which the test removes: hosting services reject text that looks like a live key.

mod rule;
mod keys;
mod clouds;
mod forges;
mod models;
mod messages;
mod commerce;
mod tools;
mod services;
mod platforms;
mod hashes;
mod commands;
mod programs;

use std::sync::LazyLock;

pub use rule::SecretKind;
pub(crate) use rule::{Asks, Begins, Rule};

/// All formats. Of two with the same prefix, the narrower is first.
///
/// The formats are those documented by the services, compared with the rules of gitleaks and detect-secrets.
pub(crate) static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    [
        keys::RULES,
        clouds::RULES,
        forges::RULES,
        models::RULES,
        messages::RULES,
        commerce::RULES,
        tools::RULES,
        services::RULES,
        platforms::RULES,
        keys::JSON_WEB_TOKENS,
        hashes::RULES,
        commands::RULES,
        programs::RULES,
    ]
    .into_iter()
    .flatten()
    .collect()
});
