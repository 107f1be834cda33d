//! A proxy between a server and its database that fails as networks and poolers do.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;

/// Forwards connections to a port of this machine.
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    to: u16,
    state: Mutex<State>,
    changed: Condvar,
    accepted: AtomicUsize,
}

struct State {
    mode: Mode,
    /// The message whose next sender loses its answers.
    trigger: Option<Trigger>,
    streams: Vec<TcpStream>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Forward,
    Hold,
    Refuse,
}

struct Trigger {
    bytes: Vec<u8>,
    loss: Loss,
}

/// How a connection loses its answers.
#[derive(Clone)]
enum Loss {
    /// It is silent.
    Silence,
    /// It is closed when the answer comes.
    Cut,
    /// These bytes come instead of the answer, and then it is closed.
    Replaced(Vec<u8>),
}

/// How the answers of a connection are lost, if they are.
type Answers = Mutex<Option<Loss>>;

impl Proxy {
    /// A proxy to this port, on a port of its own.
    ///
    /// # Errors
    /// When no port is free.
    pub fn to(to: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let state = State { mode: Mode::Forward, trigger: None, streams: Vec::new() };
        let shared = Arc::new(Shared {
            to,
            state: Mutex::new(state),
            changed: Condvar::new(),
            accepted: AtomicUsize::new(0),
        });
        let accepting = shared.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                accepting.accepted.fetch_add(1, Ordering::SeqCst);
                let shared = accepting.clone();
                // A client whose connection fails reports it.
                thread::spawn(move || drop(shared.forward(client)));
            }
        });
        Ok(Self { port, shared })
    }

    /// The port of the proxy.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many connections were made, including those that were refused.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }

    /// Forwards nothing more, and closes nothing: the other side is silent.
    pub fn hold(&self) {
        self.shared.set(Mode::Hold);
    }

    /// Closes all connections, and each new one at once.
    pub fn refuse(&self) {
        self.shared.set(Mode::Refuse);
        for stream in self.shared.state().streams.drain(..) {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Forwards again, also what was held.
    pub fn release(&self) {
        self.shared.set(Mode::Forward);
    }

    /// The connection that next sends these bytes gets no answer any more.
    pub fn silence_after(&self, bytes: &str) {
        self.lose_after(bytes, Loss::Silence);
    }

    /// The connection that next sends these bytes is closed instead of the answer to them.
    pub fn cut_after(&self, bytes: &str) {
        self.lose_after(bytes, Loss::Cut);
    }

    /// The connection that next sends these bytes gets a fatal error of this code instead of the answer to them, and is
    /// closed, as by a pooler that loses its own connection.
    pub fn fail_after(&self, bytes: &str, code: &str) {
        self.lose_after(bytes, Loss::Replaced(fatal_error(code, "the pooler lost its connection")));
    }

    fn lose_after(&self, bytes: &str, loss: Loss) {
        self.shared.state().trigger = Some(Trigger { bytes: bytes.into(), loss });
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, mode: Mode) {
        self.state().mode = mode;
        self.changed.notify_all();
    }

    /// Waits while everything is held. Returns the state.
    fn released(&self) -> MutexGuard<'_, State> {
        let held = self.changed.wait_while(self.state(), |state| state.mode == Mode::Hold);
        held.unwrap_or_else(PoisonError::into_inner)
    }

    fn forward(self: Arc<Self>, client: TcpStream) -> Result<()> {
        let mut state = self.released();
        if state.mode == Mode::Refuse {
            return Ok(());
        }
        let server = TcpStream::connect((Ipv4Addr::LOCALHOST, self.to))?;
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
            state.streams.push(stream.try_clone()?);
        }
        drop(state);
        let answers = Arc::new(Answers::default());
        let (from, to) = (server.try_clone()?, client.try_clone()?);
        let (shared, of_server) = (self.clone(), answers.clone());
        thread::spawn(move || shared.deliver(from, to, |_, _| delivery(&of_server)));
        self.deliver(client, server, |shared, bytes| {
            shared.apply_trigger(bytes, &answers);
            Delivery::Forward
        });
        Ok(())
    }

    fn deliver(&self, mut from: TcpStream, mut to: TcpStream, decide: impl Fn(&Self, &[u8]) -> Delivery) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count) = from.read(&mut buffer)
            && count > 0
        {
            drop(self.released());
            match decide(self, &buffer[..count]) {
                Delivery::Forward if to.write_all(&buffer[..count]).is_ok() => {}
                Delivery::Drop => {}
                Delivery::Replace(bytes) => {
                    // The other side may be gone already.
                    let _ = to.write_all(&bytes);
                    break;
                }
                Delivery::Forward | Delivery::Close => break,
            }
        }
        for stream in [from, to] {
            // The other side may be gone already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn apply_trigger(&self, bytes: &[u8], answers: &Answers) {
        let is_sent = |trigger: &mut Trigger| {
            bytes.windows(trigger.bytes.len()).any(|part| part == trigger.bytes.as_slice())
        };
        if let Some(trigger) = self.state().trigger.take_if(is_sent) {
            *answers.lock().unwrap_or_else(PoisonError::into_inner) = Some(trigger.loss);
        }
    }
}

fn delivery(answers: &Answers) -> Delivery {
    match &*answers.lock().unwrap_or_else(PoisonError::into_inner) {
        None => Delivery::Forward,
        Some(Loss::Silence) => Delivery::Drop,
        Some(Loss::Cut) => Delivery::Close,
        Some(Loss::Replaced(bytes)) => Delivery::Replace(bytes.clone()),
    }
}

enum Delivery {
    Forward,
    Drop,
    Close,
    Replace(Vec<u8>),
}

/// An error message of PostgreSQL's protocol (ErrorResponse) that ends the connection.
#[must_use]
pub fn fatal_error(code: &str, message: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
    let length = u32::try_from(fields.len() + size_of::<u32>()).unwrap_or(u32::MAX);
    [&b"E"[..], &length.to_be_bytes(), fields.as_bytes()].concat()
}
