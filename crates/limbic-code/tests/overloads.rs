//! Calls of functions of which several have one name: the number of arguments decides, or the candidates are a set.

use limbic_code::{Project, extract};

/// The calls in the last file as `line tier path#symbol`, in the order of the text.
fn calls(files: &[(&str, &str)]) -> Vec<String> {
    let mut project = Project::new();
    for (path, text) in files {
        project.set(path, Some(extract(path, text.as_bytes())));
    }
    let (last, _) = files.last().expect("there is a file");
    let facts = project.facts(last).expect("the file was set");
    let edges = &project.resolve_all()[*last].edges;
    let mut found: Vec<_> = edges
        .iter()
        .filter(|edge| edge.relation.as_str() == "calls")
        .map(|edge| {
            let reference = &facts.references[edge.reference as usize];
            let target = format!("{} {}#{}", edge.tier.as_str(), edge.path, edge.symbol);
            (reference.line, reference.column, target)
        })
        .collect();
    found.sort();
    found.into_iter().map(|(line, _, target)| format!("{line} {target}")).collect()
}

#[test]
fn the_number_of_arguments_selects_an_overload() {
    let found = calls(&[(
        "A.java",
        "class A {
  void f(int a) {}
  void f(int a, int b) {}
  void f(int a, int b, String... rest) {}
  void run(A x) {
    f(1);
    x.f(1, /* two */ 2, \"a\", \"b\");
    this.f(1);
  }
}
",
    )]);
    assert_eq!(found, ["6 resolved A.java#A.f", "7 resolved A.java#A.f~3", "8 resolved A.java#A.f"]);
}

#[test]
fn overloads_that_the_number_leaves_open_are_a_set() {
    let found = calls(&[(
        "A.java",
        "class A {
  void f(int a) {}
  void f(String a) {}
  void f() {}
  void run() {
    f(g());
  }
}
",
    )]);
    assert_eq!(found, ["6 name A.java#A.f", "6 name A.java#A.f~2"]);
}

#[test]
fn an_overload_of_a_base_is_found_behind_those_of_the_type() {
    let base = ("Base.java", "class Base {\n  void f(int a, int b) {}\n  void g() {}\n}\n");
    let found = calls(&[
        base,
        (
            "A.java",
            "class A extends Base {
  void f(int a) {}
  void g(int a) {}
  void run() {
    f(1);
    f(1, 2);
    this.g();
    g(1, 2, 3);
  }
}
",
        ),
    ]);
    let expected = [
        "5 resolved A.java#A.f",
        "6 resolved Base.java#Base.f",
        "7 resolved Base.java#Base.g",
        "8 name A.java#A.g",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_unique_method_that_cannot_be_called_so_is_not_likely() {
    let found = calls(&[
        ("A.java", "class A {\n  void ride(int a) {}\n}\n"),
        (
            "B.java",
            "class B {\n  void run() {\n    each(x -> x.ride(1));\n    each(x -> x.ride());\n  }\n}\n",
        ),
    ]);
    assert_eq!(found, ["3 likely A.java#A.ride", "4 name A.java#A.ride"]);
}

#[test]
fn languages_without_overloads_are_not_counted() {
    let found = calls(&[("a.py", "def f(a):\n    pass\n\n\nf(1, 2)\n")]);
    assert_eq!(found, ["5 resolved a.py#f"]);
}

#[cfg(feature = "more")]
#[test]
fn arguments_are_counted_in_csharp() {
    let found = calls(&[(
        "A.cs",
        "class A {
  void F(int a) { }
  void F(int a, int b, int c = 1) { }
  void F(string a, string b, string c, string d, params string[] rest) { }
  static void G(A a, int b) { }
  void Run() {
    F(1);
    F(1, 2);
    F(1, c: 3, b: 2);
    this.F(\"\", \"\", \"\", \"\", \"\", \"\");
    F(2, x => { return Run(); }, 4);
  }
}
",
    )]);
    let expected = [
        "7 resolved A.cs#A.F",
        "8 resolved A.cs#A.F~2",
        "9 resolved A.cs#A.F~2",
        "10 resolved A.cs#A.F~3",
        "11 resolved A.cs#A.F~2",
        "11 resolved A.cs#A.Run",
    ];
    assert_eq!(found, expected);
}

#[cfg(feature = "more")]
#[test]
fn a_function_behind_the_parentheses_counts_in_kotlin_and_swift() {
    let found = calls(&[(
        "a.kt",
        "fun f(a: Int) {}
fun f(a: Int, b: Int = 1, c: () -> Unit) {}
fun f(vararg a: Int, b: String, c: String, d: String, e: String) {}
fun run() {
  f(1)
  f(1) { g() }
  f(1, 2) { }
  f(*list)
}
",
    )]);
    let expected = [
        "5 resolved a.kt#f",
        "6 resolved a.kt#f~2",
        "7 resolved a.kt#f~2",
        "8 name a.kt#f",
        "8 name a.kt#f~2",
        "8 name a.kt#f~3",
    ];
    assert_eq!(found, expected);
    let found = calls(&[(
        "a.swift",
        "class A {
  func f(_ a: Int) {}
  func f(_ a: Int, b: Int = 1, c: () -> Void) {}
  func f(_ a: Int, b: Int, c: Int, d: Int, e: Int...) {}
  func run() {
    self.f(1)
    self.f(1) { }
    self.f(1, b: 2, c: 3, d: 4, e: 5, 6)
    self.g(1) { } failed: { }
  }
  func g(_ a: Int, failed: () -> Void) {}
  func g(_ a: Int, done: () -> Void, failed: () -> Void) {}
}
",
    )]);
    let expected = [
        "6 resolved a.swift#A.f",
        "7 resolved a.swift#A.f~2",
        "8 resolved a.swift#A.f~3",
        "9 resolved a.swift#A.g~2",
    ];
    assert_eq!(found, expected);
}

