//! An incremental update gives the edges that a full resolution gives.
#![allow(clippy::disallowed_methods, reason = "a test reads its fixtures")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use limbic_code::{Project, Resolution, extract, resolve};

/// A project whose edges are kept current file by file.
#[derive(Default)]
struct Incremental {
    project: Project,
    edges: BTreeMap<String, Resolution>,
    resolved: usize,
}

impl Incremental {
    /// Applies changes (`None` deletes) and resolves the files that they touch.
    fn apply(&mut self, changes: &[(&str, Option<&[u8]>)]) {
        let mut keys: BTreeSet<u64> = BTreeSet::new();
        let mut dirty: BTreeSet<String> = BTreeSet::new();
        for (path, bytes) in changes {
            keys.extend(self.project.set(path, bytes.map(|bytes| extract(path, bytes))));
            self.edges.remove(*path);
            if bytes.is_some() {
                dirty.insert((*path).to_owned());
            }
        }
        let touched = |resolution: &Resolution| resolution.lookups.iter().any(|key| keys.contains(key));
        dirty.extend(self.edges.iter().filter(|(_, edges)| touched(edges)).map(|(path, _)| path.clone()));
        self.resolved = dirty.len();
        for path in dirty {
            let facts = self.project.facts(&path).expect("it was added");
            let resolution = resolve(&self.project, &path, facts);
            self.edges.insert(path, resolution);
        }
        assert_eq!(
            self.edges,
            self.project.resolve_all(),
            "after {:?}",
            changes.iter().map(|(path, _)| path).collect::<Vec<_>>()
        );
    }

    fn has(&self, path: &str, to: &str, symbol: &str) -> bool {
        self.edges[path].edges.iter().any(|edge| edge.path == to && edge.symbol == symbol)
    }
}

#[test]
fn a_history_of_changes_resolves_as_a_fresh_index() {
    let mut index = Incremental::default();
    let main = b"from app.models import User\nfrom app import tools\n\ndef main():\n    user = User('a')\n    user.greet()\n    tools.run(user)\n";
    let models: &[u8] = b"from .base import Base\n\nclass User(Base):\n    def __init__(self, name):\n        self.name = name\n";
    let base: &[u8] =
        b"class Base:\n    def greet(self):\n        return helper()\n\ndef helper():\n    return 1\n";
    index.apply(&[
        ("app/__init__.py", Some(b"")),
        ("app/models.py", Some(models)),
        ("app/base.py", Some(base)),
        ("app/tools.py", Some(b"def run(user):\n    return user.greet()\n")),
        ("main.py", Some(main)),
        ("other.py", Some(b"def unrelated():\n    return 2\n")),
    ]);
    assert!(index.has("main.py", "app/base.py", "Base.greet"));
    // A comment changes nothing for others.
    index.apply(&[("app/base.py", Some(b"# Bases.\nclass Base:\n    def greet(self):\n        return helper()\n\ndef helper():\n    return 1\n"))]);
    assert_eq!(index.resolved, 1);
    // A renamed method.
    index.apply(&[("app/base.py", Some(b"class Base:\n    def hello(self):\n        return 1\n"))]);
    assert!(!index.has("main.py", "app/base.py", "Base.greet"));
    assert!(index.resolved < 5, "unrelated files are left alone");
    index.apply(&[("app/base.py", Some(base))]);
    assert!(index.has("main.py", "app/base.py", "Base.greet"));
    // Moved to another file, with a re-export.
    index.apply(&[
        ("app/base.py", None),
        ("app/core/__init__.py", Some(b"from .roots import *\n")),
        ("app/core/roots.py", Some(base)),
        ("app/models.py", Some(b"from .core import Base\n\nclass User(Base):\n    pass\n")),
    ]);
    assert!(index.has("main.py", "app/core/roots.py", "Base.greet"));
    // The package becomes a module; a file becomes binary; names differ in case alone.
    index.apply(&[("app/core/__init__.py", None), ("app/core/roots.py", None), ("app/core.py", Some(base))]);
    assert!(index.has("main.py", "app/core.py", "Base.greet"));
    index.apply(&[("app/tools.py", Some(b"\0\0\0"))]);
    assert!(!index.has("main.py", "app/tools.py", "run"));
    index.apply(&[("app/tools.py", None), ("app/Tools.py", Some(b"def run(user): pass\n"))]);
    assert!(!index.has("main.py", "app/Tools.py", "run"));
    index.apply(&[("app/Tools.py", None), ("app/tools.py", Some(b"def run(user): pass\r\n"))]);
    assert!(index.has("main.py", "app/tools.py", "run"));
    // A second definition makes a name ambiguous, and its end makes it one again.
    index.apply(&[("other.py", Some(b"def start(thing):\n    thing.refresh()\n"))]);
    index.apply(&[("one.py", Some(b"class One:\n    def refresh(self): pass\n"))]);
    assert!(index.has("other.py", "one.py", "One.refresh"));
    index.apply(&[("two.py", Some(b"class Two:\n    def refresh(self): pass\n"))]);
    index.apply(&[("two.py", None)]);
    assert_eq!(index.edges["other.py"].edges.len(), 1);
}

