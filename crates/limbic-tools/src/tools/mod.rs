//! The tools, one file each, in a folder for each toolset, in reading order.

pub mod graph;
pub mod memory;
pub mod domain;
pub mod code;
pub mod more_tools;
pub mod explorer;
pub mod compat;
