//! `cargo xtask new-tool NAME`: writes the skeleton of a tool and adds it to the two lists.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::project;

const SKELETON: &str = include_str!("new_tool.txt");

/// Writes `crates/limbic-tools/src/tools/graph/<name>.rs` and adds the tool at the end of both lists.
pub fn run(name: &str) -> Result<()> {
    if !is_snake_case(name) {
        bail!("not a tool name: {name}; expected snake_case, such as find_duplicates");
    }
    let source = project::path("crates/limbic-tools/src");
    let file = source.join("tools/graph").join(format!("{name}.rs"));
    if file.exists() {
        bail!("the tool exists: {}", file.display());
    }
    let lists = [
        (source.join("tools/graph/mod.rs"), "pub mod ", format!("pub mod {name};")),
        (source.join("registry.rs"), "    tools::graph::", format!("    tools::graph::{name}::TOOL,")),
    ];
    fs::write(&file, skeleton(name))?;
    for (list, start, line) in &lists {
        let text = fs::read_to_string(list)?;
        let longer = after_last(&text, start, line)
            .with_context(|| format!("no list found in {}; add the tool by hand", list.display()))?;
        fs::write(list, longer)?;
    }
    println!("written: {}", file.display());
    println!(
        "It is the last tool of the toolset graph in tools/graph/mod.rs and registry.rs: move it to its place in reading \
         order, or to the folder of its toolset."
    );
    println!("Next: types, description, example, a transcript in tests/cases, and `cargo xtask gen`.");
    Ok(())
}

fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn skeleton(name: &str) -> String {
    let words = name.replace('_', " ");
    let title = words[..1].to_uppercase() + &words[1..];
    SKELETON.replace("{name}", name).replace("{title}", &title)
}

/// The text with `line` inserted after the last line that starts with `start`; `None` if there is none.
fn after_last(text: &str, start: &str, line: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|known| known.starts_with(start))?;
    lines.insert(last + 1, line);
    Some(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skeleton_contains_the_name_and_no_placeholder() {
        let text = skeleton("find_duplicates");
        assert!(text.contains("title: \"Find duplicates\""));
        assert!(text.contains("fn find_duplicates("));
        assert!(!text.contains("{name}") && !text.contains("{title}"));
    }

    #[test]
    fn after_last_inserts_behind_the_last_match() {
        assert_eq!(after_last("a 1\na 2\nb\n", "a ", "a 3").as_deref(), Some("a 1\na 2\na 3\nb\n"));
        assert_eq!(after_last("b\n", "a ", "a 3"), None);
    }

    #[test]
    fn is_snake_case_rejects_other_cases() {
        assert!(is_snake_case("find_duplicates2"));
        assert!(
            !is_snake_case("FindDuplicates")
                && !is_snake_case("find-duplicates")
                && !is_snake_case("2_duplicates")
        );
    }
}
