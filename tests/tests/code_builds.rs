//! The code index of a folder with files, links and folders of every kind: the native server and the Node server give
//! the same bytes.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use limbic_tests::{BackEnd, stdio::Server};
use serde_json::json;
use tempfile::tempdir;

const FILES: [(&str, &[u8]); 19] = [
    (".gitignore", b"\xef\xbb\xbfbuild/\n*.tmp.py\n/top.py\n[\n"),
    (".memoryignore", b"private/\n"),
    ("a/.gitignore", b"!keep.tmp.py\nlocal.py\n"),
    ("a/keep.tmp.py", b"def keep(): pass\n"),
    ("a/local.py", b"def local(): pass\n"),
    ("a/lost.tmp.py", b"def lost(): pass\n"),
    ("build/made.py", b"def made(): pass\n"),
    ("node_modules/m.js", b"function m() {}\n"),
    ("private/secret.py", b"def hidden(): pass\n"),
    ("top.py", b"def top(): pass\n"),
    ("a/above.log.py", b"def above(): pass\n"),
    ("mine.py", b"def mine(): pass\n"),
    ("broken.ts", b"function broken( { ]]]\nfunction whole() { return broken() }\n"),
    ("latin.py", b"# caf\xe9\ndef latin(): pass\n"),
    ("image.png", b"\x89PNG\0\0\0\0"),
    ("keys.py", b"def login():\n    password = \"kestrel-99-Blue\"\n    return password\n"),
    ("page.rb", b"class Page\n  def show\n    draw\n  end\n  def draw\n  end\nend\n"),
    ("cart.hpp", b"namespace shop {\nclass Cart { public: int sum() { return 1; } };\n}\n"),
    ("shop.rs", b"/// Sums up.\npub fn total() -> u32 { one() }\nfn one() -> u32 { 1 }\n"),
];

/// Writes a project, and beside it a folder that may not be read.
fn make(root: &Path) -> Result<()> {
    let project = root.join("shop");
    for (path, bytes) in FILES {
        let file = project.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&project))?;
        fs::write(file, bytes)?;
    }
    fs::File::create(project.join("big.py"))?.set_len(200_000_000)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(root.with_file_name("outside"), project.join("link"))?;
        symlink(&project, project.join("a/up"))?;
        symlink(project.join("circle"), project.join("circle"))?;
        fs::write(project.join("two\nlines.py"), "def two(): pass\n")?;
    }
    #[cfg(target_os = "linux")]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        fs::write(project.join(OsStr::from_bytes(b"caf\xe9.py")), "def cafe(): pass\n")?;
    }
    // The project is a folder of a work tree of git.
    fs::create_dir_all(root.join(".git/info"))?;
    fs::write(root.join(".git/info/exclude"), "mine.py\n")?;
    fs::write(root.join(".gitignore"), "/shop/*/*.log.py\n")?;
    // The root of a linked work tree: the project is named after the folder of the main work tree.
    fs::create_dir_all(root.join("bank/.git/worktrees/tree"))?;
    fs::write(root.join("bank/.git/worktrees/tree/commondir"), "../..\n")?;
    fs::create_dir(root.join("tree"))?;
    fs::write(root.join("tree/.git"), "gitdir: ../bank/.git/worktrees/tree\n")?;
    fs::write(root.join("tree/pay.go"), "package pay\n\nfunc Pay() int { return 1 }\n")?;
    fs::create_dir(root.join("bank/.git/info"))?;
    fs::write(root.join("bank/.git/info/exclude"), "mine.go\n")?;
    fs::write(root.join("tree/mine.go"), "package pay\n\nfunc Mine() int { return 1 }\n")?;
    fs::create_dir(root.with_file_name("outside"))?;
    fs::write(root.with_file_name("outside").join("o.py"), "def outside(): pass\n")?;
    Ok(())
}

fn answers(server: &mut Server, root: &Path) -> Result<Vec<(bool, String)>> {
    let shop = root.join("shop");
    let calls = [
        ("index_project", json!({ "path": "shop", "project_id": "shop", "wait": true })),
        ("get_index_status", json!({ "project_id": "shop" })),
        ("index_project", json!({ "path": root.join("tree"), "wait": true })),
        ("list_projects", json!({})),
        ("search_symbols", json!({ "query": "", "project_id": "shop", "limit": 50 })),
        ("search_code", json!({ "query": "sums up", "mode": "words" })),
        ("search_code", json!({ "query": "where is the shop's total computed", "explain": true })),
        ("symbol_graph", json!({ "symbol_id": "shop:shop.rs#one", "action": "callers" })),
        ("index_project", json!({ "path": "../outside" })),
        ("index_project", json!({ "path": shop.join("link") })),
        ("index_project", json!({ "path": shop.join("circle") })),
        ("index_project", json!({ "path": "shop/shop.rs" })),
        ("index_project", json!({ "path": "shop/shop.rs/below" })),
        ("index_project", json!({ "path": "none" })),
        ("index_project", json!({ "path": "a\0b" })),
        ("index_project", json!({ "path": "n".repeat(300) })),
        ("explore_code", json!({ "project_id": "shop" })),
        ("explore_code", json!({ "project_id": "shop", "folder": "a" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "latin.py" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "keys.py" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "image.png" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "big.py" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "private/secret.py" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "../tree/pay.go" })),
        ("explore_source", json!({ "project_id": "shop", "file_path": shop.join("shop.rs") })),
        ("explore_source", json!({ "project_id": "shop", "file_path": "link/o.py" })),
        ("delete_project", json!({ "project_id": "shop" })),
    ];
    calls.iter().map(|(tool, arguments)| server.call(tool, &arguments.to_string())).collect()
}

