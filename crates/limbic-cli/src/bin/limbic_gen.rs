//! Prints what is generated from the tools' declarations, for `cargo xtask gen`.

use std::process::ExitCode;

use limbic_tools::Options;

fn main() -> ExitCode {
    let text = match std::env::args().nth(1).as_deref() {
        Some("tools") => limbic_tools::tools_json(&all()),
        Some("types") => limbic_tools::types_ts(),
        Some("table") => limbic_tools::readme_table(),
        _ => {
            eprintln!("Say what to print: tools, types or table");
            return ExitCode::FAILURE;
        }
    };
    println!("{}", text.trim_end());
    ExitCode::SUCCESS
}

/// Options for every tool: shells filter the list.
fn all() -> Options {
    Options { toolsets: vec!["all".to_owned(), "explorer".to_owned()], ..Options::default() }
}
