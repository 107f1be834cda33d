//! Functions and classes that a block of JavaScript or TypeScript defines: they are visible in all of it, and not
//! outside.

mod support;

use support::calls;

#[test]
fn a_function_of_a_block_is_visible_in_front_of_its_definition() {
    for define in [
        "function later() { return 1; }",
        "function* later() { yield 1; }",
        "async function later() {}",
        "const later = () => 1;",
        "let later = function () {};",
        "const other = 1, later = (() => 1);",
    ] {
        let text = format!(
            "export function later() {{}}\nexport function run(list: number[]) {{\n  for (const one of list) {{\n    \
             function first() {{ return later(); }}\n    first();\n    {define}\n  }}\n}}\n"
        );
        let expected = ["4 resolved run.later", "5 resolved run.first"];
        assert_eq!(calls("a.ts", &text), expected, "{define}");
    }
}

#[test]
fn a_class_of_a_block_is_visible_in_front_of_its_definition() {
    let text = "class Item { start() {} }
export function run() {
  if (run) {
    const made = () => new Item().start();
    class Item { start() {} }
    made();
  }
}
";
    assert_eq!(
        calls("a.ts", text),
        ["4 resolved run.Item", "4 resolved run.Item.start", "6 resolved run.made"]
    );
}

#[test]
fn functions_of_a_block_call_each_other_and_variables_above_them_are_known() {
    let text = "class Pool { get() { return 1; } }
export function run() {
  {
    const pool = new Pool();
    function even(n: number): boolean { return n === 0 || odd(n - 1); }
    function odd(n: number): boolean { return n !== 0 && even(n - pool.get()); }
  }
  const pool = new Pool();
  function take() { return pool.get(); }
}
";
    let expected = [
        "4 resolved Pool",
        "5 resolved run.odd",
        "6 resolved run.even",
        "6 resolved Pool.get",
        "8 resolved Pool",
        "9 resolved Pool.get",
    ];
    assert_eq!(calls("a.ts", text), expected);
}

#[test]
fn a_call_ends_at_the_implementation_behind_overloads_in_a_block() {
    let text = "export function run() {
  {
    pick(1);
    function pick(one: number): void;
    function pick(one: string): void;
    function pick(one: unknown): void {}
    pick('a');
  }
}
";
    assert_eq!(calls("a.ts", text), ["3 resolved run.pick~3", "7 resolved run.pick~3"]);
}

#[test]
fn a_name_in_a_block_at_the_top_of_a_file_is_that_of_the_block() {
    let text = "describe('one', () => {
  it('runs', () => helper());
  it('runs', () => local());
  function helper() {}
  const local = () => 1;
});
describe('two', () => {
  const local = () => 2;
  it('runs', () => helper());
  it('runs', () => local());
  function helper() {}
});
function outside() { return local(); }
";
    for path in ["a.ts", "a.js"] {
        let found = calls(path, text);
        let within: Vec<&str> =
            found.iter().map(String::as_str).filter(|call| !call.starts_with("13")).collect();
        let expected =
            ["2 resolved helper", "3 resolved local", "9 resolved helper~2", "10 resolved local~2"];
        assert_eq!(within, expected, "{path}");
    }
    // In TypeScript, nothing in a block is visible behind it.
    assert!(!calls("a.ts", text).iter().any(|call| call.starts_with("13 resolved")));
}

#[test]
fn a_function_at_the_top_is_not_hidden_by_one_in_a_block_elsewhere() {
    let text = "function helper() {}
describe('one', () => {
  function helper() {}
});
it('runs', () => helper());
";
    for path in ["a.ts", "a.js"] {
        assert_eq!(calls(path, text), ["5 resolved helper"], "{path}");
    }
}

#[test]
fn in_javascript_a_function_in_a_branch_is_visible_behind_it() {
    let text = "if (globalThis.fast) {
  var run = function () {};
}
run();
";
    assert_eq!(calls("a.js", text), ["4 resolved run"]);
}

#[test]
fn a_variable_holds_each_function_from_its_assignment_on() {
    let text = "function run() {
  var each = function () {};
  each();
  var each = function () {};
  each();
}
";
    assert_eq!(calls("a.js", text), ["3 resolved run.each", "5 resolved run.each~2"]);
}
