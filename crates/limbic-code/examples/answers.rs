//! Prints the facts and edges of a folder, one JSON object per line, in the format that `cargo xtask bench code`
//! scores.
//!
//! Usage: `answers NAME FOLDER`. Timings go to standard error.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a program, not the crate")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use limbic_code::{Project, ProjectView, extract};
use serde_json::json;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(folder)) = (arguments.next(), arguments.next().map(PathBuf::from)) else {
        eprintln!("usage: answers NAME FOLDER");
        std::process::exit(2);
    };
    let mut paths = Vec::new();
    list(&folder, &mut paths);
    paths.sort();
    let mut project = Project::new();
    let start = Instant::now();
    let mut bytes_read = 0;
    for path in paths {
        let relative = path.strip_prefix(&folder).expect("the path was listed below the folder");
        let relative = relative.to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&path).expect("a listed file can be read");
        bytes_read += bytes.len();
        project.set(&relative, Some(extract(&relative, &bytes)));
    }
    let extracted = start.elapsed();
    let edges = project.resolve_all();
    let resolved = start.elapsed() - extracted;
    eprintln!("{name}: {bytes_read} bytes, extracted in {extracted:?}, resolved in {resolved:?}");
    for (path, resolution) in &edges {
        let facts = project.facts(path).expect("the file was resolved");
        for symbol in &facts.outline.symbols {
            let line = json!({"kind": "definition", "repo": name, "file": path, "line": symbol.line,
                "end_line": symbol.end_line, "name": symbol.name, "type": symbol.kind.as_str()});
            println!("{line}");
        }
        for edge in &resolution.edges {
            let reference = &facts.references[edge.reference as usize];
            let outline = project.outline(&edge.path).expect("the edge ends in the project");
            let to = outline.symbols.iter().find(|symbol| symbol.qualified_name == edge.symbol);
            let to = to.expect("the edge ends at a symbol");
            let mut line = json!({"kind": "reference", "repo": name, "file": path, "line": reference.line,
                "def_file": edge.path, "def_line": to.line, "name": to.name, "tier": edge.tier.as_str(),
                "relation": edge.relation.as_str()});
            if let Some(from) = reference.enclosing.map(|index| &facts.outline.symbols[index as usize]) {
                line["from_file"] = json!(path);
                line["from_line"] = json!(from.line);
                line["from_name"] = json!(from.name);
            }
            println!("{line}");
        }
    }
}

/// The files below a folder.
fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let path = entry.path();
        if path.is_dir() { list(&path, found) } else { found.push(path) }
    }
}
