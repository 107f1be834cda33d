//! Malformed and random input: every file gives facts or a reason, and never a panic.

use limbic_code::{Expression, FileFacts, Language, Project, SkipReason, extract};
use limbic_protocol::SplitMix64;

const SEEDS: &[(&str, &str)] = &[
    ("a.rs", include_str!("../../../tests/files/code/shapes.rs")),
    ("a.py", include_str!("../../../tests/files/code/shop.py")),
    ("a.js", include_str!("../../../tests/files/code/server.js")),
    ("a.ts", include_str!("../../../tests/files/code/store.ts")),
    ("a.tsx", include_str!("../../../tests/files/code/view.tsx")),
    ("a.go", include_str!("../../../tests/files/code/queue.go")),
    ("A.java", include_str!("../../../tests/files/code/bank/Account.java")),
    ("a.c", include_str!("../../../tests/files/code/list.c")),
    ("a.cpp", include_str!("../../../tests/files/code/geometry.cpp")),
    ("a.hpp", include_str!("../../../tests/files/code/geometry.hpp")),
    ("a.cs", include_str!("../../../tests/files/code/Orders.cs")),
    ("a.rb", include_str!("../../../tests/files/code/library.rb")),
    ("a.php", include_str!("../../../tests/files/code/mailer.php")),
    ("a.sh", include_str!("../../../tests/files/code/deploy.sh")),
    ("a.kt", include_str!("../../../tests/files/code/Inventory.kt")),
    ("a.scala", include_str!("../../../tests/files/code/Events.scala")),
    ("a.swift", include_str!("../../../tests/files/code/Player.swift")),
    ("a.lua", include_str!("../../../tests/files/code/robot.lua")),
    ("a.html", include_str!("../../../tests/files/code/page.html")),
    ("a.md", include_str!("../../../tests/files/code/guide.md")),
    ("tsconfig.json", include_str!("../../../tests/files/code/data.json")),
    ("Cargo.toml", include_str!("../../../tests/files/code/settings.toml")),
    ("a.yaml", include_str!("../../../tests/files/code/flow.yaml")),
    ("a.css", include_str!("../../../tests/files/code/style.css")),
    ("a.sql", include_str!("../../../tests/files/code/tables.sql")),
    ("a.xyz", include_str!("../../../tests/files/code/notes.xyz")),
];

/// Checks what holds of the facts of any bytes.
fn check(path: &str, bytes: &[u8], facts: &FileFacts) {
    let outline = &facts.outline;
    let mut names = std::collections::BTreeSet::new();
    for symbol in &outline.symbols {
        assert!(symbol.start_line <= symbol.line && symbol.line <= symbol.end_line, "{path}: {symbol:?}");
        assert!(symbol.end_line <= facts.lines.max(1), "{path}: {symbol:?} of {} lines", facts.lines);
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < outline.symbols.len()));
        assert!(names.insert(&symbol.qualified_name), "{path}: two of {}", symbol.qualified_name);
    }
    for reference in &facts.references {
        assert!(reference.enclosing.is_none_or(|index| (index as usize) < outline.symbols.len()));
        if let Expression::Symbol(index) = reference.target {
            assert!((index as usize) < outline.symbols.len());
        }
    }
    let mut last = 0;
    for chunk in &facts.chunks {
        assert!(
            chunk.start_line > last && chunk.end_line >= chunk.start_line,
            "{path}: {chunk:?} after line {last}"
        );
        assert!(chunk.header.chars().count() <= 420);
        last = chunk.end_line;
    }
    let again = extract(path, bytes);
    assert!(*facts == again, "{path}: the same bytes gave other facts");
}

