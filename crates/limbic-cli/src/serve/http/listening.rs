//! Where the server listens: at a port, or on a Unix socket.

use std::io;
use std::net::{self, IpAddr};
use std::task::{Context, Poll};

use anyhow::{Result, anyhow};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

use super::options::HttpSettings;
#[cfg(unix)]
use super::socket::{AsyncSocket, Socket};

/// A connection of a client.
pub type Stream = Box<dyn ByteStream + Send + Unpin>;

/// Bytes in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite {}

impl<T: AsyncRead + AsyncWrite> ByteStream for T {}

/// A listener that no runtime serves yet.
pub enum Bound {
    Port(net::TcpListener),
    #[cfg(unix)]
    Socket(Socket),
}

/// A listener that accepts connections.
pub enum Accepting {
    Port(TcpListener),
    #[cfg(unix)]
    Socket(AsyncSocket),
}

impl Bound {
    /// Listens where the settings say.
    ///
    /// # Errors
    /// When the address is in use or not one of this computer, and when the socket is in use or cannot be made.
    pub fn new(http: &HttpSettings) -> Result<Bound> {
        #[cfg(unix)]
        if let Some(path) = &http.socket {
            return Ok(Bound::Socket(Socket::bind(path)?));
        }
        let place = (http.host.as_str(), http.port);
        let listener = net::TcpListener::bind(place).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => {
                anyhow!("port {} is in use: choose another, or 0 for any free port", http.port)
            }
            _ => anyhow!(
                "--http: the address {}:{} cannot be used: {error}; choose an address of this computer",
                http.host,
                http.port
            ),
        })?;
        listener.set_nonblocking(true)?;
        Ok(Bound::Port(listener))
    }

    /// The origin for clients on this computer, such as `http://127.0.0.1:3000`, or the socket as `unix:PATH`.
    ///
    /// # Errors
    /// When the system does not say which port it chose.
    pub fn origin(&self, http: &HttpSettings) -> Result<String> {
        let listener = match self {
            Bound::Port(listener) => listener,
            #[cfg(unix)]
            Bound::Socket(socket) => return Ok(format!("unix:{}", socket.path().display())),
        };
        let host = match http.host.as_str() {
            "0.0.0.0" => "127.0.0.1".to_owned(),
            "::" => "[::1]".to_owned(),
            host if host.contains(':') => format!("[{host}]"),
            host => host.to_owned(),
        };
        Ok(format!("http://{host}:{}", listener.local_addr()?.port()))
    }

    /// Accepts connections from now on, in the runtime of the caller.
    ///
    /// # Errors
    /// When the runtime cannot watch the listener.
    pub fn accepting(self) -> io::Result<Accepting> {
        Ok(match self {
            Bound::Port(listener) => Accepting::Port(TcpListener::from_std(listener)?),
            #[cfg(unix)]
            Bound::Socket(socket) => Accepting::Socket(socket.accepting()?),
        })
    }
}

impl Accepting {
    /// The next connection, and the address of its client; this computer's for a socket.
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(Stream, IpAddr)>> {
        match self {
            Accepting::Port(listener) => {
                listener.poll_accept(context).map_ok(|(stream, peer)| (Box::new(stream) as Stream, peer.ip()))
            }
            #[cfg(unix)]
            Accepting::Socket(socket) => socket
                .poll_accept(context)
                .map_ok(|stream| (Box::new(stream) as Stream, net::Ipv4Addr::LOCALHOST.into())),
        }
    }
}
