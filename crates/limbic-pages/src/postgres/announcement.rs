//! The number of the process that a server announces when a connection is made. The client library keeps it to cancel
//! requests and does not show it, so that such a request is written into memory here, and never sent.

use std::{
    convert::Infallible,
    future::{Future, Ready, ready},
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::{
    Client,
    tls::{ChannelBinding, TlsConnect, TlsStream},
};

/// Bytes at the end of the request: the number of the process, and a key of the same size.
const NUMBER_AND_KEY: usize = 8;

/// The number that the server has announced to this client.
pub fn announced_process(client: &Client) -> Option<String> {
    let (mut written, token) = (Written(Vec::new()), client.cancel_token());
    {
        let request = std::pin::pin!(token.cancel_query_raw(&mut written, WithoutTls));
        // Nothing in it waits.
        let Poll::Ready(Ok(())) = request.poll(&mut Context::from_waker(Waker::noop())) else { return None };
    }
    number_of(&written.0).map(|number| number.to_string())
}

fn number_of(request: &[u8]) -> Option<i32> {
    let number = request.get(request.len().checked_sub(NUMBER_AND_KEY)?..)?.first_chunk()?;
    Some(i32::from_be_bytes(*number))
}

/// Bytes that were written.
struct Written(Vec<u8>);

impl AsyncRead for Written {
    /// Answers the question for TLS: yes.
    fn poll_read(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        buffer.put_slice(b"S");
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Written {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl TlsStream for &mut Written {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

/// Leaves the bytes as they are where the connection has TLS.
struct WithoutTls;

impl<'a> TlsConnect<&'a mut Written> for WithoutTls {
    type Stream = &'a mut Written;
    type Error = Infallible;
    type Future = Ready<Result<&'a mut Written, Infallible>>;

    fn connect(self, stream: &'a mut Written) -> Self::Future {
        ready(Ok(stream))
    }
}
