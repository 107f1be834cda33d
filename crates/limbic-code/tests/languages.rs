//! Definitions and calls that need a rule of their own in one language.
#![cfg(feature = "more")]

mod support;

use limbic_code::extract;
use support::calls;

/// The symbols of a file as `kind qualified_name line`.
fn symbols(path: &str, text: &str) -> Vec<String> {
    let facts = extract(path, text.as_bytes());
    let symbols = facts.outline.symbols.iter();
    symbols
        .map(|symbol| format!("{} {} {}", symbol.kind.as_str(), symbol.qualified_name, symbol.line))
        .collect()
}

#[test]
fn annotation_classes_of_kotlin_are_interfaces() {
    let text = "package a

@Target(AnnotationTarget.CLASS)
annotation class Fast(val a: Int)

/** More. */
@Fast(1)
@Retention(
    AnnotationRetention.RUNTIME,
)
annotation class Slow

@Slow enum class Color { RED, GREEN }

@Slow
data object Empty

class Last
";
    let expected =
        ["interface Fast 4", "interface Slow 11", "enum Color 13", "class Empty 16", "class Last 18"];
    assert_eq!(symbols("a.kt", text), expected);
    let facts = extract("a.kt", text.as_bytes());
    let slow = facts.outline.symbols.iter().find(|symbol| symbol.name == "Slow");
    assert_eq!(slow.and_then(|symbol| symbol.doc.as_deref()), Some("More."));
}

#[test]
fn tests_of_bats_are_functions() {
    let text = "setup() {
  load helper
}

# Adds.
@test \"adds two (2) numbers\" {
  helper 1
}

@test 'b' { # more
  helper 2
}

helper() {
  true
}
";
    let expected =
        ["function setup 1", "function adds two (2) numbers 6", "function b 10", "function helper 14"];
    assert_eq!(symbols("test/a.bats", text), expected);
    assert_eq!(calls("test/a.bats", text), ["7 resolved helper", "11 resolved helper"]);
}

#[test]
fn methods_in_the_block_of_a_created_type_of_ruby_are_its_own() {
    let text = "module Zoo
  # A cat.
  Cat = Struct.new(:a, :b) do
    def purr
      hum
    end

    def hum
    end
  end
  Point = Data.define(:x)
  Dog = Class.new(Animal) { def bark = 1 }
  Loud = ::Module.new do
    def shout; end
  end
  SIZE = 3
end

Zoo::Cat.new(1, 2).purr
";
    let expected = [
        "trait Zoo 1",
        "struct Zoo.Cat 3",
        "method Zoo.Cat.purr 4",
        "method Zoo.Cat.hum 8",
        "struct Zoo.Point 11",
        "class Zoo.Dog 12",
        "method Zoo.Dog.bark 12",
        "trait Zoo.Loud 13",
        "method Zoo.Loud.shout 14",
        "constant Zoo.SIZE 16",
    ];
    assert_eq!(symbols("a.rb", text), expected);
    assert_eq!(
        calls("a.rb", text),
        ["5 resolved Zoo.Cat.hum", "19 resolved Zoo.Cat", "19 resolved Zoo.Cat.purr"]
    );
}

/// The lines of the resolved calls of `name`, in a file of the class `Mail`.
fn lines(path: &str, text: &str, name: &str) -> Vec<usize> {
    let resolved = format!(" resolved Mail.{name}");
    let found = calls(path, text);
    let lines = found.iter().filter_map(|call| call.strip_suffix(&resolved)?.parse().ok());
    lines.collect()
}

#[test]
fn calls_of_optional_values_and_of_cast_ones_are_resolved() {
    let csharp = "class Mail { public Mail Next() { return this; } }
class User {
  Mail mail;
  void Send(object other) {
    mail?.Next();
    mail?.Next()?.Next();
    mail!.Next();
    ((Mail)other).Next();
    (other as Mail)?.Next();
  }
}
";
    assert_eq!(lines("a.cs", csharp, "Next"), [5, 6, 6, 7, 8, 9]);
    let kotlin = "class Mail {
    fun next(): Mail? = this
}
class User(val mail: Mail?) {
    fun send(other: Any) {
        mail?.next()
        mail?.next()?.next()
        mail!!.next()
        (other as Mail).next()
        (other as? Mail)?.next()
    }
}
";
    assert_eq!(lines("a.kt", kotlin, "next"), [6, 7, 7, 8, 9, 10]);
    let swift = "class Mail {
    func next() -> Mail? { return self }
}
class User {
    var mail: Mail?
    func send(other: Any) {
        mail?.next()
        mail?.next()?.next()
        mail!.next()
        (other as! Mail).next()
        (other as? Mail)?.next()
    }
}
";
    assert_eq!(lines("a.swift", swift, "next"), [7, 8, 8, 9, 10, 11]);
    let cpp = "struct Mail { Mail* next() { return this; } };
