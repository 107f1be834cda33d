//! Reads the bodies of requests, within limits of length, time and the bytes that wait for answers.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE};
use tokio::{sync::Semaphore, task, time};

use super::queued_bytes::{Reservation, TOO_MANY_BYTES};
use super::refusal::Refusal;
use crate::serve::message;

/// A client that sends its body more slowly is disconnected.
const BODY_TIME: Duration = Duration::from_secs(300);
/// Maximum length of a body that is read only for the id of the request that is refused.
const MAX_REFUSED_BYTES: u64 = 64 * 1024;
/// Maximum time to wait for such a body.
const MAX_REFUSED_BODY_TIME: Duration = Duration::from_secs(10);
/// Number of such bodies that are read at once; of further ones nothing is kept.
static REFUSED_BODIES: Semaphore = Semaphore::const_new(64);
/// Time to read a response for a client that is still sending; then the system discards what it has not read.
const READING_TIME: Duration = Duration::from_secs(1);

/// Checks that a request's body is JSON. Pages of another origin can send other types without a preflight request.
pub fn require_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Refusal::new(415, "unsupported_media_type", "Send the header \"Content-Type: application/json\""))
}

/// Reads a body of at most `max_bytes`, which `reservation` counts, if given. A short one that it has no room for is
/// read for the id of its request.
///
/// # Errors
/// `too_large`, `too_slow`, `unreadable` if the client disconnects, and those of [`Reservation::take`].
pub async fn read(
    mut body: Incoming,
    max_bytes: usize,
    reservation: Option<&mut Reservation>,
) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    match time::timeout(BODY_TIME, collect(&mut body, &mut bytes, max_bytes, reservation)).await {
        Ok(Ok(())) => Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())),
        Ok(Err(refusal)) if refusal.code == TOO_MANY_BYTES && is_short(&body, bytes.len()) => {
            Err(with_id(body, bytes, refusal).await)
        }
        Ok(Err(refusal)) => {
            // The rest is read and discarded, so that the client receives the refusal.
            task::spawn(time::timeout(
                BODY_TIME,
                async move { while let Some(Ok(_)) = body.frame().await {} },
            ));
            Err(refusal)
        }
        Err(_) => {
            Err(Refusal::new(408, "too_slow", "The body was not sent in time")
                .with_header("Connection", "close"))
        }
    }
}

/// The refusal of a message whose body is not needed, with its id. Only a short body of a stated length is read, since
/// its sender may have no access; for any other body, the connection is closed after the response.
pub async fn refused(headers: &HeaderMap, body: Incoming, refusal: Refusal) -> Refusal {
    if headers.contains_key(CONTENT_LENGTH) && is_short(&body, 0) {
        return with_id(body, Vec::new(), refusal).await;
    }
    without_id(body, refusal)
}

/// Whether a body of which so many bytes were read states a length within that of a refused one.
fn is_short(body: &Incoming, read: usize) -> bool {
    let left = body.size_hint().exact();
    left.and_then(|left| left.checked_add(u64::try_from(read).ok()?))
        .is_some_and(|all| all <= MAX_REFUSED_BYTES)
}

/// The refusal of a message, with the id in its short body, whose first bytes were read.
async fn with_id(mut body: Incoming, mut bytes: Vec<u8>, refusal: Refusal) -> Refusal {
    if let Ok(_turn) = REFUSED_BODIES.try_acquire()
        && let Ok(Ok(rest)) = time::timeout(MAX_REFUSED_BODY_TIME, (&mut body).collect()).await
    {
        bytes.extend_from_slice(&rest.to_bytes());
        return match message::id_of(&String::from_utf8_lossy(&bytes)) {
            Some(id) => refusal.of_request(id),
            None => refusal.of_message(),
        };
    }
    without_id(body, refusal)
}

/// The refusal of a message whose body is not read. The connection is closed after the response.
fn without_id(body: Incoming, refusal: Refusal) -> Refusal {
    // The rest is not read, but the connection is kept a moment.
    task::spawn(async move {
        time::sleep(READING_TIME).await;
        drop(body);
    });
    refusal.of_message().closing()
}

async fn collect(
    body: &mut Incoming,
    bytes: &mut Vec<u8>,
    max_bytes: usize,
    mut reservation: Option<&mut Reservation>,
) -> Result<(), Refusal> {
    if body.size_hint().lower() > u64::try_from(max_bytes).unwrap_or(u64::MAX) {
        return Err(too_large(max_bytes));
    }
    while let Some(frame) = body.frame().await {
        let unreadable = |_| Refusal::new(400, "unreadable", "The body of the request cannot be read");
        let Ok(piece) = frame.map_err(unreadable)?.into_data() else { continue };
        if bytes.len() + piece.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        let room = reservation.as_mut().map_or(Ok(()), |reservation| reservation.take(piece.len()));
        bytes.extend_from_slice(&piece);
        room?;
    }
    Ok(())
}

fn too_large(max_bytes: usize) -> Refusal {
    let text = format!("The body must have at most {max_bytes} bytes: send less at once");
    Refusal::new(413, "too_large", &text)
}
