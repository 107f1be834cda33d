//! The answer to health checks, such as a proxy's: whether the storage of the memory can be reached. It needs no token,
//! takes any host, since a proxy checks under a name of its own, and reveals nothing else.

use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::json;
use tokio::{sync::Mutex, task::JoinHandle, time};

use super::{
    refusal::Refusal,
    response::{Answered, json_response},
    token_lookups::TokenLookups,
};
use crate::tokens::Unusable;

/// The path of health checks.
pub const PATH: &str = "/healthz";
/// Requests within this time share a check.
const SHARED_TIME: Duration = Duration::from_secs(1);
/// A storage that has not answered by then counts as one that cannot be reached.
const MAX_CHECK_TIME: Duration = Duration::from_secs(5);

type State = Result<(), Unusable>;

/// The health of a server.
pub struct Health {
    tokens: TokenLookups,
    check: Mutex<Check>,
}

#[derive(Default)]
struct Check {
    last: Option<(Instant, State)>,
    /// A check that has not ended when its request did, and when it began: there is one at most.
    running: Option<(Instant, JoinHandle<State>)>,
}

impl Health {
    /// The health of the storage of these tokens.
    pub fn new(tokens: TokenLookups) -> Self {
        Self { tokens, check: Mutex::default() }
    }

    /// Answers a request.
    pub async fn answer(&self, method: &Method) -> Answered {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return Err(Refusal::method_not_allowed("GET, HEAD"));
        }
        Ok(match self.state().await {
            Ok(()) => json_response(200, json!({"status": "ok"}).to_string()),
            Err(reason) => {
                let body = json!({"status": "unavailable", "reason": reason.name()});
                json_response(503, body.to_string())
            }
        })
    }

    async fn state(&self) -> State {
        let mut check = self.check.lock().await;
        let check = &mut *check;
        if let Some((at, state)) = check.last
            && at.elapsed() < SHARED_TIME
        {
            return state;
        }
        // The request that began it has gone, so its result may be of long ago.
        check.running.take_if(|(at, running)| running.is_finished() && at.elapsed() >= SHARED_TIME);
        let begin = || (Instant::now(), self.tokens.check_storage());
        let (_, running) = check.running.get_or_insert_with(begin);
        let ended = time::timeout(MAX_CHECK_TIME, &mut *running).await;
        if ended.is_ok() {
            check.running = None;
        }
        let state = match ended {
            Ok(Ok(state)) => state,
            // It panicked, or has not ended.
            Ok(Err(_)) | Err(_) => Err(Unusable::Unreachable),
        };
        check.last = Some((Instant::now(), state));
        state
    }
}
