//! Which module of a crate imports which: a scan of its sources for paths that begin with `crate`, `super` or `self`,
//! or with a name that such a path imports.
//!
//! A declaration (`mod a;`) and a re-export are not imports: a path that goes through a re-export counts for the module
//! that defines the item. A module that also uses the name it re-exports does import it. Test modules inside a file are
//! left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::cycles::Graph;
use crate::project;

/// Re-exports of re-exports end here, those that go in a circle too.
const MAX_REEXPORTS: usize = 8;

/// The modules of a crate: for each file its module's path without `crate::`, with the modules that it imports. The
/// crate's root has the empty path.
pub fn imports(source_folder: &Path) -> Graph {
    let files = project::files_below(source_folder);
    let sources = files.iter().filter_map(|file| {
        let path = module_path(file.strip_prefix(source_folder).ok()?)?;
        Some((path, fs::read_to_string(file).ok()?))
    });
    imports_of(sources.collect())
}

/// `store/memories/mod.rs` and `store/memories.rs` are `["store", "memories"]`; other roots in `bin` are left out.
fn module_path(file: &Path) -> Option<Vec<String>> {
    let text = file.to_str()?.strip_suffix(".rs")?.replace('\\', "/");
    let mut path: Vec<String> = text.split('/').map(str::to_owned).collect();
    match path.last().map(String::as_str) {
        Some("lib" | "main") if path.len() == 1 => path.clear(),
        Some("mod") => drop(path.pop()),
        _ => {}
    }
    (path.first().is_none_or(|first| first != "bin")).then_some(path)
}

/// A path in the source, with every `crate`, `super` and `self` resolved.
type ItemPath = Vec<String>;

#[derive(Default)]
struct Module {
    uses: Vec<ItemPath>,
    /// By the name under which they are offered.
    reexports: BTreeMap<String, ItemPath>,
}

fn imports_of(sources: BTreeMap<Vec<String>, String>) -> Graph {
    let names: BTreeSet<Vec<String>> = sources.keys().cloned().collect();
    let modules: BTreeMap<Vec<String>, Module> =
        sources.iter().map(|(path, text)| (path.clone(), scan(path, &tokens(text), &names))).collect();
    modules
        .iter()
        .map(|(path, module)| {
            let targets = module.uses.iter().map(|item| defining_module(&modules, item, MAX_REEXPORTS));
            let others = targets.filter(|target| target != path).map(|target| target.join("::"));
            (path.join("::"), others.collect())
        })
        .collect()
}

/// The module whose file holds the item.
fn defining_module(modules: &BTreeMap<Vec<String>, Module>, item: &[String], left: usize) -> Vec<String> {
    let mut at = 0;
    while at < item.len() && modules.contains_key(&item[..=at]) {
        at += 1;
    }
    let module = item[..at].to_vec();
    let reexport = item.get(at).and_then(|name| modules.get(&module)?.reexports.get(name));
    match reexport {
        Some(target) if left > 0 => {
            defining_module(modules, &[target.as_slice(), &item[at + 1..]].concat(), left - 1)
        }
        _ => module,
    }
}

