//! Shared by tests and developer commands: a PostgreSQL server, poolers and a proxy that fails in front of it, and
//! servers of MCP over HTTP with their clients. No product code depends on it.

pub mod http;
pub mod pgbouncer;
pub mod pooler;
pub mod postgres;
mod postgres_programs;
pub mod proxy;

use std::net::TcpListener;

use anyhow::{Result, ensure};
use serde_json::Value;

/// Parses the answer of a call of a tool that must succeed.
///
/// # Errors
/// When `is_error` is true, with the call and the answer; when the answer is not JSON.
pub fn success(tool: &str, arguments: &Value, is_error: bool, answer: &str) -> Result<Value> {
    ensure!(!is_error, "{tool} {arguments}: {answer}");
    Ok(serde_json::from_str(answer)?)
}

/// A free port of this machine.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
