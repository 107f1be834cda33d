//! Prints what is generated from the tools' declarations, for `cargo xtask gen`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let text = match std::env::args().nth(1).as_deref() {
        Some("tools") => limbic_tools::catalog_json(),
        Some("instructions") => limbic_tools::instructions_ts(),
        Some("call-limits") => limbic_tools::call_limits_ts(),
        Some("types") => limbic_tools::types_ts(),
        Some("tool-table") => limbic_tools::tool_table(),
        Some("toolset-table") => limbic_tools::toolset_table(),
        _ => {
            eprintln!(
                "Say what to print: tools, instructions, call-limits, types, tool-table or toolset-table"
            );
            return ExitCode::FAILURE;
        }
    };
    println!("{}", text.trim_end());
    ExitCode::SUCCESS
}