/// Collects the paths of one file.
fn scan(module: &[String], tokens: &[String], names: &BTreeSet<Vec<String>>) -> Module {
    let is_child = |name: &str| names.contains(&[module, &[name.to_owned()]].concat());
    let mut found = Module::default();
    let mut imported: BTreeMap<String, ItemPath> = BTreeMap::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at].as_str();
        let starts_path =
            tokens.get(at + 1).is_some_and(|next| next == "::") && (at == 0 || tokens[at - 1] != "::");
        if let Some(length) = test_attribute(&tokens[at..]) {
            at = after_item(tokens, at + length);
        } else if token == "use" {
            let is_reexport = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
            let mut paths = Vec::new();
            at = tree(tokens, at + 1, &[], &mut paths);
            for (path, name) in paths {
                let Some(item) = absolute(module, &path, names) else { continue };
                if is_reexport {
                    found.reexports.insert(name, item);
                } else {
                    found.uses.push(item.clone());
                    imported.insert(name, item);
                }
            }
        } else if starts_path
            && let Some(item) = imported.get(token).or_else(|| found.reexports.get(token)).cloned()
        {
            let mut paths = Vec::new();
            at = tree(tokens, at, &[], &mut paths);
            found.uses.extend(paths.iter().map(|(path, _)| [item.as_slice(), &path[1..]].concat()));
        } else if starts_path && (["crate", "super", "self"].contains(&token) || is_child(token)) {
            let mut paths = Vec::new();
            at = tree(tokens, at, &[], &mut paths);
            found.uses.extend(paths.iter().filter_map(|(path, _)| absolute(module, path, names)));
        } else {
            if let Some(item) = found.reexports.get(token).filter(|_| mentions_item(tokens, at)) {
                found.uses.push(item.clone());
            }
            at += 1;
        }
    }
    found
}

/// Whether the name at `at` is that of an item, not a field, a method, a variable or the rest of a path: a type, a
/// constant, or a function that is called.
fn mentions_item(tokens: &[String], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| tokens[before].as_str());
    let is_called = tokens.get(at + 1).is_some_and(|next| next == "(");
    ![".", "::", "fn"].contains(&before) && (is_called || tokens[at].starts_with(char::is_uppercase))
}

/// The starts of attributes of items that only tests have.
const TEST_ONLY: [&[&str]; 2] =
    [&["#", "[", "cfg", "(", "test", ")", "]"], &["#", "[", "cfg", "(", "all", "(", "test", ","]];

/// The length of the start of such an attribute, if the tokens begin with it.
fn test_attribute(tokens: &[String]) -> Option<usize> {
    let start = TEST_ONLY.into_iter().find(|start| {
        tokens.len() >= start.len() && tokens.iter().zip(start.iter()).all(|(token, wanted)| token == wanted)
    });
    start.map(<[&str]>::len)
}

/// The index after the item that begins at `at`: after its `;` or its block.
fn after_item(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth <= 1 => break,
            "}" => depth -= 1,
            ";" if depth == 0 => break,
            _ => {}
        }
    }
    at
}

/// Reads a path or a tree of paths at `at`; adds each with its name, and returns the index after it.
fn tree(
    tokens: &[String],
    mut at: usize,
    before: &[String],
    paths: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    let next = tree(tokens, at, &path, paths);
                    at = if tokens.get(next).is_some_and(|token| token == ",") {
                        next + 1
                    } else {
                        next.max(at + 1)
                    };
                }
                return at + 1;
            }
            Some("*") => {
                at += 1;
                break;
            }
            Some(token) if is_name(token) => {
                path.push(token.to_owned());
                at += 1;
            }
            _ => break,
        }
        match tokens.get(at).map(String::as_str) {
            Some("::") => at += 1,
            _ => break,
        }
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if tokens.get(at).is_some_and(|token| token == "as") {
        name = tokens.get(at + 1).cloned().unwrap_or_default();
        at += 2;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
        name = path.last().cloned().unwrap_or_default();
    }
    if path.len() > before.len() || !before.is_empty() {
        paths.push((path, name));
    }
    at
}

