//! Lookups of named tokens in their storage, which may be another computer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Result;
use tokio::sync::Semaphore;
use tokio::task::{self, JoinHandle};

use super::refusal::{Refusal, internal};
use super::token_checks::TokenChecks;
use crate::tokens::{NamedToken, Tokens, Unusable};

/// Maximum number of lookups that wait for the storage.
const MAX_LOOKUPS: usize = 64;
static LOOKUPS: Semaphore = Semaphore::const_new(MAX_LOOKUPS);

/// The named tokens of a server. Clones share them.
#[derive(Clone)]
pub struct TokenLookups(Arc<Shared>);

struct Shared {
    tokens: Tokens,
    checks: TokenChecks,
    /// Whether the log says that the tokens cannot be read.
    is_unreadable: AtomicBool,
}

impl TokenLookups {
    /// Lookups of these tokens.
    pub fn new(tokens: Tokens) -> Self {
        let (checks, is_unreadable) = (TokenChecks::default(), AtomicBool::new(false));
        Self(Arc::new(Shared { tokens, checks, is_unreadable }))
    }

    /// Runs work on the storage of tokens, apart from the thread that serves requests. Anybody can send what looks like
    /// a token, so the number that wait is limited.
    ///
    /// # Errors
    /// The outer one if too many wait, the inner one of the storage.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tokens) -> Result<T> + Send + 'static,
    ) -> Result<Result<T>, Refusal> {
        let Ok(lookup) = LOOKUPS.try_acquire() else {
            let text = "Too many requests wait until their tokens are checked: try again later";
            return Err(Refusal::retry_later(503, "tokens_busy", text));
        };
        let shared = self.0.clone();
        let looked_up = task::spawn_blocking(move || {
            // Held until the lookup has ended, even if its client has gone.
            let _lookup = lookup;
            work(&shared.tokens)
        });
        looked_up.await.map_err(|error| internal(&error.into()))
    }

    /// Reads tokens. If they cannot be read, which is logged once, the request may be repeated later.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tokens) -> Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let found = self.run(work).await?;
        if self.0.is_unreadable.swap(found.is_err(), Ordering::Relaxed) != found.is_err() {
            match &found {
                Ok(_) => log!("tokens can be read again"),
                Err(error) => log!("tokens cannot be read: {error:#}"),
            }
        }
        found.map_err(|_| {
            let text = "The tokens of this memory cannot be read now, so that this one cannot be checked: try again later";
            Refusal::retry_later(503, "tokens_unavailable", text)
        })
    }

    /// Checks whether the storage can be reached. The caller limits how many checks run.
    pub fn check_storage(&self) -> JoinHandle<Result<(), Unusable>> {
        let shared = self.0.clone();
        task::spawn_blocking(move || shared.tokens.check_storage())
    }

    /// Whether a token is neither revoked nor expired, by a check that all its streams and requests share. While the
    /// tokens cannot be read, it counts as valid.
    pub async fn is_current(&self, token: &NamedToken) -> bool {
        let holder = token.holder();
        if let Err(last) = self.0.checks.begin(&holder, Instant::now()) {
            return last;
        }
        let token = token.clone();
        let Ok(is_current) = self.read(move |tokens| tokens.is_current(&token)).await else { return true };
        self.0.checks.end(&holder, is_current);
        is_current
    }
}
