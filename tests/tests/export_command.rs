//! `export` of both programs: what it writes, and that it overwrites no memory and leaves no partial file.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_tests::{
    BackEnd,
    export_import::{any_memory, database_rows, export, with_memories},
    memory::Native,
    names,
    stdio::{Server, limbic_binary, node_main},
    transcript,
};
use tempfile::tempdir;

/// Both programs, which must print the same.
fn programs() -> Result<Vec<(&'static str, Vec<String>)>> {
    let path = |path: &Path| path.to_string_lossy().into_owned();
    Ok(vec![
        ("native", vec![path(&limbic_binary()?)]),
        ("node", vec!["node".to_owned(), path(&node_main()?)]),
    ])
}

fn command(program: &[String], database: &Path) -> Command {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).arg("export").arg("--db").arg(database);
    command
}

fn standard_error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn both_programs_write_the_same_bytes() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    let mut memory = with_memories(&database, 6)?;
    let expected: Vec<_> = ["jsonl", "limbic", "memory-mcp-server", "markdown"]
        .into_iter()
        .map(|format| export(&mut memory, format).map(|bytes| (format, bytes)))
        .collect::<Result<_>>()?;
    drop(memory);
    for (name, program) in programs()? {
        for (format, bytes) in &expected {
            let out = folder.path().join(format!("{name}.{format}"));
            let output =
                command(&program, &database).args(["--format", format, "--out"]).arg(&out).output()?;
            ensure!(
                output.status.success() && output.stdout.is_empty(),
                "{name}: {}",
                standard_error(&output)
            );
            ensure!(standard_error(&output).contains("records"), "{name}: {}", standard_error(&output));
            ensure!(fs::read(&out)? == *bytes, "{name}: {format} differs");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                ensure!(
                    fs::metadata(&out)?.permissions().mode() & 0o777 == 0o600,
                    "{name}: other users may read it"
                );
            }
            let output = command(&program, &database).args(["--format", format, "--out", "-"]).output()?;
            ensure!(
                output.status.success() && output.stdout == *bytes,
                "{name}: {}",
                standard_error(&output)
            );
        }
        let out = folder.path().join(format!("{name}.db"));
        let output =
            command(&program, &database).args(["--format", "mcp-memory-v2", "--out"]).arg(&out).output()?;
        ensure!(
            output.status.success() && standard_error(&output).contains("vector"),
            "{name}: {}",
            standard_error(&output)
        );
        let sound: String =
            Connection::open(&out)?.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        ensure!(sound == "ok", "{name}: {sound}");
        for format in ["memory-graph", "persistent-memory"] {
            let out = folder.path().join(format!("{name}.{format}"));
            let output =
                command(&program, &database).args(["--format", format, "--out"]).arg(&out).output()?;
            ensure!(output.status.success(), "{name}: {}", standard_error(&output));
        }
    }
    for format in ["memory-graph", "persistent-memory"] {
        let rows = |name: &str| database_rows(&folder.path().join(format!("{name}.{format}")));
        ensure_same_rows(&rows("native")?, &rows("node")?).context(format)?;
    }
    let dump = |name: &str| -> Result<Vec<String>> {
        let connection = Connection::open(folder.path().join(name))?;
        let mut rows = Vec::new();
        for table in ["entities", "observations", "relations", "reflections", "entity_access", "db_metadata"]
        {
            let mut statement = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1"))?;
            let columns = statement.column_count();
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                for column in 0..columns {
                    rows.push(format!("{:?}", row.get_ref(column)?));
                }
            }
        }
        Ok(rows)
    };
    ensure_same_rows(&dump("native.db")?, &dump("node.db")?)
}

fn ensure_same_rows(native: &[String], node: &[String]) -> Result<()> {
    let [native, node] = [native, node].map(|rows| rows.join("\n"));
    ensure!(native == node, "the databases differ: {}", transcript::difference(&native, &node));
    Ok(())
}

