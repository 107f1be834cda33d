//! `cargo xtask gen`: generates files from the tools' declarations.
//!
//! The native binary `limbic-gen` prints their content, so this crate does not depend on the tools.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::project;
use crate::tools::{Toolbox, say};

const TABLE_START: &str = "<!-- tools -->";
const TABLE_END: &str = "<!-- /tools -->";
/// The tables, and the files that contain them.
const TABLES: [(&str, &str); 2] = [("README.md", "toolset-table"), ("node/README.md", "tool-table")];

/// Builds `limbic-gen` and writes the generated files; with `check`, writes nothing and fails if a file is out of date.
pub fn run(tools: &Toolbox, check: bool) -> Result<()> {
    if !check {
        say("building the generator of files, limbic-gen");
    }
    tools.run(
        "cargo",
        &["build", "--quiet", "--package", "limbic-cli", "--no-default-features", "--bin", "limbic-gen"],
    )?;
    write_all(tools, check)
}

/// [`run`] with the `limbic-gen` that is in the target folder.
pub fn write_all(tools: &Toolbox, check: bool) -> Result<()> {
    if !check {
        say("generating the files of pkg that describe tools, and the tables of the READMEs");
    }
    let print = |what: &str| {
        let binary = project::binary("limbic-gen");
        let program = binary.to_string_lossy();
        tools.ask(&program, &[what]).with_context(|| format!("`limbic-gen {what}` failed"))
    };
    let mut stale = Vec::new();
    let mut put = |file: &str, text: &str| write(file, text, check, &mut stale);
    put("pkg/tools.json", &ending_in_newline(&print("tools")?))?;
    put("pkg/instructions.mts", &ending_in_newline(&print("instructions")?))?;
    put("pkg/call-limits.mts", &ending_in_newline(&print("call-limits")?))?;
    put("pkg/types.ts", &ending_in_newline(&print("types")?))?;
    for (file, table) in TABLES {
        let text = fs::read_to_string(project::path(file)).with_context(|| format!("cannot read {file}"))?;
        put(file, &with_table(&text, &print(table)?).with_context(|| file.to_owned())?)?;
    }
    if !stale.is_empty() {
        bail!("out of date, run `cargo xtask gen`: {}", stale.join(", "));
    }
    Ok(())
}

/// Writes a file only if its content differs, so that builds that depend on it stay current.
fn write(file: &str, text: &str, check: bool, stale: &mut Vec<String>) -> Result<()> {
    let path = project::path(file);
    if fs::read_to_string(&path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if check {
        stale.push(file.to_owned());
        return Ok(());
    }
    fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
    fs::write(&path, text).with_context(|| format!("cannot write {file}"))
}

fn ending_in_newline(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

fn with_table(readme: &str, table: &str) -> Result<String> {
    let missing = || format!("the file needs the lines {TABLE_START} and {TABLE_END}");
    let (before, rest) = readme.split_once(TABLE_START).with_context(missing)?;
    let (_, after) = rest.split_once(TABLE_END).with_context(missing)?;
    Ok(format!("{before}{TABLE_START}\n{}\n{TABLE_END}{after}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_table_replaces_the_text_between_the_markers() {
        let readme = "# L\n<!-- tools -->\nold\n<!-- /tools -->\nend\n";
        let text = with_table(readme, "| a |\n").expect("both marks are there");
        assert_eq!(text, "# L\n<!-- tools -->\n| a |\n<!-- /tools -->\nend\n");
        assert_eq!(with_table(&text, "| a |").expect("both marks are there"), text);
        assert!(with_table("no marks", "| a |").is_err());
    }
}