#[test]
fn a_switch_of_branches_and_back_gives_the_first_edges_again() {
    let mut index = Incremental::default();
    let main: [(&str, Option<&[u8]>); 3] = [
        ("lib/shape.ts", Some(b"export class Shape {\n  area() { return 1; }\n}\n")),
        ("lib/index.ts", Some(b"export * from './shape';\n")),
        ("app.ts", Some(b"import { Shape } from './lib';\nnew Shape().area();\n")),
    ];
    index.apply(&main);
    let before = index.edges.clone();
    assert!(index.has("app.ts", "lib/shape.ts", "Shape.area"));
    // The other branch: a file renamed, one moved with its class, one new, one deleted.
    index.apply(&[
        ("lib/shape.ts", None),
        ("lib/index.ts", None),
        ("lib/Shape.ts", Some(b"export class Shape {\r\n  area() { return this.side(); }\r\n  side() { return 2; }\r\n}\r\n")),
        ("lib.ts", Some(b"export { Shape } from './lib/Shape';\n")),
        ("extra.ts", Some(b"import { Shape } from './lib';\nexport const one = new Shape().side();\n")),
    ]);
    assert!(index.has("app.ts", "lib/Shape.ts", "Shape.area"));
    assert!(index.has("extra.ts", "lib/Shape.ts", "Shape.side"));
    index.apply(&[("lib/Shape.ts", None), ("lib.ts", None), ("extra.ts", None), main[0], main[1]]);
    assert_eq!(index.edges, before);
}

/// Every change of a made history is compared with a fresh index by [`Incremental::apply`].
#[test]
fn random_histories_of_the_fixtures_resolve_as_fresh_indexes() {
    for seed in 0..4 {
        random_history(seed);
    }
}