#[test]
fn broken_syntax_gives_partial_facts() {
    let mut numbers = SplitMix64::new(7);
    for round in 0..60 {
        let mut project = Project::new();
        for (path, text) in SEEDS {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=numbers.index(8) {
                if bytes.is_empty() {
                    bytes.push(b'x');
                }
                let at = numbers.index(bytes.len());
                match numbers.index(6) {
                    0 => drop(bytes.drain(at..(at + 1 + numbers.index(30)).min(bytes.len()))),
                    1 => bytes.insert(at, b"{}()[]<>\"'`\\\n#:;,.@&*"[numbers.index(21)]),
                    2 => bytes[at] = u8::try_from(numbers.index(256)).expect("it is below 256"),
                    3 => {
                        let piece = bytes[at..(at + numbers.index(60)).min(bytes.len())].to_vec();
                        let to = numbers.index(bytes.len());
                        bytes.splice(to..to, piece);
                    }
                    4 => bytes.truncate(at.max(1)),
                    _ => {
                        let (_, other) = SEEDS[numbers.index(SEEDS.len())];
                        let from = numbers.index(other.len());
                        bytes.extend_from_slice(&other.as_bytes()[from..]);
                    }
                }
            }
            let facts = extract(path, &bytes);
            if round % 6 == 0 {
                check(path, &bytes, &facts);
            }
            project.set(path, Some(facts));
        }
        for (path, resolution) in project.resolve_all() {
            let count = project.facts(&path).expect("it was added").references.len();
            assert!(resolution.edges.iter().all(|edge| (edge.reference as usize) < count));
        }
    }
}

#[test]
fn deep_nesting_exhausts_no_stack() {
    let deep = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(20_000), close.repeat(20_000))
    };
    let texts = [
        ("a.py", format!("x = {}\n", deep("(", "f()", ")"))),
        ("a.py", format!("x = {}1\n", "a + ".repeat(20_000))),
        ("a.rs", format!("fn f() {{ {} }}\n", deep("[", "g()", "]"))),
        ("a.rs", format!("fn f() {{ m!{} }}\n", deep("{", "g()", "}"))),
        ("a.rs", format!("fn f() {{ x{} }}\n", ".g()".repeat(20_000))),
        ("a.js", format!("x = {};\n", deep("[", "f()", "]"))),
        ("a.ts", format!("type T = {};\n", deep("Array<", "U", ">"))),
        ("a.go", format!("package a\nfunc f() {}\n", deep("{", "g()", "}"))),
        ("A.java", format!("class A {{ int x = {}; }}\n", deep("(", "f()", ")"))),
        ("a.c", format!("int x = {};\n", deep("(", "f()", ")"))),
        ("a.json", deep("[", "1", "]")),
        ("a.cpp", format!("int x = {};\n", deep("(", "f()", ")"))),
        ("a.cpp", format!("void f() {}\n", deep("{", "g();", "}"))),
        ("a.cs", format!("class A {{ int x = {}; }}\n", deep("(", "F()", ")"))),
        ("a.rb", format!("x = {}\n", deep("[", "f()", "]"))),
        ("a.rb", format!("x = y{}\n", ".f(1)".repeat(20_000))),
        ("a.php", format!("<?php $x = {};\n", deep("(", "f()", ")"))),
        ("a.sh", format!("f() {}\n", deep("{\n", "g\n", "}\n"))),
        ("a.kt", format!("val x = {}\n", deep("(", "f()", ")"))),
        ("a.scala", format!("object A {{ val x = {} }}\n", deep("(", "f()", ")"))),
        ("a.swift", format!("let x = {}\n", deep("[", "f()", "]"))),
        ("a.lua", format!("x = {}\n", deep("{", "f()", "}"))),
        ("a.html", deep("<div>\n", "text\n", "</div>\n")),
    ];
    let lines =
        |text: &str| text.replace("((((", "((((\n").replace("[[[[", "[[[[\n").replace("+ a +", "+ a +\n");
    let mut project = Project::new();
    for (index, (path, text)) in texts.iter().enumerate() {
        let facts = extract(path, lines(text).as_bytes());
        project.set(&format!("{index}/{path}"), Some(facts));
    }
    assert_eq!(project.resolve_all().len(), texts.len());
}

/// Texts that take the parser memory or work that grows with their square: they are divided into lines.
#[test]
fn a_small_file_that_takes_the_parser_too_much_is_divided_into_lines() {
    let texts = [
        ("a.c", "(a)=>\n".repeat(2_000)),
        ("a.c", "(a)=>\n".repeat(160_000)),
        ("A.java", "A<\n".repeat(10_000)),
        ("A.java", "A<\n".repeat(60_000)),
        ("a.cs", "A<\n".repeat(6_000)),
        ("a.sh", format!("x{}", ".a()\n".repeat(60_000))),
        ("a.kt", "if a:\n (\n".repeat(60_000)),
    ];
    for (path, text) in texts {
        let facts = extract(path, text.as_bytes());
        let length = text.len();
        assert_eq!(facts.skipped, None, "{path} of {length} bytes");
        assert!(facts.outline.symbols.is_empty() && facts.references.is_empty(), "{path} of {length} bytes");
        assert_eq!(facts.syntax_errors, 0, "{path} of {length} bytes was parsed");
        assert_eq!(facts.chunks.first().map(|chunk| chunk.start_line), Some(1), "{path} of {length} bytes");
        let last = facts.chunks.last().map(|chunk| chunk.end_line);
        assert_eq!(last, Some(facts.lines), "{path} of {length} bytes");
    }
}

