//! Errors about a store: what was stored, and what does not apply to it.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_support::{
    pooler::Pooler,
    postgres::{Cluster, PASSWORD},
};
use limbic_tests::{
    BackEnd,
    stdio::{self, Server},
};
use serde_json::json;
use tempfile::tempdir;

use super::{connect, contents, failure, limbic, prepared, store};
use crate::upgrades::TO_VERSION_20;

#[test]
fn an_import_that_the_store_interrupts_tells_what_it_has_stored() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "interrupted")?;
    let folder = tempdir()?;
    let file = folder.path().join("graph.jsonl");
    let line = |number: u32| {
        let name = format!("entity {number}");
        format!("{}\n", json!({"type": "entity", "name": name, "entityType": "x", "observations": []}))
    };
    std::fs::write(&file, (0..10_000).map(line).collect::<String>())?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    // Some batches are stored, and then the store fails.
    cluster.sql(
        "interrupted",
        "CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'the pages are on strike'; END $$; \
         DO $$ BEGIN EXECUTE format('CREATE TRIGGER fails BEFORE INSERT ON limbic_pages FOR EACH ROW \
         WHEN (NEW.version > %s) EXECUTE FUNCTION fails()', (SELECT version + 3 FROM limbic_memories)); END $$",
    )?;
    let (is_error, answer) = server.call("migrate", &json!({ "source_path": file }).to_string())?;
    ensure!(is_error && answer.contains("io_error") && answer.contains("on strike"), "{answer}");
    ensure!(answer.contains("What was stored before is kept (entities: "), "{answer}");
    ensure!(!answer.contains("Nothing of this call"), "{answer}");
    server.stop()
}

#[test]
fn a_store_is_not_used_with_a_key_or_encrypted() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("with-a-key");
    for name in ["LIMBIC_KEY", "LIMBIC_KEY_FILE", "LIMBIC_PASSPHRASE", "LIMBIC_PASSPHRASE_FILE"] {
        for command in [&["call", "memory_list", "{}", "--no-model"][..], &["serve", "--no-model"]] {
            let mut limbic = Command::new(stdio::limbic_binary()?);
            limbic.args(command).args(["--db", &address]).env(name, "0123456789abcdef").stdin(Stdio::null());
            let output = limbic.output()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &failure(&output)?;
            ensure!(
                text.contains(name) && text.contains("does not encrypt a memory in PostgreSQL"),
                "{text}"
            );
            ensure!(!text.contains("0123456789abcdef"), "{text}");
        }
    }
    let refused = failure(&limbic("serve --no-model --encrypt", &address, &[])?)?;
    ensure!(refused.contains("--encrypt (LIMBIC_ENCRYPT) needs a file"), "{refused}");
    for action in ["encrypt", "rotate", "export"] {
        let refused = failure(&limbic(&format!("key {action}"), &address, &[])?)?;
        ensure!(refused.contains("is not a file, and cannot be encrypted"), "{action}: {refused}");
    }
    Ok(())
}

#[test]
fn an_import_of_what_is_no_memory_names_the_file_and_not_the_option_of_the_store() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("no-memory"), tempdir()?);
    let [text, foreign, encrypted] = ["text", "foreign", "encrypted"].map(|name| folder.path().join(name));
    std::fs::write(&text, "This is not a database. ".repeat(400))?;
    Connection::open(&foreign)?.execute_batch("CREATE TABLE bookmarks (url TEXT)")?;
    let mut encrypts = Command::new(stdio::limbic_binary()?);
    encrypts.args(["call", "memory_list", "--no-model", "--db"]).arg(&encrypted);
    encrypts.env("LIMBIC_KEY", "00112233445566778899aabbccddeeff".repeat(2));
    ensure!(encrypts.output()?.status.success());
    for (file, what_to_do) in [
        (&text, "FILE must be the database file of a memory"),
        (&foreign, "the tool migrate imports this one"),
        (&encrypted, "LIMBIC_KEY_FILE"),
    ] {
        let path = file.to_str().context("a path is text")?;
        let refused = failure(&limbic("pages import", &address, &[path])?)?;
        ensure!(refused.contains(path) && refused.contains(what_to_do), "{refused}");
        // A command warns of the password in its arguments.
        let error = refused.lines().last().unwrap_or_default();
        ensure!(!error.contains("--db"), "{refused}");
    }
    Ok(())
}

