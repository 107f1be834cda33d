//! `cargo xtask gen`: generates files from the tools' declarations and from the schema.
//!
//! The native binary `limbic-gen` prints their content, so this crate does not depend on the tools.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::project;
use crate::tools::{Toolbox, say};

const TABLE_START: &str = "<!-- tools -->";
const TABLE_END: &str = "<!-- /tools -->";
/// The files that `limbic-gen` prints as a whole.
const TEXTS: [(&str, &str); 4] = [
    ("pkg/tools.json", "tools"),
    ("pkg/instructions.mts", "instructions"),
    ("pkg/call-limits.mts", "call-limits"),
    ("pkg/types.ts", "types"),
];
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
        say(
            "generating the files of pkg that describe tools, the empty database, and the tables of the READMEs",
        );
    }
    let print = |what: &str| -> Result<Vec<u8>> {
        let output = tools.command(project::binary("limbic-gen")).arg(what).output();
        let output = output.with_context(|| format!("cannot start `limbic-gen {what}`"))?;
        ensure!(output.status.success(), "`limbic-gen {what}` failed");
        Ok(output.stdout)
    };
    let text = |what: &str| -> Result<String> { Ok(String::from_utf8(print(what)?)?) };
    let mut stale = Vec::new();
    let mut put = |file: &str, content: &[u8]| write(file, content, check, &mut stale);
    for (file, what) in TEXTS {
        put(file, text(what)?.as_bytes())?;
    }
    put("pkg/empty.db", &print("empty-database")?)?;
    for (file, table) in TABLES {
        let readme =
            fs::read_to_string(project::path(file)).with_context(|| format!("cannot read {file}"))?;
        put(file, with_table(&readme, &text(table)?).with_context(|| file.to_owned())?.as_bytes())?;
    }
    if !stale.is_empty() {
        bail!("out of date, run `cargo xtask gen`: {}", stale.join(", "));
    }
    Ok(())
}

/// Writes a file only if its content differs, so that builds that depend on it stay current.
fn write(file: &str, content: &[u8], check: bool, stale: &mut Vec<String>) -> Result<()> {
    let path = project::path(file);
    if fs::read(&path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    if check {
        stale.push(file.to_owned());
        return Ok(());
    }
    fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
    fs::write(&path, content).with_context(|| format!("cannot write {file}"))
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
