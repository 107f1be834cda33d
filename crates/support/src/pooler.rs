//! A pooler that gives a connection another session of PostgreSQL between two transactions, as PgBouncer does in
//! `pool_mode=transaction`.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Result, ensure};

/// Forwards connections to a PostgreSQL of this machine that asks for no password, without TLS.
pub struct Pooler {
    port: u16,
    to: u16,
    connections: Arc<Mutex<Vec<Arc<Mutex<Pooled>>>>>,
}

/// A connection of a client.
struct Pooled {
    client: TcpStream,
    server: TcpStream,
    /// The message that begins a session.
    startup: Vec<u8>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pooler {
    /// A pooler before the PostgreSQL at this port, on a port of its own.
    ///
    /// # Errors
    /// When no port is free.
    pub fn to(to: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let accepted = connections.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let accepted = accepted.clone();
                // A client whose connection fails reports it.
                thread::spawn(move || drop(forward(client, to, &accepted)));
            }
        });
        Ok(Self { port, to, connections })
    }

    /// The port of the pooler.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Gives each connection another session. None may be in a transaction.
    ///
    /// # Errors
    /// If PostgreSQL does not begin a session.
    pub fn change_sessions(&self) -> Result<()> {
        for connection in &*lock(&self.connections) {
            let mut connection = lock(connection);
            let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, self.to))?;
            server.write_all(&connection.startup)?;
            while message(&mut server)? != b'Z' {}
            answer(server.try_clone()?, connection.client.try_clone()?);
            connection.server = server;
        }
        Ok(())
    }
}

fn forward(mut client: TcpStream, to: u16, all: &Mutex<Vec<Arc<Mutex<Pooled>>>>) -> Result<()> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, to))?;
    let mut length = [0; 4];
    client.read_exact(&mut length)?;
    let mut startup = vec![0; usize::try_from(u32::from_be_bytes(length))?];
    startup[..4].copy_from_slice(&length);
    client.read_exact(&mut startup[4..])?;
    server.write_all(&startup)?;
    answer(server.try_clone()?, client.try_clone()?);
    let pooled = Arc::new(Mutex::new(Pooled { client: client.try_clone()?, server, startup }));
    lock(all).push(pooled.clone());
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = client.read(&mut buffer)?;
        ensure!(count > 0, "the client has ended");
        lock(&pooled).server.write_all(&buffer[..count])?;
    }
}

/// Passes on what a session answers.
fn answer(mut server: TcpStream, mut client: TcpStream) {
    // It ends with the session or the client.
    thread::spawn(move || std::io::copy(&mut server, &mut client));
}

/// Reads a message. Returns its type.
fn message(server: &mut TcpStream) -> Result<u8> {
    let mut head = [0; 5];
    server.read_exact(&mut head)?;
    ensure!(head[0] != b'E', "PostgreSQL refused the session");
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let mut rest = vec![0; usize::try_from(length)?.saturating_sub(4)];
    server.read_exact(&mut rest)?;
    Ok(head[0])
}
