//! Tools with the names and arguments of other servers' tools, for `--compat`.

pub mod server_memory;
pub mod memory_graph;
pub mod memory_mcp_server;