#[cfg(feature = "more")]
#[test]
fn imported_functions_of_one_name_are_overloads_in_kotlin() {
    let types = "package org.a.types\n\nfun f(a: Int) {}\n\nfun f(a: Int, b: Int) {}\n";
    let found = calls(&[
        ("src/main/org/a/types/F.kt", types),
        ("src/main/org/a/App.kt", "import org.a.types.f\n\nfun run() {\n  f(1, 2)\n}\n"),
    ]);
    assert_eq!(found, ["4 resolved src/main/org/a/types/F.kt#f~2"]);
}

#[cfg(feature = "more")]
#[test]
fn arguments_are_counted_in_cpp_and_scala() {
    let found = calls(&[(
        "a.cpp",
        "class A { int h(int a, int b = 1); };
int A::h(int a, int b) { return a; }
template <typename... T> int f(int a, int b, int c, T... rest) { return a; }
int f(int a, int b = 2) { return a; }
int f(void) { return 1; }
#ifdef WIDE
int g(int a) { return 2; }
#else
int g(int a) { return 1; }
#endif
int run(A *x) {
  f(1);
  f(1, 2, 3, 4, 5);
  f();
  f(all...);
  g(1);
  return x->h(1);
}
",
    )]);
    let expected = [
        "12 resolved a.cpp#f~2",
        "13 resolved a.cpp#f",
        "14 resolved a.cpp#f~3",
        "15 name a.cpp#f",
        "15 name a.cpp#f~2",
        "15 name a.cpp#f~3",
        "16 resolved a.cpp#g",
        "16 resolved a.cpp#g~2",
        "17 resolved a.cpp#A.h",
    ];
    assert_eq!(found, expected);
    let found = calls(&[(
        "a.scala",
        "object A {
  def f[T](a: Int): Int = 1
  def f(a: Int, b: Int = 1, c: String*)(implicit d: Int): Int = 2
  def g(implicit a: Int): Int = 1
  def run() = {
    f(1, 2, \"\")(4)
    g(1)
    A.f[Int](1, 2)
  }
}
",
    )]);
    let expected = ["6 resolved a.scala#A.f~2", "7 resolved a.scala#A.g", "8 resolved a.scala#A.f~2"];
    assert_eq!(found, expected);
}