#[test]
fn an_import_leaves_a_file_of_an_earlier_version_as_it_is() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("earlier"), tempdir()?);
    let file = folder.path().join("memory.db");
    let mut server = Server::native_of_several(&file)?;
    store(&mut server, "Deploys run on Tuesdays")?;
    server.stop()?;
    let connection = Connection::open(&file)?;
    let current: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    connection.execute_batch(TO_VERSION_20)?;
    connection.execute_batch("PRAGMA user_version = 20")?;
    drop(connection);
    let before = std::fs::read(&file)?;
    let path = file.to_str().context("a path is text")?;
    let imported = limbic("pages import", &address, &[path])?;
    let told = String::from_utf8_lossy(&imported.stderr).into_owned();
    ensure!(imported.status.success() && told.contains("earlier version"), "{told}");
    ensure!(std::fs::read(&file)? == before, "the file was changed");
    let mut server = Server::native_of_several(Path::new(&address))?;
    ensure!(contents(&mut server)?.contains("Tuesdays"));
    server.stop()?;
    let upgraded: i64 = connect(&address)?.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    ensure!(upgraded == current, "{upgraded}");
    // Reading a file in WAL mode would convert it.
    let connection = Connection::open(&file)?;
    connection.execute_batch("PRAGMA journal_mode = WAL")?;
    drop(connection);
    let before = std::fs::read(&file)?;
    let refused = failure(&limbic("pages import", &cluster.address("wal"), &[path])?)?;
    ensure!(refused.contains("WAL mode") && refused.contains("limbic compact"), "{refused}");
    ensure!(std::fs::read(&file)? == before, "the file was changed");
    Ok(())
}

#[test]
fn an_encrypted_file_is_stored_without_encryption_on_request_only() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("decrypted"), tempdir()?);
    let (file, copy) = (folder.path().join("memory.db"), folder.path().join("copy.db"));
    let key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let with_key = |arguments: &[&str], database: &Path| -> Result<Output> {
        let mut limbic = Command::new(stdio::limbic_binary()?);
        Ok(limbic.args(arguments).arg("--db").arg(database).env("LIMBIC_KEY", key).output()?)
    };
    let content = r#"{"content":"Deploys run on Tuesdays"}"#;
    ensure!(with_key(&["call", "memory_store", content, "--no-model"], &file)?.status.success());
    ensure!(!std::fs::read(&file)?.starts_with(b"SQLite format 3"), "a new file has the key");
    let path = file.to_str().context("a path is text")?;
    let import = |more: &[&str]| with_key(&[&["pages", "import", path], more].concat(), Path::new(&address));
    let refused = failure(&import(&[])?)?;
    ensure!(refused.contains("is encrypted") && refused.contains("--decrypt"), "{refused}");
    let copy_path = copy.to_str().context("a path is text")?;
    ensure!(failure(&limbic("pages export", &address, &[copy_path])?)?.contains("there is no memory"));
    let imported = import(&["--decrypt"])?;
    let told = String::from_utf8_lossy(&imported.stderr).into_owned();
    ensure!(imported.status.success() && told.contains("the pages in PostgreSQL are not"), "{told}");
    let exported = limbic("pages export", &address, &[copy_path])?;
    let told = String::from_utf8_lossy(&exported.stderr).into_owned();
    ensure!(exported.status.success() && told.contains("the file is not encrypted"), "{told}");
    ensure!(std::fs::read(&copy)?.starts_with(b"SQLite format 3"));
    Ok(())
}

#[test]
fn a_running_server_refuses_to_write_once_a_newer_one_has_upgraded_the_schema() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = cluster.address("upgraded-meanwhile");
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    connect(&address)?.execute_batch("PRAGMA user_version = 999")?;
    let (is_error, answer) = server.call("memory_store", r#"{"content":"It must not be stored"}"#)?;
    ensure!(is_error && answer.contains("newer_version") && answer.contains("999"), "{answer}");
    let stored: i64 = connect(&address)?.query_row(
        "SELECT count(*) FROM MEMORY_NODES WHERE content LIKE '%must not%'",
        [],
        |row| row.get(0),
    )?;
    ensure!(stored == 0);
    server.stop()
}

