//! Types in functions of Go, constructors that call constructors in Java, and constants in format strings of Rust.

mod support;

use limbic_code::extract;
use support::calls;

#[test]
fn a_type_in_a_function_of_go_has_its_fields_and_bases() {
    let text = "package a
type Base struct{}
func (b *Base) Close() {}
type entry struct{}
func (e entry) Close() {}
func run(names []string) {
	type entry struct {
		*Base
	}
	var one entry
	one.Close()
	list := []entry{}
	for _, each := range list {
		each.Close()
	}
	other := map[string]*entry{}
	other[\"a\"].Close()
}
func outside(e entry) { e.Close() }
";
    let expected = [
        "11 resolved Base.Close",
        "14 resolved Base.Close",
        "17 resolved Base.Close",
        "19 resolved entry.Close",
    ];
    assert_eq!(calls("a.go", text), expected);
}

#[test]
fn a_type_in_a_block_of_go_is_not_taken_for_another_one() {
    let text = "package a
type entry struct{}
func (e entry) Close() {}
type Base struct{}
func (b *Base) Close() {}
func run(e entry) {
	if e == nil {
		type entry struct{ *Base }
	}
	var other entry
	other.Close()
}
";
    assert!(!calls("a.go", text).contains(&"11 resolved Base.Close".to_owned()));
}

#[test]
fn a_constructor_of_java_calls_one_of_its_class_or_of_the_base() {
    let text = "class Base {
  Base(int a) {}
  Base(int a, int b) {}
}
class Plain {}
class One extends Base {
  One() { this(1); }
  One(int a) { super(a, 2); }
}
class Two extends Plain implements Runnable {
  Two() { super(); }
}
class Three implements Runnable {
  Three() { super(); }
}
enum Kind {
  A(1);
  Kind(int a) { this(a, 2); }
  Kind(int a, int b) {}
}
";
    let expected =
        ["7 resolved One.One~2", "8 resolved Base.Base~2", "11 resolved Plain", "18 resolved Kind.Kind~2"];
    assert_eq!(calls("A.java", text), expected);
}

#[test]
fn constants_in_format_strings_of_rust_are_referred_to() {
    let text = "const MAX: u8 = 1;
static WIDTH: usize = 2;
fn path() {}
fn run(out: &mut String, x: u8) {
    println!(\"é {MAX} {{MAX}} {x:WIDTH$} {path}\");
    write!(out, \"a
  {MAX:?}\").ok();
    assert_eq!(x, \"{MAX}\", \"{MAX}\");
    println!(\"{MAX}\", MAX = 2);
    json!(\"{MAX}\");
    if x > 1 { tracing::warn!(r\"\\{MAX}\"); }
}
";
    let facts = extract("a.rs", text.as_bytes());
    let found: Vec<String> = facts
        .references
        .iter()
        .filter(|reference| ["MAX", "WIDTH", "path"].contains(&reference.name.as_str()))
        .map(|reference| format!("{}:{} {}", reference.line, reference.column, reference.name))
        .collect();
    assert_eq!(found, ["5:18 MAX", "5:34 WIDTH", "7:4 MAX", "8:30 MAX", "11:35 MAX"]);
}