fn random_history(seed: u64) {
    let mut random = limbic_protocol::SplitMix64::new(seed);
    let mut next = |below: usize| random.index(below);
    let mut texts: BTreeMap<String, String> = fixtures();
    let mut index = Incremental::default();
    let first: Vec<(&str, Option<&[u8]>)> =
        texts.iter().map(|(path, text)| (path.as_str(), Some(text.as_bytes()))).collect();
    index.apply(&first);
    for _ in 0..40 {
        let paths: Vec<String> = texts.keys().cloned().collect();
        let path = paths[next(paths.len())].clone();
        let text = texts[&path].clone();
        let lines: Vec<&str> = text.lines().collect();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let changed = match next(10) {
            // A word of the text gets another name, as in a rename that misses a file.
            0 => {
                let words: Vec<&str> =
                    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
                let word = words.get(next(words.len())).copied().unwrap_or("none");
                vec![(path.clone(), Some(text.replace(word, &format!("{word}2"))))]
            }
            // Lines move to another file of the same kind.
            1 => {
                let at = next(lines.len());
                let (kept, moved) = lines.split_at(at);
                let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
                let other = format!("moved{}.{ending}", next(3));
                vec![(path.clone(), Some(kept.join("\n"))), (other, Some(moved.join("\n")))]
            }
            2 => vec![(path.clone(), None)],
            3 => vec![(path.clone(), None), (format!("{folder}/sub/{name}"), Some(text.clone()))],
            4 => vec![(path.clone(), None), (path.to_uppercase(), Some(text.clone()))],
            5 => vec![(path.clone(), Some(text.replace('\n', "\r\n")))],
            // A line is gone, or is there twice.
            6 | 7 => {
                let at = next(lines.len());
                let times = next(2) * 2;
                let changed = lines.iter().enumerate().flat_map(|(index, line)| {
                    std::iter::repeat_n(*line, if index == at { times } else { 1 })
                });
                vec![(path.clone(), Some(changed.collect::<Vec<_>>().join("\n")))]
            }
            // A word of a line takes the place of another one: a keyword, a type, a base.
            8 => {
                let words: Vec<&str> = text.split_whitespace().collect();
                let mut word = || words.get(next(words.len())).copied().unwrap_or("none");
                let (one, other) = (word(), word());
                let at = next(text.matches(one).count());
                let changed = text
                    .match_indices(one)
                    .nth(at)
                    .map(|(start, _)| format!("{}{other}{}", &text[..start], &text[start + one.len()..]));
                vec![(path.clone(), changed.or(Some(text)))]
            }
            _ => vec![(path.clone(), Some(format!("\0\0{text}")))],
        };
        let changed: Vec<(String, Option<String>)> =
            changed.into_iter().map(|(path, text)| (path.trim_start_matches('/').to_owned(), text)).collect();
        let list: Vec<(&str, Option<&[u8]>)> =
            changed.iter().map(|(path, text)| (path.as_str(), text.as_deref().map(str::as_bytes))).collect();
        index.apply(&list);
        for (path, text) in changed {
            match text {
                Some(text) => drop(texts.insert(path, text)),
                None => drop(texts.remove(&path)),
            }
        }
        // A project that has lost much gets its files back.
        if texts.len() < 8 {
            texts = fixtures();
            let all: Vec<(&str, Option<&[u8]>)> =
                texts.iter().map(|(path, text)| (path.as_str(), Some(text.as_bytes()))).collect();
            index.apply(&all);
        }
    }
}

/// The files below `tests/files/code` that are text.
fn fixtures() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files/code");
    let mut found = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("the fixtures are there").flatten().map(|entry| entry.path())
        {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("a fixture is text");
            let relative =
                path.strip_prefix(&root).expect("it lies below").to_string_lossy().replace('\\', "/");
            found.insert(relative, text);
        }
    }
    found
}

#[test]
fn manifests_and_modules_of_other_languages_are_looked_up_too() {
    let mut index = Incremental::default();
    index.apply(&[
        ("Cargo.toml", Some(b"[package]\nname = \"demo\"\n")),
        ("src/lib.rs", Some(b"mod a;\npub use a::Thing;\npub fn make() -> Thing { Thing::new() }\n")),
        ("tests/it.rs", Some(b"use demo::make;\nfn it() { make().go(); }\n")),
        ("go.mod", Some(b"module example.com/demo\n")),
        ("cmd/main.go", Some(b"package main\nimport \"example.com/demo/lib\"\nfunc main() { lib.Run() }\n")),
        ("web/app.ts", Some(b"import { go } from \"@/lib\";\ngo();\n")),
        ("web/src/lib.ts", Some(b"export function go() {}\n")),
    ]);
    index.apply(&[(
        "src/a.rs",
        Some(b"pub struct Thing;\nimpl Thing {\n    pub fn new() -> Self { Self }\n}\n"),
    )]);
    assert!(index.has("src/lib.rs", "src/a.rs", "Thing.new"));
    index.apply(&[("src/b.rs", Some(b"use crate::Thing;\nimpl Thing {\n    pub fn go(self) {}\n}\n"))]);
    assert!(index.has("tests/it.rs", "src/b.rs", "Thing.go"));
    index.apply(&[
        ("src/a.rs", None),
        ("src/a/mod.rs", Some(b"pub struct Thing;\nimpl Thing {\n    pub fn new() -> Self { Self }\n}\n")),
    ]);
    assert!(index.has("src/lib.rs", "src/a/mod.rs", "Thing.new"));
    index.apply(&[("Cargo.toml", Some(b"[package]\nname = \"other\"\n"))]);
    assert!(!index.has("tests/it.rs", "src/lib.rs", "make"));
    index.apply(&[("lib/lib.go", Some(b"package lib\nfunc Run() {}\n"))]);
    assert!(index.has("cmd/main.go", "lib/lib.go", "Run"));
    index.apply(&[(
        "web/tsconfig.json",
        Some(b"{\n  // Aliases.\n  \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } }\n}\n"),
    )]);
    assert!(index.has("web/app.ts", "web/src/lib.ts", "go"));
    index.apply(&[
        ("web/src/lib.ts", None),
        ("web/src/lib/index.ts", Some(b"export { go } from \"./go\";\n")),
        ("web/src/lib/go.tsx", Some(b"export const go = () => 1;\n")),
    ]);
    assert!(index.has("web/app.ts", "web/src/lib/go.tsx", "go"));
}

