//! Names across the files of a project, in the layouts that packages have: what a compiler finds by its search paths.

use limbic_code::{Project, extract};

/// The calls in the last file as `tier path#symbol`, in the order of the text; a call without an edge is left out.
fn calls(files: &[(&str, &str)]) -> Vec<String> {
    let mut project = Project::new();
    for (path, text) in files {
        project.set(path, Some(extract(path, text.as_bytes())));
    }
    let (last, _) = files.last().expect("there is a file");
    let edges = &project.resolve_all()[*last].edges;
    let calls = edges.iter().filter(|edge| edge.relation.as_str() == "calls");
    calls.map(|edge| format!("{} {}#{}", edge.tier.as_str(), edge.path, edge.symbol)).collect()
}

#[test]
fn a_test_of_java_sees_the_package_that_it_is_in() {
    let main = "package a.b;\npublic class Tool {\n  static int run() { return 1; }\n}\n";
    let test = "package a.b;\nclass ToolTest {\n  void test() { Tool.run(); new Tool(); }\n}\n";
    let other = "package a.c;\npublic class Tool {\n  static int run() { return 2; }\n}\n";
    let files = [
        ("src/main/java/a/c/Tool.java", other),
        ("src/main/java/a/b/Tool.java", main),
        ("src/test/java/a/b/ToolTest.java", test),
    ];
    let tool = "resolved src/main/java/a/b/Tool.java#Tool";
    assert_eq!(calls(&files), [format!("{tool}.run"), tool.to_owned()]);
    // Of the copies of a package, the nearest.
    let files = [
        ("one/src/main/java/a/b/Tool.java", main),
        ("two/src/main/java/a/b/Tool.java", main),
        ("two/src/test/java/a/b/ToolTest.java", test),
    ];
    let tool = "resolved two/src/main/java/a/b/Tool.java#Tool";
    assert_eq!(calls(&files), [format!("{tool}.run"), tool.to_owned()]);
}

#[test]
fn headers_that_include_each_other_cost_no_more_than_their_number() {
    // Each header includes all below it: the paths through them are two to the power of their number.
    let header = |number: usize| {
        let includes: String = (0..number).map(|below| format!("#include \"h{below}.h\"\n")).collect();
        format!("{includes}#define macro_{number}(x) (x)\n")
    };
    let headers: Vec<(String, String)> =
        (0..30).map(|number| (format!("h{number}.h"), header(number))).collect();
    let calls_of = (0..600).map(|number| format!("  macro_{}(missing());\n", number % 30));
    let main = format!("#include \"h29.h\"\nvoid run(void) {{\n{}}}\n", calls_of.collect::<String>());
    let mut files: Vec<(&str, &str)> =
        headers.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("main.c", &main));
    let expected: Vec<String> =
        (0..600).map(|number| format!("resolved h{0}.h#macro_{0}", number % 30)).collect();
    assert_eq!(calls(&files), expected);
}

#[test]
fn a_function_of_c_may_be_declared_in_parentheses() {
    let files = [
        ("api.h", "extern void (start) (int a);\nextern int (*hook) (int a);\n"),
        ("api.c", "#include \"api.h\"\nvoid (start) (int a) {}\nint stop(void) { return 1; }\n"),
        ("main.c", "#include \"api.h\"\nvoid run(void) { start(1); stop(); hook(1); }\n"),
    ];
    assert_eq!(calls(&files), ["resolved api.c#start", "resolved api.c#stop"]);
}

#[test]
fn a_path_through_several_modules_of_rust_ends_at_the_name_in_the_last() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"tool\"\n"),
        ("src/lib.rs", "#[macro_use]\nmod macros;\npub mod outer;\nmod user;\n"),
        ("src/macros.rs", "macro_rules! twice { ($e:expr) => { $e + $e }; }\n"),
        ("src/outer/mod.rs", "pub mod inner;\n"),
        ("src/outer/inner.rs", "pub struct Made(u8);\nimpl Made { pub fn one() -> Made { Made(1) } }\n"),
        (
            "src/user.rs",
            "use crate::{outer::{inner::{Made}}};\nfn run() { Made::one(); twice!(1); other!(1); twice(1); }\n",
        ),
    ];
    let expected = [
        "resolved src/outer/inner.rs#Made.one",
        "resolved src/macros.rs#twice",
        // A call of an unknown function with the name of the macro is taken for one of it.
        "resolved src/macros.rs#twice",
    ];
    assert_eq!(calls(&files), expected);
}

#[test]
fn a_macro_of_another_package_is_not_taken_for_one_from_outside() {
    let files = [
        ("one/Cargo.toml", "[package]\nname = \"one\"\n"),
        ("one/src/lib.rs", "macro_rules! debug { () => {}; }\n"),
        ("two/Cargo.toml", "[package]\nname = \"two\"\n"),
        ("two/src/lib.rs", "use log::debug;\nfn run() { debug!(); }\n"),
    ];
    assert!(calls(&files).is_empty(), "{:?}", calls(&files));
}

#[test]
fn an_imported_name_is_not_that_of_a_macro_elsewhere_in_the_package() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"one\"\n"),
        ("src/lib.rs", "mod user;\n"),
        ("tests/it.rs", "macro_rules! debug { () => {}; }\nmacro_rules! swap { () => {}; }\n"),
        ("src/user.rs", "use log::debug;\nfn run() { use std::mem::swap; debug!(); swap(a, b); }\n"),
    ];
    assert!(calls(&files).is_empty(), "{:?}", calls(&files));
}

#[test]
fn a_package_of_python_may_import_its_own_submodules() {
    let init = "from . import setters, made\nfrom .made import make\n";
    let files = [
        ("attr/__init__.py", init),
        ("attr/setters.py", "def pipe(): pass\n"),
        ("attr/made.py", "def make(): pass\n"),
        (
            "attr/user.py",
            "from . import setters, made\nimport attr\nsetters.pipe()\nmade.make()\nattr.made.make()\n",
        ),
    ];
    let expected =
        ["resolved attr/setters.py#pipe", "resolved attr/made.py#make", "resolved attr/made.py#make"];
    assert_eq!(calls(&files), expected);
}

#[test]
fn the_default_import_of_a_common_js_module_is_its_exports() {
    for exports in ["exports.run = run;\n", "module.exports = { run };\n", "module.exports.run = run;\n"] {
        let utils = format!("function run() {{}}\n{exports}");
        let files = [
            ("utils.cjs", utils.as_str()),
            ("app.mjs", "import utils from './utils.cjs';\nconst { run } = utils;\nutils.run();\nrun();\n"),
        ];
        let found = calls(&files);
        assert!(found.contains(&"resolved utils.cjs#run".to_owned()), "{exports}: {found:?}");
    }
    // An ES module without a default export has none.
    let files = [
        ("utils.mjs", "export function run() {}\n"),
        ("app.mjs", "import utils from './utils.mjs';\nutils.run();\n"),
    ];
    assert!(calls(&files).is_empty());
}

#[test]
fn a_declaration_file_is_no_second_candidate() {
    let files = [
        ("help.js", "class Help { prepare() {} }\nmodule.exports = { Help };\n"),
        ("typings.d.ts", "export class Help { prepare(): void }\n"),
        ("app.js", "function run(help) { help.prepare(); }\n"),
    ];
    assert_eq!(calls(&files), ["likely help.js#Help.prepare"]);
}
