//! Definitions, references and calls of modern syntax in the languages of the first module.

mod support;

use limbic_code::{FileFacts, extract};
use support::calls;

/// The symbols of a file as `kind qualified_name line`.
fn symbols(facts: &FileFacts) -> Vec<String> {
    let symbols = facts.outline.symbols.iter();
    symbols
        .map(|symbol| format!("{} {} {}", symbol.kind.as_str(), symbol.qualified_name, symbol.line))
        .collect()
}

/// The references of a file as `line kind name`.
fn references(facts: &FileFacts) -> Vec<String> {
    let references = facts.references.iter();
    references
        .map(|reference| format!("{} {} {}", reference.line, reference.kind.as_str(), reference.name))
        .collect()
}

#[test]
fn case_patterns_of_python_bind_only_the_names_of_parts() {
    let text = "class Point:
    def move(self): pass
class Color(Enum):
    RED = 1
def make(): pass
def run(command, colors):
    match command:
        case Point(make=0, color=Color.RED) if make():
            return Color.RED
        case Color.RED | Color.GREEN:
            make()
        case {Color.RED: found, 'k': Point() as point}:
            point.move()
        case [Point() as first, *make_all]:
            first.move()
        case shapes.Point(x):
            pass
    make()
";
    let facts = extract("a.py", text.as_bytes());
    let bound: Vec<&str> = facts.outline.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(bound, ["RED", "command", "colors", "found", "point", "first", "make_all", "x"]);
    let expected = [
        "8 resolved make",
        "11 resolved make",
        "13 resolved Point.move",
        "15 resolved Point.move",
        "18 resolved make",
    ];
    assert_eq!(calls("a.py", text), expected);
    let found = references(&facts);
    for expected in
        ["8 use Point", "8 use Color", "10 use Color", "12 use Color", "12 use Point", "16 use shapes"]
    {
        assert!(found.iter().any(|reference| reference == expected), "{expected} is not in {found:?}");
    }
}

#[test]
fn aliases_and_parameters_of_types_in_python() {
    let text = "class Base:
    def go(self): pass
type Pair[T: Base] = tuple[T, T]
type Only = Base
def first[T: Base, *Ts, **P](value: T, only: Only):
    value.go()
    only.go()
    del made[size()]
    return lambda a, b=size(): a
def size(): pass
";
    let facts = extract("a.py", text.as_bytes());
    let expected = [
        "class Base 1",
        "method Base.go 2",
        "type Pair 3",
        "type Only 4",
        "function first 5",
        "function size 10",
    ];
    assert_eq!(symbols(&facts), expected);
    let names: Vec<&str> =
        facts.outline.symbols[4].type_parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["T", "Ts", "P"]);
    assert_eq!(references(&facts).iter().filter(|reference| reference.ends_with(" type Base")).count(), 3);
    let expected = ["6 resolved Base.go", "7 resolved Base.go", "8 resolved size", "9 resolved size"];
    assert_eq!(calls("a.py", text), expected);
}

#[test]
fn anonymous_classes_of_java_are_types_of_their_own() {
    let text = "class Shop {
    void run() {}
    void help() {}
    void start(Worker given) {
        var made = new Worker() {
            @Override void run() { inner(); help(); this.inner(); super.rest(); rest(); }
            void inner() {}
        };
        run();
    }
    Worker held = new Worker() { void run() { help(); } };
    enum Color {
        RED(1) { String hex() { return up(); } },
        GREEN(2);
        String hex() { return \"\"; }
        String up() { return hex(); }
    }
}
class Worker {
    void run() {}
    void rest() {}
}
";
    let facts = extract("a/Shop.java", text.as_bytes());
    let expected = [
        "class Shop 1",
        "method Shop.run 2",
        "method Shop.help 3",
        "method Shop.start 4",
        "class Shop.start.new Worker 5",
        "method Shop.start.new Worker.run 6",
        "method Shop.start.new Worker.inner 7",
        "class Shop.new Worker 11",
        "method Shop.new Worker.run 11",
        "enum Shop.Color 12",
        "class Shop.Color.new Color 13",
        "method Shop.Color.new Color.hex 13",
        "method Shop.Color.hex 15",
        "method Shop.Color.up 16",
        "class Worker 19",
        "method Worker.run 20",
        "method Worker.rest 21",
    ];
    assert_eq!(symbols(&facts), expected);
    let expected = [
        "5 resolved Worker",
        "6 resolved Shop.start.new Worker.inner",
        "6 resolved Shop.help",
        "6 resolved Shop.start.new Worker.inner",
        "6 resolved Worker.rest",
        "6 resolved Worker.rest",
        "9 resolved Shop.run",
        "11 resolved Worker",
        "11 resolved Shop.help",
        "13 resolved Shop.Color.up",
        "16 resolved Shop.Color.hex",
    ];
    assert_eq!(calls("a/Shop.java", text), expected);
}

#[test]
fn declarators_of_c_name_types_and_parameters() {
    let text = "typedef struct { int x; } point_t, *point_p;
typedef unsigned long word_t, *word_p;
typedef int (*handler_t)(point_t *p);
struct ops { int (*open)(point_t p); handler_t handle; };
int a(void) { return 0; }
int old(a, b) int a; char *b; { return a; }
void use(int (*run)(word_t w)) { int (*local)(word_t) = 0; }
";
    let facts = extract("a.c", text.as_bytes());
    let expected = [
        "struct point_t 1",
        "type point_p 1",
        "type word_t 2",
        "type word_p 2",
        "type handler_t 3",
        "struct ops 4",
        "function a 5",
        "function old 6",
        "function use 7",
    ];
    assert_eq!(symbols(&facts), expected);
    let expected = ["3 type point_t", "4 type point_t", "4 type handler_t", "7 type word_t", "7 type word_t"];
    assert_eq!(references(&facts), expected);
}

