//! The code index: an incremental update equals a full one, two servers do the work once, and answers match the files.

mod interrupted_indexing;
mod memory_links;
mod changing_files;
mod code_secrets;
mod known_projects;
mod new_names;
mod racing_servers;
mod source_guards;
mod support;
mod unreadable;
mod watched;
mod work_trees;

use std::fs;

use anyhow::{Context, Result, ensure};
use limbic_protocol::{Encoding, EncodingResult, QueryTokens, Task};
use limbic_tools::{FileCall, IndexStep, SessionId};
use serde_json::{Value, json};
use support::{Server, Workspace, connect};

const BASE: &str =
    "class Base:\n    def greet(self):\n        return helper()\n\ndef helper():\n    return 1\n";
const MODELS: &str =
    "from .base import Base\n\nclass User(Base):\n    def __init__(self, name):\n        self.name = name\n";
const MAIN: &str = "from app.models import User\n\ndef main():\n    user = User('a')\n    user.greet()\n";

fn started() -> Result<Workspace> {
    let workspace = Workspace::new()?;
    workspace.write("app/__init__.py", "")?;
    workspace.write("app/base.py", BASE)?;
    workspace.write("app/models.py", MODELS)?;
    workspace.write("main.py", MAIN)?;
    workspace.write("src/lib.rs", "mod a;\npub fn run() -> u8 { a::one() }\n")?;
    workspace.write("src/a.rs", "pub fn one() -> u8 { 1 }\n")?;
    Ok(workspace)
}

fn search(server: &mut Server, query: &str) -> Result<Vec<Value>> {
    let answer = server.ask("search_code", &json!({ "query": query, "mode": "words" }))?;
    answer["results"].as_array().cloned().context("results")
}

/// Compares the database `one.db`, which was updated, with a fresh one.
fn equals_fresh(workspace: &Workspace, fresh: &str, step: &str) -> Result<()> {
    workspace.open(fresh, 9)?.index(&workspace.project())?;
    let (updated, full) = (workspace.rows("one.db")?, workspace.rows(fresh)?);
    let only = |a: &[String], b: &[String]| -> Vec<String> {
        a.iter().filter(|row| b.binary_search(row).is_err()).take(5).cloned().collect()
    };
    ensure!(
        updated == full,
        "{step}: only updated {:#?}, only fresh {:#?}",
        only(&updated, &full),
        only(&full, &updated)
    );
    Ok(())
}

/// A change of the project's files.
type Change<'a> = Box<dyn Fn() -> Result<()> + 'a>;

#[test]
fn a_step_writes_words_once() -> Result<()> {
    let workspace = started()?;
    let calls: String = (0..203).map(|number| format!("step_{number}()\n")).collect();
    workspace.write("calls.py", &calls)?;
    let mut server = workspace.open("one.db", 1)?;
    server.ask("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    for _ in ["the files are listed", "all are stored"] {
        ensure!(server.limbic.index_step()? == IndexStep::Worked);
    }
    let connection = connect(&workspace.project().with_file_name("one.db"))?;
    // The upper bits of a row number of the words are that of their segment, of which there are no others.
    let segments: i64 = connection.query_row(
        "SELECT count(DISTINCT id >> 37) FROM chunk_words_data WHERE id >= 1 << 37",
        [],
        |row| row.get(0),
    )?;
    ensure!(segments == 1, "{segments} segments");
    Ok(())
}

#[test]
fn an_index_of_version_26_is_read_again() -> Result<()> {
    let workspace = started()?;
    workspace.open("one.db", 1)?.index(&workspace.project())?;
    // Each reference was a row, and the line of an edge was that of its reference.
    connect(&workspace.database("one.db"))?.execute_batch(
        "DROP TABLE code_references; DROP TABLE code_edges;
         CREATE TABLE code_refs (file INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (file, place)) WITHOUT ROWID;
         INSERT INTO code_refs SELECT id, 0 FROM code_files;
         CREATE TABLE code_edges (file INTEGER NOT NULL, reference INTEGER NOT NULL, from_symbol INTEGER,
             to_symbol INTEGER NOT NULL, relation TEXT NOT NULL, tier INTEGER NOT NULL,
             PRIMARY KEY (file, reference, to_symbol)) WITHOUT ROWID;
         PRAGMA user_version = 26;",
    )?;
    let mut server = workspace.open("one.db", 2)?;
    let status = server.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["pending_files"] == status["total_files"], "{status}");
    server.index(&workspace.project())?;
    equals_fresh(&workspace, "fresh.db", "after the upgrade")
}

