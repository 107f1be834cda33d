//! Methods of Rust by names that the standard library has, too.

use limbic_code::{Project, extract};

/// The calls in a file as `line tier symbol`.
fn calls(path: &str, text: &str) -> Vec<String> {
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

#[test]
fn a_name_of_the_standard_library_is_no_method_of_a_trait_of_the_project() {
    let text = "trait Parser {
    fn map(&self) {}
    fn parse_it(&self) {}
}

struct Text;

impl Parser for Text {}

struct Name;

struct Arg {
    names: Vec<Name>,
    name: Option<Name>,
    text: Text,
}

impl Arg {
    fn run(&self) {
        self.names.iter().map(|name| name);
        self.name.as_ref().map(|name| name);
        self.text.map();
        self.name.as_ref().parse_it();
    }
}
";
    assert_eq!(calls("a.rs", text), ["22 resolved Parser.map", "23 resolved Parser.parse_it"]);
}