#[test]
fn a_table_of_another_program_is_left_as_it_is() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    for (database, table) in [
        ("foreign_column", "CREATE TABLE limbic_store (name text); INSERT INTO limbic_store VALUES ('shop')"),
        ("foreign_type", "CREATE TABLE limbic_store (format text); INSERT INTO limbic_store VALUES ('ten')"),
        ("foreign_empty", "CREATE TABLE limbic_store (format integer)"),
    ] {
        cluster.sql("postgres", &format!("CREATE DATABASE {database}"))?;
        cluster.sql(database, table)?;
        let rows = || cluster.sql(database, "SELECT * FROM limbic_store");
        let before = rows()?;
        let address = cluster.address_in(database, "team");
        let refused =
            limbic("call memory_store --no-model", &address, &[r#"{"content":"It has no place"}"#])?;
        let text = String::from_utf8_lossy(&refused.stdout).into_owned() + &failure(&refused)?;
        ensure!(
            text.contains("unknown format") && text.contains("nothing was changed"),
            "{database}: {text}"
        );
        ensure!(rows()? == before, "{database}");
        let others = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'limbic%'";
        ensure!(cluster.sql(database, others)? == "1", "{database}");
    }
    Ok(())
}

#[test]
fn a_store_that_lost_commits_is_reported_as_one_and_then_read_as_it_is() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "lost_commits")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    let tables = ["limbic_memories", "limbic_pages"];
    for (tool, arguments) in [("memory_list", "{}"), ("memory_store", r#"{"content":"It is not stored"}"#)] {
        store(&mut server, "It was stored before the backup")?;
        for table in tables {
            cluster.sql("lost_commits", &format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}"))?;
        }
        store(&mut server, &format!("It was stored before {tool} and is lost"))?;
        let restore = tables.map(|table| {
            format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM saved_{table}; DROP TABLE saved_{table}; ")
        });
        cluster.sql("lost_commits", &format!("BEGIN; {} COMMIT", restore.concat()))?;
        let (is_error, answer) = server.call(tool, arguments)?;
        ensure!(is_error && answer.contains("database_moved"), "{answer}");
        ensure!(answer.contains("a restored backup") && !answer.contains("hard link"), "{answer}");
        let found = contents(&mut server)?;
        ensure!(found.contains("before the backup") && !found.contains("is lost"), "{found}");
        ensure!(!found.contains("It is not stored"), "{found}");
    }
    server.stop()
}

#[test]
fn pages_that_row_level_security_hides_are_reported_as_hidden() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    prepared(&cluster, "hidden")?;
    cluster.sql("hidden", &format!("CREATE ROLE hidden LOGIN PASSWORD '{PASSWORD}'"))?;
    cluster.sql(
        "hidden",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON limbic_store, limbic_memories, limbic_pages TO hidden",
    )?;
    let address = cluster.address_of("hidden", PASSWORD, "hidden", "team");
    let list = || limbic("call memory_list --no-model", &address, &["{}"]);
    cluster.sql("hidden", "ALTER TABLE limbic_pages ENABLE ROW LEVEL SECURITY")?;
    let refused = list()?;
    let text = String::from_utf8_lossy(&refused.stdout).into_owned() + &failure(&refused)?;
    ensure!(
        text.contains("row-level security of the table limbic_pages") && text.contains("role hidden"),
        "{text}"
    );
    // A policy that shows the memory is none of Limbic's business.
    cluster.sql("hidden", "CREATE POLICY team ON limbic_pages USING (memory = 'team')")?;
    ensure!(String::from_utf8_lossy(&list()?.stdout).contains("It was here before"));
    Ok(())
}