/// A function in each language, whose name is put for `@`, and a line that is wrong.
const FUNCTIONS: [(&str, &str, &str); 18] = [
    ("a.rs", "fn @() {\n    g();\n}\n", "let x = );\n"),
    ("a.py", "def @():\n    g()\n", "x = )\n"),
    ("a.js", "function @() {\n  g();\n}\n", "let x = );\n"),
    ("a.ts", "function @() {\n  g();\n}\n", "let x = );\n"),
    ("a.tsx", "function @() {\n  g();\n}\n", "let x = );\n"),
    ("a.go", "func @() {\n\tg()\n}\n", "var x = )\n"),
    ("A.java", "class @ {\n  void f() {\n    g();\n  }\n}\n", "int x = );\n"),
    ("a.c", "int @(void) {\n  return g();\n}\n", "int x = );\n"),
    ("a.cpp", "int @() {\n  return g();\n}\n", "int x = );\n"),
    ("a.cs", "class @ {\n  void F() {\n    G();\n  }\n}\n", "int x = );\n"),
    ("a.rb", "def @\n  g()\nend\n", "x = )\n"),
    ("a.php", "function @() {\n  g();\n}\n", "$x = );\n"),
    ("a.sh", "@() {\n  g\n}\n", "x=)\n"),
    ("a.kt", "fun @() {\n  g()\n}\n", "val x = )\n"),
    ("a.scala", "object @ {\n  def f() = g()\n}\n", "val x = )\n"),
    ("a.swift", "func @() {\n  g()\n}\n", "let x = )\n"),
    ("a.lua", "function @()\n  g()\nend\n", "x = )\n"),
    ("a.html", "<div id=\"@\">\n</div>\n", "<p <\n"),
];

fn names(path: &str, text: &str) -> Vec<String> {
    let start = if path.ends_with(".php") { "<?php\n" } else { "" };
    let start = if path.ends_with(".go") { "package p\n" } else { start };
    let symbols = extract(path, format!("{start}{text}").as_bytes()).outline.symbols;
    symbols.into_iter().map(|symbol| symbol.name).filter(|name| name.starts_with("my")).collect()
}

#[test]
fn a_conflict_of_a_merge_loses_no_definition() {
    for (path, function, _) in FUNCTIONS {
        let [before, ours, base, theirs, after] =
            ["my_a", "my_b", "my_c", "my_d", "my_e"].map(|name| function.replace('@', name));
        let text = format!(
            "{before}<<<<<<< HEAD\n{ours}||||||| 1234567\n{base}=======\n{theirs}>>>>>>> other\n{after}"
        );
        assert_eq!(names(path, &text), ["my_a", "my_b", "my_c", "my_d", "my_e"], "{path}");
        let text = format!("{before}<<<<<<< HEAD\n{ours}=======\n>>>>>>> other\n{after}");
        assert_eq!(names(path, &text), ["my_a", "my_b", "my_e"], "{path}");
    }
}

#[test]
fn a_wrong_line_keeps_the_definitions_before_it_and_those_that_the_grammar_finds_behind() {
    // Their grammars take the next function for a value, or find no statement again.
    let without_next = ["a.js", "a.ts", "a.tsx", "a.go", "a.sh", "a.lua"];
    for (path, function, wrong) in FUNCTIONS {
        let [first, second, third] = ["my_a", "my_b", "my_c"].map(|name| function.replace('@', name));
        let found = names(path, &format!("{first}\n{second}\n{wrong}\n{third}"));
        assert_eq!(found[..found.len().min(2)], ["my_a", "my_b"], "{path}: {found:?}");
        let is_found = found.len() == 3;
        assert_eq!(is_found, !without_next.contains(&path), "{path}: {found:?}");
    }
}