#[test]
fn references_of_another_version_are_not_read() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    // As another version of the extraction may have stored them; all files wait to be resolved.
    connect(&workspace.database("one.db"))?.execute_batch(
        "UPDATE code_files SET facts_version = 9, is_unresolved = 1; UPDATE code_references SET list = x'ff';",
    )?;
    server.ask("symbol_graph", &json!({ "symbol_id": "p:app/base.py#helper", "action": "callers" }))?;
    server.index(&workspace.project())?;
    equals_fresh(&workspace, "fresh.db", "all are read again")
}

#[test]
fn an_incremental_update_equals_a_full_index() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    equals_fresh(&workspace, "fresh-0.db", "the first index")?;
    let steps: [(&str, Change); 10] = [
        ("a comment", Box::new(|| workspace.write("app/base.py", format!("# Bases.\n{BASE}")))),
        ("a method renamed", Box::new(|| workspace.write("app/base.py", BASE.replace("greet", "hello")))),
        ("renamed back", Box::new(|| workspace.write("app/base.py", BASE))),
        (
            "moved to another file",
            Box::new(|| {
                workspace.remove("app/base.py")?;
                workspace.write("app/core/__init__.py", "from .roots import *\n")?;
                workspace.write("app/core/roots.py", BASE)?;
                workspace.write("app/models.py", MODELS.replace(".base", ".core"))
            }),
        ),
        ("CRLF", Box::new(|| workspace.write("main.py", MAIN.replace('\n', "\r\n")))),
        ("a file becomes binary", Box::new(|| workspace.write("src/a.rs", b"\0\0\0\0"))),
        ("and text again", Box::new(|| workspace.write("src/a.rs", "pub fn one() -> u8 { 2 }\n"))),
        (
            "a rename of case alone",
            Box::new(|| {
                workspace.remove("src/a.rs")?;
                workspace.write("src/A.rs", "pub fn one() -> u8 { 2 }\n")
            }),
        ),
        (
            "a branch switch",
            Box::new(|| {
                fs::remove_dir_all(workspace.project().join("app"))?;
                workspace.write("app/__init__.py", "")?;
                workspace.write("app/models.py", "class User:\n    def greet(self):\n        return 2\n")?;
                workspace.remove("src/A.rs")?;
                workspace.write("src/a.rs", "pub fn one() -> u8 { 1 }\npub fn two() -> u8 { one() }\n")
            }),
        ),
        ("deleted", Box::new(|| workspace.remove("main.py"))),
    ];
    for (number, (name, change)) in steps.iter().enumerate() {
        change()?;
        server.index(&workspace.project())?;
        equals_fresh(&workspace, &format!("fresh-{}.db", number + 1), name)?;
    }
    Ok(())
}

#[test]
fn unchanged_chunks_keep_their_vectors() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let numbers = || -> Result<Vec<i64>> {
        let connection = connect(&workspace.project().with_file_name("one.db"))?;
        let mut statement = connection
            .prepare("SELECT id FROM code_chunks WHERE file_path = 'app/models.py' ORDER BY start_line")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<std::result::Result<_, _>>()?)
    };
    let before = numbers()?;
    workspace.write("app/models.py", format!("\n\n{MODELS}"))?;
    server.index(&workspace.project())?;
    ensure!(!before.is_empty() && numbers()? == before, "{before:?} {:?}", numbers()?);
    Ok(())
}

