//! `cargo xtask new-tool NAME`: the skeleton of a tool, and its place in the two lists.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::project;

const SKELETON: &str = include_str!("new_tool.txt");

/// Writes `crates/limbic-tools/src/tools/<name>.rs` and adds the tool at the end of both lists.
pub fn run(name: &str) -> Result<()> {
    if !is_snake_case(name) {
        bail!("a tool's name is in snake_case, such as find_duplicates: {name}");
    }
    let source = project::path("crates/limbic-tools/src");
    let file = source.join("tools").join(format!("{name}.rs"));
    if file.exists() {
        bail!("there is such a tool already: {}", file.display());
    }
    let lists = [
        (source.join("tools/mod.rs"), "pub mod ", format!("pub mod {name};")),
        (source.join("registry.rs"), "    tools::", format!("    tools::{name}::TOOL,")),
    ];
    fs::write(&file, skeleton(name))?;
    for (list, start, line) in &lists {
        let text = fs::read_to_string(list)?;
        let longer =
            after_last(&text, start, line).with_context(|| format!("add it by hand: {}", list.display()))?;
        fs::write(list, longer)?;
    }
    println!("written: {}", file.display());
    println!("It stands last in tools/mod.rs and registry.rs: move it to where a reader expects it.");
    println!("Then: its types, its text, its example, a case in tests/cases, and `cargo xtask gen`.");
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

/// The text with a line added behind the last one that starts so.
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
    fn the_skeleton_carries_the_name() {
        let text = skeleton("find_twins");
        assert!(text.contains("title: \"Find twins\""));
        assert!(text.contains("fn find_twins("));
        assert!(!text.contains("{name}") && !text.contains("{title}"));
    }

    #[test]
    fn a_line_is_added_behind_its_like() {
        assert_eq!(after_last("a 1\na 2\nb\n", "a ", "a 3").as_deref(), Some("a 1\na 2\na 3\nb\n"));
        assert_eq!(after_last("b\n", "a ", "a 3"), None);
    }

    #[test]
    fn names_are_in_snake_case() {
        assert!(is_snake_case("find_twins2"));
        assert!(!is_snake_case("FindTwins") && !is_snake_case("find-twins") && !is_snake_case("2_twins"));
    }
}
