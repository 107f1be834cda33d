//! Bodies of responses: whole, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::mpsc::Receiver;

/// The body of a response.
pub enum ResponseBody {
    /// A body that is sent at once.
    Whole(Full<Bytes>),
    /// Parts that are sent as they arrive; the stream ends when their sender is dropped.
    Stream(Receiver<Bytes>),
}

impl From<String> for ResponseBody {
    fn from(text: String) -> Self {
        Self::Whole(Full::new(Bytes::from(text)))
    }
}

impl From<Vec<u8>> for ResponseBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Whole(Full::new(Bytes::from(bytes)))
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(whole) => Pin::new(whole).poll_frame(context),
            Self::Stream(parts) => {
                parts.poll_recv(context).map(|part| part.map(|part| Ok(Frame::data(part))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(whole) if whole.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}
