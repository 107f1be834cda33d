//! The server's identity in the protocol.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// The explorer's icon.
const ICON: &str = include_str!("../../../../web/public/icon.svg");

/// Sent with every result of protocol 2026-07-28.
pub fn short_identity() -> Value {
    json!({"name": "limbic-memory", "version": env!("CARGO_PKG_VERSION")})
}

/// Sent once, by `initialize` or `server/discover`.
pub fn identity() -> Value {
    let mut identity = short_identity();
    identity["title"] = "Limbic".into();
    identity["description"] =
        "Long-term memory for AI agents: typed memories, a knowledge graph and hybrid search, all local."
            .into();
    // The account and the repository that the name in the registry of servers stands for.
    identity["websiteUrl"] = "https://github.com/limbic-memory/limbic-memory".into();
    let source = format!("data:image/svg+xml;base64,{}", STANDARD.encode(ICON.trim_end()));
    identity["icons"] = json!([{"src": source, "mimeType": "image/svg+xml", "sizes": ["any"]}]);
    identity
}
