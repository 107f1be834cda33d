//! Names that ES modules and CommonJS modules give to each other, by the rules of ECMAScript.

use limbic_code::{Project, Tier, extract};

/// The resolved calls in the last file, as `path#symbol`, in the order of the text.
fn calls(files: &[(&str, &str)]) -> Vec<String> {
    let mut project = Project::new();
    for (path, text) in files {
        project.set(path, Some(extract(path, text.as_bytes())));
    }
    let (last, _) = files.last().expect("there is a file");
    let facts = project.facts(last).expect("the file was set");
    let edges = &project.resolve_all()[*last].edges;
    let calls = edges.iter().filter(|edge| edge.tier == Tier::Resolved && edge.relation.as_str() == "calls");
    let mut found: Vec<_> = calls
        .map(|edge| {
            let reference = &facts.references[edge.reference as usize];
            ((reference.line, reference.column), format!("{}#{}", edge.path, edge.symbol))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, target)| target).collect()
}

const RUN: &str = "export function run() {}\n";

#[test]
fn a_name_that_is_not_exported_hides_no_export_behind_a_star() {
    let all = ("all.ts", "export * from './first';\nexport * from './run';\n");
    for first in [
        "function run() {}\nexport function other() { run(); }\n",
        "import * as run from './run';\nexport const other = run.run;\n",
        "import { run } from './elsewhere';\nexport const other = () => run();\n",
        "const run = () => 1;\nexport { run as other };\n",
    ] {
        let files = [
            ("elsewhere.ts", RUN),
            ("first.ts", first),
            ("run.ts", RUN),
            all,
            ("app.ts", "import * as z from './all';\nimport { run } from './all';\nz.run();\nrun();\n"),
        ];
        assert_eq!(calls(&files), ["run.ts#run", "run.ts#run"], "{first}");
    }
}

#[test]
fn every_form_of_an_export_is_visible_behind_a_star() {
    for (first, target) in [
        ("export function run() {}\n", "run"),
        ("export async function* run() {}\n", "run"),
        ("export const run = () => 1;\n", "run"),
        ("export const other = 1, run = function () {};\n", "run"),
        ("export class run {}\n", "run"),
        ("export abstract class run {}\n", "run"),
        ("function run() {}\nexport { other, run };\nconst other = 1;\n", "run"),
        ("function start() {}\nexport { start as run };\n", "start"),
        ("function start() {}\nexport { start as \"run\" };\n", "start"),
        ("export declare function run(): void;\n", "run"),
    ] {
        let files = [
            ("first.ts", first),
            ("all.ts", "export * from './first';\n"),
            ("app.ts", "import { run } from './all';\nrun();\n"),
        ];
        assert_eq!(calls(&files), [format!("first.ts#{target}")], "{first}");
    }
}

#[test]
fn everything_in_a_declaration_file_is_exported() {
    let declared = "declare function run(): void;\nexport const other: number;\n";
    for (path, module) in
        [("first.d.ts", "./first"), ("first.d.mts", "./first.mjs"), ("first.d.cts", "./first.cjs")]
    {
        let app = format!("import {{ run }} from '{module}';\nrun();\n");
        let files = [(path, declared), ("app.ts", app.as_str())];
        assert_eq!(calls(&files), [format!("{path}#run")], "{path}");
    }
}

#[test]
fn a_pattern_exports_every_name_in_it() {
    let exported = |text: &str| extract("a.ts", text.as_bytes()).outline.exports;
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    assert_eq!(
        exported("export const { a, b: [c, ...d], e = 1, ...f } = make();\n"),
        names(&["a", "c", "d", "e", "f"])
    );
    assert_eq!(
        exported("export interface A {}\nexport type B = A;\nexport enum C {}\n"),
        names(&["A", "B", "C"])
    );
    assert_eq!(exported("import './b';\nconst a = 1;\n"), names(&[]));
    assert_eq!(exported("const a = 1;\n"), None, "a script");
    assert_eq!(exported("import b from './b';\nmodule.exports = { b };\n"), None, "a module of a bundler");
}