#[test]
fn a_name_that_is_exported_or_no_longer_exported_resolves_its_importers_again() {
    let mut index = Incremental::default();
    let first: &[u8] = b"export function other() {}\nfunction run() {}\n";
    index.apply(&[
        ("first.ts", Some(first)),
        ("second.ts", Some(b"export function run() {}\n")),
        ("all.ts", Some(b"export * from './first';\nexport * from './second';\n")),
        ("app.ts", Some(b"import { run } from './all';\nrun();\n")),
    ]);
    assert!(index.has("app.ts", "second.ts", "run"));
    index.apply(&[("first.ts", Some(b"export function other() {}\nexport function run() {}\n"))]);
    assert!(index.has("app.ts", "first.ts", "run"));
    index.apply(&[("first.ts", Some(b"export function other() {}\nfunction run() {}\nexport { run };\n"))]);
    assert!(index.has("app.ts", "first.ts", "run"));
    index.apply(&[("first.ts", Some(first))]);
    assert!(index.has("app.ts", "second.ts", "run"));
    // A script, of which all names are visible, becomes a module.
    index.apply(&[("first.ts", Some(b"function other() {}\nfunction run() {}\n"))]);
    assert!(index.has("app.ts", "first.ts", "run"));
    index.apply(&[("first.ts", Some(b"function other() {}\nfunction run() {}\nexport {};\n"))]);
    assert!(index.has("app.ts", "second.ts", "run"));
}