#[test]
fn two_servers_index_once_and_a_killed_one_is_continued() -> Result<()> {
    let workspace = Workspace::new()?;
    for number in 0..450 {
        workspace.write(&format!("f{number}.py"), format!("def f{number}():\n    pass\n"))?;
    }
    let (mut one, mut two) = (workspace.open("one.db", 1)?, workspace.open("one.db", 2)?);
    let arguments = json!({ "path": workspace.project(), "project_id": "p" });
    let status = one.ask("index_project", &arguments)?;
    ensure!(status["status"] == "indexing" && status["total_files"] == 0, "{status}");
    // Each server has a test clock of its own: a lease from the future would be ignored.
    for _ in 0..4 {
        two.ask("list_projects", &json!({}))?;
    }
    // The folder is listed, and some files are stored.
    ensure!(one.limbic.index_step()? == IndexStep::Worked);
    ensure!(two.limbic.index_step()? == IndexStep::Busy);
    ensure!(one.limbic.index_step()? == IndexStep::Worked);
    let status = two.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["indexed_files"] == 200 && status["pending_files"] == 250, "{status}");
    ensure!(status["progress_percent"] == 44 && status["status"] == "indexing", "{status}");
    let found = two.ask("search_code", &json!({ "query": "f1", "mode": "words" }))?;
    ensure!(found["pending_files"] == 250, "{found}");
    let chunks = || -> Result<Vec<(i64, String)>> {
        let connection = connect(&workspace.project().with_file_name("one.db"))?;
        let mut statement =
            connection.prepare("SELECT id, file_path FROM code_chunks ORDER BY id LIMIT 200")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<std::result::Result<_, _>>()?)
    };
    let stored = chunks()?;
    ensure!(stored.len() == 200, "{}", stored.len());
    // The first server has ended: its lease expires by the test clock.
    drop(one);
    for _ in 0..20 {
        two.ask("list_projects", &json!({}))?;
    }
    // The next step goes on where the first server was: it reads other files, and no file a second time.
    ensure!(two.limbic.index_step()? == IndexStep::Worked);
    let status = two.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["indexed_files"] == 400 && status["pending_files"] == 50, "{status}");
    ensure!(chunks()? == stored, "chunks that were stored were made again");
    two.index_pending()?;
    ensure!(chunks()? == stored, "chunks that were stored were made again");
    let status = two.ask("get_index_status", &json!({ "project_id": "p" }))?;
    ensure!(status["status"] == "completed" && status["indexed_files"] == 450, "{status}");
    Ok(())
}

#[test]
fn a_call_that_waits_reports_its_progress_to_the_end() -> Result<()> {
    let workspace = Workspace::new()?;
    for number in 0..450 {
        workspace.write(&format!("f{number}.py"), format!("def f{number}():\n    return f0()\n"))?;
    }
    let mut server = workspace.open("one.db", 1)?;
    let mut reports = |wait: bool| {
        let arguments = json!({ "path": workspace.project(), "project_id": "p", "wait": wait }).to_string();
        let mut call = FileCall::without_file(SessionId::default(), "index_project", &arguments);
        let mut seen = Vec::new();
        while server.limbic.step(&mut call, &mut |done, total| seen.push((done, total))).is_none() {}
        seen
    };
    let seen = reports(true);
    // Three steps read files, three resolve references: two units for each file.
    ensure!(seen.len() > 5 && seen.contains(&(200, 900)), "{seen:?}");
    ensure!(
        seen.windows(2).all(|pair| pair[0].0 < pair[1].0) && seen.last() == Some(&(900, 900)),
        "{seen:?}"
    );
    ensure!(reports(true).last() == Some(&(900, 900)), "nothing changed");
    ensure!(reports(false).is_empty());
    Ok(())
}

#[test]
fn a_project_is_swept_after_ten_minutes() -> Result<()> {
    let workspace = started()?;
    workspace.open("one.db", 1)?.index(&workspace.project())?;
    workspace.write("app/late.py", "def late():\n    pass\n")?;
    // Not a search, which would compare the files itself.
    let files_after = |seconds: i64| -> Result<Value> {
        let mut server = workspace.open_after("one.db", 1, seconds)?;
        server.index_pending()?;
        Ok(server.ask("get_index_status", &json!({ "project_id": "p" }))?["total_files"].clone())
    };
    ensure!(files_after(300)? == 6);
    ensure!(files_after(700)? == 7);
    Ok(())
}