#[test]
fn native_and_node_server_give_the_same_index() -> Result<()> {
    let folder = tempdir()?;
    let root = folder.path().canonicalize()?.join("projects");
    fs::create_dir(&root)?;
    make(&root)?;
    let mut native = Server::native_below(&folder.path().join("native.db"), &root)?;
    let mut node = Server::node_below(&folder.path().join("node.db"), &root)?;
    let (expected, found) = (answers(&mut native, &root)?, answers(&mut node, &root)?);
    for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
        ensure!(expected == found, "call {number}\nnative: {expected:?}\nnode:   {found:?}");
    }
    for server in [&native, &node] {
        ensure!(server.notices("notifications/progress") > 0, "no progress was reported");
    }
    ensure!(!expected[0].0 && expected[0].1.contains(r#""status":"completed""#), "{:?}", expected[0]);
    ensure!(expected[2].1.contains(r#""project_id":"bank""#), "{:?}", expected[2]);
    ensure!(expected[2].1.contains(r#""total_files":1"#), "{:?}", expected[2]);
    for (name, is_listed) in [
        ("keep", true),
        ("latin", true),
        ("total", true),
        ("draw", true),
        ("Cart", true),
        ("local", false),
        ("top", false),
        ("above", false),
        ("mine", false),
    ] {
        ensure!(
            expected[4].1.contains(&format!(r#""name":"{name}""#)) == is_listed,
            "{name}: {}",
            expected[4].1
        );
    }
    ensure!(expected[6].1.contains("static_vector"), "the packaged table was not used: {}", expected[6].1);
    ensure!(expected[7].1.contains("total"), "{}", expected[7].1);
    for (call, is_shown) in [(18, true), (19, true), (20, false), (21, false), (22, false)] {
        ensure!(expected[call].0 != is_shown, "{:?}", expected[call]);
    }
    ensure!(expected[23..26].iter().all(|(is_error, _)| *is_error), "{:?}", &expected[23..26]);
    ensure!(
        expected[19].1.contains(r#""redacted_lines":1"#) && !expected[19].1.contains("kestrel"),
        "{:?}",
        expected[19]
    );
    ensure!(expected[8..16].iter().all(|(is_error, _)| *is_error), "{:?}", &expected[8..16]);
    node.stop()?;
    native.stop()
}

#[test]
fn node_indexes_between_calls_and_rereads_changed_files_before_an_answer() -> Result<()> {
    let folder = tempdir()?;
    let root = folder.path().canonicalize()?;
    fs::create_dir(root.join("shop"))?;
    fs::write(root.join("shop/a.py"), "def first(): pass\n")?;
    let mut node = Server::node_below(&root.join("node.db"), &root)?;
    let (is_error, started) = node.call("index_project", r#"{"path":"shop"}"#)?;
    ensure!(!is_error, "{started}");
    let status = |node: &mut Server| node.call("get_index_status", r#"{"project_id":"shop"}"#);
    for _ in 0..200 {
        if status(&mut node)?.1.contains("completed") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    ensure!(status(&mut node)?.1.contains("completed"), "{}", status(&mut node)?.1);
    fs::write(root.join("shop/a.py"), "def second(): pass\n")?;
    let (_, found) = node.call("search_code", r#"{"query":"first","mode":"words"}"#)?;
    ensure!(!found.contains("def first"), "{found}");
    let (_, found) = node.call("search_symbols", r#"{"query":"second"}"#)?;
    ensure!(found.contains("shop:a.py#second"), "{found}");
    node.stop()
}

#[test]
fn both_servers_find_a_new_name_by_the_first_question() -> Result<()> {
    let folder = tempdir()?;
    let root = folder.path().canonicalize()?.join("projects");
    fs::create_dir_all(root.join("shop"))?;
    fs::write(root.join("shop/a.py"), "def first(): pass\n")?;
    let native = Server::native_below(&folder.path().join("native.db"), &root)?;
    let mut servers = [native, Server::node_below(&folder.path().join("node.db"), &root)?];
    for server in &mut servers {
        let (is_error, answer) = server.call("index_project", r#"{"path":"shop","wait":true}"#)?;
        ensure!(!is_error && answer.contains("completed"), "{answer}");
    }
    let both = |servers: &mut [Server; 2], tool: &str, arguments: &str, expected: &str| -> Result<()> {
        for server in servers {
            let (_, answer) = server.call(tool, arguments)?;
            ensure!(answer.contains(expected) && answer.contains(r#""pending_files":0"#), "{answer}");
        }
        Ok(())
    };
    fs::write(root.join("shop/a.py"), "def first(): pass\ndef appended(): pass\n")?;
    both(&mut servers, "search_symbols", r#"{"query":"appended"}"#, "shop:a.py#appended")?;
    fs::write(root.join("shop/fresh.py"), "from a import first\ndef brand_new(): first()\n")?;
    both(&mut servers, "search_code", r#"{"query":"brand_new"}"#, "def brand_new")?;
    fs::write(root.join("shop/late.py"), "from a import appended\ndef late(): appended()\n")?;
    let callers = r#"{"symbol_id":"shop:a.py#appended","action":"callers"}"#;
    both(&mut servers, "symbol_graph", callers, "shop:late.py#late")?;
    let [native, node] = servers;
    node.stop()?;
    native.stop()
}

/// Asks until an answer contains a text.
fn wait_for(server: &mut Server, tool: &str, arguments: &str, expected: &str) -> Result<()> {
    let mut last = String::new();
    for _ in 0..800 {
        last = server.call(tool, arguments)?.1;
        if last.contains(expected) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    anyhow::bail!("{tool} {arguments} never contained {expected}: {last}")
}

#[test]
fn both_servers_index_a_watched_project_as_its_files_change() -> Result<()> {
    let folder = tempdir()?;
    let root = folder.path().canonicalize()?.join("projects");
    fs::create_dir_all(root.join("shop/deep"))?;
    fs::write(root.join("shop/a.py"), "def first(): pass\n")?;
    fs::write(root.join("shop/deep/b.py"), "def second(): pass\n")?;
    let native = Server::native_below(&folder.path().join("native.db"), &root)?;
    let mut servers = [native, Server::node_below(&folder.path().join("node.db"), &root)?];
    for server in &mut servers {
        let (is_error, answer) =
            server.call("index_project", r#"{"path":"shop","watch":true,"wait":true}"#)?;
        ensure!(!is_error && answer.contains("completed"), "{answer}");
    }
    fs::write(root.join("shop/deep/late.py"), "def late(): pass\n")?;
    fs::create_dir(root.join("shop/new"))?;
    // Not by a search, which would compare the files itself.
    let wait_for_files = |servers: &mut [Server; 2], count: usize| -> Result<()> {
        for server in servers {
            let expected = format!(r#""total_files":{count},"indexed_files":{count}"#);
            wait_for(server, "get_index_status", r#"{"project_id":"shop"}"#, &expected)?;
        }
        Ok(())
    };
    wait_for_files(&mut servers, 3)?;
    fs::write(root.join("shop/new/c.py"), "def newest(): pass\n")?;
    wait_for_files(&mut servers, 4)?;
    fs::remove_file(root.join("shop/a.py"))?;
    wait_for_files(&mut servers, 3)?;
    for server in &mut servers {
        wait_for(server, "search_symbols", r#"{"query":"late"}"#, "shop:deep/late.py#late")?;
        wait_for(server, "search_symbols", r#"{"query":"newest"}"#, "shop:new/c.py#newest")?;
    }
    let [native, node] = servers;
    node.stop()?;
    native.stop()
}

#[test]
fn both_servers_answer_with_watched_files_that_were_saved_just_before() -> Result<()> {
    let folder = tempdir()?;
    let root = folder.path().canonicalize()?.join("projects");
    fs::create_dir_all(root.join("shop"))?;
    fs::write(root.join("shop/a.py"), "def first(): pass\n")?;
    fs::write(root.join("shop/b.py"), "from a import first\ndef second(): first()\n")?;
    let native = Server::native_below(&folder.path().join("native.db"), &root)?;
    let mut servers = [native, Server::node_below(&folder.path().join("node.db"), &root)?];
    for server in &mut servers {
        let (is_error, answer) =
            server.call("index_project", r#"{"path":"shop","watch":true,"wait":true}"#)?;
        ensure!(!is_error && answer.contains("completed"), "{answer}");
    }
    fs::write(root.join("shop/c.py"), "def third(): pass\n")?;
    for server in &mut servers {
        // Not by a search: the folder is watched now.
        wait_for(server, "get_index_status", r#"{"project_id":"shop"}"#, r#""indexed_files":3"#)?;
    }
    for (number, server) in servers.iter_mut().enumerate() {
        let mut asked = (0..10).map(|round| -> Result<bool> {
            // Each file puts off the report of the changes.
            let name = format!("late_{number}_{round}");
            let text = format!("from a import first\ndef {name}(): first()\n");
            fs::write(root.join(format!("shop/{name}.py")), text)?;
            std::thread::sleep(std::time::Duration::from_millis(100));
            let callers = r#"{"symbol_id":"shop:a.py#first","action":"callers"}"#;
            let (_, answer) = server.call("symbol_graph", callers)?;
            Ok(answer.contains(&format!("#{name}")) && answer.contains(r#""pending_files":0"#))
        });
        ensure!(asked.any(|is_known| is_known.is_ok_and(|is| is)), "server {number} never knew of a file");
    }
    let [native, node] = servers;
    node.stop()?;
    native.stop()
}