#[test]
fn kotlin_members_on_the_line_of_the_closing_brace_are_found() {
    let text = "interface A { fun f(): Int }\nclass C : A { override fun f() = 1 }\nfun z() = 1\n";
    let facts = extract("a.kt", text.as_bytes());
    let names: Vec<&str> =
        facts.outline.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
    assert_eq!(names, ["A", "A.f", "C", "C.f", "z"]);
    assert_eq!(facts.syntax_errors, 0);
    let facts = extract("a.kt", format!("{text}val x = )\nfun y() {{}}\n").as_bytes());
    assert_eq!(facts.outline.symbols.len(), 6, "{:?}", facts.outline.symbols);
}

/// Work and memory follow the length of the facts, which must follow the length of the text.
#[test]
fn facts_grow_with_the_text_and_not_with_its_square() {
    const MAX_TIMES: usize = 150;
    let name = "n".repeat(290);
    let nested = |open: &str, middle: &str, close: &str| {
        let opened: String = (0..80).map(|at| open.replace('@', &format!("{name}{at}"))).collect();
        let inside: String = (0..800).map(|at| middle.replace('@', &at.to_string())).collect();
        format!("{opened}{inside}{}", close.repeat(80))
    };
    let long_line = format!("{};", "f(a, 'b', [1, 2]);".repeat(2_000));
    let texts = [
        ("a.rs", nested("mod @ {\n", "fn f@() {}\n", "}")),
        ("a.ts", nested("namespace @ {\n", "export function f@() {}\n", "}")),
        ("A.java", nested("class @ {\n", "void f@() {}\n", "}")),
        ("a.cpp", nested("namespace @ {\n", "void f@() {}\n", "}")),
        ("a.cs", nested("namespace @ {\n", "class C@ {}\n", "}")),
        ("a.rb", nested("module @\n", "def f@; end\n", "end\n")),
        ("a.scala", nested("object @ {\n", "def f@() = 1\n", "}")),
        ("a.kt", nested("object @ {\n", "fun f@() {}\n", "}")),
        ("a.swift", nested("enum @ {\n", "func f@() {}\n", "}")),
        ("a.js", format!("{long_line}\n").repeat(20)),
        ("a.py", format!("x = {}\n", "f(y).".repeat(400) + "z").repeat(20)),
        ("a.rb", format!("x = {}\n", "f(y).".repeat(400) + "z").repeat(20)),
        ("a.php", format!("<?php $x = {};\n", "$y->f()->".repeat(400) + "z").repeat(20)),
    ];
    for (path, text) in texts {
        let facts = extract(path, text.as_bytes());
        let bytes = limbic_protocol::to_bytes(&[facts]).expect("facts can be written").len();
        assert!(bytes <= MAX_TIMES * text.len(), "{path}: {bytes} bytes of facts for {} of text", text.len());
    }
}

#[test]
fn files_that_are_not_read_have_a_reason() {
    let utf16: Vec<u8> = "def f():\n    pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf16.iter().copied()).collect();
    let long_line = format!("var a={};", "f(1);".repeat(3_000));
    let cases: [(&str, Vec<u8>, SkipReason); 8] = [
        ("a.py", utf16, SkipReason::NotUtf8),
        ("a.py", marked, SkipReason::NotUtf8),
        ("a.js", vec![b'x'; 1_000_001], SkipReason::TooLarge),
        ("a.py", b"def f():\0 pass".to_vec(), SkipReason::Binary),
        ("logo.py", vec![0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13], SkipReason::Binary),
        ("a.js", long_line.into_bytes(), SkipReason::Minified),
        ("lib.min.js", b"f()".to_vec(), SkipReason::Minified),
        ("two\nlines.py", b"def f(): pass\n".to_vec(), SkipReason::BadPath),
    ];
    for (path, bytes, reason) in cases {
        let facts = extract(path, &bytes);
        assert_eq!(facts.skipped, Some(reason), "{path:?}");
        assert!(facts.chunks.is_empty() && facts.outline.symbols.is_empty());
        assert!(!reason.message().is_empty());
    }
}

#[test]
fn a_stray_byte_and_carriage_returns_lose_nothing() {
    let stray = extract("a.py", b"# caf\xe9 in Latin-1\ndef f():\n    return g()\n");
    assert_eq!(stray.skipped, None);
    assert_eq!(stray.outline.symbols[0].name, "f");
    let plain = extract("a.py", b"class A:\n    def f(self):\n        return self.f()\n");
    let windows = extract("a.py", b"class A:\r\n    def f(self):\r\n        return self.f()\r\n");
    assert_eq!(windows.references, plain.references);
    assert_eq!(windows.outline, plain.outline, "layout is not part of the shape");
    let marked = extract("a.py", b"\xef\xbb\xbfdef f(): pass\n");
    assert_eq!(marked.outline.symbols[0].column, 5);
    assert_eq!(extract("a.py", b"").lines, 0);
}

