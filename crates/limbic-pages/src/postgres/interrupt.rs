//! Ends all waiting for PostgreSQL in a program that is to end.

use std::sync::LazyLock;

use tokio::sync::watch;

static REQUESTED: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::channel(false).0);

/// Fails each request to PostgreSQL that waits for an answer, and all later ones. A commit that is interrupted has an
/// unknown outcome.
pub fn interrupt() {
    REQUESTED.send_replace(true);
}

/// Whether [`interrupt`] was called.
pub fn is_requested() -> bool {
    *REQUESTED.borrow()
}

/// Waits until [`interrupt`] is called.
pub async fn requested() {
    // The sender is never dropped.
    let _ = REQUESTED.subscribe().wait_for(|requested| *requested).await;
}
