//! Commands on a store: exports that replace a file, imports that fail, and commands that only read.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use anyhow::{Context, Result, ensure};
use limbic_core::rusqlite::Connection;
use limbic_support::{
    free_port, http,
    postgres::{Cluster, PASSWORD},
    proxy::Proxy,
};
use limbic_tests::{
    names,
    stdio::{self, Server},
};
use serde_json::json;
use tempfile::tempdir;

use super::{
    contents, failure,
    full_disk::fill_disk,
    limbic,
    outages::{behind, wait_for},
    prepared, store,
};

#[test]
fn an_export_replaces_the_database_of_an_earlier_one() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (cluster.address("replaced"), tempdir()?);
    let file = folder.path().join("copy.db");
    let path = file.to_str().context("a path is text")?;
    let mut server = Server::native_of_several(Path::new(&address))?;
    store(&mut server, "Deploys run on Tuesdays")?;
    ensure!(limbic("pages export", &address, &[path])?.status.success());
    store(&mut server, "Reviews need two people")?;
    let kept = failure(&limbic("pages export", &address, &[path])?)?;
    ensure!(kept.contains("use --force to replace it"), "{kept}");
    // While a program has it open, it is not replaced.
    let mut reader = Server::native_of_several(&file)?;
    ensure!(contents(&mut reader)?.contains("Tuesdays"));
    let before = fs::read(&file)?;
    let open = failure(&limbic("pages export", &address, &[path, "--force"])?)?;
    ensure!(open.contains("has it open"), "{open}");
    ensure!(fs::read(&file)? == before);
    reader.stop()?;
    let replaced = limbic("pages export", &address, &[path, "--force"])?;
    ensure!(replaced.status.success(), "{}", String::from_utf8_lossy(&replaced.stderr));
    let mut reader = Server::native_of_several(&file)?;
    ensure!(contents(&mut reader)?.contains("two people"));
    reader.stop()?;
    let left = names(folder.path())?;
    ensure!(left.iter().all(|name| name == "copy.db" || name == "copy.db-journal"), "{left:?}");
    // What belongs to a memory and is no database is not replaced, and no option is named that would not help.
    let journal = folder.path().join("copy.db-journal");
    let path = journal.to_str().context("a path is text")?;
    for more in [&[path][..], &[path, "--force"]] {
        let refused = failure(&limbic("pages export", &address, more)?)?;
        ensure!(refused.contains("belongs to a Limbic memory") && !refused.contains("--force"), "{refused}");
    }
    server.stop()
}

#[test]
fn an_export_of_a_memory_that_lacks_pages_fails_and_leaves_no_file() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "lost_pages")?, tempdir()?);
    let file = folder.path().join("copy.db");
    let path = file.to_str().context("a path is text")?;
    ensure!(limbic("pages export", &address, &[path])?.status.success());
    let before = fs::read(&file)?;
    cluster.sql("lost_pages", "DELETE FROM limbic_pages WHERE page = 7")?;
    for name in ["copy.db", "another.db"] {
        let path = folder.path().join(name);
        let path = path.to_str().context("a path is text")?;
        let refused = failure(&limbic("pages export", &address, &[path, "--force"])?)?;
        ensure!(refused.contains("missing in the store") && refused.contains("page 8"), "{refused}");
    }
    ensure!(fs::read(&file)? == before && names(folder.path())? == ["copy.db"]);
    Ok(())
}

#[test]
fn an_export_of_damaged_pages_fails_and_keeps_the_file_it_would_replace() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "damaged_pages")?, tempdir()?);
    let file = folder.path().join("copy.db");
    let path = file.to_str().context("a path is text")?;
    ensure!(limbic("pages export", &address, &[path])?.status.success());
    let before = fs::read(&file)?;
    let root: i64 = Connection::open(&file)?.query_row(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'MEMORY_NODES'",
        [],
        |row| row.get(0),
    )?;
    // The store counts pages from 0.
    let page = root - 1;
    let one = format!("FROM limbic_pages WHERE page = {page}");
    cluster.sql("damaged_pages", &format!("CREATE TABLE kept AS SELECT * {one}"))?;
    for (content, says) in [
        ("substring(content FROM 1 FOR 100)", format!("page {page} of the store has 100 bytes, not 4096")),
        ("content || content", format!("page {page} of the store has 8192 bytes, not 4096")),
        ("decode(repeat('ff', 4096), 'hex')", format!("page {root}")),
    ] {
        let changed = format!("UPDATE limbic_pages SET content = {content} WHERE page = {page}");
        cluster.sql("damaged_pages", &changed)?;
        for name in ["copy.db", "another.db"] {
            let path = folder.path().join(name);
            let path = path.to_str().context("a path is text")?;
            let refused = failure(&limbic("pages export", &address, &[path, "--force"])?)?;
            ensure!(refused.contains(&says) && refused.contains("restore a backup"), "{refused}");
        }
        ensure!(fs::read(&file)? == before && names(folder.path())? == ["copy.db"]);
        let restored =
            "UPDATE limbic_pages SET content = kept.content FROM kept WHERE limbic_pages.page = kept.page";
        cluster.sql("damaged_pages", restored)?;
    }
    ensure!(limbic("pages export", &address, &[path, "--force"])?.status.success());
    Ok(())
}