#[test]
fn both_programs_keep_to_one_users_memories() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    drop(with_memories(&database, 6)?);
    for format in ["limbic", "memory-mcp-server"] {
        let mut outputs = Vec::new();
        for (name, program) in programs()? {
            let output = command(&program, &database)
                .args(["--user", "ada", "--format", format, "--out", "-"])
                .output()?;
            ensure!(output.status.success(), "{name}: {}", standard_error(&output));
            let text = String::from_utf8(output.stdout)?;
            ensure!(text.contains("anchored anew") && !text.contains("near by"), "{name}: {format}: {text}");
            outputs.push(text);
        }
        ensure!(outputs[0] == outputs[1], "{format}: {}", transcript::difference(&outputs[0], &outputs[1]));
    }
    for (name, program) in programs()? {
        let output = command(&program, &database)
            .args(["--user", "ada", "--format", "jsonl", "--out", "-"])
            .output()?;
        ensure!(
            output.status.code() == Some(2) && output.stdout.is_empty(),
            "{name}: {}",
            standard_error(&output)
        );
        ensure!(standard_error(&output).contains("has no owner"), "{name}: {}", standard_error(&output));
    }
    Ok(())
}

#[test]
fn existing_files_are_kept_and_no_temporary_file_remains() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    drop(any_memory(&database, 7)?);
    for (name, program) in programs()? {
        let root = tempdir()?;
        let out = root.path().join("export");
        fs::write(&out, "precious")?;
        fs::create_dir(root.path().join("folder"))?;
        let before = names(root.path())?;
        let refused = |target: &Path, arguments: &[&str], words: &str| -> Result<()> {
            let output = command(&program, &database).args(arguments).arg("--out").arg(target).output()?;
            ensure!(output.status.code() == Some(2), "{name}: {words}: {}", standard_error(&output));
            ensure!(
                standard_error(&output).contains(words),
                "{name}: {words:?} is not in {}",
                standard_error(&output)
            );
            ensure!(
                output.stdout.is_empty() && names(root.path())? == before,
                "{name}: {words}: left behind"
            );
            ensure!(fs::read(&out)? == b"precious", "{name}: overwritten");
            Ok(())
        };
        refused(&out, &[], "--force")?;
        refused(&out, &["--format", "mcp-memory-v2"], "--force")?;
        refused(&root.path().join("folder"), &["--force"], "it is a folder")?;
        refused(&root.path().join("missing").join("export"), &[], "the folder does not exist")?;
        refused(&out.join("below a file"), &[], "the folder does not exist")?;
        refused(Path::new("-"), &["--format", "mcp-memory-v2"], "standard output")?;
        refused(&root.path().join("other"), &["--format", "xml"], "limbic")?;
        if cfg!(target_os = "linux") {
            refused(Path::new("/dev/full"), &["--force"], "it is not a regular file")?;
        }
        let output = command(&program, &database).arg("--force").arg("--out").arg(&out).output()?;
        ensure!(output.status.success(), "{name}: {}", standard_error(&output));
        ensure!(fs::read(&out)?.starts_with(b"{\"record\":\"export\""), "{name}: not replaced");
        ensure!(names(root.path())? == before, "{name}: left behind");
    }
    Ok(())
}