#[test]
fn columns_count_characters() {
    let facts = extract("a.py", "x = 'äöü'; f()\n".as_bytes());
    assert_eq!(facts.references[0].column, 12);
}

#[test]
fn the_language_is_that_of_the_name_or_the_shebang() {
    let cases: [(&str, &[u8], Language); 22] = [
        ("a/b.RS", b"", Language::Rust),
        ("tool", b"#!/usr/bin/env python3\n", Language::Python),
        ("tool", b"#!/usr/bin/env -S deno run\n", Language::TypeScript),
        ("tool", b"#!/usr/bin/env -S uv run --script\n# /// script\n", Language::Python),
        ("tool", b"#!/usr/bin/env -S uv run --quiet python3.12 -m a\n", Language::Python),
        ("tool", b"#!/usr/bin/env -Suv run\r\n", Language::Python),
        ("tool", b"#!/usr/bin/env --split-string=npx tsx\n", Language::TypeScript),
        ("tool", b"#!/usr/bin/env -S -u HOME A=b pypy3\n", Language::Python),
        ("tool", b"#!/usr/bin/env -S cargo +nightly -Zscript\n", Language::Rust),
        ("tool", b"#!/usr/bin/env -S bundle exec ruby -w\n", Language::Ruby),
        ("tool", b"#!/usr/bin/env -S go run\n", Language::Go),
        ("tool", b"\xef\xbb\xbf#!/usr/bin/env python3\r\n", Language::Python),
        ("tool", b"#!/usr/bin/python\rprint()\r", Language::Python),
        ("tool", b"#!/usr/bin/env -S perl run\n", Language::Unknown),
        ("tool", b"#!\n", Language::Unknown),
        ("tool", b"#!/bin/sh\n", Language::Bash),
        ("tool", b"plain text", Language::Unknown),
        ("a.h", b"int f(void);\n", Language::C),
        ("a.h", b"namespace a {\n}\n", Language::Cpp),
        (".py", b"", Language::Unknown),
        ("Gemfile", b"", Language::Ruby),
        ("a.d.ts", b"", Language::TypeScript),
    ];
    for (path, bytes, language) in cases {
        assert_eq!(Language::detect(path, bytes), language, "{path}");
    }
    assert_eq!(Language::from_name(" TS "), Some(Language::TypeScript));
    assert_eq!(Language::from_name("c++"), Some(Language::Cpp));
    assert_eq!(Language::from_name("klingon"), None);
}

#[test]
fn types_that_are_reached_through_themselves_end() {
    let files: &[(&str, &str)] = &[
        ("a.py", "class A(A.B):\n    def go(self):\n        self.run()\n"),
        ("b.py", "class C(D.X):\n    def go(self):\n        self.run()\nclass D(C.X):\n    pass\n"),
        ("c.py", "class E(E):\n    def go(self):\n        self.run()\n"),
        ("many.py", "class M(M.A, M.B, M.C, M.D):\n    def go(self):\n        self.run()\n"),
        ("a.js", "class A extends A.B { go() { this.run() } }\n"),
        ("a.ts", "class A extends A.B { go() { this.run() } }\n"),
        ("a.rs", "trait A: A::B { fn go(&self) { self.run() } }\n"),
        ("A.java", "class A extends A.B { void go() { this.run(); } }\n"),
        ("A.cs", "class A : A.B { void Go() { this.Run(); } }\n"),
        ("A.kt", "class A : A.B() { fun go() { this.run() } }\n"),
        ("a.cpp", "struct A : A::B { void go() { this->run(); } };\n"),
        ("a.php", "<?php\nclass A extends A\\A { function go() { $this->run(); } }\n"),
        ("A.swift", "class A: A.B { func go() { self.run() } }\n"),
        ("A.scala", "class A extends A.B { def go() = this.run() }\n"),
        ("a.rb", "class SCGI < ::SCGI::Processor\n  def go\n    run\n  end\nend\n"),
    ];
    for (path, text) in files {
        let mut project = Project::new();
        project.set(path, Some(extract(path, text.as_bytes())));
        assert!(project.resolve_all().contains_key(*path), "{path}");
    }
}
