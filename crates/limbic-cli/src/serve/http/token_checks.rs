//! Checks of the named tokens of streams and waiting requests, which may be revoked meanwhile.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Answers of a check count for all streams and requests with the same token for this time.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Results are dropped after this time.
const VALID_FOR: Duration = Duration::from_secs(60);

/// The results of the last checks, by [`crate::tokens::NamedToken::holder`].
#[derive(Default)]
pub struct TokenChecks(Mutex<HashMap<String, Check>>);

/// The last check of a token.
struct Check {
    begun: Instant,
    is_current: bool,
}

impl TokenChecks {
    /// Begins a check of a token.
    ///
    /// # Errors
    /// With the last result, if a check has begun less than [`CHECK_INTERVAL`] ago; that of its first check is that the
    /// token is current.
    pub fn begin(&self, holder: &str, now: Instant) -> Result<(), bool> {
        let mut checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(check) = checks.get_mut(holder) {
            if now < check.begun + CHECK_INTERVAL {
                return Err(check.is_current);
            }
            check.begun = now;
            return Ok(());
        }
        checks.retain(|_, check| now < check.begun + VALID_FOR);
        checks.insert(holder.to_owned(), Check { begun: now, is_current: true });
        Ok(())
    }

    /// Notes the result of a check.
    pub fn end(&self, holder: &str, is_current: bool) {
        let mut checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(check) = checks.get_mut(holder) {
            check.is_current = is_current;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_with_one_token_share_its_checks() {
        let (checks, start) = (TokenChecks::default(), Instant::now());
        assert_eq!(checks.begin("ada", start), Ok(()));
        for _ in 0..100 {
            assert_eq!(checks.begin("ada", start), Err(true));
        }
        assert_eq!(checks.begin("ben", start), Ok(()), "the token is another");
        checks.end("ada", false);
        assert_eq!((checks.begin("ada", start), checks.begin("ben", start)), (Err(false), Err(true)));
        assert_eq!(checks.begin("ada", start + CHECK_INTERVAL), Ok(()));
        assert_eq!(
            checks.begin("ada", start + CHECK_INTERVAL),
            Err(false),
            "the last result, until the next"
        );
    }

    #[test]
    fn results_of_tokens_that_are_no_longer_used_are_dropped() {
        let (checks, start) = (TokenChecks::default(), Instant::now());
        for number in 0..100 {
            assert_eq!(checks.begin(&format!("holder {number}"), start), Ok(()));
        }
        assert_eq!(checks.begin("ada", start + VALID_FOR), Ok(()));
        assert_eq!(checks.0.lock().expect("no test panicked").len(), 1);
    }
}
