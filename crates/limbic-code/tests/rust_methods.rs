//! Methods of Rust by names that the standard library has, too.

mod support;

use support::calls;

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

#[test]
fn a_macro_of_the_standard_library_is_no_function_of_the_project() {
    let text = "fn vec() {}
fn line() -> u32 { 1 }
macro_rules! twice { ($a:expr) => { $a } }
fn run() {
    vec![1];
    write!(out, \"{}\", line!());
    twice!(vec());
}
";
    assert_eq!(calls("a.rs", text), ["7 resolved twice", "7 resolved vec"]);
}