#[test]
fn answers_show_files_as_they_are_now() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    workspace.write("app/base.py", BASE.replace("return 1", "return 7"))?;
    let found = search(&mut server, "helper")?;
    ensure!(found[0]["content"].as_str().is_some_and(|text| text.contains("return 7")), "{found:?}");
    workspace.write("app/base.py", BASE.replace("helper", "assist"))?;
    let callers = json!({ "symbol_id": "p:app/base.py#assist", "action": "callers" });
    let graph = server.ask("symbol_graph", &callers)?;
    ensure!(graph["edges"][0]["from"] == "p:app/base.py#Base.greet", "{graph}");
    ensure!(!search(&mut server, "helper")?.iter().any(|hit| hit["content"].to_string().contains("helper")));
    workspace.remove("app/base.py")?;
    ensure!(!search(&mut server, "assist")?.iter().any(|hit| hit["file_path"] == "app/base.py"));
    let symbols = server.ask("search_symbols", &json!({ "query": "assist" }))?;
    ensure!(symbols["total"] == 0, "{symbols}");
    Ok(())
}

#[test]
fn ignored_files_and_links_are_left_out() -> Result<()> {
    let workspace = Workspace::new()?;
    workspace.write(".gitignore", "build/\n*.tmp.py\n")?;
    workspace.write("a/.gitignore", "!keep.tmp.py\nlocal.py\n")?;
    workspace.write(".memoryignore", "private/\n")?;
    for path in
        ["x.py", "build/x.py", "b.tmp.py", "a/keep.tmp.py", "a/local.py", "private/s.py", "node_modules/m.js"]
    {
        workspace.write(path, "def f():\n    pass\n")?;
    }
    #[cfg(unix)]
    {
        let outside = workspace.project().with_file_name("outside.py");
        fs::write(&outside, "def outside():\n    pass\n")?;
        std::os::unix::fs::symlink(&outside, workspace.project().join("link.py"))?;
        // A circle.
        std::os::unix::fs::symlink(workspace.project(), workspace.project().join("a/up"))?;
        let ignored = workspace.project().join("ignored.tmp.py");
        std::os::unix::fs::symlink(&outside, ignored)?;
    }
    #[cfg(unix)]
    let _socket = std::os::unix::net::UnixListener::bind(workspace.project().join("a/s"))?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let files = workspace.rows("one.db")?;
    let files: Vec<&str> =
        files.iter().filter_map(|row| row.strip_prefix("file|")?.split('|').next()).collect();
    ensure!(files == [".gitignore", ".memoryignore", "a/.gitignore", "a/keep.tmp.py", "x.py"], "{files:?}");
    let link = "a symbolic link, which is not followed";
    let expected = [("a/s", "neither a file nor a folder"), ("a/up", link), ("link.py", link)];
    let expected = expected.map(|(path, why)| (path.to_owned(), why.to_owned()));
    let expected = if cfg!(unix) { expected.to_vec() } else { Vec::new() };
    ensure!(server.skipped()? == expected, "{:?}", server.skipped()?);
    Ok(())
}

#[test]
fn patterns_that_are_none_are_refused_before_anything_changes() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let before = workspace.rows("one.db")?;
    for (pattern, why) in [
        ("[", "[ without ]"),
        ("src/*.[ch", "[ without ]"),
        ("*.{ts,tsx", "{ without }"),
        ("a}.py", "} without {"),
        ("src\\**", "separates folders with \\\\"),
        ("./", "fits no path"),
    ] {
        for argument in ["include", "exclude"] {
            let call = json!({ "path": workspace.project(), "wait": true, argument: ["*.py", pattern] });
            let error = server.refused("index_project", &call)?;
            ensure!(error.contains(argument) && error.contains(why), "{pattern}: {error}");
        }
    }
    ensure!(workspace.rows("one.db")? == before);
    let classes = json!({ "path": workspace.project(), "wait": true, "include": ["[lm]*.{r[s],p[!a-x]}"] });
    ensure!(server.ask("index_project", &classes)?["total_files"] == 3);
    Ok(())
}

