//! The code tools of Memory MCP Server (`memory-mcp-1file`) that have other names there, for
//! `--compat memory-mcp-server`, beside Limbic's own tools with their toolset `code`.
//!
//! Names and arguments are those of that server; answers have the fields of its data model. Differences:
//!
//! - recall_code ranks as search_code does: a weight of 0 leaves a signal out, and other weights are accepted without
//!   an effect.
//! - project_info lists, indexes and counts; that server's bindings and projections do not exist here.

pub mod recall_code;
pub mod project_info;

use crate::Tool;

/// The tools, in reading order.
pub const TOOLS: &[Tool] = &[recall_code::TOOL, project_info::TOOL];
