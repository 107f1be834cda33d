//! What several tests read of a project.

use limbic_code::{Project, extract};

/// The calls in a file as `line tier symbol`.
pub fn calls(path: &str, text: &str) -> Vec<String> {
    let mut project = Project::new();
    project.set(path, Some(extract(path, text.as_bytes())));
    let facts = project.facts(path).expect("the file was set");
    let edges = &project.resolve_all()[path].edges;
    let calls = edges.iter().filter(|edge| edge.relation.as_str() == "calls");
    calls
        .map(|edge| {
            let line = facts.references[edge.reference as usize].line;
            format!("{line} {} {}", edge.tier.as_str(), edge.symbol)
        })
        .collect()
}