#[test]
fn files_without_facts_are_listed_with_the_reason() -> Result<()> {
    let workspace = Workspace::new()?;
    workspace.write("good.py", "def good():\n    pass\n")?;
    workspace.write("broken.py", "def broken(:\n  ]]] class\n".repeat(50))?;
    workspace.write("latin.py", b"# caf\xe9\ndef latin():\n    pass\n")?;
    let wide: Vec<u8> = "def wide(): pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    workspace.write("wide.py", [b"\xff\xfe".as_slice(), &wide].concat())?;
    workspace.write("image.png", b"\x89PNG\0\0\0\0")?;
    workspace.write("app.min.js", "function a(){}".repeat(1000))?;
    // 200 MB that are never read: a sparse file.
    fs::File::create(workspace.project().join("big.py"))?.set_len(200_000_000)?;
    #[cfg(unix)]
    workspace.write("two\nlines.py", "def two():\n    pass\n")?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let skipped = server.skipped()?;
    let mut expected = vec![
        ("app.min.js", "minified"),
        ("big.py", "larger than 1 MB"),
        ("image.png", "binary"),
        ("wide.py", "not UTF-8"),
    ];
    if cfg!(unix) {
        expected.push(("two", "control character"));
    }
    expected.sort_unstable();
    ensure!(skipped.len() == expected.len(), "{skipped:?}");
    for ((path, why), (start, reason)) in skipped.iter().zip(expected) {
        ensure!(path.starts_with(start) && why.contains(reason), "{path}: {why}");
    }
    ensure!(search(&mut server, "latin")?[0]["file_path"] == "latin.py");
    ensure!(search(&mut server, "good")?[0]["file_path"] == "good.py");
    Ok(())
}

#[test]
fn a_folder_that_is_gone_fails_and_the_index_stays() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    fs::rename(workspace.project(), workspace.project().with_file_name("away"))?;
    let refused =
        server.refused("index_project", &json!({ "path": workspace.project(), "project_id": "p" }))?;
    ensure!(refused.contains("Invalid path: there is nothing at"), "{refused}");
    ensure!(!search(&mut server, "helper")?.is_empty(), "what is stored is shown while nothing is known");
    fs::rename(workspace.project().with_file_name("away"), workspace.project())?;
    server.index(&workspace.project())?;
    Ok(())
}

#[test]
fn memories_stay_when_a_project_is_deleted() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.ask("memory_store", &json!({ "content": "helper returns one" }))?;
    server.index(&workspace.project())?;
    let deleted = server.ask("delete_project", &json!({ "project_id": "p" }))?;
    ensure!(deleted["symbols_deleted"].as_u64().is_some_and(|count| count > 5), "{deleted}");
    ensure!(workspace.rows("one.db")?.is_empty());
    ensure!(server.ask("memory_list", &json!({}))?.to_string().contains("helper returns one"));
    ensure!(search(&mut server, "helper")?.is_empty());
    Ok(())
}

#[test]
fn candidates_that_do_not_fit_are_reported() -> Result<()> {
    let workspace = Workspace::new()?;
    workspace.write(
        "jobs.py",
        "class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        pass\n",
    )?;
    let sites = |count: usize| -> String {
        (0..count).map(|number| format!("def f{number}(job):\n    job.run()\n")).collect()
    };
    let mut server = workspace.open("one.db", 1)?;
    for (count, shown, is_cut) in [(50, 50, false), (51, 50, true)] {
        workspace.write("sites.py", sites(count))?;
        server.index(&workspace.project())?;
        let arguments = json!({ "symbol_id": "p:jobs.py#A.run", "action": "callers", "min_tier": "name" });
        let graph = server.ask("symbol_graph", &arguments)?;
        ensure!(graph["candidates"].as_array().map(Vec::len) == Some(shown), "{count}: {graph}");
        ensure!(graph["truncated"] == is_cut, "{count}: {graph}");
    }
    Ok(())
}

#[test]
fn unknown_words_of_a_filter_are_errors_that_name_the_known_ones() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    for (tool, arguments, expected) in [
        ("search_symbols", json!({ "query": "", "symbol_type": "import" }), "function, method, class"),
        ("search_code", json!({ "query": "user", "chunk_type": "method" }), "function, class, struct"),
        ("search_code", json!({ "query": "user", "language": "Python" }), "rust, python, javascript"),
        (
            "memory_recall",
            json!({ "query": "user", "include_code": true, "language": "py" }),
            "rust, python, javascript",
        ),
    ] {
        let error = server.refused(tool, &arguments)?;
        ensure!(error.contains(expected) && error.contains("must be one of"), "{tool}: {error}");
    }
    Ok(())
}