void send(void* other, Mail* mail) {
  ((Mail*)other)->next();
  static_cast<Mail*>(other)->next();
  mail->next()->next();
  auto held = std::make_unique<Mail>();
  held->next();
}
";
    assert_eq!(lines("a.cpp", cpp, "next"), [3, 4, 5, 5, 7]);
    let typescript = "class Mail { next(): Mail | undefined { return this; } }
class User {
  mail?: Mail;
  send(other: any) {
    this.mail?.next()?.next();
    this.mail!.next();
    (other as Mail).next();
    (<Mail>other).next();
    this.mail?.next?.();
  }
}
";
    assert_eq!(lines("a.ts", typescript, "next"), [5, 5, 6, 7, 8, 9]);
}

#[test]
fn local_functions_are_visible_in_front_of_their_definition() {
    let csharp = "class A {
  void Run() {
    Inner();
    Use(() => Inner());
    void Inner() { Other(); }
    void Other() { }
  }
  void Inner() { }
  void More() { Inner(); }
}
";
    let expected =
        ["3 resolved A.Run.Inner", "4 resolved A.Run.Inner", "5 resolved A.Run.Other", "9 resolved A.Inner"];
    assert_eq!(calls("a.cs", csharp), expected);
    let typescript = "function inner() {}
function run() {
  inner();
  const later = () => inner();
  function inner() { }
}
function more() { inner(); }
";
    let expected = ["3 resolved run.inner", "4 resolved run.inner", "7 resolved inner"];
    assert_eq!(calls("a.ts", typescript), expected);
    let python = "def run():
    def first():
        second()
    def second():
        pass
    first()
def second():
    run()
";
    let expected = ["3 resolved run.second", "6 resolved run.first", "8 resolved run"];
    assert_eq!(calls("a.py", python), expected);
}

#[test]
fn members_of_kotlin_on_one_line_are_found() {
    let text = "class A { fun a() {} fun b() {} private val c = 1 }
fun d() {} fun e() { d() }
sealed interface R { class Ok(val v: Int) : R { fun f() = 1 } object None : R }
fun last() = 1
";
    let expected = [
        "class A 1",
        "method A.a 1",
        "method A.b 1",
        "function d 2",
        "function e 2",
        "interface R 3",
        "class R.Ok 3",
        "method R.Ok.f 3",
        "class R.None 3",
        "function last 4",
    ];
    assert_eq!(symbols("a.kt", text), expected);
}

#[test]
fn a_test_of_bash_is_neither_an_assignment_nor_a_command() {
    let text = "size() { true; }\nif [ a=$(size) ]; then size; fi\n[ b=c ] && size\n";
    let facts = extract("a.sh", text.as_bytes());
    assert!(facts.outline.variables.is_empty());
    assert!(facts.references.iter().all(|reference| matches!(reference.name.as_str(), "true" | "size")));
    assert_eq!(calls("a.sh", text), ["2 resolved size", "2 resolved size", "3 resolved size"]);
}

#[test]
fn aliases_of_ruby_are_methods() {
    let text = "class A
  def size = B.new
  # As size.
  alias length size
  alias_method :count, :size
  alias :many? :any?
  define_method(:twice) { |x| size }
  alias $new $old
  def run
    length.ring
    twice(1)
  end
end
class B
  def ring; end
end
alias go run
";
    let expected = [
        "class A 1",
        "method A.size 2",
        "method A.length 4",
        "method A.count 5",
        "method A.many? 6",
        "method A.twice 7",
        "method A.run 9",
        "class B 14",
        "method B.ring 15",
        "function go 17",
    ];
    assert_eq!(symbols("a.rb", text), expected);
    let facts = extract("a.rb", text.as_bytes());
    assert_eq!(facts.outline.symbols[2].doc.as_deref(), Some("As size."));
    assert_eq!(facts.outline.symbols[3].signature, "alias_method :count, :size");
    let expected = [
        "2 resolved B",
        "7 resolved A.size",
        "10 resolved A.length",
        "10 resolved B.ring",
        "11 resolved A.twice",
    ];
    assert_eq!(calls("a.rb", text), expected);
}