/// Changes of a file, each with its text before and after, and the file that refers to it.
const CHANGED_DEFINITIONS: [(&str, &str, &str, &str, &str); 12] = [
    // Parameters of overloads: the number, a default, the type.
    (
        "A.java",
        "class A {\n  void go(int x) {}\n  void go(int x, int y) {}\n}\n",
        "class A {\n  void go(int x, int y) {}\n  void go(int x) {}\n}\n",
        "B.java",
        "class B {\n  void run(A a) { a.go(1); }\n}\n",
    ),
    (
        "A.java",
        "class A {\n  void go(int x) {}\n  void go(int... x) {}\n}\n",
        "class A {\n  void go(int x, int z) {}\n  void go(int... x) {}\n}\n",
        "B.java",
        "class B {\n  void run(A a) { a.go(1); }\n}\n",
    ),
    (
        "a.kt",
        "fun go(x: Int) {}\nfun go(x: Int, y: Int) {}\n",
        "fun go(x: Int) {}\nfun go(x: Int, y: Int = 1) {}\n",
        "b.kt",
        "fun run() { go(1) }\n",
    ),
    (
        "a.hpp",
        "class A {\n public:\n  void go(int x);\n  void go(long x);\n};\n",
        "class A {\n public:\n  void go(int x);\n  void go(int x);\n};\n",
        "b.cpp",
        "#include \"a.hpp\"\nvoid run(A a) { a.go(1); }\n",
    ),
    // The receiver and the result of a function.
    (
        "a.kt",
        "class Foo\nfun Foo.make() {}\n",
        "class Foo\nfun make(): Foo {}\n",
        "b.kt",
        "fun run(foo: Foo) { foo.make() }\n",
    ),
    // A trait becomes a struct: its methods are no longer those of every type.
    (
        "src/a.rs",
        "pub trait A {\n    fn go_on(&self) {}\n}\n",
        "pub struct A;\nimpl A {\n    fn go_on(&self) {}\n}\n",
        "src/b.rs",
        "fn run(x: &Other) { x.go_on(); }\n",
    ),
    (
        "src/a.rs",
        "pub trait A {\n    fn go_on(&self) {}\n}\n",
        "pub mod A {\n    fn go_on() {}\n}\n",
        "src/b.rs",
        "struct Other;\nfn run(x: &Other) { x.go_on(); }\n",
    ),
    // Bases of a class that the other file does not name.
    (
        "a.py",
        "class One:\n    def go(self): pass\n\nclass Two:\n    def go(self): pass\n\nclass A(One): pass\n\ndef make():\n    return A()\n",
        "class One:\n    def go(self): pass\n\nclass Two:\n    def go(self): pass\n\nclass A(Two): pass\n\ndef make():\n    return A()\n",
        "b.py",
        "from a import make\n\nmake().go()\n",
    ),
    (
        "a.ts",
        "class One { go() {} }\nclass Two { go() {} }\nclass A extends One {}\nexport function make() { return new A(); }\n",
        "class One { go() {} }\nclass Two { go() {} }\nclass A extends Two {}\nexport function make() { return new A(); }\n",
        "b.ts",
        "import { make } from './a';\nmake().go();\n",
    ),
    // The enclosing function of another one gets a type parameter of the name of a type.
    (
        "a.ts",
        "export class T { go() {} }\nexport class A { make(): T { return null as any; } }\n",
        "export class T { go() {} }\nexport class A<T> { make(): T { return null as any; } }\n",
        "b.ts",
        "import * as a from './a';\nfunction run(x: a.A) { x.make().go(); }\n",
    ),
    // A method becomes a property, and a static one that of an instance.
    (
        "a.py",
        "class B:\n    def go(self): pass\n\nclass A:\n    def b(self) -> B: pass\n",
        "class B:\n    def go(self): pass\n\nclass A:\n    @property\n    def b(self) -> B: pass\n",
        "b.py",
        "from a import A\n\ndef run(a: A):\n    a.b.go()\n",
    ),
    (
        "a.ts",
        "export class A { static go() {} }\n",
        "export class A { go() {} }\n",
        "b.ts",
        "import { A } from './a';\nA.go();\n",
    ),
];

#[test]
fn what_changes_in_a_definition_resolves_its_callers_again() {
    let more = |path: &str| [".kt", ".hpp", ".cpp"].iter().any(|ending| path.ends_with(ending));
    for (path, before, after, caller, text) in CHANGED_DEFINITIONS {
        if more(path) && !cfg!(feature = "more") {
            continue;
        }
        let mut index = Incremental::default();
        index.apply(&[(path, Some(before.as_bytes())), (caller, Some(text.as_bytes()))]);
        index.apply(&[(path, Some(after.as_bytes()))]);
        index.apply(&[(path, Some(before.as_bytes()))]);
    }
}

#[test]
fn callers_of_overloads_follow_their_parameters() {
    let mut index = Incremental::default();
    let calls = |index: &Incremental| -> Vec<String> {
        let edges = &index.edges["B.java"].edges;
        let calls = edges.iter().filter(|edge| edge.relation == limbic_code::Relation::Calls);
        calls.map(|edge| edge.symbol.clone()).collect()
    };
    index.apply(&[
        ("A.java", Some(b"class A {\n  void go(int x) {}\n  void go(int x, int y) {}\n}\n")),
        ("B.java", Some(b"class B {\n  void run(A a) { a.go(1); }\n}\n")),
    ]);
    assert_eq!(calls(&index), ["A.go"]);
    index.apply(&[("A.java", Some(b"class A {\n  void go(int x, int y) {}\n  void go(int x) {}\n}\n"))]);
    assert_eq!(calls(&index), ["A.go~2"]);
}
