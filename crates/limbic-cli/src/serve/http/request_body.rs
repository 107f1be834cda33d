//! Reads the bodies of requests, within limits of length, time and the bytes that wait for answers.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE};
use tokio::{sync::Semaphore, task, time};

use super::queued_bytes::Reservation;
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

/// Reads a body of at most `max_bytes`, which `reservation` counts, if given.
///
/// # Errors
/// `too_large`, `too_slow`, `unreadable` if the client disconnects, and those of [`Reservation::take`].
pub async fn read(
    mut body: Incoming,
    max_bytes: usize,
    reservation: Option<&mut Reservation>,
) -> Result<String, Refusal> {
    match time::timeout(BODY_TIME, collect(&mut body, max_bytes, reservation)).await {
        Ok(Ok(bytes)) => Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())),
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
pub async fn refused(headers: &HeaderMap, mut body: Incoming, refusal: Refusal) -> Refusal {
    let is_short = headers.contains_key(CONTENT_LENGTH)
        && body.size_hint().exact().is_some_and(|bytes| bytes <= MAX_REFUSED_BYTES);
    if let Some(_turn) = REFUSED_BODIES.try_acquire().ok().filter(|_| is_short)
        && let Ok(Ok(text)) = time::timeout(MAX_REFUSED_BODY_TIME, (&mut body).collect()).await
    {
        return match message::id_of(&String::from_utf8_lossy(&text.to_bytes())) {
            Some(id) => refusal.of_request(id),
            None => refusal.of_message(),
        };
    }
    // The rest is not read, but the connection is kept a moment.
    task::spawn(async move {
        time::sleep(READING_TIME).await;
        drop(body);
    });
    refusal.of_message().closing()
}

async fn collect(
    body: &mut Incoming,
    max_bytes: usize,
    mut reservation: Option<&mut Reservation>,
) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    if body.size_hint().lower() > u64::try_from(max_bytes).unwrap_or(u64::MAX) {
        return Err(too_large(max_bytes));
    }
    while let Some(frame) = body.frame().await {
        let unreadable = |_| Refusal::new(400, "unreadable", "The body of the request cannot be read");
        let Ok(piece) = frame.map_err(unreadable)?.into_data() else { continue };
        if bytes.len() + piece.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
        if let Some(reservation) = &mut reservation {
            reservation.take(piece.len())?;
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn too_large(max_bytes: usize) -> Refusal {
    let text = format!("The body must have at most {max_bytes} bytes: send less at once");
    Refusal::new(413, "too_large", &text)
}