#[test]
fn a_star_passes_on_no_default() {
    let files = [
        ("run.ts", "export default function run() {}\n"),
        ("all.ts", "export * from './run';\n"),
        ("app.ts", "import run from './all';\nrun();\n"),
    ];
    assert_eq!(calls(&files), [""; 0]);
    let files = [files[0], ("all.ts", "export { default } from './run';\n"), files[2]];
    assert_eq!(calls(&files), ["run.ts#run"]);
    let files = [files[0], ("all.ts", "export { default as start } from './run';\n")];
    let app = ("app.ts", "import { start } from './all';\nstart();\n");
    assert_eq!(calls(&[files[0], files[1], app]), ["run.ts#run"]);
}

#[test]
fn an_export_from_another_module_is_no_name_of_the_module_itself() {
    for clause in
        ["export * from './run';", "export { run } from './run';", "export { start as run } from './run';"]
    {
        let all = format!("{clause}\nexport function go() {{ run(); }}\n");
        let files = [("run.ts", "export function run() {}\nexport function start() {}\n"), ("all.ts", &all)];
        assert_eq!(calls(&files), [""; 0], "{clause}");
    }
    let own = "function start() {}\nfunction run() {}\nexport { start as run };\nrun();\n";
    assert_eq!(calls(&[("own.ts", own)]), ["own.ts#run"]);
}

#[test]
fn a_namespace_is_passed_on_under_any_name() {
    let files = [
        ("run.ts", RUN),
        ("core.ts", "export * as util from './run';\n"),
        ("external.ts", "export * as core from './core';\nexport { run as void } from './run';\n"),
        (
            "index.ts",
            "import * as z from './external';\nexport { z };\nexport default z;\nexport { z as y };\n",
        ),
        (
            "app.ts",
            "import z, { y, z as x } from './index';\nz.core.util.run();\ny.void();\nx.core.util.run();\n",
        ),
    ];
    assert_eq!(calls(&files), ["run.ts#run"; 3]);
}

#[test]
fn names_of_a_dynamic_import_are_those_of_its_module() {
    for app in [
        "const all = await import('./run');\nall.run();\n",
        "const { run } = await import('./run');\nrun();\n",
        "const { run: start } = await import('./run');\nstart();\n",
        "const start = (await import('./run')).run;\nstart();\n",
        "async function f() { (await import('./run')).run(); }\n",
        "import('./run').then((all) => all.run());\n",
        "require('./run').run();\n",
        "const all = require('./run');\nall.run();\n",
    ] {
        assert_eq!(calls(&[("run.ts", RUN), ("app.ts", app)]), ["run.ts#run"], "{app}");
    }
    let own = "export const f = (require: any) => require('./run').run();\n";
    assert_eq!(calls(&[("run.ts", RUN), ("app.ts", own)]), [""; 0], "a parameter");
}

#[test]
fn an_import_alias_is_another_name_of_a_namespace_or_of_its_member() {
    let files = [(
        "app.ts",
        "namespace a {\n  export namespace b { export class C { run() {} } }\n}\n\
         import B = a.b;\nimport A = a;\nnew B.C().run();\nnew A.b.C();\n",
    )];
    assert_eq!(calls(&files), ["app.ts#a.b.C", "app.ts#a.b.C.run", "app.ts#a.b.C"]);
    let files = [
        ("lib.ts", "namespace a { export class C {} }\nexport import b = a;\n"),
        ("app.ts", "import { b } from './lib';\nnew b.C();\n"),
    ];
    assert_eq!(calls(&files), ["lib.ts#a.C"]);
}

#[test]
fn common_js_modules_export_what_they_assign() {
    let files = [
        (
            "run.js",
            "function run() {}\nfunction start() {}\nexports.go = start;\nmodule.exports = { run, stop: start };\n",
        ),
        (
            "app.ts",
            "import { run, go } from './run';\nrun();\ngo();\nconst { stop } = require('./run');\nstop();\n",
        ),
    ];
    assert_eq!(calls(&files), ["run.js#run", "run.js#start", "run.js#start"]);
    let files = [
        ("lib.ts", "function lib() {}\nnamespace lib { export function run() {} }\nexport = lib;\n"),
        ("app.ts", "import lib = require('./lib');\nlib();\n"),
    ];
    assert_eq!(calls(&files), ["lib.ts#lib"]);
}