#[test]
fn braces_of_scala_on_their_own_line_begin_bodies() {
    let text = "def first(x: Int): Int =
{
  second(x)
}
def second(x: Int): Int = x
class A
{
  def one() = two()
  def two() = 1
}
object B
{
  def three() = first(1)
}
";
    let expected = [
        "function first 1",
        "function second 5",
        "class A 6",
        "method A.one 8",
        "method A.two 9",
        "class B 11",
        "method B.three 13",
    ];
    assert_eq!(symbols("a.scala", text), expected);
    let facts = extract("a.scala", text.as_bytes());
    let ends: Vec<u32> = facts.outline.symbols.iter().map(|symbol| symbol.end_line).collect();
    assert_eq!(ends, [4, 5, 10, 8, 9, 14, 13]);
    assert_eq!(facts.outline.symbols[0].signature, "def first(x: Int): Int");
    assert_eq!(calls("a.scala", text), ["3 resolved second", "8 resolved A.two", "13 resolved first"]);
}

#[test]
fn anonymous_types_have_their_own_members() {
    let kotlin = "class Shop {
    fun run() {}
    fun help() {}
    val held = object : Worker() { override fun run() { help(); rest() } }
    fun start() {
        val made = object : Worker() { fun more() { run() } }
        made.rest()
        run()
    }
}
open class Worker { open fun run() {}
    fun rest() {}
}
";
    let expected = [
        "class Shop 1",
        "method Shop.run 2",
        "method Shop.help 3",
        "class Shop.new Worker 4",
        "method Shop.new Worker.run 4",
        "method Shop.start 5",
        "class Shop.start.new Worker 6",
        "method Shop.start.new Worker.more 6",
        "class Worker 11",
        "method Worker.run 11",
        "method Worker.rest 12",
    ];
    assert_eq!(symbols("a.kt", kotlin), expected);
    let expected = [
        "4 resolved Shop.help",
        "4 resolved Worker.rest",
        "6 resolved Worker.run",
        "7 resolved Worker.rest",
        "8 resolved Shop.run",
    ];
    let found = calls("a.kt", kotlin);
    let found: Vec<&str> =
        found.iter().map(String::as_str).filter(|call| !call.ends_with(" Worker")).collect();
    assert_eq!(found, expected);
    let scala = "class Shop {
  def run() = 1
  def help() = 1
  val held = new Worker { override def run() = help() }
  def start() = run()
}
class Worker { def run() = 2 }
";
    let expected = [
        "class Shop 1",
        "method Shop.run 2",
        "method Shop.help 3",
        "class Shop.new Worker 4",
        "method Shop.new Worker.run 4",
        "method Shop.start 5",
        "class Worker 7",
        "method Worker.run 7",
    ];
    assert_eq!(symbols("a.scala", scala), expected);
    let found = calls("a.scala", scala);
    assert!(found.contains(&"4 resolved Shop.help".to_owned()), "{found:?}");
    assert!(found.contains(&"5 resolved Shop.run".to_owned()), "{found:?}");
    for (path, text) in [
        ("a.kt", "val held = object : Worker() { fun more() {} }\n"),
        ("a.scala", "val held = new Worker { def more() = 1 }\n"),
    ] {
        let facts = extract(path, text.as_bytes());
        let locals = facts.outline.symbols.iter().filter(|symbol| symbol.is_local);
        let locals: Vec<&str> = locals.map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(locals, ["new Worker", "more"], "{path}");
    }
}

#[test]
fn local_functions_of_other_languages_are_visible_in_their_block() {
    let csharp = "class A {
  void Run() {
    { void Inner() { } Inner(); }
    Inner();
    Own();
    void Own() { }
  }
  void Inner() { }
}
";
    let expected = ["3 resolved A.Run.Inner", "4 resolved A.Inner", "5 resolved A.Run.Own"];
    assert_eq!(calls("a.cs", csharp), expected);
    let swift = "func run() {
    if x { func inner() {} }
    inner()
    own()
    func own() {}
}
func inner() {}
func own() {}
";
    assert_eq!(calls("a.swift", swift), ["3 resolved inner", "4 resolved run.own"]);
    let scala = "object A {
  def run() = {
    if (x) { def inner() = 1 }
    inner()
    own()
    def own() = 2
  }
  def inner() = 3
  def own() = 4
}
";
    assert_eq!(calls("a.scala", scala), ["4 resolved A.inner", "5 resolved A.run.own"]);
}

#[test]
fn methods_that_a_method_of_ruby_defines_have_the_type_as_their_receiver() {
    let text = "class A
  def self.make(name)
    define_method(:twice) { self.size }
  end
  def size; 1; end
end
";
    assert!(calls("a.rb", text).contains(&"3 resolved A.size".to_owned()), "{:?}", calls("a.rb", text));
}