/// The path from the crate's root; `None` for paths into other crates.
fn absolute(module: &[String], path: &[String], names: &BTreeSet<Vec<String>>) -> Option<ItemPath> {
    let (first, rest) = path.split_first()?;
    let base = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module[..module.len().checked_sub(1)?].to_vec(),
        child => {
            let whole = [module, &[child.to_owned()]].concat();
            return names.contains(&whole).then(|| [whole.as_slice(), rest].concat());
        }
    };
    match rest.first().map(String::as_str) {
        Some("super") => absolute(&base, rest, names),
        _ => Some([base.as_slice(), rest].concat()),
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Names, `::` and single characters; comments, texts, characters and lifetimes are left out.
pub fn tokens(source: &str) -> Vec<String> {
    let letters: Vec<char> = source.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        match letters[at] {
            '/' if next == '/' => at = until(&letters, at, |rest| rest[0] == '\n'),
            '/' if next == '*' => at = after_block_comment(&letters, at),
            '"' => at = after_text(&letters, at),
            'r' if (next == '"' || next == '#') && raw_text_starts(&letters[at + 1..]) => {
                at = after_raw_text(&letters, at + 1);
            }
            // A raw name, such as `r#gen`, is the name behind its prefix.
            'r' if next == '#' && letters.get(at + 2).is_some_and(|c| c.is_alphabetic()) => at += 2,
            '\'' => at = after_character(&letters, at),
            ':' if next == ':' => {
                found.push("::".to_owned());
                at += 2;
            }
            letter if letter.is_alphabetic() || letter == '_' => {
                let end = until(&letters, at, |rest| !(rest[0].is_alphanumeric() || rest[0] == '_'));
                let name: String = letters[at..end].iter().collect();
                // A byte text or raw byte text: its prefix is not a name.
                let is_prefix = matches!(name.as_str(), "b" | "br" | "c")
                    && letters.get(end).is_some_and(|c| "\"#'".contains(*c));
                if name == "br" && is_prefix && raw_text_starts(&letters[end..]) {
                    at = after_raw_text(&letters, end);
                } else {
                    if !is_prefix {
                        found.push(name);
                    }
                    at = end;
                }
            }
            letter => {
                if !letter.is_whitespace() {
                    found.push(letter.to_string());
                }
                at += 1;
            }
        }
    }
    found
}

fn until(letters: &[char], from: usize, ends: impl Fn(&[char]) -> bool) -> usize {
    (from..letters.len()).find(|at| ends(&letters[*at..])).unwrap_or(letters.len())
}