#[test]
fn an_import_that_fails_leaves_no_memory_behind() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let (address, folder) = (prepared(&cluster, "failed_import")?, tempdir()?);
    let other = address.replace("memory=team", "memory=other");
    let file = folder.path().join("memory.db");
    let path = file.to_str().context("a path is text")?;
    let mut server = Server::native_of_several(&file)?;
    store(&mut server, "Deploys run on Tuesdays")?;
    server.stop()?;
    let memories = || cluster.sql("failed_import", "SELECT string_agg(memory, ',') FROM limbic_memories");
    fill_disk(&cluster, "failed_import")?;
    let full = failure(&limbic("pages import", &other, &[path])?)?;
    ensure!(full.matches("the disk of the database server is full").count() == 1, "{full}");
    ensure!(memories()? == "team");
    cluster.sql("failed_import", "DROP TRIGGER full_disk ON limbic_pages")?;
    // A file that SQLite finds damage in.
    let whole = fs::read(&file)?;
    let root: usize = Connection::open(&file)?.query_row(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'MEMORY_NODES'",
        [],
        |row| row.get(0),
    )?;
    let mut damaged = whole.clone();
    damaged[(root - 1) * 4096..root * 4096].fill(0xa5);
    fs::write(&file, &damaged)?;
    let refused = failure(&limbic("pages import", &other, &[path])?)?;
    ensure!(refused.contains("is damaged") && refused.contains("restore a copy"), "{refused}");
    ensure!(memories()? == "team" && fs::read(&file)? == damaged);
    fs::write(&file, &whole)?;
    ensure!(limbic("pages import", &other, &[path])?.status.success());
    // A memory that has content stays.
    failure(&limbic("pages import", &other, &[path])?)?;
    ensure!(memories()?.len() == "team,other".len());
    Ok(())
}

#[test]
fn an_import_that_loses_its_connection_says_what_was_stored() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let proxy = Proxy::to(cluster.port())?;
    let (address, folder) = (behind(&proxy, &cluster, "lost-import"), tempdir()?);
    let file = folder.path().join("memory.db");
    let path = file.to_str().context("a path is text")?;
    let mut server = Server::native_of_several(&file)?;
    store(&mut server, "Deploys run on Tuesdays")?;
    server.stop()?;
    // The first page.
    proxy.cut_after("SQLite format 3");
    let lost = failure(&limbic("pages import", &address, &[path])?)?;
    ensure!(
        lost.contains("the connection was lost during the import") && lost.contains("run it again"),
        "{lost}"
    );
    let memories = "SELECT count(*) FROM limbic_memories WHERE memory = 'lost-import'";
    ensure!(cluster.sql("postgres", memories)? == "0", "an empty memory would look like an imported one");
    ensure!(limbic("pages import", &address, &[path])?.status.success());
    let mut server = Server::native_of_several(Path::new(&address))?;
    ensure!(contents(&mut server)?.contains("Tuesdays"));
    server.stop()
}

#[test]
fn commands_that_only_read_work_on_a_standby() -> Result<()> {
    let Some(primary) = Cluster::start()? else { return Ok(()) };
    let written = primary.address("team");
    let stored =
        limbic("call memory_store --no-model", &written, &[r#"{"content":"Backups run at night"}"#])?;
    ensure!(stored.status.success());
    ensure!(limbic("token create ada", &written, &[])?.status.success());
    let standby = primary.standby()?;
    wait_for("the standby has it", || {
        Ok(standby.sql("postgres", "SELECT count(*) FROM limbic_tokens")? == "1")
    })?;
    let (address, folder) = (standby.address("team") + "&connect_timeout=1", tempdir()?);
    let copy = folder.path().join("copy.db");
    let copy = copy.to_str().context("a path is text")?;
    for (command, more, says) in [
        ("export --out -", &[][..], "Backups run at night"),
        ("token list", &[], "ada"),
        ("inbox", &[], "wait for confirmation"),
        ("check", &[], "no damage found"),
        ("pages export", &[copy], "exported "),
    ] {
        let output = limbic(command, &address, more)?;
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success() && text.contains(says), "{command}: {text}");
    }
    // The others name no option that they have not.
    for (command, more) in [
        ("compact", &[][..]),
        ("token create eve", &[]),
        ("token revoke ada", &[]),
        ("inbox accept", &["some-id"]),
        ("pages import", &[copy]),
    ] {
        let refused = failure(&limbic(command, &address, more)?)?;
        ensure!(refused.contains("name a server that writes"), "{command}: {refused}");
        ensure!(refused.contains("limbic serve and limbic call read"), "{command}: {refused}");
    }
    for (command, more) in
        [("export --out -", &[][..]), ("check", &[]), ("inbox", &[]), ("pages export --force", &[copy])]
    {
        let refused = failure(&limbic(command, &standby.address("unknown"), more)?)?;
        ensure!(refused.contains("there is no memory at") && !refused.contains("--read-only"), "{refused}");
    }
    Ok(())
}

#[test]
fn only_calls_and_imports_create_a_memory_and_reading_upgrades_an_earlier_one() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "only_read")?;
    let other = address.replace("memory=team", "memory=unknown");
    for command in
        ["export --out -", "check", "inbox", "compact", "inbox accept some-id", "inbox trust client:some"]
    {
        let refused = failure(&limbic(command, &other, &[])?)?;
        ensure!(refused.contains("there is no memory at"), "{command}: {refused}");
    }
    ensure!(cluster.sql("only_read", "SELECT count(*) FROM limbic_memories")? == "1");
    let connection = super::connect(&address)?;
    connection.execute_batch(crate::upgrades::TO_VERSION_20)?;
    connection.execute_batch("PRAGMA user_version = 20")?;
    drop(connection);
    let checked = failure(&limbic("check", &address, &[])?)?;
    ensure!(checked.contains("after a server has opened it"), "{checked}");
    let exported = limbic("export --out -", &address, &[])?;
    ensure!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    ensure!(String::from_utf8_lossy(&exported.stdout).contains("It was here before"));
    ensure!(limbic("check", &address, &[])?.status.success());
    Ok(())
}