#[test]
fn bodies_of_macros_of_c_have_calls() {
    let text = "int log_it(int level);
int log_it(int level) { return level; }
static int big(int a) { return a; }
#define LOG(fmt, ...) do { \\
    log_it(1); log_it(fmt, big); \\
} while (0)
#define MAX(a, big) ((a) > (big) ? big(a) : log_it(big))
#define NAME(a) a##_name(#a, log_it(1))
#define NOTED(x) log_it(x) // a note
";
    let expected = ["5 resolved log_it", "5 resolved log_it", "7 resolved log_it", "9 resolved log_it"];
    assert_eq!(calls("a.c", text), expected);
}

#[test]
fn the_type_that_an_object_satisfies_is_a_reference() {
    let text = "interface Options { run(): void }
export const options = { run() { help(); }, *each() {}, all: function* () { help(); } } satisfies Options;
function help() {}
";
    let facts = extract("a.ts", text.as_bytes());
    assert!(references(&facts).contains(&"2 type Options".to_owned()));
    assert_eq!(calls("a.ts", text), ["2 resolved help", "2 resolved help"]);
    let all = facts.outline.symbols.iter().find(|symbol| symbol.name == "all");
    assert_eq!(all.map(|symbol| symbol.qualified_name.as_str()), Some("options.all"));
}

#[test]
fn names_that_patterns_imports_and_local_types_bind() {
    let java = "class Shop {
    record Point(Mail x, Mail y) {}
    class Mail { void send() {} }
    class Inner { void go() { Shop.this.help(); } }
    void help() {}
    void run(Object o) {
        if (o instanceof Point(Mail a, var b)) { a.send(); }
        class Local { void near() {} }
        new Local().near();
    }
}
";
    let expected = [
        "4 resolved Shop.help",
        "7 resolved Shop.Mail.send",
        "9 resolved Shop.run.Local",
        "9 resolved Shop.run.Local.near",
    ];
    assert_eq!(calls("a/Shop.java", java), expected);
    let python = extract("a.py", b"from __future__ import annotations\n");
    assert_eq!(python.outline.imports[0].module, "__future__");
    let script =
        extract("a.js", b"const { one: first = make(), two } = require('./b');\nfunction make() {}\n");
    let locals: Vec<&str> = script.outline.imports.iter().map(|import| import.local.as_str()).collect();
    assert_eq!(locals, ["first", "two"]);
    let go = extract("a.go", b"package a\n\nconst (\n\tA = iota\n\t_\n\tB\n)\n");
    assert_eq!(symbols(&go), ["constant A 4", "constant B 6"]);
}

#[test]
fn local_definitions_are_visible_in_their_block() {
    let script = "import { log } from './log';
function top() {}
function run() {
  { const log = () => {}; log(); }
  if (top) { function top() {} }
  log();
  top();
  later();
  [1].forEach(() => { const later = () => {}; later(); });
  const own = () => after();
  const after = () => {};
}
function later() {}
";
    let expected = [
        "4 resolved run.log",
        "7 resolved top",
        "8 resolved later",
        "9 resolved run.later",
        "10 resolved run.after",
    ];
    let found = calls("a.ts", script);
    let found: Vec<&str> = found.iter().map(String::as_str).filter(|call| !call.starts_with("6 ")).collect();
    assert_eq!(found, expected);
    assert!(!calls("a.ts", script).iter().any(|call| call.starts_with("6 resolved run.")));
    let python = "def run():
    if x:
        def first():
            second()
        def second():
            pass
    second()
def second():
    pass
";
    assert_eq!(calls("a.py", python), ["4 resolved run.second", "7 resolved run.second"]);
    let java = "class Shop {
    void run() {
        { class Mail { void go() {} } Mail a = make(); }
        { class Own { void go() {} } Own b = make(); b.go(); }
        class Late { void go() {} }
        Mail c = make();
        c.go();
        Late d = make();
        d.go();
        { class Twin { void go() {} } }
        { class Twin { void go() {} } Twin e = make(); e.go(); }
    }
}
class Mail { void go() {} }
class Late { void go() {} }
";
    let expected = ["4 resolved Shop.run.Own.go", "9 resolved Shop.run.Late.go"];
    let found = calls("a/Shop.java", java);
    let found: Vec<&str> = found.iter().map(String::as_str).filter(|call| call.ends_with(".go")).collect();
    assert_eq!(found, expected);
}

#[test]
fn members_of_anonymous_classes_are_local() {
    let facts =
        extract("A.java", b"class A { B b = new B() { int x; void go() {} }; void run() { x(); } }\n");
    let is_local = |name: &str| {
        facts.outline.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.is_local)
    };
    assert_eq!((is_local("new B"), is_local("go"), is_local("run")), (Some(true), Some(true), Some(false)));
    // A name that is too long for a symbol.
    let text = format!("class A {{ void f() {{ new {}() {{ void g() {{ f(); }} }}; }} }}\n", "B".repeat(400));
    assert_eq!(calls("A.java", &text), ["1 resolved A.f"]);
}