fn after_block_comment(letters: &[char], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < letters.len() {
        match letters.get(at..at + 2) {
            Some(['/', '*']) => depth += 1,
            Some(['*', '/']) if depth == 1 => return at + 2,
            Some(['*', '/']) => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    at
}

fn after_text(letters: &[char], mut at: usize) -> usize {
    at += 1;
    while at < letters.len() && letters[at] != '"' {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn raw_text_starts(after_prefix: &[char]) -> bool {
    after_prefix.iter().find(|letter| **letter != '#') == Some(&'"')
}

fn after_raw_text(letters: &[char], at: usize) -> usize {
    let hashes = letters[at..].iter().take_while(|letter| **letter == '#').count();
    let mut end = vec!['"'];
    end.extend(std::iter::repeat_n('#', hashes));
    until(letters, at + hashes + 1, |rest| rest.starts_with(&end)) + end.len()
}

/// Behind a character, or behind the apostrophe of a lifetime.
fn after_character(letters: &[char], at: usize) -> usize {
    match letters.get(at + 1..) {
        Some(['\\', _, rest @ ..]) => at + 3 + rest.iter().take_while(|letter| **letter != '\'').count() + 1,
        Some([_, '\'', ..]) => at + 3,
        _ => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cycles::cycles;
    use super::*;

    fn graph(sources: &[(&str, &str)]) -> Graph {
        let sources = sources.iter().map(|(path, text)| {
            let path = path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect();
            (path, (*text).to_owned())
        });
        imports_of(sources.collect())
    }

    fn imported(graph: &Graph, module: &str) -> Vec<String> {
        graph[module].iter().cloned().collect()
    }

    #[test]
    fn paths_are_resolved_from_crate_super_self_and_children() {
        let found = graph(&[
            ("", ""),
            ("a", "use crate::b::{self, c::{D, E as F}}; use std::fmt; use child::G;"),
            ("a::child", "use super::super::b; fn f() { super::g(); self::h(); crate::z::CONSTANT; }"),
            ("b", ""),
            ("b::c", ""),
            ("z", ""),
        ]);
        assert_eq!(imported(&found, "a"), ["a::child", "b", "b::c"]);
        assert_eq!(imported(&found, "a::child"), ["a", "b", "z"]);
    }

    #[test]
    fn a_path_through_an_imported_module_counts_for_the_module_it_leads_to() {
        let found = graph(&[
            ("", "mod a; mod list;"),
            ("a", "pub mod b;"),
            ("a::b", "use crate::list;"),
            ("list", "use crate::{T, a}; const ALL: &[T] = &[a::b::X, other::a::Y];"),
        ]);
        assert_eq!(imported(&found, "list"), ["", "a", "a::b"]);
    }

    #[test]
    fn a_path_through_a_reexport_counts_for_the_defining_module() {
        let found = graph(&[
            ("", "mod a; pub use a::{A, inner::B as C};"),
            ("a", "mod inner; pub(crate) use inner::B;"),
            ("a::inner", ""),
            ("user", "use crate::{A, C};"),
            ("other", "use crate::a::B;"),
        ]);
        assert_eq!(imported(&found, ""), [""; 0]);
        assert_eq!(imported(&found, "user"), ["a", "a::inner"]);
        assert_eq!(imported(&found, "other"), ["a::inner"]);
    }

    #[test]
    fn a_path_through_a_reexported_module_counts() {
        let found = graph(&[
            ("", "mod a; mod b;"),
            ("a", "pub(crate) use crate::b; fn f() { b::g(); }"),
            ("b", "pub mod c;"),
            ("b::c", ""),
        ]);
        assert_eq!(imported(&found, "a"), ["b"]);
    }

    #[test]
    fn a_module_imports_the_children_it_uses_and_not_those_it_declares_or_reexports() {
        let declared = "mod child; pub use child::{Item, call};";
        let imports = |rest: &str| {
            let parent = format!("{declared} {rest}");
            imported(&graph(&[("", ""), ("a", &parent), ("a::child", "")]), "a")
        };
        assert_eq!(
            imports("fn f(x: X) { x.call(); x.call; X::call(); let call = 1; } fn call() {}"),
            [""; 0]
        );
        for used in [
            "fn f() -> Item {}",
            "fn f() { Item::new() }",
            "fn f() { call() }",
            "fn f() { child::g() }",
            "use child::Other;",
        ] {
            assert_eq!(imports(used), ["a::child"], "{used}");
        }
    }

    #[test]
    fn a_module_and_one_inside_it_that_import_each_other_are_a_cycle() {
        let parent =
            "mod child; mod walker; use walker::Walker; impl Walker for T { fn f(&self) { child::g(); } }";
        let cycles_with = |child: &str| {
            let sources =
                [("", ""), ("a", parent), ("a::child", child), ("a::walker", "pub trait Walker {}")];
            cycles(&graph(&sources))
        };
        assert_eq!(cycles_with("pub fn g() { super::h(); }"), [["a", "a::child"]]);
        assert_eq!(
            cycles_with("use super::walker::Walker; pub fn g(x: T) { x.f(); }"),
            Vec::<Vec<String>>::new()
        );
    }

    #[test]
    fn a_raw_name_is_the_module_of_that_name() {
        let found = graph(&[("", ""), ("a", "use crate::r#gen; use crate::b;"), ("b", ""), ("gen", "")]);
        assert_eq!(imported(&found, "a"), ["b", "gen"]);
    }

    #[test]
    fn comments_texts_and_test_modules_import_nothing() {
        let source = r##"
            // use crate::b;
            /* crate::b /* nested */ crate::b */
            const A: &str = "crate::b \" crate::b"; const B: &str = r#"crate::b " "#; const C: char = '"';
            fn f<'a>(x: &'a str) -> char { '\'' }
            #[cfg(test)]
            mod tests { use crate::b; fn g() { crate::b::h(); } }
            #[cfg(test)]
            use crate::b;
            #[cfg(all(test, target_os = "linux"))]
            mod linux_tests { use crate::b; }
            use crate::c;
        "##;
        let found = graph(&[("", ""), ("a", source), ("b", ""), ("c", "")]);
        assert_eq!(imported(&found, "a"), ["c"]);
    }
}