#[test]
fn a_row_too_many_or_too_few_is_a_difference() -> Result<()> {
    let workspace = started()?;
    workspace.open("one.db", 1)?.index(&workspace.project())?;
    let right = workspace.rows("one.db")?;
    let folder = workspace.project();
    for fault in [
        "INSERT INTO chunk_words (rowid, name, scope, path, body) VALUES (100000, 'left', '', '', 'over')",
        "DELETE FROM chunk_words WHERE rowid = (SELECT min(id) FROM code_chunks)",
        "DELETE FROM code_imports WHERE file = (SELECT min(file) FROM code_imports)",
        "DELETE FROM embedding_queue WHERE kind = 4 AND id = (SELECT min(id) FROM code_chunks)",
        "UPDATE code_projects SET include = '*.py'",
    ] {
        let database = folder.with_file_name("fault.db");
        fs::copy(folder.with_file_name("one.db"), &database)?;
        let changed = connect(&database)?.execute(fault, [])?;
        ensure!(changed > 0, "nothing was changed: {fault}");
        ensure!(workspace.rows("fault.db")? != right, "not seen: {fault}");
    }
    Ok(())
}

#[test]
fn a_file_that_traps_the_parser_is_marked_and_skipped_until_it_changes() -> Result<()> {
    let workspace = started()?;
    workspace.write("app/models.py", "def trap():\n    pass\n")?;
    let mut server = workspace.open_trapping("one.db", 1)?;
    let status = server.index(&workspace.project())?;
    ensure!(status["files_indexed"] == 6, "{status}");
    let reason = "cannot be parsed: the parser failed".to_owned();
    ensure!(server.skipped()? == [("app/models.py".to_owned(), reason)], "{:?}", server.skipped()?);
    let total = |server: &mut Server, name: &str| -> Result<Value> {
        Ok(server.ask("search_symbols", &json!({ "query": name }))?["total"].clone())
    };
    ensure!(total(&mut server, "trap")? == 0 && total(&mut server, "helper")? == 1);
    server.index(&workspace.project())?;
    ensure!(server.skipped()?.len() == 1, "it stays skipped");
    workspace.write("app/models.py", MODELS)?;
    ensure!(total(&mut server, "__init__")? == 1 && server.skipped()?.is_empty());
    // A file whose facts are known traps after a change.
    workspace.write("app/base.py", "def trap():\n    pass\n")?;
    ensure!(total(&mut server, "greet")? == 0 && total(&mut server, "__init__")? == 1);
    ensure!(server.skipped()?[0].0 == "app/base.py");
    workspace.write("app/base.py", BASE)?;
    server.index(&workspace.project())?;
    equals_fresh(&workspace, "fresh.db", "no file traps any more")
}

#[test]
fn chunks_of_files_that_were_shown_are_encoded_first() -> Result<()> {
    let workspace = started()?;
    let mut server = workspace.open("one.db", 1)?;
    server.index(&workspace.project())?;
    let tokens = QueryTokens::default();
    let encoded: [EncodingResult; 1] = [Ok(Encoding::Query { vector: vec![0.0; 384], tokens })];
    let show = |server: &mut Server, query: &str, encodings: &[EncodingResult]| -> Result<()> {
        let arguments = json!({ "query": query, "limit": 1 }).to_string();
        let answer = server.limbic.call("search_code", &arguments, encodings);
        ensure!(!answer.is_error && answer.json.contains("\"count\":1"), "{}", answer.json);
        Ok(())
    };
    let queued = workspace.queued_chunks("one.db")?;
    ensure!(queued.first().map(String::as_str) == Some("app/base.py"), "{queued:?}");
    show(&mut server, "one", &[])?;
    server.limbic.finish()?;
    ensure!(workspace.queued_chunks("one.db")? == queued, "without an encoder the order does not matter");
    show(&mut server, "main", &encoded)?;
    show(&mut server, "one", &encoded)?;
    show(&mut server, "main", &encoded)?;
    server.limbic.finish()?;
    let mut files = workspace.queued_chunks("one.db")?;
    files.dedup();
    ensure!(files == ["src/a.rs", "main.py", "app/base.py", "app/models.py", "src/lib.rs"], "{files:?}");
    let tasks = server.limbic.pending(1)?;
    ensure!(matches!(&tasks[..], [Task::Text { text, .. }] if text.contains("one")), "{tasks:?}");
    Ok(())
}
