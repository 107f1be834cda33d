//! Quotas of one client of the native server: bytes that wait for answers, and sessions.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::{Connection, OpenFlags};
use limbic_support::http::{Client, Response, TOKEN};
use limbic_vfs::{Access, StdHost};
use serde_json::{Value, json};
use tempfile::tempdir;

use super::{PING, code, pass, serve};

const MEGABYTE: usize = 1024 * 1024;
/// Sessions of a client.
const MAX_SESSIONS: usize = 64;

/// Begins a request, and sends `bytes` bytes of its body without ending it.
fn begin(port: u16, bytes: usize) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{bytes:x}\r\n"
    )?;
    stream.write_all(&vec![b' '; bytes])?;
    Ok(stream)
}

#[test]
fn waiting_requests_have_a_limit_of_bytes_which_is_given_back() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let mut editor = Client::new(server.port);
    editor.initialize("test")?;
    let waiting = (0..3).map(|_| begin(server.port, 31 * MEGABYTE)).collect::<Result<Vec<_>>>()?;
    let (sender, refused) = channel();
    for stream in &waiting {
        let (mut stream, sender) = (stream.try_clone()?, sender.clone());
        thread::spawn(move || {
            let mut bytes = [0; 2048];
            let count = stream.read(&mut bytes).unwrap_or_default();
            // The test may have ended.
            let _ = sender.send(String::from_utf8_lossy(&bytes[..count]).to_lowercase());
        });
    }
    let refused = refused.recv_timeout(Duration::from_secs(60)).context("none of them is refused")?;
    ensure!(refused.starts_with("http/1.1 429 ") && refused.contains("retry-after: 5"), "{refused}");
    ensure!(refused.contains("too_many_bytes"), "{refused}");
    // No byte is left, and yet a request can be cancelled.
    let last = begin(server.port, 2 * MEGABYTE)?;
    let start = Instant::now();
    while code(&Client::new(server.port).post(PING)?) != "429 too_many_bytes" {
        ensure!(start.elapsed() < Duration::from_secs(30), "the bytes are not counted");
        thread::sleep(Duration::from_millis(20));
    }
    // One that is too long for a cancellation is read for its id only.
    let long = PING.replace(r#""id":1"#, r#""id":5"#) + &" ".repeat(20_000);
    let unserved = Client::new(server.port).send("POST", "/mcp", &pass(), &long)?;
    let id = serde_json::from_str::<Value>(&unserved.body)?["id"].clone();
    ensure!(code(&unserved) == "429 too_many_bytes" && id == 5, "{unserved:?}");
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    ensure!(editor.post(cancelled)?.status == 202);
    drop(last);
    let ping = PING.to_owned() + &" ".repeat(31 * MEGABYTE);
    let send = || Client::new(server.port).send("POST", "/mcp", &pass(), &ping);
    ensure!(waiting.iter().all(|stream| stream.shutdown(std::net::Shutdown::Both).is_ok()));
    let start = Instant::now();
    while send()?.status != 200 {
        ensure!(start.elapsed() < Duration::from_secs(30), "the bytes are not given back");
        thread::sleep(Duration::from_millis(20));
    }
    let too_long = PING.to_owned() + &" ".repeat(32 * MEGABYTE);
    let refused = Client::new(server.port).send("POST", "/mcp", &pass(), &too_long)?;
    ensure!(code(&refused) == "413 too_large", "{} {}", refused.status, refused.body);
    // A request that stays open has smaller limits.
    for (uri, count, told) in
        [("m".repeat(64 * 1024), 1, "413: "), ("memory://nothing".to_owned(), 257, "-32602")]
    {
        let listen = json!({"notifications": {"resourceSubscriptions": vec![uri; count]}});
        let answer = Client::new(server.port).request_alone("subscriptions/listen", &listen);
        let refused = answer.err().context("it is accepted")?.to_string();
        ensure!(refused.contains(told), "{refused}");
    }
    Ok(())
}

#[test]
fn the_connection_of_a_stream_that_is_refused_is_closed() -> Result<()> {
    let folder = tempdir()?;
    let server = serve(&folder.path().join("memory.db"), &[])?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "alone", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
        "params": {"_meta": meta, "notifications": {"resourceSubscriptions": ["memory://stats"]}},
    })
    .to_string();
    // No connection is asked to be closed.
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: \
         application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{body}",
        server.port,
        body.len()
    );
    let listen = || -> Result<TcpStream> {
        let mut stream = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, server.port)))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.write_all(request.as_bytes())?;
        Ok(stream)
    };
    let mut open = Vec::new();
    for _ in 0..16 {
        let mut stream = listen()?;
        stream.read_exact(&mut [0; 12])?;
        open.push(stream);
    }
    let mut answer = String::new();
    listen()?.read_to_string(&mut answer).context("the connection stays open")?;
    ensure!(answer.contains("-32603") && answer.contains("16 streams"), "{answer}");
    ensure!(answer.to_lowercase().contains("\r\nconnection: close\r\n"), "{answer}");
    Ok(())
}

/// A program that has locked a database for writing, until this is dropped.
pub fn locked(database: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = limbic_vfs::connect(database, flags, StdHost, Access::default())?;
    connection.execute_batch("PRAGMA journal_mode = PERSIST; BEGIN IMMEDIATE")?;
    Ok(connection)
}

#[test]
fn a_client_has_a_quota_of_sessions_and_the_error_says_when_to_retry() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let server = serve(&database, &[])?;
    let begin = || -> Result<Client> {
        let mut client = Client::new(server.port);
        client.initialize("test")?;
        Ok(client)
    };
    let first = begin()?;
    first.call("memory_store", &json!({"content": "It was stored before"}))?;
    // From here on, no call is answered.
    let lock = locked(&database)?;
    let store = json!({"name": "memory_store", "arguments": {"content": "It waits"}});
    let message = json!({"jsonrpc": "2.0", "id": "a-7", "method": "tools/call", "params": store}).to_string();
    let clients = (0..MAX_SESSIONS + 6).map(|_| begin()).collect::<Result<Vec<_>>>()?;
    let (sender, answers) = channel();
    for client in clients {
        let (message, sender) = (message.clone(), sender.clone());
        // The test may have ended.
        thread::spawn(move || drop(sender.send(client.post(&message))));
    }
    let next = || -> Result<Response> { answers.recv_timeout(Duration::from_secs(60))? };
    for _ in 0..6 {
        let refused = next()?;
        ensure!(code(&refused) == "429 too_many_sessions", "{refused:?}");
        let body: Value = serde_json::from_str(&refused.body)?;
        ensure!(body["id"] == "a-7" && refused.head.contains("retry-after: 5"), "{refused:?}");
    }
    drop(lock);
    for _ in 0..MAX_SESSIONS {
        let answered = next()?;
        ensure!(answered.status == 200 && answered.body.contains("It waits"), "{answered:?}");
    }
    // An idle session gives way, and is known again when its client returns.
    ensure!(!begin()?.call("memory_list", &json!({}))?.0 && !first.call("memory_list", &json!({}))?.0);
    Ok(())
}
