//! Prints what is generated from the tools' declarations and from the schema, for `cargo xtask gen`.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;

fn main() -> Result<ExitCode> {
    let text = match std::env::args().nth(1).as_deref() {
        Some("tools") => limbic_tools::catalog_json(),
        Some("instructions") => limbic_tools::instructions_ts(),
        Some("call-limits") => limbic_tools::call_limits_ts(),
        Some("types") => limbic_tools::types_ts(),
        Some("tool-table") => limbic_tools::tool_table(),
        Some("toolset-table") => limbic_tools::toolset_table(),
        Some("empty-database") => {
            limbic_vfs::register_vec0();
            io::stdout().write_all(&limbic_tools::empty_database()?)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {
            eprintln!(
                "Say what to print: tools, instructions, call-limits, types, tool-table, toolset-table or empty-database"
            );
            return Ok(ExitCode::FAILURE);
        }
    };
    println!("{}", text.trim_end());
    Ok(ExitCode::SUCCESS)
}