#[test]
fn no_memory_is_ever_overwritten() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    drop(any_memory(&database, 7)?);
    let another = folder.path().join("another.db");
    drop(any_memory(&another, 8)?);
    let linked = folder.path().join("linked.db");
    fs::hard_link(&database, &linked)?;
    let mut targets = vec![database.clone(), linked.clone(), another.clone()];
    targets.extend(["-journal", "-wal", "-shm", "-JOURNAL"].map(|suffix| {
        let mut name = database.clone().into_os_string();
        name.push(suffix);
        name.into()
    }));
    targets.push(folder.path().join("another.db-journal"));
    #[cfg(unix)]
    {
        let alias = folder.path().join("alias.db");
        std::os::unix::fs::symlink("memory.db", &alias)?;
        targets.push(alias);
    }
    let bytes = || -> Result<_> { Ok((fs::read(&database)?, fs::read(&another)?, names(folder.path())?)) };
    let before = bytes()?;
    for (name, program) in programs()? {
        let pages: &[&str] = if name == "node" { &["--out", "--html"] } else { &["--out"] };
        for (target, option) in targets.iter().flat_map(|target| pages.iter().map(move |page| (target, page)))
        {
            for read in [&database, &linked] {
                let output = command(&program, read).arg("--force").arg(option).arg(target).output()?;
                let call = format!("{name} {option} {}: {}", target.display(), standard_error(&output));
                ensure!(output.status.code() == Some(2), "{call}");
                ensure!(call.contains("name another file"), "{call}");
                ensure!(bytes()? == before, "{call}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_missing_database_is_not_created() -> Result<()> {
    for (name, program) in programs()? {
        let folder = tempdir()?;
        let database = folder.path().join("memory.db");
        let output = command(&program, &database).arg("--out").arg(folder.path().join("export")).output()?;
        ensure!(output.status.code() == Some(2), "{name}: {}", standard_error(&output));
        ensure!(
            standard_error(&output).contains("the database to export does not exist"),
            "{name}: {}",
            standard_error(&output)
        );
        ensure!(names(folder.path())?.is_empty(), "{name}: left behind");
    }
    Ok(())
}

#[test]
fn both_programs_read_every_format_alike() -> Result<()> {
    let folder = tempdir()?;
    let mut memory = with_memories(&folder.path().join("memory.db"), 9)?;
    for format in limbic_tools::EXPORT_FORMATS {
        let source = folder.path().join(format);
        fs::write(&source, export(&mut memory, format)?)?;
        let mut results = Vec::new();
        for (index, start) in
            [Server::native_alone as fn(&Path) -> Result<Server>, Server::node_alone].into_iter().enumerate()
        {
            let database = folder.path().join(format!("{format}.{index}.db"));
            let mut server = start(&database)?;
            let mut answers = Vec::new();
            for dry_run in [true, false, false] {
                let arguments = serde_json::json!({ "source_path": source, "dry_run": dry_run }).to_string();
                answers.push(server.call("migrate", &arguments)?);
            }
            ensure!(answers.iter().all(|(is_error, _)| !is_error), "{format}: {answers:?}");
            server.stop()?;
            results.push((answers, String::from_utf8(export(&mut Native::open(&database)?, "limbic")?)?));
        }
        ensure!(results[0].0 == results[1].0, "{format}: {:?}\n{:?}", results[0].0, results[1].0);
        ensure!(results[0].1 == results[1].1, "{}", transcript::difference(&results[0].1, &results[1].1));
    }
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_and_leaves_no_file() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    drop(any_memory(&database, 8)?);
    let small = tempdir()?;
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=16k", "tmpfs"])
        .arg(small.path())
        .stderr(Stdio::null())
        .status();
    let mounted = mounted.is_ok_and(|status| status.success());
    for (name, program) in programs()? {
        for format in ["jsonl", "limbic", "mcp-memory-v2"].into_iter().filter(|_| mounted) {
            let filler = small.path().join("filler");
            fs::write(&filler, vec![0; 16 * 1024])?;
            let out = small.path().join("export");
            let output =
                command(&program, &database).args(["--format", format, "--out"]).arg(&out).output()?;
            ensure!(output.status.code() == Some(2), "{name}: {format}: {}", standard_error(&output));
            ensure!(
                standard_error(&output).contains("the disk is full: "),
                "{name}: {format}: {}",
                standard_error(&output)
            );
            ensure!(names(small.path())? == ["filler"], "{name}: {format}: left behind");
        }
        let full = fs::File::options().write(true).open("/dev/full")?;
        let output = command(&program, &database).args(["--out", "-"]).stdout(full).output()?;
        ensure!(output.status.code() == Some(2), "{name}: {}", standard_error(&output));
        ensure!(standard_error(&output).contains("the disk is full"), "{name}: {}", standard_error(&output));
    }
    if mounted {
        let status = Command::new("umount").arg(small.path()).status().context("umount")?;
        ensure!(status.success(), "the small disk stays mounted");
    }
    Ok(())
}

#[test]
fn a_closed_pipe_ends_a_command_without_an_error() -> Result<()> {
    let folder = tempdir()?;
    let database = folder.path().join("memory.db");
    Native::open(&database)?.call("memory_store", r#"{"content": "Read by nobody"}"#)?;
    let commands: [(&str, &[&str]); 6] = [
        ("native", &["export", "--out", "-"]),
        ("native", &["tools"]),
        ("native", &["tools", "--json"]),
        ("native", &["call", "read_graph", "--no-model"]),
        ("node", &["export", "--out", "-"]),
        ("node", &["audit"]),
    ];
    for (name, program) in programs()? {
        for (_, arguments) in commands.iter().filter(|(of, _)| *of == name) {
            let (reader, writer) = std::io::pipe()?;
            drop(reader);
            let mut command = Command::new(&program[0]);
            command.args(&program[1..]).args(*arguments).arg("--db").arg(&database).stdout(writer);
            let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
            drop(command);
            let output = child.wait_with_output()?;
            let stderr = standard_error(&output);
            ensure!(
                output.status.success() && stderr.is_empty(),
                "{name} {arguments:?}: {}: {stderr}",
                output.status
            );
        }
    }
    Ok(())
}
