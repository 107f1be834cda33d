//! Calls and references in the arguments of Rust's macros.

mod support;

use limbic_code::extract;
use support::calls;

/// The references in a file to names of it as `line kind name`, without those of variables.
fn references(text: &str) -> Vec<String> {
    let facts = extract("a.rs", text.as_bytes());
    let is_own = |name: &str| facts.outline.symbols.iter().any(|symbol| symbol.name == name);
    let references = facts.references.iter().filter(|reference| is_own(&reference.name));
    references
        .map(|reference| format!("{} {} {}", reference.line, reference.kind.as_str(), reference.name))
        .collect()
}

#[test]
fn calls_in_short_arguments_are_resolved() {
    let text = "fn size() -> usize { 1 }
macro_rules! twice { ($e:expr) => { $e + $e }; }
fn run(x: usize) {
    vec![size()];
    twice!(size());
    vec![0; size()];
    twice! { size() };
    println!(\"{}\", size());
    assert_eq!(vec![size()], format!(\"{named} {}\", size(), named = size()));
    info!(size = size(), %x, ?x, \"text {}\", size());
    json!({\"a\": size(), \"b\": [1, size()]});
    vec![size() as u64, -1, *&size(), if x > 1 { size() } else { 2 }];
    dbg!(HashMap::<u8, u8>::new(), size());
    ensure!(x == size(), \"no\");
}
";
    let count = |line: &str| {
        calls("a.rs", text).iter().filter(|call| **call == format!("{line} resolved size")).count()
    };
    let counts: Vec<usize> = (4..=14).map(|line| count(&line.to_string())).collect();
    assert_eq!(counts, [1, 1, 1, 1, 1, 3, 2, 2, 3, 1, 1]);
}

#[test]
fn methods_in_arguments_have_the_type_of_their_receiver() {
    let text = "struct Foo;
struct Bar;
impl Foo {
    fn new() -> Self { Foo }
    fn b(&self) -> Bar { Bar }
}
impl Bar { fn c(&self) -> u8 { 1 } }
fn run(a: Foo, out: &mut String) {
    format!(\"{}\", a.b().c());
    vec![Foo::new(); 2];
    write!(out, \"{}\", Foo::new().b().c())?;
}
";
    let expected = [
        "9 resolved Foo.b",
        "9 resolved Bar.c",
        "10 resolved Foo.new",
        "11 resolved Foo.new",
        "11 resolved Foo.b",
        "11 resolved Bar.c",
    ];
    assert_eq!(calls("a.rs", text), expected);
}

#[test]
fn patterns_branches_and_items_in_macros_are_read() {
    let text = "enum Kind { A(u8), B { x: u8 } }
struct Unit;
fn odd(n: u8) -> bool { n == 1 }
fn run(k: Kind) {
    matches!(k, Kind::A(n) if odd(n));
    matches!(k, Kind::B { .. } | Kind::A(_));
    select! {
        got = odd(1) => odd(got),
        _ = later() => { odd(2) }
    }
}
thread_local!(static CELL: Cell<Unit> = Cell::new(Unit));
cfg_if! {
    if #[cfg(unix)] {
        /// Of unix.
        fn one() { odd(3); }
    } else {
        fn other() {}
    }
}
";
    let expected = [
        "4 type Kind",
        "5 use Kind",
        "5 call odd",
        "6 use Kind",
        "6 use Kind",
        "8 call odd",
        "8 call odd",
        "9 call odd",
        "12 type Unit",
        "12 use Unit",
        "16 call odd",
    ];
    assert_eq!(references(text), expected);
    let facts = extract("a.rs", text.as_bytes());
    let find = |name: &str| facts.outline.symbols.iter().find(|symbol| symbol.name == name);
    let signature = find("CELL").map(|symbol| symbol.signature.as_str());
    assert_eq!(signature, Some("static CELL: Cell<Unit> = Cell::new(Unit)"));
    assert_eq!(find("one").and_then(|symbol| symbol.doc.as_deref()), Some("Of unix."));
    assert!(find("other").is_some());
}

#[test]
fn the_text_of_other_code_has_no_references() {
    let text = "fn size() {}\nfn run() { stringify!(size()); quote! { size() }; }\n";
    assert_eq!(references(text), Vec::<String>::new());
}

#[test]
fn words_in_macros_are_no_definitions() {
    let text = "forward! {\n    bool tuple_struct map struct enum ignored_any\n}\n\
        bitflags! {\n    /// Flags.\n    pub struct Flags: u32 {\n        const A = 1;\n    }\n}\n";
    let facts = extract("a.rs", text.as_bytes());
    let names: Vec<&str> = facts.outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["Flags"]);
}

#[test]
fn long_lists_are_read_in_part_and_long_blocks_whole() {
    let calls = |open: &str, part: &str, close: &str, count: usize| {
        let text = format!("fn size() {{}}\nfn run() {{ {open}{}{close} }}\n", part.repeat(count));
        references(&text).len()
    };
    assert_eq!(calls("vec![", "size(),\n", "]", 200), 200);
    assert_eq!(calls("vec![", "size(),\n", "]", 201), 200);
    assert_eq!(calls("vec![", "size(),\n", "]", 300), 200);
    assert_eq!(calls("lazy_static! {", "const A: u8 = size();\n", "}", 300), 300);
    assert_eq!(calls("m! {", "size() {} =>\n", "}", 300), 200);
}

#[test]
fn a_macro_of_many_blocks_ends() {
    let others = ["a {b {} c}\n", "a {b => c}\n", "a, {}\n", "+ {} =>\n"].map(|part| (part, 20_000));
    for (part, bytes) in [("a {}\n", 500_000)].into_iter().chain(others) {
        let text = format!("fn run() {{ m!{{ {} }} }}\n", part.repeat(bytes / part.len() - 10));
        assert_eq!(extract("a.rs", text.as_bytes()).skipped, None);
    }
}