#[test]
fn the_log_of_a_server_has_the_reason_of_the_store() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let folder = tempdir()?;
    let log = folder.path().join("log");
    prepared(&cluster, "logged_reason")?;
    cluster.sql("logged_reason", &format!("CREATE ROLE logged LOGIN PASSWORD '{PASSWORD}'"))?;
    let tables = "limbic_store, limbic_memories, limbic_pages";
    cluster.sql("logged_reason", &format!("GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO logged"))?;
    let address = cluster.address_of("logged", PASSWORD, "logged_reason", "team");
    let mut limbic = Command::new(stdio::limbic_binary()?);
    limbic.args(["serve", "--no-model", "--db", &address]).stderr(File::create(&log)?);
    let server = http::Server::start(&mut limbic, free_port()?)?;
    let client = http::Client::new(server.port);
    ensure!(!client.call("memory_list", &json!({}))?.0);
    cluster.sql("logged_reason", "REVOKE UPDATE ON limbic_memories FROM logged")?;
    ensure!(!client.call("memory_recall", &json!({"query": "here before"}))?.0);
    let reason = "permission denied for table limbic_memories";
    wait_for("it is logged", || Ok(fs::read_to_string(&log)?.contains(reason)))?;
    let text = fs::read_to_string(&log)?;
    ensure!(!text.contains("disk I/O error") && !text.contains(PASSWORD), "{text}");
    Ok(())
}

#[test]
fn a_database_of_another_encoding_has_tokens_of_every_user() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql(
        "postgres",
        "CREATE DATABASE latin1 TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'",
    )?;
    let address = cluster.address_in("latin1", "team");
    let stored = limbic("call memory_store --no-model", &address, &[r#"{"content":"It is 漢字"}"#])?;
    ensure!(stored.status.success(), "{}", String::from_utf8_lossy(&stored.stdout));
    let created = limbic("token create laptop", &address, &["--user", "漢字 é 😀"])?;
    ensure!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let listed = limbic("token list", &address, &[])?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    ensure!(listed.contains("漢字 é 😀"), "{listed}");
    Ok(())
}

#[test]
fn compact_leaves_no_dead_rows_and_says_what_it_does_to_the_tables() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    let address = prepared(&cluster, "compacted")?;
    let compacted = limbic("compact", &address, &[])?;
    let said = String::from_utf8_lossy(&compacted.stderr).into_owned();
    ensure!(compacted.status.success() && said.contains("VACUUM was run"), "{said}");
    for table in ["limbic_pages", "limbic_memories"] {
        let vacuumed =
            format!("SELECT count(last_vacuum) FROM pg_stat_user_tables WHERE relname = '{table}'");
        wait_for("it is vacuumed", || Ok(cluster.sql("compacted", &vacuumed)?.trim() == "1"))?;
    }
    // Another role may write the pages and not vacuum them.
    cluster.sql("compacted", &format!("CREATE ROLE writing LOGIN PASSWORD '{PASSWORD}'"))?;
    cluster.sql(
        "compacted",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON limbic_store, limbic_memories, limbic_pages TO writing",
    )?;
    let compacted = limbic("compact", &cluster.address_of("writing", PASSWORD, "compacted", "team"), &[])?;
    let said = String::from_utf8_lossy(&compacted.stderr).into_owned();
    ensure!(compacted.status.success() && said.contains("is not the owner of limbic_pages"), "{said}");
    Ok(())
}

#[test]
fn a_database_in_which_only_tokens_were_created_has_no_memory() -> Result<()> {
    let Some(cluster) = Cluster::shared()? else { return Ok(()) };
    cluster.sql("postgres", "CREATE DATABASE tokens_alone")?;
    let address = |memory: &str| cluster.address_in("tokens_alone", memory);
    let created = limbic("token create laptop", &address("team"), &[])?;
    ensure!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let refused = failure(&limbic("token list", &address("other"), &[])?)?;
    ensure!(refused.contains("there is no memory at"), "{refused}");
    Ok(())
}