#[test]
fn a_pooler_that_changes_sessions_is_named_and_nothing_is_written_in_the_other_one() -> Result<()> {
    let Some(cluster) = Cluster::start()? else { return Ok(()) };
    cluster.add_rules("host all limbic all trust")?;
    let pooler = Pooler::to(cluster.port())?;
    let direct = cluster.address("pooled");
    let address = direct.replace(&format!(":{}/", cluster.port()), &format!(":{}/", pooler.port()))
        + "&sslmode=disable";
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    for (tool, arguments) in [("memory_list", "{}"), ("memory_store", r#"{"content":"It is not stored"}"#)] {
        pooler.change_sessions()?;
        let (is_error, answer) = server.call(tool, arguments)?;
        ensure!(
            is_error && answer.contains("leads to a pooler") && answer.contains("pool_mode=session"),
            "{answer}"
        );
    }
    server.stop()?;
    let mut server = Server::native_of_several(Path::new(&direct))?;
    let found = contents(&mut server)?;
    ensure!(found.contains("stored before") && !found.contains("It is not stored"), "{found}");
    server.stop()
}

#[test]
fn tokens_of_a_store_of_another_format_are_left_as_they_are() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "other_format")?;
    let created = limbic("token create laptop", &address, &[])?;
    ensure!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    for (format, expected) in [(2, "is of format 2"), (0, "has an unknown format")] {
        cluster.sql("other_format", &format!("UPDATE limbic_store SET format = {format}"))?;
        for command in ["token create desk", "token revoke laptop", "token list"] {
            let refused = failure(&limbic(command, &address, &[])?)?;
            ensure!(refused.contains(expected), "{command}: {refused}");
        }
    }
    let names = cluster.sql("other_format", "SELECT string_agg(name, ',') FROM limbic_tokens")?;
    ensure!(names == "laptop", "{names}");
    Ok(())
}

#[test]
fn what_is_missing_in_postgresql_is_named_with_what_to_do() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    for statement in [
        &format!("CREATE ROLE lost LOGIN PASSWORD '{PASSWORD}'"),
        "CREATE DATABASE lost OWNER lost",
        "CREATE DATABASE closed",
        "REVOKE CONNECT ON DATABASE closed FROM PUBLIC",
    ] {
        cluster.sql("postgres", statement)?;
    }
    let list = |address: &str| limbic("call memory_list --no-model", address, &["{}"]);
    let of = |password: &str, database: &str| cluster.address_of("lost", password, database, "team");
    let said = |address: &str| -> Result<String> {
        let called = list(address)?;
        Ok(failure(&called)? + &String::from_utf8_lossy(&called.stdout))
    };
    ensure!(list(&of(PASSWORD, "lost"))?.status.success());
    for (address, says) in [
        (of("wrong", "lost"), "its password is in the address"),
        (of(PASSWORD, "nowhere"), "createdb --owner"),
        (of(PASSWORD, "closed"), "CONNECT on the database"),
    ] {
        let said = said(&address)?;
        ensure!(said.contains(says), "{says:?} is not in {said}");
    }
    cluster.sql("lost", "ALTER ROLE lost SET search_path = elsewhere")?;
    let said = said(&of(PASSWORD, "lost"))?;
    ensure!(said.contains("search_path"), "{said}");
    Ok(())
}

#[test]
fn a_running_server_refuses_a_store_whose_format_was_changed() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "changed_format")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "It was stored before")?;
    let version = || cluster.sql("changed_format", "SELECT version FROM limbic_memories");
    let changes_to =
        |format: u32| cluster.sql("changed_format", &format!("UPDATE limbic_store SET format = {format}"));
    changes_to(2)?;
    let before = version()?;
    let renamings = [("recent", "latest"), ("latest", "recent")];
    for renaming in [None].into_iter().chain(renamings.map(Some)) {
        // The last one is back to the names that the server knows.
        if let Some((from, to)) = renaming {
            cluster.sql("changed_format", &format!("ALTER TABLE limbic_memories RENAME {from} TO {to}"))?;
        }
        for (tool, arguments) in
            [("memory_store", r#"{"content":"It is not stored"}"#), ("memory_list", "{}")]
        {
            let (is_error, answer) = server.call(tool, arguments)?;
            ensure!(is_error && answer.contains("is of format 2"), "{tool}: {answer}");
        }
    }
    ensure!(version()? == before, "the store was changed");
    changes_to(1)?;
    store(&mut server, "It is stored again")?;
    server.stop()
}
