//! Facts of small files, and edges between them.

use limbic_code::{FileFacts, Project, Tier, changed_keys, extract};

const PYTHON: &str = r#"from .util import helper

class Shape:
    """A shape.

    With more text."""

    def area(self) -> float:
        return helper(self.side)

class Square(Shape):
    def double(self):
        return self.area() * 2
"#;

#[test]
fn facts_survive_their_byte_format() {
    let facts = extract("shapes/square.py", PYTHON.as_bytes());
    let bytes = limbic_protocol::to_bytes(std::slice::from_ref(&facts)).expect("facts can be written");
    let read: Vec<FileFacts> = limbic_protocol::from_bytes(&bytes).expect("facts can be read");
    assert_eq!(read, [facts]);
}

#[test]
fn a_method_found_through_a_base_class_is_resolved() {
    let mut project = Project::new();
    project.set("shapes/square.py", Some(extract("shapes/square.py", PYTHON.as_bytes())));
    project.set("shapes/util.py", Some(extract("shapes/util.py", b"def helper(x):\n    return x\n")));
    let edges = &project.resolve_all()["shapes/square.py"].edges;
    let has = |path: &str, symbol: &str| {
        edges.iter().any(|edge| edge.path == path && edge.symbol == symbol && edge.tier == Tier::Resolved)
    };
    assert!(has("shapes/util.py", "helper"), "{edges:?}");
    assert!(has("shapes/square.py", "Shape.area"), "{edges:?}");
    assert!(has("shapes/square.py", "Shape"), "{edges:?}");
}

#[test]
fn a_definition_above_changes_no_key_of_those_below() {
    let before = extract("a.py", PYTHON.as_bytes());
    let after = extract("a.py", format!("def first(): pass\n\n{PYTHON}").as_bytes());
    let keys = changed_keys("a.py", Some(&before.outline), Some(&after.outline));
    let added = changed_keys("b.py", None, Some(&extract("b.py", b"def first(): pass\n").outline));
    assert_eq!(keys.len(), 1, "only the name `first` changed");
    assert!(added.contains(&keys[0]));
}

#[test]
fn a_class_of_another_language_is_none_of_the_package() {
    let mut project = Project::new();
    project.set("A.java", Some(extract("A.java", b"class A extends Base {}\n")));
    project.set("store.ts", Some(extract("store.ts", b"export class Base {}\n")));
    assert!(project.resolve_all()["A.java"].edges.is_empty());
}

#[test]
fn a_shape_contains_what_only_layout_says() {
    let shape = |path: &str, text: &str| extract(path, text.as_bytes()).outline.symbols[0].shape_hash;
    for (path, before, after) in [
        (
            "a.py",
            "def f(a):\n    if a:\n        b()\n        c()\n",
            "def f(a):\n    if a:\n        b()\n    c()\n",
        ),
        (
            "a.py",
            "def f(a):\n    for b in a:\n        if b:\n            c()\n    return d()\n",
            "def f(a):\n    for b in a:\n        if b:\n            c()\n        return d()\n",
        ),
        (
            "a.py",
            "def f(a):\n    if a:\n        if b:\n            c()\n    else:\n        d()\n",
            "def f(a):\n    if a:\n        if b:\n            c()\n        else:\n            d()\n",
        ),
        ("a.py", "def f(a):\n    return\n    a()\n", "def f(a):\n    return a()\n"),
        ("a.py", "def f(a):\n    return (a,)\n", "def f(a):\n    return (a)\n"),
        ("a.rs", "fn f(a: u8) { g((a,)) }\n", "fn f(a: u8) { g((a)) }\n"),
        ("a.js", "function f(a) { return; a(); }\n", "function f(a) { return a(); }\n"),
        ("a.js", "function f(a) { a; (b) }\n", "function f(a) { a(b) }\n"),
        ("a.go", "package p\nfunc f() {\n\treturn\n\tg()\n}\n", "package p\nfunc f() {\n\treturn g()\n}\n"),
        (
            "a.scala",
            "def f(a: Int): Unit =\n  if a > 0 then\n    b()\n    c()\n",
            "def f(a: Int): Unit =\n  if a > 0 then\n    b()\n  c()\n",
        ),
    ] {
        if !path.ends_with(".scala") || cfg!(feature = "more") {
            assert_ne!(shape(path, before), shape(path, after), "{path}: {before}");
        }
    }
    let nested = |path: &str, text: &str, name: &str| {
        let symbols = extract(path, text.as_bytes()).outline.symbols;
        symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.shape_hash)
    };
    // What it is in, and what follows, does not belong to it.
    let alone = nested("a.py", "def f(a):\n    if a:\n        b()\n", "f");
    for text in [
        "class A:\n    def f(a):\n        if a:\n            b()\n",
        "if c:\n  class A:\n    def f(a):\n        if a: b()\n    def g(): pass\n",
    ] {
        assert_eq!(nested("a.py", text, "f"), alone, "{text}");
    }
    assert!(alone.is_some());
}

#[test]
fn a_shape_is_that_of_the_tokens() {
    let shape = |path: &str, text: &str| extract(path, text.as_bytes()).outline.symbols[0].shape_hash;
    let python = |body: &str| shape("a.py", &format!("def f(a):\n    {body}\n"));
    let same = python("return g(a, \"x\", \"\"\"y\"\"\", rb\"z\")");
    for body in [
        "return g(a, 'x', '''y''', rb'z')",
        "return g(\n        a,\n        'x',\n        '''y''',  # why\n        rb'z',\n    )",
        "'''Does it.'''\n    return g(a, \"x\", \"\"\"y\"\"\", rb'z')",
    ] {
        assert_eq!(python(body), same, "{body}");
    }
    for body in
        ["return g(a, 'w', '''y''', rb'z')", "return g(a, x, '''y''', rb'z')", "return g(a, 'x', 'y', rb'z')"]
    {
        assert_ne!(python(body), same, "{body}");
    }
    assert_ne!(
        python("return 'say \"x\"'"),
        python("return \"say \\\"x\\\"\""),
        "escapes are compared as written"
    );
    assert_eq!(
        shape("a.ts", "function f() { return 'x'; }"),
        shape("a.ts", "function f() {\n  return \"x\"\n}")
    );
    assert_ne!(shape("a.c", "int f() { return 'x'; }"), shape("a.c", "int f() { return \"x\"; }"));
}
